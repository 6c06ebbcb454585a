"""Branches, loops and what is built of them: the same numbers and gradients in every mode."""

from __future__ import annotations

import importlib
import logging
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import wengert as tf
from wengert.errors import InvalidArgumentError

v1 = tf.compat.v1
F64 = tf.float64
Body = Callable[[Any, Any], Any]


# ---- in three modes ---------------------------------------------------------------------------


def slope(f: Any, c: Any) -> Any:
    """The gradient with respect to x, and to what f captures beside it."""

    def function(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([x, c])
            y = f(x)
        gx, gc = tape.gradient(y, [x, c], unconnected_gradients="zero")
        return tf.reduce_sum(gx) * 1.5 + tf.reduce_sum(gc)

    return function


def graph_slope(f: Any, c: Any) -> Any:
    def function(x: Any) -> Any:
        gx, gc = tf.gradients(f(x), [x, c], unconnected_gradients="zero")
        return tf.reduce_sum(gx) * 1.5 + tf.reduce_sum(gc)

    return function


def orders(f: Any, x: Any, c: Any, derivative: Any, count: int = 3) -> list[Any]:
    """The value and the first derivatives; each is the gradient of the one before."""
    found = [f(x)]
    for _ in range(count):
        f = derivative(f, c)
        found.append(f(x))
    return found


def eagerly(body: Body, x: Any, c: Any) -> list[Any]:
    c = tf.constant(c)
    return orders(lambda x: body(x, c), tf.constant(x), c, slope)


def in_session(body: Body, x: Any, c: Any) -> list[Any]:
    with tf.Graph().as_default():
        place = v1.placeholder(F64, np.shape(x))
        constant = tf.constant(c) * 1.0
        ys = orders(lambda x: body(x, constant), place, constant, graph_slope)
        return v1.Session().run(ys, {place: x})


def in_session_of_unknown_shape(body: Body, x: Any, c: Any) -> list[Any]:
    with tf.Graph().as_default():
        place = v1.placeholder(F64, [None] * np.ndim(x))
        constant = tf.constant(c) * 1.0
        ys = orders(lambda x: body(x, constant), place, constant, graph_slope, 1)
        return v1.Session().run(ys, {place: x})


def inside_a_function(body: Body, x: Any, c: Any) -> list[Any]:
    @tf.function
    def f(x: Any, c: Any) -> Any:
        return orders(lambda x: body(x, c), x, c, slope)

    return list(f(tf.constant(x), tf.constant(c)))


def around_a_function(body: Body, x: Any, c: Any) -> list[Any]:
    c = tf.constant(c)
    f = tf.function(lambda x: body(x, c))
    return orders(f, tf.constant(x), c, slope)


MODES = [in_session, in_session_of_unknown_shape, inside_a_function, around_a_function]


def forward(f: Any, x: Any) -> list[Any]:
    x = tf.constant(x)
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as acc:
        y = f(x)
    return [y, acc.jvp(y, unconnected_gradients="zero")]


def total(x: Any) -> Any:
    return tf.reduce_sum(x)


def through_an_array(x: Any, c: Any) -> Any:
    """A loop that writes to a TensorArray, in some runs only, and reads what it wrote."""
    ta = tf.TensorArray(F64, size=4, element_shape=[])

    def body(i: Any, ta: Any, s: Any) -> Any:
        ta = tf.cond(s > 1.0, lambda: ta.write(i, s * s), lambda: ta.write(i, -s))
        return i + 1, ta, ta.read(i) * c + total(x)

    _, ta, s = tf.while_loop(lambda i, *_: i < 4, body, (0, ta, total(x)))
    return total(ta.stack()) + s


def collatz_like(x: Any, c: Any) -> Any:
    """As many runs as the values ask for."""
    return tf.while_loop(lambda s: s < 20.0, lambda s: tf.cond(s > 5.0, lambda: s * s, lambda: s * 1.5 + c), [total(x) ** 2 + 1.0])[0]  # fmt: skip


PROGRAMS: dict[str, Body] = {
    "cond": lambda x, c: tf.cond(total(x) > 0.0, lambda: total(x**3) * c, lambda: total(tf.sin(x))),
    "cond, other branch": lambda x, c: tf.cond(total(x) < 0.0, lambda: c, lambda: total(x**4)),
    "cond of a structure": lambda x, c: total(tf.cond(total(x) > 0.0, lambda: {"a": x * c, "b": [x]}, lambda: {"a": x, "b": [c * x]})["a"] ** 3),
    "nested cond": lambda x, c: tf.cond(total(x) > 0.0, lambda: tf.cond(c > 1.0, lambda: total(x**3), lambda: c**3), lambda: c),
    "case": lambda x, c: tf.case([(total(x) > 9.0, lambda: c), (total(x) > 0.0, lambda: total(x**3) * c**2)], default=lambda: c**4),
    "switch_case": lambda x, c: tf.switch_case(tf.cast(total(x), tf.int32), [lambda: c, lambda: total(x) ** 3 * c, lambda: c**2], default=lambda: total(tf.exp(x))),
    "while": lambda x, c: tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s * s * c + total(x)), (0, total(x)))[1],
    "while, no runs": lambda x, c: tf.while_loop(lambda i, s: i < 0, lambda i, s: (i + 1, s * c), (0, total(x**3)))[1],
    "while, data-dependent": collatz_like,
    "while, maximum": lambda x, c: tf.while_loop(lambda s: True, lambda s: s * s * c, [total(x)], maximum_iterations=2)[0] if tf.executing_eagerly() else tf.while_loop(lambda s: tf.constant(True), lambda s: s * s * c, [total(x)], maximum_iterations=2)[0],
    "while of a structure": lambda x, c: total(tf.while_loop(lambda i, d: i < 2, lambda i, d: (i + 1, {"p": d["q"][0] * c, "q": [d["p"] * x]}), (0, {"p": x, "q": [x * x]}))[1]["p"] ** 2),
    "while in while": lambda x, c: tf.while_loop(lambda i, s: i < 2, lambda i, s: (i + 1, tf.while_loop(lambda j, t: j <= i, lambda j, t: (j + 1, t * t * c), (0, s))[1]), (0, total(x)))[1],
    "cond in while in cond": lambda x, c: tf.cond(c > 0.0, lambda: tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, tf.cond(i < 1, lambda: s * s, lambda: s * c)), (0, total(x)))[1], lambda: c),
    "while in map_fn": lambda x, c: total(tf.map_fn(lambda e: tf.while_loop(lambda i, s: i < 2, lambda i, s: (i + 1, s * e * c), (0, e))[1], x)),
    "map_fn": lambda x, c: total(tf.map_fn(lambda e: e**3 * c, x)),
    "map_fn of pairs": lambda x, c: total(tf.map_fn(lambda p: p[0] * p[1] ** 2 * c, (x, x * 2.0), fn_output_signature=F64)),
    "scan": lambda x, c: total(tf.scan(lambda a, e: a * e + c, x)),
    "scan, backward": lambda x, c: total(tf.scan(lambda a, e: a * e * c, x, initializer=tf.ones_like(c), reverse=True)),
    "foldl": lambda x, c: tf.foldl(lambda a, e: a * e + c * e**2, x),
    "foldr": lambda x, c: tf.foldr(lambda a, e: a * e * c + e, x, initializer=c),
    "TensorArray": through_an_array,
}  # fmt: skip

