"""A warning where a map of gradients names what TensorFlow makes, and a function here does not."""

from __future__ import annotations

import warnings

from wengert.core.context import is_replaced
from wengert.errors import GradientWarning
from wengert.host.user_frames import callers_depth
from wengert.values.tensor import Tensor


def warn_of_replaced(who: str, made: str, x: object, *types: str) -> None:
    """Warn if a map names one of the types of which TensorFlow makes `who` of a tensor; `made` is what is made here.

    A function of plain numbers has no gradient: a map around it means something else.
    """
    named = [kind for kind in types if is_replaced(kind)]
    if not named or not isinstance(x, Tensor) or not x.dtype.is_differentiable:
        return
    warnings.warn(
        f"The map of gradients names {named[0]!r}, of which TensorFlow makes {who}. Here it is made "
        f"of {made} and keeps its own gradient: name that type too, or override the gradient of a "
        "name scope around it (overrides= of tape.gradient and tf.gradients).",
        GradientWarning,
        stacklevel=callers_depth(),
    )
