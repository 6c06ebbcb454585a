"""Recurrent networks as loops of the graph: dynamic_rnn and bidirectional_dynamic_rnn."""

from __future__ import annotations

from typing import Any

from wengert.api.variables.variable_scope import variable_scope
from wengert.compat.v1.rnn.steps import (
    batch_size_of,
    cast_state_dtype,
    check_cell,
    initial_state_of,
    lengths_of,
    sizes_of,
    stepped,
    zero_outputs,
)
from wengert.ops.arrays.creation import shape as shape_of
from wengert.ops.arrays.shaping import transpose
from wengert.ops.arrays.slicing import reverse
from wengert.ops.control.tensor_array import TensorArray
from wengert.ops.control.while_loop import while_loop
from wengert.ops.reductions.sequences import reverse_sequence
from wengert.values import nest
from wengert.values.convert import convert
from wengert.values.shapes import TensorShape

NO_DTYPE = "If there is no initial_state, you must give a dtype."


def dynamic_rnn(
    cell: Any,
    inputs: Any,
    sequence_length: Any = None,
    initial_state: Any = None,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> tuple[Any, Any]:
    """The outputs of a cell at all times, and its last state.

    Inputs are [batch, time, ...], or [time, batch, ...] with `time_major`.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default():
    ...     cell = v1.nn.rnn_cell.GRUCell(3)
    ...     outputs, state = v1.nn.dynamic_rnn(cell, tf.ones([2, 5, 4]), dtype=tf.float32)
    ...     outputs.shape.as_list(), state.shape.as_list(), cell.variables[0].name
    ([2, 5, 3], [2, 3], 'rnn/gru_cell/gates/kernel:0')
    """
    check_cell("cell", cell)
    with variable_scope(scope or "rnn"):
        given = nest.map_structure(convert, inputs)
        by_time = given if time_major else nest.map_structure(batch_and_time_swapped, given)
        tensors = nest.flatten(by_time)
        _check_inputs(tensors)
        batch_size = batch_size_of(tensors, 1)
        lengths = lengths_of(sequence_length, batch_size)
        state = initial_state_of(cell, initial_state, batch_size, dtype, NO_DTYPE)
        outputs, state = _looped(cell, by_time, state, lengths, batch_size, dtype)
        if not time_major:
            outputs = nest.map_structure(batch_and_time_swapped, outputs)
        return outputs, state


def _check_inputs(tensors: list[Any]) -> None:
    for x in tensors:
        if x.shape.rank is not None and x.shape.rank < 2:
            raise ValueError(
                f"Expected input tensor {x} to have rank at least 2: time, batch and features; "
                f"its shape is {x.shape}."
            )
        if x.shape.rank is not None and None in x.shape.as_list()[2:]:
            raise ValueError(
                "Input size (depth of inputs) must be accessible via shape inference, but saw "
                f"value None in {x.shape}."
            )


def batch_and_time_swapped(x: Any) -> Any:
    """The first two axes exchanged."""
    value = convert(x)
    rank = value.shape.rank
    if rank is None:
        raise ValueError(
            f"The rank of {value} is not known. Say it with tf.ensure_shape: time, batch, features."
        )
    return value if rank < 2 else transpose(value, [1, 0, *range(2, rank)])


def _looped(
    cell: Any, inputs: Any, state: Any, lengths: Any, batch_size: Any, dtype: Any
) -> tuple[Any, Any]:
    tensors = nest.flatten(inputs)
    steps = tensors[0].shape[0] if tensors[0].shape[0] is not None else shape_of(tensors[0])[0]
    kind = cast_state_dtype(dtype, state)
    sources = [TensorArray(x.dtype, size=steps).unstack(x) for x in tensors]
    sizes = nest.flatten(sizes_of(cell))
    batch = batch_size if isinstance(batch_size, int) else None
    shapes = [TensorShape([batch]).concatenate(TensorShape(size)) for size in sizes]
    targets = [TensorArray(kind, size=steps, element_shape=shape) for shape in shapes]
    zero = zero_outputs(cell, batch_size, kind) if lengths is not None else None

    def body(time: Any, arrays: Any, now: Any) -> Any:
        x = nest.pack_sequence_as(inputs, [source.read(time) for source in sources])
        for part, whole in zip(nest.flatten(x), tensors, strict=True):
            part.set_shape(whole.shape[1:])
        output, after = stepped(cell, x, now, time, lengths, zero)
        found = nest.flatten(output)
        written = [a.write(time, y) for a, y in zip(arrays, found, strict=True)]
        return time + 1, written, after

    loop = while_loop(lambda time, *_: time < steps, body, (0, targets, state))
    outputs = [_stacked(array, steps, shape) for array, shape in zip(loop[1], shapes, strict=True)]
    return nest.pack_sequence_as(sizes_of(cell), outputs), loop[2]


def _stacked(array: TensorArray, steps: Any, shape: TensorShape) -> Any:
    whole = array.stack()
    known = steps if isinstance(steps, int) else None
    whole.set_shape(TensorShape([known]).concatenate(shape))
    return whole


def bidirectional_dynamic_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Any,
    sequence_length: Any = None,
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> tuple[Any, Any]:
    """Two networks: one reads the inputs from the first to the last, one from the last to the first.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default():
    ...     cells = [v1.nn.rnn_cell.GRUCell(3) for _ in range(2)]
    ...     outputs, states = v1.nn.bidirectional_dynamic_rnn(
    ...         *cells, tf.ones([2, 5, 4]), dtype=tf.float32
    ...     )
    ...     [y.shape.as_list() for y in outputs], cells[1].variables[0].name
    ([[2, 5, 3], [2, 5, 3]], 'bidirectional_rnn/bw/gru_cell/gates/kernel:0')
    """
    check_cell("cell_fw", cell_fw)
    check_cell("cell_bw", cell_bw)
    time_axis, batch_axis = (0, 1) if time_major else (1, 0)

    def turned(x: Any) -> Any:
        if sequence_length is None:
            return reverse(x, [time_axis])
        return reverse_sequence(x, sequence_length, time_axis, batch_axis)

    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as inner:
            forward, state_fw = dynamic_rnn(
                cell_fw, inputs, sequence_length, initial_state_fw, dtype, time_major=time_major,
                scope=inner,
            )  # fmt: skip
        with variable_scope("bw") as inner:
            backward, state_bw = dynamic_rnn(
                cell_bw, nest.map_structure(turned, inputs), sequence_length, initial_state_bw,
                dtype, time_major=time_major, scope=inner,
            )  # fmt: skip
    return (forward, nest.map_structure(turned, backward)), (state_fw, state_bw)
