"""Loops that a program wrote out: compiled as whole arrays, with the numbers of the interpreter."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from function_modes import compiled, interpreted

import wengert as tf

N, D = 12, 5
RNG = np.random.default_rng(3)
X = tf.constant(RNG.normal(size=(N, D)))
Y = tf.constant(RNG.normal(size=(N, D)))
M = tf.constant(RNG.normal(size=(D, D)))


def assert_same(f: Callable[..., Any], *xs: Any) -> None:
    """The value, and its gradient, as the interpreter has them."""

    def both(*given: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(given)
            ys = f(*given)
            total = tf.add_n([tf.reduce_sum(y * y) for y in tf.nest.flatten(ys)])
        return ys, tape.gradient(total, given, unconnected_gradients="zero")

    for got, want in zip(
        tf.nest.flatten(compiled(both)(*xs)),
        tf.nest.flatten(interpreted(both)(*xs)),
        strict=True,
    ):
        assert got.shape == want.shape
        np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-11)


def steps(f: Callable[..., Any], *xs: Any) -> list[Any]:
    return list(compiled(f).plan(*xs).steps)


# ---- stacks of slices ------------------------------------------------------------------------

STACKS: dict[str, Callable[..., Any]] = {
    "rows": lambda x, y, m: tf.stack([tf.exp(x[i]) - y[i] for i in range(N)]),
    "rows and one": lambda x, y, m: tf.stack([x[i] * y[0] for i in range(N)]),
    "rows, each beside all": lambda x, y, m: tf.stack([x[i] - y for i in range(N)]),
    "backwards": lambda x, y, m: tf.stack([x[i] * y[N - 1 - i] for i in range(N)]),
    "from the last on": lambda x, y, m: tf.stack([tf.sin(x[N - 1 - i]) for i in range(N)]),
    "every second": lambda x, y, m: tf.stack([tf.sin(y[i % 6 * 2]) for i in range(N)]),
    "as columns": lambda x, y, m: tf.stack([tf.sin(x[i]) for i in range(N)], -1),
    "columns": lambda x, y, m: tf.stack([x[:, j] * 2.0 for j in range(D)] * 2, 1),
    "numbers": lambda x, y, m: tf.stack([x[i, j] * y[i, 0] for i in range(N) for j in range(D)]),
    "numbers, nested": lambda x, y, m: tf.stack(
        [tf.stack([tf.exp(x[i, j]) for j in range(D)]) for i in range(N)]
    ),
    "windows": lambda x, y, m: tf.stack([x[i : i + 3] * y[i] for i in range(N - 2)]),
    "sums": lambda x, y, m: tf.stack([tf.reduce_sum(x[i] * y[i]) for i in range(N)]),
    "sums of columns": lambda x, y, m: tf.stack([tf.reduce_sum(x[i:] * y[i], 0) for i in [2] * N]),
    "sums of windows": lambda x, y, m: tf.stack(
        [tf.reduce_sum(x[i : i + 3], 0) for i in range(N - 2)]
    ),
    "products": lambda x, y, m: tf.stack([tf.linalg.matvec(m, x[i]) for i in range(N)]),
    "triangles": lambda x, y, m: tf.stack(
        [
            tf.stack([tf.concat([tf.zeros(j, x.dtype), x[i, j:]], 0) for j in range(D)])
            for i in range(N)
        ]
    ),
    "concatenated": lambda x, y, m: tf.concat([tf.tanh(x[i : i + 1]) for i in range(N)], 0),
    "with a part twice": lambda x, y, m: tf.concat([x[i, : D - 1] + y[i, 1:] for i in range(N)], 0),
    "and returned one by one": lambda x, y, m: [tf.exp(x[i]) for i in range(N)],
    "and some returned": lambda x, y, m: (lambda e: [tf.stack(e), e[3]])(
        [tf.exp(x[i]) for i in range(N)]
    ),
    "a sum of rows": lambda x, y, m: sum([tf.exp(x[i]) for i in range(N)]),
    "a sum of columns": lambda x, y, m: sum([tf.exp(y[:, j]) for j in range(D)] * 3),
    "a sum of numbers": lambda x, y, m: sum([x[i, 2] * y[i, 1] for i in range(N)]),
    "a sum of rows and others": lambda x, y, m: sum([x[i] for i in range(N)]) + y + 1.0,
    "one after the other": lambda x, y, m: _chain(x, y),
    "outer": lambda x, y, m: tf.stack(
        [tf.stack([x[i] * y[k] for k in range(N)]) for i in range(N)]
    ),
}


def _chain(x: Any, y: Any) -> Any:
    h = y[0]
    for i in range(N):
        h = tf.tanh(h * 0.5 + x[i])
    return h


@pytest.mark.parametrize("name", STACKS)
def test_stacks(name: str) -> None:
    assert_same(STACKS[name], X, Y, M)


@pytest.mark.parametrize("name", ["rows", "rows, each beside all", "numbers", "sums", "triangles"])
def test_as_many_steps_as_for_whole_arrays(name: str) -> None:
    """And nothing is NumPy's."""
    made = steps(STACKS[name], X, Y, M)
    assert len(made) <= (2 * D if name == "triangles" else 2)
    assert "NumPy" not in {step["kind"] for step in made}


