"""Functions of Hermitian matrices: exact to every order, also where eigenvalues coincide."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from function_modes import MODES, as_is, backward, close, forward

import wengert as tf
from wengert.derivatives.spectral_functions.divided_differences import divided_differences

RNG = np.random.default_rng(5)


TURN = np.linalg.qr(RNG.normal(size=(3, 3)))[0]
SPECTRA = {
    "apart": [1.0, 2.0, 4.0],
    "one": [2.0, 2.0, 2.0],
    "two": [2.0, 2.0, 3.0],
    "near": [2.0, 2.0 + 1e-9, 2.0 + 1e-4],
    "nearer": [2.0, 2.0 + 1e-14, 2.01],
}
every_spectrum = pytest.mark.parametrize("name", SPECTRA)
G, E = (tf.constant(RNG.normal(size=(3, 3))) for _ in range(2))


def with_spectrum(name: str) -> Any:
    a = (TURN * np.array(SPECTRA[name])) @ TURN.T
    return tf.constant((a + a.T) / 2)


# ---- every order ------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
@every_spectrum
def test_the_exponential_to_the_third_order(name: str, mode: Any) -> None:
    """Against expm, which needs no eigenvalues."""
    a, e = with_spectrum(name), (E + tf.transpose(E)) / 2.0

    def ours(t: Any) -> Any:
        return tf.reduce_sum(G * tf.spectral_function(tf.exp, a + t * E))

    def known(t: Any) -> Any:
        return tf.reduce_sum(G * tf.linalg.expm(a + t * e))

    zero = tf.constant(0.0, tf.float64)
    for way in (as_is, backward, forward, backward):
        ours, known = way(ours), way(known)
        close(mode(ours)(zero), known(zero), 1e-10)


@pytest.mark.parametrize("mode", MODES)
@every_spectrum
def test_powers(name: str, mode: Any) -> None:
    """A^3 and its derivatives by products."""
    a = with_spectrum(name)
    for way in (lambda f: tf.jacobian(f, mode="reverse"), tf.hessian, lambda f: tf.grad(f)):
        got = mode(way(lambda a: tf.reduce_sum(G * tf.spectral_function(lambda x: x**3.0, a))))(a)
        want = way(lambda a: tf.reduce_sum(G * (_h(a) @ _h(a) @ _h(a))))(a)
        close(got, want, 1e-11)


def _h(a: Any) -> Any:
    return (a + tf.transpose(a)) / 2.0


@pytest.mark.parametrize("mode", MODES)
@every_spectrum
def test_what_the_function_closes_over(name: str, mode: Any) -> None:
    """By p of exp(p A), and by p and A in turn."""
    a, e = with_spectrum(name), _h(E)

    def ours(t: Any) -> Any:
        p = 0.7 + t
        return tf.reduce_sum(G * tf.spectral_function(lambda x: tf.exp(p * x), a + t * E))

    def known(t: Any) -> Any:
        return tf.reduce_sum(G * tf.linalg.expm((0.7 + t) * (a + t * e)))

    zero = tf.constant(0.0, tf.float64)
    for way in (as_is, backward, forward, backward):
        ours, known = way(ours), way(known)
        close(mode(ours)(zero), known(zero), 1e-9)


def test_a_variable_that_the_function_reads() -> None:
    p, a = tf.Variable(tf.constant(2.0, tf.float64)), with_spectrum("two")
    with tf.GradientTape() as tape:
        y = tf.linalg.trace(tf.spectral_function(lambda x: x**p, a))
    e = np.array(SPECTRA["two"])
    close(tape.gradient(y, p), np.sum(e**2 * np.log(e)))


@pytest.mark.parametrize("mode", MODES)
def test_hermitian_matrices(mode: Any) -> None:
    a = RNG.normal(size=(3, 3)) + 1j * RNG.normal(size=(3, 3))
    turn = np.linalg.qr(a)[0]
    a = tf.constant((turn * np.array([1.0, 1.0, 3.0])) @ turn.conj().T)
    g = tf.constant(RNG.normal(size=(3, 3)) + 1j * RNG.normal(size=(3, 3)))

    def loss(f: Any) -> Any:
        return lambda a: tf.math.real(tf.reduce_sum(g * f((a + tf.linalg.adjoint(a)) / 2.0)))

    got = mode(tf.grad(loss(lambda a: tf.spectral_function(tf.exp, a))))(a)
    close(got, tf.grad(loss(tf.linalg.expm))(a))


@pytest.mark.parametrize("mode", MODES)
def test_batches(mode: Any) -> None:
    """A batch of matrices, a mapped function of one, and one whose function depends on the example."""
    several = tf.stack([with_spectrum(name) for name in SPECTRA])
    want = tf.stack([tf.linalg.expm(a) for a in tf.unstack(several)])
    close(mode(lambda a: tf.spectral_function(tf.exp, a))(several), want)
    close(mode(tf.vmap(lambda a: tf.spectral_function(tf.exp, a)))(several), want)
    first = tf.grad(lambda a: tf.spectral_function(tf.exp, a)[0, 1])
    close(mode(tf.vmap(first))(several), tf.stack([first(a) for a in tf.unstack(several)]))
    p = tf.constant([1.0, 2.0, 3.0], tf.float64)
    a = with_spectrum("two")
    by_p = tf.grad(lambda p: tf.linalg.trace(tf.spectral_function(lambda x: x**p, a)))
    close(mode(tf.vmap(by_p))(p), tf.stack([by_p(one) for one in tf.unstack(p)]))


def test_single_precision() -> None:
    a = tf.cast(with_spectrum("near"), tf.float32)
    got = tf.grad(
        lambda a: tf.reduce_sum(tf.cast(G, tf.float32) * tf.spectral_function(tf.sqrt, a))
    )(a)
    want = tf.grad(lambda a: tf.reduce_sum(G * tf.linalg.sqrtm(_h(a))))(with_spectrum("near"))
    assert got.dtype is tf.float32
    np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-5)


# ---- divided differences ----------------------------------------------------------------------------


@pytest.mark.parametrize("gap", [0.0, 1e-15, 1e-11, 1e-8, 1e-5, 1e-3, 0.03, 0.3, 3.0])
@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e4])
def test_differences_of_all_gaps(gap: float, scale: float) -> None:
    """Of 1 / x: f[a, b] = -1 / (a b), f[a, b, c] = 1 / (a b c), and so on, to full precision."""
    points = scale * np.array([1.0, 1.0 + gap, 1.0 + 2.5 * gap])
    for order in (1, 2, 3):
        got = np.asarray(divided_differences(lambda x: 1.0 / x, points, order))
        want = 1.0 / np.array(points)
        for _ in range(order):
            want = -np.multiply.outer(want, 1.0 / points)
        np.testing.assert_allclose(got, want.ravel(), rtol=3e-12)


@pytest.mark.parametrize("rate", [1e-3, 1.0, 1e3])
def test_the_function_sets_the_scale(rate: float) -> None:
    points = np.array([0.0, 1e-9, 1e-4, 0.5, 0.5])
    got = np.asarray(divided_differences(lambda x: tf.sin(rate * x), points, 1)).reshape(5, 5)
    half = (points[:, None] - points[None]) / 2
    middle = rate * (points[:, None] + points[None]) / 2
    want = rate * np.sinc(rate * half / np.pi) * np.cos(middle)
    np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-12 * rate)


# ---- refusals ---------------------------------------------------------------------------------------


def test_bad_arguments() -> None:
    with pytest.raises(TypeError, match=r"tf.spectral_function takes a function"):
        tf.spectral_function(3.0, tf.eye(2))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="takes an elementwise function"):
        tf.spectral_function(tf.reduce_sum, tf.eye(2))
    with pytest.raises(TypeError, match="takes an elementwise function"):
        tf.spectral_function(lambda x: tf.cast(x, tf.float64), tf.eye(2))
    with pytest.raises(TypeError, match="needs float32 or more"):
        tf.spectral_function(tf.exp, tf.eye(2, dtype=tf.float16))
    with pytest.raises(ValueError, match="must be square"):
        tf.spectral_function(tf.exp, tf.ones([2, 3]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="holds NaN or inf"):
        tf.spectral_function(tf.exp, [[np.nan, 0.0], [0.0, 1.0]])


# ---- the setting of the program ---------------------------------------------------------------------


@pytest.fixture
def exact() -> Iterator[None]:
    tf.config.set_degenerate("exact")
    yield
    tf.config.set_degenerate("tensorflow")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.usefixtures("exact")
def test_exact_for_the_whole_program(mode: Any) -> None:
    """What does not depend on the basis is exact; what cannot be known is an error, no number."""
    a = with_spectrum("two")
    assert tf.config.get_degenerate() == "exact"

    def of_values(a: Any) -> Any:
        return tf.reduce_sum(tf.exp(tf.linalg.eigh(a)[0]))

    def of_projections(a: Any) -> Any:
        v = tf.linalg.eigh(a)[1][:, :2]
        return tf.reduce_sum(G * (v @ tf.transpose(v)))

    def singular(a: Any) -> Any:
        return tf.reduce_sum(tf.linalg.svd(a, compute_uv=False) ** 2.0)

    close(tf.linalg.trace(mode(tf.grad(of_values))(a)), tf.linalg.trace(tf.linalg.expm(a)))
    assert np.isfinite(np.asarray(mode(tf.grad(of_projections))(a))).all()
    close(mode(tf.grad(singular))(a), 2.0 * a)

    def of_both(a: Any) -> Any:
        e, v = tf.linalg.eigh(a)
        return tf.reduce_sum(G * ((v * tf.exp(e)) @ tf.transpose(v)))

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"use tf.spectral_function"):
        mode(tf.grad(of_both))(a)


def test_settings() -> None:
    assert tf.config.get_degenerate() == "tensorflow"
    with pytest.raises(ValueError, match="must be one of"):
        tf.config.set_degenerate("zero")
