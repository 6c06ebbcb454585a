"""Calls in vectorized functions that need a number which differs between the examples of a batch.

tf.roll by a shift, tf.pad by a width, x[i:j:2]: what takes numbers, and not tensors of them, is called
for one example after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from wengert.core.batch import Batched, Batcher
from wengert.core.context import thread
from wengert.core.layer import beneath_layers
from wengert.errors import LeakedTensorError, SymbolicValueError
from wengert.values import nest
from wengert.values.bound_ops import bound
from wengert.values.tensor import dims


def for_each(function: Callable[..., Any], args: Any, kwargs: Any, error: LeakedTensorError) -> Any:
    """The results of a call for all examples; the error where it is another one's.

    Where a tape in the vectorized function would miss it, or a graph has loops, all of the function is
    to run for one example after the other.
    """
    batcher = beneath_layers(thread.context.interpreter)
    if not isinstance(batcher, Batcher):
        raise error
    held: list[Any] = []
    others: list[Any] = []
    _with_examples((args, kwargs), lambda x: (held if batcher.holds(x) else others).append(x))
    if not held and not others:
        raise error
    in_graph = batcher.outer is not None and batcher.outer.building is not None
    if in_graph or thread.context.recorders:
        raise SymbolicValueError(str(error)) from error
    with batcher.outside():
        if not held:  # the number is one of a batch around this one
            return function(*args, **kwargs)
        whole = [_with_parts((args, kwargs), batcher, row) for row in _rows(held, batcher.size)]
        found = [function(*one_args, **one_kwargs) for one_args, one_kwargs in whole]
        columns = zip(*map(nest.flatten, found), strict=True)
        fulls = [_stacked(column, function) for column in columns]
        if not batcher.size:
            fulls = [bound.blank(y, (0, *dims(y)[1:])) for y in fulls]
    return nest.pack_sequence_as(found[0], [batcher.lift(full) for full in fulls])


def _rows(held: Sequence[Any], size: int) -> list[Any]:
    """The values of each example; of none, those of one of zeros, which shows what a result is like."""
    if not size:
        return [[bound.blank(x, dims(x)) for x in held]]
    return list(zip(*[bound.part_examples(x._full, size) for x in held], strict=True))


def _with_parts(value: Any, batcher: Batcher, row: Sequence[Any]) -> Any:
    """Arguments with those of one example."""
    parts = iter(row)
    return _with_examples(value, lambda x: next(parts) if batcher.holds(x) else x)


def _with_examples(value: Any, example: Callable[[Any], Any]) -> Any:
    """Arguments with something else in place of what stands for an example of a batch."""
    if type(value) is Batched:
        return example(value)
    if isinstance(value, slice):
        bounds = (value.start, value.stop, value.step)
        return slice(*[_with_examples(n, example) for n in bounds])
    if nest.is_nested(value) and len(value):
        return nest.map_parts(lambda part: _with_examples(part, example), value)
    return value


def _stacked(column: Sequence[Any], function: Callable[..., Any]) -> Any:
    shapes = list({tuple(dims(x)): x for x in column})
    if len(shapes) > 1:
        name = getattr(function, "__name__", "the function")
        raise TypeError(
            f"{name} has results of other shapes for other examples of a batch, such as {list(shapes[0])} "
            f"and {list(shapes[1])}: tf.map_fn can give them as ragged tensors."
        )
    return bound.join_examples(list(column))
