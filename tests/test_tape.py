"""tf.GradientTape: what it records, what it computes, and what it says when misused."""

from __future__ import annotations

import gc
import re
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from closed_forms import closed_forms, derivative

import wengert as tf
from wengert.api.gradients import gradient_tape
from wengert.core.context import thread
from wengert.errors import GradientWarning, TapeError

X = tf.constant(3.0)


def gradient_of(f: Any, x: Any, **options: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x, **options)


# ---- what it computes -------------------------------------------------------------------------


def test_gradient_of_a_square() -> None:
    """d(x²)/dx = 2x."""
    assert gradient_of(lambda x: x * x, X).numpy() == 6.0


def test_one_input_used_twice_adds_up() -> None:
    """Every use of a value contributes."""
    assert gradient_of(lambda x: x * x * x + x, X).numpy() == 28.0


def test_several_targets_give_the_gradient_of_their_sum() -> None:
    """Not a Jacobian: a list of targets is one sum."""
    assert gradient_of(lambda x: [x * x, {"a": 2.0 * x}], X).numpy() == 8.0


def test_a_target_given_twice_counts_twice() -> None:
    """The sum has two equal terms."""
    assert gradient_of(lambda x: [x * x] * 2, X).numpy() == 12.0


def test_output_gradients_weight_the_targets() -> None:
    """None stands for ones."""
    weights = [tf.constant(10.0), None]
    result = gradient_of(lambda x: [x * x, 2.0 * x], X, output_gradients=weights)
    assert result.numpy() == 62.0


def test_sources_keep_their_structure() -> None:
    """The result is nested as the sources are."""
    x, y = tf.constant(2.0), tf.constant(5.0)
    with tf.GradientTape() as tape:
        tape.watch({"x": x, "rest": [y]})
        z = x * y
    result = tape.gradient(z, {"x": x, "rest": (y, [x])})
    assert result["x"].numpy() == 5.0
    assert isinstance(result["rest"], tuple)
    assert result["rest"][0].numpy() == 2.0
    assert result["rest"][1][0].numpy() == 5.0


def test_an_intermediate_value_can_be_a_source_beside_the_input() -> None:
    """Its cotangent is kept and passed on."""
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = X * X
        z = y * y
    by_y, by_x = tape.gradient(z, [y, X])
    assert (by_y.numpy(), by_x.numpy()) == (18.0, 108.0)


def test_the_target_itself_as_a_source() -> None:
    """dy/dy = 1."""
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = X * X
    assert tape.gradient(y, [y])[0].numpy() == 1.0


@pytest.mark.parametrize("persistent", [True, False])
def test_a_watched_value_as_target(persistent: bool) -> None:
    """dx/dx = 1, whatever else the tape has recorded, and alone or among others."""
    with tf.GradientTape(persistent=persistent) as tape:
        tape.watch(X)
        y = X * X
    assert tape.gradient(X, X).numpy() == 1.0
    with tf.GradientTape(persistent=persistent) as tape:
        tape.watch(X)
        y = X * X
    assert tape.gradient([X, y], X).numpy() == 7.0


def test_a_value_computed_before_the_watch_is_not_connected() -> None:
    """Only what happens after `watch` is followed."""
    with tf.GradientTape() as tape:
        y = X * X
        tape.watch(X)
    assert tape.gradient(y, X) is None


USES = [
    lambda w, x: w * x,
    lambda w, x: (w * x + 1.0) * x,
    lambda w, x: w / x,
    lambda w, x: x**w,
    lambda w, x: tf.maximum(w, x),
    lambda w, x: tf.where(w > 1.0, w, x),
    lambda w, x: tf.reduce_sum(tf.stack([w, x, x]), 0),
    lambda w, x: tf.concat([x, w, x], 0),
    lambda w, x: tf.add_n([x, w, x]),
    lambda w, x: tf.custom_gradient(lambda a, b: (a * b, lambda d: (d * 2.0, d * 3.0)))(w, x),
]


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("in_function", [False, True])
def test_a_watch_after_a_use(use: Callable[..., Any], in_function: bool) -> None:
    """What a tape recorded because of another value knows all its inputs, as TensorFlow's tapes do."""
    w = tf.Variable([1.5, 0.5])

    def found(late: bool) -> Any:
        x = tf.constant([3.0, 0.25])
        with tf.GradientTape(persistent=True) as tape:
            if not late:
                tape.watch(x)
            y = use(w, x)
            if late:
                tape.watch(x)
            z = tf.reduce_sum(y) * x
        return [tape.gradient(y, x), tape.gradient(z, x), tape.gradient(z, w)]

    run = tf.function(found) if in_function else found
    for a, b in zip(run(True), run(False), strict=True):
        np.testing.assert_array_equal(a, b)


