"""tf.compat.v1.linalg: tf.linalg, with the arguments of version 1 where they differ."""

from typing import Any as _Any

from wengert import linalg as _now
from wengert.compat.v1.functions.linear_algebra import norm as norm
from wengert.ops.linalg.matrices import matrix_transpose as _matrix_transpose

transpose = _matrix_transpose


def __getattr__(name: str) -> _Any:
    """A name that did not change between the versions."""
    return getattr(_now, name)