X, C = np.array([0.7, -0.3, 1.1]), np.array(1.3)
every = pytest.mark.parametrize("body", PROGRAMS.values(), ids=PROGRAMS)


@every
@pytest.mark.parametrize("mode", MODES)
def test_orders(body: Body, mode: Any) -> None:
    """Value and three derivatives are those of eager mode, with respect to captures too."""
    want = [np.asarray(y) for y in eagerly(body, X, C)]
    for got, expected in zip(mode(body, X, C), want, strict=False):
        np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-10, atol=1e-10)


@every
def test_eager_gradient_by_differences(body: Body) -> None:
    """What the modes are compared with is right."""
    h = 1e-6
    at = [np.asarray(body(tf.constant(X + k * h), tf.constant(C))) for k in (1, -1)]
    got = forward(lambda x: body(x, tf.constant(C)), X)[1]
    np.testing.assert_allclose(np.asarray(got), (at[0] - at[1]) / (2 * h), rtol=1e-6, atol=1e-7)


@every
def test_forward_mode_through_a_function(body: Body) -> None:
    """Tangents go through branches, loops and arrays. (They gave a KeyError, or None + float.)"""
    c = tf.constant(C)
    want = forward(lambda x: body(x, c), X)
    got = forward(tf.function(lambda x: body(x, c)), X)
    np.testing.assert_allclose([float(v) for v in got], [float(v) for v in want], rtol=1e-12)


@every
def test_forward_over_reverse(body: Body) -> None:
    """The tangents of what a branch or a loop hands out for its gradient."""
    c = tf.constant(C)
    want = forward(slope(lambda x: body(x, c), c), X)
    for f in (slope(tf.function(lambda x: body(x, c)), c), tf.function(slope(lambda x: body(x, c), c))):  # fmt: skip
        np.testing.assert_allclose([float(v) for v in forward(f, X)], [float(v) for v in want], rtol=1e-10)  # fmt: skip


def test_gradient_of_a_captured_variable() -> None:
    v = tf.Variable(2.0)
    f = tf.function(lambda n: tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, s * v), (0, 1.0))[1])  # fmt: skip
    for n in (0, 1, 4):
        with tf.GradientTape() as tape:
            y = f(tf.constant(n))
        assert (y.numpy(), tape.gradient(y, v).numpy()) == (2.0**n, n * 2.0 ** max(n - 1, 0))


# ---- random programs --------------------------------------------------------------------------

leaf = st.sampled_from(["x", "c", "i"])
program = st.recursive(
    leaf,
    lambda part: st.one_of(
        st.tuples(st.just("mul"), part, part),
        st.tuples(st.just("add"), part, part),
        st.tuples(st.just("sin"), part),
        st.tuples(st.just("cond"), part, part, part),
        st.tuples(st.just("loop"), st.integers(0, 3), part, part),
    ),
    max_leaves=5,
)


def meaning(p: Any, env: dict[str, Any]) -> Any:
    """The value of a random program."""
    if isinstance(p, str):
        return env[p]
    kind, *parts = p
    if kind == "mul":
        return tf.sin(meaning(parts[0], env)) * meaning(parts[1], env)
    if kind == "add":
        return meaning(parts[0], env) + meaning(parts[1], env)
    if kind == "sin":
        return tf.sin(meaning(parts[0], env))
    if kind == "cond":
        test = meaning(parts[0], env) > 0.5
        return tf.cond(test, lambda: meaning(parts[1], env), lambda: meaning(parts[2], env))
    count, start, body = parts
    return tf.while_loop(
        lambda k, s: k < count,
        lambda k, s: (k + 1, tf.cos(meaning(body, env | {"i": s}))),
        (0, meaning(start, env)),
    )[1]


# A list inside of the branch that is not chosen has no gradient to add.
LISTS_IN_A_BRANCH = (
    "sin",
    ("cond", ("loop", 1, "c", "i"), ("mul", "i", "x"), ("loop", 1, "c", "i")),
)


@pytest.mark.slow
@settings(max_examples=10)
@example(LISTS_IN_A_BRANCH, -0.5, -0.5)
@given(program, st.floats(-1.5, 1.5), st.floats(-1.5, 1.5))
def test_random_programs(p: Any, x: float, c: float) -> None:
    """Conds and loops, nested in any way, give the same numbers in every mode."""

    def body(x: Any, c: Any) -> Any:
        return meaning(p, {"x": x, "c": c, "i": x * c}) + 0.0 * x * c

    a, b = np.float64(x), np.float64(c)
    want = [np.asarray(y) for y in eagerly(body, a, b)[:3]]
    for mode in (in_session, around_a_function):
        for got, expected in zip(mode(body, a, b), want, strict=False):
            np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-9, atol=1e-9)


# ---- shapes and dtypes ------------------------------------------------------------------------


@pytest.mark.parametrize("entering", [1.0, [1.0], [1.0, 2.0]])
@pytest.mark.parametrize("said", [[None], [4, None], [None, None]])
def test_what_enters_a_loop_may_have_another_shape_than_was_said(
    entering: Any, said: list[int | None]
) -> None:
    """TensorFlow 2 does not compare the two; libraries say the shape of later turns."""
    x = tf.constant(entering)

    @tf.function
    def grown(x: Any) -> Any:
        return tf.while_loop(
            lambda i, a: i < 2,
            lambda i, a: (i + 1, tf.concat([tf.reshape(a, [-1]), [5.0]], 0)),
            (tf.constant(0), x),
            shape_invariants=(tf.TensorShape([]), tf.TensorShape(said)),
        )[1]

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = grown(x)
        z = tf.reduce_sum(y * y)
    assert y.numpy().tolist() == [*np.ravel(entering), 5.0, 5.0]
    assert np.array_equal(tape.gradient(z, x), 2.0 * np.asarray(entering))