def test_only_what_is_needed_is_computed() -> None:
    """A rule off the way to the sources is never called, so it may even be missing."""

    @tf.register_op("OffTheWay")
    def off_the_way(x: Any) -> Any:
        return x * 2

    y = tf.constant(5.0)
    with tf.GradientTape() as tape:
        tape.watch([X, y])
        z = X * X + off_the_way(y)
    assert tape.gradient(z, X).numpy() == 6.0


@pytest.mark.parametrize("order", range(1, 7))
@pytest.mark.parametrize("name", ["sin", "cos", "exp", "tanh", "x⁵"])
def test_six_orders_against_closed_forms(name: str, order: int) -> None:
    """Nesting gives every order, to 1e-10 in float64."""
    for at in (-1.3, 0.2, 0.7):
        f, expected = closed_forms(at, order)[name]
        computed = derivative(f, order)(tf.constant(at, tf.float64)).numpy()
        assert computed == pytest.approx(expected, rel=1e-10, abs=1e-10)


# ---- unconnected sources ----------------------------------------------------------------------


@pytest.mark.parametrize("zero", ["zero", tf.UnconnectedGradients.ZERO])
def test_unconnected_is_none_or_zeros_by_request(zero: Any) -> None:
    """The enum and its string mean the same."""
    other = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([X, other])
        y = X * X
    assert tape.gradient(y, other) is None
    assert tape.gradient(y, other, unconnected_gradients="none") is None
    assert tape.gradient(y, other, unconnected_gradients=zero).numpy().tolist() == [0.0, 0.0]


def test_zeros_for_nested_sources() -> None:
    """The policy holds for every leaf, variables too."""
    v = tf.Variable([1.0])
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = X * X
    result = tape.gradient(y, {"v": v, "x": [X]}, unconnected_gradients="zero")
    assert result["v"].numpy().tolist() == [0.0]
    assert result["x"][0].numpy() == 6.0


def test_an_unknown_policy_is_refused() -> None:
    """The error names the choices, and the tape is still good."""
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = X * X
    with pytest.raises(ValueError, match="Unknown value for unconnected_gradients: 'foo'"):
        tape.gradient(y, X, unconnected_gradients="foo")
    assert tape.gradient(y, X).numpy() == 6.0


# ---- variables --------------------------------------------------------------------------------


def test_trainable_variables_are_watched_by_themselves() -> None:
    """And others are not."""
    v, w = tf.Variable(2.0), tf.Variable(3.0, trainable=False)
    with tf.GradientTape() as tape:
        y = v * w * v
    assert tape.watched_variables() == (v,)
    by_v, by_w = tape.gradient(y, [v, w])
    assert by_v.numpy() == 12.0
    assert by_w is None
    assert tape.watched_variables() == (v,)


def test_variables_are_not_watched_when_told_so() -> None:
    """watch_accessed_variables=False leaves it to `watch`."""
    v, w = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(v)
        y = v * w
    assert [g if g is None else g.numpy() for g in tape.gradient(y, [v, w])] == [3.0, None]
    assert tape.watched_variables() == (v,)


def test_watched_variables_come_in_the_order_in_which_they_were_made() -> None:
    """Each once, as in TensorFlow, in whatever order they are used."""
    variables = [tf.Variable(float(i)) for i in range(5)]
    with tf.GradientTape() as tape:
        for i in (3, 1, 4, 1, 0, 3, 2):
            variables[i].read_value()
    assert tape.watched_variables() == tuple(variables)


def test_a_variable_as_target() -> None:
    """dv/dv = 1."""
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        tape.watch(v)
    assert tape.gradient(v, v).numpy() == 1.0


