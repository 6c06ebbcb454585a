"""Gradients by operation type, operations in Python, Python functions among operations."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.errors import DuplicateError, GradientCountError, NoGradientError

X = tf.constant(3.0)


def gradient_of(f: Any, x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


# ---- register_op and RegisterGradient ---------------------------------------------------------


def test_an_operation_in_python_with_its_gradient() -> None:
    """Arrays in, array out; the gradient sees the operation."""
    seen: list[Any] = []

    @tf.register_op("TestSquare")
    def square(x: Any) -> Any:
        assert isinstance(x, np.ndarray)
        return x * x

    @tf.RegisterGradient("TestSquare")
    def _grad(op: Any, grad: Any) -> Any:
        seen.append((op.type, op.inputs[0].numpy().item(), op.outputs[0].numpy().item()))
        return 2.0 * op.inputs[0] * grad

    assert square(X).numpy() == 9.0
    assert gradient_of(square, X).numpy() == 6.0
    assert seen == [("TestSquare", 3.0, 9.0)]


def test_the_gradient_may_be_registered_after_the_call() -> None:
    """It is looked up when it is needed."""
    double = tf.register_op("TestDouble", lambda x: 2 * x)
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = double(X)
    tf.RegisterGradient("TestDouble")(lambda op, g: 2.0 * g)
    assert tape.gradient(y, X).numpy() == 2.0


def test_second_order_of_an_operation_in_python() -> None:
    """The gradient function is differentiated like any other code."""
    cube = tf.register_op("TestCube", lambda x: x**3)
    tf.RegisterGradient("TestCube")(lambda op, g: g * 3.0 * op.inputs[0] ** 2)
    assert gradient_of(lambda x: gradient_of(cube, x), X).numpy() == 18.0


def test_several_inputs_and_outputs_and_attributes() -> None:
    """Keyword arguments are attributes; a gradient comes for each output."""

    @tf.register_op("TestMix", outputs=2)
    def mix(x: Any, y: Any, *, weight: float) -> Any:
        return [x * weight + y, x * y]

    @tf.RegisterGradient("TestMix")
    def _grad(op: Any, first: Any, second: Any) -> Any:
        x, y = op.inputs
        with pytest.raises(ValueError, match=r"no attr named 'height'\. It has: weight"):
            op.get_attr("height")
        return first * op.get_attr("weight") + second * y, first + second * x

    y = tf.constant(5.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([X, y])
        a, b = mix(X, y, weight=2.0)
    assert (a.numpy(), b.numpy()) == (11.0, 15.0)
    assert [g.numpy() for g in tape.gradient(a, [X, y])] == [2.0, 1.0]
    assert [g.numpy() for g in tape.gradient(b, [X, y])] == [5.0, 3.0]


def test_complex_gradients_have_tensorflows_convention() -> None:
    """A registered gradient of z² is written with the conjugate, as in TensorFlow."""
    z = tf.constant([1.0 + 2.0j])
    square = tf.register_op("TestComplexSquare", lambda x: x * x)
    tf.RegisterGradient("TestComplexSquare")(lambda op, g: g * tf.math.conj(2.0 * op.inputs[0]))
    np.testing.assert_allclose(
        gradient_of(lambda v: tf.abs(square(v) * v), z), gradient_of(lambda v: tf.abs(v**3.0), z)
    )


def test_the_function_cannot_change_its_inputs() -> None:
    """They are read-only, and the result is a copy."""
    kept: list[Any] = []

    @tf.register_op("TestWriter")
    def writer(x: Any) -> Any:
        x[0] = 100.0
        return x

    @tf.register_op("TestKeeper")
    def keeper(x: Any) -> Any:
        kept.append(x + 0)
        return kept[0]

    v = tf.constant([1.0, 2.0])
    with pytest.raises(ValueError, match="read-only"):
        writer(v)
    y = keeper(v)
    kept[0][0] = 100.0
    assert y.numpy().tolist() == v.numpy().tolist() == [1.0, 2.0]


def test_no_gradient_ends_what_flows_in() -> None:
    """None, without an error."""
    step = tf.register_op("TestStep", lambda x: np.sign(x))
    tf.no_gradient("TestStep")
    assert gradient_of(step, X) is None
    assert gradient_of(lambda x: step(x) * x, X).numpy() == 1.0


def test_not_differentiable_is_the_same() -> None:
    """TensorFlow's other name."""
    step = tf.register_op("TestStep2", lambda x: np.sign(x))
    tf.NotDifferentiable("TestStep2")
    assert gradient_of(step, X) is None


def test_a_missing_gradient() -> None:
    """LookupError; TensorFlow's sentence; the ways out; the nearest names."""
    lonely = tf.register_op("TestLonely", lambda x: x)
    tf.RegisterGradient("TestLonelier")(lambda op, g: g)
    with pytest.raises(
        LookupError,
        match=r"No gradient defined for operation 'TestLonely' \(op type: TestLonely\): gradient "
        r"registry has no entry for: TestLonely\. Write one with "
        r'@tf\.RegisterGradient\("TestLonely"\), or say that there is none with '
        r'tf\.no_gradient\("TestLonely"\), or keep the gradient out with tf\.stop_gradient\. '
        r"Registered names near it: .*TestLonelier",
    ) as caught:
        gradient_of(lonely, X)
    assert isinstance(caught.value, NoGradientError)
    assert gradient_of(lambda x: tf.stop_gradient(lonely(x)) * x, X).numpy() == 3.0


