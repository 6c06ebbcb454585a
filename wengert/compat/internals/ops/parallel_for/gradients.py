"""tensorflow.python.ops.parallel_for.gradients: Jacobians in a graph."""

from __future__ import annotations

from typing import Any

from wengert import shape
from wengert.api.gradients.graph_gradients import gradients_of_each
from wengert.ops.arrays.joining import concat
from wengert.ops.arrays.shaping import reshape, transpose
from wengert.ops.reductions.reductions import reduce_sum
from wengert.values import nest


def jacobian(
    output: Any, inputs: Any, use_pfor: bool = True, parallel_iterations: int | None = None
) -> Any:
    """The derivatives of each element of the output with respect to each of the inputs."""
    rows = reshape(output, [-1])
    whole = [
        reshape(gradients_of_each(rows, x), concat([shape(output), shape(x)], 0))
        for x in nest.flatten(inputs)
    ]
    return nest.pack_sequence_as(inputs, whole)


def batch_jacobian(
    output: Any, inp: Any, use_pfor: bool = True, parallel_iterations: int | None = None
) -> Any:
    """The Jacobian of each example; examples must be independent of each other."""
    columns = reshape(output, [shape(output)[0], -1])
    # An example's output depends on its own input alone: the sum over examples loses nothing.
    stacked = gradients_of_each(reduce_sum(columns, 0), inp)
    by_example = transpose(stacked, [1, 0, *range(2, len(inp.shape) + 1)])
    return reshape(by_example, concat([shape(output), shape(inp)[1:]], 0))
