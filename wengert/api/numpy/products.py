"""Products of vectors and matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wengert.api.numpy.promotion import promoted
from wengert.api.numpy.shapes import moveaxis
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays import joining, shaping
from wengert.ops.linalg import matmul as products
from wengert.ops.math.complex import conj
from wengert.ops.math.elementwise import zeros_like
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.api.numpy.promotion import Numeric


@deferrable
def matmul(x1: Numeric, x2: Numeric) -> Tensor:
    """The matrix product; vectors count as a row on the left, as a column on the right.

    >>> tf.experimental.numpy.matmul([[1, 2], [3, 4]], [1, 1]).numpy()
    array([3, 7])
    """
    a, b = promoted(x1, x2)
    for i, tensor in enumerate((a, b)):
        if not dims(tensor):
            raise ValueError(
                f"matmul: Input operand {i} does not have enough dimensions: "
                "it is a scalar. Use multiply."
            )
    return products.product(a, b)


@deferrable
def dot(a: Numeric, b: Numeric) -> Tensor:
    """The sum of products over the last axis of a and the last but one of b.

    >>> tf.experimental.numpy.dot([1, 2], [3, 4]).numpy()
    np.int64(11)
    """
    x, y = promoted(a, b)
    if not dims(x) or not dims(y):
        return x * y
    if len(dims(x)) <= 2 and len(dims(y)) <= 2:
        return products.product(x, y)
    return products.tensordot(x, y, [[-1 + len(dims(x))], [max(len(dims(y)) - 2, 0)]])


@deferrable
def inner(a: Numeric, b: Numeric) -> Tensor:
    """The sum of products over the last axes of both.

    >>> tf.experimental.numpy.inner([1, 2], [3, 4]).numpy()
    np.int64(11)
    """
    x, y = promoted(a, b)
    if not dims(x) or not dims(y):
        return x * y
    return products.tensordot(x, y, [[len(dims(x)) - 1], [len(dims(y)) - 1]])


@deferrable
def outer(a: Numeric, b: Numeric) -> Tensor:
    """All products of an element of a and one of b.

    >>> tf.experimental.numpy.outer([1, 2], [3, 4]).numpy().tolist()
    [[3, 4], [6, 8]]
    """
    x, y = promoted(a, b)
    return shaping.reshape(x, (-1, 1)) * shaping.reshape(y, (1, -1))


@deferrable
def vdot(a: Numeric, b: Numeric) -> Tensor:
    """The sum of products of all elements, of a conjugated.

    >>> tf.experimental.numpy.vdot([1j], [1j]).numpy()
    np.complex128(1+0j)
    """
    x, y = promoted(a, b)
    return products.tensordot(conj(shaping.reshape(x, (-1,))), shaping.reshape(y, (-1,)), 1)


@deferrable
def tensordot(a: Numeric, b: Numeric, axes: Any = 2) -> Tensor:
    """The sum of products over some axes of each.

    >>> tf.experimental.numpy.tensordot([[1, 2]], [[3], [4]], 1).numpy().tolist()
    [[11]]
    """
    x, y = promoted(a, b)
    return products.tensordot(x, y, axes)


@deferrable
def einsum(subscripts: str, *operands: Numeric, **kwargs: Any) -> Tensor:
    """Einstein's summation: products, summed over the axes that the result does not name.

    >>> tf.experimental.numpy.einsum("ij->i", [[1, 2], [3, 4]]).numpy()
    array([3, 7])
    """
    if kwargs.pop("casting", "safe") != "safe":
        raise ValueError("Argument 'casting' must be 'safe': operands are only promoted.")
    optimize = kwargs.pop("optimize", False)
    kwargs["optimize"] = "greedy" if optimize is True else optimize or "auto"
    return products.einsum(subscripts, *promoted(*operands), **kwargs)


@deferrable
def kron(a: Numeric, b: Numeric) -> Tensor:
    """Kronecker's product: b, times each element of a.

    >>> tf.experimental.numpy.kron([1, 10], [1, 2]).numpy()
    array([ 1,  2, 10, 20])
    """
    x, y = promoted(a, b)
    rank = max(len(dims(x)), len(dims(y)))
    x, y = (shaping.reshape(t, [1] * (rank - len(dims(t))) + list(dims(t))) for t in (x, y))
    wide = shaping.reshape(x, [s for size in dims(x) for s in (size, 1)])
    found = wide * shaping.reshape(y, [s for size in dims(y) for s in (1, size)])
    return shaping.reshape(found, [m * n for m, n in zip(dims(x), dims(y), strict=True)])


@deferrable
def cross(
    a: Numeric,
    b: Numeric,
    axisa: int = -1,
    axisb: int = -1,
    axisc: int = -1,
    axis: int | None = None,
) -> Tensor:
    """The vector that is at right angles to two, in space; of two in the plane, its height.

    >>> tf.experimental.numpy.cross([1, 0, 0], [0, 1, 0]).numpy()
    array([0, 0, 1])
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    x, y = promoted(a, b)
    x, y = moveaxis(x, axisa, -1), moveaxis(y, axisb, -1)
    for tensor in (x, y):
        if dims(tensor)[-1] not in (2, 3):
            raise ValueError("Incompatible dimensions for cross product: must be 2 or 3.")
    u, v = _coordinates(x), _coordinates(y)
    if dims(x)[-1] == dims(y)[-1] == 2:
        return u[0] * v[1] - u[1] * v[0]
    parts = [u[i - 2] * v[i - 1] - u[i - 1] * v[i - 2] for i in range(3)]
    return moveaxis(joining.stack(parts, -1), -1, axisc)


def _coordinates(x: Tensor) -> list[Tensor]:
    found = [x[..., i] for i in range(dims(x)[-1])]
    return found if len(found) == 3 else [*found, zeros_like(found[0])]
