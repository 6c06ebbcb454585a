"""tensorflow.python.util.numpy_compat: what differs between versions of NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def np_where(condition: ArrayLike, x: ArrayLike | None = None, y: ArrayLike | None = None) -> Any:
    """Elements of the one or the other or, without these, the places where the condition holds."""
    if x is None and y is None:
        return np.atleast_1d(np.asarray(condition)).nonzero()
    chosen: Any = [x, y]  # None is an element, too
    return np.where(condition, *chosen)
