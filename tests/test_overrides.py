"""Gradients overridden where operations are made, and where the gradient is taken."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.errors import (
    GradientCountError,
    GradientDTypeError,
    GradientShapeError,
    NoGradientError,
    OverrideError,
)

v1 = tf.compat.v1


# ---- the same program in the three modes ------------------------------------------------------


def in_eager(f: Callable[..., Any], arrays: Sequence[Any], **options: Any) -> tuple[Any, list[Any]]:
    xs = [tf.constant(a) for a in arrays]
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = f(*xs)
    return y.numpy(), [g.numpy() for g in tape.gradient(y, xs, **options)]


def outside_a_function(f: Any, arrays: Sequence[Any], **options: Any) -> tuple[Any, list[Any]]:
    return in_eager(tf.function(f), arrays, **options)


def inside_a_function(f: Any, arrays: Sequence[Any], **options: Any) -> tuple[Any, list[Any]]:
    @tf.function
    def both(*xs: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(xs)
            y = f(*xs)
        return y, tape.gradient(y, list(xs), **options)

    y, gradients = both(*[tf.constant(a) for a in arrays])
    return y.numpy(), [g.numpy() for g in gradients]


def in_a_session(f: Any, arrays: Sequence[Any], **options: Any) -> tuple[Any, list[Any]]:
    with tf.Graph().as_default():
        xs = [v1.placeholder(np.asarray(a).dtype, np.shape(a)) for a in arrays]
        y = f(*xs)
        gradients = tf.gradients(y, xs, **options)
        with v1.Session() as session:
            return session.run((y, gradients), dict(zip(xs, arrays, strict=True)))


MODES = [in_eager, outside_a_function, inside_a_function, in_a_session]
every_mode = pytest.mark.parametrize("run", MODES, ids=lambda run: run.__name__)

X = np.array([-2.0, -0.5, 0.7, 3.0])
M = np.array([[1.0, 2.0], [3.0, -1.0]])


# ---- where operations are made ----------------------------------------------------------------


@tf.RegisterGradient("TestGuided")
def _guided(op: Any, grad: Any) -> Any:
    """Guided backprop: nothing flows where the input or the gradient is negative."""
    return tf.where((grad > 0.0) & (op.outputs[0] > 0.0), grad, tf.zeros_like(grad))


@every_mode
def test_guided_backprop_by_the_map(run: Any) -> None:
    weights = np.array([1.0, 2.0, -3.0, 4.0])

    def f(x: Any) -> Any:
        with tf.gradient_override_map({"Relu": "TestGuided"}):
            return tf.reduce_sum(tf.nn.relu(x) * weights)

    y, (g,) = run(f, [X])
    assert y == np.sum(np.maximum(X, 0) * weights)
    np.testing.assert_array_equal(g, [0, 0, 0, 4])


@every_mode
def test_straight_through_estimator(run: Any) -> None:
    """Round has no gradient; it takes that of Identity."""

    def f(x: Any) -> Any:
        with v1.get_default_graph().gradient_override_map({"Round": "Identity"}):
            rounded = tf.round(x)
        return tf.reduce_sum(rounded * rounded)

    y, (g,) = run(f, [X])
    assert y == np.sum(np.round(X) ** 2)
    np.testing.assert_array_equal(g, 2 * np.round(X))


@pytest.mark.parametrize("typed", ["Matmul", "sign", "conv2d"])
def test_a_type_in_other_letters_is_asked_about(typed: str) -> None:
    with pytest.warns(tf.errors.GradientWarning, match=f"names {typed!r}.*Did you mean"):
        with tf.gradient_override_map({typed: "Identity"}):
            pass
    with tf.gradient_override_map({"NotYetRegistered": "Identity", "Select": "Identity"}):
        pass  # one of their own, and one of old programs: warnings are errors in the tests


def test_map_of_another_graph() -> None:
    """A graph's map holds for its own operations: eager ones, and those of a function, are not in it."""
    for f in (tf.round, tf.function(tf.round)):
        with tf.GradientTape() as tape, tf.Graph().gradient_override_map({"Round": "Identity"}):
            tape.watch(x := tf.constant(2.5))
            y = f(x)
        assert tape.gradient(y, x) is None


@every_mode
def test_gradient_reversal(run: Any) -> None:
    def f(x: Any) -> Any:
        with tf.gradient_override_map({"Identity": lambda op, grad: -2.0 * grad}):
            back = tf.identity(x)
        return tf.reduce_sum(back * back)

    _, (g,) = run(f, [X])
    np.testing.assert_array_equal(g, -4.0 * X)


