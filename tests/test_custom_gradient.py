"""tf.custom_gradient and its relatives."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.compat.internals.eager import record
from wengert.errors import (
    CustomGradientError,
    GradientCountError,
    GradientDTypeError,
    GradientShapeError,
)

X = tf.constant(3.0)


def gradient_of(f: Any, *xs: Any) -> Any:
    """The gradients with respect to all arguments."""
    with tf.GradientTape() as tape:
        tape.watch(list(xs))
        y = f(*xs)
    return tape.gradient(y, list(xs))


def numbers(gradients: Any) -> Any:
    return [None if g is None else g.numpy().item() for g in gradients]


@tf.custom_gradient
def ten_times(x: Any) -> Any:
    """The identity with a gradient of 10, which no rule of ours would give."""
    return tf.identity(x), lambda dy: 10.0 * dy


# ---- inputs and outputs -----------------------------------------------------------------------


def test_two_things_in_a_list() -> None:
    """The result and grad_fn may be a list, too."""
    f = tf.custom_gradient(lambda x: [2.0 * x, lambda dy: 10.0 * dy])
    for call in (f, tf.function(f)):
        with tf.GradientTape() as tape:
            tape.watch(X)
            y = call(X)
        assert y.numpy() == 6.0
        assert tape.gradient(y, X).numpy() == 10.0


def test_the_gradient_written_by_hand_is_used() -> None:
    """Not that of the operations inside."""
    assert numbers(gradient_of(ten_times, X)) == [10.0]


def test_the_incoming_gradient_is_passed() -> None:
    """The chain rule goes through."""
    assert numbers(gradient_of(lambda x: ten_times(x * x) * 7.0, X)) == [10.0 * 7.0 * 6.0]


def test_it_takes_part_in_a_longer_computation() -> None:
    """What comes after and before has its own rules."""

    @tf.custom_gradient
    def f(x: Any) -> Any:
        return x * x, lambda dy: dy * 100.0

    assert numbers(gradient_of(lambda x: f(x) * x, X)) == [3.0 * 100.0 + 9.0]


def test_several_inputs() -> None:
    """One gradient for each, in their order; None is allowed."""

    @tf.custom_gradient
    def f(x: Any, y: Any, z: Any) -> Any:
        return x * y * z, lambda d: (d * 1.0, None, d * 3.0)

    assert numbers(gradient_of(f, X, X + 1.0, X + 2.0)) == [1.0, None, 3.0]


def test_several_outputs() -> None:
    """grad_fn receives a gradient for each output, zeros where it is not used."""
    received: list[Any] = []

    @tf.custom_gradient
    def f(x: Any) -> Any:
        def grad(da: Any, db: Any) -> Any:
            received.append((da.numpy().item(), db.numpy().item()))
            return da + 2.0 * db

        return (x, x * 2.0), grad

    assert numbers(gradient_of(lambda x: f(x), X)) == [3.0]
    assert numbers(gradient_of(lambda x: f(x)[1], X)) == [2.0]
    assert received == [(1.0, 1.0), (0.0, 1.0)]


def test_nested_structures_in_and_out() -> None:
    """They are flattened; results come back in the structure given."""

    @tf.custom_gradient
    def f(pair: Any, named: Any) -> Any:
        a, b = pair
        result = {"sum": a + b, "rest": [named["c"]]}
        return result, lambda drest, dsum: ([dsum, 2.0 * dsum], {"c": 5.0 * drest})

    a, b, c = tf.constant(1.0), tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch([a, b, c])
        result = f((a, b), {"c": c})
    assert set(result) == {"sum", "rest"}
    assert numbers(tape.gradient(result, [a, b, c])) == [1.0, 2.0, 5.0]


def test_the_result_may_be_the_input_itself() -> None:
    """It becomes a new tensor, so the gradient is not lost in the input."""

    @tf.custom_gradient
    def f(x: Any) -> Any:
        return x, lambda dy: dy * 4.0

    assert numbers(gradient_of(f, X)) == [4.0]


def test_non_tensor_arguments_are_static() -> None:
    """They need no gradient; a None for each is accepted as well."""

    @tf.custom_gradient
    def power(x: Any, n: int, name: str = "p") -> Any:
        return x**n, lambda dy: dy * float(n)

    @tf.custom_gradient
    def power_with_none(x: Any, n: int, name: str = "p") -> Any:
        return x**n, lambda dy: (dy * float(n), None, None)

    assert numbers(gradient_of(lambda x: power(x, 2), X)) == [2.0]
    assert numbers(gradient_of(lambda x: power(x, 2, name="q"), X)) == [2.0]
    assert numbers(gradient_of(lambda x: power_with_none(x, 2), X)) == [2.0]


def test_numpy_arguments() -> None:
    """An array is an input: grad_fn returns a gradient for it, and the tensor keeps its own."""

    @tf.custom_gradient
    def f(x: Any, a: Any) -> Any:
        return x * a, lambda dy: (dy * a, dy * x)

    (g,) = gradient_of(lambda x: f(x, np.array([1.0, 2.0], np.float32)), tf.constant([5.0, 6.0]))
    assert g.numpy().tolist() == [1.0, 2.0]


def test_methods() -> None:
    """Decorated in a class, `self` is not an input."""

    class Scaled:
        factor = 3.0

        @tf.custom_gradient
        def __call__(self, x: Any) -> Any:
            return x * self.factor, lambda dy: dy * -self.factor

    assert numbers(gradient_of(Scaled(), X)) == [-3.0]


def test_it_keeps_name_and_docstring() -> None:
    """As functools.wraps does."""
    assert ten_times.__name__ == "ten_times"
    assert ten_times.__doc__ is not None
    assert ten_times.__doc__.startswith("The identity")


def test_decorator_with_parentheses() -> None:
    """@tf.custom_gradient() is the same."""

    @tf.custom_gradient()
    def f(x: Any) -> Any:
        return x, lambda dy: dy * 2.0

    assert numbers(gradient_of(f, X)) == [2.0]


def test_gradients_may_be_numbers_or_arrays() -> None:
    """They take the dtype of the input."""

    @tf.custom_gradient
    def f(x: Any, y: Any) -> Any:
        return x * y, lambda dy: (5.0, np.float64(7.0))

    assert numbers(gradient_of(f, X, X + 0.0)) == [5.0, 7.0]


def test_complex_values_use_the_convention_of_tensorflow() -> None:
    """grad_fn sees and returns conjugates of derivatives, as if written for TensorFlow."""
    z = tf.constant([1.0 + 2.0j])

    @tf.custom_gradient
    def square(v: Any) -> Any:
        return v * v, lambda dy: dy * tf.math.conj(2.0 * v)

    def by_rules(v: Any) -> Any:
        return v * v

    for outer in (lambda f, v: f(v), lambda f, v: f(v) * v, lambda f, v: tf.abs(f(v))):
        own = gradient_of(lambda v, o=outer: o(square, v), z)[0]
        theirs = gradient_of(lambda v, o=outer: o(by_rules, v), z)[0]
        np.testing.assert_allclose(own, theirs)


def test_complex_gradients_given_as_arrays_are_in_the_same_convention() -> None:
    """A NumPy array is conjugated like a tensor; so is what follows from a forward rule."""
    z = tf.constant([1.0 + 2.0j])

    @tf.custom_gradient
    def by_array(v: Any) -> Any:
        return v * v, lambda dy: dy.numpy() * np.conj(2.0 * v.numpy())

    @tf.custom_gradient(jvp=lambda primals, tangents: 2.0 * primals[0] * tangents[0])
    def by_jvp(v: Any) -> Any:
        return v * v, None

    for f in (by_array, by_jvp):
        own = gradient_of(lambda v, f=f: tf.abs(f(v) * v), z)[0]
        np.testing.assert_allclose(own, gradient_of(lambda v: tf.abs(v * v * v), z)[0])


def test_recompute_grad_with_an_integer_result() -> None:
    """It has no cotangent and does no harm."""
    f = tf.recompute_grad(lambda x: (x * x, tf.cast(x, tf.int32)))
    assert numbers(gradient_of(lambda x: f(x)[0], X)) == [6.0]


@pytest.mark.parametrize("traced", [False, True])
def test_a_ragged_argument_and_result(traced: bool) -> None:
    """The gradient is ragged, too, for grad_fn and from it; None is none for all of it."""

    @tf.custom_gradient
    def f(x: Any, scale: Any, other: Any) -> Any:
        def grad_fn(dy: Any, dz: Any) -> Any:
            assert isinstance(dy, tf.RaggedTensor)
            return dy * scale, tf.reduce_sum(dz), None

        return (x + other, scale * 2.0), grad_fn

    rows, other = tf.ragged.constant([[1.0], [2.0, 3.0]]), tf.ragged.constant([[5.0], [6.0, 7.0]])
    with tf.GradientTape() as tape:
        tape.watch([rows, X, other])
        y, z = (tf.function(f) if traced else f)(rows, X, other)
        loss = tf.reduce_sum(y * y) + z
    assert y.to_list() == [[6.0], [8.0, 10.0]]
    of_rows, of_scale, of_other = tape.gradient(loss, [rows, X, other])
    assert of_rows.to_list() == [[36.0], [48.0, 60.0]]
    assert (of_scale.numpy(), of_other) == (1.0, None)


def test_recompute_grad_of_a_ragged_argument() -> None:
    f = tf.recompute_grad(lambda x, scale: x * x * scale)
    rows = tf.ragged.constant([[1.0], [2.0, 3.0]])
    with tf.GradientTape() as tape:
        tape.watch([rows, X])
        y = f(rows, X)
    of_rows, of_scale = tape.gradient(y, [rows, X])
    assert of_rows.to_list() == [[6.0], [12.0, 18.0]]
    assert of_scale.numpy() == 14.0


@pytest.mark.parametrize("look", [tf.gather, tf.nn.embedding_lookup])
@pytest.mark.parametrize("in_function", [False, True])
def test_recompute_grad_adds_up_the_rows_of_a_lookup(look: Any, in_function: bool) -> None:
    """For what it is given and what it reads."""
    v, rows = tf.Variable([[1.0], [2.0], [3.0]]), tf.constant([0, 2, 0])

    def gradients() -> Any:
        with tf.GradientTape(persistent=True) as tape:
            read = tf.recompute_grad(lambda i: look(v, i))(rows)
            given = tf.recompute_grad(look)(v, rows)
        found = tape.gradient(read, v), tape.gradient(given, v)
        assert not any(isinstance(g, tf.IndexedSlices) for g in found)
        return found

    for g in (tf.function(gradients) if in_function else gradients)():
        assert g.numpy().tolist() == [[2.0], [0.0], [1.0]]


def test_recompute_grad_says_what_it_wraps() -> None:
    def f(x: Any) -> Any:
        return x

    assert tf.recompute_grad(f).__wrapped__ is f  # type: ignore[attr-defined]


# ---- keyword arguments ------------------------------------------------------------------------


def test_a_positional_parameter_by_keyword_is_that_parameter() -> None:
    """TensorFlow bypasses the custom gradient here."""

    @tf.custom_gradient
    def f(x: Any, y: Any) -> Any:
        return x * y, lambda dz: (dz * 10.0, dz * 20.0)

    y = X + 1.0
    for call in (lambda x, y: f(x=x, y=y), lambda x, y: f(x, y=y), lambda x, y: f(y=y, x=x)):
        assert numbers(gradient_of(call, X, y)) == [10.0, 20.0]


def test_a_keyword_behind_a_default_is_that_parameter() -> None:
    """Skipping a parameter changes nothing."""

    @tf.custom_gradient
    def f(x: Any, flag: bool = True, y: Any = None) -> Any:
        return x * y, lambda dz: (dz * 10.0, dz * 20.0)

    assert numbers(gradient_of(lambda x, y: f(x, y=y), X, X + 1.0)) == [10.0, 20.0]


def test_a_keyword_only_tensor_with_a_gradient_is_an_input() -> None:
    """One more gradient is returned for it."""

    @tf.custom_gradient
    def f(x: Any, *, scale: Any) -> Any:
        return x * scale, lambda dy: (dy * 10.0, dy * 20.0)

    assert numbers(gradient_of(lambda x, s: f(x, scale=s), X, X + 1.0)) == [10.0, 20.0]


def test_a_keyword_only_tensor_without_a_gradient_is_a_constant() -> None:
    """No gradient reaches it, not even through the operations inside."""

    @tf.custom_gradient
    def f(x: Any, *, scale: Any) -> Any:
        return x * scale, lambda dy: dy * 10.0

    assert numbers(gradient_of(lambda x, s: f(x, scale=s), X, X + 1.0)) == [10.0, None]


# ---- variables --------------------------------------------------------------------------------


def test_variables_used_inside_get_gradients() -> None:
    """grad_fn is given them, and returns two groups."""
    v = tf.Variable(2.0)

    @tf.custom_gradient
    def f(x: Any) -> Any:
        def grad(dy: Any, variables: Any = None) -> Any:
            assert variables == [v]
            return dy * 10.0, [dy * 20.0]

        return x * v, grad

    with tf.GradientTape() as tape:
        tape.watch(X)
        y = f(X)
    assert numbers(tape.gradient(y, [X, v])) == [10.0, 20.0]


def watched_where(stopped: Any, v: Any) -> Any:
    """Gradients where the forward pass reads a variable inside `stopped(tape)`."""

    def taken(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)

            @tf.custom_gradient
            def f(x: Any) -> Any:
                with stopped(tape):
                    y = x * v
                return y, lambda dy, variables: (dy * 10.0, [dy * 20.0 for _ in variables])

            y = f(x)
        assert tape.watched_variables() == (v,)
        return tape.gradient(y, [x, v])

    return taken


@pytest.mark.parametrize(
    "stopped", [lambda tape: tape.stop_recording(), lambda tape: record.stop_recording()]
)
@pytest.mark.parametrize("mode", [lambda f: f, tf.function])
def test_variables_are_found_where_nothing_is_recorded(stopped: Any, mode: Any) -> None:
    """The forward pass of a function with a gradient of its own need not be recorded."""
    assert numbers(mode(watched_where(stopped, tf.Variable(2.0)))(X)) == [10.0, 20.0]


def test_variables_come_in_the_order_of_their_first_use() -> None:
    """In TensorFlow the order is that of a set."""
    variables = [tf.Variable(float(i), name=f"v{i}") for i in range(6)]
    order = (4, 2, 4, 0, 5, 2, 1, 3)

    @tf.custom_gradient
    def f(x: Any) -> Any:
        y = x
        for i in order:
            y = y + variables[i]

        def grad(dy: Any, variables: Any = None) -> Any:
            return dy, [dy * float(v.name[1]) for v in variables]

        return y, grad

    with tf.GradientTape() as tape:
        y = f(X)
    assert numbers(tape.gradient(y, variables)) == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]


def test_variables_through_a_keyword_catch_all() -> None:
    """**kwargs accepts them too."""
    v = tf.Variable(2.0)

    @tf.custom_gradient
    def f(x: Any) -> Any:
        return x * v, lambda dy, **kwargs: (dy, [dy * 3.0 for _ in kwargs["variables"]])

    with tf.GradientTape() as tape:
        y = f(X)
    assert numbers(tape.gradient(y, [v])) == [3.0]


def test_a_variable_passed_as_argument_is_an_input() -> None:
    """And not among `variables`."""
    v = tf.Variable(2.0)

    @tf.custom_gradient
    def f(x: Any) -> Any:
        return x * x, lambda dy: dy * 10.0

    with tf.GradientTape() as tape:
        y = f(v)
    assert numbers(tape.gradient(y, [v])) == [10.0]


def test_untrainable_variables_are_constants() -> None:
    """They need no `variables` argument."""
    v = tf.Variable(2.0, trainable=False)

    @tf.custom_gradient
    def f(x: Any) -> Any:
        return x * v, lambda dy: dy * 10.0

    assert numbers(gradient_of(f, X)) == [10.0]


def test_variables_without_a_default_when_none_are_used() -> None:
    """TensorFlow fails here; an empty list is passed."""

    @tf.custom_gradient
    def f(x: Any) -> Any:
        def grad(dy: Any, variables: Any) -> Any:
            assert variables == []
            return dy * 2.0, []

        return x, grad

    assert numbers(gradient_of(f, X)) == [2.0]


def test_a_grad_fn_without_variables_gets_the_mend() -> None:
    """TensorFlow's sentence, the names, and what to write; at the call, not later."""
    v = tf.Variable(2.0, name="weights")

    @tf.custom_gradient
    def f(x: Any) -> Any:
        return x * v, lambda dy: dy

    with pytest.raises(
        TypeError,
        match=r"@tf\.custom_gradient grad_fn must accept keyword argument 'variables', since "
        r"function uses variables: \['weights:0'\]\. Write `def grad_fn\(\*dys, variables=None\)`",
    ):
        f(X)


