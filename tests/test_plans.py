"""Plans and the engine that runs them: order, memory, what is known before, errors."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wengert as tf
from wengert.engines import numpy_engine
from wengert.engines.numpy_engine import NumpyPlan
from wengert.execution.plan import LARGE, Plan

v1 = tf.compat.v1


@pytest.fixture
def graph() -> Iterator[Any]:
    with tf.Graph().as_default() as made:
        yield made


def run(fetches: Any, feeds: dict[Any, Any]) -> list[Any]:
    """What the program of a plan computes; the first run only checks, step by step."""
    compiled = NumpyPlan(Plan(fetches, list(feeds)))
    compiled(list(feeds.values()))
    return compiled(list(feeds.values()))


X = np.array([1.0, 2.0, 3.0])


def test_only_what_is_needed_runs(graph: Any) -> None:
    x: Any = v1.placeholder(tf.float64, [3])
    y = x * 2.0
    tf.debugging.check_numerics(x / 0.0, "must not run")
    plan = Plan([y], [x])
    assert [op.type for op in plan.steps] == ["Mul"]
    assert run([y], {x: X})[0].tolist() == [2.0, 4.0, 6.0]


def test_a_fed_result_is_not_computed(graph: Any) -> None:
    x: Any = v1.placeholder(tf.float64, [3])
    h = tf.exp(x)
    assert run([h + 1.0], {h: X})[0].tolist() == [2.0, 3.0, 4.0]


def test_what_is_known_is_computed_once(graph: Any) -> None:
    x: Any = v1.placeholder(tf.float64, [3])
    known = tf.exp(tf.constant(X)) + tf.ones_like(x)
    plan = Plan([x * known], [x])
    assert [op.type for op in plan.steps] == ["Mul"]
    np.testing.assert_allclose(run([x * known], {x: X})[0], X * (np.exp(X) + 1))


def test_of_which_only_the_shape_is_wanted_is_not_computed(graph: Any) -> None:
    """So a session is not asked for what a gradient does not depend on: TensorFlow's constants."""
    x, w = v1.placeholder(tf.float64, [3]), v1.get_variable("w", [3], tf.float64)
    (slope,) = tf.gradients(tf.reduce_mean(x * w + tf.exp(x) * tf.zeros_like(w)), w)
    like: Any = tf.ones_like(tf.exp(w)), tf.shape(tf.exp(x))
    assert not Plan(like).steps
    assert not Plan(like).given
    with v1.Session() as session:
        assert [r.tolist() for r in session.run(like)] == [[1.0, 1.0, 1.0], [3]]
        np.testing.assert_allclose(session.run(slope, {x: X}), X / 3)
        with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value w"):
            session.run(tf.exp(w) * like[0])


def test_what_is_fed_is_not_known(graph: Any) -> None:
    c = tf.constant(X)
    y = c * 2.0
    assert run([y], {c: X + 1})[0].tolist() == [4.0, 6.0, 8.0]