def test_map_of_the_graph_holds_for_the_graph_alone() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.constant(3.0)
        with graph.gradient_override_map({"Sub": "TestSub"}):
            y = x - 1.0
        z = x - 1.0
        assert y.op.get_attr("_gradient_op_type") == b"TestSub"
        with pytest.raises(ValueError, match="no attr named '_gradient_op_type'"):
            z.op.get_attr("_gradient_op_type")


@tf.RegisterGradient("TestSubReversed")
def _sub(op: Any, grad: Any) -> Any:
    return grad, -grad


@pytest.mark.parametrize(("older", "newer"), [("Add", "AddV2"), ("Sub", "Sub"), ("Div", "RealDiv")])
def test_a_map_to_an_operation_by_its_older_name(older: str, newer: str) -> None:
    """As ternary weights have it: {"Sign": "Identity", "Mul": "Add"}."""
    x, w = tf.fill([3], 2.0), tf.fill([3], 5.0)
    found = []
    for name in (older, newer):
        with tf.GradientTape() as tape:
            tape.watch([x, w])
            with tf.gradient_override_map({"Mul": name}):
                y = x * w
        found.append([g.numpy().tolist() for g in tape.gradient(y, [x, w])])
    assert found[0] == found[1]
    if older == "Add":
        assert found[0] == [[1.0] * 3] * 2


def test_sub_registered_for_a_renamed_operation() -> None:
    with tf.Graph().as_default() as graph:
        x, z = tf.constant(3.0), tf.constant(2.0)
        with graph.gradient_override_map({"Sub": "TestSubReversed"}):
            y = tf.subtract(x, z, name="difference")
        assert v1.Session().run([y, *tf.gradients(y, [x, z])]) == [1.0, 1.0, -1.0]


def test_type_of_the_gradient_may_be_set_later() -> None:
    with tf.Graph().as_default():
        x = tf.constant(3.0)
        y = tf.square(x)
        y.op._set_attr("_gradient_op_type", b"TestTenfold")
        assert v1.Session().run(tf.gradients(y, x)) == [10.0]


@tf.RegisterGradient("TestTenfold")
def _tenfold(op: Any, grad: Any) -> Any:
    return 10.0 * grad


def test_gradient_that_is_not_registered() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.constant(3.0)
        with graph.gradient_override_map({"Square": "NobodyKnowsThis"}):
            y = tf.square(x)
        with pytest.raises(NoGradientError, match="NobodyKnowsThis"):
            tf.gradients(y, x)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([("a", "b")], "`op_type_map` must be a dictionary mapping strings to strings"),
        ({1: "a"}, "Keys in op_type_map must be strings"),
        ({"Relu": 3}, "Values in op_type_map must be strings"),
    ],
)
def test_what_a_map_must_be(given: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message), tf.gradient_override_map(given):
        pass


def test_maps_nest_and_end() -> None:
    x = tf.constant(3.0)

    def slope() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.square(x)
        return tape.gradient(y, x).numpy()

    with tf.gradient_override_map({"Square": lambda op, g: g * 10.0}):
        assert slope() == 10.0  # the tape may be younger than the map
        with tf.gradient_override_map({"Square": lambda op, g: g * 20.0}):
            assert slope() == 20.0
        assert slope() == 10.0
    assert slope() == 6.0


HUNDREDFOLD = {"Sin": lambda op, g: 100.0 * g}


@pytest.mark.parametrize(
    ("operation", "rules"),
    [
        (tf.sin, HUNDREDFOLD),
        (tf.sin, {"Sin": "Exp"}),
        (lambda v: tf.linalg.matmul(v * M, M), {"MatMul": lambda op, g: [2.0 * g, None]}),
        (tf.math.cumsum, {"Cumsum": lambda op, g: [3.0 * g, None]}),
    ],
    ids=["function", "other", "matmul", "cumsum"],
)
def test_a_map_holds_in_batches_and_forward(operation: Any, rules: Any) -> None:
    """Where a rule is reached: by a tape within a batch, around it, forward, and forward over a batch."""
    x = tf.constant(X)

    def one(v: Any) -> Any:
        with tf.gradient_override_map(rules):
            return tf.reduce_sum(operation(tf.stack([v, 2.0 * v])))

    want = np.stack([tf.grad(one)(v).numpy() for v in x])
    assert (
        np.abs(
            want
            - np.stack(
                [tf.grad(lambda v: tf.reduce_sum(operation(tf.stack([v, 2.0 * v]))))(v) for v in x]
            )
        ).max()
        > 0.1
    )
    np.testing.assert_allclose(tf.vectorized_map(tf.grad(one), x), want, rtol=1e-12)
    np.testing.assert_allclose(tf.vmap(tf.grad(one))(x), want, rtol=1e-12)
    np.testing.assert_allclose(
        tf.grad(lambda x: tf.reduce_sum(tf.vectorized_map(one, x)))(x), want, rtol=1e-12
    )
    for f in (
        lambda x: tf.stack([one(v) for v in tf.unstack(x)]),
        lambda x: tf.vectorized_map(one, x),
    ):
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
            y = f(x)
        np.testing.assert_allclose(accumulator.jvp(y), want, rtol=1e-12)