def test_shape_invariants_of_a_dictionary() -> None:
    """They belong to its keys, in whichever order either has them."""

    @tf.function
    def f(n: Any) -> Any:
        return tf.while_loop(
            lambda s: s["a"] < n,
            lambda s: {"b": tf.concat([s["b"], [1.0]], 0), "a": s["a"] + 1},
            [{"b": tf.zeros([1]), "a": tf.constant(0)}],
            shape_invariants=[{"b": tf.TensorShape([None]), "a": tf.TensorShape([])}],
        )

    (found,) = f(tf.constant(2))
    assert found["b"].numpy().tolist() == [0.0, 1.0, 1.0]


def test_shape_invariants() -> None:
    @tf.function
    def f(x: Any) -> Any:
        return tf.while_loop(
            lambda i, r: i < 3,
            lambda i, r: (i + 1, tf.concat([r, x], 0)),
            (0, x),
            shape_invariants=(tf.TensorShape([]), tf.TensorShape([None])),
        )[1]

    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert y.shape == [8]
    assert tape.gradient(y, x).numpy().tolist() == [4.0, 4.0]


def test_a_loop_of_integers() -> None:
    f = tf.function(lambda n: tf.while_loop(lambda a, b: b < n, lambda a, b: (b, a + b), (0, 1)))
    assert [v.numpy() for v in f(tf.constant(50))] == [34, 55]


def test_dynamic_arrays() -> None:
    @tf.function
    def f(n: Any) -> Any:
        ta = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        _, ta = tf.while_loop(
            lambda i, _: i < n, lambda i, ta: (i + 1, ta.write(i, tf.cast(i, tf.float32))), (0, ta)
        )
        return ta.stack()

    assert f(tf.constant(4)).numpy().tolist() == [0.0, 1.0, 2.0, 3.0]


# ---- effects ----------------------------------------------------------------------------------


def run_in(mode: str, build: Callable[[Any], Any], at: float) -> Any:
    if mode == "eager":
        return np.asarray(build(tf.constant(at)))
    if mode == "function":
        return np.asarray(tf.function(build)(tf.constant(at)))
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [])
        y = build(x)
        sess = v1.Session()
        sess.run(v1.variables_initializer(v1.global_variables()))
        return sess.run(y, {x: at})


THREE = pytest.mark.parametrize("mode", ["eager", "function", "session"])


