"""Gradients overridden where operations are made, and where the gradient is taken."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.errors import GradientCountError, GradientShapeError, NoGradientError, OverrideError

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
        assert y.op.get_attr("_gradient_op_type") == "TestSub"
        with pytest.raises(ValueError, match="no attr named '_gradient_op_type'"):
            z.op.get_attr("_gradient_op_type")


@tf.RegisterGradient("TestSubReversed")
def _sub(op: Any, grad: Any) -> Any:
    return grad, -grad


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


def test_value_that_cannot_be_found() -> None:
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        z = x + 1.0
        tape.watch(z)
        h = z + 1.0
        y = tf.nn.relu(h)
    w = tf.constant(1.0)
    with pytest.raises(OverrideError, match="the tape did not keep"):
        tape.gradient(y, w, overrides={"Relu": lambda op, grad: grad * op.inputs[0]})


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
        weight = v if run is not in_a_session else tf.Variable(2.0, dtype=tf.float64, name="weight")
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
