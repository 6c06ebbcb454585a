"""Programs in NumPy, of the kind that people differentiate: each a number of one vector.

They take the namespace: NumPy itself, or functions of the same names that TensorFlow has
(tools/numpy_recorded.py). Nothing in them knows of tensors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as onp

_DRAWN = onp.random.default_rng(7)
FEATURES = _DRAWN.normal(size=(12, 4))
LABELS = (FEATURES @ onp.array([1.0, -2.0, 0.5, 0.3]) > 0).astype(float)
CLASSES = _DRAWN.integers(0, 3, 12)
POINTS = onp.linspace(-1.0, 1.0, 6)
HEIGHTS = onp.sin(3 * POINTS)
SIGNAL = _DRAWN.normal(size=16)
STEPS = _DRAWN.normal(size=(5, 2))
IMAGE = _DRAWN.normal(size=(5, 5))


def start(size: int, at: int) -> Any:
    return onp.random.default_rng(at).normal(size=size) * 0.5


def logistic_regression(np: Any, w: Any) -> Any:
    z = np.dot(FEATURES, w)
    losses = np.logaddexp(0.0, -z) * LABELS + np.logaddexp(0.0, z) * (1 - LABELS)
    return np.mean(losses) + 0.01 * np.sum(w**2)


def softmax_regression(np: Any, w: Any) -> Any:
    scores = np.dot(FEATURES, np.reshape(w, (4, 3)))
    shifted = scores - np.max(scores, axis=1, keepdims=True)
    logs = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    return -np.mean(np.sum(logs * onp.eye(3)[CLASSES], axis=1))


def rosenbrock(np: Any, x: Any) -> Any:
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def recurrent_cell(np: Any, w: Any) -> Any:
    hidden = np.zeros((3,))
    inner, outer = np.reshape(w[:9], (3, 3)), np.reshape(w[9:15], (3, 2))
    for step in STEPS:
        hidden = np.tanh(np.dot(inner, hidden) + np.dot(outer, step))
    return np.sum(hidden**2)


def lstm_cell(np: Any, w: Any) -> Any:
    weights, state, cell = np.reshape(w, (8, 4)), np.zeros((2,)), np.zeros((2,))
    for step in STEPS:
        gates = np.matmul(weights, np.concatenate([state, onp.asarray(step)]))
        forget, write, read, new = np.split(gates, 4)
        cell = cell / (1 + np.exp(-forget)) + np.tanh(new) / (1 + np.exp(-write))
        state = np.tanh(cell) / (1 + np.exp(-read))
    return np.sum(state)


def perceptron(np: Any, w: Any) -> Any:
    first, second = np.reshape(w[:20], (4, 5)), w[20:25]
    hidden = np.maximum(0.0, np.dot(FEATURES, first) + 0.1)
    return np.mean((np.dot(hidden, second) - LABELS) ** 2)


def gaussian_process(np: Any, h: Any) -> Any:
    distances = (POINTS[:, None] - POINTS[None, :]) ** 2
    k = np.exp(h[0]) * np.exp(-0.5 * distances * np.exp(-2 * h[1])) + np.exp(h[2]) * onp.eye(6)
    factor = np.linalg.cholesky(k)
    solved = np.linalg.solve(k, HEIGHTS)
    return 0.5 * np.dot(HEIGHTS, solved) + np.sum(np.log(np.diag(factor)))


def spectral_convolution(np: Any, kernel: Any) -> Any:
    padded = np.concatenate([kernel, onp.zeros(11)])
    product = np.fft.rfft(SIGNAL) * np.fft.rfft(padded)
    return np.sum(np.tanh(np.fft.irfft(product)))


def kalman_filter(np: Any, p: Any) -> Any:
    mean, spread, total = 0.0 * p[0], 1.0 + 0.0 * p[0], 0.0
    for measured in HEIGHTS:
        spread = p[0] ** 2 * spread + np.exp(p[1])
        of_error = spread + np.exp(p[2])
        error = measured - p[0] * mean
        total = total + 0.5 * (np.log(of_error) + error**2 / of_error)
        gain = spread / of_error
        mean, spread = p[0] * mean + gain * error, (1 - gain) * spread
    return total


def runge_kutta(np: Any, p: Any) -> Any:
    def slope(y: Any) -> Any:
        return np.stack([y[1], -p[0] * np.sin(y[0]) - p[1] * y[1]])

    y, h = np.stack([p[2], 0.0 * p[2]]), 0.1
    for _ in range(8):
        a = slope(y)
        b = slope(y + h / 2 * a)
        c = slope(y + h / 2 * b)
        d = slope(y + h * c)
        y = y + h / 6 * (a + 2 * b + 2 * c + d)
    return np.sum(y**2)


def mixture(np: Any, p: Any) -> Any:
    weights, means, scales = p[:2], p[2:4], np.exp(p[4:6])
    logs = weights - np.log(np.sum(np.exp(weights)))
    each = -0.5 * ((SIGNAL[:, None] - means) / scales) ** 2 - np.log(scales) + logs
    top = np.max(each, axis=1, keepdims=True)
    return -np.sum(np.log(np.sum(np.exp(each - top), axis=1)) + np.squeeze(top, 1))


def attention(np: Any, w: Any) -> Any:
    q, k, v = (np.dot(STEPS, part) for part in np.split(np.reshape(w, (6, 2)), 3))
    scores = np.matmul(q, np.transpose(k)) / np.sqrt(2.0)
    shares = np.exp(scores) / np.sum(np.exp(scores), axis=-1, keepdims=True)
    return np.sum(np.einsum("ij,jk->ik", shares, v) ** 2)


def convolution(np: Any, w: Any) -> Any:
    kernel = np.reshape(w, (3, 3))
    rows = [np.sum(IMAGE[i : i + 3, j : j + 3] * kernel) for i in range(3) for j in range(3)]
    return np.mean(np.maximum(np.stack(rows), 0.0) ** 2)


def ising_energy(np: Any, x: Any) -> Any:
    spins = np.tanh(np.reshape(x, (3, 3)))
    return -np.sum(spins * (np.roll(spins, 1, axis=0) + np.roll(spins, 1, axis=1)))


def black_scholes(np: Any, p: Any) -> Any:
    spot, scale = 100.0 * np.exp(p[0]), np.exp(p[1] - 1.0)
    drawn = onp.linspace(-2.0, 2.0, 9)
    ends = spot * np.exp(-0.5 * scale**2 + scale * drawn)
    return np.mean(np.where(ends > 100.0, ends - 100.0, 0.0))


def matrix_factors(np: Any, w: Any) -> Any:
    left, right = np.reshape(w[:10], (5, 2)), np.reshape(w[10:], (2, 5))
    return np.sum(np.square(IMAGE - np.matmul(left, right)))


def kepler_energy(np: Any, x: Any) -> Any:
    places = np.reshape(x, (4, 2))
    away = np.expand_dims(places, 0) - np.expand_dims(places, 1)
    distances = np.sqrt(np.sum(away**2, axis=-1) + 0.1)
    return -np.sum(np.triu(1.0 / distances, 1))


def newtons_root(np: Any, p: Any) -> Any:
    x = 1.0 + 0.0 * p[0]
    for _ in range(6):
        x = x - (x**3 + p[0] * x - np.exp(p[1])) / (3 * x**2 + p[0])
    return x


def huber_regression(np: Any, w: Any) -> Any:
    off = np.abs(np.dot(FEATURES, w) - LABELS)
    return np.sum(np.where(off < 0.5, 0.5 * off**2, 0.5 * off - 0.125))


def power_iteration(np: Any, w: Any) -> Any:
    a = np.reshape(w, (3, 3))
    a = np.dot(np.transpose(a), a) + onp.eye(3)
    v = onp.ones(3) / onp.sqrt(3.0)
    for _ in range(5):
        v = np.dot(a, v)
        v = v / np.sqrt(np.sum(v * v))
    return np.dot(v, np.dot(a, v))


def determinant(np: Any, w: Any) -> Any:
    a = np.reshape(w, (3, 3)) + 2.0 * onp.eye(3)
    return np.log(np.linalg.det(np.dot(a, np.transpose(a)))) + np.sum(np.linalg.inv(a))


PROGRAMS: dict[Callable[[Any, Any], Any], int] = {
    logistic_regression: 4,
    softmax_regression: 12,
    rosenbrock: 5,
    recurrent_cell: 15,
    lstm_cell: 32,
    perceptron: 25,
    gaussian_process: 3,
    spectral_convolution: 5,
    kalman_filter: 3,
    runge_kutta: 3,
    mixture: 6,
    attention: 12,
    convolution: 9,
    ising_energy: 9,
    black_scholes: 2,
    matrix_factors: 20,
    kepler_energy: 8,
    newtons_root: 2,
    huber_regression: 4,
    power_iteration: 9,
    determinant: 9,
}


def arguments() -> dict[Callable[[Any, Any], Any], Any]:
    """Where each program is differentiated."""
    return {program: start(size, at) for at, (program, size) in enumerate(PROGRAMS.items())}
