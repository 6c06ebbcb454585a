"""Gamma's logarithm and derivatives, and quantiles, in compiled functions: against SciPy, at every order, in loops.

SciPy is itself some units off, so these are less strict than test_mathematics.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special
from test_mathematics import INF, NAN, known
from test_native_loops import agree, orders

import wengert as tf

Function = Callable[..., Any]


def derivative(order: int) -> Function:
    return lambda x: scipy.special.polygamma(order, x)


# In float64, where there is most to see, and next to which number errors are of the result itself.
FUNCTIONS: dict[str, tuple[Function, list[tuple[float, float]], float]] = {
    "lgamma": (
        scipy.special.gammaln,
        [(0, 0.5), (0.5, 1.5), (1.5, 2.5), (2.5, 8.6), (8, 100), (1, 1e30), (-9, 0)], 1.0,
    ),
    "digamma": (
        scipy.special.digamma, [(0, 1), (1, 2), (2, 8.6), (8, 100), (1, 1e30)], 1.0,
    ),
    "polygamma_1": (derivative(1), [(0, 1), (1, 11), (10, 1e4), (-5, 0)], 0.0),
    "polygamma_2": (derivative(2), [(0, 1), (1, 11), (10, 1e4), (-5, 0)], 1.0),
    "polygamma_3": (derivative(3), [(0, 1), (1, 11), (10, 1e4), (-5, 0)], 0.0),
    "erfinv": (scipy.special.erfinv, [(-1, 1), (0.9, 1), (1 - 1e-6, 1)], 0.0),
    "erfcinv": (scipy.special.erfcinv, [(0, 2), (0, 1e-6), (0, 1e-37), (1.99, 2)], 0.0),
    "ndtri": (scipy.special.ndtri, [(0, 1), (0, 1e-6), (0, 1e-37), (1 - 1e-6, 1)], 0.0),
    "besselk0": (scipy.special.k0, [(0, 2), (2, 80), (0, 1e-9)], 0.0),
    "besselk1": (scipy.special.k1, [(0, 2), (2, 80), (0, 1e-9)], 0.0),
    "besselk0e": (scipy.special.k0e, [(0, 2), (2, 1e4), (0, 1e-9)], 0.0),
    "besselk1e": (scipy.special.k1e, [(0, 2), (2, 1e4), (0, 1e-9)], 0.0),
    "besselj0": (scipy.special.j0, [(-5, 5), (5, 100), (-1e3, 1e3)], 1.0),
    "besselj1": (scipy.special.j1, [(-5, 5), (5, 100), (-1e3, 1e3)], 1.0),
    "bessely0": (scipy.special.y0, [(0, 5), (5, 100), (0, 1e-9)], 1.0),
    "bessely1": (scipy.special.y1, [(0, 5), (5, 100), (0, 1e-9)], 1.0),
    # From 40 to 55 SciPy's asymptotic series has too few terms.
    "expint": (scipy.special.expi, [(0, 6), (6, 40), (55, 700), (-1, 0), (-80, -1)], 1.0),
}  # fmt: skip
MOST = {"f4": 8.0, "f8": 20.0}  # units


@pytest.mark.parametrize("kind", ["f4", "f8"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_accuracy(name: str, kind: str) -> None:
    reference, ranges, beside = FUNCTIONS[name]
    drawn = np.random.default_rng(7)
    x = np.concatenate([drawn.uniform(a, b, 5000) for a, b in ranges]).astype(kind)
    with np.errstate(all="ignore"):
        wanted = reference(x.astype("f8"))
    is_number = np.isfinite(wanted) & (np.abs(wanted) < np.finfo(kind).max)
    y, wanted = known(name, kind)(x)[is_number].astype("f8"), wanted[is_number]
    units = np.abs(y - wanted) / np.maximum(np.abs(wanted), beside) / np.finfo(kind).eps
    at = int(np.argmax(units))
    assert units[at] <= MOST[kind], f"{units[at]:.3g} at {x[is_number][at]!r}: not {wanted[at]}"


EXACT: dict[str, list[tuple[float, float]]] = {
    "lgamma": [(1, 0), (2, 0), (0, INF), (-0.0, INF), (-3, INF), (INF, INF), (-INF, INF), (NAN, NAN)],
    "digamma": [(0, NAN), (-2, NAN), (INF, INF), (-INF, NAN), (NAN, NAN)],
    "polygamma_1": [(0, INF), (-1, INF), (INF, 0), (-INF, INF), (NAN, NAN)],
    "polygamma_2": [(0, -INF), (-1, -INF), (INF, -0.0), (-INF, -INF), (NAN, NAN)],
    "polygamma_3": [(0, INF), (-1, INF), (INF, 0), (-INF, INF), (NAN, NAN)],
    "erfinv": [(0, 0), (-0.0, -0.0), (1, INF), (-1, -INF), (1.5, NAN), (-INF, NAN), (NAN, NAN)],
    "erfcinv": [(1, 0), (0, INF), (2, -INF), (-0.5, NAN), (2.5, NAN), (INF, NAN), (NAN, NAN)],
    "ndtri": [(0.5, 0), (0, -INF), (1, INF), (-0.5, NAN), (1.5, NAN), (-INF, NAN), (NAN, NAN)],
    "besselk0": [(0, INF), (-0.0, INF), (INF, 0), (-1, NAN), (-INF, NAN), (NAN, NAN)],
    "besselk1": [(0, INF), (-0.0, INF), (INF, 0), (-1, NAN), (-INF, NAN), (NAN, NAN)],
    "besselk0e": [(0, INF), (-0.0, INF), (INF, 0), (-1, NAN), (-INF, NAN), (NAN, NAN)],
    "besselk1e": [(0, INF), (-0.0, INF), (INF, 0), (-1, NAN), (-INF, NAN), (NAN, NAN)],
    "besselj0": [(0, 1), (-0.0, 1), (INF, NAN), (NAN, NAN)],
    "besselj1": [(0, 0), (-0.0, -0.0), (INF, NAN), (NAN, NAN)],
    "bessely0": [(0, -INF), (-0.0, -INF), (-1, NAN), (-INF, NAN), (NAN, NAN)],
    "bessely1": [(0, -INF), (-0.0, -INF), (-1, NAN), (-INF, NAN), (NAN, NAN)],
    "expint": [(0, -INF), (-0.0, -INF), (INF, INF), (720, INF), (-INF, -0.0), (NAN, NAN)],
}  # fmt: skip


@pytest.mark.parametrize("kind", ["f4", "f8"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_exact_values(name: str, kind: str) -> None:
    x, wanted = np.array(EXACT[name]).T.astype(kind)
    np.testing.assert_array_equal(known(name, kind)(x), wanted)


LIKELIHOODS: dict[str, Function] = {
    "Poisson": lambda x: 3.0 * x - tf.exp(x) - tf.math.lgamma(x * x + 1.0),
    "beta": lambda x: tf.math.lbeta(tf.stack([tf.exp(x), x * x + 0.5], -1)),
    "digamma": lambda x: tf.math.digamma(tf.exp(x)),
    "below zero": lambda x: tf.math.lgamma(-tf.exp(x) - 0.21) + tf.math.digamma(-0.3 - 0.2 * tf.sin(x)),
    "quantiles": lambda x: tf.math.ndtri(tf.sigmoid(x)) + tf.math.erfinv(tf.tanh(x)),
    "waves": lambda x: tf.math.special.bessel_y0(tf.exp(x)) * tf.math.special.bessel_y1(tf.exp(x)),
    "decay": lambda x: tf.math.special.bessel_k0(tf.exp(x)) + tf.math.special.expint(tf.exp(x)),
    "of the rest": lambda x: tf.math.erfcinv(1.0 + tf.sin(x)),
}  # fmt: skip


@pytest.mark.parametrize("f", LIKELIHOODS.values(), ids=list(LIKELIHOODS))
def test_every_order_is_compiled(f: Function) -> None:
    x = tf.constant(np.random.default_rng(2).normal(size=(3, 7)))
    for g in orders(f):
        assert "NumPy" not in agree(g, x)


@pytest.mark.parametrize("f", LIKELIHOODS.values(), ids=list(LIKELIHOODS))
def test_loops_stay_whole(f: Function) -> None:
    x = tf.constant(np.random.default_rng(3).normal(size=5))

    def g(x: Any) -> Any:
        return tf.while_loop(
            lambda i, x: i < 5, lambda i, x: (i + 1, tf.tanh(x + 0.1 * f(x))), (0, x)
        )[1]

    for h in orders(g):
        assert "NumPy" not in agree(h, x)
