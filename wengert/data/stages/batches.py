"""Several elements as one, and one as several."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from wengert.data.elements import Element, Layout
from wengert.data.pipeline import UNKNOWN, Pipeline, stage
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
    while True:
        group = list(itertools.islice(elements, size))
        if not group or (drops and len(group) < size):
            return
        yield group


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
        return itertools.chain.from_iterable(map(layout.rows, source))

    count = source.count * known if known is not None and source.count >= 0 else UNKNOWN
    return Pipeline(start, source.count if source.count == -1 else count, [source])


@stage("RebatchDataset")
def rebatch(source: Pipeline, sizes: Any, drops: Any, *, layout: Layout) -> Pipeline:
    wanted = [int(n) for n in np.reshape(sizes, -1)]

    def start() -> Iterator[Element]:
        rows = itertools.chain.from_iterable(map(layout.rows, source))
        for size in itertools.cycle(wanted):
            group = list(itertools.islice(rows, size))
            if not group and size > 0:
                return
            if drops and len(group) < size:
                return
            yield layout.stacked(group) if group else _empty_like(layout)

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
        held = list(itertools.islice(elements, span))
        while held and not (drops and len(held) < span):
            yield made(held[::step])
            held = held[by:] if by < len(held) else held[len(held) :]
            if by > span:
                more = by - span
                if len(list(itertools.islice(elements, more))) < more:
                    return
            held += itertools.islice(elements, span - len(held))

    known = source.count
    if known >= 0:
        last = known - span + 1 if drops else known
        known = max(-(-last // by), 0)
    return Pipeline(start, known, [source])


def of_elements(elements: Sequence[Element]) -> Pipeline:
    """A pipeline of elements that are there."""
    return Pipeline(lambda: iter(elements), len(elements))
