"""Recurrent networks over a list of inputs, one copy of the cell's operations for each."""

from __future__ import annotations

from typing import Any

from wengert.api.variables.variable_scope import variable_scope
from wengert.compat.v1.rnn.steps import (
    batch_size_of,
    check_cell,
    initial_state_of,
    lengths_of,
    stepped,
)
from wengert.core.context import current_graph
from wengert.ops.arrays.identity import identity
from wengert.ops.arrays.joining import concat, stack, unstack
from wengert.ops.control.effects import with_dependencies
from wengert.ops.reductions.sequences import reverse_sequence
from wengert.values import nest
from wengert.values.convert import convert


def static_rnn(
    cell: Any,
    inputs: Any,
    initial_state: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """The outputs of a cell for each input of a list, and its last state.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default():
    ...     cell = v1.nn.rnn_cell.GRUCell(3)
    ...     outputs, state = v1.nn.static_rnn(cell, [tf.ones([2, 4])] * 5, dtype=tf.float32)
    ...     len(outputs), state.shape.as_list()
    (5, [2, 3])
    """
    check_cell("cell", cell)
    _check_sequence(inputs)
    given = [nest.map_structure(convert, x) for x in inputs]
    outputs = []
    with variable_scope(scope or "rnn") as entered:
        batch_size = batch_size_of(nest.flatten(given), 0)
        _check_batches(given, batch_size)
        state = initial_state_of(
            cell, initial_state, batch_size, dtype,
            "If no initial_state is provided, dtype must be specified",
        )  # fmt: skip
        lengths = lengths_of(sequence_length, batch_size)
        for time, x in enumerate(given):
            if time > 0 and current_graph() is not None:
                entered.reuse_variables()
            output, state = stepped(cell, x, state, time, lengths)
            outputs.append(output)
    return outputs, state


def _check_sequence(inputs: Any) -> None:
    if not isinstance(inputs, (list, tuple)):
        raise TypeError("inputs must be a sequence")
    if not inputs:
        raise ValueError("inputs must not be empty")


def _check_batches(inputs: list[Any], batch_size: Any) -> None:
    for x in nest.flatten(inputs):
        if x.shape.rank == 0:
            raise ValueError(f"Input {x} is a scalar: its first axis is to be that of the batch.")
        if isinstance(batch_size, int) and x.shape.rank and x.shape[0] not in (None, batch_size):
            raise ValueError(
                f"All inputs must have the same batch size: {x.shape[0]} is not {batch_size}."
            )


def static_state_saving_rnn(
    cell: Any,
    inputs: Any,
    state_saver: Any,
    state_name: Any,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """`static_rnn` that begins with the state of a saver and saves the last one.

    The saver has `state(name)` and `save_state(name, value)`.

    >>> class Saver:
    ...     def state(self, name):
    ...         return tf.zeros([2, 3])
    ...     def save_state(self, name, value):
    ...         return value
    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default():
    ...     cell = v1.nn.rnn_cell.GRUCell(3)
    ...     outputs, _ = v1.nn.static_state_saving_rnn(cell, [tf.ones([2, 4])], Saver(), "h")
    ...     len(outputs)
    1
    """
    nested, named = nest.is_nested(cell.state_size), nest.is_nested(state_name)
    if nested != named or len(nest.flatten(cell.state_size)) != len(nest.flatten(state_name)):
        raise ValueError(
            "state_name should have the structure of the state: a name for each part. "
            f"state_name: {state_name}, cell.state_size: {cell.state_size}"
        )
    initial = nest.map_structure(state_saver.state, state_name)
    initial = nest.pack_sequence_as(cell.state_size, nest.flatten(initial))
    outputs, state = static_rnn(
        cell, inputs, initial_state=initial, sequence_length=sequence_length, scope=scope
    )
    names, parts = nest.flatten(state_name), nest.flatten(state)
    saved = [state_saver.save_state(n, part) for n, part in zip(names, parts, strict=True)]
    last = nest.flatten(outputs[-1])
    outputs[-1] = nest.pack_sequence_as(outputs[-1], [_after(saved, y) for y in last])
    return outputs, nest.pack_sequence_as(state, [_after(saved, part) for part in parts])


def _after(saved: list[Any], value: Any) -> Any:
    """The value, which is computed when the states have been saved."""
    return identity(value) if current_graph() is None else with_dependencies(saved, value)


def static_bidirectional_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Any,
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any, Any]:
    """Two networks over a list of inputs, one from each end; their outputs are joined.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default():
    ...     cells = [v1.nn.rnn_cell.GRUCell(3) for _ in range(2)]
    ...     found = v1.nn.static_bidirectional_rnn(*cells, [tf.ones([2, 4])] * 5, dtype=tf.float32)
    ...     found[0][0].shape.as_list()
    [2, 6]
    """
    check_cell("cell_fw", cell_fw)
    check_cell("cell_bw", cell_bw)
    _check_sequence(inputs)
    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as inner:
            forward, state_fw = static_rnn(
                cell_fw, inputs, initial_state_fw, dtype, sequence_length, scope=inner
            )
        with variable_scope("bw") as inner:
            backward, state_bw = static_rnn(
                cell_bw, _turned(list(inputs), sequence_length), initial_state_bw, dtype,
                sequence_length, scope=inner,
            )  # fmt: skip
    pairs = zip(forward, _turned(backward, sequence_length), strict=True)
    return [nest.map_structure(_joined, a, b) for a, b in pairs], state_fw, state_bw


def _joined(forward: Any, backward: Any) -> Any:
    return concat([forward, backward], 1)


def _turned(inputs: list[Any], lengths: Any) -> list[Any]:
    """The list backwards; of each example, only what is within its length."""
    if lengths is None:
        return inputs[::-1]
    columns = [nest.flatten(x) for x in inputs]
    turned = [
        unstack(reverse_sequence(stack(same), lengths, 0, 1), num=len(inputs))
        for same in zip(*columns, strict=True)
    ]
    return [nest.pack_sequence_as(inputs[0], row) for row in zip(*turned, strict=True)]
