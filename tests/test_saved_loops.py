"""Functions whose loops they differentiate themselves, saved and loaded, and saved again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wengert as tf

Program = Callable[..., Any]
WEIGHTS = np.array([[0.5, 0.1, 0.2], [0.2, 0.4, 0.1], [0.0, 0.1, 0.3]], "f4")
W = tf.Variable(WEIGHTS)
ROWS = tf.TensorSpec([None, 3])
COUNT = tf.TensorSpec([], tf.int32)
SWITCH = tf.TensorSpec([], tf.bool)


def rounds(x: Any, n: Any) -> Any:
    return tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, tf.tanh(y @ W) * 2.0), [0, x])[1]


def nested(x: Any, n: Any) -> Any:
    return tf.while_loop(
        lambda i, y: i < n, lambda i, y: (i + 1, rounds(y, i + 1) + tf.sin(x)), [0, x]
    )[1]


def with_branch(x: Any, n: Any) -> Any:
    def body(i: Any, y: Any) -> Any:
        return i + 1, tf.cond(i % 2 == 0, lambda: tf.sin(y @ W), lambda: y * x)

    return tf.while_loop(lambda i, y: i < n, body, [0, x])[1]


def in_branch(x: Any, is_loop: Any) -> Any:
    return tf.cond(is_loop, lambda: rounds(x, 3), lambda: x * x * x)


def filling(x: Any, n: Any) -> Any:
    def body(i: Any, y: Any, array: Any) -> Any:
        y = tf.sin(y @ W)
        return i + 1, y, array.write(i, y)

    array = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    return tf.while_loop(lambda i, *_: i < n, body, [0, x, array])[2].stack()


PROGRAMS: dict[str, tuple[Program, list[Any]]] = {
    "rounds": (rounds, [ROWS, COUNT]),
    "nested": (nested, [ROWS, COUNT]),
    "with a branch": (with_branch, [ROWS, COUNT]),
    "in a branch": (in_branch, [ROWS, SWITCH]),
    "filling an array": (filling, [ROWS, COUNT]),
    "map": (lambda x: tf.map_fn(lambda row: tf.reduce_sum(row**3), x), [ROWS]),
    "scan": (lambda x: tf.scan(lambda a, b: tf.sin(a * b) + b, x), [ROWS]),
    "fold": (lambda x: tf.foldr(lambda a, b: tf.sin(a * b) + b, x), [ROWS]),
}


def gradients(f: Program) -> Program:
    def both(x: Any, *more: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x, *more)
        return [y, *tape.gradient(y, [x, W], unconnected_gradients="zero")]

    return both


def second(f: Program) -> Program:
    return lambda *xs: gradients(lambda *ys: gradients(f)(*ys)[1] ** 2)(*xs)


ORDERS = {"first": gradients, "second": second}


def inputs(specs: list[Any], count: int) -> list[Any]:
    draw = np.random.default_rng(count)
    given = {ROWS: draw.normal(size=[4, 3]).astype("f4"), COUNT: count, SWITCH: count > 0}
    return [tf.constant(given[spec]) for spec in specs]


def assert_close(found: Any, wanted: Any) -> None:
    for a, b in zip(tf.nest.flatten(found), tf.nest.flatten(wanted), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_saved_and_loaded_and_saved_again(name: str, order: str, tmp_path: Path) -> None:
    program, specs = PROGRAMS[name]
    model: Any = tf.Module()
    model.w, model.f = W, tf.function(ORDERS[order](program), input_signature=specs)
    counts = range(4 if len(specs) > 1 else 1)
    wanted = [model.f(*inputs(specs, n)) for n in counts]
    for time in range(2):
        tf.saved_model.save(model, str(tmp_path / str(time)))
        model = tf.saved_model.load(str(tmp_path / str(time)))
        for n in counts:
            assert_close(model.f(*inputs(specs, n)), wanted[n])


def test_a_loaded_step_trains_on(tmp_path: Path) -> None:
    model: Any = tf.Module()
    model.w = tf.Variable(WEIGHTS)

    @tf.function(input_signature=[ROWS])
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            y = x
            for _ in tf.range(4):
                y = tf.sin(y @ model.w)
            loss = tf.reduce_sum((y - 0.1) ** 2)
        model.w.assign_sub(0.5 * tape.gradient(loss, model.w))
        return loss

    model.step = step
    x = inputs([ROWS], 1)[0]
    tf.saved_model.save(model, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    ours = [float(model.step(x)) for _ in range(5)]
    assert [float(loaded.step(x)) for _ in range(5)] == pytest.approx(ours, rel=1e-5)
    assert ours[-1] < ours[0]


def test_what_a_tape_outside_keeps_is_not_written(tmp_path: Path) -> None:
    """Training makes a loop emit what its gradient needs; the function alone does not."""
    model: Any = tf.Module()
    model.w, model.f = W, tf.function(rounds, input_signature=[ROWS, COUNT])
    xs = inputs([ROWS, COUNT], 2)
    with tf.GradientTape() as tape:
        wanted = model.f(*xs)
    assert tape.gradient(wanted, W) is not None
    tf.saved_model.save(model, str(tmp_path))
    assert_close(tf.saved_model.load(str(tmp_path)).f(*xs), wanted)
    assert b"TensorList" not in (tmp_path / "saved_model.pb").read_bytes()


def test_a_graph_with_the_gradient_of_a_loop_is_read_again() -> None:
    """As a program of version 1 that goes on training from a meta graph."""
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [None, 3], name="x")
        y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.sin(y * x)), [0, x])[1]
        (dx,) = tf.compat.v1.gradients(y, x)
        dx = tf.identity(dx, name="dx")
        given = {x: np.ones([2, 3], "f4")}
        wanted = tf.compat.v1.Session().run(dx, given)
    with tf.Graph().as_default():
        (x, dx) = tf.import_graph_def(
            graph.as_graph_def(), return_elements=["x:0", "dx:0"], name=""
        )
        found = tf.compat.v1.Session().run(dx, {x: np.ones([2, 3], "f4")})
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_sizes_are_traced_once(tmp_path: Path) -> None:
    """One trace serves all sizes of a loaded function, as it did before it was saved."""
    model: Any = tf.Module()
    model.f = tf.function(lambda x: tf.sin(x) * 2.0, input_signature=[ROWS])
    tf.saved_model.save(model, str(tmp_path))
    (function,) = tf.saved_model.load(str(tmp_path)).f.concrete_functions
    for n in range(8):
        assert function(tf.ones([n, 3])).shape == (n, 3)
    assert function._run.experimental_get_tracing_count() == 1
