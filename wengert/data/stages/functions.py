"""What users' functions make of elements."""

from __future__ import annotations

import itertools
import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from wengert.data.elements import Element, Layout
from wengert.data.functions import Call, ElementFunction
from wengert.data.pipeline import INFINITE, UNKNOWN, Pipeline, stage
from wengert.data.stages.background import in_parallel
from wengert.errors import InvalidArgumentError


@stage("MapDataset")
def map_(source: Pipeline, *inputs: Any, function: ElementFunction, workers: int) -> Pipeline:
    call = function.call(inputs)
    if workers == 1:
        return Pipeline(lambda: map(call, source), source.count, [source], functions=[function])
    return Pipeline(
        lambda: in_parallel(call, source, workers), source.count, [source], functions=[function]
    )


@stage("FilterDataset")
def filter_(source: Pipeline, *inputs: Any, function: ElementFunction) -> Pipeline:
    call = function.call(inputs)
    known = 0 if source.count == 0 else UNKNOWN
    return Pipeline(
        lambda: filter(lambda e: bool(call(e)[0]), source), known, [source], functions=[function]
    )


@stage("TakeWhileDataset")
def take_while(source: Pipeline, *inputs: Any, function: ElementFunction) -> Pipeline:
    call = function.call(inputs)
    return Pipeline(
        lambda: itertools.takewhile(lambda e: bool(call(e)[0]), source),
        UNKNOWN,
        [source],
        functions=[function],
    )


@stage("ScanDataset")
def scan(source: Pipeline, *arrays: Any, state: Layout, function: ElementFunction) -> Pipeline:
    begin, call = _state_and_call(arrays, state, function)
    size = len(state.leaves)

    def start() -> Iterator[Element]:
        held = begin
        for element in source:
            found = call(held, element)
            held = found[:size]
            yield found[size:]

    return Pipeline(start, source.count, [source], functions=[function])


def reduced(
    source: Pipeline, arrays: Sequence[Any], state: Layout, function: ElementFunction
) -> Element:
    """The state after all elements."""
    held, call = _state_and_call(arrays, state, function)
    for element in source:
        held = call(held, element)
    return held


def _state_and_call(
    arrays: Sequence[Any], state: Layout, function: ElementFunction
) -> tuple[Element, Call]:
    n = len(state.parts)
    return state.from_arrays(arrays[:n]), function.call(arrays[n:])


# ---- functions that return datasets -------------------------------------------------------------


def _pipeline_of(element: Element) -> Pipeline:
    pipeline: Pipeline = element[0]._variant_tensor._array
    return pipeline


@stage("FlatMapDataset")
def flat_map(source: Pipeline, *inputs: Any, function: ElementFunction) -> Pipeline:
    call = function.call(inputs)
    known = 0 if source.count == 0 else UNKNOWN
    return Pipeline(
        lambda: itertools.chain.from_iterable(_pipeline_of(call(e)) for e in source),
        known,
        [source],
        functions=[function],
    )


@stage("InterleaveDataset")
def interleave(
    source: Pipeline, cycle: Any, block: Any, *inputs: Any, function: ElementFunction
) -> Pipeline:
    call = function.call(inputs)
    slots, length = int(cycle), int(block)
    if slots == INFINITE:
        slots = os.cpu_count() or 1
    if slots < 1:
        raise InvalidArgumentError("`cycle_length` must be > 0")
    if length < 1:
        raise InvalidArgumentError("`block_length` must be > 0")

    def start() -> Iterator[Element]:
        return _interleaved((iter(_pipeline_of(call(e))) for e in source), slots, length)

    known = 0 if source.count == 0 else UNKNOWN
    count = INFINITE if source.count == INFINITE else known
    return Pipeline(start, count, [source], functions=[function])


def _interleaved(inputs: Iterator[Iterator[Element]], slots: int, length: int) -> Iterator[Element]:
    """Blocks of elements of several inputs in turn; an input that ends makes room for the next."""
    open_: list[Iterator[Element] | None] = [None] * slots
    more, at, given = True, 0, 0
    while more or any(i is not None for i in open_):
        current = open_[at]
        if current is None and more:
            current = open_[at] = next(inputs, None)
            more = current is not None
        if current is not None:
            for element in current:
                yield element
                given += 1
                break
            else:
                open_[at] = None
                at, given = (at + 1) % slots, 0
                continue
            if given < length:
                continue
        at, given = (at + 1) % slots, 0


@stage("GroupByWindowDataset")
def group_by_window(
    source: Pipeline,
    *inputs: Any,
    key: ElementFunction,
    size: ElementFunction,
    reduce: ElementFunction,
    of_group: Any,
) -> Pipeline:
    key_of, size_of, reduced_to = _calls(inputs, [key, size, reduce])

    def finished(k: int, group: list[Element]) -> Iterator[Element]:
        return iter(_pipeline_of(reduced_to((np.int64(k), of_group(group)))))

    def start() -> Iterator[Element]:
        groups: dict[int, list[Element]] = defaultdict(list)
        sizes: dict[int, int] = {}
        for element in source:
            k = int(key_of(element)[0])
            group = groups[k]
            if not group:
                sizes[k] = int(size_of((np.int64(k),))[0])
                if sizes[k] <= 0:
                    raise InvalidArgumentError(
                        f"Window size must be greater than zero, but got {sizes[k]}. "
                        "[Op:IteratorGetNext]"
                    )
            group.append(element)
            if len(group) == sizes[k]:
                yield from finished(k, groups.pop(k))
        for k in sorted(groups):
            yield from finished(k, groups[k])

    return Pipeline(start, UNKNOWN, [source], functions=[key, size, reduce])


def _calls(inputs: Sequence[Any], functions: Sequence[ElementFunction]) -> list[Call]:
    rest = iter(inputs)
    return [f.call([next(rest) for _ in f.inputs]) for f in functions]


@stage("GroupByReducerDataset")
def group_by_reducer(
    source: Pipeline,
    *inputs: Any,
    key: ElementFunction,
    init: ElementFunction,
    reduce: ElementFunction,
    finalize: ElementFunction,
) -> Pipeline:
    key_of, first, next_, last = _calls(inputs, [key, init, reduce, finalize])

    def start() -> Iterator[Element]:
        states: dict[int, Element] = {}
        for element in source:
            k = int(key_of(element)[0])
            if k not in states:
                states[k] = first((np.int64(k),))
            states[k] = next_(states[k], element)
        for k in sorted(states):
            yield last(states[k])

    return Pipeline(start, UNKNOWN, [source], functions=[key, init, reduce, finalize])