@THREE
def test_printing(mode: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Only the chosen branch prints, and a loop in each of its runs."""

    def say(text: str, value: Any) -> Any:
        said = tf.print(text, value, output_stream=sys.stdout)
        with tf.control_dependencies([] if said is None else [said]):
            return tf.identity(value)

    def build(x: Any) -> Any:
        y = tf.cond(x > 0.0, lambda: say("positive", x), lambda: say("negative", x))
        return tf.while_loop(lambda i: i < 2.5, lambda i: say("run", i) + 1.0, [y])[0]

    assert run_in(mode, build, 1.0) == 3.0
    assert capsys.readouterr().out.split("\n")[:-1] == ["positive 1", "run 1", "run 2"]


@THREE
def test_printing_to_a_file(mode: str, tmp_path: Path) -> None:
    """It is added to, each time that the operation runs; and a function is given the text."""
    path, texts = f"file://{tmp_path}/said", list[str]()

    def build(x: Any) -> Any:
        said = [tf.print("ä", x, output_stream=path), tf.print(x, end="", output_stream=path)]
        said.append(tf.print("x is", x, output_stream=texts.append))
        with tf.control_dependencies([] if said[0] is None else said):
            return tf.identity(x)

    for _ in range(2):
        run_in(mode, build, 1.0)
    written = (tmp_path / "said").read_text("utf-8")
    assert sorted(written.replace("ä 1\n", "ä").replace("ä", "2")) == ["1", "1", "2", "2"]
    assert texts == ["x is 1"] * 2


@THREE
def test_printing_to_the_log(mode: str, caplog: pytest.LogCaptureFixture) -> None:
    """By a level as Python counts them, or as Abseil does; a percent sign is text."""

    def build(x: Any) -> Any:
        levels = [logging.WARNING, logging.ERROR, -1, -2]
        said = [tf.print("50%d", x, output_stream=level) for level in levels]
        with tf.control_dependencies([] if said[0] is None else said):
            return tf.identity(x)

    run_in(mode, build, 1.0)
    assert {(r.name, r.getMessage()) for r in caplog.records} == {("tensorflow", "50%d 1")}
    assert sorted(r.levelname for r in caplog.records) == ["ERROR", "ERROR", "WARNING", "WARNING"]
    with caplog.at_level(logging.INFO, "tensorflow"):
        for level in (logging.INFO, 0):
            tf.print("x", output_stream=level)
    assert [r.levelname for r in caplog.records[4:]] == ["INFO", "INFO"]


def test_printing_to_what_there_is_not(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.NotFoundError, match="No such file or directory"):
        tf.print("text", output_stream=f"file://{tmp_path}/none/said")
    for stream in ("nonsense", 5):
        with pytest.raises(ValueError, match="Unsupported output stream, logging level, or file"):
            tf.function(lambda s=stream: tf.print("text", output_stream=s))()


@pytest.mark.parametrize("mode", ["eager", "function"])
def test_assigning(mode: str) -> None:
    v = tf.Variable(0.0)

    def build(x: Any) -> Any:
        def body(i: Any) -> Any:
            v.assign_add(x)
            return i + 1

        tf.while_loop(lambda i: i < 3, body, [0])
        tf.cond(x > 1.0, lambda: v.assign_add(100.0), lambda: v.assign_add(0.5))
        return v.read_value()

    assert run_in(mode, build, 1.0) == 3.5
    assert v.numpy() == 3.5


@THREE
def test_assertions(mode: str) -> None:
    def build(x: Any) -> Any:
        def checked() -> Any:
            made = tf.debugging.Assert(x < 2.0, ["x is", x])
            with tf.control_dependencies([] if made is None else [made]):
                return tf.identity(x)

        return tf.cond(x > 0.0, checked, lambda: x)

    assert run_in(mode, build, 1.0) == 1.0
    assert run_in(mode, build, -3.0) == -3.0
    with pytest.raises(InvalidArgumentError, match=re.escape("assertion failed: [x is] [3]")):
        run_in(mode, build, 3.0)


def test_group_tuple_and_nothing() -> None:
    assert tf.group(tf.constant(1.0)) is None
    assert tf.no_op() is None
    with tf.Graph().as_default():
        v = tf.Variable(1.0)
        sess = v1.Session()
        sess.run(v.initializer)
        _, none, b = tf.tuple([v.read_value(), None, tf.constant(2.0)], control_inputs=[v.assign_add(1.0)])  # fmt: skip
        assert none is None
        assert sess.run(b) == 2.0
        assert sess.run(v) == 2.0, "b waited for the assignment"
        assert sess.run(tf.group()) is None
        with pytest.raises(TypeError, match="should be zero or more"):
            tf.group(3)
        with pytest.raises(ValueError, match="Must have at least one Tensor"):
            tf.tuple([None])


# ---- errors -----------------------------------------------------------------------------------

x1 = [1.0, 2.0]
ERRORS: dict[str, tuple[Callable[[Any], Any], type[Exception], str]] = {
    "true_fn": (lambda x: tf.cond(x > 0, 1, lambda: x), TypeError, "'true_fn' must be callable."),  # type: ignore[arg-type]
    "false_fn": (lambda x: tf.cond(x > 0, lambda: x, None), TypeError, "'false_fn' must be callable."),
    "bool": (lambda x: tf.cond(True, lambda: x, lambda: x), TypeError, "pred must not be a Python bool"),
    "vector": (lambda x: tf.cond(tf.constant([True, False]), lambda: x, lambda: x), ValueError, "must be a scalar"),
    "counts": (lambda x: tf.cond(x > 0, lambda: x, lambda: (x, x)), TypeError, "true_fn and false_fn arguments to tf.cond must have the same number, type, and overall structure of return values."),
    "dtypes": (lambda x: tf.cond(x > 0, lambda: x, lambda: 1), TypeError, "must have the same number, type, and overall structure"),
    "branches": (lambda x: tf.switch_case(tf.constant(0), {0: lambda: x, 2: lambda: x}), ValueError, "must form contiguous range of [0 to 2) but found {0,2}"),
    "no branches": (lambda x: tf.switch_case(tf.constant(0), []), ValueError, "Must provide at least one item in 'branch_fns'"),
    "index": (lambda x: tf.switch_case(x, [lambda: x]), TypeError, "'branch_index' must be an integer Tensor, got tf.float32"),
    "cond": (lambda x: tf.while_loop(1, lambda i: i, [x]), TypeError, "'cond' must be callable."),  # type: ignore[arg-type]
    "body": (lambda x: tf.while_loop(lambda i: i > 0, 1, [x]), TypeError, "'body' must be callable."),  # type: ignore[arg-type]
    "no variables": (lambda x: tf.while_loop(lambda: True, lambda: 1, []), ValueError, "'loop_vars' must be provided."),
    "structure": (lambda x: tf.while_loop(lambda i, j: i > 0, lambda i, j: i, (x, x)), ValueError, "The two structures don't have the same nested structure."),
    "loop dtype": (lambda x: tf.while_loop(lambda i: i > 0, lambda i: tf.cast(i, tf.float64), [x]), TypeError, "enters the loop with type <dtype: 'float32'> but has type <dtype: 'float64'> after 1 iteration"),
    "loop shape": (lambda x: tf.while_loop(lambda i: tf.reduce_sum(i) > 0, lambda i: tf.stack([i, i]), [x]), ValueError, "enters the loop with shape (), but has shape (2,) after one iteration"),
    "map_fn": (lambda x: tf.map_fn(3, tf.constant(x1)), TypeError, "is not callable"),  # type: ignore[arg-type]
    "map_fn of a scalar": (lambda x: tf.map_fn(lambda e: e, x), ValueError, "must be 1+ dimensional Tensors, not scalars"),
    "map_fn structure": (lambda x: tf.map_fn(lambda e: (e, e), tf.constant(x1)), ValueError, "The two structures don't have the same nested structure"),
    "scan": (lambda x: tf.scan(3, tf.constant(x1)), TypeError, "please provide a callable function"),  # type: ignore[arg-type]
    "foldl": (lambda x: tf.foldl(3, tf.constant(x1)), TypeError, "please provide a callable function"),  # type: ignore[arg-type]
    "array dtype": (lambda x: tf.TensorArray(tf.int32, 1).write(0, x), ValueError, "does not match the TensorArray's dtype int32"),
    "array shape": (lambda x: tf.TensorArray(tf.float32, 2).write(0, x).write(1, [x, x]), ValueError, "Incompatible shape for value ((2,)), expected (())"),
}  # fmt: skip


@pytest.mark.parametrize(("build", "kind", "text"), ERRORS.values(), ids=ERRORS)
def test_errors(build: Any, kind: Any, text: str) -> None:
    """TensorFlow's sentences, when the graph is built; and the graph can still be used."""
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [])
        with pytest.raises(kind, match=re.escape(text)):
            build(x)
        assert v1.get_default_graph() is graph
        assert v1.Session().run(x + 1.0, {x: 1.0}) == 2.0


# ---- tf.debugging.assert_... ------------------------------------------------------------------

d = tf.debugging
ONE_TWO, ONE_THREE = [1, 2], [1, 3]
FIRST = "Indices of first 1 different values:\n[[1]]\nCorresponding x values:\n[2]\nCorresponding y values:\n[3]\nFirst 2 elements of x:\n[1 2]\nFirst 2 elements of y:\n[1 3]"  # fmt: skip
VALUES: dict[str, tuple[Any, list[Any], list[Any], str]] = {
    "equal": (d.assert_equal, [ONE_TWO, ONE_TWO], [ONE_TWO, ONE_THREE], f"Condition x == y did not hold.\n{FIRST}"),
    "none_equal": (d.assert_none_equal, [1, 2], [2, 2], "Condition x != y did not hold."),
    "less": (d.assert_less, [1, 2], [2, 2], "Condition x < y did not hold."),
    "less_equal": (d.assert_less_equal, [2, 2], [3, 2], "Condition x <= y did not hold.\nFirst 1 elements of x:\n[3]\nFirst 1 elements of y:\n[2]"),
    "greater": (d.assert_greater, [3, 2], [2, 2], "Condition x > y did not hold."),
    "greater_equal": (d.assert_greater_equal, [2, 2], [1, 2], "Condition x >= y did not hold."),
    "positive": (d.assert_positive, [[1.0]], [[1.0, -2.0]], "\nCondition x > 0 did not hold element-wise:\nx (shape=(2,) dtype=float32) = \n['1.0', '-2.0']"),
    "negative": (d.assert_negative, [-1.0], [0.0], "Condition x < 0 did not hold element-wise:"),
    "non_negative": (d.assert_non_negative, [0.0], [-1.0], "Condition x >= 0 did not hold"),
    "non_positive": (d.assert_non_positive, [0.0], [1.0], "Condition x <= 0 did not hold"),
    "near": (d.assert_near, [1.0, 1.0 + 1e-7], [1.0, 1.1], "x and y not equal to tolerance rtol = 1.1920929e-06, atol = 1.1920929e-06"),
}  # fmt: skip


