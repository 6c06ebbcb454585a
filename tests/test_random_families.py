"""Families of operations with drawn shapes and attributes: three orders against differences.

What tests/optable.py does for chosen shapes happens here for drawn ones: reverse and forward mode against
differences, and the second order against differences of the gradient.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from numeric import (
    arrays,
    assert_near,
    assert_same,
    directional,
    inner,
    length,
    like,
    pullback,
    pushforward,
    restricted,
    reverse_over_reverse,
    tensors,
)

import wengert as tf

SEEDS = st.integers(0, 2**32 - 1)
several = settings(max_examples=25, deadline=None)
small = st.integers(1, 3)


def check(call: Callable[..., Any], xs: list[Any], seed: int) -> None:
    """First order both ways, and the second order, in all inputs."""
    rng = np.random.default_rng(seed + 1)
    at = tensors(xs)
    f = restricted(call, at, range(len(at)))
    ws, vs = tensors(like(rng, arrays(f(*at)))), tensors(like(rng, xs))
    us = like(rng, xs)
    moved = directional(lambda v: arrays(f(*tensors(v))), xs, arrays(vs))
    pulled = arrays(pullback(f, at, ws))
    assert [p.shape for p in pulled] == [x.shape for x in xs]
    assert_same(arrays(pushforward(f, at, vs)), moved, 1e-7)
    size = max(length(arrays(ws)) * length(moved), 1e-3)
    assert_near(inner(arrays(ws), moved), inner(pulled, arrays(vs)), size, 1e-7)
    turned = directional(lambda v: arrays(pullback(f, tensors(v), ws)), xs, us)
    twice = arrays(reverse_over_reverse(f, at, ws, vs))
    size = max(length(arrays(vs)) * length(turned), 1e-3)
    assert_near(inner(arrays(vs), turned), inner(twice, us), size, 1e-6)


def normal(seed: int, *shapes: tuple[int, ...]) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [np.asarray(rng.normal(size=shape)) for shape in shapes]


# ---- convolutions and normalisation -----------------------------------------------------------


@given(
    batch=small, height=st.integers(2, 5), width=st.integers(2, 5), channels=small, made=small,
    kernel=st.tuples(small, small), stride=st.integers(1, 2), dilation=st.integers(1, 2),
    padding=st.sampled_from(["SAME", "VALID"]), seed=SEEDS,
)  # fmt: skip
@several
def test_conv2d(
    batch: int, height: int, width: int, channels: int, made: int, kernel: tuple[int, int],
    stride: int, dilation: int, padding: str, seed: int,
) -> None:  # fmt: skip
    """Strides and dilations, of every size of image and filter."""
    assume(stride == 1 or dilation == 1)
    reach = [(k - 1) * dilation + 1 for k in kernel]
    assume(padding == "SAME" or (height >= reach[0] and width >= reach[1]))
    call = partial(tf.nn.conv2d, strides=stride, padding=padding, dilations=dilation)
    check(call, normal(seed, (batch, height, width, channels), (*kernel, channels, made)), seed)


@given(
    height=st.integers(2, 5), width=st.integers(2, 5), channels=small, multiplier=small,
    kernel=st.tuples(small, small), seed=SEEDS,
)  # fmt: skip
@several
def test_depthwise_conv2d(
    height: int, width: int, channels: int, multiplier: int, kernel: tuple[int, int], seed: int
) -> None:
    """Every number of filters a channel."""
    call = partial(tf.nn.depthwise_conv2d, strides=[1, 1, 1, 1], padding="SAME")
    xs = normal(seed, (1, height, width, channels), (*kernel, channels, multiplier))
    check(call, xs, seed)


@given(
    size=st.tuples(st.integers(2, 6), st.integers(2, 6)), window=st.integers(1, 3),
    stride=st.integers(1, 3), padding=st.sampled_from(["SAME", "VALID"]), seed=SEEDS,
)  # fmt: skip
@several
def test_avg_pool(size: tuple[int, int], window: int, stride: int, padding: str, seed: int) -> None:
    """Windows with gaps between them, and windows over the edge."""
    assume(padding == "SAME" or min(size) >= window)
    call = partial(tf.nn.avg_pool2d, ksize=window, strides=stride, padding=padding)
    check(call, normal(seed, (1, *size, 2)), seed)


@given(
    shape=st.lists(small, min_size=2, max_size=4), keep=st.booleans(), data=st.data(), seed=SEEDS
)
@several
def test_moments(shape: list[int], keep: bool, data: st.DataObject, seed: int) -> None:
    """Over any axes."""
    axes = data.draw(st.sets(st.integers(0, len(shape) - 1), min_size=1))
    call = lambda x: list(tf.nn.moments(x, sorted(axes), keepdims=keep))  # noqa: E731
    check(call, normal(seed, tuple(shape)), seed)


@given(depth=st.integers(1, 6), radius=st.integers(0, 3), seed=SEEDS)
@several
def test_local_response_normalization(depth: int, radius: int, seed: int) -> None:
    """Neighbourhoods smaller and larger than there are channels."""
    call = partial(tf.nn.local_response_normalization, depth_radius=radius, alpha=0.3, beta=0.6)
    check(call, normal(seed, (1, 1, 2, depth)), seed)


# ---- linear algebra ---------------------------------------------------------------------------


def regular(seed: int, batch: list[int], size: int) -> Any:
    """Matrices whose eigenvalues and singular values are well apart from each other and from zero."""
    rng = np.random.default_rng(seed)
    q = np.linalg.qr(rng.normal(size=(*batch, size, size)))[0]
    r = np.linalg.qr(rng.normal(size=(*batch, size, size)))[0]
    return np.einsum("...ij,j,...kj->...ik", q, np.arange(1.0, size + 1), r)


def clear_pivots(a: Any) -> Any:
    """Rows in reverse order, each with one element well above the others of its column.

    Where two pivots are nearly alike, a step of the differences exchanges rows, and lu jumps.
    """
    return tf.reverse(a + 12.0 * tf.eye(a.shape[-1], dtype=a.dtype), [-2])


MATRIX: dict[str, Callable[..., Any]] = {
    "inv": tf.linalg.inv,
    "det": tf.linalg.det,
    "slogdet": lambda a: tf.linalg.slogdet(a)[1],
    "qr": lambda a: list(tf.linalg.qr(a)),
    "lu": lambda a: tf.linalg.lu(clear_pivots(a))[0],
    "svd": lambda a: tf.linalg.svd(a, compute_uv=False),
    "pinv": tf.linalg.pinv,
    "expm": lambda a: tf.linalg.expm(a / 4.0),
    "cholesky": lambda a: tf.linalg.cholesky(tf.matmul(a, a, transpose_b=True)),
    "eigvalsh": lambda a: tf.linalg.eigvalsh(tf.matmul(a, a, transpose_b=True)),
    "eigh": lambda a: tf.abs(tf.linalg.eigh(tf.matmul(a, a, transpose_b=True))[1]),
}


@given(
    which=st.sampled_from(sorted(MATRIX)), batch=st.lists(st.integers(1, 2), max_size=2),
    size=st.integers(1, 4), seed=SEEDS,
)  # fmt: skip
@example(which="lu", batch=[2, 2], size=4, seed=89013612)
@example(which="lu", batch=[2, 2], size=4, seed=21904748)
@example(which="qr", batch=[2], size=2, seed=2055)
@settings(max_examples=80, deadline=None)
def test_functions_of_matrices(which: str, batch: list[int], size: int, seed: int) -> None:
    """In batches, down to one by one."""
    a = regular(seed, batch, size)
    assume(which != "eigh" or np.min(np.abs(np.linalg.eigh(a @ np.swapaxes(a, -1, -2))[1])) > 0.05)
    assume(which != "qr" or keeps_signs(a))
    check(MATRIX[which], [a], seed)


def keeps_signs(a: Any) -> bool:
    """Whether a little beside the matrix its QR decomposition has the same signs: differences do not
    see a derivative where columns of Q turn round, as they do where a column is nearly reflected."""
    draw = np.random.default_rng(0)
    near = [a, *[a + draw.uniform(-0.02, 0.02, a.shape) for _ in range(40)]]
    signs = [np.sign(np.diagonal(np.linalg.qr(x)[1], axis1=-2, axis2=-1)) for x in near]
    return all((s == signs[0]).all() for s in signs)


@given(
    batch=st.lists(st.integers(1, 2), max_size=1), size=st.integers(1, 4), columns=small,
    adjoint=st.booleans(), lower=st.booleans(), seed=SEEDS,
)  # fmt: skip
@several
def test_systems(
    batch: list[int], size: int, columns: int, adjoint: bool, lower: bool, seed: int
) -> None:
    """Full and triangular ones."""
    a, (b,) = regular(seed, batch, size), normal(seed, (*batch, size, columns))
    check(partial(tf.linalg.solve, adjoint=adjoint), [a, b], seed)
    well = a + 4.0 * np.eye(size)
    check(partial(tf.linalg.triangular_solve, lower=lower, adjoint=adjoint), [well, b], seed)


# ---- signals, images, places ------------------------------------------------------------------


@given(
    size=st.integers(1, 9), length=st.one_of(st.none(), st.integers(1, 10)),
    kind=st.integers(2, 4), seed=SEEDS,
)  # fmt: skip
@several
def test_transforms(size: int, length: int | None, kind: int, seed: int) -> None:
    """Of any length, cut and filled up."""
    (x,) = normal(seed, (2, size))
    wanted = None if length is None else [length]
    check(lambda x: tf.signal.rfft(x, wanted), [x], seed)
    z = np.fft.rfft(x)
    check(lambda z: tf.signal.irfft(z, [length or size]), [z], seed)
    check(lambda x: tf.signal.dct(x, kind, n=length, norm="ortho"), [x], seed)


@given(
    size=st.tuples(st.integers(1, 5), st.integers(1, 5)),
    wanted=st.tuples(st.integers(1, 6), st.integers(1, 6)),
    method=st.sampled_from(["bilinear", "bicubic", "area", "lanczos3", "gaussian"]),
    antialias=st.booleans(), seed=SEEDS,
)  # fmt: skip
@several
def test_resize(
    size: tuple[int, int], wanted: tuple[int, int], method: str, antialias: bool, seed: int
) -> None:
    """Up and down, with every filter."""
    call = lambda x: tf.image.resize(x, wanted, method, antialias=antialias) ** 2  # noqa: E731
    check(call, normal(seed, (1, *size, 2)), seed)


@given(rows=st.integers(1, 6), width=small, count=st.integers(1, 4), data=st.data(), seed=SEEDS)
@several
def test_segments_and_places(
    rows: int, width: int, count: int, data: st.DataObject, seed: int
) -> None:
    """Any indices, some of them dropped, some met twice."""
    ids = data.draw(st.lists(st.integers(-1, count - 1), min_size=rows, max_size=rows))
    (x,) = normal(seed, (rows, width))
    check(lambda x: tf.math.unsorted_segment_prod(x, ids, count), [x], seed)
    check(lambda x: tf.math.unsorted_segment_mean(x, ids, count) ** 2, [x], seed)
    into, at = normal(seed + 1, (count, width))[0], [[max(i, 0)] for i in ids]
    for put in (tf.tensor_scatter_nd_add, tf.tensor_scatter_nd_update):
        check(lambda a, b, put=put: put(a, at, b) ** 2, [into, x], seed)


@given(
    shape=st.lists(small, min_size=1, max_size=3), exclusive=st.booleans(), reverse=st.booleans(),
    data=st.data(), seed=SEEDS,
)  # fmt: skip
@several
def test_running_logarithms(
    shape: list[int], exclusive: bool, reverse: bool, data: st.DataObject, seed: int
) -> None:
    """Along any axis; what stands before the first element is left out."""
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))

    def call(x: Any) -> Any:
        y = tf.math.cumulative_logsumexp(x, axis, exclusive, reverse)
        return tf.exp(y) if exclusive else y

    check(call, normal(seed, tuple(shape)), seed)
