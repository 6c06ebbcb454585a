"""Several elements as one, and one as several."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from wengert.data.elements import Element, Layout
from wengert.data.pipeline import INFINITE, UNKNOWN, Pipeline, flattened, resumed, stage
from wengert.errors import DataLossError, InvalidArgumentError

Group = list[Element]


def _size_of(value: Any) -> int:
    size = int(value)
    if size < 1:
        raise InvalidArgumentError("Batch size must be greater than zero.")
    return size


def _groups(source: Pipeline, size: int, drops: bool) -> Iterator[Group]:
    """The elements in groups of a size; the last may be smaller."""
    elements = iter(source)

    def group() -> Group:
        found = list(itertools.islice(elements, size))
        return [] if drops and len(found) < size else found

    return iter(group, [])


def _number_of_groups(count: int, size: int, drops: bool) -> int:
    if count < 0:
        return count
    return count // size if drops else -(-count // size)


def _in_groups(
    source: Pipeline, size: Any, drops: Any, joined: Callable[[Group], Element]
) -> Pipeline:
    n, drop = _size_of(size), bool(drops)
    return Pipeline(
        lambda: map(joined, _groups(source, n, drop)),
        _number_of_groups(source.count, n, drop),
        [source],
    )


@stage("BatchDatasetV2")
def batch(source: Pipeline, size: Any, drops: Any, *, layout: Layout) -> Pipeline:
    return _in_groups(source, size, drops, layout.stacked)


# ---- elements of several shapes -----------------------------------------------------------------


@stage("PaddedBatchDatasetV2")
def padded_batch(
    source: Pipeline, size: Any, drops: Any, *rest: Any, layout: Layout, count: int
) -> Pipeline:
    shapes = [[int(n) for n in shape] for shape in rest[:count]]
    values = rest[count:]

    def joined(group: Group) -> Element:
        columns = zip(*group, strict=True)
        rows = zip(columns, shapes, values, strict=True)
        return tuple([_padded(at, *row) for at, row in enumerate(rows)])

    return _in_groups(source, size, drops, joined)


def _padded(component: int, column: Sequence[Any], wanted: Sequence[int], value: Any) -> Any:
    arrays = [np.asarray(slot, object) if isinstance(slot, bytes) else slot for slot in column]
    for array in arrays:
        if len(array.shape) != len(wanted):
            raise InvalidArgumentError(
                "All elements in a batch must have the same rank as the padded shape for component"
                f"{component}: expected rank {len(wanted)} but got element with rank "
                f"{len(array.shape)} [Op:IteratorGetNext]"
            )
    largest = [max(sizes) for sizes in zip(*(a.shape for a in arrays), strict=True)]
    shape = [most if n < 0 else n for n, most in zip(wanted, largest, strict=True)]
    if any(most > n for n, most in zip(shape, largest, strict=True)):
        raise DataLossError(
            f"Attempted to pad to a smaller size than the input element: component {component} has "
            f"elements of up to {largest}, and is padded to {shape}. [Op:IteratorGetNext]"
        )
    dtype = arrays[0].dtype
    whole = np.full((len(arrays), *shape), value[()] if hasattr(value, "dtype") else value, dtype)
    for row, array in zip(whole, arrays, strict=True) if shape else ():
        row[tuple(slice(n) for n in array.shape)] = array
    if not shape:
        whole[:] = arrays
    return whole


@stage("RaggedBatchDataset")
def ragged_batch(
    source: Pipeline, size: Any, drops: Any, *, joined: Callable[[Group], Element]
) -> Pipeline:
    return _in_groups(source, size, drops, joined)


# ---- one element as several ---------------------------------------------------------------------


@stage("UnbatchDataset")
def unbatch(source: Pipeline, *, layout: Layout, known: int | None) -> Pipeline:
    def start() -> Iterator[Element]:
        return flattened(map(layout.rows, source))

    count = source.count * known if known and source.count >= 0 else UNKNOWN
    return Pipeline(start, INFINITE if source.count == INFINITE else count, [source])


@stage("RebatchDataset")
def rebatch(
    source: Pipeline, sizes: Any, drops: Any, *, layout: Layout, of_one: Layout
) -> Pipeline:
    wanted = [int(n) for n in np.reshape(sizes, -1)]

    def start() -> Iterator[Element]:
        rows = flattened(map(layout.rows, source))
        sizes = itertools.cycle(wanted)

        def step() -> Element:
            size = next(sizes)
            group = list(itertools.islice(rows, size))
            if len(group) < size and (drops or not group):
                raise StopIteration
            return of_one.stacked(group) if group else _empty_like(layout)

        return resumed(step)

    return Pipeline(start, UNKNOWN, [source])


def _empty_like(layout: Layout) -> Element:
    return tuple([np.empty((0, *list(s.shape)[1:]), s.dtype.numpy_dtype) for s in layout.parts])


@stage("WindowDataset")
def window(
    source: Pipeline, size: Any, shift: Any, stride: Any, drops: Any, *, made: Callable[..., Any]
) -> Pipeline:
    n, by, step = int(size), int(shift), int(stride)
    for what, value in (("size", n), ("shift", by), ("stride", step)):
        if value < 1:
            raise InvalidArgumentError(f"Window {what} must be greater than zero.")
    span = (n - 1) * step + 1

    def start() -> Iterator[Element]:
        elements = iter(source)
        held: list[Element] = []
        left_out = 0  # elements between two windows, which belong to none

        def next_window() -> Element:
            nonlocal left_out
            while left_out:
                next(elements)
                left_out -= 1
            held.extend(itertools.islice(elements, span - len(held)))
            if not held or (drops and len(held) < span):
                raise StopIteration
            found: Element = made(held[::step])
            left_out = max(by - span, 0)
            del held[:by]
            return found

        return resumed(next_window)

    known = source.count
    if known >= 0:
        last = known - span + 1 if drops else known
        known = max(-(-last // by), 0)
    return Pipeline(start, known, [source])


def of_elements(elements: Sequence[Element]) -> Pipeline:
    """A pipeline of elements that are there."""
    return Pipeline(lambda: iter(elements), len(elements))
