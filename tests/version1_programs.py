"""Programs of TensorFlow 1 that run in TensorFlow and here: tools/version1.py records what they give there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np


class Names(NamedTuple):
    """Where a program finds its functions: TensorFlow 2.21 has some of them only internally."""

    tf: Any
    cells: Any
    rnn: Any
    layers: Any
    base: Any


Program = Callable[[Names], dict[str, Any]]
PROGRAMS: dict[str, Program] = {}


def print_of(array: Any) -> list[Any]:
    """The shape, and two numbers that change with every element and its place."""
    flat = np.asarray(array, np.float64).ravel()
    places = np.cos(np.arange(flat.size))
    return [list(np.shape(array)), float(flat.sum()), float(flat @ places)]


def values(*shape: int, shift: float = 0.0) -> Any:
    return np.cos(np.arange(int(np.prod(shape))) + shift).reshape(shape)


def filled(tf: Any, variables: Any) -> list[Any]:
    """Assignments of values that do not depend on how random numbers are drawn."""
    return [
        tf.compat.v1.assign(v, 0.7 * values(*v.shape.as_list(), shift=i + 0.5))
        for i, v in enumerate(variables)
    ]


def with_gradients(tf: Any, found: Any, inputs: list[Any]) -> dict[str, Any]:
    """Of results: themselves, the variables by name, their first values, and all gradients."""
    v1 = tf.compat.v1
    results = [y for y in tf.nest.flatten(found) if y.dtype.is_floating]
    variables = v1.trainable_variables()
    total = tf.add_n([tf.reduce_sum(tf.sin(y)) for y in results])
    gradients = v1.gradients(total, [*inputs, *variables])
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        biases = [v for v in variables if "bias" in v.name]
        first = [print_of(value) for value in session.run(biases)]
        session.run(filled(tf, variables))
        return {
            "variables": [v.name for v in variables],
            "first": first,
            "results": [print_of(value) for value in session.run(results)],
            "gradients": [print_of(value) for value in session.run(gradients)],
        }


# ---- recurrent networks ------------------------------------------------------------------------


def cells(names: Names) -> dict[str, Callable[[], Any]]:
    of = names.cells
    return {
        "basic": lambda: of.BasicRNNCell(3),
        "relu": lambda: of.BasicRNNCell(3, activation="relu"),
        "gru": lambda: of.GRUCell(3),
        "basic_lstm": lambda: of.BasicLSTMCell(3),
        "joined": lambda: of.BasicLSTMCell(3, state_is_tuple=False, forget_bias=0.5),
        "lstm": lambda: of.LSTMCell(3),
        "peepholes": lambda: of.LSTMCell(
            3, use_peepholes=True, cell_clip=0.4, num_proj=2, proj_clip=0.3, forget_bias=0.25
        ),
        "projected": lambda: of.LSTMCell(3, num_proj=2, state_is_tuple=False),
        "stacked": lambda: of.MultiRNNCell([of.GRUCell(2), of.LSTMCell(3)]),
        "residual": lambda: of.ResidualWrapper(of.GRUCell(4)),
        "wrapped": lambda: of.DeviceWrapper(of.DropoutWrapper(of.GRUCell(2)), "/cpu:0"),
    }


def dynamic(names: Names, cell: Any, x: Any, lengths: Any) -> Any:
    return names.rnn.dynamic_rnn(cell(), x, lengths, dtype=names.tf.float64)


def time_major(names: Names, cell: Any, x: Any, lengths: Any) -> Any:
    turned = names.tf.transpose(x, [1, 0, 2])
    return names.rnn.dynamic_rnn(
        cell(), turned, lengths, dtype=names.tf.float64, time_major=True, scope="other"
    )


def static(names: Names, cell: Any, x: Any, lengths: Any) -> Any:
    xs = [x[:, t] for t in range(5)]
    return names.rnn.static_rnn(cell(), xs, dtype=names.tf.float64, sequence_length=lengths)


def both_ways(names: Names, cell: Any, x: Any, lengths: Any) -> Any:
    return names.rnn.bidirectional_dynamic_rnn(
        cell(), cell(), x, lengths, dtype=names.tf.float64
    )


def static_both_ways(names: Names, cell: Any, x: Any, lengths: Any) -> Any:
    xs = [x[:, t] for t in range(5)]
    return names.rnn.static_bidirectional_rnn(
        cell(), cell(), xs, dtype=names.tf.float64, sequence_length=lengths
    )


def raw(names: Names, cell: Any, x: Any, lengths: Any) -> Any:
    tf, made = names.tf, cell()
    by_time = tf.transpose(x, [1, 0, 2])
    ends = tf.constant([5, 5]) if lengths is None else lengths

    def loop_fn(time: Any, output: Any, state: Any, count: Any) -> Any:
        now = made.zero_state(2, tf.float64) if output is None else state
        done = time >= ends
        following = tf.gather(by_time, tf.minimum(time, 4))
        following.set_shape([2, 4])
        return done, following, now, output, tf.constant(0) if count is None else count + 1

    emitted, state, count = names.rnn.raw_rnn(made, loop_fn)
    return emitted.stack(), state, tf.cast(count, tf.float64)


LOOPS = [dynamic, time_major, static, both_ways, static_both_ways, raw]


def _recurrent() -> Iterator[tuple[str, Program]]:
    for cell in cells(Names(*[None] * len(Names._fields))):
        for loop in LOOPS:
            for lengths in ([], [2, 4]):
                yield f"{cell}/{loop.__name__}/{len(lengths)}", _program(cell, loop, lengths)


def _program(cell: str, loop: Callable[..., Any], lengths: list[int]) -> Program:
    def program(names: Names) -> dict[str, Any]:
        x = names.tf.constant(values(2, 5, 4))
        ends = names.tf.constant(lengths) if lengths else None
        found = loop(names, cells(names)[cell], x, ends)
        return with_gradients(names.tf, found, [x])

    return program


PROGRAMS.update(_recurrent())
