"""NumPy's names of dtypes, and what is known of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.api.numpy.promotion import as_tensor, named
from wengert.values.dtypes import DType
from wengert.values.value import Value

if TYPE_CHECKING:
    from wengert.api.numpy.promotion import Numeric
    from wengert.values.typing import DTypeLike

bool_ = np.bool_
int_ = np.int_
int8, int16, int32, int64 = np.int8, np.int16, np.int32, np.int64
uint8, uint16, uint32, uint64 = np.uint8, np.uint16, np.uint32, np.uint64
float_ = np.float64
float16, float32, float64 = np.float16, np.float32, np.float64
complex_ = np.complex128
complex64, complex128 = np.complex64, np.complex128
string_, unicode_, object_, inexact = np.bytes_, np.str_, np.object_, np.inexact


def iinfo(int_type: DTypeLike) -> Any:
    """The bounds of an integer dtype.

    >>> tf.experimental.numpy.iinfo("int8").max
    127
    """
    return np.iinfo(named(int_type).numpy_dtype)


def finfo(dtype: DTypeLike) -> Any:
    """The bounds and the precision of a floating dtype.

    >>> tf.experimental.numpy.finfo(tf.float32).bits
    32
    """
    return np.finfo(named(dtype).numpy_dtype)


def issubdtype(arg1: Any, arg2: Any) -> bool:
    """Whether a dtype is one of a kind.

    >>> tf.experimental.numpy.issubdtype(tf.float32, tf.experimental.numpy.inexact)
    True
    """
    return bool(np.issubdtype(_plain(arg1), _plain(arg2)))


def _plain(dtype: Any) -> Any:
    return dtype.as_numpy_dtype if isinstance(dtype, DType) else dtype


def isscalar(num: Any) -> bool:
    """Whether it is a number, or has no axes.

    >>> tf.experimental.numpy.isscalar(tf.constant(1.0))
    True
    """
    if isinstance(num, (Value, np.ndarray)):
        return num.ndim == 0
    return bool(np.isscalar(num))


def iscomplexobj(x: Numeric) -> bool:
    """Whether it is of a complex dtype.

    >>> tf.experimental.numpy.iscomplexobj([1j])
    True
    """
    return as_tensor(x).dtype.is_complex


def isrealobj(x: Numeric) -> bool:
    """Whether it is not of a complex dtype.

    >>> tf.experimental.numpy.isrealobj([1.0])
    True
    """
    return not iscomplexobj(x)
