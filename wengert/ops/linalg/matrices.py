"""Helpers that the files of linear algebra share: matrices with leading batch axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.batch import align
from wengert.core.dispatch import apply
from wengert.core.row import Attrs, Row
from wengert.core.table import TABLE, op
from wengert.errors import FailedPreconditionError, InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.shaping import TRANSPOSE
from wengert.ops.linalg.matmul import matmul
from wengert.ops.math.complex import complex, conj, real
from wengert.ops.math.elementwise import cast, zeros_like
from wengert.ops.support.batch_rules import BatchRule, batch_all
from wengert.ops.support.declare import convert_alike
from wengert.ops.support.lapack import numpy_linalg
from wengert.values.convert import convert
from wengert.values.dtypes import DType
from wengert.values.shapes import shape_text
from wengert.values.sizes import certainly, shapes_differ
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import Array, Namespace, TensorLike, TensorOrDims

# ---- batches ----------------------------------------------------------------------------------


def in_front(name: str) -> BatchRule:
    """A batching rule for operations that support leading batch axes: the batch is one more."""

    def rule(batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs) -> Any:
        return apply(TABLE[name], batch_all(batched, size, xs), attrs)

    return rule


def broadcast_batch(name: str) -> BatchRule:
    """Like `in_front`, for operations whose batch axes broadcast against each other."""

    def rule(batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs) -> Any:
        return apply(TABLE[name], align(batched, xs), attrs)

    return rule


# ---- helpers of kernels -----------------------------------------------------------------------


def adjoint_array(xp: Namespace, x: Array) -> Array:
    """The conjugate transpose of an array of matrices."""
    return xp.conj(xp.swapaxes(x, -1, -2))


def each_matrix(function: Callable[..., Any], *arrays: Array) -> list[Any]:
    """Apply a function of single matrices to each matrix of a batch; it gives new arrays."""
    if all(a.ndim == 2 for a in arrays):
        return [np.ascontiguousarray(part) for part in function(*arrays)]
    batch = np.broadcast_shapes(*[a.shape[:-2] for a in arrays])
    wide = [np.broadcast_to(a, (*batch, *a.shape[-2:])) for a in arrays]
    results = [function(*[a[i] for a in wide]) for i in np.ndindex(batch)]
    if not results:  # no matrices: find out the dtype and shape of results
        tried = function(*[np.eye(*a.shape[-2:], dtype=a.dtype) for a in arrays])
        return [np.empty((*batch, *part.shape), part.dtype) for part in tried]
    return [np.stack(part).reshape(*batch, *part[0].shape) for part in zip(*results, strict=True)]


# ---- helpers of public functions --------------------------------------------------------------

FLOATS: Final = "float64, float32, float16, complex64, complex128"


def matrix(value: TensorLike, who: str, square: bool = True, hint: DType | None = None) -> Tensor:
    """The argument as a tensor of matrices, of a floating-point or complex dtype."""
    x = convert(value, hint=hint)
    check_kind(x, who)
    if len(dims(x)) < 2:
        raise InvalidArgumentError(
            f"Input tensor 0 must have rank >= 2, got {len(dims(x))} [Op:{who}]. The last two axes "
            "are those of the matrix."
        )
    if square and certainly(dims(x)[-1] != dims(x)[-2]):
        raise InvalidArgumentError(
            f"Input matrix must be square. [Op:{who}] Its shape is {shape_text(dims(x))}."
        )
    return x


def check_kind(x: Tensor, who: str) -> None:
    """Raise unless the dtype is floating or complex."""
    if not (x.dtype.is_floating or x.dtype.is_complex):
        raise InvalidArgumentError(
            f"Value for attr 'T' of {x.dtype.spoken} is not in the list of allowed values: "
            f"{FLOATS} [Op:{who}]. Use tf.cast to convert the tensor first."
        )


def matrix_and_sides(
    a: TensorLike, b: TensorLike, who: str, square: bool = True
) -> tuple[Tensor, Tensor]:
    """A matrix and right-hand sides, whose sizes agree."""
    x, y = convert_alike(who, a, b)
    x = matrix(x, who, square)
    if len(dims(y)) < 2:
        raise InvalidArgumentError(
            f"Input tensor 1 must have rank >= 2, got {len(dims(y))} [Op:{who}]. Use "
            "tf.expand_dims(rhs, -1) to make columns of vectors."
        )
    return x, y


def check_same_batch(a: Tensor, b: Tensor, who: str) -> None:
    """Raise unless two tensors of matrices have the same batch shape."""
    if len(dims(a)) != len(dims(b)):
        raise InvalidArgumentError(
            f"All input tensors must have the same rank. [Op:{who}] The shapes are "
            f"{shape_text(dims(a))} and {shape_text(dims(b))}."
        )
    if shapes_differ(dims(a)[:-2], dims(b)[:-2]):
        raise InvalidArgumentError(
            f"All input tensors must have the same outer dimensions. [Op:{who}] The shapes are "
            f"{shape_text(dims(a))} and {shape_text(dims(b))}."
        )


def adjoint_of(x: Tensor) -> Tensor:
    """The conjugate transpose."""
    turned = transpose_last(x)
    return conj(turned) if x.dtype.is_complex else turned


def transpose_last(x: Tensor) -> Tensor:
    """The last two axes transposed, without conjugation."""
    rank = len(dims(x))
    order = (1, 0) if rank == 2 else (*range(rank - 2), rank - 1, rank - 2)
    result: Tensor = apply(TRANSPOSE, (x,), {"perm": order})
    return result


def product(*factors: Tensor) -> Tensor:
    """The product of matrices, from the left."""
    total = factors[0]
    for factor in factors[1:]:
        total = matmul(total, factor)
    return total


def as_dtype_of(x: Tensor, other: Tensor) -> Tensor:
    """A real tensor cast to the dtype of another, which may be complex."""
    return x if x.dtype is other.dtype else cast(x, other.dtype)


def only_real(x: Tensor) -> Tensor:
    """The real part, in the dtype that x has."""
    return complex(real(x), zeros_like(real(x))) if x.dtype.is_complex else x


# ---- transposes and the cross product ---------------------------------------------------------


@deferrable
def matrix_transpose(
    a: TensorLike, name: str | None = "matrix_transpose", conjugate: bool = False
) -> Tensor:
    """The transpose of matrices: the last two axes swapped.

    >>> tf.linalg.matrix_transpose([[1, 2], [3, 4]]).numpy().tolist()
    [[1, 3], [2, 4]]
    """
    x = convert(a)
    if len(dims(x)) < 2:
        raise ValueError(
            "Argument `a` should be a (batch) matrix with rank >= 2. "
            f"Received `a` with shape: {dims(x)}"
        )
    result: Tensor = adjoint_of(x) if conjugate else transpose_last(x)
    return result


@deferrable
def adjoint(matrix: TensorLike, name: str | None = None) -> Tensor:
    """The adjoint (conjugate transpose) of matrices.

    >>> tf.linalg.adjoint([[1 + 2j, 3.0]]).numpy().tolist()
    [[(1-2j)], [(3-0j)]]
    """
    return matrix_transpose(matrix, conjugate=True)


def _cross_kernel(xp: Namespace, a: Array, b: Array) -> Array:
    """Without the copies that NumPy's function makes of both: two thirds of the time."""
    (a0, a1, a2), (b0, b1, b2) = ([x[..., i] for i in range(3)] for x in (a, b))
    return xp.stack([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0], -1)


