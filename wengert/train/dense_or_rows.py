"""The part of a variable that a gradient updates: all of it, or the rows of IndexedSlices.

An update is written once, as arithmetic on what `read` returns; `write` stores the result.
"""

from __future__ import annotations

from typing import Any

from wengert.ops.arrays.creation import size
from wengert.ops.arrays.gathering import gather, unsorted_segment_sum
from wengert.ops.arrays.variable_scatter import scatter
from wengert.ops.reductions.unique import unique
from wengert.state.variable import Variable
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.tensor import Tensor


class Whole:
    """All of a variable, and of its slots."""

    def __init__(self, gradient: Tensor) -> None:
        self.gradient = gradient

    def read(self, variable: Variable) -> Tensor:
        """The part of the value that the gradient is about."""
        return variable.read_value()

    def write(self, variable: Variable, value: Tensor) -> Any:
        """Put the part back."""
        return variable.assign(value, read_value=False)


class Rows:
    """The rows with a gradient, without duplicates. Other rows and their slots do not change."""

    def __init__(self, slices: IndexedSlices) -> None:
        self.slices = slices
        self.gradient = self.slices.values

    def read(self, variable: Variable) -> Tensor:
        """The part of the value that the gradient is about."""
        return gather(variable, self.slices.indices)

    def write(self, variable: Variable, value: Tensor) -> Any:
        """Put the part back."""
        return scatter(variable, "Update", self.slices.with_values(value), read_value=False)


Part = Whole | Rows


def part_of(gradient: Tensor | IndexedSlices) -> Part:
    """The part of a variable that a gradient updates: all of it, or rows."""
    return Rows(gradient) if isinstance(gradient, IndexedSlices) else Whole(gradient)


def merge_rows(slices: IndexedSlices) -> IndexedSlices:
    """The same gradient with unique indices: rows with the same index are added."""
    indices, place = unique(slices.indices)
    values = unsorted_segment_sum(slices.values, place, size(indices))
    return IndexedSlices(values, indices, slices.dense_shape)
