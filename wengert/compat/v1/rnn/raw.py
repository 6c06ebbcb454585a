"""raw_rnn: a loop in which the program decides, at every step, what comes next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert.api.variables.variable_scope import variable_scope
from wengert.compat.v1.rnn.cells import zeros_of
from wengert.compat.v1.rnn.steps import batch_size_of, check_cell, one_chosen, sizes_of, whole
from wengert.ops.control.tensor_array import TensorArray
from wengert.ops.control.while_loop import while_loop
from wengert.ops.math.comparison import logical_or
from wengert.ops.math.elementwise import logical_not, zeros_like
from wengert.ops.reductions.reductions import reduce_any
from wengert.values import nest
from wengert.values.convert import convert
from wengert.values.shapes import TensorShape


def raw_rnn(
    cell: Any,
    loop_fn: Callable[..., Any],
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    scope: Any = None,
) -> tuple[Any, Any, Any]:
    """A loop over a cell that `loop_fn(time, output, state, loop_state)` controls.

    It returns what is finished, the next input and state, what to emit, and its own next state. Of
    the first call, the emitted value only says what will be emitted. The results are an array of
    what was emitted, the last state, and the last state of `loop_fn`.

    >>> v1 = tf.compat.v1
    >>> def loop_fn(time, output, state, loop_state):
    ...     state = cell.zero_state(1, tf.float32) if output is None else state
    ...     return time >= [3], tf.ones([1, 4]), state, output, None
    >>> with tf.Graph().as_default():
    ...     cell = v1.nn.rnn_cell.GRUCell(2)
    ...     emitted, state, _ = v1.nn.raw_rnn(cell, loop_fn)
    ...     with v1.Session() as session:
    ...         session.run(v1.global_variables_initializer())
    ...         print(session.run(emitted.stack()).shape)
    (3, 1, 2)
    """
    check_cell("cell", cell)
    if not callable(loop_fn):
        raise TypeError("loop_fn must be a callable")
    with variable_scope(scope or "rnn"):
        finished, x, state, emitted, loop_state = loop_fn(convert(0), None, None, None)
        x, state = nest.map_structure(convert, x), nest.map_structure(whole, state)
        batch_size = batch_size_of(nest.flatten(x), 0)
        zeros = _zeros_of_emitted(cell, emitted, batch_size, x)
        arrays = nest.map_structure(_array_for, zeros)
        kept = convert(0) if loop_state is None else nest.map_structure(whole, loop_state)

        def body(time: Any, done: Any, x: Any, arrays: Any, state: Any, kept: Any) -> Any:
            output, after = cell(x, state)
            given = None if loop_state is None else kept
            found = loop_fn(time + 1, output, after, given)
            next_done, next_x, next_state, emit, next_kept = found
            nest.assert_same_structure(state, next_state)
            next_state = nest.map_structure(whole, next_state)
            emit = nest.map_structure(lambda z, e: one_chosen(done, z, convert(e)), zeros, emit)
            next_state = nest.map_structure(
                lambda before, now: one_chosen(done, before, now), state, next_state
            )
            written = nest.map_structure(lambda a, e: a.write(time, e), arrays, emit)
            remains = kept if next_kept is None else nest.map_structure(whole, next_kept)
            next_x = nest.map_structure(convert, next_x)
            return time + 1, logical_or(done, next_done), next_x, written, next_state, remains

        loop = while_loop(
            lambda time, done, *_: reduce_any(logical_not(done)),
            body,
            (convert(0), convert(finished), x, arrays, state, kept),
        )
    return loop[3], loop[4], None if loop_state is None else loop[5]


def _zeros_of_emitted(cell: Any, emitted: Any, batch_size: Any, x: Any) -> Any:
    """What is emitted where the loop has finished: zeros of the shape of what is emitted."""
    if emitted is None:
        dtype = nest.flatten(x)[0].dtype
        return nest.map_structure(lambda size: zeros_of(size, batch_size, dtype), sizes_of(cell))
    return nest.map_structure(lambda e: _zeros_like_rows(convert(e), batch_size), emitted)


def _zeros_like_rows(example: Any, batch_size: Any) -> Any:
    """The example is what one row emits."""
    if example.shape.is_fully_defined():
        return zeros_of(TensorShape(example.shape), batch_size, example.dtype)
    return zeros_like(example)


def _array_for(zeros: Any) -> TensorArray:
    return TensorArray(zeros.dtype, size=0, dynamic_size=True, element_shape=zeros.shape)