def test_large_results_and_failures_are_left_for_the_run(graph: Any) -> None:
    large: Any = tf.zeros([LARGE // 4 + 1]) + 1.0
    failing: Any = tf.debugging.check_numerics(tf.constant([1.0]) / 0.0, "planted")
    assert [op.type for op in Plan([large], []).steps] == ["AddV2"]
    assert [op.type for op in Plan([failing], []).steps] == ["CheckNumerics"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="planted"):
        run([failing], {})


def test_random_numbers_are_not_known(graph: Any) -> None:
    x = tf.random.uniform([4], seed=1)
    session = v1.Session()
    assert session.run(x).tolist() != session.run(x).tolist()


def test_an_operand_that_is_needed_again_is_not_overwritten(graph: Any) -> None:
    x: Any = v1.placeholder(tf.float64, [3])
    a = x * 2.0
    b = a + 1.0
    c = a * b
    got = run([c, a, b, x], {x: X})
    assert [g.tolist() for g in got] == [
        (2 * X * (2 * X + 1)).tolist(),
        (2 * X).tolist(),
        (2 * X + 1).tolist(),
        X.tolist(),
    ]


def test_feeds_and_constants_are_not_overwritten(graph: Any) -> None:
    x: Any = v1.placeholder(tf.float64, [3])
    c = tf.constant(X)
    given_value = X.copy()
    compiled = NumpyPlan(Plan([(x + c) * (x - c)], [x]))
    for _ in range(2):
        assert compiled([given_value])[0].tolist() == [0.0, 0.0, 0.0]
    assert given_value.tolist() == X.tolist()


def test_views_keep_their_arrays(graph: Any) -> None:
    """The result of a reshape is a view: what it looks at must not be written to."""
    x: Any = v1.placeholder(tf.float64, [4])
    a = x * 2.0
    seen = tf.reshape(a, [2, 2])
    b = a + 1.0
    got = run([seen, b * 3.0], {x: np.arange(4.0)})
    assert got[0].tolist() == [[0.0, 2.0], [4.0, 6.0]]


def test_pieces_hand_over_what_crosses(graph: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    x: Any = v1.placeholder(tf.float64, [3])
    y, kept = x, []
    for i in range(20):
        y = tf.sin(y) + x
        kept.append(y * float(i))
    fetches = [y, tf.add_n(kept)]
    whole = run(fetches, {x: X})
    monkeypatch.setattr(numpy_engine, "PIECE", 3)
    for got, want in zip(run(fetches, {x: X}), whole, strict=True):
        np.testing.assert_array_equal(got, want)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from("+-*smr"), st.integers(0, 99), st.integers(0, 99)), max_size=30
    ),
    st.integers(1, 7),
)
def test_random_programs(program: list[tuple[str, int, int]], piece: int) -> None:
    """Whatever is reused, dropped, overwritten or cut: the numbers are those of eager mode."""

    def values(x: Any) -> list[Any]:
        made = [x, tf.constant(X)]
        for kind, i, j in program:
            a, b = made[i % len(made)], made[j % len(made)]
            made.append(
                {
                    "+": lambda: a + b,
                    "-": lambda: a - b,
                    "*": lambda: a * b * 0.5,
                    "s": lambda: tf.sin(a),
                    "m": lambda: tf.maximum(a, b),
                    "r": lambda: tf.reverse(tf.reshape(a, [1, 3]), [1])[0] + b,
                }[kind]()
            )
        return made

    eager = values(tf.constant(X + 0.5))
    before = numpy_engine.PIECE
    numpy_engine.PIECE = piece  # type: ignore[misc]
    try:
        with tf.Graph().as_default():
            x: Any = v1.placeholder(tf.float64, [3])
            fetches = values(x)
            got = run(fetches[1::2] + fetches[-1:], {x: X + 0.5})
    finally:
        numpy_engine.PIECE = before  # type: ignore[misc]
    for a, b in zip(got, eager[1::2] + eager[-1:], strict=True):
        np.testing.assert_array_equal(a, b)


def test_values_are_dropped_after_their_last_use(graph: Any) -> None:
    """A chain of 30 results of 8 MB never holds more than a few at once."""
    x: Any = v1.placeholder(tf.float64, [1_000_000])
    y = x
    for i in range(30):
        y = tf.cumsum(y) if i % 2 else tf.exp(y * 1e-9)
    total: Any = tf.reduce_sum(y)
    compiled = NumpyPlan(Plan([total], [x]))
    value = np.zeros(1_000_000)
    tracemalloc.start()
    try:
        compiled([value])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 4 * 8e6


def test_errors_name_the_operation_and_the_users_line(graph: Any) -> None:
    x: Any = v1.placeholder(tf.float32)
    y = tf.add(x, tf.constant([1.0, 2.0]), name="sum")  # the line in the message
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        v1.Session().run(y, {x: [1.0, 2.0, 3.0]})
    message = str(caught.value)
    assert message.startswith("Incompatible shapes: [3] vs. [2]")
    assert f"[[node sum (defined at {__file__}:" in message
    assert caught.value.op is y.op


def test_control_input_added_to_an_older_operation(graph: Any) -> None:
    order: list[str] = []

    def noted(name: str) -> Any:
        def note(a: Any) -> Any:
            order.append(name)
            return a

        return tf.numpy_function(note, [tf.constant(1.0)], tf.float32)

    first, second = noted("first"), noted("second")
    first.op._add_control_input(second.op)
    order.clear()
    v1.Session().run([first, second])
    assert order == ["second", "first"]
    second.op._add_control_input(first.op)
    with pytest.raises(ValueError, match="cycle"):
        v1.Session().run([first, second])