def test_whole_numbers_and_truth_values() -> None:
    """Sums of integers are exact."""
    x = tf.constant(RNG.integers(-9, 9, (N, D)))
    f = lambda x: [tf.stack([x[i] * 3 for i in range(N)]), sum([x[i] for i in range(N)])]  # noqa: E731
    for got, want in zip(compiled(f)(x), f(x), strict=True):
        np.testing.assert_array_equal(got, want)
    g = lambda x: tf.stack([x[i] > 0 for i in range(N)])  # noqa: E731
    np.testing.assert_array_equal(compiled(g)(x), g(x))


def test_drawn_loops() -> None:
    """Slices at random distances, of random lengths, in random order, some of them overlapping."""
    for seed in range(25):
        draw = random.Random(seed)
        starts = [draw.choice([i, 2 * i % N, N - 1 - i]) for i in range(N)]
        length = draw.randint(1, D)
        order = draw.sample(range(N), N)

        def f(
            x: Any, y: Any, starts: Any = starts, length: int = length, order: Any = order
        ) -> Any:
            parts = [tf.sin(x[i, :length]) * y[starts[i], D - length :] for i in order]
            return [tf.stack(parts), sum(parts[2:]), tf.concat(parts[:9], 0)]

        assert_same(f, X, Y)


# ---- gradients of slices ---------------------------------------------------------------------


def test_the_gradient_of_slices_is_one_array() -> None:
    def f(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.add_n([tf.reduce_sum(tf.exp(x[i]) * float(i % 3)) for i in range(N)])
        return tape.gradient(y, x)

    np.testing.assert_allclose(compiled(f)(X), interpreted(f)(X), rtol=1e-12)
    assert len(steps(f, X)) <= 3


def test_zeros_that_are_added_keep_their_sign() -> None:
    """-0.0 in a slice, plus the zeros around another one, is 0.0."""

    def f(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.add_n([tf.reduce_sum(x[i] * -0.0) for i in range(N)])
        return tape.gradient(y, x)

    assert not np.signbit(interpreted(f)(X)).any()
    assert not np.signbit(compiled(f)(X)).any()


def test_infinities_stay_where_they_are() -> None:
    x = np.ones((N, D))
    x[3, 2], x[4, 1] = np.inf, np.nan
    f = STACKS["rows"]
    np.testing.assert_array_equal(
        compiled(lambda x: f(x, Y, M))(tf.constant(x)), f(tf.constant(x), Y, M)
    )


# ---- products that were returned, and others -----------------------------------------------------


def test_products_of_slices_that_are_returned() -> None:
    """Each is an array of its own, though one product would compute all of them."""
    f = lambda x, m: [x[0:4] @ m, x[4:8] @ m, x[8:12] @ m]  # noqa: E731
    for got, want in zip(compiled(f)(X, M), f(X, M), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12)


def test_results_can_be_changed_one_by_one() -> None:
    """What is handed out is no part of something else that is handed out."""
    found = [y.numpy() for y in compiled(lambda x: [tf.exp(x[i]) for i in range(N)])(X)]
    for y in found:
        assert y.base is None or y.base.size == y.size


EINSUMS = [
    "ij,jk->ik", "ij,jk->ki", "ij,kj->ik", "ji,jk->ik", "ij,ij->ij", "ij,ij->i", "ij,ij->",
    "ij,j->i", "i,j->ij", "ijk,ikl->ijl", "kij,nkj->nki", "nki,nkj->kij", "nki,kij->nkj",
    "ijk,kl->ijl", "ijk,lk->lij", "ijk,jl->ikl", "ijkl,kl->ij", "ijkl,jm->imkl", "ijk,ilk->ijl",
    "ij,k->ki", "ijk,jk->", "ij,kl->jk", "bij,bjk->kib", "ij->ji", "ii->i", "ij,jk,kl->il",
]  # fmt: skip


@pytest.mark.parametrize("equation", EINSUMS)
def test_einsum(equation: str) -> None:
    """With its gradient, whatever the axes are, and in every order."""
    terms = equation.partition("->")[0].split(",")
    sizes = {c: 2 + k for k, c in enumerate(sorted(set("".join(terms))))}
    xs = [tf.constant(RNG.normal(size=[sizes[c] for c in term])) for term in terms]
    assert_same(lambda *v: tf.einsum(equation, *v), *xs)


@pytest.mark.parametrize("exponent", [-2.0, -1.0, -0.0, 0.0, 0.5, 1.0, 2.0, 3.0])
def test_powers_by_a_known_exponent(exponent: float) -> None:
    """Where a power is a multiplication, it is the same one: also of zeros and infinities."""
    x = tf.constant([0.0, -0.0, 1.5, -1.5, np.inf, -np.inf, np.nan, 1e-300, 1e300], tf.float64)
    f = lambda x: x**exponent  # noqa: E731
    np.testing.assert_allclose(compiled(f)(x), f(x), rtol=1e-15)


def test_empty_slices_among_others() -> None:
    f = lambda x: tf.concat([x[:, j:j] for j in range(3)] + [x[:, :2] * 2.0], 1)  # noqa: E731
    assert_same(f, X)
    assert "NumPy" not in {step["kind"] for step in steps(f, X)}


def test_a_very_long_loop_is_cut() -> None:
    """Hundreds of steps that depend on each other, with arrays of different rows."""

    def f(x: Any, y: Any) -> Any:
        h = y[0]
        for k in range(300):
            h = tf.sin(h + x[k % N]) * y[(k * 5) % N]
        return h

    assert_same(f, X, Y)
