"""Complex numbers. Only here do gradient rules differ from those of real functions: see core/row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.inference.public_functions import deferrable
from wengert.ops.math.comparison import equal, where
from wengert.ops.math.elementwise import abs_real, ones_like, sign_real, zeros_like
from wengert.ops.support.batch_rules import all_at_once
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.dtypes import real_of
from wengert.values.tensor import Tensor
from wengert.values.typed_calls import of_one, of_two

if TYPE_CHECKING:
    from wengert.values.typing import Array, Namespace, TensorLike

_REAL = lambda xp, x: xp.real(x).copy()  # noqa: E731  # a view would keep the complex array alive
_IMAG = lambda xp, x: xp.imag(x).copy()  # noqa: E731

REAL_PART: Row = op(
    "Real",
    _REAL,
    shape=lambda x: x,
    dtype=real_of,
    vjp=(lambda g, y, x: complex(g, zeros_like(g)),),
    linear=(0,),
    batch=all_at_once("Real"),
    saves="",
)
IMAG_PART: Row = op(
    "Imag",
    _IMAG,
    shape=lambda x: x,
    dtype=real_of,
    vjp=(lambda g, y, x: complex(zeros_like(g), -g),),
    linear=(0,),
    batch=all_at_once("Imag"),
    saves="",
)
CONJ: Row = op(
    "Conj",
    lambda xp, x: xp.conj(x),
    vjp=(lambda g, y, x: conj(g),),
    elementwise=True,
    linear=(0,),
    jvp=(lambda t, y, x: conj(t),),
    saves="",
)


def _complex_kernel(_: Namespace, x: Array, y: Array) -> Array:
    """Assemble the parts: x + 1j * y would turn an infinite part into NaN."""
    dtype = np.complex64 if x.dtype == np.float32 else np.complex128
    z = np.empty(np.broadcast_shapes(x.shape, y.shape), dtype)
    z.real, z.imag = x, y
    return z


COMPLEX: Row = op(
    "Complex",
    _complex_kernel,
    vjp=(lambda g, z, x, y: real(g), lambda g, z, x, y: -imag(g)),
    jvp=(
        lambda t, z, x, y: complex(t, zeros_like(t)),
        lambda t, z, x, y: complex(zeros_like(t), t),
    ),
    elementwise=True,
    saves="",
)


def _direction(x: Tensor) -> Tensor:
    """conj(x) / |x|, and 0 at 0: the derivative of |x|."""
    size = abs(x)
    at_zero = equal(size, zeros_like(size))
    scale = where(at_zero, ones_like(size), size)
    return where(at_zero, zeros_like(x), conj(x) / complex(scale, zeros_like(scale)))


COMPLEX_ABS: Row = op(
    "ComplexAbs",
    lambda xp, x: xp.abs(x),
    vjp=(lambda g, y, x: complex(g, zeros_like(g)) * _direction(x),),
    jvp=(lambda t, y, x: real(t * _direction(x)),),
    elementwise=True,
    saves="x",
)
ANGLE: Row = op(
    "Angle",
    lambda xp, x: xp.angle(x),
    # The angle is the imaginary part of log(x).
    vjp=(lambda g, y, x: complex(zeros_like(g), -g) / x,),
    jvp=(lambda t, y, x: imag(t / x),),
    elementwise=True,
    saves="x",
)


@of_one
@deferrable
def abs(x: TensorLike, name: str | None = None) -> Tensor:
    """The absolute value of each element; the modulus of a complex one.

    >>> tf.abs([-2.0, 3.0]).numpy().tolist(), tf.abs(3.0 + 4.0j).numpy().item()
    ([2.0, 3.0], 5.0)
    """
    tensor = convert(x)
    if not tensor.dtype.is_complex:
        return abs_real(tensor)
    result: Tensor = apply(COMPLEX_ABS, (tensor,))
    return result


@of_one
@deferrable
def sign(x: TensorLike, name: str | None = None) -> Tensor:
    """The sign, -1, 0 or 1, of each element, with zero gradient; x / |x|, or 0, if complex.

    >>> tf.sign([-2.0, 0.0, 5.0]).numpy().tolist(), tf.sign(2.0j).numpy().item()
    ([-1.0, 0.0, 1.0], 1j)
    """
    tensor = convert(x)
    return conj(_direction(tensor)) if tensor.dtype.is_complex else sign_real(tensor)


@of_one
@deferrable
def real(input: TensorLike, name: str | None = None) -> Tensor:
    """The real part of each element.

    >>> tf.math.real([1.0 + 2.0j]).numpy().tolist()
    [1.0]
    """
    tensor = convert(input)
    if not tensor.dtype.is_complex:
        return tensor
    result: Tensor = apply(REAL_PART, (tensor,))
    return result


@of_one
@deferrable
def imag(input: TensorLike, name: str | None = None) -> Tensor:
    """The imaginary part of each element.

    >>> tf.math.imag([1.0 + 2.0j]).numpy().tolist()
    [2.0]
    """
    tensor = convert(input)
    if not tensor.dtype.is_complex:
        return zeros_like(tensor)
    result: Tensor = apply(IMAG_PART, (tensor,))
    return result


@of_one
@deferrable
def conj(x: TensorLike, name: str | None = None) -> Tensor:
    """The complex conjugate of each element; a real tensor is returned unchanged.

    >>> tf.math.conj([1.0 + 2.0j]).numpy().tolist()
    [(1-2j)]
    """
    tensor = convert(x)
    if not tensor.dtype.is_complex:
        return tensor
    result: Tensor = apply(CONJ, (tensor,))
    return result


@of_one
@deferrable
def angle(input: TensorLike, name: str | None = None) -> Tensor:
    """The argument (phase angle) of each complex element, in radians.

    >>> tf.math.angle([1.0j]).numpy().round(4).tolist()
    [1.5708]
    """
    tensor = convert(input)
    if tensor.dtype.is_complex:
        result: Tensor = apply(ANGLE, (tensor,))
        return result
    pi = convert(3.141592653589793, tensor.dtype)
    return where(tensor < zeros_like(tensor), pi, zeros_like(tensor))


@of_two
@deferrable
def complex(real: TensorLike, imag: TensorLike, name: str | None = None) -> Tensor:
    """Complex numbers from their real and imaginary parts.

    >>> tf.complex([1.0], [2.0]).numpy().tolist()
    [(1+2j)]
    """
    x, y = convert(real), convert(imag)
    if x.dtype is not y.dtype or x.dtype not in (dtypes.float32, dtypes.float64):
        raise TypeError(
            f"The `real` and `imag` components have incorrect types: {x.dtype.name} "
            f"{y.dtype.name}. They must be consistent, and one of [tf.float32, tf.float64]"
        )
    result: Tensor = apply(COMPLEX, (x, y))
    return result
