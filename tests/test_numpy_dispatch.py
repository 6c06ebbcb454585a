"""NumPy's own functions on tensors that somebody follows: NumPy's values, and their gradients."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from scipy import special

import wengert as tf

X = np.array([0.3, 1.7, 0.9])
A = np.array([[2.0, 0.4, -0.3], [0.4, 3.0, 0.5], [-0.3, 0.5, 4.0]])
Q = np.linspace(-1.3, 2.1, 24).reshape(2, 3, 4) ** 2 + np.sin(np.arange(24.0)).reshape(2, 3, 4)
V = np.array([1.0, -2.0, 0.5])

# Calls in x, a vector, a, a symmetric matrix, and q, of rank 3; v is NumPy's own.
CALLS = """
np.sin(x) | np.cos(x) | np.tan(x) | np.arcsin(x / 2) | np.arccos(x / 2) | np.arctan(x) | np.sinh(x) | np.cosh(x) | np.tanh(x) | np.arcsinh(x) | np.arccosh(x + 1) | np.arctanh(x / 2)
np.exp(x) | np.exp2(x) | np.expm1(x) | np.log(x) | np.log2(x) | np.log10(x) | np.log1p(x) | np.sqrt(x) | np.cbrt(x) | np.deg2rad(x) | np.rad2deg(x) | np.degrees(x) | np.radians(x)
np.abs(x) | np.absolute(-x) | np.fabs(x) | np.negative(x) | np.positive(x) | np.square(x) | np.reciprocal(x) | np.sinc(x) | np.floor(x) | np.ceil(x) | np.trunc(x) | np.rint(x) | np.sign(x) | np.fix(x) | np.round(x, 1) | np.around(x)
np.add(x, v) | np.add(v, x) | np.subtract(v, x) | np.multiply(x, 2) | np.divide(v, x) | np.true_divide(x, v) | np.power(x, 2.5) | np.power(2.0, x) | np.float_power(x, 2) | np.maximum(x, v) | np.minimum(x, 0.5) | np.fmax(x, v) | np.fmin(v, x)
np.arctan2(x, v) | np.hypot(x, v) | np.logaddexp(x, v) | np.logaddexp2(x, v) | np.mod(x, 0.7) | np.remainder(x, 0.7) | np.floor_divide(x, 0.7) | np.copysign(x, v) | np.heaviside(x, 0.5) | np.divmod(x, 0.7) | np.ldexp(x, 2)
np.sum(x) | np.sum(a, axis=0) | np.sum(q, axis=(0, 2), keepdims=True) | np.sum(a, 1) | np.prod(x) | np.prod(a, axis=1) | np.mean(a) | np.mean(a, axis=0) | np.mean(q, (0, 1)) | np.var(x) | np.var(a, axis=1, ddof=1) | np.std(x) | np.std(a, axis=0, ddof=1)
np.max(a) | np.max(x, axis=0) | np.min(a, axis=1) | np.amax(x) | np.amin(x) | np.ptp(x) | np.average(x, weights=[1, 2, 3]) | np.average(a, axis=0) | np.median(x) | np.median(a, axis=1) | np.quantile(x, 0.3) | np.percentile(a, [20, 70], axis=0)
np.cumsum(x) | np.cumsum(a, axis=1) | np.cumprod(x) | np.cumprod(a, 0) | np.diff(x) | np.diff(a, axis=0) | np.diff(a, 2) | np.ediff1d(x) | np.gradient(x) | np.gradient(a, 0.5, axis=1) | np.trapezoid(x, dx=0.5) | np.trapezoid(a, axis=0) | np.trapezoid(x, v)
np.nansum(x) | np.nanmean(a, axis=0) | np.nanprod(x) | np.nanmax(x) | np.nanmin(a, 1) | np.nanvar(x) | np.nanstd(a, axis=0) | np.cov(a) | np.corrcoef(a) | np.cov(x) | np.nan_to_num(x)
np.dot(a, x) | np.dot(x, x) | np.dot(v, x) | np.dot(a, a) | np.inner(x, v) | np.inner(a, a) | np.outer(x, v) | np.vdot(x, x) | np.matmul(a, x) | np.matmul(a, a) | np.tensordot(a, a, 1) | np.tensordot(q, a, [[1], [0]]) | np.kron(x, v) | np.cross(x, v) | np.einsum("ij,j->i", a, x) | np.einsum("ij,jk,k", a, a, x) | np.trace(a)
np.reshape(a, (9,)) | np.reshape(a, -1) | np.reshape(q, (6, 4), order="F") | np.ravel(a) | np.transpose(a) | np.transpose(q, (2, 0, 1)) | np.expand_dims(x, 0) | np.squeeze(x[None]) | np.swapaxes(q, 0, 1) | np.moveaxis(q, 0, -1) | np.broadcast_to(x, (2, 3)) | np.atleast_2d(x) | np.atleast_1d(x) | np.atleast_3d(x)
np.flip(x) | np.flip(a, 0) | np.fliplr(a) | np.flipud(a) | np.rot90(a) | np.roll(x, 1) | np.roll(a, 1, axis=1) | np.tile(x, 2) | np.tile(x, (2, 1)) | np.repeat(x, 2) | np.repeat(a, [1, 0, 2], axis=0) | np.pad(x, 1) | np.pad(a, ((1, 0), (0, 1)), mode="reflect") | np.pad(x, (1, 2), constant_values=3.0) | np.pad(x, 2, mode="edge") | np.pad(a, ((1, 0), (0, 9)), mode="wrap") | np.pad(a, 9, mode="reflect")
np.concatenate([x, v]) | np.concatenate([a, a], axis=1) | np.concatenate((v, x)) | np.stack([x, v]) | np.stack([x, x], axis=1) | np.hstack([x, v]) | np.vstack([x, v]) | np.dstack([x, v]) | np.column_stack([x, v]) | np.append(x, v) | np.append(x, 1.0) | np.block([[a, a], [a, a]])
np.split(x, 3) | np.split(x, [1]) | np.array_split(x, 2) | np.hsplit(a, 3) | np.vsplit(a, 3) | np.dsplit(q, 2) | np.meshgrid(x, v) | np.broadcast_arrays(x, a)
np.take(x, [0, 2]) | np.take(a, [1], axis=1) | np.take_along_axis(a, np.array([[0], [1], [2]]), axis=1) | np.where(x > 0.5, x, 0.0) | np.where(v > 0, x, v) | np.compress([True, False, True], x) | np.extract(v > 0, x) | np.select([v > 0, v < -1], [x, x * 2], 0.0) | np.clip(x, 0.5, 1.0) | np.clip(x, None, 1.0) | np.diag(x) | np.diag(a) | np.diag(x, 1) | np.diagonal(a) | np.diagflat(x) | np.tril(a) | np.triu(a, 1) | np.sort(x) | np.sort(a, axis=0) | np.piecewise(x, [x < 1], [lambda t: t * t, 0.0])
np.linalg.solve(a, x) | np.linalg.solve(a, a) | np.linalg.inv(a) | np.linalg.det(a) | np.linalg.slogdet(a) | np.linalg.cholesky(a) | np.linalg.eigvalsh(a) | np.linalg.norm(x) | np.linalg.norm(a) | np.linalg.norm(a, axis=1) | np.linalg.norm(x, 1) | np.linalg.norm(x, np.inf) | np.linalg.norm(x, 3) | np.linalg.norm(a, 2) | np.linalg.norm(a, 1) | np.linalg.norm(a, "nuc") | np.linalg.matrix_power(a, 3) | np.linalg.matrix_power(a, -1) | np.linalg.pinv(a) | np.linalg.multi_dot([a, a, x]) | np.linalg.svd(a, compute_uv=False) | np.abs(np.linalg.qr(a)[1]) | np.abs(np.linalg.eigh(a)[1]) | np.linalg.norm(q, axis=(0, 2), keepdims=True)
np.abs(np.fft.fft(x)) | np.real(np.fft.ifft(x)) | np.abs(np.fft.rfft(x, 4)) | np.fft.irfft(np.fft.rfft(q, axis=1), 3, axis=1) | np.imag(np.fft.fft2(a)) | np.abs(np.fft.fftn(q)) | np.real(np.fft.ifft2(a, norm="ortho")) | np.fft.fftshift(x) | np.fft.ifftshift(a, axes=0) | np.angle(np.fft.fft(x)[1:]) | np.abs(np.conj(np.fft.fft(x)))
np.convolve(x, v) | np.convolve(x, v, "same") | np.convolve(v, x, mode="valid") | np.correlate(x, v, "full") | np.interp(x, [0.0, 1.0, 2.0], v) | np.interp(0.5, np.arange(3.0), x) | np.polyval([1.0, -2.0, 3.0], x) | np.polyval(x, 2.0) | np.vander(x, 3) | np.linspace(x, v, 4) | np.linspace(0.0, x[0], 3)
np.add.reduce(x) | np.add.reduce(a, axis=1) | np.multiply.reduce(a) | np.maximum.reduce(a, axis=0) | np.minimum.reduce(x) | np.logaddexp.reduce(x) | np.add.accumulate(x) | np.multiply.accumulate(a, axis=1) | np.add.outer(x, v) | np.multiply.outer(v, x) | np.subtract.outer(x, x)
np.add(x, v, dtype=np.float64) | np.sum(x, dtype=np.float64) | np.sin(x, where=True) | np.mean(a, axis=0, keepdims=True) | np.ones_like(x) * x | np.zeros_like(x) + x | np.full_like(x, 2.0) * x | np.copy(x) | np.real(x) | np.imag(x)
np.linalg.lstsq(np.transpose(q[0]), np.ones(4), rcond=None)[0] | np.linalg.lstsq(a, x)[::3] | np.linalg.lstsq(q[0], q[0, :, :2])[0] | np.linalg.cond(a) | np.linalg.cond(a, 1) | np.linalg.cond(q[0]) | np.linalg.cond(a, -2) | np.linalg.tensorsolve(a, x) | np.linalg.tensorsolve(np.reshape(np.kron(a, np.eye(2)), (2, 3, 2, 3)), np.outer([1.0, 2.0], x)) | np.linalg.tensorsolve(np.reshape(np.kron(np.eye(2), a) + np.eye(6)[::-1], (3, 6, 2)), np.ravel(np.outer(x, [1.0, 2.0])), axes=(0,)) | np.linalg.tensorinv(a, ind=1) | np.linalg.matrix_norm(q) | np.linalg.matrix_norm(a, ord=1, keepdims=True) | np.linalg.vector_norm(q, axis=1) | np.linalg.vector_norm(q, axis=(0, 2), ord=3, keepdims=True) | np.linalg.vector_norm(a) | np.linalg.vecdot(x, v) | np.linalg.diagonal(q) | np.linalg.diagonal(a, offset=1) | np.linalg.outer(x, v)
np.fft.hfft(x) | np.fft.hfft(a, 5, 0, "ortho") | np.abs(np.fft.ihfft(q[0])) | np.abs(np.fft.ihfft(x, 4, norm="forward")) | np.fmod(x, 0.7) | np.fmod(x - 1.25, 0.5) | np.modf(x - 1) | np.i0(x) | np.unwrap(q * 3) | np.unwrap(x * 9, axis=0, period=2) | np.unwrap(np.cumsum(q, 2), discont=4) | np.cumulative_sum(x) | np.cumulative_sum(a, axis=1, include_initial=True) | np.cumulative_prod(x, include_initial=True) | np.nancumsum(a) | np.nancumsum(x) | np.diff(x, prepend=0.0) | np.diff(a, axis=0, append=v[None]) | np.diff(a, 2, prepend=1.0, append=2.0)
np.insert(x, 1, 2.0) | np.insert(x, [0, 2], v[:2]) | np.insert(v, 1, x) | np.insert(a, 1, x, axis=0) | np.insert(a, [1, 1], 0.5, axis=1) | np.delete(x, 1) | np.delete(a, [0, 2], axis=1) | np.resize(x, (2, 4)) | np.choose([0, 1, 0], [x, v]) | np.lib.stride_tricks.sliding_window_view(x, 2) | np.lib.stride_tricks.sliding_window_view(a, (2, 2)) | np.apply_along_axis(lambda r: r * r[0], 1, a) | np.apply_along_axis(np.sum, 0, q) | np.apply_along_axis(lambda r: np.outer(r, r), 1, q[0])
np.polyadd(x, v[1:]) | np.polysub(v[:2], x) | np.polymul(x, v) | np.polyder(x) | np.polyder(q[0, 0], 2) | np.polyint(x) | np.polyint(x, 2, [1.0, 2.0]) | np.polyfit(v, x, 1) | np.polyfit(np.arange(4.0), np.transpose(q[0]), 2)
np.partition(x, 1)[1] | np.partition(a, -1, axis=0)[2] | np.partition(q, 2, axis=None)[2] | np.quantile(a, [0.1, 0.5], axis=1, keepdims=True) | np.quantile(q, [[0.3, 1.0]], axis=(0, 2)) | np.quantile(x, [0.0, 0.01, 0.4, 1.0], method="hazen") | np.quantile(x, [0.0, 0.4, 0.99], method="weibull") | np.quantile(q, 0.7, method="median_unbiased") | np.quantile(q, 0.1, axis=2, method="normal_unbiased") | np.quantile(x, [0.0, 0.4, 1.0], method="interpolated_inverted_cdf") | np.quantile(q, 0.3, method="lower") | np.quantile(q, 0.3, method="higher") | np.quantile(q, 0.3, 2, method="nearest") | np.quantile(q, 0.3, method="midpoint")
np.nanmedian(np.where(a > 2.5, np.nan, a), axis=0) | np.nanmedian(np.where(q > 1, np.nan, q)) | np.nanquantile(np.where(np.arange(4) == 1, np.nan, q), [0.2, 0.9], axis=2) | np.nanquantile(np.where(q > 0.5, np.nan, q), 0.3, axis=(0, 2), method="hazen", keepdims=True) | np.nanpercentile(np.where(np.eye(3, 4) > 0, np.nan, q), 40, axis=2)
np.histogram(v, 3, weights=x)[0] | np.histogram(x, [0.0, 0.5, 1.0, 2.0], weights=x)[0] | np.histogram(x, 4)[1] | np.histogram(v, 5, (-1, 1), weights=x)[0] | np.histogram(v, 3, weights=x, density=True)[0] | np.histogram(q, 4, density=True)[0] | np.histogram(np.ones(3), 2, weights=x) | np.bincount([0, 2, 2], x) | np.bincount([0, 2, 2], x, 5)
np.add.reduceat(x, [0, 1]) | np.add.reduceat(a, [0, 2], axis=1) | np.maximum.reduceat(q, [0, 2, 1], 2) | np.multiply.reduceat(a, [2, 0]) | np.minimum.reduceat(x, [1]) | np.add.reduceat(x, [1, 1, 0], dtype=np.float64)
np.poly(x) | np.poly(a) | np.abs(np.poly(np.multiply([1j, 2.0], x[0]))) | np.polydiv(q[0, 0], x) | np.polydiv(x, np.arange(1.0, 5.0)) | np.abs(np.roots(x - 0.2)) | np.abs(np.roots(x[1:])) | np.real(np.roots(x + 0.5))
np.gradient(q, axis=(1, 2), edge_order=2) | np.gradient(x, np.array([0.0, 1.0, 3.0])) | np.gradient(v, np.cumsum(x)) | np.gradient(q, [0.0, 1.0], [0.0, 2.0, 2.5], 3.0) | np.gradient(a, np.array([0.0, 1.0, 4.0]), axis=0, edge_order=2) | np.gradient(a, x[0], 2.0) | np.gradient(x, edge_order=2)
np.pad(x, 2, mode="mean") | np.pad(x, (3, 1), mode="linear_ramp") | np.pad(a, ((1, 2), (0, 3)), mode="linear_ramp", end_values=(5, -4)) | np.pad(a, 1, mode="maximum") | np.pad(a, (2, 1), mode="minimum", stat_length=2) | np.pad(x, 2, mode="median") | np.pad(q, 1, mode="mean", stat_length=((1, 2), (2, 1), (3, 3)))
special.gammaln(x) | special.psi(x) | special.gamma(x - 1.5) | special.erf(x) | special.erfc(x) | special.erfinv(x / 2) | special.ndtr(x) | special.ndtri(x / 2) | special.expit(x) | special.log_expit(x) | special.logit(x / 2) | special.i0(x) | special.i1e(x) | special.j0(x) | special.k1(x) | special.y0(x) | special.entr(x) | special.xlogy(x, x) | special.xlog1py(v, x) | special.betaln(x, np.abs(v)) | special.gammainc(np.abs(v), x) | special.rel_entr(x, np.abs(v)) | special.kl_div(np.abs(v), x)
x + v | v + x | v * x | v - x | v / x | np.abs(v) ** x | a @ v | v @ a | np.float64(2.0) * x | x[1:] * v[1:] | 2.0 / x | np.eye(3) @ a
"""
NAMES = {"np": np, "special": special, "v": V}
ALL = [call.strip() for call in re.split(r"[|\n]", CALLS) if call.strip()]
# What no kinks nor jumps are near; those without a gradient are none at all.
FLAT = (
    "floor",
    "ceil",
    "trunc",
    "rint",
    "np.sign(",
    "fix",
    "round",
    "around",
    "heaviside",
    "imag(x)",
)


def given(call: str) -> list[str]:
    """The names that a call reads."""
    return [name for name in "xaq" if re.search(rf"(?<![\w.'\"]){name}(?![\w'\"(])", call)]


def parts_of(result: Any) -> list[Any]:
    return list(result) if isinstance(result, (tuple, list)) else [result]


def in_numpy(call: str, x: Any, a: Any, q: Any) -> list[Any]:
    return [np.asarray(part) for part in parts_of(eval(call, NAMES, {"x": x, "a": a, "q": q}))]  # our own text  # fmt: skip


def evaluated(call: str, x: Any, a: Any, q: Any) -> list[Any]:
    found = eval(call, NAMES, {"x": x, "a": a, "q": q})  # our own text
    return parts_of(found)


def total(parts: list[Any]) -> Any:
    """A number that depends on every element of the results in its own way."""
    weights = [np.cos(np.arange(np.size(p.numpy() if hasattr(p, "numpy") else p)) + i) for i, p in enumerate(parts)]  # fmt: skip
    return sum(tf.reduce_sum(tf.reshape(p, [-1]) * w) for p, w in zip(parts, weights, strict=True))


def slopes(call: str, place: int) -> Any:
    """The derivative of the total by central differences, with NumPy alone."""
    points = [X, A, Q]
    found = np.zeros(points[place].shape)
    for at in np.ndindex(found.shape):
        sides = []
        for step in (1e-6, -1e-6):
            moved = [p.copy() for p in points]
            moved[place][at] += step
            parts = in_numpy(call, *moved)
            sides.append(sum(float(np.sum(p.ravel() * np.cos(np.arange(p.size) + i))) for i, p in enumerate(parts)))  # fmt: skip
        found[at] = (sides[0] - sides[1]) / 2e-6
    return found


@pytest.mark.parametrize("call", ALL)
def test_values_and_gradients(call: str) -> None:
    x, a, q = tf.constant(X), tf.constant(A), tf.constant(Q)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, a, q])
        parts = evaluated(call, x, a, q)
        loss: Any = total(parts)
    for part, want in zip(parts, in_numpy(call, X, A, Q), strict=True):
        assert isinstance(part, tf.Tensor)
        assert part.dtype.as_numpy_dtype is want.dtype.type
        np.testing.assert_allclose(part.numpy(), want, 1e-10, 1e-10)
    for name in given(call):
        g = tape.gradient(loss, {"x": x, "a": a, "q": q}[name])
        want = slopes(call, "xaq".index(name))
        if any(flat in call for flat in FLAT):
            assert g is None or not np.any(g)
        elif "cholesky" in call or "eig" in call:  # of symmetric matrices: one triangle is read
            np.testing.assert_allclose(g + tf.transpose(g), want + want.T, 1e-5, 1e-6)
        else:
            np.testing.assert_allclose(tf.convert_to_tensor(g), want, 1e-5, 1e-6)


@pytest.mark.parametrize("call", ALL)
def test_functions_and_their_gradients(call: str) -> None:
    """What stands in a tf.function is the same, with its sizes known or not."""

    def loss_and_gradients(x: Any, a: Any, q: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([x, a, q])
            loss: Any = sum(tf.reduce_sum(p * p) for p in evaluated(call, x, a, q))
        return loss, tape.gradient(loss, [x, a, q], unconnected_gradients="zero")

    values = [tf.constant(X), tf.constant(A), tf.constant(Q)]
    want = loss_and_gradients(*values)
    found = tf.function(loss_and_gradients)(*values)
    for one, other in zip(tf.nest.flatten(found), tf.nest.flatten(want), strict=True):
        np.testing.assert_allclose(tf.convert_to_tensor(one), tf.convert_to_tensor(other), 1e-9, 1e-9)  # fmt: skip


@pytest.mark.parametrize(
    "call",
    [
        "np.searchsorted(np.sort(x), v)",
        "np.searchsorted(x, v, 'right', np.argsort(x))",
        "np.digitize(v, np.array([-1.0, 0.7]))",
        "np.digitize(x, [3.0, 0.9, 0.2])",
        "np.digitize(x, [3.0, 0.9, 0.2], right=True)",
        "np.take(x, np.argpartition(x, 1)[1])",
        "np.histogram(x, 4)[0]",
        "np.bincount([0, 1, 1])",
    ],
)
def test_places_and_counts(call: str) -> None:
    """What is found of them is NumPy's, also where they have no numbers yet."""
    want = in_numpy(call, X, A, Q)[0]
    found = tf.function(lambda x, a, q: evaluated(call, x, a, q)[0])(X, A, Q)
    np.testing.assert_array_equal(found, want)
    with tf.GradientTape() as tape:
        x = tf.constant(X)
        tape.watch(x)
        again = evaluated(call, x, A, Q)[0]
    np.testing.assert_array_equal(again, want)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ("np.quantile(x, 0.5, method='inverted_cdf')", r"has no method 'inverted_cdf'\. There are linear"),
        ("np.histogram(x, 'auto')", r"np\.histogram_bin_edges of its numbers finds edges by 'auto'"),
        ("np.gradient(x, edge_order=3)", "edge_order 1 and 2, not 3"),
        ("np.gradient(a, 1.0, 2.0, 3.0)", "takes one step, or 2"),
        ("np.gradient(x, [0.0, 1.0])", "the places of all 3 elements of an axis, not 2"),
        ("np.pad(x, 2, mode='mean', end_values=2)", "pad with mode mean does not take end_values"),
    ],
)  # fmt: skip
def test_what_statistics_do_not_take(call: str, says: str) -> None:
    x, a = tf.Variable(X), tf.Variable(A)
    with tf.GradientTape(), pytest.raises((TypeError, ValueError), match=says):
        evaluated(call, x, a, Q)


