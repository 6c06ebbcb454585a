"""Derivatives: by differences in NumPy, and by each way the library has.

Everything is compared in the inner product Re(sum(conj(a) b)). With TensorFlow's convention for
complex gradients, reverse mode is the adjoint of forward mode in it, for real and complex alike:
<w, J v> = <gradient(w), v>.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import wengert as tf

Arrays = Sequence[Any]
Call = Callable[..., Any]


# ---- arrays -----------------------------------------------------------------------------------


def inner(a: Arrays, b: Arrays) -> float:
    """The inner product of two lists of arrays."""
    return sum(float(np.real(np.vdot(p, q))) for p, q in zip(a, b, strict=True))


def length(a: Arrays) -> float:
    return float(np.sqrt(inner(a, a)))


def directional(f: Callable[[list[Any]], list[Any]], xs: Arrays, vs: Arrays) -> list[Any]:
    """The derivative of f at xs along vs, by central differences of sixth order."""
    step = 1e-3

    def at(k: int) -> list[Any]:
        return f([x + k * step * v for x, v in zip(xs, vs, strict=True)])

    weights = {1: 45.0, 2: -9.0, 3: 1.0}
    total = [np.zeros_like(y) for y in at(0)]
    for k, weight in weights.items():
        for i, (after, before) in enumerate(zip(at(k), at(-k), strict=True)):
            total[i] = total[i] + weight * (after - before)
    return [t / (60.0 * step) for t in total]


def like(rng: np.random.Generator, arrays: Arrays) -> list[Any]:
    """Random directions with the shapes and dtypes of some arrays."""
    return [_normal(rng, np.asarray(a)) for a in arrays]


def _normal(rng: np.random.Generator, a: Any) -> Any:
    v = rng.normal(size=a.shape)
    return (v + 1j * rng.normal(size=a.shape) if a.dtype.kind == "c" else v).astype(a.dtype)


def assert_same(got: Arrays, want: Arrays, relative: float) -> None:
    """Lists of arrays agree: dtypes and shapes exactly, values relative to the largest."""
    assert len(got) == len(want)
    for a, b in zip(map(np.asarray, got), map(np.asarray, want), strict=True):
        assert a.dtype == b.dtype
        assert a.shape == b.shape
        if a.dtype.kind not in "fcV":
            assert np.array_equal(a, b)
            continue
        wide = np.complex128 if a.dtype.kind == "c" else np.float64
        p, q = a.astype(wide), b.astype(wide)
        size = max(1.0, float(np.max(np.abs(q[np.isfinite(q)]), initial=0.0)))
        np.testing.assert_allclose(p, q, rtol=relative, atol=relative * size)


def assert_near(a: float, b: float, size: float, relative: float) -> None:
    """Two inner products agree, relative to the size of what was multiplied."""
    assert abs(a - b) <= relative * max(size, 1e-3), f"{a} is not {b}, of size {size}"


# ---- the library's derivatives ----------------------------------------------------------------


def tensors(arrays: Arrays) -> list[Any]:
    return [tf.constant(a) for a in arrays]


def arrays(values: Sequence[Any]) -> list[Any]:
    return [np.asarray(v) for v in values]


def outcomes(call: Call, xs: Sequence[Any]) -> list[Any]:
    """The results of a call, as a list of tensors."""
    ys = call(*xs)
    return list(ys) if isinstance(ys, (list, tuple)) else [ys]


def smooth(call: Call, xs: Sequence[Any]) -> list[Any]:
    """The results that can have a gradient."""
    return [y for y in outcomes(call, xs) if y.dtype.is_floating or y.dtype.is_complex]


def restricted(call: Call, xs: Sequence[Any], which: Sequence[int]) -> Call:
    """The call as a function of some of its inputs."""

    def function(*some: Any) -> list[Any]:
        full = list(xs)
        for i, x in zip(which, some, strict=True):
            full[i] = x
        return smooth(call, full)

    return function


def pullback(f: Call, xs: Sequence[Any], ws: Sequence[Any]) -> list[Any]:
    """Reverse mode: the gradients at xs, from the output gradients ws."""
    with tf.GradientTape() as tape:
        tape.watch(xs)
        ys = outcomes(f, xs)
    return [given(g) for g in tape.gradient(ys, list(xs), output_gradients=list(ws))]


def pushforward(f: Call, xs: Sequence[Any], vs: Sequence[Any]) -> list[Any]:
    """Forward mode: the derivatives of the results along vs."""
    return [given(t) for t in tangents(f, xs, vs, "none")]


def tangents(f: Call, xs: Sequence[Any], vs: Sequence[Any], unconnected: str) -> list[Any]:
    with tf.autodiff.ForwardAccumulator(list(xs), list(vs)) as acc:
        ys = outcomes(f, xs)
    return list(acc.jvp(ys, unconnected_gradients=unconnected))


def given(derivative: Any) -> Any:
    """A derivative as a tensor; None is an error."""
    assert derivative is not None, "the derivative is None"
    return tf.convert_to_tensor(derivative)


def gradients_or_zeros(
    tape: Any, ys: Sequence[Any], xs: Sequence[Any], ws: Sequence[Any]
) -> list[Any]:
    """Gradients as tensors, with zeros where nothing connects."""
    pulled = tape.gradient(
        list(ys), list(xs), output_gradients=list(ws), unconnected_gradients="zero"
    )
    return [given(g) for g in pulled]


def reverse_over_reverse(
    f: Call, xs: Sequence[Any], ws: Sequence[Any], vs: Sequence[Any]
) -> list[Any]:
    """The gradient of <v, gradient of <w, f>>; zeros where nothing connects."""
    with tf.GradientTape() as tape:
        tape.watch(xs)
        gradients = pullback(f, xs, ws)
    return gradients_or_zeros(tape, gradients, xs, vs)


def forward_over_reverse(
    f: Call, xs: Sequence[Any], ws: Sequence[Any], vs: Sequence[Any]
) -> list[Any]:
    """The derivative along v of the gradient of <w, f>."""
    with tf.autodiff.ForwardAccumulator(list(xs), list(vs)) as acc:
        gradients = pullback(f, xs, ws)
    return list(acc.jvp(gradients, unconnected_gradients="zero"))


def reverse_over_forward(
    f: Call, xs: Sequence[Any], ws: Sequence[Any], vs: Sequence[Any]
) -> list[Any]:
    """The gradient of <w, derivative of f along v>."""
    with tf.GradientTape() as tape:
        tape.watch(xs)
        pushed = pushforward(f, xs, vs)
    return gradients_or_zeros(tape, pushed, xs, ws)