def test_two_gradients_with_one_name() -> None:
    """A KeyError that names both places and reads like a sentence."""
    tf.RegisterGradient("TestTwice")(lambda op, g: g)
    with pytest.raises(
        KeyError,
        match=r"Registering two gradients with name 'TestTwice'! \(Previous registration was in "
        r".*test_registration\.py:\d+, this one is in .*test_registration\.py:\d+",
    ) as caught:
        tf.RegisterGradient("TestTwice")(lambda op, g: -g)
    assert isinstance(caught.value, DuplicateError)
    assert not str(caught.value).startswith(("'", '"'))
    with pytest.raises(KeyError, match="Registering two gradients with name 'TestTwice'"):
        tf.no_gradient("TestTwice")


def test_the_gradients_of_our_operations_are_taken() -> None:
    """As in TensorFlow; the error names the row's line."""
    with pytest.raises(KeyError, match=r"two gradients with name 'Exp'! .*elementwise\.py:\d+"):
        tf.RegisterGradient("Exp")(lambda op, g: g)


def test_two_operations_with_one_name() -> None:
    """Both places, for ours and for the user's."""
    tf.register_op("TestSame", lambda x: x)
    with pytest.raises(KeyError, match="Registering two operations with name 'TestSame'!"):
        tf.register_op("TestSame", lambda x: x)
    with pytest.raises(KeyError, match=r"two operations with name 'Exp'! .*elementwise\.py:\d+"):
        tf.register_op("Exp", lambda x: x)


@pytest.mark.parametrize("register", [tf.RegisterGradient, tf.no_gradient, tf.register_op])
def test_a_name_must_be_a_string(register: Any) -> None:
    """TensorFlow's error."""
    with pytest.raises(TypeError, match="op_type must be a string"):
        register(3) if register is not tf.register_op else register(3, lambda x: x)  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", [lambda op: op, lambda: None, 3])
def test_a_gradient_with_a_wrong_signature_is_found_when_registered(bad: Any) -> None:
    """Not when it is first used; and nothing is registered."""
    with pytest.raises(TypeError, match="The gradient of 'TestShape'"):
        tf.RegisterGradient("TestShape")(bad)
    tf.RegisterGradient("TestShape")(lambda op, *grads: grads)


def test_a_wrong_number_of_gradients() -> None:
    """The error names the gradient function's line, not ours."""
    f = tf.register_op("TestCount", lambda x: x)
    tf.RegisterGradient("TestCount")(lambda op, g: (g, g))
    with pytest.raises(
        GradientCountError,
        match=r"The gradient of TestCount \(written at .*test_registration\.py:\d+\) returned 2 "
        r"gradients for 1 input \(input 0: float32\[\]\)",
    ):
        gradient_of(f, X)


def test_a_wrong_number_of_results() -> None:
    """outputs= must be true."""
    f = tf.register_op("TestOutputs", lambda x: [x, x, x], outputs=2)
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=r"returned 3 values, but was registered with outputs=2",
    ):
        f(X)


def test_an_error_in_the_function_comes_through() -> None:
    """As it is, and the tape records nothing."""

    @tf.register_op("TestFails")
    def fails(x: Any) -> Any:
        raise ZeroDivisionError("mine")

    with tf.GradientTape() as tape:
        tape.watch(X)
        with pytest.raises(ZeroDivisionError, match="mine"):
            fails(X)
        y = X * X
    assert tape.gradient(y, X).numpy() == 6.0


# ---- numpy_function and py_function -----------------------------------------------------------


def test_numpy_function_computes_and_does_not_differentiate() -> None:
    """One result or a list of them."""
    double = tf.numpy_function(lambda a: a * np.float32(2), [X], tf.float32)
    assert double.numpy() == 6.0
    pair = tf.numpy_function(lambda a: (a, np.int64(7)), [X], [tf.float32, tf.int64])
    assert [t.numpy().item() for t in pair] == [3.0, 7]
    assert gradient_of(lambda x: tf.numpy_function(np.sinh, [x], tf.float32), X) is None


def test_numpy_function_checks_what_comes_back_in_graphs() -> None:
    """TensorFlow's sentences."""

    def run(function: Any, wanted: Any) -> None:
        tf.function(lambda x: tf.numpy_function(function, [x], wanted))(X)

    def f(a: Any) -> Any:
        return np.float64(a)

    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=r"0-th value returned by f is double, but expects float",
    ):
        run(f, tf.float32)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="returns 1 values, but expects to see 2 values"
    ):
        run(lambda a: a, [tf.float32, tf.float32])


def test_py_function_differentiates_to_every_order() -> None:
    """Its operations are ours; TensorFlow's second order is wrong here."""

    def f(x: Any) -> Any:
        return tf.py_function(lambda v: v**4 if v > 0 else -v, [x], tf.float32)

    assert gradient_of(f, X).numpy() == 108.0
    assert gradient_of(lambda x: gradient_of(f, x), X).numpy() == pytest.approx(108.0)
    assert gradient_of(f, tf.constant(-2.0)).numpy() == -1.0


def test_py_function_checks_what_comes_back() -> None:
    """Number and dtype."""
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="returns 1 values, but expects to see 2 values"
    ):
        tf.py_function(lambda v: v, [X], [tf.float32, tf.float32])
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match="requested dtype float64 for Tensor with dtype float32",
    ):
        tf.py_function(lambda v: v, [X], tf.float64)
    assert tf.py_function(lambda: [], [], []) == []


def test_the_place_of_a_registration_is_the_users_line() -> None:
    """no_gradient has no function to name, so it names the line of the call."""
    tf.no_gradient("TestPlaced")
    with pytest.raises(KeyError, match=re.escape("test_registration.py")):
        tf.no_gradient("TestPlaced")
