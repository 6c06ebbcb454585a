"""When NumPy's functions on tensors are ours: only where a gradient may be taken. And what is not possible."""

from __future__ import annotations

import functools
import operator
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.api.numpy.behavior import set_behavior

# ---- where nobody follows ---------------------------------------------------------------------


def outcomes(t: Any) -> list[Any]:
    """What programs do with a tensor as with an array."""
    a = np.array([3.0, 4.0])
    b = a.copy()
    np.add(b, t, out=b)
    return [
        np.sin(t), np.add(t, 1), np.add(a, t), np.multiply(t, a), np.sum(t), np.mean(t, axis=0),
        np.concatenate([t, a]), np.where(t > 1.0, t, 0.0), np.linalg.norm(t), np.isnan(t),
        np.maximum.reduce(t), np.add.outer(t, a), np.argmax(t), np.unique(t), np.median(t), b,
    ]  # fmt: skip


def test_of_what_nobody_follows_numpy_makes_arrays() -> None:
    """Outside of tapes, and inside of one that does not follow the tensor."""
    t = tf.constant([1.0, 2.0])
    want = outcomes(t.numpy())
    with tf.GradientTape() as tape:
        tape.watch(tf.constant(1.0))
        inside = outcomes(t)
    for found in (outcomes(t), inside):
        for one, other in zip(found, want, strict=True):
            assert isinstance(one, (np.ndarray, np.generic))
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)


def test_operators_are_the_tensors() -> None:
    """An array and a tensor make a tensor, of its dtype, whether somebody follows it or not."""
    t, a = tf.constant([1.0, 2.0]), np.array([3.0, 4.0])

    def results() -> list[Any]:
        b = a.copy()
        b += t
        return [a + t, t + a, a * t, a - t, a / t, a**t, np.float64(2.0) * t, a @ t[:, None], b]

    with tf.GradientTape() as tape:
        tape.watch(t)
        followed = results()
    for one, other in zip(results(), followed, strict=True):
        assert type(one) is type(other) is tf.Tensor
        assert one.dtype is other.dtype is tf.float32
        np.testing.assert_array_equal(one, other)
    with tf.GradientTape() as tape:
        tape.watch(t)
        assert (a > t).dtype is (a == t).dtype is tf.bool