def gradient_of(f: Callable[..., Any], array: Any = X) -> Any:
    """The gradient of the sum of the results."""
    return in_eager(f, [array])[1][0]


def test_a_function_is_traced_for_the_rules_in_force() -> None:
    inner = tf.function(tf.sin)
    outer = tf.function(lambda x: inner(x) * 2.0)
    later = tf.function(tf.sin)
    gradient_of(outer)
    for _ in range(3):  # the rules are those of the step before: nothing is traced once more
        with tf.gradient_override_map(HUNDREDFOLD):
            np.testing.assert_allclose(gradient_of(inner), np.full_like(X, 100.0))
            np.testing.assert_allclose(gradient_of(outer), np.full_like(X, 200.0))
            np.testing.assert_allclose(gradient_of(later), np.full_like(X, 100.0))
        np.testing.assert_allclose(gradient_of(inner), np.cos(X))
        np.testing.assert_allclose(gradient_of(outer), 2.0 * np.cos(X))
        np.testing.assert_allclose(gradient_of(later), np.cos(X))
    assert [f.experimental_get_tracing_count() for f in (inner, outer, later)] == [2, 2, 2]


def test_a_map_inside_and_around_a_function() -> None:
    inner = tf.function(tf.sin)

    @tf.function
    def both(x: Any) -> Any:
        with tf.gradient_override_map(HUNDREDFOLD):
            y = inner(x)
        return y + inner(x)

    np.testing.assert_allclose(gradient_of(both), 100.0 + np.cos(X))
    with tf.gradient_override_map(HUNDREDFOLD):
        np.testing.assert_allclose(gradient_of(both), np.full_like(X, 200.0))
    with tf.gradient_override_map({"Sin": "Identity"}):  # the inner map is the stronger one
        np.testing.assert_allclose(gradient_of(both), np.full_like(X, 101.0))


def test_a_map_around_a_function_that_takes_gradients() -> None:
    first = tf.function(lambda x: gradient_within(tf.sin, x))
    x = tf.constant(X)
    for _ in range(2):
        np.testing.assert_allclose(first(x), np.cos(X))
        with tf.gradient_override_map(HUNDREDFOLD):
            np.testing.assert_allclose(first(x), np.full_like(X, 100.0))