def test_wrong_number_of_variable_gradients() -> None:
    """How many came, for which variables."""
    v = tf.Variable(2.0, name="w")

    @tf.custom_gradient
    def f(x: Any) -> Any:
        return x * v, lambda dy, variables=None: (dy, [dy, dy])

    with tf.GradientTape() as tape:
        y = f(X)
    with pytest.raises(
        ValueError,
        match=r"Must return gradient for each variable from @custom_gradient grad_fn\. .* returned "
        r"2 for 1 variables: \['w:0'\]",
    ):
        tape.gradient(y, v)


def test_variables_but_one_group_of_gradients() -> None:
    """The error shows the form of the result."""
    v = tf.Variable(2.0)

    @tf.custom_gradient
    def f(x: Any) -> Any:
        return x * v, lambda dy, variables=None: dy

    with tf.GradientTape() as tape:
        y = f(X)
    with pytest.raises(CustomGradientError, match="`return grad_xs, grad_vars`"):
        tape.gradient(y, v)


def twice(f: Any) -> Any:
    return lambda x: tf.while_loop(lambda i, _: i < 2, lambda i, z: (i + 1, f(z)), (0, x))[1]


@pytest.mark.parametrize("jit_compile", [False, True])
@pytest.mark.parametrize(
    "within",
    [
        twice,
        lambda f: lambda x: tf.map_fn(f, x),
        lambda f: lambda x: tf.scan(lambda total, z: 0.5 * total + f(z), x),
        lambda f: lambda x: tf.cond(tf.reduce_sum(x) < 5.0, lambda: f(x), lambda: x),
    ],
    ids=["while", "map", "scan", "cond"],
)
@pytest.mark.parametrize("forward", [False, True])
def test_a_variable_that_only_the_rule_reads_is_followed_out_of_bodies(
    within: Any, forward: bool, jit_compile: bool
) -> None:
    v, x = tf.Variable(0.8, dtype=tf.float64), tf.constant([0.3, -0.7], tf.float64)

    @tf.custom_gradient
    def f(x: Any) -> Any:
        return tf.sin(x), lambda dy: dy * tf.cos(x) * v

    g = within(f)

    def slope(x: Any) -> Any:
        if not forward:
            return gradient_of(g, x)[0]
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
            y = g(x)
        return accumulator.jvp(y)

    def by_variable(x: Any) -> Any:
        with tf.GradientTape() as tape:
            length = tf.reduce_sum(slope(x) ** 2)
        return tape.gradient(length, v)

    np.testing.assert_allclose(
        tf.function(by_variable, jit_compile=jit_compile)(x), by_variable(x), rtol=1e-12
    )