def test_assignment_after_reading_does_not_change_the_gradient() -> None:
    """A tensor that was read keeps its value."""
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = v * v
        v.assign(100.0)
    assert tape.gradient(y, v).numpy() == 4.0


def test_the_gradient_of_a_gathered_variable_is_sparse() -> None:
    """IndexedSlices reach the variable; a use of the whole makes the sum dense."""
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape(persistent=True) as tape:
        rows = tf.gather(v, [2, 0, 2])
        both = tf.reduce_sum(rows) + tf.reduce_sum(v)
    sparse = tape.gradient(rows, v)
    assert isinstance(sparse, tf.IndexedSlices)
    assert sparse.indices.numpy().tolist() == [2, 0, 2]
    expected = [[1.0, 1.0], [0.0, 0.0], [2.0, 2.0]]
    assert tf.convert_to_tensor(sparse).numpy().tolist() == expected
    assert (tape.gradient(both, v).numpy() - 1.0).tolist() == expected


# ---- persistence, nesting, re-entering --------------------------------------------------------


def test_a_tape_serves_once() -> None:
    """The second time it says where it was used, and the way out."""
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = X * X
    tape.gradient(y, X)
    with pytest.raises(
        TapeError,
        match=r"A non-persistent GradientTape can only be used to compute one set of gradients "
        r"\(or jacobians\)\. This one was used at .*test_tape\.py:\d+\. Create it with "
        r"`persistent=True`",
    ):
        tape.gradient(y, X)


def test_a_persistent_tape_serves_often() -> None:
    """And gives the same each time."""
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(X)
        y = X * X
        z = y * y
    for _ in range(2):
        assert tape.gradient(z, X).numpy() == 108.0
        assert tape.gradient(y, X).numpy() == 6.0


def test_nested_tapes_give_the_second_order() -> None:
    """The gradient is recorded by the tape around it."""
    with tf.GradientTape() as outer:
        outer.watch(X)
        first = gradient_of(lambda x: x * x, X)
    assert outer.gradient(first, X).numpy() == 2.0


def test_persistent_tapes_nest() -> None:
    """Each keeps all it needs."""
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(X)
        with tf.GradientTape(persistent=True) as inner:
            inner.watch(X)
            y = X**4
        first = inner.gradient(y, X)
        again = inner.gradient(y, X)
    assert outer.gradient(first, X).numpy() == pytest.approx(108.0)
    assert outer.gradient(again, X).numpy() == pytest.approx(108.0)
    assert inner.gradient(y, X).numpy() == pytest.approx(108.0)


def test_gradient_inside_a_persistent_tape_is_recorded_by_it() -> None:
    """Higher orders from one tape, with TensorFlow's warning."""
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(X)
        y = X * X
        with pytest.warns(
            GradientWarning, match="persistent tape inside its context is significantly less"
        ):
            first = tape.gradient(y, X)
    assert tape.gradient(first, X).numpy() == 2.0


def test_gradient_inside_its_own_with() -> None:
    """A tape that serves once stops recording then."""
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = X * X
        g = tape.gradient(y, X)
        y * X
    assert g.numpy() == 6.0
    with pytest.raises(TapeError):
        tape.gradient(y, X)


def test_a_tape_can_be_entered_again() -> None:
    """It goes on where it was."""
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = X * X
    with tape:
        z = y * X
    assert tape.gradient(z, X).numpy() == 27.0


def test_a_used_tape_starts_anew_when_entered() -> None:
    """After gradient() the next `with` begins an empty tape."""
    tape = tf.GradientTape()
    for _ in range(2):
        with tape:
            tape.watch(X)
            y = X * X
        assert tape.gradient(y, X).numpy() == 6.0


def test_entering_an_active_tape_is_refused() -> None:
    """And the tape goes on recording."""
    with tf.GradientTape() as tape:
        tape.watch(X)
        with (
            pytest.raises(ValueError, match="Tape is still recording, This can happen if you try"),
            tape,
        ):
            pass
        y = X * X
    assert tape.gradient(y, X).numpy() == 6.0


