"""Raw operations on arrays that have no public function: gradients, and forms of older versions."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert.errors import InvalidArgumentError
from wengert.ops.arrays.creation import range_, shape
from wengert.ops.arrays.gathering import unsorted_segment_sum
from wengert.ops.arrays.indexing import strided_slice
from wengert.ops.arrays.joining import concat, split
from wengert.ops.arrays.shaping import expand_dims, reshape, transpose
from wengert.ops.arrays.slicing import pad
from wengert.ops.arrays.slicing import reverse as reverse_axes
from wengert.ops.arrays.tensor_scatter import tensor_scatter_nd_sub, tensor_scatter_nd_update
from wengert.ops.linalg.diagonals import band_part, diag_part, set_diag
from wengert.ops.linalg.eigen import eigh
from wengert.ops.linalg.matmul import matmul
from wengert.ops.linalg.matrices import adjoint
from wengert.ops.linalg.triangular import triangular_solve
from wengert.ops.math.elementwise import cast
from wengert.ops.random.stateful import uniform
from wengert.ops.reductions.reductions import reduce_prod, reduce_sum
from wengert.ops.support.static_value import get_static_value
from wengert.values.convert import convert
from wengert.values.dtypes import int32, int64
from wengert.values.tensor import Tensor


def _numbered(size: Any) -> Tensor:
    """The places of an array, numbered."""
    return reshape(range_(reduce_prod(size)), size)


def _sums(dy: Any, places: Tensor, size: Any) -> Tensor:
    """The sum, at each place of an array, of the elements that were taken from it."""
    count = reduce_prod(size)
    return reshape(unsorted_segment_sum(reshape(dy, [-1]), reshape(places, [-1]), count), size)


def strided_slice_grad(
    shape: Any, begin: Any, end: Any, strides: Any, dy: Any, **masks: Any
) -> Tensor:
    """The gradient with respect to an array of such a shape, from that of a slice of it."""
    size, first, last, step = (convert(x) for x in (shape, begin, end, strides))
    for x in (first, last, step):
        if x.dtype is not size.dtype:
            raise TypeError(
                f"Indices of StridedSliceGrad must have one dtype: the shape is {size.dtype.name}, "
                f"an index is {x.dtype.name}."
            )
    return _sums(convert(dy), strided_slice(_numbered(size), first, last, step, **masks), size)


def mirror_pad_grad(input: Any, paddings: Any, mode: Any) -> Tensor:
    """The gradient with respect to an array, from that of the array with mirrored edges."""
    dy = convert(input)
    widths = cast(convert(paddings), int64)  # the sum of two may be beyond int32
    text = mode.decode() if isinstance(mode, bytes) else mode
    _check_mirrored(dy, get_static_value(widths), text == "REFLECT")
    size = shape(dy, int64) - reduce_sum(widths, 1)
    return _sums(dy, pad(_numbered(size), widths, text), size)


def _check_mirrored(dy: Tensor, paddings: Any, reflected: bool) -> None:
    """Check that what is known of the edges fits what they mirror."""
    if paddings is None or dy.shape.rank is None:
        return
    for have, (before, after) in zip(dy.shape.as_list(), paddings.tolist(), strict=True):
        if min(before, after) < 0:
            raise InvalidArgumentError(f"Paddings must be non-negative: {before}, {after}")
        if have is None:
            continue
        left = have - before - after
        if left < 0:
            raise InvalidArgumentError(
                "Total paddings must be less than the input dimension size: "
                f"{before + after} was not less than {have}"
            )
        if max(before, after) > left - reflected:
            than = "less than" if reflected else "no greater than"
            raise InvalidArgumentError(
                f"paddings must be {than} the output dimension size: {before}, {after}, {left}"
            )


def tile_grad(input: Any, multiples: Any) -> Tensor:
    """The sum of the copies of an array."""
    dy = convert(input)
    for axis, times in enumerate(np.asarray(multiples).tolist()):
        dy = sum(split(dy, times, axis)[1:], split(dy, times, axis)[0])
    return dy


def parallel_concat(values: Any, shape: Any) -> Tensor:
    """Rows put together."""
    return concat([convert(v) for v in values], 0)


def inplace_update(x: Any, i: Any, v: Any) -> Tensor:
    """An array with other rows."""
    return tensor_scatter_nd_update(x, expand_dims(convert(i), -1), v)


def inplace_sub(x: Any, i: Any, v: Any) -> Tensor:
    """An array, from rows of which others are subtracted."""
    return tensor_scatter_nd_sub(x, expand_dims(i, -1), v)


def cholesky_grad(l: Any, grad: Any) -> Tensor:  # noqa: E741
    """The gradient with respect to a matrix, from that of its Cholesky factor."""
    factor = convert(l)
    middle = band_part(matmul(factor, convert(grad), adjoint_a=True), -1, 0)
    middle = set_diag(middle, diag_part(middle) / 2)
    once = triangular_solve(factor, middle, adjoint=True)
    both = adjoint(triangular_solve(factor, adjoint(once), adjoint=True))
    return (both + adjoint(both)) / 2


def tridiagonal_mat_mul(superdiag: Any, maindiag: Any, subdiag: Any, rhs: Any) -> Tensor:
    """The product of a matrix with three diagonals, given as rows, and another."""
    above, main, below = (adjoint(convert(d)) for d in (superdiag, maindiag, subdiag))
    right = convert(rhs)
    edge = [[0, 0]] * (len(right.shape) - 2)
    lower = pad(right[..., :-1, :], [*edge, [1, 0], [0, 0]])
    upper = pad(right[..., 1:, :], [*edge, [0, 1], [0, 0]])
    return above * upper + main * right + below * lower


def shape_n(input: Any, out_type: Any = int32) -> list[Tensor]:
    """The shapes of several arrays."""
    return [shape(x, out_type) for x in input]


def conjugate_transpose(x: Any, perm: Any) -> Tensor:
    """An array with its axes in another order, and conjugated."""
    return transpose(x, perm, conjugate=True)


def reverse(tensor: Any, dims: Any) -> Tensor:
    """An array, reversed along the axes that are marked."""
    return reverse_axes(tensor, [i for i, marked in enumerate(np.asarray(dims)) if marked])


def random_integers(shape: Any, minval: Any, maxval: Any, seed: int) -> Tensor:
    """Integers, all alike, from one number up to another."""
    low = convert(minval)
    return uniform(shape, low, convert(maxval, low.dtype), low.dtype, seed)


def self_adjoint_eig(input: Any) -> Tensor:
    """The eigenvalues as first row, and the eigenvectors as columns below."""
    values, vectors = eigh(input)
    return concat([expand_dims(values, -2), vectors], -2)
