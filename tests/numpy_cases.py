"""Calls of tf.experimental.numpy, as text: what they give is recorded from TensorFlow (tools/numpy_recorded.py)."""

from __future__ import annotations

from typing import Any

import numpy as np

NAN, INF = float("nan"), float("inf")


def values(tf: Any) -> dict[str, Any]:
    """What the calls name: tensors and arrays of several dtypes and shapes."""
    return {
        "tf": tf,
        "np": np,
        "tnp": tf.experimental.numpy,
        "nan": NAN,
        "inf": INF,
        "f": tf.constant([[0.5, -1.5, 2.0], [3.0, 0.25, -0.75]]),
        "u": tf.constant([[0.5, 0.125, 0.75], [0.25, 0.875, 0.0]]),  # within one
        "p": tf.constant([[1.5, 2.5, 1.25], [3.0, 4.5, 1.75]]),  # above one
        "d": np.array([[1.0, 2.5, -0.5], [0.25, 4.0, -2.0]]),
        "i": tf.constant([[3, -1, 2], [0, 5, -4]]),
        "l": np.array([[2, 7, 1], [4, 3, 6]]),
        "s": tf.constant([[1, 2, 3], [4, 5, 6]], tf.int8),
        "b": tf.constant([[True, False, True], [False, False, True]]),
        "c": tf.constant([[1 + 2j, -1j, 0.5], [2.0, -1 - 1j, 3j]], tf.complex64),
        "h": tf.constant([[0.5, 1.5, -2.0], [1.0, 0.25, 4.0]], tf.float16),
        "m": tf.constant([[2.0, 0.5, 1.0], [0.5, 3.0, -1.0], [1.0, -1.0, 4.0]], tf.float64),
        "v": np.array([1.0, -2.0, 3.0]),
        "k": tf.constant([2, 0, 1]),
        "q": np.arange(24.0).reshape(2, 3, 4),
    }  # fmt: skip


OF_ONE = (
    "sin cos tan arctan sinh cosh tanh arcsinh exp exp2 expm1 sqrt cbrt deg2rad rad2deg floor ceil "
    "fix fabs sinc isnan isinf isfinite isposinf isneginf abs absolute negative positive square conj "
    "conjugate signbit logical_not reciprocal iscomplex isreal sign real imag angle around round ravel "
    "flatten transpose flip fliplr flipud sum prod mean std max min amax amin ptp all any argmax argmin "
    "count_nonzero cumsum cumprod diff sort argsort size ndim copy array zeros_like ones_like "
    "diagonal trace tril triu nonzero squeeze atleast_1d atleast_2d atleast_3d nansum nanprod nanmean"
)
OF_UNIT = "arcsin arccos arctanh log1p"
OF_ABOVE_ONE = "arccosh log log2 log10"
OF_TWO = (
    "add subtract multiply divide true_divide floor_divide mod remainder power float_power maximum minimum "
    "arctan2 hypot logaddexp logaddexp2 heaviside equal not_equal less less_equal greater "
    "greater_equal logical_and logical_or logical_xor isclose allclose array_equal divmod inner vdot "
    "outer kron where_both"
)
OF_INTEGERS = "bitwise_and bitwise_or bitwise_xor gcd lcm"
PAIRS = [
    "f,d",
    "f,i",
    "f,1.5",
    "f,2",
    "d,i",
    "i,l",
    "i,1.5",
    "i,2",
    "s,f",
    "s,i",
    "h,f",
    "b,i",
    "c,f",
    "c,d",
    "1,2.5",
    "[1],2",
    "b,b",
]