def test_tapes_may_end_in_another_order_than_they_began() -> None:
    """Each leaves by its own name."""
    a, b = tf.GradientTape(), tf.GradientTape()
    a.__enter__()
    b.__enter__()
    a.watch(X)
    b.watch(X)
    y = X * X
    a.__exit__(None, None, None)
    z = y * X
    b.__exit__(None, None, None)
    assert a.gradient(y, X).numpy() == 6.0
    assert b.gradient(z, X).numpy() == 27.0


# ---- stop_recording and reset -----------------------------------------------------------------


def test_stop_recording_leaves_out() -> None:
    """What happens inside is a constant."""
    with tf.GradientTape() as tape:
        tape.watch(X)
        with tape.stop_recording():
            y = X * X
        z = y * X
    assert tape.gradient(z, X).numpy() == 9.0


def test_stop_recording_ends_also_with_an_error() -> None:
    """The tape records again afterwards."""
    with tf.GradientTape() as tape:
        tape.watch(X)
        with pytest.raises(ZeroDivisionError), tape.stop_recording():
            raise ZeroDivisionError
        y = X * X
    assert tape.gradient(y, X).numpy() == 6.0


def test_stop_recording_of_one_tape_leaves_the_other() -> None:
    """Only that tape pauses."""
    with tf.GradientTape() as outer, tf.GradientTape() as inner:
        outer.watch(X)
        inner.watch(X)
        with inner.stop_recording():
            y = X * X
    assert outer.gradient(y, X).numpy() == 6.0
    assert inner.gradient(y, X) is None


def test_stopping_a_tape_that_does_not_record() -> None:
    """TensorFlow's error."""
    with (
        pytest.raises(RuntimeError, match="Trying to stop recording a tape which is not recording"),
        tf.GradientTape().stop_recording(),
    ):
        pass


def test_reset_forgets() -> None:
    """Watched values too."""
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = X * X
        tape.reset()
        z = X * X
        tape.watch(X)
        w = X * X
    assert [g if g is None else g.numpy() for g in [tape.gradient([y, z], X)]] == [None]
    with tape:
        tape.watch(X)
        w = X * X
    assert tape.gradient(w, X).numpy() == 6.0


def test_reset_of_a_tape_that_does_not_record() -> None:
    """TensorFlow's error."""
    with pytest.raises(ValueError, match="Tape is not recording"):
        tf.GradientTape().reset()


# ---- bad input --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "kind"),
    [("a", "str"), (np.array(1.0), "ndarray"), (1.0, "float"), (None, "NoneType")],
)
def test_watching_what_cannot_be_watched(value: Any, kind: str) -> None:
    """The error names the object and its type; nothing of the structure is watched."""
    with tf.GradientTape() as tape:
        with pytest.raises(
            ValueError,
            match=re.escape(
                f"Passed in object {value} of type '{kind}', not tf.Tensor or tf.Variable"
            ),
        ):
            tape.watch([X, value])
        y = X * X
    assert tape.gradient(y, X) is None


def test_watching_an_integer_warns() -> None:
    """Its gradient is None."""
    n = tf.constant(3)
    with tf.GradientTape() as tape:
        with pytest.warns(GradientWarning, match="dtype of the watched tensor must be floating"):
            tape.watch(n)
        y = tf.cast(n, tf.float32) * 2.0
    with pytest.warns(GradientWarning, match=r"dtype of the source tensor .* got tf\.int32"):
        assert tape.gradient(y, n) is None


def test_watching_a_string_warns() -> None:
    """Strings never differentiate."""
    s = tf.constant("a")
    with (
        tf.GradientTape() as tape,
        pytest.warns(GradientWarning, match=r"must be floating .* got tf\.string"),
    ):
        tape.watch(s)


def test_the_gradient_of_an_integer_target_warns() -> None:
    """A warning that names the dtype, and None."""
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = tf.cast(X, tf.int32)
    with pytest.warns(
        GradientWarning, match=r"dtype of the target tensor must be floating .* got tf\.int32"
    ) as caught:
        assert tape.gradient(y, X) is None
    assert caught[0].filename == __file__


def test_a_tape_that_was_never_entered() -> None:
    """It says that it has recorded nothing."""
    with pytest.raises(TapeError, match="enter it with `with tape:` first"):
        tf.GradientTape().gradient(X, X)
    with pytest.raises(TapeError, match=r"works inside `with tf\.GradientTape"):
        tf.GradientTape().watch(X)


