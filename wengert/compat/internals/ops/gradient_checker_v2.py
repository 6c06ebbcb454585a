"""tensorflow.python.ops.gradient_checker_v2: checks of gradients."""

from typing import Any

import numpy as np

from wengert.api.gradients.gradient_checker import compute_gradient as compute_gradient
from wengert.values.convert import as_array as _to_numpy


def max_error(grad1: Any, grad2: Any) -> float:
    """The largest difference between two lists of Jacobians."""
    pairs = zip(grad1, grad2, strict=True)
    return max((float(np.max(np.abs(a - b), initial=0.0)) for a, b in pairs), default=0.0)