def arguments(check: Any, values: list[Any]) -> list[Any]:
    one = check in (
        d.assert_positive,
        d.assert_negative,
        d.assert_non_negative,
        d.assert_non_positive,
    )
    return [
        tf.constant(v) for v in ([values[0] if len(values) == 1 else values] if one else values)
    ]


@pytest.mark.parametrize(("check", "good", "bad", "text"), VALUES.values(), ids=VALUES)
def test_assertions_of_values(check: Any, good: Any, bad: Any, text: str) -> None:
    """At once where the values are known, and when the graph runs where they are not."""
    assert check(*arguments(check, good)) is None
    with pytest.raises(InvalidArgumentError, match=re.escape(text)):
        check(*arguments(check, bad))
    with pytest.raises(InvalidArgumentError, match="mine"):
        check(*arguments(check, bad), message="mine")

    @tf.function
    def f(*xs: Any) -> Any:
        check(*xs)
        return xs[0]

    f(*arguments(check, good))
    with pytest.raises(InvalidArgumentError, match="assertion failed"):
        f(*arguments(check, bad))


STATIC: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "rank": (lambda: d.assert_rank(x1, 2), ValueError, "Tensor  must have rank 2.  Received rank 1, shape (2,)"),
    "rank, message": (lambda: d.assert_rank(x1, 2, message="m"), ValueError, "m.  Tensor  must have rank 2."),
    "rank_at_least": (lambda: d.assert_rank_at_least(x1, 2), ValueError, "must have rank at least 2."),
    "rank_in": (lambda: d.assert_rank_in(x1, [0, 2]), ValueError, "must have rank in (0, 2)."),
    "shapes": (lambda: d.assert_shapes([(tf.ones([1, 1]), ("N", "M")), (tf.ones([2]), ("M",))]), ValueError, "Specified by tensor shape=(1, 1) dtype=float32 dimension 1.  Tensor shape=(2,) dtype=float32 dimension 0 must have size 1.  Received size 2, shape (2,)"),
    "explicit shapes": (lambda: d.assert_shapes([(tf.ones([1, 1]), (2, "M"))]), ValueError, "Specified explicitly.  Tensor shape=(1, 1) dtype=float32 dimension 0 must have size 2."),
    "shapes' rank": (lambda: d.assert_shapes([(tf.ones([1]), ("N", "M"))]), ValueError, "must have rank 2."),
    "type": (lambda: d.assert_type(tf.constant(1.0), tf.int32), TypeError, "tensor must be of type tf.int32; got tf.float32"),
    "integer": (lambda: d.assert_integer(tf.constant(1.0)), TypeError, 'Expected "x" to be integer type.'),
    "scalar": (lambda: d.assert_scalar(tf.constant(x1)), ValueError, "Expected scalar shape, saw shape: (2,)."),
    "proper": (lambda: d.assert_proper_iterable(tf.constant(x1)), TypeError, 'Expected argument "values" to be a "proper" iterable.'),
    "iterable": (lambda: d.assert_proper_iterable(3), TypeError, 'Expected argument "values" to be iterable.'),
    "same dtype": (lambda: d.assert_same_float_dtype([tf.constant(1.0), tf.constant(1.0, F64)]), ValueError, "must be of the same type (tf.float32)"),
    "float dtype": (lambda: d.assert_same_float_dtype([tf.constant(1)]), ValueError, "Expected floating point type, got tf.int32."),
}  # fmt: skip


@pytest.mark.parametrize(("check", "kind", "text"), STATIC.values(), ids=STATIC)
def test_assertions_of_forms(check: Any, kind: Any, text: str) -> None:
    with pytest.raises(kind, match=re.escape(text)):
        check()


def test_assertions_that_hold() -> None:
    d.assert_rank([[1.0]], 2)
    d.assert_rank_at_least([[1.0]], 1)
    d.assert_rank_in([[1.0]], [1, 2])
    d.assert_shapes([(tf.ones([2, 3]), ("N", 3)), (tf.ones([4, 2]), (..., "N"))])
    d.assert_integer(tf.constant(1))
    d.assert_proper_iterable([tf.constant(1.0)])
    assert d.assert_same_float_dtype([tf.constant(1.0), tf.constant(2.0)]) is tf.float32
    operator = tf.linalg.LinearOperatorDiag([1.0, 2.0])
    assert d.assert_same_float_dtype([operator, None, 1.0]) is tf.float32
    with pytest.raises(ValueError, match="must be of the same type"):
        d.assert_same_float_dtype([operator, tf.constant(1.0, F64)])
    assert d.assert_scalar(1.0).numpy() == 1.0
    assert d.is_numeric_tensor(tf.constant(1))
    assert not d.is_numeric_tensor(1)
    assert tf.assert_equal is d.assert_equal


def test_ranks_that_are_not_known() -> None:
    @tf.function(input_signature=[tf.TensorSpec(None, tf.float32)])
    def f(x: Any) -> Any:
        d.assert_rank(x, 2)
        d.assert_shapes([(x, ("N", "N"))])
        return x

    f(tf.ones([2, 2]))
    for bad in (tf.ones([2]), tf.ones([2, 3])):
        with pytest.raises(InvalidArgumentError, match="assertion failed"):
            f(bad)


BRANCHES: dict[str, Callable[[Any], Any]] = {
    "cond": lambda x: tf.cond(x[0] < 0.0, lambda: tf.sin(x), lambda: tf.exp(x)),
    "switch_case": lambda x: tf.switch_case(
        tf.shape(x)[0] % 2, [lambda: tf.sin(x), lambda: tf.sin(x) * x[::-1]]
    ),
    "case": lambda x: tf.case(
        [(tf.shape(x)[0] < 2, lambda: x * x), (tf.shape(x)[0] < 10, lambda: x[2:] ** 3)],
        default=lambda: x[-2:] ** 2,
    ),
    "nested": lambda x: tf.cond(
        x[0] < 0.0,
        lambda: tf.cond(x[1] > 0.0, lambda: x**3, lambda: x**4),
        lambda: x[:1] * x**2,
    ),
}