@pytest.mark.parametrize("bad", [2.0, "y", np.float32(1.0)])
def test_targets_and_sources_must_be_tensors(bad: Any) -> None:
    """The error says how values leave the tape; the tape can still be used."""
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = X * X
    with pytest.raises(TypeError, match="target of a gradient must be a tensor or a variable"):
        tape.gradient(bad, X)
    with pytest.raises(TypeError, match="source of a gradient must be a tensor or a variable"):
        tape.gradient(y, bad)
    assert tape.gradient(y, X).numpy() == 6.0


def test_target_none() -> None:
    """TensorFlow's error."""
    with tf.GradientTape() as tape:
        tape.watch(X)
    with pytest.raises(TypeError, match="Argument `target` should be a list or nested structure"):
        tape.gradient(None, X)  # type: ignore[call-overload]


def test_wrong_output_gradients() -> None:
    """Wrong count, shape and dtype, each named; the tape can still be used."""
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = X * X
    with pytest.raises(ValueError, match="output_gradients has 2 elements for 1 targets"):
        tape.gradient(y, X, output_gradients=[tf.constant(1.0), tf.constant(1.0)])
    with pytest.raises(ValueError, match=r"of its target, float32\[\], got float32\[2\]"):
        tape.gradient(y, X, output_gradients=tf.constant([1.0, 2.0]))
    with pytest.raises(ValueError, match=r"of its target, float32\[\], got float64\[\]"):
        tape.gradient(y, X, output_gradients=tf.constant(1.0, tf.float64))


def test_an_error_inside_the_tape_leaves_nothing_recording() -> None:
    """The tape is popped; the fixture of all tests looks at the state."""
    with pytest.raises(ZeroDivisionError), tf.GradientTape() as tape:
        tape.watch(X)
        raise ZeroDivisionError
    assert (X * X)._key is None


def test_an_error_in_a_kernel_records_nothing() -> None:
    """The operation is as if it had not been called."""
    with tf.GradientTape() as tape:
        tape.watch(X)
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.constant([1.0, 2.0]) * X * tf.constant([1.0, 2.0, 3.0])
        assert tape._tape is not None
        recorded = len(list(tape._tape.operations()))
        y = X * X
        assert len(list(tape._tape.operations())) == recorded + 1
    assert tape.gradient(y, X).numpy() == 6.0


# ---- jacobians --------------------------------------------------------------------------------


@pytest.mark.parametrize("at_once", [True, False])
def test_jacobian(at_once: bool) -> None:
    """target.shape + source.shape, in both ways of computing it."""
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.matmul(x, x)
    result = tape.jacobian(y, x, experimental_use_pfor=at_once)
    a, eye = x.numpy(), np.eye(2)
    expected = np.einsum("ik,jl->ijkl", eye, a.T) + np.einsum("ik,jl->ijkl", a, eye)
    np.testing.assert_allclose(result, expected)


def test_jacobian_of_a_jacobian_is_the_hessian() -> None:
    """The rows computed at once are recorded by the tape around."""
    x = tf.constant([1.0, 2.0, 3.0], tf.float64)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_prod(x) * tf.reduce_sum(x)
        first = inner.jacobian(y, x)
    a, b, c = 1.0, 2.0, 3.0
    off = [[0, c * (2 * a + 2 * b + c), b * (2 * a + 2 * c + b)], [0, 0, a * (2 * b + 2 * c + a)]]
    expected = np.diag([2 * b * c, 2 * a * c, 2 * a * b])
    expected[0, 1] = expected[1, 0] = off[0][1]
    expected[0, 2] = expected[2, 0] = off[0][2]
    expected[1, 2] = expected[2, 1] = off[1][2]
    np.testing.assert_allclose(outer.jacobian(first, x), expected, rtol=1e-12)


def test_jacobian_of_an_unconnected_source() -> None:
    """None, or zeros of the full shape."""
    x, other = tf.constant([1.0, 2.0]), tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, other])
        y = x * x
    assert tape.jacobian(y, other) is None
    zeros = tape.jacobian(y, other, unconnected_gradients="zero")
    assert zeros.shape == (2, 3)


