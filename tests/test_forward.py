"""tf.autodiff.ForwardAccumulator, alone, nested in itself and with tapes."""

from __future__ import annotations

import gc
import math
import weakref
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.errors import GradientWarning

X = tf.constant(3.0)
ONE = tf.constant(1.0)


def push(f: Any, x: Any, t: Any) -> Any:
    with tf.autodiff.ForwardAccumulator(x, t) as forward:
        y = f(x)
    return forward.jvp(y)


def pull(f: Any, x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


def test_a_derivative_along_a_tangent() -> None:
    """d(x²) = 2x dx."""
    assert push(lambda x: x * x, X, tf.constant(2.0)).numpy() == 12.0


def test_structures_of_primals_and_results() -> None:
    """Tangents are nested as the primals, derivatives as the results."""
    x, y = tf.constant(2.0), tf.constant(5.0)
    with tf.autodiff.ForwardAccumulator([x, y], [ONE, tf.constant(10.0)]) as forward:
        z = {"product": x * y, "sum": [x + y]}
    jvp = forward.jvp(z)
    assert jvp["product"].numpy() == 25.0
    assert jvp["sum"][0].numpy() == 11.0
    assert forward.jvp(x).numpy() == 1.0


def test_variables_as_primals() -> None:
    """Reading a variable carries its tangent; a variable may be a tangent."""
    v = tf.Variable([1.0, 2.0])
    with tf.autodiff.ForwardAccumulator(v, tf.Variable([1.0, 0.0])) as forward:
        y = v * v
    assert forward.jvp(y).numpy().tolist() == [2.0, 0.0]


def test_unconnected_results() -> None:
    """None, or zeros by request."""
    with tf.autodiff.ForwardAccumulator(X, ONE) as forward:
        y = tf.constant([2.0, 3.0])
    assert forward.jvp(y) is None
    assert forward.jvp(y, unconnected_gradients="zero").numpy().tolist() == [0.0, 0.0]
    assert forward.jvp([y, X], tf.UnconnectedGradients.NONE)[0] is None


def test_what_happens_outside_is_not_followed() -> None:
    """Only operations inside the `with` have tangents."""
    with tf.autodiff.ForwardAccumulator(X, ONE) as forward:
        pass
    assert forward.jvp(X * X) is None


def test_stop_gradient_ends_a_tangent() -> None:
    """As it ends a gradient."""
    assert push(lambda x: x * tf.stop_gradient(x), X, ONE).numpy() == 3.0


def test_integer_results_have_no_tangent() -> None:
    """Casting to integers ends it."""
    assert push(lambda x: tf.cast(x, tf.int32), X, ONE) is None
    assert push(lambda x: tf.cast(tf.cast(x, tf.int32), tf.float32), X, ONE) is None


def test_forward_over_reverse_and_reverse_over_forward() -> None:
    """Both give the second derivative times the tangent."""

    def f(x: Any) -> Any:
        return tf.reduce_sum(tf.sin(x) * x * x)

    x = tf.constant([0.3, 0.7], tf.float64)
    t = tf.constant([1.0, -2.0], tf.float64)
    a = x.numpy()
    second = 2 * np.sin(a) + 4 * a * np.cos(a) - a * a * np.sin(a)
    np.testing.assert_allclose(push(lambda v: pull(f, v), x, t), second * t.numpy(), rtol=1e-12)
    np.testing.assert_allclose(pull(lambda v: push(f, v, t), x), second * t.numpy(), rtol=1e-12)


def test_a_tape_outside_an_accumulator_and_one_inside() -> None:
    """Three levels: reverse over forward over reverse."""
    x = tf.constant(0.7, tf.float64)
    one = tf.constant(1.0, tf.float64)
    third = pull(lambda v: push(lambda u: pull(tf.sin, u), v, one), x)
    assert third.numpy() == pytest.approx(-math.cos(0.7), rel=1e-12)


def test_a_function_under_tapes_that_follow_more_or_less() -> None:
    """Each call hands out what its own tape needs, and the tangents of that."""
    x, y = tf.constant(0.5, tf.float64), tf.constant(0.25, tf.float64)
    f = tf.function(lambda x, y: tf.sin(tf.exp(x)) * tf.sin(tf.exp(y)))

    def mixed(*watched: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(watched)
            with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0, tf.float64)) as forward:
                z = f(x, y)
            tangent = forward.jvp(z)
        return tape.gradient(tangent, x).numpy()

    assert mixed(x) == mixed(x, y) == mixed(x)


