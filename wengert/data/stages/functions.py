"""What users' functions make of elements."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from wengert.data.elements import Element, Layout
from wengert.data.functions import Call, ElementFunction
from wengert.data.pipeline import INFINITE, UNKNOWN, Pipeline, flattened, resumed, stage
from wengert.data.stages.background import InParallel
from wengert.errors import InvalidArgumentError, OpError, OutOfRangeError


@stage("MapDataset")
def map_(source: Pipeline, *inputs: Any, function: ElementFunction, workers: int) -> Pipeline:
    call = function.call(inputs, InvalidArgumentError)
    if workers == 1:
        return Pipeline(lambda: map(call, source), source.count, [source], functions=[function])
    return Pipeline(
        lambda: InParallel(call, source, workers), source.count, [source], functions=[function]
    )


@stage("FilterDataset")
def filter_(source: Pipeline, *inputs: Any, function: ElementFunction) -> Pipeline:
    call = function.call(inputs)
    return Pipeline(
        lambda: filter(lambda e: bool(call(e)[0]), source), UNKNOWN, [source], functions=[function]
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
    begin, call = _state_and_call(arrays, state, function, InvalidArgumentError)
    size = len(state.leaves)

    def start() -> Iterator[Element]:
        held = begin
        elements = iter(source)

        def step() -> Element:
            nonlocal held
            found = call(held, next(elements))
            held = found[:size]
            return found[size:]

        return resumed(step)

    return Pipeline(start, source.count, [source], functions=[function])


def reduced(
    source: Pipeline, arrays: Sequence[Any], state: Layout, function: ElementFunction
) -> Element:
    """The state after all elements."""
    held, call = _state_and_call(arrays, state, function, OutOfRangeError)
    for element in source:
        held = call(held, element)
    return held


def _state_and_call(
    arrays: Sequence[Any], state: Layout, function: ElementFunction, ended: type[OpError]
) -> tuple[Element, Call]:
    n = len(state.parts)
    return state.from_arrays(arrays[:n]), function.call(arrays[n:], ended)


# ---- functions that return datasets -------------------------------------------------------------


def _pipeline_of(element: Element) -> Pipeline:
    pipeline: Pipeline = element[0]._variant_tensor._array
    return pipeline


@stage("FlatMapDataset")
def flat_map(source: Pipeline, *inputs: Any, function: ElementFunction) -> Pipeline:
    call = function.call(inputs)

    def pipeline_for(element: Element) -> Pipeline:
        return _pipeline_of(call(element))

    return Pipeline(
        lambda: flattened(map(pipeline_for, source)),
        UNKNOWN,
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

    def elements_for(element: Element) -> Iterator[Element]:
        return iter(_pipeline_of(call(element)))

    def start() -> Iterator[Element]:
        return _interleaved(map(elements_for, source), slots, length)

    return Pipeline(start, UNKNOWN, [source], functions=[function])


def _interleaved(inputs: Iterator[Iterator[Element]], slots: int, length: int) -> Iterator[Element]:
    """Blocks of elements of several inputs in turn; an input that ends makes room for the next."""
    open_: list[Iterator[Element] | None] = [None] * slots
    more, at, given = True, 0, 0

    def step() -> Element:
        nonlocal more, at, given
        while more or any(i is not None for i in open_):
            if given == length:
                at, given = (at + 1) % slots, 0
            if open_[at] is None and more:
                open_[at] = next(inputs, None)
                more = open_[at] is not None
            for element in open_[at] or ():
                given += 1
                return element
            open_[at], given = None, length
        raise StopIteration

    return resumed(step)


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

    def size_for(k: int) -> int:
        found = int(size_of((np.int64(k),))[0])
        if found <= 0:
            raise InvalidArgumentError(
                f"Window size must be greater than zero, but got {found}. [Op:IteratorGetNext]"
            )
        return found

    def start() -> Iterator[Element]:
        groups: dict[int, list[Element]] = {}
        sizes: dict[int, int] = {}
        elements = iter(source)

        def window() -> Iterator[Element]:
            for element in elements:
                k = int(key_of(element)[0])
                if k not in groups:
                    sizes[k] = size_for(k)
                    groups[k] = []
                groups[k].append(element)
                if len(groups[k]) == sizes[k]:
                    return finished(k, groups.pop(k))
            if not groups:
                raise StopIteration
            k = min(groups)
            return finished(k, groups.pop(k))

        return flattened(iter(window, None))

    count = INFINITE if source.count == INFINITE else UNKNOWN
    return Pipeline(start, count, [source], functions=[key, size, reduce])


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