# ---- what comes back wrong --------------------------------------------------------------------


def test_too_many_gradients() -> None:
    """How many were expected, for which inputs, how many came."""

    @tf.custom_gradient
    def f(x: Any) -> Any:
        return x * x, lambda dy: (dy, dy)

    with tf.GradientTape() as tape:
        tape.watch(X)
        y = f(X)
    with pytest.raises(
        GradientCountError,
        match=r"custom_gradient function expected to return 1 gradients, but returned 2 instead\. "
        r".*which was given 1 tensor \(input 0: float32\[\]\): return one gradient for each",
    ) as caught:
        tape.gradient(y, X)
    assert "INNER" not in str(caught.value)


def test_too_few_gradients() -> None:
    """Also for two inputs."""

    @tf.custom_gradient
    def f(x: Any, y: Any) -> Any:
        return x * y, lambda dy: dy

    with tf.GradientTape() as tape:
        tape.watch(X)
        y = f(X, tf.ones([2]))
    with pytest.raises(
        ValueError, match=r"expected to return 2 gradients, but returned 1 instead\. .*"
        r"input 0: float32\[\], input 1: float32\[2\]",
    ):  # fmt: skip
        tape.gradient(y, X)


def test_two_results_for_one_input_of_an_inner_function() -> None:
    """The widespread reading of TensorFlow's documentation ends in an error that explains itself."""

    @tf.custom_gradient
    def f(x: Any) -> Any:
        def first_order(dy: Any) -> Any:
            @tf.custom_gradient
            def first_order_custom(unused_x: Any) -> Any:
                return 3.0 * x**2, lambda ddy: (6.0 * x * ddy, dy * ddy)

            return dy * first_order_custom(x)

        return x**3, first_order

    with tf.GradientTape() as outer:
        outer.watch(X)
        with tf.GradientTape() as inner:
            inner.watch(X)
            y = f(X)
        first = inner.gradient(y, X)
    with pytest.raises(
        GradientCountError,
        match=r"expected to return 1 gradients, but returned 2 instead\. .*nested in another "
        r"custom gradient: one gradient is due for each input of the INNER function\. .*"
        r"`def inner\(x, dy\)`",
    ):
        outer.gradient(first, X)


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        (
            lambda dy: tf.constant([1.0, 2.0]),
            GradientShapeError,
            r"gradient of shape \(2,\) for input 0, which is float32\[\]",
        ),
        (
            lambda dy: tf.constant(1.0, tf.float64),
            GradientDTypeError,
            r"gradient of dtype float64 for input 0, which is float32\[\]\. "
            r"Return tf\.cast\(gradient, tf\.float32\)",
        ),
        (
            lambda dy: np.array(1.0 + 2.0j),
            GradientDTypeError,
            r"gradient of dtype complex128 for input 0, which is float32\[\]",
        ),
        (
            lambda dy: "a",
            GradientDTypeError,
            r"gradient of dtype string for input 0, .* Return a tensor of that dtype\.",
        ),
    ],
)
def test_a_wrong_gradient_is_named(wrong: Any, error: Any, words: str) -> None:
    """Shape and dtype are checked against the input."""

    @tf.custom_gradient
    def f(x: Any) -> Any:
        return x * 2.0, wrong

    with tf.GradientTape() as tape:
        tape.watch(X)
        y = f(X)
    with pytest.raises(error, match=words):
        tape.gradient(y, X)


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        (lambda x: x, "must return two things, the result and grad_fn"),
        (lambda x: (x, x, x), "must return two things, the result and grad_fn"),
        (lambda x: (x, 3), "must be a function grad_fn"),
        (lambda x: (x, None), "must be a function grad_fn"),
    ],
)
def test_a_function_that_does_not_return_result_and_gradient(returned: Any, words: str) -> None:
    """The error names the function and its line."""
    with pytest.raises(
        CustomGradientError, match=rf"(?s){words}|test_custom_gradient\.py:\d+"
    ) as caught:
        tf.custom_gradient(returned)(X)
    assert words in str(caught.value)
    assert "test_custom_gradient.py" in str(caught.value)