def gradient_within(f: Callable[..., Any], x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


def test_rules_of_the_gradient_of_a_trace_are_those_in_force_when_it_is_taken() -> None:
    """Second order: the first gradient of sin is a Cos, whose rule the map replaces."""

    def second(f: Callable[..., Any], rules: Any) -> Any:
        x = tf.constant(X)
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = f(x)
            with tf.gradient_override_map(rules):
                first = inner.gradient(y, x)
        return outer.gradient(first, x).numpy()

    f = tf.function(tf.sin)
    for rules in ({"Cos": lambda op, g: 7.0 * g}, {}, {"Cos": lambda op, g: 5.0 * g}, {}):
        np.testing.assert_allclose(second(f, rules), second(tf.sin, rules))


def test_traces_in_a_graph_with_a_map_of_its_own() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.constant(X)
        f = tf.function(tf.sin)
        plain = f(x)
        with tf.gradient_override_map(HUNDREDFOLD):
            mapped = f(x)
        with graph.gradient_override_map(HUNDREDFOLD):  # which is for this graph alone
            called = f(x)
        gradients = [tf.gradients(y, x)[0] for y in (plain, mapped, called, f(x))]
        with v1.Session() as session:
            found = session.run(gradients)
    hundreds = np.full_like(X, 100.0)
    for g, wanted in zip(found, (np.cos(X), hundreds, np.cos(X), np.cos(X)), strict=True):
        np.testing.assert_allclose(g, wanted)


BODIES: dict[str, Any] = {
    "cond": lambda x: tf.cond(x > -1.0, lambda: tf.sin(x), lambda: x),
    "case": lambda x: tf.switch_case(tf.cast(x * 0.0, tf.int32), [lambda: tf.sin(x), lambda: x]),
    "while": lambda x: tf.while_loop(lambda i, a: i < 1, lambda i, a: (i + 1, tf.sin(a)), (0, x))[
        1
    ],
    "map_fn": lambda x: tf.map_fn(tf.sin, x[None])[0],
    "function": lambda x: tf.function(tf.sin)(x),
}


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("sizes", [[], None])
def test_the_map_of_a_graph_is_for_its_own_operations(body: str, sizes: Any) -> None:
    """As in TensorFlow, whose branches and loops are other graphs; ours reaches into them."""

    def gradients(*maps: Any) -> Any:
        with tf.Graph().as_default() as graph:
            x = v1.placeholder(tf.float32, sizes)
            found = []
            for given in maps:
                with given(graph)(HUNDREDFOLD):
                    found += [tf.gradients(BODIES[body](x), x)[0]]
            return v1.Session().run(found, {x: 0.0})

    of_graph, ours = lambda graph: graph.gradient_override_map, lambda _: tf.gradient_override_map
    assert gradients(of_graph, ours, of_graph) == [1.0, 100.0, 1.0]
    v1.disable_control_flow_v2()
    try:
        assert not v1.control_flow_v2_enabled()
        assert gradients(of_graph) == [1.0 if body == "function" else 100.0]
    finally:
        v1.enable_control_flow_v2()


def test_the_innermost_map_holds() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.constant(0.0)
        with (
            graph.gradient_override_map(HUNDREDFOLD),
            tf.gradient_override_map({"Sin": "Identity"}),
        ):
            y = tf.sin(x)
        with tf.gradient_override_map(HUNDREDFOLD), graph.gradient_override_map({"Sin": "Cos"}):
            z = tf.sin(x)
        with v1.Session() as session:
            assert session.run(tf.gradients([y, z], x)) == [1.0]


def test_rules_without_a_hash() -> None:
    class Rule:
        __hash__ = None  # type: ignore[assignment]

        def __call__(self, op: Any, grad: Any) -> Any:
            return 3.0 * grad

    rule = Rule()
    f = tf.function(tf.sin)
    for _ in range(2):
        with tf.gradient_override_map({"Sin": rule}):
            np.testing.assert_allclose(gradient_of(f), np.full_like(X, 3.0))
    assert f.experimental_get_tracing_count() == 1


def test_rule_of_a_map_is_differentiated_again() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            with tf.gradient_override_map({"Square": lambda op, g: g * op.inputs[0] ** 3}):
                y = tf.square(x)
        g = inner.gradient(y, x)
    assert g.numpy() == 27.0
    assert outer.gradient(g, x).numpy() == 27.0


# ---- where the gradient is taken --------------------------------------------------------------


def network(x: Any) -> Any:
    """Code that somebody else wrote."""
    with tf.name_scope("first"):
        h = tf.nn.relu(x * 2.0, name="activation")
    with tf.name_scope("second"):
        h = tf.nn.relu(h - 1.0) * x
    return tf.reduce_sum(h)


@every_mode
def test_by_type(run: Any) -> None:
    _, (plain,) = run(network, [X])
    _, (g,) = run(network, [X], overrides={"Relu": lambda op, grad: grad})
    h = np.maximum(2 * X, 0) - 1
    np.testing.assert_allclose(plain, np.where(X > 0.5, 4 * X - 1, 0))
    np.testing.assert_allclose(g, np.maximum(h, 0) + 2 * X)


@every_mode
def test_by_name_scope_and_predicate(run: Any) -> None:
    of_first = {
        "first/": lambda region, grad: [grad * 100.0],
    }
    _, (g,) = run(network, [X], overrides=of_first)
    h = np.maximum(2 * X, 0) - 1
    expected = np.maximum(h, 0) + np.where(h > 0, X, 0) * 100
    np.testing.assert_allclose(g, expected)
    relus: list[str] = []

    def is_relu(op: Any) -> bool:
        if op.type == "Relu":
            relus.append(op.name)
        return op.type == "Relu"

    _, (g,) = run(network, [X], overrides=[(is_relu, lambda op, grad: grad)])
    np.testing.assert_allclose(g, np.maximum(h, 0) + 2 * X)
    assert relus


@every_mode
def test_by_registered_name(run: Any) -> None:
    weights = np.array([1.0, 2.0, -3.0, 4.0])
    _, (g,) = run(
        lambda x: tf.reduce_sum(tf.nn.relu(x) * weights), [X], overrides={"Relu": "TestGuided"}
    )
    np.testing.assert_array_equal(g, [0, 0, 0, 4])


def test_by_operation_name() -> None:
    with tf.Graph().as_default():
        x = tf.constant(X)
        y = network(x)
        (g,) = tf.gradients(y, x, overrides={"first/activation": lambda op, grad: grad})
        h = np.maximum(2 * X, 0) - 1
        expected = np.maximum(h, 0) + np.where(h > 0, X, 0) * 2
        np.testing.assert_allclose(v1.Session().run(g), expected)


@every_mode
def test_second_order_through_an_override(run: Any) -> None:
    """The rule x -> 3 x^2 g in place of 2 x g: its derivative is what the second order sees."""

    def f(x: Any) -> Any:
        if run is in_a_session:
            (g,) = tf.gradients(tf.square(x), x, overrides={"Square": rule})
            return tf.reduce_sum(g)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.square(x))
        return tf.reduce_sum(tape.gradient(y, x, overrides={"Square": rule}))

    def rule(op: Any, grad: Any) -> Any:
        return 3.0 * op.inputs[0] * op.inputs[0] * grad

    y, (g,) = run(f, [X])
    np.testing.assert_allclose(y, np.sum(3 * X * X))
    np.testing.assert_allclose(g, 6 * X)


