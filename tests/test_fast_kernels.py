"""Kernels that take another way for large arrays give the same numbers, to the bit where they can."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import scipy.special
from hypothesis import given
from hypothesis import strategies as st

import wengert as tf
from wengert.ops.support.branchless import choose, keep
from wengert.ops.support.segment_kernels import reduced_rows

DTYPES = ["f2", "f4", "f8", "c8", "c16", "i1", "i2", "i4", "i8", "?"]


def drawn(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Any:
    """Numbers with infinities, NaN and both zeros among them."""
    x = rng.normal(size=shape) * 10
    special = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0])
    if np.dtype(dtype).kind in "fc":
        x = np.where(rng.random(shape) < 0.1, rng.choice(special, shape), x)
    return x.astype(dtype)


@given(st.sampled_from(DTYPES), st.sampled_from([(3,), (100, 70), (64, 64)]), st.booleans())
def test_choices_are_those_of_where(dtype: str, shape: tuple[int, ...], turned: bool) -> None:
    """Bit by bit, whatever the dtype, also of arrays with gaps."""
    rng = np.random.default_rng(0)
    x, y = drawn(rng, shape, dtype), drawn(rng, shape, dtype)
    c = rng.random(shape) < 0.5
    if turned:
        c, x, y = c.T, x.T, y.T
    for got, want in (
        (choose(c, x, y), np.where(c, x, y)),
        (keep(c, x), np.where(c, x, x[:0].sum())),
    ):
        assert got.dtype == x.dtype
        assert got.tobytes() == want.astype(dtype).tobytes()


def test_choices_of_other_shapes() -> None:
    """What broadcasts goes the common way."""
    c, x = np.ones((100, 100), bool), np.ones(100, np.float32)
    assert choose(c, x, np.float32(0)).shape == (100, 100)
    assert tf.where(c, x, 0.0).shape == (100, 100)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_large_softmax(dtype: str) -> None:
    """In rows, shared by the processors: the same as of single rows."""
    x = np.random.default_rng(0).normal(size=(700, 600)).astype(dtype)
    for axis in (0, 1):
        want = scipy.special.softmax(x.astype(float), axis)
        close = {"rtol": {"float16": 2e-3, "float32": 1e-5, "float64": 1e-12}[dtype], "atol": 1e-7}
        np.testing.assert_allclose(tf.nn.softmax(x, axis).numpy().astype(float), want, **close)
        logs = tf.nn.log_softmax(x, axis).numpy().astype(float)
        np.testing.assert_allclose(np.exp(logs), want, rtol=1e-2, atol=1e-6)


def test_large_sums_of_rows() -> None:
    """By a sparse product; NaN and infinity stay in their segments."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(5000, 20))
    rows[7] = np.nan
    rows[9] = np.inf
    ids = rng.integers(-1, 50, 5000)
    want = np.zeros((60, 20))
    np.add.at(want, ids[ids >= 0], rows[ids >= 0])
    np.testing.assert_allclose(reduced_rows(np.add, rows, ids, 60, 0), want, rtol=1e-10)


def test_large_batch_norm() -> None:
    """In blocks: the moments are those of NumPy, also of numbers far from zero."""
    x = np.random.default_rng(0).normal(size=(9, 40, 40, 24)).astype("f4") + 1000
    y, mean, variance = tf.compat.v1.nn.fused_batch_norm(x, np.ones(24), np.zeros(24))
    wide = x.astype(float)
    np.testing.assert_allclose(mean, wide.mean((0, 1, 2)), rtol=1e-6)
    np.testing.assert_allclose(variance, wide.var((0, 1, 2), ddof=1), rtol=1e-3)
    np.testing.assert_allclose(np.std(y, axis=(0, 1, 2)), np.ones(24), rtol=1e-2)


def test_few_of_many_with_infinities() -> None:
    """Rows with NaN, and with fewer numbers above -inf than are wanted, go the long way."""
    x = np.random.default_rng(0).normal(size=(4, 200))
    x[1, 5:] = -np.inf
    x[2, 17] = np.inf
    values, indices = tf.math.top_k(x, 8)
    order = np.argsort(-x, -1, kind="stable")[:, :8]
    assert indices.numpy().tolist() == order.tolist()
    assert values.numpy().tolist() == np.take_along_axis(x, order, -1).tolist()


LOOKING = """
import ctypes, numpy as np
from wengert.host import malloc
import wengert as tf
asked = [malloc.raise_thresholds.cache_info().misses]
tf.exp(tf.constant([1.0, 2.0])) + 1.0
asked.append(malloc.raise_thresholds.cache_info().misses)
{}
asked.append(malloc.raise_thresholds.cache_info().misses)
print(asked)
"""


@pytest.mark.parametrize(
    "made", ["tf.constant(np.zeros(100_000))", "tf.ones([40_000])", "tf.random.normal([40_000])",
             "tf.function(lambda x: x + 1.0)(tf.constant([1.0]))"],
)  # fmt: skip
def test_memory_is_kept_from_the_first_large_array_on(made: str) -> None:
    """Importing changes nothing of the process, nor do small arrays."""
    done = subprocess.run(
        [sys.executable, "-c", LOOKING.format(made)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[0, 0, 1]\n"


def test_memory_is_left_alone_on_request() -> None:
    """The thresholds of the C library are raised, unless the environment says no."""
    code = "from wengert.host.malloc import raise_thresholds; print(raise_thresholds())"
    for value, wanted in (("0", {"False"}), ("1", {"True", "False"})):
        env = {**os.environ, "WENGERT_KEEP_MEMORY": value}
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env)
        assert done.stdout.strip() in wanted, done.stderr