def test_only_functions_can_be_decorated() -> None:
    """Found when decorating."""
    with pytest.raises(CustomGradientError, match="decorates a function, got 3"):
        tf.custom_gradient(3)  # type: ignore[call-overload]


def test_an_error_inside_leaves_the_state_whole() -> None:
    """In the function, and in grad_fn: the tape around still works."""

    @tf.custom_gradient
    def fails(x: Any) -> Any:
        raise ZeroDivisionError

    @tf.custom_gradient
    def fails_later(x: Any) -> Any:
        def grad(dy: Any) -> Any:
            raise ZeroDivisionError

        return x, grad

    with tf.GradientTape(persistent=True) as tape:
        tape.watch(X)
        with pytest.raises(ZeroDivisionError):
            fails(X)
        y = fails_later(X)
        z = X * X
    with pytest.raises(ZeroDivisionError):
        tape.gradient(y, X)
    assert tape.gradient(z, X).numpy() == 6.0
    assert numbers(gradient_of(ten_times, X)) == [10.0]


# ---- higher orders ----------------------------------------------------------------------------


def second_order(f: Any, x: Any) -> Any:
    with tf.GradientTape() as outer:
        outer.watch(x)
        (first,) = gradient_of(f, x)
    return first, outer.gradient(first, x)