@pytest.mark.parametrize("spec", [[None], None], ids=["size", "rank"])
@pytest.mark.parametrize("name", BRANCHES)
def test_second_derivatives_through_branches_of_unknown_size(name: str, spec: Any) -> None:
    """The cotangents of the branch that was not chosen are absent, and have no shape to check."""
    signature = [tf.TensorSpec(spec, tf.float64)]

    def second(f: Callable[[Any], Any], x: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = f(x)
            first = inner.gradient(y, x)
        return outer.gradient(first, x)

    branch = BRANCHES[name]
    traced = tf.function(branch, input_signature=signature)
    whole = tf.function(lambda x: second(branch, x), input_signature=signature)
    for size in (2, 3, 12):
        for sign in (1.0, -1.0):
            x = tf.constant(sign * np.linspace(0.3, 1.2, size))
            want = second(branch, x)
            for found in (second(traced, x), whole(x)):
                np.testing.assert_allclose(found, want, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("shift", [1.0, -1.0])
def test_values_of_one_branch_have_tangents_there_alone(shift: float) -> None:
    """Those of unknown size were numbers in other branches, which a gradient of them refused."""

    def g(x: Any) -> Any:
        part = tf.math.segment_sum(x, [0, 1, 1])
        branches = [lambda: tf.atan2(tf.nn.gelu(part), 1.5 + part), lambda: tf.sin(part) * part]
        y = tf.switch_case(tf.cast(tf.reduce_sum(x) > 0.0, tf.int32), branches)
        return tf.reduce_sum(y * [1.0, 2.0])

    def along(f: Any) -> Any:
        def product(x: Any) -> Any:
            with tf.autodiff.ForwardAccumulator(x, tf.cos(x)) as accumulator:
                y = f(x)
            return accumulator.jvp(y)

        return product

    x = tf.constant([0.3, -0.1, 0.2]) + shift
    for f in (along(tf.grad(g)), along(along(tf.grad(g)))):
        wanted = tf.grad(lambda x, f=f: tf.reduce_sum(f(x) * [3.0, 1.0, 2.0]))(x)
        for compiled in (False, True):
            h = tf.function(f, jit_compile=compiled)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = h(x)
            found = tape.gradient(y, x, output_gradients=tf.constant([3.0, 1.0, 2.0]))
            np.testing.assert_allclose(found, wanted, rtol=1e-3)


def test_a_branch_in_eager_mode_gives_what_its_function_gives() -> None:
    """As in TensorFlow: a number stays a number, and a variable the variable."""
    v = tf.Variable(1.0)
    true = tf.constant(True)
    assert tf.cond(true, lambda: v, lambda: 0.0) is v
    assert tf.cond(true, lambda: {"a": 1}, lambda: {}) == {"a": 1}
    assert tf.switch_case(tf.constant(1), [lambda: 10, lambda: [20]]) == [20]
    assert tf.case([(tf.constant(False), lambda: 1)], default=lambda: 3) == 3


def test_devices_of_the_graph_around_hold_in_bodies() -> None:
    found: list[str] = []

    def noted(x: Any) -> Any:
        found.append((x + 1.0).device)
        return x

    @tf.function
    def f(x: Any) -> None:
        with tf.device("CPU:1"):
            tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, noted(y)), (0, x))
            tf.cond(x > 0.0, lambda: noted(x), lambda: x)

    f.get_concrete_function(tf.TensorSpec([]))
    assert found == ["/device:CPU:1"] * 2


def test_operations_of_a_body_belong_with_one_around_it() -> None:
    with tf.Graph().as_default():
        around, found = tf.constant(2.0, name="around"), []

        def doubled(x: Any) -> Any:
            with tf.compat.v1.colocate_with(around):
                y = x * 2.0
            found.append(y.op.colocation_groups())
            return y

        tf.while_loop(lambda x: x < 8.0, doubled, [around])
    assert found[0] == [b"loc:@around"]


def test_a_loop_that_begins_with_what_is_made_of_tensors() -> None:
    """In eager mode its next values may be tensors: libraries begin with parameters of theirs."""
    start = tf.RaggedTensor.from_row_lengths(tf.constant([1.0, 2.0]), [1, 1])
    with tf.GradientTape() as tape:
        tape.watch(start)
        _, y = tf.while_loop(
            lambda i, _: i < 3, lambda i, x: (i + 1, tf.reduce_sum(x**2)), (0, start)
        )
    assert y.numpy() == 625.0
    assert tape.gradient(y, start).flat_values.numpy().tolist() == [1000.0, 2000.0]


def test_loops_by_their_internal_name() -> None:
    """A list stays one unless the only value is asked for."""
    tf.compat.install()
    try:
        loop = importlib.import_module("tensorflow.python.ops.while_v2").while_loop
    finally:
        tf.compat.uninstall()
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.constant(2.0)

        def squared(**how: Any) -> Any:
            return loop(lambda v: v < 8.0, lambda v: v * v, [x], **how)

        (one,), alone = squared(), squared(return_same_structure=False)
        assert session.run([one, alone, *tf.gradients(alone, x)]) == [16.0, 16.0, 32.0]
        assert tf.gradients(squared(back_prop=False), x) == [None]


@pytest.mark.parametrize(
    "kind", [np.float64, np.dtype("float64"), "float64", tf.TensorSpec([2], tf.float64)]
)
def test_signatures_of_what_is_mapped(kind: Any) -> None:
    """A dtype is one of NumPy as well; its results are of any shape."""
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]], tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y, total = tf.map_fn(lambda row: (row**2, tf.reduce_sum(row)), x, fn_output_signature=(kind, F64))  # fmt: skip
    assert y.numpy().tolist() == [[1.0, 4.0], [9.0, 16.0]]
    assert total.numpy().tolist() == [3.0, 7.0]
    assert tape.gradient(y, x).numpy().tolist() == [[2.0, 4.0], [6.0, 8.0]]