CROSS: Row = op(
    "Cross",
    _cross_kernel,
    vjp=(lambda g, y, a, b: cross(b, g), lambda g, y, a, b: cross(g, a)),
    shape=lambda a, b: a,
    linear=(0, 1),
    batch=in_front("Cross"),
    saves="x",
)


@deferrable
def cross(a: TensorLike, b: TensorLike, name: str | None = None) -> Tensor:
    """The cross product of vectors of three elements, along the last axis.

    >>> tf.linalg.cross([1, 0, 0], [0, 1, 0]).numpy().tolist()
    [0, 0, 1]
    """
    x, y = convert_alike("Cross", a, b)
    if shapes_differ(dims(x), dims(y)):
        raise InvalidArgumentError(
            f"Both inputs must be of same shape: {shape_text(dims(x))} vs. {shape_text(dims(y))} [Op:Cross]"
        )
    if not dims(x) or dims(x)[-1] != 3:
        raise FailedPreconditionError(
            f"Cross-products are only defined for 3-element vectors. [Op:Cross] The shape is "
            f"{shape_text(dims(x))}."
        )
    result: Tensor = apply(CROSS, (x, y))
    return result


def conjugate_rule(rule: Callable[..., Any]) -> Callable[..., Any]:
    """Convert a rule for conjugated cotangents, with adjoints in place of transposes.

    That is the convention of the literature.
    """

    def plain(g: Any, y: Any, *xs: TensorOrDims, **attrs: Any) -> Tensor:
        given = [None if p is None else conj(p) for p in g] if isinstance(g, list) else conj(g)
        return conj(rule(given, y, *xs, **attrs))

    return plain


def singular_values(a: Array, **how: Any) -> Any:
    """np.linalg.svd; NaN for each matrix that is not finite, and for no other one."""
    sound = np.isfinite(a).all((-2, -1))
    if sound.all():
        return numpy_linalg().svd(a, **how)
    found = numpy_linalg().svd(np.where(sound[..., None, None], a, 0), **how)
    for part in found if isinstance(found, tuple) else [found]:
        part[~sound] = np.nan
    return found