SINGLE = """
sum(f, 0) sum(f, axis=1) sum(f, axis=(0, 1)) sum(f, axis=-1, keepdims=True) sum(i, dtype=float) sum(s, dtype=tnp.int32)
prod(i, 0) prod(s, 1) prod(f, keepdims=True) mean(f, 0) mean(i, 1) mean(s) mean(f, dtype=tnp.float64) mean(d, (0, 1))
mean(f, axis=1, keepdims=True) var(f) var(i) var(f, 0) var(d, 1, ddof=1) var(f, keepdims=True) var(c) std(f, 0) std(i, 1) std(d, keepdims=True)
max(f, 0) max(i, 1, keepdims=True) min(f, axis=(0, 1)) min(b, 0) max(b, 1) amax(f, 1) amin(f, 0, keepdims=True) ptp(f, 0)
all(b, 1) any(b, 0) all(f, 0, keepdims=True) argmax(f, 0) argmin(i, 1) argmax(b, 1) count_nonzero(i, 0) count_nonzero(f, (0, 1))
average(f) average(f, 0) average(i, 1) average(f, 1, [1.0, 2.0, 3.0]) average(d, weights=l) average(f, 0, weights=[1, 3], returned=True) average(f, returned=True)
cumsum(f, 0) cumsum(i, 1) cumsum(s) cumprod(f, 1) cumprod(i, 0) cumsum(i, dtype=float) diff(f) diff(f, 2) diff(d, axis=0) diff(i, n=0)
nansum([1.0, nan, 2.0]) nanprod([[2.0, nan], [3.0, 4.0]], 0) nanmean([[2.0, nan], [3.0, 4.0]], 1) nanmean([1, 2]) nansum([[nan, 1.0]], axis=1, keepdims=True)
isnan([1.0, nan, inf]) isinf([1.0, -inf, nan]) isfinite([1.0, -inf, nan]) isposinf([inf, -inf]) isneginf([inf, -inf])
isclose([1.0, nan], [1.0, nan]) isclose([1.0, nan], [1.0, nan], equal_nan=True) isclose(1.0, 1.1, rtol=0.2) isclose([inf], [inf]) allclose(f, f) allclose([1, 2], [1, 3])
array_equal(f, i) array_equal([1, 2], [1, 2]) array_equal([1, 2], [1, 2, 3]) array_equal([[1]], [1])
angle(c, deg=True) angle(-1.0) around(f, 1) around(123.456, -1) around(i) round(d, 2) around([0.5, 1.5, 2.5]) signbit([-1.0, 1.0, 2.0]) sinc(0.0) sinc([0.0, 0.5])
clip(f, -1, 1) clip(i, 0, None) clip(f, None, 0.5) clip(i, 0, 1.5) clip(d, v, 3.0) clip(s, 2, 4) fix([-1.7, 1.7]) cbrt(-8.0) sign([-2.0, 0.0, 3.0]) sign(-1j)
logaddexp(0.0, 0.0) logaddexp(-inf, 1.0) hypot(3.0, 4.0) heaviside([-1.0, 0.0, 2.0], 0.5) arctan2([1.0, -1.0], -1.0) nextafter(1.0, 2.0) nextafter(d, 0.0)
power(2, 3) power(2.0, -1) power(i, 2) mod(-7, 3) mod([-7.0, 7.0], -3.0) floor_divide(-7, 2) floor_divide(7.5, -2.0) divmod(-7, 3) divmod(7.5, 2) divide(1, 0) reciprocal(2) reciprocal(4.0)
bitwise_and(12, 10) bitwise_or(s, 1) bitwise_not(i) bitwise_not(s) gcd([12, 0, -8], [8, 5, 6]) lcm([4, 0, -3], [6, 5, 2])
array(1) array(1.5) array(1j) array([1, 2.5]) array([[1, 2], [3, 4]], dtype=float) array([1.7], dtype=int) array([1, 2], ndmin=3) array([f[0], i[0]]) array(True) array([]) array(f, dtype=tnp.float64) array(np.float32(2.5)) array([np.float32(2.5), 1])
asarray([1, 2]) asarray(d) asarray(f, float) asanyarray(i) ascontiguousarray(2.0) ascontiguousarray(i) copy(f)
zeros(3) zeros((2, 1), int) zeros([2], tnp.float32) ones(2) ones((1, 2), bool) empty(0) empty((2,), tnp.int32) empty_like(i) full(2, 1) full((2, 2), 1.5) full((2, 3), [1, 2, 3]) full(2, 1, dtype=tnp.float32)
zeros_like(i, dtype=float) ones_like(f, dtype=int) ones_like([1, 2]) full_like(f, 2) full_like(i, 1.5) full_like([1, 2], 7, dtype=float)
eye(2) eye(2, 3) eye(3, k=1) eye(3, 2, -1, int) identity(2) identity(3, dtype=tnp.int32) tri(3) tri(2, 3, 1) tri(3, k=-1, dtype=int)
arange(3) arange(2.0) arange(1, 7, 2) arange(0, 1, 0.25) arange(5, 0, -2) arange(3, dtype=float) arange(0) arange(1.5, 4) arange(k[0])
linspace(0, 1, 5) linspace(0, 1, 4, endpoint=False) linspace(1, 3, 3, dtype=int) linspace(0, 1, 3, retstep=True) linspace([0.0, 1.0], [1.0, 3.0], 3) linspace([0.0, 1.0], [1.0, 3.0], 3, axis=1) linspace(0, 1, 3, dtype=tnp.float32)
logspace(0, 2, 3) logspace(0, 3, 4, base=2.0) logspace(0, 1, 2, endpoint=False) logspace(0, 2, 3, dtype=tnp.float32) geomspace(1, 8, 4) geomspace(1.0, 100.0, 3, endpoint=False) geomspace(-1.0, -8.0, 4)
diag([1, 2]) diag([1.0, 2.0], 1) diag(m) diag(m, -1) diag(f, 1) diagflat([[1, 2]]) diagflat(f, -1) diagonal(q) diagonal(q, 1, 1, 2) diagonal(m, -1) diagonal(f, 2) trace(m) trace(m, 1) trace(q, 0, 1, 2) trace(i, dtype=float)
tril(m) tril(m, -1) tril(q, 1) triu(m) triu(m, 1) triu(q, -1) diag_indices(3) diag_indices(2, 3) vander([1.0, 2.0, 3.0]) vander([1, 2], 3) vander([1, 2], 3, increasing=True) polyval([1, 2, 3], 2) polyval([1.0, -1.0], f)
meshgrid([1, 2], [3, 4, 5]) meshgrid([1.0, 2.0], [3.0], indexing="ij") broadcast_to([1, 2], (2, 2)) broadcast_to(1.5, (2,)) broadcast_arrays([1, 2], 1.5, [[1], [2]])
reshape(f, (3, 2)) reshape(f, -1) reshape(i, [2, -1], order="F") reshape(i, (3, 2), "F") ravel(q) flatten(f, "F") transpose(q) transpose(q, (1, 0, 2)) expand_dims(f, 1) expand_dims(f, -1) squeeze([[[1], [2]]]) squeeze([[[1], [2]]], 2)
swapaxes(q, 0, 2) swapaxes(q, -1, 0) moveaxis(q, 0, -1) moveaxis(q, (0, 1), (-1, 0)) flip(f) flip(f, 1) flip(q, (0, 2)) rot90(f) rot90(f, 2) rot90(f, 3) rot90(f, -1) rot90(q, 1, (1, 2)) roll(f, 1) roll(f, 1, 0) roll(f, (1, 2), (0, 1)) roll([1, 2, 3], -1)
tile([1, 2], 2) tile(f, (2, 1)) tile([1, 2], (2, 2)) tile(f, 2) repeat([1, 2], 2) repeat(f, 2, 0) repeat([1, 2, 3], [0, 1, 2]) repeat(f, [1, 2], axis=0)
atleast_1d(1.5) atleast_2d([1, 2]) atleast_3d([1, 2]) atleast_3d(f) atleast_2d(1, [2])
concatenate([f, d]) concatenate([f, i], axis=1) concatenate((i, l), axis=None) concatenate([[1], [2.5]]) stack([f, i]) stack([f, f], axis=-1) stack([1, 2.5]) hstack([[1, 2], [3.5]]) hstack([f, f]) vstack([[1, 2], [3, 4]]) vstack([f, v]) dstack([[1, 2], [3, 4]]) dstack([f, d]) append([1, 2], 3) append(f, f, 0) append(f, i, axis=1)
split(f, 3, 1) split(v, [1]) split(v, [1, 2]) split(q, 2) hsplit(f, 3) hsplit(v, 3) vsplit(f, 2) dsplit(q, 2) dsplit(q, [1])
pad(v, [[1, 2]], "constant") pad(f, [[1, 0], [0, 1]], "constant", constant_values=7) pad(v, [[1, 1]], "reflect") pad(v, [[2, 1]], "symmetric")
take(v, [0, 2]) take(v, [0, 5, -1]) take(v, [0, 5, -1], mode="wrap") take(f, [1], axis=0) take(f, [[0, 2]], 1) take(f, 4) take_along_axis(f, [[2, 0], [1, 1]], 1) take_along_axis(v, [2, 0], 0) take_along_axis(f, [3, 0], None)
where(b, f, i) where(b, 1, 2.5) where([True, False], [1, 2], 7) where(b) where(f > 0, f, 0.0) nonzero([0, 1, 2]) compress([False, True], f, 0) compress([True, False, True], f, 1) compress([True, False, False, True], f) select([f > 1, f < 0], [f, -f]) select([f > 1, f < 0], [1, 2], 7) ix_([0, 1], [1, 2]) ix_([True, False, True], [0])
sort(f) sort(f, 0) sort([[3, 1], [2, 4]], None) argsort(f) argsort(f, 0) argsort([[3, 1], [2, 4]], axis=None) argsort([2, 1, 2, 1], kind="stable")
matmul(f, m) matmul(m, v) matmul(v, m) matmul(v, v) matmul(q, q[0].T) dot(f, m) dot(2, f) dot(v, v) dot(q, v[:1].repeat(4)) dot(m, m) dot(q, m[:2, 0].numpy().repeat(2)) inner(f, v) inner(f, f) inner(2.0, v) outer(v, [1, 2]) outer(f, v) vdot(c, c) vdot(f, d) kron([1, 2], [[1, 0], [0, 1]]) kron(f, v)
tensordot(f, m, 1) tensordot(q, q, 3) tensordot(q, f, [[0, 1], [0, 1]]) tensordot(f, f) einsum("ij,jk->ik", f, m) einsum("ij->j", i) einsum("i,i", v, [1, 2, 3]) einsum("ii", m) einsum("...j,j->...", q, [1.0, 0.0, 2.0, 1.0])
cross([1, 2, 3], [4, 5, 6]) cross([1, 2], [3, 4]) cross([1, 2], [4, 5, 6]) cross(f, v) cross(f, f[::-1]) cross(m, m[::-1], axis=0) cross(m, f, axisa=0) if_two
shape(q) size(q) ndim(1) isscalar(1.0) isscalar([1]) isscalar(f) iscomplexobj(c) iscomplexobj(1.0) isrealobj(f) issubdtype(tnp.int32, tnp.inexact) issubdtype(tnp.float32, tnp.inexact) iscomplex([1j, 1.0]) isreal([1j, 1.0])
result_type(f, 1.5) result_type(i, 1.5) result_type(i, f) result_type(1, 2.5) result_type(tnp.float32, int) result_type(s, 300) result_type(h, i) result_type(b, 1) result_type(f, 1j) result_type() promote_types(tnp.int32, tnp.float32) promote_types(int, tnp.int8)
"""