def test_operators_that_are_called_from_c_keep_the_gradient() -> None:
    t, a = tf.constant([1.0, 2.0], tf.float64), np.array([3.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch(t)
        y = tf.reduce_sum(sum([a, t]) + functools.reduce(operator.mul, [a, t]))
    np.testing.assert_array_equal(tape.gradient(y, t), [4.0, 5.0])


def test_truths_and_places_are_numpys() -> None:
    """No gradient leads through them, so that programs can go on with arrays."""
    t = tf.constant([[1.0, 2.0], [5.0, 3.0]])
    with tf.GradientTape() as tape:
        tape.watch(t)
        for found in (
            np.isnan(t),
            np.argmax(t),
            np.argsort(t),
            np.any(t > 2.0),
            np.greater(t, 2.0),
        ):
            assert isinstance(found, (np.ndarray, np.generic))
        assert (np.shape(t), np.ndim(t), np.size(t)) == ((2, 2), 2, 4)
        assert np.allclose(t, t.numpy())
        np.testing.assert_allclose(t, t.numpy())
        assert np.asarray(t).dtype == np.float32
        assert type(np.array(t)) is np.ndarray


def test_arrays_of_integers_stay_arrays_in_functions() -> None:
    """What shapes are made of: its numbers are known while the function is traced."""
    sizes = tf.constant([2, 3])

    @tf.function
    def f(x: Any) -> Any:
        assert np.prod(sizes) == 6
        return tf.reshape(x, [int(np.prod(sizes))])

    assert f(tf.ones([2, 3])).shape == [6]


# ---- where somebody does ----------------------------------------------------------------------


def test_a_variable_is_followed_and_is_not_a_constant_in_a_function() -> None:
    v = tf.Variable([1.0, 4.0])
    with tf.GradientTape() as tape:
        y = np.sum(np.sqrt(v))
    np.testing.assert_allclose(tape.gradient(y, v), [0.5, 0.25])
    f = tf.function(lambda: np.square(v))
    assert f().numpy().tolist() == [1.0, 16.0]
    v.assign([2.0, 3.0])
    assert f().numpy().tolist() == [4.0, 9.0]


def test_a_tensor_from_around_a_function_is_followed_in_it() -> None:
    x = tf.constant([1.0, 2.0])
    f = tf.function(lambda: np.sum(np.exp(x) * 2.0))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f()
    np.testing.assert_allclose(tape.gradient(y, x), 2.0 * np.exp([1.0, 2.0]), 1e-6)


def test_of_examples_and_of_what_they_share() -> None:
    x, w = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([0.5, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(w)
        y = tf.reduce_sum(tf.vectorized_map(lambda row: np.dot(np.exp(w), row), x))
    np.testing.assert_allclose(tape.gradient(y, w), np.exp([0.5, 2.0]) * [4.0, 6.0], 1e-6)
    jacobian = tf.jacobian(lambda x: np.outer(x, x))(tf.constant([1.0, 2.0]))
    np.testing.assert_allclose(jacobian, [[[2, 0], [2, 1]], [[2, 1], [0, 4]]])


def test_promotion_is_numpys() -> None:
    t = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(t)
        assert np.add(t, 1.5).dtype is tf.float32
        assert np.add(t, np.array([1.0, 2.0])).dtype is tf.float64
        assert np.add(t, np.float32(1)).dtype is tf.float32
        y = np.sum(np.multiply(t, np.array([1.0, 2.0])))
    assert tape.gradient(y, t).dtype is tf.float32


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda x: np.sin(x, out=np.zeros(2)), "np.sin .* no argument `out`.*its result"),
        (lambda x: np.add(x, 1.0, where=[True, False]), "np.add .* no argument `where`.*np.where"),
        (lambda x: np.sum(x, initial=3.0), "np.sum .* no argument `initial`"),
        (lambda x: np.mean(x, where=np.array([True, False])), "np.mean .* `where`.*np.where"),
        (lambda x: np.add.reduce(x, where=[True, False]), "np.add .* `where`"),
        (lambda x: np.concatenate([x, x], out=np.zeros(4)), "`out`"),
        (lambda x: np.clip(x, 0.0, 1.0, out=np.zeros(2)), "np.clip .* `out`"),
    ],
)
def test_what_cannot_be_followed_is_an_error(call: Any, words: str) -> None:
    """Nothing can be written into an array and be followed."""
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        with pytest.raises(TypeError, match=words):
            call(x)


def test_functions_without_a_counterpart_leave_the_tape_and_it_says_so() -> None:
    x = tf.Variable([3.0, 1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        kept = np.unique(x)
        loss = tf.reduce_sum(kept * 2.0)
    assert type(kept) is np.ndarray
    assert tape.gradient(loss, x) is None
    answer = tape.explain(loss, x)
    assert answer.kind == "left-tape"
    assert "np.unique(x)" in str(answer)


def test_a_ufunc_without_a_counterpart_leaves_the_tape_and_it_says_so() -> None:
    x = tf.Variable([3.0, 1.0])
    with tf.GradientTape(persistent=True) as tape:
        loss = tf.reduce_sum(tf.constant(np.spacing(x)))
    assert tape.gradient(loss, x) is None
    assert tape.explain(loss, x).kind == "left-tape"


def test_without_numbers_there_must_be_a_counterpart() -> None:
    with pytest.raises(TypeError, match="Cannot convert a symbolic"):
        tf.function(lambda x: np.unique(x))(tf.constant([2.0, 1.0]))


# ---- the behaviour of tensors -----------------------------------------------------------------


def test_methods_and_promotion_are_off_by_default() -> None:
    x = tf.constant([1, 2])
    with pytest.raises(AttributeError, match="experimental_enable_numpy_behavior"):
        _ = x.T
    with pytest.raises((TypeError, ValueError, tf.errors.InvalidArgumentError)):
        x + 1.5


def test_the_behaviour_in_a_program_of_its_own() -> None:
    """With gradients, functions and variables."""
    program = """
        import numpy as np
        import wengert as tf

        tf.experimental.numpy.experimental_enable_numpy_behavior()
        x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        v = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = (x.T.reshape(-1)[[0, 3]] * 2).sum() + x[x > 1.5].mean() + (v.T * x).max()
        print(tf.convert_to_tensor(tape.gradient(y, x)).astype(tf.float64).numpy().round(3).tolist())
        f = tf.function(lambda x, i: (x[i] + 1).sum(axis=0).astype(tf.int32))
        print(f(x, tf.constant([1, 1])).tolist(), (v + np.array([1, 2])).dtype, (tf.constant(1) + 0.5).item())
        print(x.std().dtype, v[[1, 0]].tolist(), x[0].tolist(), x.size, x.shape)
    """
    said = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True
    ).stdout
    assert said.splitlines() == [
        "[[2.0, 0.333], [0.333, 4.333]]",
        "[8, 10] <dtype: 'float64'> 1.5",
        "<dtype: 'float32'> [2.0, 1.0] [1.0, 2.0] 4 (2, 2)",
    ]


def test_numbers_beside_float64_need_no_promotion(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most operators of NumPy's programs: they took four times as long."""
    a = np.array([1.5, -2.0])
    x = tf.constant(a)
    set_behavior(promotes=True)
    try:
        for other in (3, True, np.float32(2.5), np.arange(2), 1j):  # what has to be promoted
            found = x * other
            np.testing.assert_array_equal(found, a * other, strict=True)
        monkeypatch.setattr("wengert.api.numpy.behavior.result_type", None)
        for name in ("add", "sub", "mul", "truediv", "pow", "lt", "eq"):
            for other in (2, -0.5, 10**20, np.float64(2.5), np.array([1.0, 2.0])):
                with np.errstate(all="ignore"):
                    want = getattr(operator, name)(a, other)
                np.testing.assert_allclose(getattr(operator, name)(x, other), want, 1e-15)
        with pytest.raises(TypeError):
            x * np.float32(2.5)
    finally:
        set_behavior(promotes=False, has_methods=False)


def test_unknown_conversions_are_refused() -> None:
    enable = tf.experimental.numpy.experimental_enable_numpy_behavior
    with pytest.raises(ValueError, match="'off', 'legacy', 'safe' or 'all'"):
        enable(dtype_conversion_mode="some")


def test_off_promotes_nothing() -> None:
    try:
        tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode="off")
        assert tf.constant([[1, 2]]).T.shape == [2, 1]
        with pytest.raises((TypeError, ValueError, tf.errors.InvalidArgumentError)):
            tf.constant([1, 2]) + 1.5
    finally:
        set_behavior(promotes=False, has_methods=False)


def test_the_names_of_tensorflow_s_modules() -> None:
    program = """
        import wengert
        wengert.compat.install()
        import tensorflow.experimental.numpy as tnp
        from tensorflow.python.ops.numpy_ops import np_array_ops, np_arrays, np_config, np_dtypes
        from tensorflow.python.ops.numpy_ops import np_math_ops, np_random, np_utils
        np_config.enable_numpy_behavior()
        print(np_math_ops.sin(0.0).dtype.name, np_array_ops.ones(2).tolist(), np_utils.result_type(1, 2.0).name)
        print(np_arrays.ndarray is tnp.ndarray, np_dtypes.default_float_type().__name__, np_random.rand(2).shape)
    """
    said = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True
    ).stdout
    assert said.splitlines() == ["float64 [1.0, 1.0] float64", "True float64 (2,)"]


def test_in_derivatives_that_follow_by_other_means() -> None:
    """Taylor mode and sparse Jacobians see every operation, also NumPy's."""
    x, one = tf.constant(0.3, tf.float64), tf.constant(1.0, tf.float64)
    ours = tf.taylor(lambda u: tf.exp(tf.sin(u)), x, one, 3)
    theirs = tf.taylor(lambda u: np.exp(np.sin(u)), x, one, 3)
    np.testing.assert_allclose(tf.nest.flatten(theirs), tf.nest.flatten(ours), 1e-12)
    found = tf.jacobian(lambda u: np.square(u) + np.sin(u), sparse=True)(tf.constant([1.0, 2.0]))
    want = np.diag(2 * np.array([1.0, 2.0]) + np.cos([1.0, 2.0]))
    np.testing.assert_allclose(tf.sparse.to_dense(found), want, 1e-6)


def test_operators_in_a_function_have_the_dtype_of_the_tensor() -> None:
    a = np.array([3.0, 4.0])
    f = tf.function(lambda x: (a * x, x + a, np.multiply(a, x)))
    assert [y.dtype for y in f(tf.constant([1.0, 2.0]))] == [tf.float32, tf.float32, tf.float64]


def test_numpy_functions_beside_numpy_methods() -> None:
    """Tensors with NumPy's methods are still arrays for its functions."""
    t = tf.constant([1.0, 2.0])
    want = outcomes(t.numpy())
    set_behavior(promotes=True)
    try:
        found = outcomes(t)
    finally:
        set_behavior(promotes=False, has_methods=False)
    for one, other in zip(found, want, strict=True):
        assert isinstance(one, (np.ndarray, np.generic))
        np.testing.assert_array_equal(one, other)


# ---- indices that are arrays ------------------------------------------------------------------------


@pytest.fixture
def numpy_behavior() -> Iterator[None]:
    set_behavior(promotes=True)
    yield
    set_behavior(promotes=False, has_methods=False)


_SOME, _COLUMN = np.array([0, -1, 2]), np.array([[1], [-2]])
_PLACES: Any = [
    *(np.s_[_SOME], np.s_[:, _SOME], np.s_[_SOME, _SOME], np.s_[_SOME, :, _SOME]),
    *(np.s_[:, _SOME, _SOME], np.s_[_COLUMN, _SOME], np.s_[..., _SOME], np.s_[_SOME, ..., _COLUMN]),
    *(np.s_[_SOME.astype("i1")], np.s_[_SOME[:, None], 0], np.s_[0, _SOME], np.s_[[0, 1]]),
    *(np.s_[[True, False, True, False]], np.s_[np.array([], int)], np.s_[None, _SOME]),
    *(np.s_[_SOME, None], np.s_[_SOME.astype("u1") % 4], np.s_[np.zeros((2, 0), int)]),
    *(np.s_[_SOME, 1:3], np.s_[:, [1, 2], ::2], np.s_[:, :, [0, 0]], np.s_[_SOME, _SOME, 1]),
    *(np.s_[np.arange(120).reshape(4, 5, 6) % 3 == 0], np.s_[np.arange(20).reshape(4, 5) % 2 == 0]),
]


@pytest.mark.parametrize("mode", ["eager", "function", "sizes unknown"])
@pytest.mark.parametrize("key", _PLACES, ids=range(len(_PLACES)))
def test_arrays_as_indices_take_and_give_back_what_numpys_do(
    key: Any, mode: str, numpy_behavior: None
) -> None:
    """Places from the end, of any integers, repeated, and none at all; each place gets its share of the gradient."""
    x = np.random.default_rng(0).normal(size=(4, 5, 6))
    wanted = x[key]
    share = np.random.default_rng(1).normal(size=wanted.shape)
    back = np.zeros_like(x)
    np.add.at(back, key, 2.0 * wanted * share)

    def loss(x: Any) -> Any:
        return tf.reduce_sum(x[key] ** 2 * share)

    spec = [tf.TensorSpec([None, None, None], tf.float64)]
    modes: dict[str, Any] = {
        "eager": loss,
        "function": tf.function(loss),
        "sizes unknown": tf.function(loss, input_signature=spec),
    }
    source = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(source)
        y = modes[mode](source)
    np.testing.assert_allclose(y, np.sum(wanted**2 * share))
    np.testing.assert_allclose(tf.convert_to_tensor(tape.gradient(y, source)), back)


@pytest.mark.parametrize("key", [np.array([7]), np.array([0, -5]), (_SOME, np.array([9, 0, 0]))])
def test_places_outside_are_errors(key: Any, numpy_behavior: None) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="is not in"):
        tf.zeros([4, 5])[key]
