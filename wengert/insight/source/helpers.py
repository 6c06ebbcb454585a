"""The functions that a text may call, which are put before it."""

from __future__ import annotations

import re
from typing import Final

from wengert.insight.source.families import HELPERS as FAMILY_HELPERS


def helpers_of(text: str) -> dict[str, str]:
    """The helpers that a text calls, and those that they call, in the order of their calls."""
    found: dict[str, str] = {}
    for name in re.findall(r"\b_[a-z_]+\b", text):
        helper = _HELPERS.get(name)
        if helper is not None and name not in found:
            found |= helpers_of(helper.replace(f"def {name}(", "def (")) | {name: helper}
    return found


_BASIC: Final = {
    "_softmax": """
def _softmax(x, axis):
    y = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return y / np.sum(y, axis=axis, keepdims=True)
""",
    "_log_softmax": """
def _log_softmax(x, axis):
    y = x - np.max(x, axis=axis, keepdims=True)
    return y - np.log(np.sum(np.exp(y), axis=axis, keepdims=True))
""",
    "_sigmoid": """
def _sigmoid(x):
    return 1 / (1 + np.exp(-x))
""",
    "_rsqrt_gradient": """
def _rsqrt_gradient(y, g):
    return np.where(g != 0, g * -0.5 * (y * y * y), 0)
""",
    "_half_square": """
def _half_square(x):
    return np.dot(x.reshape(-1), x.reshape(-1)) * 0.5
""",
    "_soft_cross_entropy": """
def _soft_cross_entropy(x, labels):
    y = x - np.max(x, axis=-1, keepdims=True)
    logs = y - np.log(np.sum(np.exp(y), axis=-1, keepdims=True))
    return -np.sum(labels * logs, axis=-1)
""",
    "_cross_entropy": """
def _cross_entropy(x, labels):
    y = x - np.max(x, axis=-1, keepdims=True)
    logs = y - np.log(np.sum(np.exp(y), axis=-1, keepdims=True))
    return -np.take_along_axis(logs, np.asarray(labels)[..., None], -1)[..., 0]
""",
    "_cross_entropy_slope": """
def _cross_entropy_slope(x, labels):
    y = np.exp(x - np.max(x, axis=-1, keepdims=True))
    y = y / np.sum(y, axis=-1, keepdims=True)
    flat = y.reshape(-1, y.shape[-1])
    flat[np.arange(len(flat)), np.ravel(labels)] -= 1
    return y
""",
    "_placed": """
def _placed(part, key, shape):
    whole = np.zeros(shape, part.dtype)
    whole[key] = part
    return whole
""",
    "_with_added": """
def _with_added(x, places, rows):
    y = x.copy()
    np.add.at(y, places, rows)
    return y
""",
    "_with_updated": """
def _with_updated(x, places, rows):
    y = x.copy()
    y[places] = rows
    return y
""",
    "_band": """
def _band(x, lower, upper):
    offset = np.arange(x.shape[-1]) - np.arange(x.shape[-2])[:, None]
    inside = np.ones(offset.shape, bool)
    if lower >= 0:
        inside &= offset >= -lower
    if upper >= 0:
        inside &= offset <= upper
    return np.where(inside, x, 0)
""",
    "_shifted": """
def _shifted(x, axis, reverse):
    y = np.zeros_like(x)
    before = (*[slice(None)] * axis, slice(0, -1))
    after = (*[slice(None)] * axis, slice(1, None))
    y[before if reverse else after] = x[after if reverse else before]
    return y
""",
    "_scattered": """
def _scattered(rows, indices, shape):
    whole = np.zeros(shape, rows.dtype)
    np.add.at(whole, indices, rows)
    return whole
""",
}
_HELPERS: Final = {**_BASIC, **FAMILY_HELPERS}