def test_accumulators_nest() -> None:
    """Forward over forward, to the fourth order."""
    one = tf.constant(1.0, tf.float64)

    def derivative(f: Any) -> Any:
        return lambda x: push(f, x, one)

    f = tf.sin
    for _ in range(4):
        f = derivative(f)
    assert f(tf.constant(0.7, tf.float64)).numpy() == pytest.approx(math.sin(0.7), rel=1e-12)


def test_nested_accumulators_do_not_confuse_their_tangents() -> None:
    """d/dx (x · d/dy (x + y)) = 1, not 2."""
    x = tf.constant(1.0)

    def outer(x: Any) -> Any:
        inner = push(lambda y: x + y, tf.constant(1.0), ONE)
        return x * inner

    assert push(outer, x, ONE).numpy() == 1.0


def test_nested_tapes_do_not_confuse_their_gradients() -> None:
    """The same program in reverse mode."""
    x = tf.constant(1.0)

    def outer(x: Any) -> Any:
        return x * pull(lambda y: x + y, tf.constant(1.0))

    assert pull(outer, x).numpy() == 1.0


def test_registered_gradients_are_transposed() -> None:
    """An operation with a reverse rule alone has a forward rule."""

    @tf.register_op("CubeForward")
    def cube(x: Any) -> Any:
        return x**3

    @tf.RegisterGradient("CubeForward")
    def _cube_grad(op: Any, grad: Any) -> Any:
        return 3.0 * op.inputs[0] ** 2 * grad

    assert push(cube, X, tf.constant(2.0)).numpy() == 54.0


def test_results_of_several_outputs() -> None:
    """Each has its tangent; those that do not depend on the primal have zeros."""
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 10.0, 100.0])) as forward:
        a, b = tf.split(x * x, [1, 2])
    assert forward.jvp(a).numpy().tolist() == [2.0]
    assert forward.jvp(b).numpy().tolist() == [40.0, 600.0]


# ---- memory -----------------------------------------------------------------------------------


def test_a_tangent_goes_with_its_value() -> None:
    """Forward mode keeps nothing that the program does not keep."""
    gc.disable()
    try:
        with tf.autodiff.ForwardAccumulator(X, ONE) as forward:
            y = X
            for _ in range(50):
                y = y * 1.01
        assert len(forward._accumulator.tangents) == 2
        del y
        assert len(forward._accumulator.tangents) == 1
    finally:
        gc.enable()


def test_an_accumulator_is_freed_at_once() -> None:
    """No reference cycles, though its values live on."""
    gc.disable()
    try:
        with tf.autodiff.ForwardAccumulator(X, ONE) as forward:
            y = X * X
        gone = weakref.ref(forward._accumulator)
        del forward
        assert gone() is None
        assert y.numpy() == 9.0
    finally:
        gc.enable()


# ---- bad input --------------------------------------------------------------------------------


def test_the_same_primal_twice() -> None:
    """TensorFlow's error."""
    with pytest.raises(ValueError, match="was specified as a primal multiple times"):
        tf.autodiff.ForwardAccumulator([X, X], [ONE, ONE])


def test_structures_that_differ() -> None:
    """TensorFlow's error."""
    with pytest.raises(ValueError, match="don't have the same nested structure"):
        tf.autodiff.ForwardAccumulator([X, ONE], [ONE])


