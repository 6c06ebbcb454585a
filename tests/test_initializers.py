"""Initializers; that their numbers are TensorFlow's is shown in test_random.py."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.compat.v1 import initializers as v1

I = tf.initializers  # noqa: E741
RANDOM = [
    I.GlorotNormal,
    I.GlorotUniform,
    I.HeNormal,
    I.HeUniform,
    I.LecunNormal,
    I.LecunUniform,
    I.Orthogonal,
    I.RandomNormal,
    I.RandomUniform,
    I.TruncatedNormal,
    I.VarianceScaling,
]


# ---- values -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("made", "variance"),
    [
        (I.GlorotUniform(seed=1), 2 / 500),
        (I.GlorotNormal(seed=1), 2 / 500),
        (I.HeUniform(seed=1), 2 / 200),
        (I.HeNormal(seed=1), 2 / 200),
        (I.LecunUniform(seed=1), 1 / 200),
        (I.LecunNormal(seed=1), 1 / 200),
        (I.VarianceScaling(3.0, "fan_out", "untruncated_normal", seed=1), 3 / 300),
        (I.RandomNormal(seed=1), 0.05**2),
        (I.RandomUniform(seed=1), 0.1**2 / 12),
        (v1.uniform_unit_scaling_initializer(seed=1), 1 / 200),
        (v1.he_normal(seed=1), 2 / 200),
    ],
    ids=lambda m: type(m).__name__,
)
def test_variance(made: Any, variance: float) -> None:
    """The variance is the one that was chosen, and the mean is zero."""
    x = made([200, 300]).numpy().astype(np.float64)
    assert abs(x.var() / variance - 1) < 0.02
    assert abs(x.mean()) < 5 * np.sqrt(variance / x.size)


@pytest.mark.parametrize("shape", [[4, 4], [5, 3], [3, 5], [2, 2, 3], [2, 1, 6]])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_orthogonal(shape: list[int], dtype: str) -> None:
    """The shorter side is orthonormal, times the gain."""
    for made in (I.Orthogonal(2.0, seed=1), v1.orthogonal_initializer(2.0, seed=1)):
        x = made(shape, dtype=dtype)
        assert x.dtype == dtype
        q = x.numpy().astype(np.float64).reshape(-1, shape[-1])
        small = q.T @ q if q.shape[0] >= q.shape[1] else q @ q.T
        near = {"float64": 1e-12, "float32": 1e-5}.get(dtype, 0.05)
        np.testing.assert_allclose(small, 4 * np.eye(len(small)), atol=near)


def test_fans_of_convolutions_and_vectors() -> None:
    """The window belongs to both fans; a vector has one size for both, a scalar is one."""
    for shape, inputs, outputs in (
        ([3, 5, 7, 11], 105, 165),
        ([6], 6, 6),
        ([], 1, 1),
        ([2, 3], 2, 3),
    ):
        limits = [
            np.abs(I.VarianceScaling(1.0, mode, "uniform", seed=1)(shape).numpy()).max()
            for mode in ("fan_in", "fan_out")
        ]
        np.testing.assert_allclose(limits[0] / limits[1], np.sqrt(outputs / inputs), rtol=1e-6)


@pytest.mark.parametrize("dtype", ["float16", "float64", "int32", "bool"])
def test_plain_values(dtype: str) -> None:
    """Zeros, ones, constants and identities in the dtype asked for."""
    for made, want in (
        (I.Zeros(), np.zeros((2, 3))),
        (I.Ones(), np.ones((2, 3))),
        (v1.zeros_initializer(), np.zeros((2, 3))),
        (v1.ones_initializer(), np.ones((2, 3))),
        (tf.zeros_initializer(), np.zeros((2, 3))),
        (tf.ones_initializer(), np.ones((2, 3))),
    ):
        got = made([2, 3], dtype=dtype)
        assert got.dtype == dtype
        assert np.array_equal(got.numpy(), want.astype(dtype))


def test_constants_and_identities() -> None:
    """A value that is broadcast, the values of a list, the diagonal."""
    assert I.Constant([1.0, 2.0])([2, 2]).numpy().tolist() == [[1.0, 2.0]] * 2
    assert tf.constant_initializer([1, 2, 3, 4])([2, 2]).numpy().tolist() == [[1, 2], [3, 4]]
    assert v1.constant_initializer(3)([2]).numpy().tolist() == [3.0, 3.0]
    assert v1.constant_initializer([1, 2], tf.int32)([2, 1]).numpy().tolist() == [[1], [2]]
    assert v1.constant_initializer([1, 2], tf.int32)([2, 2]).numpy().tolist() == [[1, 2], [2, 2]]
    eye = [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0]]
    assert I.Identity(2.0)([2, 3]).numpy().tolist() == eye
    assert v1.identity_initializer(2.0)([2, 3]).numpy().tolist() == eye


@pytest.mark.parametrize("kind", RANDOM, ids=lambda k: k.__name__)
def test_seeds(kind: Any) -> None:
    """One object gives one value; two without a seed differ."""
    one, other = kind(), kind()
    assert np.array_equal(one([3, 3]), one([3, 3]))
    assert not np.array_equal(one([3, 3]), other([3, 3]))
    assert one([2, 2], dtype="float64").dtype is tf.float64
    assert one([2, 2]).dtype is tf.float32


def test_parts_of_a_weight() -> None:
    """An initializer of version 1 makes a part as of the whole."""
    part = SimpleNamespace(full_shape=[4, 4], var_offset=[2, 0])
    made = v1.identity_initializer()([2, 4], partition_info=part)
    assert made.numpy().tolist() == np.eye(4)[2:].tolist()
    wide = v1.variance_scaling_initializer(seed=1)([1000, 1], partition_info=part).numpy()
    assert abs(wide.std() - 0.5) < 0.05
    assert tf.zeros_initializer()([4, 4], partition_shape=[1, 4]).shape == (1, 4)


# ---- configurations ---------------------------------------------------------------------------

CONFIGURED = [
    *(kind(seed=3) for kind in RANDOM),
    I.Zeros(),
    I.Constant(2.0),
    I.Identity(3.0),
    I.VarianceScaling(2.0, "fan_out", "uniform", 3, [0], [1]),
    I.RandomUniform(-1.0, 2.0, 3),
    tf.zeros_initializer(),
    tf.constant_initializer(4.0),
    tf.random_normal_initializer(1.0, 2.0, 3),
    tf.random_uniform_initializer(1.0, 2.0, 3),
    v1.constant_initializer(3.0),
    v1.random_normal_initializer(1.0, 2.0, 3, tf.float64),
    v1.truncated_normal_initializer(1.0, 2.0, 3),
    v1.random_uniform_initializer(1.0, 2.0, 3),
    v1.uniform_unit_scaling_initializer(2.0, 3),
    v1.glorot_normal_initializer(3),
    v1.orthogonal_initializer(2.0, 3),
    v1.identity_initializer(2.0, tf.float64),
    v1.he_uniform(3),
]


@pytest.mark.parametrize("made", CONFIGURED, ids=lambda m: type(m).__name__)
def test_configurations_make_the_same_again(made: Any) -> None:
    """from_config(get_config()) has the same values."""
    again = type(made).from_config(made.get_config())
    assert again.get_config() == made.get_config()
    tf.random.set_seed(1)
    first = made([3, 3])
    tf.random.set_seed(1)
    assert np.array_equal(first, again([3, 3]))


def test_configurations_are_tensorflows() -> None:
    """The same keys."""
    assert I.GlorotNormal(3).get_config() == {"seed": 3, "input_axes": None, "output_axes": None}
    assert I.RandomNormal(1.0, 2.0).get_config() == {"seed": None, "mean": 1.0, "stddev": 2.0}
    assert v1.glorot_normal_initializer(3).get_config() == {"seed": 3, "dtype": "float32"}
    assert I.HeNormal(3).clone().get_config() == I.HeNormal(3).get_config()


def test_by_name() -> None:
    """get understands names, classes, dictionaries, objects and values."""
    zeros = I.Zeros()
    assert I.get(None) is None
    assert I.get(zeros) is zeros
    assert isinstance(I.get("he_normal"), I.HeNormal)
    assert isinstance(I.get("HeNormal"), I.HeNormal)
    assert isinstance(I.get(I.Ones), I.Ones)
    again = I.get(I.serialize(I.RandomNormal(1.0, 2.0, 3)))
    assert again.get_config() == {"seed": 3, "mean": 1.0, "stddev": 2.0}
    assert I.get(np.array([1.0, 2.0]))([2]).numpy().tolist() == [1.0, 2.0]


def test_old_names() -> None:
    """Lower-case names are the classes."""
    assert I.he_normal is I.HeNormal
    made: Any = v1.he_normal()
    assert made.scale == 2.0
    assert set(v1.V1_NAMES) >= {"zeros_initializer", "glorot_uniform_initializer"}


# ---- complaints -------------------------------------------------------------------------------

COMPLAINTS = [
    (lambda: I.VarianceScaling(0.0), ValueError, "Argument `scale` must be positive float."),
    (lambda: I.VarianceScaling(mode="x"), ValueError, "Invalid `mode` argument: x."),
    (lambda: I.VarianceScaling(distribution="x"), ValueError, "Invalid `distribution` argument: x"),
    (lambda: I.RandomNormal(seed="x"), ValueError, "`seed` argument should be an"),  # type: ignore[arg-type]
    (lambda: I.Orthogonal()([3]), ValueError, "must be at least two-dimensional."),
    (lambda: I.Identity()([3]), ValueError, "can only be used for 2D matrices."),
    (lambda: I.Initializer()([3]), NotImplementedError, "must implement the `__call__()` method"),
    (lambda: I.get("x"), ValueError, "Could not interpret initializer identifier: x"),
    (lambda: I.get(3), ValueError, "Could not interpret initializer identifier: 3"),
    (lambda: I.get(np.ones(2))([3]), ValueError, "Expected `shape` to be (2,)"),
    (
        lambda: tf.zeros_initializer()([1], tf.string),
        ValueError,
        "Argument `dtype` expected to be numeric or boolean. Received",
    ),
    (
        lambda: tf.random_normal_initializer()([1], tf.int32),
        ValueError,
        "Argument `dtype` is expected to be floating point. Received:",
    ),
    (
        lambda: tf.ones_initializer()([1], other=3),
        TypeError,
        "Keyword argument should be one of ['partition_shape', 'partition_offset']. Received: other",
    ),
    (
        lambda: tf.constant_initializer(1)([1], partition_shape=[1]),
        ValueError,
        "doesn't support partition-related arguments",
    ),
    (
        lambda: tf.constant_initializer(tf.constant(1)),
        TypeError,
        "Expected Python scalar, list or tuple of values, or numpy.ndarray.",
    ),
    (lambda: v1.random_normal_initializer(dtype=tf.int32), ValueError, "to be floating point."),
    (
        lambda: v1.constant_initializer([1, 2], verify_shape=True)([2, 1]),
        TypeError,
        "Expected Tensor's shape: (2, 1), got (2,).",
    ),
    (lambda: v1.orthogonal_initializer()([3]), ValueError, "must be at least two-dimensional."),
    (lambda: v1.variance_scaling_initializer(mode="x"), ValueError, "Argument `mode` should be"),
    (lambda: v1.variance_scaling_initializer(-1), ValueError, "`scale` must be a positive float"),
    (
        lambda: v1.variance_scaling_initializer(distribution="x"),
        ValueError,
        "Argument `distribution` should be one of",
    ),
]


@pytest.mark.parametrize(("call", "kind", "words"), COMPLAINTS, ids=[c[2] for c in COMPLAINTS])
def test_complaints(call: Any, kind: type[Exception], words: str) -> None:
    """TensorFlow's sentences."""
    with pytest.raises(kind) as caught:
        call()
    assert words in str(caught.value)
