"""Taylor mode: every operation against nested forward mode; functions, loops, modes, orders, cost."""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numeric import arrays, assert_same, like, restricted, tensors
from optable import CASES
from samples import Case

import wengert as tf
from wengert.derivatives.trail import Trail

SMOOTH = [c for c in CASES if c.varied and not c.line.constant]
# Three cases for each operation: the series of an operation follow the same rule for all attributes.
FEW = [c for c in SMOOTH if int(repr(c).rpartition("-")[2]) <= 3]
# Nested forward mode takes seconds for the third order of these.
FACTORS = ("Lu", "[lu", "[cholesky", "BandedTriangular", "Qr", "[lstsq", "Svd", "Matrix", "[qr")
RNG = np.random.default_rng(6)
X, V = tf.constant(RNG.uniform(0.2, 0.8, size=6)), tf.constant(RNG.normal(size=6))
W = tf.constant(RNG.normal(size=(6, 6)))


def nested_derivative(f: Callable[[Any], Any], v: Any, order: int) -> Callable[[Any], Any]:
    """Forward mode within forward mode."""
    if not order:
        return f
    lower = nested_derivative(f, v, order - 1)
    return lambda x: tf.jvp(lower, (x,), (v,))[1]


def nested(f: Callable[[Any], Any], x: Any, v: Any, order: int) -> Any:
    """What Taylor mode gives, by nesting."""
    found = [tf.nest.flatten(nested_derivative(f, v, k)(x)) for k in range(order + 1)]
    return [np.stack([np.asarray(y) for y in ys]) for ys in zip(*found, strict=True)]


@pytest.mark.parametrize("case", FEW, ids=repr)
def test_every_operation(case: Case) -> None:
    xs = tensors(case.inputs(0))
    f = restricted(case.call, xs, case.varied)
    at = [xs[i] for i in case.varied]
    vs = tensors(like(case.rng(61), at))
    order = 2 if repr(case).startswith(FACTORS) else 3
    found = tf.taylor(lambda at: list(f(*at)), at, vs, order)
    want = nested(lambda at: list(f(*at)), at, vs, order)
    assert_same(arrays(tf.nest.flatten(found)), want, 1e-9)


@tf.custom_gradient
def tripled(x: Any) -> Any:
    return x * x, lambda g: 3.0 * g * x  # not the derivative, and the one that counts


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "pow": lambda x: x**3.0,
    "pow of itself": lambda x: x**x,
    "quotient": lambda x: x / (x[::-1] + x * x),
    "matrix": lambda x: tf.linalg.matvec(W, x * x),
    "product": lambda x: tf.reshape(x, [2, 3]) @ tf.reshape(x, [3, 2]),
    "three operands": lambda x: tf.einsum("i,j,k->ijk", x[:2], x[2:4], x[4:]),
    "broadcast": lambda x: tf.reduce_sum(x) * x + 2.0,
    "convolution": lambda x: tf.nn.conv2d(
        tf.reshape(x, [1, 2, 3, 1]), tf.reshape(x[:4], [2, 2, 1, 1]), 1, "SAME"
    ),
    "softmax": lambda x: tf.nn.log_softmax(x) * tf.nn.softmax(x),
    "unstack": lambda x: tf.stack(tf.unstack(x)[::-1]) * x,
    "inverse": lambda x: tf.linalg.inv(W + tf.linalg.diag(x)),
    "where": lambda x: tf.where(x > 0.5, x * x, tf.sin(x)),
    "gradient": lambda x: tf.grad(lambda x: tf.reduce_sum(tf.tanh(x) * x[::-1]))(x),
    "forward mode": lambda x: tf.jvp(tf.sin, (x,), (x * x,))[1],
    "taylor": lambda x: tf.taylor(tf.sin, x, x, 2),
    "stopped": lambda x: tf.stop_gradient(x) * x,
    "constant": lambda x: tf.ones([2], tf.float64),
    "function": tf.function(lambda x: x * tf.sin(x)),
    "python loop": lambda x: [x := tf.sin(x) for _ in range(3)][-1],
    "loop": lambda x: tf.while_loop(
        lambda i, _: i < 3, lambda i, x: (i + 1, tf.sin(x) * x), (0, x)
    )[1],
    "cond": lambda x: tf.cond(tf.reduce_sum(x) > 0.0, lambda: x**2, lambda: x),
    "map": lambda x: tf.map_fn(tf.exp, x),
    "custom gradient": tripled,
    "structure": lambda x: {"a": x * x, "b": [tf.reduce_sum(x**3)]},
}


