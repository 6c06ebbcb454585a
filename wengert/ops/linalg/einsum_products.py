"""Einsums of two arrays that are matrix products.

Labels of both arrays are summed over, or count the products if the output has them, too; a label of one array
counts the rows or the columns. So both are seen as matrices, and the output, too. Who multiplies matrices that have
to be in order gets copies of those that are not.
"""

from __future__ import annotations

import functools
import itertools
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from wengert.ops.support.large_kernels import product_kernel
from wengert.values.shapes import Dims

if TYPE_CHECKING:
    from wengert.values.typing import Array


def terms_of(equation: str) -> tuple[list[str], str]:
    """The labels of each operand, and those of the output, which may be missing."""
    left, _, out = equation.partition("->")
    return left.split(","), out


class Matrices(NamedTuple):
    """How an array becomes several matrices: its axes, and their number, rows and columns."""

    several: tuple[int, ...]
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    shape: tuple[int, int, int]


class EinsumProduct(NamedTuple):
    """An einsum as a product, whose result has to be reshaped and transposed."""

    swapped: bool  # the second array is the left one
    left: Matrices
    right: Matrices
    out: Matrices
    shape: Dims
    order: tuple[int, ...]

    @property
    def work(self) -> int:
        """The number of multiplications."""
        return math.prod(self.left.shape) * self.right.shape[2]

    def operands(self, a: Array, b: Array) -> tuple[Array, Array]:
        """The matrices to multiply."""
        if self.swapped:
            a, b = b, a
        return _arranged(a, self.left), _arranged(b, self.right)

    def in_place(self, a: Array, b: Array) -> Array | None:
        """The result of the einsum, if all are matrices as they lie and a kernel multiplies them."""
        if self.swapped:
            a, b = b, a
        made = np.empty([self.shape[at] for at in self.order], a.dtype)
        seen = [_seen(x, to) for x, to in ((a, self.left), (b, self.right), (made, self.out))]
        if any(x is None for x in seen) or product_kernel(*seen) is None:
            return None
        return made

    def finished(self, product: Array) -> Array:
        """The result of the einsum."""
        return np.asarray(product.reshape(self.shape).transpose(self.order), order="C")


def _seen(x: Array, to: Matrices) -> Array | None:
    """The matrices of an array, without a copy."""
    if not all(_is_one_step(x, axes) for axes in (to.several, to.rows, to.columns)):
        return None
    return x.transpose(to.several + to.rows + to.columns).reshape(to.shape)


def _is_one_step(x: Array, axes: tuple[int, ...]) -> bool:
    """Whether the elements along several axes are equally far apart, so that they are one axis."""
    long = [axis for axis in axes if x.shape[axis] > 1]
    return all(x.strides[p] == x.strides[q] * x.shape[q] for p, q in itertools.pairwise(long))


def _arranged(x: Array, to: Matrices) -> Array:
    """The matrices of an array. They are transposed in memory if it lies so, or if that copies better."""
    count, rows, columns = to.shape
    plain = x.transpose(to.several + to.rows + to.columns)
    other = x.transpose(to.several + to.columns + to.rows)
    across = other.flags.c_contiguous or (
        not plain.flags.c_contiguous and bool(to.rows) and to.rows[-1] == x.ndim - 1
    )
    if across:
        return np.ascontiguousarray(other).reshape(count, columns, rows).swapaxes(1, 2)
    return np.ascontiguousarray(plain).reshape(count, rows, columns)


@functools.lru_cache(maxsize=256)
def as_product(equation: str, a: Dims, b: Dims) -> EinsumProduct | None:
    """The product that an einsum of arrays of these shapes is, if it is one."""
    (first, second), out = terms_of(equation)
    if any(len(set(term)) < len(term) for term in (first, second)):
        return None
    sizes = dict(zip(first, a, strict=True))
    if any(sizes.get(label, size) != size for label, size in zip(second, b, strict=True)):
        return None
    sizes.update(zip(second, b, strict=True))
    if any(label not in out for label in set(first) ^ set(second)):
        return None
    alone = [label for label in out if (label in first) != (label in second)]
    swapped = bool(alone) and alone[0] in second
    if swapped:
        first, second = second, first
    count = [label for label in out if label in first and label in second]
    summed = [label for label in first if label in second and label not in out]
    rows, columns = (
        [label for label in out if label in term and label not in count] for term in (first, second)
    )
    if any(math.prod(sizes[label] for label in group) < 2 for group in (rows, summed, columns)):
        return None  # NumPy's loops take no longer, and copy nothing
    made = [*count, *rows, *columns]

    def matrices(term: str, *groups: list[str]) -> Matrices:
        axes = [tuple(term.index(label) for label in group) for group in (count, *groups)]
        size = [math.prod(sizes[label] for label in group) for group in (count, *groups)]
        return Matrices(axes[0], axes[1], axes[2], (size[0], size[1], size[2]))

    return EinsumProduct(
        swapped,
        matrices(first, rows, summed),
        matrices(second, summed, columns),
        matrices(out, rows, columns),
        tuple(sizes[label] for label in made),
        tuple(made.index(label) for label in out),
    )