@pytest.mark.parametrize(
    "run",
    [
        lambda x, **how: tf.map_fn(lambda a: a * a, x, **how),
        lambda x, **how: tf.scan(lambda a, b: a * b, x, **how),
        lambda x, **how: tf.foldl(lambda a, b: a * b, x, **how),
        lambda x, **how: tf.foldr(lambda a, b: a * b, x, **how),
        lambda x, **how: tf.compat.v1.map_fn(lambda a: (a, a * a), x, (x.dtype,) * 2, **how)[1],
        lambda x, **how: tf.while_loop(lambda a: a[0] < 5.0, lambda a: (a * a,), (x,), **how)[0],
    ],
)
def test_back_prop(run: Any) -> None:
    """In graphs no gradient goes through what needs none; in eager mode it does, as in TensorFlow."""

    def is_followed(x: Any, **how: Any) -> bool:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = run(x, **how)
        return tape.gradient(y, x) is not None

    x = tf.constant([2.0, 3.0])
    assert is_followed(x, back_prop=False)
    for back_prop in (True, False):
        traced = tf.function(lambda x: is_followed(x, back_prop=back_prop))
        assert traced(x).numpy() == back_prop
        with tf.Graph().as_default():
            placed = tf.compat.v1.placeholder(tf.float32, [2])
            assert (tf.gradients(run(placed, back_prop=back_prop), placed) != [None]) == back_prop


def test_branches_give_slices_of_a_shape_that_is_known_when_they_run() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, 2]), tf.TensorSpec([None], tf.int32)])
    def f(x: Any, i: Any) -> Any:
        shape = tf.stack([tf.shape(x)[0] * 2, 2])
        ways = [lambda: tf.IndexedSlices(x * x, i, shape), lambda: tf.IndexedSlices(x, i, shape)]
        slices = tf.cond(tf.reduce_sum(x) > 0.0, ways[0], ways[1])
        assert repr(tf.IndexedSlices(x, i, shape)).endswith("dense_shape=(None, 2))")
        return tf.convert_to_tensor(slices)

    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, tf.constant([0, 3]))
    assert y.numpy().tolist() == [[1.0, 4.0], [0.0, 0.0], [0.0, 0.0], [9.0, 16.0]]
    assert tape.gradient(y, x).numpy().tolist() == [[2.0, 4.0], [6.0, 8.0]]


# ---- programs of version 1 -----------------------------------------------------------------------


@pytest.mark.parametrize("use_resource", [False, True])
def test_branches_of_a_session_that_give_operations(use_resource: bool) -> None:
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        with v1.variable_scope("", use_resource=use_resource):
            v = v1.get_variable("v", initializer=1.0)
        session.run(v.initializer)
        pred = v1.placeholder(tf.bool, [])
        one = v1.cond(pred, lambda: v.assign_add(1.0).op, tf.no_op)
        grouped = v1.cond(
            pred, lambda: tf.group(v1.assign(v, 7.0)), lambda: tf.group(v1.assign(v, 8.0))
        )
        assert session.run(one, {pred: False}) is np.False_
        assert session.run(v) == 1.0
        assert session.run(one, {pred: True}) is np.True_
        assert session.run(v) == 2.0
        for choice, value in ((True, 7.0), (False, 8.0)):
            session.run(grouped, {pred: choice})
            assert session.run(v) == value
        chosen = tf.switch_case(v1.placeholder_with_default(2, []), [tf.no_op] * 4)
        assert session.run(chosen) == 2


def test_what_branches_and_loops_of_a_session_assign_before() -> None:
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", initializer=1.0)
        session.run(v.initializer)
        pred = v1.placeholder(tf.bool, [])

        def counted(amount: float, value: Any) -> Any:
            with tf.control_dependencies([v.assign_add(amount)]):
                return tf.identity(value)

        chosen = v1.cond(pred, lambda: counted(1.0, 5.0), lambda: tf.constant(0.0))
        assert session.run([chosen, v], {pred: True})[0] == 5.0
        assert session.run(v) == 2.0
        session.run(chosen, {pred: False})
        assert session.run(v) == 2.0
        loop = v1.while_loop(lambda i: i < 3, lambda i: [counted(2.0, i + 1)], [0])
        assert session.run(loop) == 3
        assert session.run(v) == 8.0


def test_a_loop_that_draws_is_stateful() -> None:
    with tf.Graph().as_default() as graph:
        tf.while_loop(lambda x: x < 3.0, lambda x: [x + tf.random.uniform([])], [0.0])
        tf.while_loop(lambda x: x < 3.0, lambda x: [x + 1.0], [0.0])
        types = [op.type for op in graph.get_operations() if op.type.endswith("While")]
    assert types == ["While", "StatelessWhile"]


def test_rows_of_ragged_loop_variables_keep_their_number() -> None:
    rows = tf.ragged.constant([[1, 2], [3]])

    @tf.function
    def doubled(rows: Any) -> Any:
        return tf.while_loop(
            lambda i, x: i < 2, lambda i, x: (i + 1, tf.concat([x, rows], 1)), (0, rows)
        )

    assert doubled(rows)[1].to_list() == [[1, 2] * 3, [3] * 3]


def test_cases_of_a_session_check_their_conditions() -> None:
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.int32, [])
        high, middle = (x > 5, lambda: tf.constant(1)), (x > 2, lambda: tf.constant(2))
        alone = v1.case([high, middle], default=lambda: tf.constant(3), exclusive=True)
        certain = v1.case([high, middle])
        assert [session.run(alone, {x: 4}), session.run(certain, {x: 9})] == [2, 1]
        with pytest.raises(tf.errors.InvalidArgumentError, match="more than 1 conditions"):
            session.run(alone, {x: 9})
        with pytest.raises(tf.errors.InvalidArgumentError, match="None of conditions"):
            session.run(certain, {x: 0})


def test_a_scan_of_nothing_has_the_shape_of_what_it_began_with() -> None:
    """In eager mode, too; a step of another shape is refused, unless shapes are not inferred."""
    rows = tf.zeros([0, 3])

    def scanned(rows: Any) -> Any:
        return tf.scan(lambda a, r: a + tf.reduce_sum(r), rows, initializer=tf.zeros([2]))

    assert scanned(rows).shape == tf.function(scanned)(rows).shape == [0, 2]
    with pytest.raises(ValueError, match="shape"):
        tf.scan(lambda a, r: a + r, tf.zeros([1, 3]), initializer=0.0)
    wider = tf.scan(lambda a, r: a + r, tf.zeros([1, 3]), initializer=0.0, infer_shape=False)
    assert wider.shape == [1, 3]


