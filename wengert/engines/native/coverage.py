"""Which operations the native engine computes itself, as far as a row tells without shapes."""

from __future__ import annotations

from typing import Final

from wengert.core.row import Row
from wengert.engines.native.frontend import all_rules as _rules  # noqa: F401  # fills tables
from wengert.engines.native.frontend.images.convolution_rules import PIXELS
from wengert.engines.native.frontend.images.window_rules import DEPTHWISE, WINDOWS
from wengert.engines.native.frontend.lowering import ASSIGNMENTS, DRAWS, ROUTINES, RULES
from wengert.engines.native.frontend.numbers.complex_numbers import PAIR_RULES, has_pair_lanes
from wengert.engines.native.frontend.scalar import NotLowered
from wengert.engines.native.frontend.templates import template
from wengert.engines.native.mathematics import elementary  # noqa: F401  # fills a table

# What kernels for large images compute within plans.
TILED: Final = (
    "Conv2D",
    "Conv2DBackpropInput",
    DEPTHWISE,
    f"{DEPTHWISE}BackpropInput",
    "MaxPoolGrad",
)
# Element types that are tried as inputs of an elementwise operation.
_TRIED: Final = ("f4", "i4", "b1")


def how(row: Row) -> str:
    """In a word: a compiled loop, a product by BLAS, or a call to NumPy."""
    if row.name in ("MatMul", "BatchMatMulV2"):
        return "product"
    if row.name in PIXELS:
        return "product or tiles" if row.name in TILED else "product or NumPy"
    if row.name in WINDOWS:
        return "loop or tiles" if row.name in TILED else "loop or NumPy"
    if row.name in ROUTINES:
        return "routine"
    if (
        row.name in PAIR_RULES
        or row.name in RULES
        or row.name in DRAWS
        or row.name in ASSIGNMENTS
        or row.closes
    ):
        return "loop"
    if row.elementwise and not row.many and row.step is None and _has_lanes(row):
        return "loop"
    if row.elementwise and has_pair_lanes(row):
        return "loop"
    return "NumPy"


def _has_lanes(row: Row) -> bool:
    counts = (len(row.vjp),) if isinstance(row.vjp, tuple) else (1, 2, 3)
    for count in counts:
        for kind in _TRIED:
            try:
                template(row, [kind] * count, {})
            except (NotLowered, TypeError, ValueError):
                continue
            return True
    return False