def test_jacobian_one_by_one_needs_a_persistent_tape() -> None:
    """TensorFlow's error."""
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = X * tf.ones([2])
    with pytest.raises(RuntimeError, match="must be created with persistent=True to compute the"):
        tape.jacobian(y, X, experimental_use_pfor=False)


@pytest.mark.parametrize("at_once", [True, False])
def test_batch_jacobian(at_once: bool) -> None:
    """The diagonal blocks of the Jacobian."""
    rng = np.random.default_rng(1)
    x, w = tf.constant(rng.normal(size=(4, 3))), tf.constant(rng.normal(size=(3, 2)))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.tanh(tf.matmul(x, w))
    full = tape.jacobian(y, x).numpy()
    blocks = tape.batch_jacobian(y, x, experimental_use_pfor=at_once).numpy()
    np.testing.assert_allclose(blocks, np.stack([full[i, :, i] for i in range(4)]), rtol=1e-12)


def test_parallel_iterations_of_a_batch_jacobian_need_a_persistent_tape() -> None:
    """In functions, too, in which rows one by one need none."""

    @tf.function
    def blocks(persistent: bool) -> Any:
        with tf.GradientTape(persistent=persistent) as tape:
            x = tf.constant([[1.0, 2.0]])
            tape.watch(x)
            y = x * x
        return tape.batch_jacobian(y, x, parallel_iterations=4)

    assert blocks(True).numpy().tolist() == [[[2.0, 0.0], [0.0, 4.0]]]
    with pytest.raises(RuntimeError, match=r"persistent=True to .* with parallel_iterations"):
        blocks(False)


@pytest.mark.parametrize("at_once", [True, False])
def test_jacobian_of_nothing(at_once: bool) -> None:
    """It is as empty as the target, of the same shape either way."""
    v = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y = v * tf.zeros([0, 3])
    assert tape.jacobian(y, v, experimental_use_pfor=at_once).shape == (0, 3)


def test_batch_jacobian_needs_the_same_first_dimension() -> None:
    """TensorFlow's error."""
    x = tf.ones([2, 3])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.transpose(x)
    with pytest.raises(
        ValueError, match=r"Need first dimension of target shape .* and source shape"
    ):
        tape.batch_jacobian(y, x)


def test_batch_jacobian_takes_one_source_where_jacobian_takes_several() -> None:
    x, y = tf.Variable([[1.0]]), tf.Variable([[2.0]])
    with tf.GradientTape(persistent=True) as tape:
        z = x * y
    assert [j.shape for j in tape.jacobian(z, [x, y])] == [(1, 1, 1, 1)] * 2
    several: Any = [x, y]
    with pytest.raises(ValueError, match="batch_jacobian needs one source, got 2"):
        tape.batch_jacobian(z, several)


def test_batch_jacobian_needs_examples_that_are_no_scalars() -> None:
    """TensorFlow's error."""
    x = tf.ones([2])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    with pytest.raises(ValueError, match=r"Shape \(2,\) must have rank at least 2"):
        tape.batch_jacobian(y, x)


# ---- targets that are sources --------------------------------------------------------------------


@pytest.mark.parametrize("traced", [False, True])
def test_a_target_that_is_a_source(traced: bool) -> None:
    """Whether or not the tape follows it, its gradient by itself is one, as in TensorFlow."""
    v, unread = tf.Variable([1.0, 2.0]), tf.Variable(3.0, trainable=False)

    def gradients() -> Any:
        with tf.GradientTape(persistent=True) as tape:
            y = 2.0 * v
        alone = tape.gradient(unread, unread)
        weighed = tape.gradient([v, y], v, output_gradients=[tf.constant([5.0, 6.0]), None])
        return tape.gradient([v, y], v), alone, weighed, tape.jacobian(v, v)

    both, alone, weighed, jacobian = (tf.function(gradients) if traced else gradients)()
    np.testing.assert_array_equal(both, [3.0, 3.0])
    np.testing.assert_array_equal(alone, 1.0)
    np.testing.assert_array_equal(weighed, [7.0, 8.0])
    np.testing.assert_array_equal(jacobian, np.eye(2))
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        z = x * x
    assert tape.gradient(x, x).numpy() == 1.0
    assert tape.gradient(z, x) is None