def test_the_gradient_is_itself_differentiated() -> None:
    """Through what it uses of the forward pass, too."""

    @tf.custom_gradient
    def f(x: Any) -> Any:
        e = tf.exp(x)
        return e, lambda dy: dy * e * x

    first, second = second_order(f, tf.constant(0.5, tf.float64))
    assert first.numpy() == pytest.approx(0.5 * np.exp(0.5))
    assert second.numpy() == pytest.approx(1.5 * np.exp(0.5))


def test_nested_gradients_as_documented() -> None:
    """A custom gradient of the gradient gives the second order."""

    @tf.custom_gradient
    def f(x: Any) -> Any:
        @tf.custom_gradient
        def first(x: Any) -> Any:
            return 3.0 * x**2, lambda ddy: ddy * 1000.0

        return x**3, lambda dy: dy * first(x)

    first, second = second_order(f, X)
    assert (first.numpy(), second.numpy()) == (27.0, 1000.0)


@tf.custom_gradient
def fused_cube(x: Any) -> Any:
    """The inner function has the inputs x and dy: its two gradients are due."""

    def grad(dy: Any) -> Any:
        @tf.custom_gradient
        def first(x: Any, dy: Any) -> Any:
            return 3.0 * x**2 * dy, lambda ddy: (6.0 * x * dy * ddy, 3.0 * x**2 * ddy)

        return first(x, dy)

    return x**3, grad