@pytest.mark.parametrize(
    "wrap", [lambda f: f, tf.function, lambda f: tf.function(f, jit_compile=True)]
)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name: str, wrap: Any) -> None:
    f = FUNCTIONS[name]
    found = wrap(lambda x, v: tf.taylor(f, x, v, 3))(X, V)
    for got, want in zip(tf.nest.flatten(found), nested(f, X, V, 3), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("order", [0, 1, 2, 7, 12])
def test_orders(order: int) -> None:
    want = [math.sin(0.3 + k * math.pi / 2) * 2.0**k for k in range(order + 1)]
    found = tf.taylor(tf.sin, tf.constant(0.3, tf.float64), 2.0, order)
    np.testing.assert_allclose(found, want, rtol=1e-12)


def test_at_the_edge_of_a_power() -> None:
    zero = tf.constant(0.0, tf.float64)
    assert tf.taylor(lambda x: x**3.0, zero, 1.0, 5).numpy().tolist() == [0, 0, 0, 6, 0, 0]
    assert tf.taylor(tf.square, zero, 1.0, 3).numpy().tolist() == [0, 0, 2, 0]


def test_it_is_differentiated_again() -> None:
    def third(x: Any) -> Any:
        return tf.reduce_sum(tf.taylor(tf.tanh, x, V, 3)[3])

    def by_nesting(x: Any) -> Any:
        return tf.reduce_sum(nested_derivative(tf.tanh, V, 3)(x))

    np.testing.assert_allclose(tf.grad(third)(X), tf.grad(by_nesting)(X), rtol=1e-10)
    np.testing.assert_allclose(
        tf.vmap(lambda v: tf.taylor(tf.tanh, X, v, 2))(W)[0, 1], W[0] * (1.0 - tf.tanh(X) ** 2)
    )


def test_variables_and_structures() -> None:
    v = tf.Variable(X)
    np.testing.assert_allclose(tf.taylor(lambda x: x * v, X, V, 1)[1], V * X)
    np.testing.assert_allclose(tf.taylor(lambda v: v * X, v, V, 1)[1], V * X)
    found = tf.taylor(lambda d: d["a"] * d["b"], {"a": X, "b": X}, {"a": V, "b": None}, 2)
    np.testing.assert_allclose(found, [X * X, X * V, X * 0.0], atol=1e-15)


@pytest.mark.parametrize(
    ("misuse", "words"),
    [
        (lambda: tf.taylor(3, X, V, 2), "takes a function"),  # type: ignore[arg-type]
        (lambda: tf.taylor(tf.sin, X, V, -1), "a non-negative integer, got -1"),
        (lambda: tf.taylor(tf.sin, X, V, 2.0), "a non-negative integer"),  # type: ignore[arg-type]
        (lambda: tf.taylor(tf.sin, X, [V, V], 2), "must be nested alike"),
        (lambda: tf.taylor(tf.sin, tf.constant(1), 1, 2), "floating and complex arguments"),
        (lambda: tf.taylor(lambda x: None, X, V, 2), "returned None"),
    ],
)
def test_bad_input(misuse: Any, words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        misuse()


# ---- the forward Laplacian ----------------------------------------------------------------------


@pytest.mark.parametrize("case", FEW, ids=repr)
def test_laplacian_of_every_operation(case: Case) -> None:
    """Against second derivatives along the unit vectors, one after the other."""
    xs = tensors(case.inputs(0))
    f = restricted(case.call, xs, case.varied)
    at = [xs[i] for i in case.varied]
    size = sum(math.prod(x.shape) for x in at)
    if size > 16 or any(x.dtype.is_complex for x in at):
        return
    found = tf.laplacian(lambda at: list(f(*at)))(at)
    want: Any = 0.0
    for unit in np.eye(size):
        parts = np.split(unit, np.cumsum([math.prod(x.shape) for x in at])[:-1])
        vs = [tf.constant(p.reshape(tuple(x.shape))) for p, x in zip(parts, at, strict=True)]
        second = tf.taylor(lambda at: list(f(*at)), at, vs, 2)
        want = want + np.concatenate([np.ravel(y[2]) for y in second])
    got = np.concatenate([np.ravel(y) for y in tf.nest.flatten(found)])
    np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    "wrap", [lambda f: f, tf.function, lambda f: tf.function(f, jit_compile=True)]
)
@pytest.mark.parametrize("name", [n for n in FUNCTIONS if n not in ("structure", "constant")])
def test_laplacian_of_functions(name: str, wrap: Any) -> None:
    f = FUNCTIONS[name]
    found = wrap(tf.laplacian(lambda x: tf.reduce_sum(f(x))))(X)
    want = tf.linalg.trace(tf.hessian(lambda x: tf.reduce_sum(f(x)))(X))
    np.testing.assert_allclose(found, want, rtol=1e-9, atol=1e-9)
    diagonal = wrap(tf.hessian_diag(lambda x: tf.reduce_sum(f(x))))(X)
    np.testing.assert_allclose(tf.reduce_sum(diagonal), want, rtol=1e-9, atol=1e-9)


# ---- cost ---------------------------------------------------------------------------------------


WIDE = tf.constant(RNG.normal(size=(64, 64)) / 8.0)


def network(x: Any) -> Any:
    for _ in range(5):
        x = tf.tanh(x @ WIDE + 0.1)
    return x


def seconds(f: Callable[[], Any], rounds: int = 9) -> float:
    f()
    found = []
    for _ in range(rounds):
        start = time.perf_counter()
        f()
        found.append(time.perf_counter() - start)
    return sorted(found)[rounds // 2]


# ---- rules with a recurrence --------------------------------------------------------------------

SQUARE = tf.constant(RNG.normal(size=(3, 3)))
POSITIVE = SQUARE @ tf.transpose(SQUARE) + 3.0 * tf.eye(3, dtype=tf.float64)
SIDES = tf.constant(RNG.normal(size=(3, 2)))
FACTORS_WITH_ZEROS = tf.constant([0.5, 0.0, 2.0, 0.0, 1.5, 1.0], tf.float64)
# By name: the function, where, and along what.
RECURRENCES: dict[str, tuple[Callable[[Any], Any], Any, Any]] = {
    "product": (tf.reduce_prod, X, V),
    "product with zeros": (tf.reduce_prod, FACTORS_WITH_ZEROS, V),
    "product along axes": (
        lambda x: tf.reduce_prod(tf.reshape(tf.concat([x, x + 1.0], 0), [3, 2, 2]), [0, 2], True),
        X,
        V,
    ),
    "cumprod": (tf.math.cumprod, FACTORS_WITH_ZEROS, V),
    "cumprod in reverse": (lambda x: tf.math.cumprod(x, 0, True, True), X, V),
    "segment product": (lambda x: tf.math.segment_prod(x, [0, 0, 1, 1, 1, 2]), X, V),
    "logsumexp": (tf.math.cumulative_logsumexp, X, V),
    "logsumexp in reverse": (
        lambda x: tf.math.cumulative_logsumexp(tf.stack([x, x * x]), 1, True, True),
        X,
        V,
    ),
    "logsumexp of nothing": (
        lambda x: tf.math.cumulative_logsumexp(
            tf.concat([tf.fill([2], tf.constant(-np.inf, tf.float64)), x], 0)
        ),
        X,
        V,
    ),
    "quotient": (lambda x: tf.math.divide_no_nan(x, x * FACTORS_WITH_ZEROS), X, V),
    "no nan": (lambda x: tf.math.multiply_no_nan(x * x, x * FACTORS_WITH_ZEROS), X, V),
    "power": (lambda x: x[:, None] ** tf.constant([1.5, -2.0, 1.0], tf.float64), X, V),
    "power at zero": (lambda x: x ** tf.constant(7.0, tf.float64), FACTORS_WITH_ZEROS, V),
    "solve": (lambda a: tf.linalg.solve(a, a[:, :2] * a[0, 0], adjoint=True), POSITIVE, SQUARE),
    "solve complex": (
        lambda a: tf.math.real(
            tf.linalg.solve(tf.complex(a, a @ SQUARE), tf.complex(SIDES, SIDES))
        ),
        POSITIVE,
        SQUARE,
    ),
    "triangular": (
        lambda a: tf.linalg.triangular_solve(a, a[:, :2], lower=False, adjoint=True),
        POSITIVE,
        SQUARE,
    ),
    "tridiagonal": (
        lambda x: tf.linalg.tridiagonal_solve(tf.stack([x, x + 3.0, x * x]), x),
        X,
        V,
    ),
    "banded": (
        lambda x: tf.linalg.banded_triangular_solve(tf.stack([x + 2.0, x]), x[:, None]),
        X,
        V,
    ),
    "cholesky": (tf.linalg.cholesky, POSITIVE, SQUARE),
    "cholesky of several": (lambda a: tf.linalg.cholesky(tf.stack([a, a @ a])), POSITIVE, SQUARE),
    "logdet": (tf.linalg.logdet, POSITIVE, SQUARE),
    "expm": (tf.linalg.expm, SQUARE, POSITIVE),
    "expm of several": (lambda a: tf.linalg.expm(tf.stack([a, a @ a])), 0.3 * SQUARE, SQUARE),
    "sqrtm": (tf.linalg.sqrtm, POSITIVE, SQUARE),
}


# Nested forward mode takes seconds for the fifth order of these.
SLOW = ("logdet", "segment product", "cholesky")


@functools.cache
def wanted(name: str, order: int) -> Any:
    (want,) = nested(*RECURRENCES[name], order)
    return want


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function, tf.function(jit_compile=True)])
@pytest.mark.parametrize("name", RECURRENCES)
def test_recurrences(name: str, wrap: Any) -> None:
    f, x, v = RECURRENCES[name]
    order = 4 if name.startswith(SLOW) else 5
    found = np.asarray(wrap(lambda x, v: tf.taylor(f, x, v, order))(x, v))
    np.testing.assert_allclose(
        found, wanted(name, order), rtol=1e-8, atol=1e-8 * np.abs(found[np.isfinite(found)]).max()
    )


@pytest.mark.parametrize("name", RECURRENCES)
def test_recurrences_take_a_polynomial_of_the_order(name: str) -> None:
    """Of twice the order eight times the operations, and eight times the elements, are the most."""
    f, x, v = RECURRENCES[name]
    counts, elements = [], []
    for order in (5, 10):
        heard = Trail()
        with heard.active():
            tf.taylor(f, x, v, order)
        counts.append(len(heard.events))
        elements.append(max(int(np.prod(y.shape)) for e in heard.events for y in e.results))
    assert counts[1] <= 8 * counts[0]
    assert elements[1] <= 8 * elements[0]


@pytest.mark.timing
def test_ten_orders_cost_less_than_sixty_functions() -> None:
    x = tf.constant(RNG.normal(size=(256, 64)))
    v = tf.ones_like(x)
    assert seconds(lambda: tf.taylor(network, x, v, 10)) < 60.0 * seconds(lambda: network(x))