def test_a_tangent_of_another_dtype_or_shape() -> None:
    """Both are checked."""
    with pytest.raises(ValueError, match="requested dtype float32 for Tensor with dtype int32"):
        tf.autodiff.ForwardAccumulator(X, tf.constant(1))
    with pytest.raises(ValueError, match=r"shape of its primal, \[\], got \[2\]"):
        tf.autodiff.ForwardAccumulator(X, tf.constant([1.0, 2.0]))


@pytest.mark.parametrize("primal", [3.0, "a", np.array(1.0)])
def test_a_primal_that_is_no_tensor(primal: Any) -> None:
    """It could not be recognised inside."""
    with pytest.raises(ValueError, match="A primal must be a tensor or a variable"):
        tf.autodiff.ForwardAccumulator(primal, primal)


def test_an_integer_primal_warns() -> None:
    """Its tangent is not used."""
    n = tf.constant(1)
    with pytest.warns(GradientWarning, match=r"dtype of the watched primal must be .* tf\.int32"):
        forward = tf.autodiff.ForwardAccumulator(n, n)
    with forward:
        y = tf.cast(n, tf.float32)
    assert forward.jvp(y) is None


def test_entering_twice() -> None:
    """TensorFlow's error; the state stays whole."""
    forward = tf.autodiff.ForwardAccumulator(X, ONE)
    with forward, pytest.raises(ValueError, match="Accumulator is already recording"), forward:
        pass
    with forward:
        y = X * X
    assert forward.jvp(y).numpy() == 6.0


def test_jvp_of_what_is_no_tensor() -> None:
    """The error says what is needed."""
    with (
        tf.autodiff.ForwardAccumulator(X, ONE) as forward,
        pytest.raises(TypeError, match="jvp needs a tensor computed inside"),
    ):
        forward.jvp(2.0)


def test_jvp_of_slices_says_what_has_a_tangent() -> None:
    """And of other values that are made of tensors."""
    x = tf.constant([1.0, 2.0])
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as forward:
        slices = tf.IndexedSlices(2.0 * x, tf.constant([1, 0]), tf.constant([2]))
        ragged = tf.RaggedTensor.from_row_lengths(3.0 * x, [1, 1])
        dense = tf.convert_to_tensor(slices)
    with pytest.raises(TypeError, match=r"jvp\(slices.values\).*tf.convert_to_tensor"):
        forward.jvp(slices)
    with pytest.raises(TypeError, match="RaggedTensor is made of"):
        forward.jvp(ragged)
    assert forward.jvp(slices.values).numpy().tolist() == [2.0, 2.0]
    assert forward.jvp(dense).numpy().tolist() == [2.0, 2.0]
    assert forward.jvp(ragged.values).numpy().tolist() == [3.0, 3.0]


def test_a_primal_that_is_watched_again() -> None:
    """Its tangents add up, as those of a sum do."""
    x = tf.constant(2.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(3.0)) as acc:
        acc._watch(x, tf.constant(10.0))
        y = x * x
    assert acc.jvp(y).numpy() == 52.0


@pytest.mark.parametrize("in_function", [False, True])
def test_a_tangent_that_does_not_move_has_the_tangent_zero(in_function: bool) -> None:
    """As in TensorFlow: what an accumulator computed of a followed value is 0 to one around it."""

    def second(f: Any) -> Any:
        def both(x: Any) -> Any:
            one = tf.ones_like(x)
            with tf.autodiff.ForwardAccumulator(x, one) as outer:
                with tf.autodiff.ForwardAccumulator(x, one) as inner:
                    y = f(x)
                first = inner.jvp(y)
                after = first * 3.0
            return outer.jvp(first), outer.jvp(after), outer.jvp(tf.zeros_like(x))

        return (tf.function(both) if in_function else both)(tf.constant([2.0, 3.0]))

    for linear in (lambda x: 2.0 * x, tf.identity, lambda x: x[:1], tf.reduce_sum):
        first, after, other = second(linear)
        assert not np.any(first)
        assert not np.any(after)
        assert other is None
    unused = tf.function(lambda a, b: a * 2.0)
    with tf.autodiff.ForwardAccumulator(x := tf.constant([2.0]), tf.ones([1])) as accumulator:
        y = unused(tf.ones_like(x), x)
    assert accumulator.jvp(y).numpy() == 0.0
    first, after, _ = second(lambda x: x * x)
    assert np.allclose(first, 2.0)
    assert np.allclose(after, 6.0)