def test_an_inner_function_of_x_and_dy_gives_second_order_and_transpose() -> None:
    """Reverse, reverse over reverse, and forward mode agree with calculus."""
    first, second = second_order(fused_cube, X)
    assert (first.numpy(), second.numpy()) == (27.0, 18.0)
    with tf.autodiff.ForwardAccumulator(X, tf.constant(1.0)) as forward:
        y = fused_cube(X)
    assert forward.jvp(y).numpy() == 27.0


def test_third_order_through_a_nested_gradient() -> None:
    """The rules of the inner gradient are differentiated like any operation."""
    with tf.GradientTape() as tape:
        tape.watch(X)
        _, second = second_order(fused_cube, X)
    assert tape.gradient(second, X).numpy() == 6.0


# ---- forward mode and batches -----------------------------------------------------------------


def test_forward_mode_is_the_transposed_gradient() -> None:
    """The gradient written by hand, not that of the operations inside."""
    with tf.autodiff.ForwardAccumulator(X, tf.constant(2.0)) as forward:
        y = ten_times(X)
    assert forward.jvp(y).numpy() == 20.0


def make_cube(**rules: Any) -> Any:
    @tf.custom_gradient(**rules)
    def cube(x: Any) -> Any:
        return x**3, lambda dy: dy * 3.0 * x**2

    return cube


def test_an_operation_without_gradient_inside() -> None:
    """Supplying the missing gradient works in both modes; outside it is an error in both."""
    half = tf.register_op("TestHalfInside", lambda x: x / 2)

    @tf.custom_gradient
    def f(x: Any) -> Any:
        return half(x) * 2.0, lambda dy: dy * 7.0

    assert numbers(gradient_of(f, X)) == [7.0]
    with tf.autodiff.ForwardAccumulator(X, tf.constant(2.0)) as forward:
        y, z = f(X), half(X) * 3.0
    assert forward.jvp(y).numpy() == 14.0
    with pytest.raises(LookupError, match="No gradient defined for operation 'TestHalfInside'"):
        forward.jvp(z)


def test_integer_results_receive_zeros() -> None:
    """grad_fn has as many arguments as there are results."""

    @tf.custom_gradient
    def f(x: Any) -> Any:
        def grad(dy: Any, dn: Any) -> Any:
            assert dn.dtype is tf.int32
            assert dn.numpy() == 0
            return dy * 5.0

        return (x * 2.0, tf.cast(x, tf.int32)), grad

    assert numbers(gradient_of(lambda x: f(x)[0], X)) == [5.0]


def test_a_forward_rule_is_used() -> None:
    """jvp= and defjvp are the same."""

    def rule(primals: Any, tangents: Any) -> Any:
        calls.append(1)
        return 3.0 * primals[0] ** 2 * tangents[0]

    calls: list[int] = []
    one, other = make_cube(jvp=rule), make_cube()
    other.defjvp(rule)
    for f in (one, other):
        with tf.autodiff.ForwardAccumulator(X, tf.constant(2.0)) as forward:
            y = f(X)
        assert forward.jvp(y).numpy() == 54.0
    assert len(calls) == 2


def test_the_reverse_rule_is_derived_from_the_forward_rule() -> None:
    """grad_fn may be None when there is a jvp; higher orders follow."""

    @tf.custom_gradient(jvp=lambda primals, tangents: 3.0 * primals[0] ** 2 * tangents[0])
    def cube(x: Any) -> Any:
        return x**3, None

    first, second = second_order(cube, X)
    assert (first.numpy(), second.numpy()) == (27.0, 18.0)


@pytest.mark.parametrize("rules", [{}, {"jvp": lambda p, t: 3.0 * p[0] ** 2 * t[0]}])
def test_all_modes_agree(rules: Any) -> None:
    """Forward, reverse, forward over reverse, reverse over forward, reverse over reverse."""
    cube = make_cube(**rules)
    one = tf.constant(1.0)
    first, second = second_order(cube, X)
    assert (first.numpy(), second.numpy()) == (27.0, 18.0)
    with tf.autodiff.ForwardAccumulator(X, one) as forward:
        (g,) = gradient_of(cube, X)
    assert forward.jvp(g).numpy() == 18.0
    with tf.GradientTape() as tape:
        tape.watch(X)
        with tf.autodiff.ForwardAccumulator(X, one) as forward:
            y = cube(X)
        tangent = forward.jvp(y)
    assert tape.gradient(tangent, X).numpy() == 18.0