def test_a_tape_whose_gradient_another_thread_took_records_no_more() -> None:
    """It was never taken off the list of the thread that had entered."""
    v, found = tf.Variable([1.0, 2.0]), []
    with tf.GradientTape() as tape:
        y = v * v
        other = threading.Thread(target=lambda: found.append(tape.gradient(y, v)))
        other.start()
        other.join()
        recording = len(thread.context.recorders)
    assert recording == 1
    assert found[0].numpy().tolist() == [2.0, 4.0]
    assert not thread.context.recorders


@pytest.mark.parametrize("at", ["stop", "block"])
def test_an_interrupt_at_the_end_of_a_block_leaves_no_recorder(
    at: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever it comes: the recorder goes with its tape, at the latest."""

    where: Any = gradient_tape if at == "stop" else tf.GradientTape
    name = "stop" if at == "stop" else "__exit__"
    usual, calls = getattr(where, name), []

    def interrupted(*given: object) -> Any:
        calls.append(1)  # not the tape, which is to go
        if len(calls) == 1:
            raise KeyboardInterrupt
        return usual(*given)

    monkeypatch.setattr(where, name, interrupted)
    with pytest.raises(KeyboardInterrupt):
        with tf.GradientTape():
            pass
    gc.collect()
    assert calls
    assert not thread.context.recorders


# ---- the quick way of `gradient` -----------------------------------------------------------------


def _quick_and_general(
    program: Any, monkeypatch: pytest.MonkeyPatch
) -> tuple[list[Any], list[Any], int]:
    """What a program finds as it is and without the quick way, and how often the general one was taken."""
    taken: list[int] = []
    usual = tf.GradientTape._any_gradient

    def general(self: tf.GradientTape, *args: Any) -> Any:
        taken.append(1)
        return usual(self, *args)

    monkeypatch.setattr(tf.GradientTape, "_any_gradient", general)
    quick, count = program(), len(taken)
    monkeypatch.setattr(tf.GradientTape, "_plain_gradient", lambda *_: gradient_tape._NOT_PLAIN)
    return quick, program(), count


def _of_variables_that_are_not_used() -> list[Any]:
    used, other, never = tf.Variable([1.0, 2.0]), tf.Variable(3.0), tf.Variable([[4.0]])
    with tf.GradientTape() as tape:
        _ = other * 2.0
        y = tf.reduce_sum(used * used)
    return list(tape.gradient(y, [never, used, other]))


def _within_another_tape() -> list[Any]:
    x, w = tf.constant([0.3, -0.7]), tf.Variable([1.5, 0.5])
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(tf.sin(x * w))
        g = inner.gradient(y, x)
        z = tf.reduce_sum(g * g)
    return [g, outer.gradient(z, x), outer.gradient(z, w)]


def _within_itself() -> list[Any]:
    """Three orders, each taken while the tapes around record."""
    x = tf.Variable(0.4)
    with tf.GradientTape() as a, tf.GradientTape() as b, tf.GradientTape() as c:
        y = tf.exp(x) * tf.sin(x)
        first = c.gradient(y, x)
        second = b.gradient(first, x)
        third = a.gradient(second, x)
    return [first, second, third]


def _with_a_tangent() -> list[Any]:
    x = tf.constant([0.3, -0.7])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 2.0])) as acc:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.sin(x) * x)
        g = tape.gradient(y, x)
    return [g, acc.jvp(g)]


@pytest.mark.parametrize(
    "program",
    [_of_variables_that_are_not_used, _within_another_tape, _within_itself, _with_a_tangent],
)
def test_the_quick_way(program: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is taken, and gives what the general one gives: for unused variables and where others record."""
    tf.config.set_gradient_switches(kinks="mean")
    tf.config.set_gradient_switches()  # after which nothing is said, as before
    quick, general, count = _quick_and_general(program, monkeypatch)
    assert count == 0
    for found, wanted in zip(quick, general, strict=True):
        assert (found is None) == (wanted is None)
        assert wanted is None or found.numpy().tolist() == wanted.numpy().tolist()
