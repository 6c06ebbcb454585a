"""Numbers as if they had been rounded to levels."""

from __future__ import annotations

from typing import Any, Final

from wengert.insight.source.kernels import Symbol
from wengert.insight.source.text import Text, call


def _quantized(name: str) -> Any:
    """Of arrays: the ends of the range are arrays, too, or numbers."""

    def template(
        *xs: Symbol, num_bits: int, narrow_range: bool, min: Any = None, max: Any = None
    ) -> Text:
        kind = f"np.{xs[0].dtype.name}"
        ends = [] if min is None else [call(kind, float(e)) for e in (min, max)]
        named = {"narrow": True} if narrow_range else {}
        return call(name, *[x.text for x in xs], *ends, int(num_bits), **named)

    return template


TEMPLATES: Final = {
    **dict.fromkeys(
        ("FakeQuantWithMinMaxArgs", "FakeQuantWithMinMaxVars", "FakeQuantWithMinMaxVarsPerChannel"),
        _quantized("_fake_quantized"),
    ),
    "FakeQuantSide": _quantized("_side_of_levels"),
    "FakeQuantWithMinMaxArgsGradient": _quantized("_within_levels"),
}

HELPERS: Final = {
    "_levels": """
def _levels(low, high, bits, narrow):
    first, last = int(narrow), 2**bits - 1
    step = (high - low) / (last - first)
    safe = np.where(step == 0, np.ones_like(step), step)
    zero = np.floor(np.clip(first - low / safe, first, last) + 0.5)
    zero = zero.astype(step.dtype)
    return (first - zero) * step, (last - zero) * step, step
""",
    "_fake_quantized": """
def _fake_quantized(x, low, high, bits, narrow=False):
    first, last, step = _levels(low, high, bits, narrow)
    inverse = 1 / np.where(step == 0, np.ones_like(step), step)
    ends = np.minimum(first, last), np.maximum(first, last)
    moved = np.clip(x, *ends) - first
    levels = np.floor(moved * inverse - np.floor(-first * inverse + 0.5) + 0.5)
    return np.where((low == 0) & (high == 0), 0, levels * step).astype(x.dtype)
""",
    "_side_of_levels": """
def _side_of_levels(x, low, high, bits, narrow=False):
    first, last, _ = _levels(low, high, bits, narrow)
    side = np.where(x < first, -1, np.where(x > last, 1, 0))
    return np.where((low == 0) & (high == 0), 0, side).astype(np.int32)
""",
    "_within_levels": """
def _within_levels(g, x, low, high, bits, narrow=False):
    side = _side_of_levels(x, low, high, bits, narrow)
    return np.where(side == 0, g, 0).astype(g.dtype)
""",
}