def test_a_wrong_number_of_tangents() -> None:
    """The error names the rule."""
    f = make_cube(jvp=lambda p, t: [t[0], t[0]])
    with (
        pytest.raises(GradientCountError, match="returned 2 tangents for 1 results"),
        tf.autodiff.ForwardAccumulator(X, tf.constant(1.0)),
    ):
        f(X)


def test_in_a_batch_the_gradient_by_hand_is_used() -> None:
    """Inside and outside of vectorized_map, derived from the function."""
    xs = tf.constant([1.0, 2.0, 3.0])
    inside = tf.vectorized_map(lambda x: gradient_of(lambda v: ten_times(v * v), x)[0], xs)
    assert inside.numpy().tolist() == [20.0, 40.0, 60.0]
    (outside,) = gradient_of(lambda v: tf.vectorized_map(lambda x: ten_times(x * x), v), xs)
    assert outside.numpy().tolist() == [20.0, 40.0, 60.0]


def test_a_batch_rule_is_used() -> None:
    """batch= and defbatch are the same; one call for the whole batch, with its gradient."""
    shapes: list[Any] = []

    def rule(x: Any, y: Any) -> Any:
        shapes.append((tuple(x.shape), tuple(y.shape)))
        return x * y, lambda dz: (dz * y * 10.0, dz * x * 10.0)

    def make(**rules: Any) -> Any:
        @tf.custom_gradient(**rules)
        def product(x: Any, y: Any) -> Any:
            return x * y, lambda dz: (dz * y, dz * x)

        return product

    one, other = make(batch=rule), make()
    other.defbatch(rule)
    xs, y = tf.constant([1.0, 2.0, 3.0]), tf.constant(5.0)
    for f in (one, other):
        with tf.GradientTape() as tape:
            tape.watch([xs, y])
            zs = tf.vectorized_map(lambda x, f=f: f(x, y), xs)  # type: ignore[misc]
        assert zs.numpy().tolist() == [5.0, 10.0, 15.0]
        by_x, by_y = tape.gradient(zs, [xs, y])
        assert by_x.numpy().tolist() == [50.0, 50.0, 50.0]
        assert by_y.numpy() == 60.0
        inside = tf.vectorized_map(lambda x, f=f: gradient_of(lambda v, f=f: f(v, y), x)[0], xs)  # type: ignore[misc]
        assert inside.numpy().tolist() == [50.0, 50.0, 50.0]
    assert set(shapes) == {((3,), (3,))}


# ---- stop_gradient and its relatives ----------------------------------------------------------


def test_stop_gradient() -> None:
    """A constant to every tape; structures are allowed."""
    assert numbers(gradient_of(lambda x: x * tf.stop_gradient(x), X)) == [3.0]
    assert tf.stop_gradient({"a": [1.0]})["a"][0].numpy() == 1.0


def test_identity_and_identity_n() -> None:
    """Their gradient is that of what comes after."""
    assert numbers(gradient_of(lambda x: tf.identity(x) * x, X)) == [6.0]
    assert numbers(gradient_of(lambda x: tf.identity_n([x, x * x]), X)) == [7.0]
    with pytest.raises(TypeError, match="Expected list for 'input' argument to 'identity_n' Op"):
        tf.identity_n(X)


def test_grad_pass_through() -> None:
    """The gradient of the identity, for inputs; none for variables."""
    assert numbers(gradient_of(tf.grad_pass_through(tf.round), tf.constant(2.4))) == [1.0]
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = tf.grad_pass_through(lambda x: x * v)(X)
    assert numbers(tape.gradient(y, [X, v])) == [1.0, None]


def test_check_numerics_in_the_gradient() -> None:
    """A NaN that appears only backward is reported there."""
    x = tf.constant(0.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.math.log(tf.debugging.check_numerics(x, "root")) * 0.0
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=re.escape("detected in gradient. CheckNumerics: root : Tensor had NaN values"),
    ):
        tape.gradient(y, x)


def test_recompute_grad_gives_the_same_gradients() -> None:
    """Of inputs and variables, to second order and in forward mode."""
    v = tf.Variable(2.0)

    def f(x: Any) -> Any:
        return tf.sin(x * v) * x

    again = tf.recompute_grad(f)
    for g in (f, again):
        with tf.GradientTape() as tape:
            tape.watch(X)
            first, second = second_order(g, X)
        results = [first, second, *tape.gradient(first, [X, v])]
        with tf.autodiff.ForwardAccumulator(X, tf.constant(1.0)) as forward:
            y = g(X)
        results.append(forward.jvp(y))
        if g is f:
            expected = results
    for computed, wanted in zip(results, expected, strict=True):
        assert computed.numpy() == pytest.approx(wanted.numpy(), rel=1e-6)