# With NumPy's behaviour of tensors: methods, operators, indices.
OF_TENSORS = """
f.T | f.reshape(3, 2) | f.reshape((3, 2)) | f.reshape(-1) | f.ravel() | f.flatten() | f.astype(tf.int32) | f.transpose() | f.clip(0, 1)
f.max() | f.max(axis=0) | f.min(1) | i.mean() | f.mean(axis=1) | f.size | f.ndim | f.tolist() | f.data | round(f)
f + 1.5 | i + 1.5 | 1.5 + i | i + 1 | i + f | f + d | d + f | d - i | s + i | s * f | i / 2 | i / i | i // 2 | i % 2 | i ** 2 | f ** 2 | 2 ** f | h + f | c * f | i - 1j
i == 1.0 | i != f | i < f | f >= 1 | i <= 2.5 | f > d | 2.5 > i | b & b | i & 1 | ~i | -i | abs(i) | f @ m | d @ m | np.float64(2) * i | [1, 2, 3] + i | i * np.int8(2)
f[f > 0] | f[[0, 1]] | f[[0, 1], [1, 2]] | f[:, [0, 2]] | f[tf.constant([1, 0])] | f[np.array([True, False])] | f[None, ..., 0] | f[0, [0, 1]] | f[[[0, 1]]]
f[-1] | f[::-1] | f[:, tf.constant([True, False, True])] | f[[-1]] | f[..., [0]] | f[1:, 0] | f[[0, 1], :2] | tf.constant(q)[[0, 1], :, [1, 2]] | tf.constant(q)[:, [0, 1], [1, 2]] | tf.constant(q)[0, :, [1, 2]] | tf.constant(q)[:, 0, [1, 2]]
tf.constant(q)[[[0], [1]], [0, 2]] | tf.constant(q)[None, [0, 1], ..., [1, 2]] | tf.constant(q)[[True, False], 1] | f[tf.constant(0)] | f[k[1], k]
tf.Variable([1, 2]) + 1.5 | tf.Variable([1, 2]) * tf.constant([0.5, 1.5]) | tnp.array(1.0) + f | tnp.array(1) + i
"""


