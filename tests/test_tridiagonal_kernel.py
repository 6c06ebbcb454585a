"""Tridiagonal systems in machine code: the solutions, and NumPy's bits."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.engines.native.kernels.tridiagonal import FEWEST, tridiagonal_solve
from wengert.engines.native.runtime.processor import is_supported
from wengert.ops.linalg.tridiagonal import _smallest, _with_pivoting

pytestmark = pytest.mark.skipif(not is_supported(), reason="nothing compiles here")


@pytest.fixture(autouse=True)
def native_again() -> Iterator[None]:
    yield
    tf.config.set_engine(None)


def whole(d: Any) -> Any:
    """The matrices, given their diagonals."""
    size = d.shape[-1]
    a, i = np.zeros((*d.shape[:-2], size, size)), np.arange(size)
    a[..., i, i] = d[..., 1, :]
    a[..., i[:-1], i[1:]] = d[..., 0, :-1]
    a[..., i[1:], i[:-1]] = d[..., 2, 1:]
    return a


def drawn(rng: Any, kind: str, pivoting: bool) -> tuple[Any, Any]:
    batch = [(), (int(rng.integers(1, 40)),), (2, int(rng.integers(1, 20)))][rng.integers(3)]
    size, sides = int(rng.integers(1, 40)), int(rng.integers(1, 12))
    d = rng.normal(size=(*batch, 3, size))
    if not pivoting:
        d[..., 1, :] += 4.0
    return d.astype(kind), rng.normal(size=(*batch, size, sides)).astype(kind)


@pytest.mark.parametrize("pivoting", [True, False])
@pytest.mark.parametrize("kind", ["f4", "f8"])
def test_solutions(kind: str, pivoting: bool) -> None:
    """As those of whole matrices, as near as their condition allows; the arguments are left alone."""
    rng = np.random.default_rng(11)
    for _ in range(150):
        d, b = drawn(rng, kind, pivoting)
        given = d.copy(), b.copy()
        x = tf.linalg.tridiagonal_solve(d, b, partial_pivoting=pivoting).numpy()
        made = tridiagonal_solve(d, b, pivoting, np.full(d.shape[:-2], np.nan))
        assert (made is None) == (pivoting and math.prod(b.shape[:-2]) < FEWEST)
        assert made is None or np.array_equal(made, x)
        for array, before in zip((d, b), given, strict=True):
            assert np.array_equal(array, before)
        a = whole(d)
        want = np.linalg.solve(a, b.astype("f8"))
        bound = 20 * np.finfo(kind).eps * np.max(np.linalg.cond(a)) * np.max(np.abs(want))
        assert np.max(np.abs(x - want)) <= bound, (d.shape, b.shape)


@pytest.mark.parametrize("kind", ["f4", "f8"])
def test_bits_are_those_of_numpys_operations(kind: str) -> None:
    """Also of rows that are exchanged, of zero pivots, and of what is not finite."""
    rng = np.random.default_rng(5)
    for _ in range(60):
        d = rng.choice([0.0, -0.0, 1.0, -2.0, 0.5, 3.0], (20, 3, int(rng.integers(1, 9))))
        d = np.where(rng.random(d.shape) < 0.02, rng.choice([np.inf, np.nan], d.shape), d)
        d, b = d.astype(kind), rng.normal(size=(20, d.shape[-1], 2)).astype(kind)
        d[:, 0, -1] = 0  # is not used
        with np.errstate(all="ignore"):
            for instead in (np.full(20, np.nan, kind), _smallest(np.nan_to_num(d)).astype(kind)):
                found = tridiagonal_solve(d, b, True, instead)
                want = _with_pivoting(d, b, instead[:, None])
                nan = np.isnan(want)
                assert np.array_equal(nan, np.isnan(found))
                assert np.array_equal(found[~nan], want[~nan])


def test_one_long_system_without_pivoting() -> None:
    """Which NumPy goes through one row after the other, in half a second."""
    size = 100_000
    d = np.stack([np.full(size, -1.0), np.full(size, 2.5), np.full(size, -1.0)])
    x = np.random.default_rng(0).normal(size=(size, 1))
    b = tf.linalg.tridiagonal_matmul(d, x)
    found = tf.linalg.tridiagonal_solve(d, b, partial_pivoting=False)
    np.testing.assert_allclose(found, x, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("pivoting", [True, False])
def test_engines_agree_on_gradients(pivoting: bool) -> None:
    """Eager, in functions, and by NumPy."""
    rng = np.random.default_rng(2)
    d = rng.normal(size=(9, 3, 5))
    d[:, 1] += 4.0
    b = tf.constant(rng.normal(size=(9, 5, 2)))

    def both(d: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(d)
            with tf.GradientTape() as tape:
                tape.watch(d)
                y = tf.reduce_sum(tf.linalg.tridiagonal_solve(d, b, partial_pivoting=pivoting) ** 2)
            g = tape.gradient(y, d)
            z = tf.reduce_sum(g * g)
        return g, outer.gradient(z, d)

    found = [both(tf.constant(d)), tf.function(both)(tf.constant(d))]
    tf.config.set_engine("numpy")
    found.append(both(tf.constant(d)))
    for g, h in found[1:]:
        np.testing.assert_allclose(g, found[0][0], rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(h, found[0][1], rtol=1e-10, atol=1e-12)