def test_recompute_grad_follows_the_variables_that_the_function_reads() -> None:
    """Passed or closed over, and nobody asked the tape to watch them."""
    v, w = tf.Variable(3.0), tf.Variable(2.0)
    for f in (lambda x: x * w, tf.function(lambda x: x * w)):
        with tf.GradientTape() as tape:
            y = tf.recompute_grad(f)(v)
        assert [g.numpy() for g in tape.gradient(y, [v, w])] == [2.0, 3.0]
        assert tape.watched_variables() == (v, w)


def test_recompute_grad_runs_the_function_twice() -> None:
    """Once forward, once for the gradient, and nothing is recorded in between."""
    runs: list[int] = []

    @tf.recompute_grad
    def f(x: Any) -> Any:
        runs.append(1)
        return x * x * x

    with tf.GradientTape() as tape:
        tape.watch(X)
        y = f(X)
        assert tape._tape is not None
        recorded = [row.name for row, _, _ in tape._tape.operations()]
    assert not {"Mul"} & set(recorded)
    assert runs == [1]
    assert tape.gradient(y, X).numpy() == 27.0
    assert runs == [1, 1]


@pytest.mark.parametrize("around", [tf.recompute_grad, tf.grad_pass_through])
def test_a_compiled_function_may_be_decorated(around: Any) -> None:
    """What a tf.function keeps for itself does not take the place of the wrapper's own."""

    @tf.function
    def square(x: Any) -> Any:
        """The square."""
        return x * x

    f = around(square)
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = f(x)
    assert y.numpy() == 9.0
    assert tape.gradient(y, x).numpy() == (1.0 if around is tf.grad_pass_through else 6.0)
    assert (f.__name__, f.__doc__) == ("square", "The square.")


def test_what_is_attached_to_a_function_stays_attached() -> None:
    def f(x: Any) -> Any:
        return x, lambda dy: dy

    f.note = "mine"  # type: ignore[attr-defined]
    made: Any = tf.custom_gradient(f)
    assert made.note == "mine"


def test_wrong_shape_in_a_function_names_the_line_and_the_input_of_the_user() -> None:
    @tf.custom_gradient
    def bad(x: Any) -> Any:
        return x * 2.0, lambda g: tf.constant([1.0, 2.0])

    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = bad(x)
        return tape.gradient(y, x)

    said = rf"written at {__file__}:\d+\) returned a gradient of shape \(2,\) for input 0"
    for f in (slope, tf.function(slope)):
        with pytest.raises(GradientShapeError, match=said):
            f(tf.ones([3]))


@tf.custom_gradient
def doubled(a: Any, b: Any) -> Any:
    """Of which the gradient of `b` has the shape of `a`."""
    return a * 2.0, lambda g: (g * 2.0, g)


def by_unknown_sizes(a: Any, b: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        y = doubled(a, b)
    return tape.gradient(y, b)


def by_a_loop(a: Any, b: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        y = tf.while_loop(lambda i, _: i < 3, lambda i, v: (i + 1, doubled(v, b)), (0, a))[1]
    return tape.gradient(y, b)


@pytest.mark.parametrize("slope", [by_unknown_sizes, by_a_loop])
@pytest.mark.parametrize("shape", [[None], None])
def test_wrong_shape_that_only_a_run_knows(slope: Any, shape: Any) -> None:
    x = np.array([1.0, 2.0, 3.0])
    spec = tf.TensorSpec(shape, tf.float64)
    f = tf.function(slope, input_signature=[spec, spec])
    np.testing.assert_allclose(f(x, x), slope(tf.constant(x), tf.constant(x)))
    said = rf"doubled \(written at {__file__}:\d+\) returned a gradient of another shape .* input 1"
    for b in (x[:2], x[:1]):
        with pytest.raises(tf.errors.InvalidArgumentError, match=said):
            f(x, b)


def test_a_shape_is_looked_at_once_and_only_where_it_is_not_certain() -> None:
    @tf.custom_gradient
    def scaled(a: Any, b: Any) -> Any:
        return a * b, lambda g: (g * b, tf.reduce_sum(g * a, keepdims=True))

    def checks(of: Any) -> int:
        def slope(a: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(a)
                y = of(a)
            return tape.gradient(y, a)

        f = tf.function(slope, input_signature=[tf.TensorSpec([None])])
        np.testing.assert_allclose(f([1.0, 2.0]), [2.0, 2.0])
        operations = f.get_concrete_function().graph.get_operations()
        return sum([op.type == "Assert" for op in operations])

    assert checks(lambda a: scaled(a, tf.constant([2.0]))) == 0
    # The size of what is picked only a run knows: nothing says that the product is as long as `a`.
    assert checks(lambda a: scaled(a, tf.stop_gradient(tf.boolean_mask(a * 2.0, a < 2.0)))) == 2


def test_the_function_that_was_decorated() -> None:
    """By both names that TensorFlow's decorators give it."""

    def thrice(x: Any) -> Any:
        return 3.0 * x, lambda g: 3.0 * g

    made: Any = tf.custom_gradient(thrice)
    assert made.__wrapped__ is made.__original_wrapped__ is thrice