Z = tf.constant(5.0)


@pytest.mark.parametrize(
    ("f", "wanted"),
    [
        (lambda x: tf.constant(1.0), [None]),
        (tf.stop_gradient, [None]),
        (lambda x: tf.cast(tf.cast(x, tf.int32), tf.float32), [None]),
        (lambda x: (2.0 * x, tf.round(x), tf.zeros_like(x)), [2.0, None, None]),
        (lambda x: (2.0 * x, 2.0 * tf.stop_gradient(Z)), [2.0, None]),
        (lambda x: (2.0 * x, 2.0 * Z), [2.0, 0.0]),  # of another input
        (lambda x: 0.0 * x, [0.0]),
    ],
)
def test_a_result_of_a_call_that_depends_on_no_input_has_no_tangent(f: Any, wanted: Any) -> None:
    """As in TensorFlow; one that depends on another input has zeros, or by request."""
    with tf.autodiff.ForwardAccumulator(X, ONE) as acc:
        ys = tf.nest.flatten(tf.function(f)(X))
    assert [t if t is None else t.numpy() for t in acc.jvp(ys)] == wanted
    assert [t.numpy() for t in acc.jvp(ys, "zero")] == [t or 0.0 for t in wanted]


@pytest.mark.parametrize(
    ("f", "wanted"),
    [
        (lambda x: 3.0 * x, 0.0),
        (lambda x: Z * x, 0.0),
        (lambda x: x * tf.stop_gradient(x), 0.0),
        (tf.exp, float(tf.exp(X))),
        (lambda x: -x, None),
        (lambda x: x + 1.0, None),
    ],
)
def test_tangents_of_the_gradient_of_a_call(f: Any, wanted: float | None) -> None:
    """Zeros where it is computed from what the call had: as the gradient of that gradient."""
    call = tf.function(f)
    with tf.autodiff.ForwardAccumulator(X, ONE) as acc:
        g = pull(call, X)
    found = acc.jvp(g)
    assert found is wanted or found.numpy() == wanted
    with tf.GradientTape() as tape:
        tape.watch(X)
        g = pull(call, X)
    found = tape.gradient(g, X)
    assert found is wanted or found.numpy() == wanted


@pytest.mark.parametrize(
    "reduce",
    [tf.reduce_max, tf.reduce_min, tf.reduce_sum, tf.reduce_mean, tf.math.reduce_euclidean_norm],
)
@pytest.mark.parametrize("shape", [(3, 0), (0, 3), (0,)])
def test_reductions_of_no_elements(reduce: Any, shape: tuple[int, ...]) -> None:
    """Their values are what they are whatever the elements were: the derivative is zero."""
    x = tf.zeros(shape)
    for axis in (None, 0, -1):
        with tf.autodiff.ForwardAccumulator(x, tf.ones(shape)) as forward:
            y = reduce(x, axis)
        tangent = forward.jvp(y)
        assert tangent.shape == y.shape
        assert not np.any(tangent.numpy())


@pytest.mark.parametrize("spec", [None, [None, None], [0, None]])
@pytest.mark.parametrize("jit_compile", [False, True])
@pytest.mark.parametrize(
    "reduce", [tf.reduce_mean, tf.math.reduce_euclidean_norm, tf.math.reduce_variance]
)
def test_reductions_of_no_elements_whose_number_was_unknown(
    reduce: Any, jit_compile: bool, spec: Any
) -> None:
    @tf.function(input_signature=[tf.TensorSpec(spec)], jit_compile=jit_compile)
    def tangents(x: Any) -> Any:
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as forward:
            ys = [reduce(x, axis=axis) for axis in (0, None, [0, 1])]
        return [forward.jvp(y) for y in ys]

    for found in tangents(tf.zeros([0, 3])):
        assert not np.any(found.numpy())