@pytest.mark.parametrize("kind", ["branch", "loop", "batch"])
def test_a_gradient_taken_further_inside_has_a_gradient(kind: str) -> None:
    """The argument enters the inner graph in two ways, by the user's tensor and by the rules: once."""

    def slope(y: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(y)
            z = y * y * 2.0
        if kind == "branch":
            return tf.cond(tf.reduce_sum(y) > 0, lambda: tape.gradient(z, y), lambda: y)
        if kind == "batch":
            return tf.reduce_sum(tape.batch_jacobian(z, y), 2)
        return tf.while_loop(
            lambda i, a: i < 1, lambda i, a: (i + 1, a + tape.gradient(z, y)), (0, tf.zeros_like(y))
        )[1]

    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])
    def curvature(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.cond(tf.reduce_sum(x) > 0, lambda: slope(x), lambda: x)
        return tape.gradient(y, x)

    assert curvature(tf.ones([2, 3])).numpy().tolist() == [[4.0] * 3] * 2


def test_arrays_have_no_gradient_of_their_own() -> None:
    """As in TensorFlow 2; the error says that none is needed."""
    with pytest.raises(NotImplementedError, match="go through TensorArrays"):
        tf.TensorArray(tf.float32, 1).grad("gradients")


# ---- what a branch that was not taken hands out ---------------------------------------------------

NOT_TAKEN: list[Body] = [
    lambda x, _: tf.cond(tf.reduce_sum(x) > 0.0, lambda: x * 2.0, lambda: tf.tanh(x) * x) * x,
    lambda x, _: tf.cond(tf.reduce_sum(x) > 9.0, lambda: x * 2.0, lambda: x / (1.0 + x * x)),
    lambda x, c: tf.switch_case(
        tf.constant(1),
        [
            lambda: tf.sin(x) * tf.reduce_sum(x, 1, keepdims=True),
            lambda: x * x * x * c,
            lambda: tf.matmul(x, x, transpose_b=True) @ x,
        ],
    ),
]


def along(f: Body, x: Any, c: Any, vs: Any, modes: str) -> Any:
    """A derivative of high order along some directions, each in reverse or in forward mode."""
    if not modes:
        return tf.reduce_sum(f(x, c))
    if modes[0] == "g":
        slope = tf.gradients(along(f, x, c, vs[1:], modes[1:]), x)[0]
        return tf.reduce_sum(slope * vs[0])
    with tf.autodiff.ForwardAccumulator(x, vs[0]) as forward:
        y = along(f, x, c, vs[1:], modes[1:])
    return forward.jvp(y)


@pytest.mark.parametrize("modes", ["gggg", "gfgg", "gggf", "fggf"])
@pytest.mark.parametrize("f", NOT_TAKEN, ids=range(len(NOT_TAKEN)))
def test_high_orders_of_branches_of_unknown_sizes(f: Body, modes: str) -> None:
    """What depends on the other branch is nothing, of whatever dtype its zeros have become."""
    rng = np.random.default_rng(7)
    x, *vs = rng.normal(size=[5, 2, 2])
    found = []
    for shape in ([2, 2], [None, None]):
        with tf.Graph().as_default(), v1.Session() as session:
            place = v1.placeholder(F64, shape)
            y = along(f, place, tf.constant(1.5, F64), [tf.constant(v, F64) for v in vs], modes)
            found.append([session.run(y, {place: x}) for _ in range(2)])
    np.testing.assert_allclose(found[1], found[0], rtol=1e-10)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_a_loop_through_which_nothing_flows(order: int) -> None:
    """Its gradient carries nothing, and that of its gradient has only a stack to count by."""
    table = tf.constant([1.0, 2.0, 3.0])

    def body(i: Any, x: Any) -> Any:
        return i + 1, tf.gather(table, tf.cast(x * 0.0, tf.int32))

    def derived(x: Any) -> Any:
        y = tf.while_loop(lambda i, _: i < 2, body, [0, x * x])[1]
        for _ in range(order):
            y = tf.gradients(y, x, unconnected_gradients="zero")[0]
        return y

    assert not np.any(tf.function(derived)(tf.constant([0.3, 0.5, 0.8])))


@pytest.mark.parametrize("jit", [None, True])
def test_branches_whose_rows_are_numbered_otherwise(jit: bool | None) -> None:
    """Indices in int32 in one and int64 in another are int64 in both, also inside of a structure, and differentiable."""
    at = {dtype: tf.constant([2, 0], dtype) for dtype in (tf.int32, tf.int64)}

    def rows(x: Any, dtype: Any) -> tf.IndexedSlices:
        return tf.IndexedSlices(x * float(dtype.size), at[dtype], (3, 2))

    @tf.function(jit_compile=jit)
    def chosen(which: Any, x: Any) -> Any:
        one = lambda: {"a": x, "b": rows(x, tf.int32), "c": rows(x, tf.int32)}  # noqa: E731
        other = lambda: {"a": -x, "b": rows(x, tf.int64), "c": rows(x, tf.int32)}  # noqa: E731
        by_index = tf.switch_case(which, [other, one, other])
        return tf.cond(which > 0, one, other), by_index

    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    for which, size in ((0, 8.0), (1, 4.0)):
        with tf.GradientTape() as tape:
            tape.watch(x)
            found = chosen(tf.constant(which), x)
            total = tf.add_n(
                [tf.reduce_sum(tf.convert_to_tensor(part["b"]) ** 2) for part in found]
            )
        for part in found:
            assert (part["b"].indices.dtype, part["c"].indices.dtype) == (tf.int64, tf.int32)
            assert np.array_equal(part["b"].values, x * size)
            assert part["b"].indices.numpy().tolist() == [2, 0]
        assert np.array_equal(tape.gradient(total, x), 4.0 * size**2 * x)


def test_what_only_an_unused_result_of_a_branch_uses_has_zeros_in_a_function() -> None:
    """As in TensorFlow, whose operation gives every result a cotangent; whole numbers pass none on."""
    x, y, z = tf.constant([1.0, 2.0]), tf.constant(3.0), tf.constant(5.0)

    def gradients(whole: bool) -> list[Any]:
        other = tf.cast if whole else lambda v, _: v * 3.0
        nothing = tf.constant(1) if whole else tf.constant(1.0)

        @tf.function
        def run() -> Any:
            with tf.GradientTape() as tape:
                tape.watch([x, y, z])
                used, _ = tf.cond(
                    y > 0.0, lambda: (x * 2.0, other(z, tf.int32)), lambda: (x, nothing)
                )
                total = tf.reduce_sum(used)
            return tape.gradient(total, [x, y, z])

        return [None if g is None else g.numpy().tolist() for g in run()]

    assert gradients(whole=False) == [[2.0, 2.0], None, 0.0]
    assert gradients(whole=True) == [[2.0, 2.0], None, None]
