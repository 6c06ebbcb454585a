"""What users' functions make of elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from wengert.data.elements import (
    Layout,
    common_spec,
    is_structure,
    mapped,
    normal,
    parts_of,
    spec_of_value,
)
from wengert.data.methods.made import function_of, number, of_pipeline, transformed, truth_of
from wengert.data.stages import functions as stages
from wengert.data.stages.background import AUTOTUNE
from wengert.data.stages.batches import of_elements
from wengert.ops.arrays.gathering import gather
from wengert.ops.arrays.joining import stack
from wengert.ops.control.asserts import assert_less
from wengert.ops.math import comparison
from wengert.ops.math.elementwise import cast
from wengert.ops.reductions.reductions import reduce_sum
from wengert.values import nest
from wengert.values.convert import convert
from wengert.values.dtypes import int64
from wengert.values.shapes import TensorShape
from wengert.values.type_spec import TensorSpec


def map_(
    self: Any,
    map_func: Callable[..., Any],
    num_parallel_calls: Any = None,
    deterministic: bool | None = None,
    synchronous: bool | None = None,
    use_unbounded_threadpool: bool = False,
    name: str | None = None,
) -> Any:
    """What a function makes of each element. The function is traced, as by `tf.function`.

    With `num_parallel_calls` several calls run at a time, if they spend their time waiting.

    >>> list(tf.data.Dataset.range(3).map(lambda x: x * x).as_numpy_iterator())
    [np.int64(0), np.int64(1), np.int64(4)]
    """
    if synchronous and num_parallel_calls is not None:
        raise ValueError(
            "`synchronous` is not supported with `num_parallel_calls`, but `num_parallel_calls` was "
            f"set to {num_parallel_calls}."
        )
    function = function_of(map_func, self.element_spec, of="Dataset.map()")
    workers = 1 if num_parallel_calls is None else int(num_parallel_calls)
    if workers < 1 and workers != AUTOTUNE:
        raise ValueError(f"num_parallel_calls must be greater than zero, got {workers}.")
    kind = "Map" if num_parallel_calls is None else "ParallelMap"
    attrs = {"function": function, "workers": workers}
    return transformed([self], stages.map_, function.spec, kind, function.inputs, **attrs)


def filter_(self: Any, predicate: Callable[..., Any], name: str | None = None) -> Any:
    """The elements of which a function is true.

    >>> list(tf.data.Dataset.range(4).filter(lambda x: x % 2 == 1).as_numpy_iterator())
    [np.int64(1), np.int64(3)]
    """
    function = truth_of(predicate, self.element_spec, "Dataset.filter()")
    spec = self.element_spec
    return transformed([self], stages.filter_, spec, "Filter", function.inputs, function=function)


def take_while(self: Any, predicate: Callable[..., Any], name: str | None = None) -> Any:
    """The elements before the first of which a function is false.

    >>> list(tf.data.Dataset.range(9).take_while(lambda x: x < 2).as_numpy_iterator())
    [np.int64(0), np.int64(1)]
    """
    function = truth_of(predicate, self.element_spec, "Dataset.take_while()")
    spec = self.element_spec
    return transformed(
        [self], stages.take_while, spec, "TakeWhile", function.inputs, function=function
    )


def scan(
    self: Any, initial_state: Any, scan_func: Callable[..., Any], name: str | None = None
) -> Any:
    """What a function makes of each element and a state, which it gives on.

    >>> sums = tf.data.Dataset.range(4).scan(
    ...     tf.constant(0, tf.int64), lambda total, x: (total + x, total + x))
    >>> list(sums.as_numpy_iterator())
    [np.int64(0), np.int64(1), np.int64(3), np.int64(6)]
    """
    value = normal(initial_state)

    def pair(*found: Any) -> Any:
        returned = scan_func(*found)
        if not isinstance(returned, (tuple, list)) or len(returned) != 2:
            raise TypeError(
                f"`scan_func` must return a pair: the new state and the element, got {returned!r}."
            )
        return tuple(returned)

    layout, function = with_state(value, pair, self.element_spec, lambda spec: spec[0], "scan_func")
    return transformed(
        [self],
        stages.scan,
        function.spec[1],
        "Scan",
        [*parts_of(value), *function.inputs],
        state=layout,
        function=function,
    )


def with_state(
    value: Any,
    function: Callable[..., Any],
    spec: Any,
    state_of: Callable[[Any], Any],
    what: str,
) -> tuple[Layout, Any]:
    """A function of a state and an element, traced for a state whose shapes it may change."""
    state = spec_of_value(value)
    while True:
        traced = function_of(function, state, spec, of=f"{what} of a dataset")
        found = state_of(traced.spec)
        try:
            wider = common_spec(state, found, f"The state that `{what}` returns")
        except TypeError as error:
            raise TypeError(
                f"Invalid `{what}`: the types of the state it returns must match the initial state. "
                f"Expected {state} but got {found}."
            ) from error
        if wider == state:
            return Layout(state), traced
        state = wider


# ---- functions that return datasets -------------------------------------------------------------


def flat_map(self: Any, map_func: Callable[..., Any], name: str | None = None) -> Any:
    """The elements of the datasets that a function makes of the elements, one after the other.

    >>> dataset = tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4]])
    >>> list(dataset.flat_map(tf.data.Dataset.from_tensor_slices).as_numpy_iterator())
    [np.int32(1), np.int32(2), np.int32(3), np.int32(4)]
    """
    function = _of_datasets(map_func, self.element_spec, of="Dataset.flat_map()")
    return transformed(
        [self],
        stages.flat_map,
        function.spec.element_spec,
        "FlatMap",
        function.inputs,
        function=function,
    )


def interleave(
    self: Any,
    map_func: Callable[..., Any],
    cycle_length: Any = None,
    block_length: Any = None,
    num_parallel_calls: Any = None,
    deterministic: bool | None = None,
    name: str | None = None,
) -> Any:
    """The elements of the datasets that a function makes of the elements, of several in turn.

    >>> dataset = tf.data.Dataset.range(1, 3).interleave(
    ...     lambda x: tf.data.Dataset.from_tensors(x).repeat(3), cycle_length=2, block_length=2)
    >>> [int(x) for x in dataset]
    [1, 1, 2, 2, 1, 2]
    """
    function = _of_datasets(map_func, self.element_spec, of="Dataset.interleave()")
    cycle = AUTOTUNE if cycle_length is None else cycle_length
    block = 1 if block_length is None else block_length
    inputs = [number(cycle, "cycle_length"), number(block, "block_length")]
    kind = "Interleave" if num_parallel_calls is None else "ParallelInterleave"
    return transformed(
        [self],
        stages.interleave,
        function.spec.element_spec,
        kind,
        [*inputs, *function.inputs],
        function=function,
    )


def _of_datasets(function: Callable[..., Any], *specs: Any, of: str) -> Any:
    found = function_of(function, *specs, of=of)
    if not hasattr(found.spec, "element_spec"):
        raise TypeError(
            f"The `map_func` argument must return a `Dataset` object. Got {found.spec!r}."
        )
    return found


def group_by_window(
    self: Any,
    key_func: Callable[..., Any],
    reduce_func: Callable[..., Any],
    window_size: Any = None,
    window_size_func: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Any:
    """Datasets that a function makes of windows of elements with one key.

    >>> parities = tf.data.Dataset.range(6).group_by_window(
    ...     key_func=lambda x: x % 2, reduce_func=lambda key, window: window.batch(3), window_size=3)
    >>> for window in parities:
    ...     print(window.numpy())
    [0 2 4]
    [1 3 5]
    """
    if (window_size is None) == (window_size_func is None):
        raise ValueError(
            "Either the `window_size` argument or the `window_size_func` argument must be specified."
        )
    size_of = (
        (lambda key: convert(window_size, int64))
        if window_size_func is None
        else (lambda key: cast(convert(window_size_func(key)), int64))
    )
    dataset_spec = self._type_spec
    key = function_of(key_func, self.element_spec)
    if not _is_index(key.spec):
        raise ValueError(
            "Invalid `key_func`. Expected `key_func` to return a scalar tf.int64 tensor, but got "
            f"{key.spec}."
        )
    size = function_of(size_of, TensorSpec([], int64))
    reduce = _of_datasets(
        reduce_func, (TensorSpec([], int64), dataset_spec), of="Dataset.group_by_window()"
    )
    return transformed(
        [self],
        stages.group_by_window,
        reduce.spec.element_spec,
        "GroupByWindow",
        [*key.inputs, *size.inputs, *reduce.inputs],
        key=key,
        size=size,
        reduce=reduce,
        of_group=lambda group: of_pipeline(of_elements(group), dataset_spec.element_spec),
    )


def _is_index(spec: Any) -> bool:
    return type(spec) is TensorSpec and spec.dtype is int64 and spec.shape.is_compatible_with([])


def group_by_reducer(self: Any, key_func: Callable[..., Any], reducer: Any) -> Any:
    """A result for each key of the elements: tf.data.experimental.group_by_reducer."""
    index = TensorSpec([], int64)
    key = function_of(lambda *x: cast(convert(key_func(*x)), int64), self.element_spec)
    init = function_of(reducer.init_func, index)
    reduce = function_of(reducer.reduce_func, init.spec, self.element_spec)
    finalize = function_of(reducer.finalize_func, init.spec)
    return transformed(
        [self],
        stages.group_by_reducer,
        finalize.spec,
        "GroupByReducer",
        [*key.inputs, *init.inputs, *reduce.inputs, *finalize.inputs],
        key=key,
        init=init,
        reduce=reduce,
        finalize=finalize,
    )


def bucket_by_sequence_length(
    self: Any,
    element_length_func: Callable[..., Any],
    bucket_boundaries: Sequence[int],
    bucket_batch_sizes: Sequence[int],
    padded_shapes: Any = None,
    padding_values: Any = None,
    pad_to_bucket_boundary: bool = False,
    no_padding: bool = False,
    drop_remainder: bool = False,
    name: str | None = None,
) -> Any:
    """Batches of elements of similar length, padded.

    >>> lists = [[0], [1, 2, 3, 4], [5, 6], [7, 8, 9]]
    >>> dataset = tf.data.Dataset.from_generator(lambda: lists, tf.int64, output_shapes=[None])
    >>> for batch in dataset.bucket_by_sequence_length(
    ...         element_length_func=lambda x: tf.shape(x)[0], bucket_boundaries=[3],
    ...         bucket_batch_sizes=[2, 2]):
    ...     print(batch.numpy().tolist())
    [[0, 0], [5, 6]]
    [[1, 2, 3, 4], [7, 8, 9, 0]]
    """
    if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
        raise ValueError(
            "`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but "
            f"`len(bucket_batch_sizes)={len(bucket_batch_sizes)}` and "
            f"`len(bucket_boundaries)={len(bucket_boundaries)}`."
        )
    sizes = convert(list(bucket_batch_sizes), int64)
    largest = np.iinfo(np.int32).max
    lower = convert([np.iinfo(np.int32).min, *bucket_boundaries], int64)
    upper = convert([*bucket_boundaries, largest], int64)

    def bucket_of(*element: Any) -> Any:
        length = cast(convert(element_length_func(*element)), int64)
        inside = comparison.less_equal(lower, length) & comparison.less(length, upper)
        return reduce_sum(cast(inside, int64) * convert(list(range(len(sizes))), int64))

    def batched(bucket: Any, window: Any) -> Any:
        size = gather(sizes, bucket)
        if no_padding:
            return window.batch(size, drop_remainder=drop_remainder)
        shapes = padded_shapes
        if shapes is None:
            shapes = _shapes_of(window.element_spec)
        if pad_to_bucket_boundary:
            assert_less(bucket, convert(len(bucket_boundaries), int64), (
                "When pad_to_bucket_boundary=True, elements must have length < "
                f"max(bucket_boundaries), which is {max(bucket_boundaries)}."
            ))  # fmt: skip
            shapes = _bounded(shapes, gather(upper, bucket) - 1)
        return window.padded_batch(size, shapes, padding_values, drop_remainder=drop_remainder)

    return group_by_window(
        self, bucket_of, batched, window_size_func=lambda bucket: gather(sizes, bucket)
    )


def _shapes_of(spec: Any) -> Any:
    return mapped(lambda s: s.shape, spec)


def _bounded(shapes: Any, bound: Any) -> Any:
    """Shapes whose unknown sizes are those of a bucket."""
    if isinstance(shapes, (TensorShape, list)):
        sizes = list(TensorShape(shapes))
        return (
            stack([bound if n is None else convert(n, int64) for n in sizes]) if sizes else shapes
        )
    if is_structure(shapes):
        return nest.map_parts(lambda part: _bounded(part, bound), shapes)
    return shapes
