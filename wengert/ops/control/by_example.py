"""Batching of rules that trace graphs: once for each example."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from wengert.core.batch import Batcher
from wengert.core.context import thread
from wengert.core.layer import beneath_layers
from wengert.core.row import Attrs
from wengert.inference.list_elements import is_list
from wengert.values.bound_ops import bound
from wengert.values.tensor import dims

if TYPE_CHECKING:
    from wengert.values.tensor import Tensor


def by_example(joint: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
    """A joint rule that adds operations to a graph; in a batch it runs once for each example."""

    def rule(
        gs: Sequence[Tensor | None], ys: Sequence[Tensor], xs: Sequence[Tensor], attrs: Attrs
    ) -> list[Any]:
        batcher = beneath_layers(thread.context.interpreter)
        if not isinstance(batcher, Batcher):
            return joint(gs, ys, xs, attrs)
        if not batcher.size:
            return [
                batcher.lift(bound.blank(x, (0, *dims(x)))) if _is_dense(x) else None for x in xs
            ]
        return _for_each(batcher, joint, (gs, ys, xs), attrs)

    return rule


def derived_by_example(inline: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
    """The loop of a derivative again: where a graph is built, for each example of a batch.

    It goes through lists, which a graph does not have before it runs.
    """

    def again(inputs: Sequence[Any], attrs: Attrs) -> list[Any]:
        batcher = beneath_layers(thread.context.interpreter)
        outer = batcher.outer if isinstance(batcher, Batcher) else None
        if outer is None or outer.building is None:
            return inline(inputs, attrs)
        return _for_each(batcher, inline, (inputs,), attrs)

    return again


def _for_each(
    batcher: Batcher,
    function: Callable[..., list[Any]],
    arguments: Sequence[Sequence[Any]],
    attrs: Attrs,
) -> list[Any]:
    """What a function of lists of values gives for each example of a batch, joined."""
    with batcher.outside(*thread.context.recorders):
        columns = [_examples(values, batcher) for values in arguments]
        found = [function(*one, attrs) for one in zip(*columns, strict=True)]
        joined = [
            None if part[0] is None else bound.join_examples(list(part))
            for part in zip(*found, strict=True)
        ]
    return [None if y is None else batcher.lift(y) for y in joined]


def _is_dense(x: Tensor) -> bool:
    return x.dtype.is_differentiable and not is_list(x)


def _examples(values: Sequence[Any], batcher: Batcher) -> list[list[Any]]:
    """The values of each example of a batch."""
    columns = [
        bound.part_examples(v._full, batcher.size) if batcher.holds(v) else [v] * batcher.size
        for v in values
    ]
    return [list(row) for row in zip(*columns, strict=True)]
