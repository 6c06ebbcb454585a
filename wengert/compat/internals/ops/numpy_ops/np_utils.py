"""tensorflow.python.ops.numpy_ops.np_utils: promotion, under internal names."""

from __future__ import annotations

from typing import Any

from wengert.api.numpy.dtypes import isscalar
from wengert.api.numpy.promotion import result_type
from wengert.ops.support.static_value import get_static_value


def result_type_unary(a: Any, dtype: Any = None) -> Any:
    """The dtype that is asked for, or that of the value."""
    return result_type(a if dtype is None else dtype)
