"""tensorflow.python.ops.parallel_for.gradients: Jacobians in a graph."""

from __future__ import annotations

from typing import Any

from wengert import shape, size
from wengert.api.gradients import gradients
from wengert.core import nest
from wengert.ops.creation import range_
from wengert.ops.elementwise import zeros_like
from wengert.ops.gathering import gather
from wengert.ops.joining import concat
from wengert.ops.mapping import map_fn
from wengert.ops.shaping import reshape, transpose


def jacobian(
    output: Any, inputs: Any, use_pfor: bool = True, parallel_iterations: int | None = None
) -> Any:
    """The derivatives of each element of the output, by each of the inputs."""
    flat, rows = nest.flatten(inputs), reshape(output, [-1])

    def row(i: Any) -> list[Any]:
        found = gradients(gather(rows, i), flat)
        return [zeros_like(x) if g is None else g for g, x in zip(found, flat, strict=True)]

    stacked = map_fn(row, range_(size(rows)), dtype=[x.dtype for x in flat])
    whole = [
        reshape(s, concat([shape(output), shape(x)], 0)) for s, x in zip(stacked, flat, strict=True)
    ]
    return nest.pack_sequence_as(inputs, whole)


def batch_jacobian(
    output: Any, inp: Any, use_pfor: bool = True, parallel_iterations: int | None = None
) -> Any:
    """The Jacobian of each example; examples do not depend on one another."""
    examples = shape(output)[0]
    columns = reshape(output, [examples, -1])

    def row(i: Any) -> Any:
        return gradients(gather(columns, i, axis=1), inp)[0]

    stacked = map_fn(row, range_(shape(columns)[1]), dtype=inp.dtype)
    by_example = reshape(stacked, concat([shape(columns)[1:], shape(inp)], 0))
    rank = len(inp.shape) + 1
    turned = transpose(by_example, [1, 0, *range(2, rank)])
    return reshape(turned, concat([shape(output), shape(inp)[1:]], 0))