THROUGH: dict[str, Callable[[Any], Any]] = {
    "map_fn": lambda x: tf.map_fn(tf.sin, x),
    "while_loop": lambda x: tf.while_loop(
        lambda i, a: i < 3, lambda i, a: (i + 1, tf.sin(a)), (0, x)
    )[1],
    "scan": lambda x: tf.scan(lambda a, b: a * tf.sin(b), x),
    "foldl": lambda x: tf.foldl(lambda a, b: a + tf.sin(b), x),
    "cond": lambda x: tf.cond(x[0] > 0.0, lambda: tf.sin(x), lambda: x),
    "switch_case": lambda x: tf.switch_case(
        tf.cast(x[0], tf.int32), [lambda: x, lambda: tf.sin(x)]
    ),
    "cond in map_fn": lambda x: tf.map_fn(
        lambda v: tf.cond(v > 1.0, lambda: tf.sin(v), lambda: tf.sin(tf.sin(v))), x
    ),
    "function": tf.function(tf.sin),
}


@pytest.mark.parametrize("what", THROUGH)
def test_second_order_through_control_flow(what: str) -> None:
    rules = {"Sin": lambda op, g: g * op.inputs[0] ** 2}

    def second(x: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = THROUGH[what](x)
            first = inner.gradient(y, x, overrides=rules)
        return outer.gradient(first, x, overrides=rules)

    x = np.array([1.0, 2.0, 3.0])
    wanted = second(tf.constant(x)).numpy()
    np.testing.assert_allclose(tf.function(second)(tf.constant(x)).numpy(), wanted)
    with tf.Graph().as_default():
        given = v1.placeholder(tf.float64, [3])
        (first,) = tf.gradients(THROUGH[what](given), given, overrides=rules)
        (once_more,) = tf.gradients(first, given, overrides=rules)
        with v1.Session() as session:
            np.testing.assert_allclose(session.run(once_more, {given: x}), wanted)


def test_an_override_of_what_no_body_computes() -> None:
    @tf.function
    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.cond(x[0] > 0.0, lambda: tf.sin(x), lambda: x)
        return tape.gradient(y, x, overrides={"Cos": lambda op, g: g})

    with pytest.raises(OverrideError, match=r"'Cos' matched no operation.* Sin"):
        gradient(tf.constant([1.0, 2.0]))


def test_of_a_jacobian() -> None:
    x = tf.constant(X)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.nn.relu(x)
    jacobian = tape.jacobian(y, x, overrides={"Relu": lambda op, grad: grad * 5.0})
    np.testing.assert_array_equal(jacobian, np.diag(np.full(4, 5.0)))


def test_values_that_the_tape_did_not_keep_are_computed_again() -> None:
    """The tape keeps the result of Relu alone; the rule asks for the input."""
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.relu((x + 1.0) * 2.0)
    g = tape.gradient(y, x, overrides={"Relu": lambda op, grad: grad * op.inputs[0]})
    np.testing.assert_allclose(g, 2 * (X + 1) * 2)


def test_a_watched_value_is_kept_for_the_rules() -> None:
    """Addition saves nothing, and what was watched is neither a source nor alive elsewhere."""
    v = tf.Variable(1.0, dtype=tf.float64)
    with tf.GradientTape() as tape:
        z = tf.constant(X) * 3.0
        tape.watch(z)
        y = tf.nn.relu(z + v)
        del z
    g = tape.gradient(y, v, overrides={"Relu": lambda op, grad: grad * op.inputs[0]})
    np.testing.assert_allclose(g, np.sum(X * 3 + 1))


def test_constants_are_told_from_each_other() -> None:
    """Nobody follows them, but each is what it is for a rule that asks for it."""
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.nn.relu(x * 2.0 + 10.0)
    seen = []

    def rule(op: Any, grad: Any) -> Any:
        seen.append(op.inputs[0].numpy().tolist())
        return grad

    tape.gradient(y, x, overrides={"Relu": rule})
    assert seen == [[12.0, 14.0, 16.0]]
    both = tape.gradient(y, x, overrides={"AddV2": lambda op, g: (g * op.inputs[1], None)})
    np.testing.assert_array_equal(both, [20.0, 20.0, 20.0])


def test_what_a_variable_was_when_it_was_read() -> None:
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.nn.relu(v + v)
        v.assign([10.0, 20.0])
        y = y + tf.nn.relu(v + 1.0)
    seen = []
    tape.gradient(y, v, overrides={"Relu": lambda op, g: (seen.append(op.inputs[0].numpy()), g)[1]})  # type: ignore[func-returns-value]
    np.testing.assert_array_equal(seen, [[11.0, 21.0], [2.0, 4.0]])


def test_a_rule_that_reads_no_inputs_computes_none(monkeypatch: Any) -> None:
    """Their shapes and dtypes are known without."""
    x, w = tf.constant(np.ones((2, 3))), tf.constant(np.ones((3, 4)))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.relu(tf.matmul(x, w) + 1.0)
    monkeypatch.setattr("wengert.overrides.gradient_ops.computed_again", None)
    g = tape.gradient(y, x, overrides={"Relu": lambda op, g: g})
    np.testing.assert_array_equal(g, np.full((2, 3), 4.0))


def test_the_dtype_of_a_gradient_is_checked_where_the_input_was_not_kept() -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cast(x + 1.0, tf.float64)
    with pytest.raises(GradientDTypeError, match=r"of dtype float64 for input 0, .*float32\[2\]"):
        tape.gradient(y, x, overrides={"Cast": lambda op, g: g})


def test_forward_mode_through_a_value_that_is_computed_again() -> None:
    """The tangent of op.inputs[0] is there, although nothing kept the value."""
    x = tf.constant(X)
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.relu((x + 1.0) * 2.0)
        g = tape.gradient(y, x, overrides={"Relu": lambda op, grad: grad * op.inputs[0]})
    np.testing.assert_allclose(accumulator.jvp(g), np.full(4, 4.0))


# ---- regions ----------------------------------------------------------------------------------


def layer(image: Any, kernel: Any) -> Any:
    """A convolution and the eigenvalues of a symmetric matrix made of it, in one layer."""
    with tf.name_scope("spectral"):
        n = image.shape[0]
        patches = tf.stack([image[i : i + n - 1] for i in range(2)], axis=1)
        convolved = tf.reduce_sum(patches * kernel, axis=1)
        symmetric = tf.einsum("i,j->ij", convolved, convolved) + tf.eye(n - 1, dtype=image.dtype)
        return largest_eigenvalue(symmetric)


@tf.register_op("TestLargestEigenvalue")
def largest_eigenvalue(matrix: Any) -> Any:
    """It has no gradient: there is none to decorate."""
    return np.linalg.eigvalsh(matrix)[-1]


def formula(region: Any, grad: Any) -> list[Any]:
    """The largest eigenvalue of c c^T + 1 is |c|^2 + 1, and c a convolution."""
    assert region.name == "spectral"
    assert len(region.inputs) == 2
    assert len(region.outputs) == 1
    assert region.operations
    image, kernel = sorted(region.inputs, key=lambda t: -t.shape[0])
    n = image.shape[0]
    c = image[: n - 1] * kernel[0] + image[1:] * kernel[1]
    to_image = tf.concat([2.0 * c * kernel[0], [0.0]], 0) + tf.concat(
        [[0.0], 2.0 * c * kernel[1]], 0
    )
    to_kernel = tf.stack(
        [tf.reduce_sum(2.0 * c * image[: n - 1]), tf.reduce_sum(2.0 * c * image[1:])]
    )
    gradients = {n: grad * to_image, 2: grad * to_kernel}
    return [gradients[x.shape[0]] for x in region.inputs]


@every_mode
def test_scope_around_a_convolution_and_an_eigendecomposition(run: Any) -> None:
    image, kernel = np.array([0.5, -1.0, 2.0, 1.5]), np.array([0.7, -0.4])
    y, (to_image, to_kernel) = run(layer, [image, kernel], overrides={"spectral": formula})

    def value(image: Any, kernel: Any) -> Any:
        c = image[:-1] * kernel[0] + image[1:] * kernel[1]
        return c @ c + 1

    np.testing.assert_allclose(y, value(image, kernel))
    step = 1e-6
    for i in range(4):
        e = np.eye(4)[i] * step
        slope = (value(image + e, kernel) - value(image - e, kernel)) / (2 * step)
        np.testing.assert_allclose(to_image[i], slope, rtol=1e-6)
    for i in range(2):
        e = np.eye(2)[i] * step
        slope = (value(image, kernel + e) - value(image, kernel - e)) / (2 * step)
        np.testing.assert_allclose(to_kernel[i], slope, rtol=1e-6)


@every_mode
def test_region_with_a_variable_and_two_outputs(run: Any) -> None:
    with tf.init_scope():
        v = tf.Variable(2.0, dtype=tf.float64)

    def f(x: Any) -> Any:
        weight: Any = (
            v if run is not in_a_session else tf.Variable(2.0, dtype=tf.float64, name="weight")
        )
        if run is in_a_session:
            weight = weight.initialized_value()
        with tf.name_scope("block"):
            a = x * weight
            b = tf.sin(a)
        return tf.reduce_sum(a + 10.0 * b)

    def rule(region: Any, *grads: Any) -> Any:
        assert len(grads) == len(region.outputs) == 2
        return [sum(tf.reduce_sum(g) for g in grads) * tf.ones_like(i) for i in region.inputs]

    _, (g,) = run(f, [X], overrides={"block/": rule})
    np.testing.assert_allclose(g, np.full(4, 44.0))


def test_scope_that_is_left_and_entered_again() -> None:
    def f(x: Any) -> Any:
        with tf.name_scope("part"):
            a = x * 2.0
        b = tf.sin(a)
        with tf.name_scope("part/"):
            c = b * 3.0
        return tf.reduce_sum(c)

    with pytest.raises(OverrideError, match="a value leaves it, is used outside"):
        in_eager(f, [X], overrides={"part": lambda region, g: g})


@pytest.mark.parametrize("run", MODES, ids=lambda run: run.__name__)
def test_what_a_rule_of_a_region_returns_is_checked(run: Any) -> None:
    with pytest.raises(GradientCountError, match="The gradient of scope first"):
        run(network, [X], overrides={"first": lambda region, g: [g, g]})
    with pytest.raises(GradientShapeError, match="The gradient of scope first"):
        run(network, [X], overrides={"first": lambda region, g: [tf.reduce_sum(g)]})


# ---- what is wrong ----------------------------------------------------------------------------


@every_mode
def test_override_that_matches_nothing(run: Any) -> None:
    with pytest.raises(OverrideError, match=r"matched no operation.*Near it: .*Relu") as caught:
        run(network, [X], overrides={"Relo": lambda op, g: g})
    assert "gradient_override_map" in str(caught.value)
    with pytest.raises(OverrideError, match=r"Near it: .*second"):
        run(network, [X], overrides={"secnd/": lambda region, g: g})
    with pytest.raises(OverrideError, match="matched no operation"):
        run(network, [X], overrides=[(lambda op: False, lambda op, g: g)])


def test_ambiguous_override() -> None:
    def f(x: Any) -> Any:
        with tf.name_scope("Relu"):
            return tf.reduce_sum(tf.nn.relu(tf.nn.relu(x) * 2.0))

    with pytest.raises(OverrideError, match="means an operation as well as a name scope"):
        in_eager(f, [X], overrides={"Relu": lambda op, g: g})
    _, (g,) = in_eager(f, [X], overrides={("type", "Relu"): lambda op, g: g})
    np.testing.assert_array_equal(g, np.full(4, 2.0))


@pytest.mark.parametrize("given", [3, ["Relu"], {3: print}, {"Relu": 3}, {("kind", "x"): print}])
def test_what_overrides_must_be(given: Any) -> None:
    with pytest.raises(TypeError, match="override"):
        in_eager(network, [X], overrides=given)


def test_an_error_leaves_nothing_behind() -> None:
    with pytest.raises(OverrideError):
        in_eager(network, [X], overrides={"Nothing": lambda op, g: g})
    in_eager(network, [X])


def test_traced_gradient_of_a_function_is_kept_for_each_set_of_overrides() -> None:
    f = tf.function(network)
    x = tf.constant(X)
    calls = []

    def rule(op: Any, grad: Any) -> Any:
        calls.append(1)
        return grad

    for overrides in ({"Relu": rule}, None, {"Relu": rule}):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        tape.gradient(y, x, overrides=overrides)
    assert len(calls) == 2  # one for each Relu, traced once


def test_a_map_to_a_gradient_that_does_not_exist() -> None:
    """The error names the operation, as TensorFlow's does, and the gradient that it was given."""
    said = (
        r"No gradient defined for operation 'Relu' \(op type: Relu\): gradient registry has no "
        r"entry for: NotThere, which Relu was given in place of its own"
    )
    x = tf.constant([1.0])
    with tf.GradientTape() as tape, tf.gradient_override_map({"Relu": "NotThere"}):
        tape.watch(x)
        y = tf.nn.relu(x)
    with pytest.raises(NoGradientError, match=said):
        tape.gradient(y, x)
    with tf.Graph().as_default() as graph, graph.gradient_override_map({"Relu": "NotThere"}):
        x = tf.constant([1.0])
        y = tf.nn.relu(x)
        with pytest.raises(LookupError, match=said):
            tf.gradients(y, x)


@pytest.mark.parametrize("spec", [[None, None], None], ids=["size", "rank"])
def test_overrides_of_a_call_that_waits_for_shapes(spec: Any) -> None:
    """A product of unknown rank is one node, and the rule sees the operation inside."""
    rule = {
        "MatMul": lambda op, g: (
            7.0 * tf.ones_like(op.inputs[0]),
            7.0 * tf.ones_like(op.inputs[1]),
        )
    }

    def in_force(x: Any) -> Any:
        with tf.gradient_override_map(rule), tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.matmul(x, x)
        return tape.gradient(y, x)

    def given(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.matmul(x, x)
        return tape.gradient(y, x, overrides=rule)

    x = tf.ones([2, 2])
    for f in (in_force, given):
        traced = tf.function(f, input_signature=[tf.TensorSpec(spec)])
        for found in (f(x), traced(x), traced(x)):
            assert found.numpy().tolist() == [[14.0, 14.0], [14.0, 14.0]]


def test_what_is_made_without_a_rule_is_no_input_of_a_scope() -> None:
    """It may be a source all the same: what was asked to be watched is an input."""

    def gradients(watch: bool) -> list[Any]:
        x = tf.constant([1.4, 2.6])
        with tf.GradientTape() as tape:
            tape.watch(x)
            with tf.name_scope("part"):
                rounded = tf.round(x)
                if watch:
                    tape.watch(rounded)
                y = x * rounded
        found: list[Any] = []

        def rule(region: Any, grad: Any) -> Any:
            found.append(len(region.inputs))
            return [2.0 * grad for _ in region.inputs]

        return [*found, *tape.gradient(y, [x, rounded], overrides={"part": rule}), *found]

    slope, none, count = gradients(watch=False)
    np.testing.assert_array_equal(slope, [2.0, 2.0])
    assert none is None
    assert count == 1
    slope, other, count = gradients(watch=True)
    np.testing.assert_array_equal(slope, [2.0, 2.0])
    np.testing.assert_array_equal(other, [2.0, 2.0])
    assert count == 2


# ---- messages -----------------------------------------------------------------------------------


def _of_wrong_shape(op: Any, g: Any) -> Any:
    return tf.ones([3])


@pytest.mark.parametrize("way", ["eager", "function", "afterwards", "batch", "graph"])
@pytest.mark.parametrize("is_registered", [True, False])
def test_errors_name_the_rule_of_an_override(way: str, is_registered: bool) -> None:
    """And the line where it was written, also where the map says only its name."""
    rule: Any = _of_wrong_shape
    if is_registered:
        tf.RegisterGradient("TestOfWrongShape")(rule)
        rule = "TestOfWrongShape"
    block = {} if way == "afterwards" else {"Sin": rule}

    def program(x: Any) -> Any:
        with tf.gradient_override_map(block):
            return tf.sin(x)

    def run() -> Any:
        x = tf.ones([2, 2])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.vectorized_map(program, x) if way == "batch" else program(x)
        return tape.gradient(y, x, overrides=None if block else {"Sin": rule})

    def in_a_graph() -> Any:
        with tf.Graph().as_default():
            x = tf.compat.v1.placeholder(tf.float32, [2])
            return tf.gradients(program(x), x)

    named = "'TestOfWrongShape' " if is_registered else ""
    line = _of_wrong_shape.__code__.co_firstlineno
    said = rf"The gradient {named}of Sin \(written at {re.escape(__file__)}:{line}\) returned"
    with pytest.raises(ValueError, match=said):
        if way == "graph":
            in_a_graph()
        else:
            (tf.function(run) if way == "function" else run)()


def test_errors_name_the_function_that_is_passed_through() -> None:
    """It must have as many results as inputs."""

    def added(a: Any, b: Any) -> Any:
        return a + b

    x = tf.ones([2])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.grad_pass_through(added)(x, x)
    line = added.__code__.co_firstlineno
    with pytest.raises(ValueError, match=rf"grad_fn \({re.escape(__file__)}:{line}\) belongs to"):
        tape.gradient(y, x)