def calls() -> list[str]:
    """Every call, with the behaviour enabled."""
    found = [f"tnp.{name}({x})" for name in OF_ONE.split() for x in "fdibch"]
    found += [f"tnp.{name}({x})" for name in OF_ONE.split() for x in ("2", "[1.5, -2.5]") if name not in ("fliplr", "flipud", "diagonal", "trace", "tril", "triu")]  # fmt: skip
    found += [f"tnp.{name}({x})" for name in OF_UNIT.split() for x in ("u", "0.5", "0", "c")]
    found += [f"tnp.{name}({x})" for name in OF_ABOVE_ONE.split() for x in ("p", "l", "2", "c")]
    for name in OF_TWO.split():
        call = "tnp.where(b, {})" if name == "where_both" else f"tnp.{name}({{}})"
        found += [call.format(pair.replace(",", ", ")) for pair in PAIRS]
    found += [f"tnp.{name}({x})" for name in OF_INTEGERS.split() for x in ("i, l", "s, 3", "l, s", "6, 4")]  # fmt: skip
    found += [f"tnp.{call}" for call in _split(SINGLE) if call != "if_two"]
    found += [call.strip() for call in OF_TENSORS.replace("\n", "|").split("|") if call.strip()]
    return list(dict.fromkeys(found))


def _split(text: str) -> list[str]:
    """Calls that follow one another: a space outside of brackets parts them."""
    found, deep, start = [], 0, 0
    for at, sign in enumerate(text):
        deep += (sign in "([{") - (sign in ")]}")
        if sign.isspace() and not deep:
            found.append(text[start:at].strip())
            start = at
    return [call for call in found if call]