def test_what_is_no_number_stays_so() -> None:
    """In quantiles of all, and where nothing is a number; no gradient comes from there."""
    x = tf.constant([[1.0, np.nan, 3.0], [1.0, 2.0, 4.0], [np.nan] * 3])
    with tf.GradientTape() as tape:
        tape.watch(x)
        found = np.median(x, axis=1), np.nanmedian(x, axis=1)
        total = tf.reduce_sum(found[0][1:2]) + tf.reduce_sum(found[1][:2])
    np.testing.assert_array_equal(found[0], [np.nan, 2.0, np.nan])
    np.testing.assert_array_equal(found[1], [2.0, 2.0, np.nan])
    np.testing.assert_array_equal(tape.gradient(total, x), [[0.5, 0, 0.5], [0, 2, 0], [0, 0, 0]])


@pytest.mark.parametrize("call", ["np.sum(x, axis=0)", "np.where(x > 0.5, x, 0.0)", "np.reshape(x, (3, 1))", "np.pad(x, 1, mode='edge')"])  # fmt: skip
def test_signatures_are_read_once(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """They took four fifths of a small call."""
    x = tf.Variable(X)
    with tf.GradientTape():
        want = evaluated(call, x, None, None)
        monkeypatch.setattr("inspect.signature", None)
        np.testing.assert_array_equal(evaluated(call, x, None, None), want)


def test_arguments_by_name_in_any_order() -> None:
    x, a = tf.Variable(X), tf.Variable(A)
    with tf.GradientTape(persistent=True) as tape:
        calls = (
            (np.dot(b=x, a=a), np.dot(A, X)),
            (np.pad(constant_values=2.0, pad_width=1, array=x), np.pad(X, 1, constant_values=2.0)),
            (np.take(axis=0, indices=[0, 2], a=x), X[[0, 2]]),
        )
    for found, want in calls:
        np.testing.assert_array_equal(found, want)
        assert tape.gradient(found, x) is not None
