"""Where TensorFlow 2.21 is wrong, gives None or raises, Wengert is right: one line for each place.

Every line is checked against differences in float64: reverse mode, forward mode and second order, in
eager mode and inside a function. docs/beyond.md lists the same places in words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest
from numeric import (
    arrays,
    assert_near,
    assert_same,
    directional,
    forward_over_reverse,
    inner,
    length,
    like,
    outcomes,
    pullback,
    pushforward,
    restricted,
    reverse_over_reverse,
    tensors,
)

import wengert as tf

V1 = tf.compat.v1


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def normal(*shape: int, seed: int = 0) -> Any:
    return rng(seed).normal(size=shape)


def complexes(*shape: int) -> Any:
    return normal(*shape) + 1j * normal(*shape, seed=1)


def images(*shape: int) -> Any:
    """Colours well inside of the cube, no two channels alike."""
    order = np.argsort(rng().random((*shape[:-1], 3)), -1)
    return 0.2 + 0.25 * order + rng(1).uniform(-0.08, 0.08, (*shape[:-1], 3))


def definite(size: int) -> Any:
    a = normal(size, size)
    return a @ a.T + size * np.eye(size)


@dataclass
class Place:
    """A call that TensorFlow gets wrong, and where it is differentiated."""

    name: str
    call: Callable[..., Any]
    at: Sequence[Any]
    step: float = 1.0  # differences reach this far, where a kink is near


def sparse_of(values: Any) -> Any:
    return tf.SparseTensor([[0, 1], [1, 0], [1, 2]], values, [2, 3])


def layer_norm(x: Any) -> Any:
    mean, variance = tf.nn.moments(x, [-1], keepdims=True)
    return (x - mean) * tf.math.rsqrt(variance + 1e-3)


def batch_norm(x: Any) -> Any:
    return tf.nn.batch_normalization(x, *tf.nn.moments(x, [0]), 0.5, 2.0, 1e-3)


def ctc(x: Any) -> Any:
    return tf.nn.ctc_loss([[1, 1], [2, 1]], x, [2, 1], [4, 3], blank_index=0)


def squares(x: Any) -> Any:
    return tf.py_function(lambda v: v * v * v, [x], x.dtype)


@tf.recompute_grad
def recomputed(x: Any) -> Any:
    return tf.sin(x) * x


IMAGE = images(1, 4, 4, 3)
PICTURE = normal(1, 4, 5, 2)
LABELS = np.array([[0.2, 0.3, 0.9], [0.5, 0.1, 0.1]])
BOXES = np.array([[0.11, 0.12, 0.83, 0.91]])

NONE_THERE = [
    Place("betainc in a and b", tf.math.betainc, [np.array(1.5), np.array(2.5), np.array(0.4)]),
    Place("igamma in a", tf.math.igamma, [np.array([0.7, 3.0]), np.array([1.1, 2.0])]),
    Place("igammac in a", tf.math.igammac, [np.array([0.7, 3.0]), np.array([1.1, 2.0])]),
    Place("hsv_to_rgb", tf.image.hsv_to_rgb, [rng().uniform(0.1, 0.15, (2, 3)) + np.array([0.1, 0.4, 0.6])]),
    Place("sparse.concat",
          lambda v, u: tf.sparse.concat(0, [sparse_of(v), sparse_of(u)]).values ** 2,
          [normal(3), normal(3, seed=1)]),
]  # fmt: skip

RAISES_THERE = [
    Place("dilated conv1d", partial(tf.nn.conv1d, stride=1, padding="SAME", dilations=2),
          [normal(1, 6, 2), normal(2, 2, 3)]),
    Place("dilated conv2d", partial(tf.nn.conv2d, strides=1, padding="VALID", dilations=2),
          [PICTURE, normal(2, 2, 2, 2)]),
    Place("grouped conv2d", partial(tf.nn.conv2d, strides=1, padding="SAME"),
          [normal(1, 3, 3, 4), normal(2, 2, 2, 4)]),
    Place("lu", lambda a: tf.linalg.lu(a)[0], [normal(3, 3)]),
    Place("lu_solve", lambda a, b: tf.linalg.lu_solve(*tf.linalg.lu(a), b),
          [normal(3, 3), normal(3, 2)]),
    Place("lu_matrix_inverse", lambda a: tf.linalg.lu_matrix_inverse(*tf.linalg.lu(a)),
          [definite(3)]),
    Place("lu_reconstruct", lambda a: tf.linalg.lu_reconstruct(*tf.linalg.lu(a)) ** 2,
          [normal(3, 3)]),
    Place("logm", lambda z: tf.linalg.logm(tf.complex(z, tf.zeros_like(z))), [definite(3)]),
    Place("complex sqrtm", tf.linalg.sqrtm, [complexes(3, 3) + 4.0 * np.eye(3)]),
    Place("lstsq", lambda a, b: tf.linalg.lstsq(a, b, fast=False), [normal(4, 2), normal(4, 1)]),
    Place("rfft3d", tf.signal.rfft3d, [normal(2, 2, 3)]),
    Place("irfft3d", tf.signal.irfft3d, [complexes(2, 2, 3)]),
    Place("rfft of a cropped input", lambda x: tf.signal.rfft(x, [3]), [normal(5)]),
    Place("irfft of a cropped input", lambda z: tf.signal.irfft(z, [4]), [complexes(5)]),
    Place("resize by area", lambda x: tf.image.resize(x, [3, 2], "area") ** 2, [PICTURE]),
    Place("adjust_contrast", lambda x, c: tf.image.adjust_contrast(x, c), [IMAGE, np.array(1.5)]),
    Place("adjust_hue", lambda x: tf.image.adjust_hue(x, 0.1), [IMAGE]),
    Place("adjust_saturation", lambda x: tf.image.adjust_saturation(x, 0.7), [IMAGE]),
    Place("truncatemod", tf.truncatemod, [np.array([1.3, -2.6]), np.array([1.0, 0.7])]),
    Place("unique", lambda x: tf.unique(x)[0] ** 2, [np.array([3.0, 1.0, 2.0])]),
    Place("rot90", lambda x: tf.image.rot90(x, 3) ** 2, [PICTURE]),
]  # fmt: skip

WRONG_FIRST = [
    Place("complex det", tf.linalg.det, [complexes(3, 3)]),
    Place("complex squared_difference", tf.math.squared_difference,
          [complexes(3), complexes(3)[::-1].copy()]),
    Place("complex xlogy", tf.math.xlogy, [complexes(3), complexes(3) + 3.0]),
    Place("complex xdivy", tf.math.xdivy, [complexes(3), complexes(3) + 3.0]),
    Place("complex cumprod", tf.math.cumprod, [complexes(4)]),
    Place("cumprod with zeros", tf.math.cumprod, [np.array([2.0, 0.0, 3.0, 0.0, 1.5])]),
    Place("dynamic_stitch with overlaps",
          lambda x, y: tf.dynamic_stitch([[0, 1], [1, 2]], [x, y]) ** 2, [normal(2), normal(2)]),
    Place("eigh_tridiagonal",
          lambda a, b: tf.linalg.eigh_tridiagonal(a, b, eigvals_only=True),
          [np.array([1.0, 4.0, 8.0]), np.array([0.5, 0.7])]),
    Place("weighted_cross_entropy_with_logits at a logit of 0",
          lambda x: tf.nn.weighted_cross_entropy_with_logits(np.array([0.0, 1.0, 0.3]), x, 2.0),
          [np.array([0.0, 0.0, 1.0])]),
    Place("isotonic_regression of a vector",
          lambda x: tf.nn.isotonic_regression(x)[0] ** 2, [np.array([3.0, 1.0, 2.0, 0.5])]),
    Place("softmax cross entropy, labels not summing to one",
          tf.nn.softmax_cross_entropy_with_logits, [LABELS, normal(2, 3)]),
    Place("fused_batch_norm's statistics",
          lambda x, s, o: list(V1.nn.fused_batch_norm(x, s, o)),
          [normal(2, 2, 1, 2), normal(2), normal(2)]),
]  # fmt: skip

WRONG_SECOND = [
    Place("moments", lambda x: list(tf.nn.moments(x, [0])), [normal(4, 2)]),
    Place("layer norm", layer_norm, [normal(2, 4)]),
    Place("batch norm", batch_norm, [normal(4, 2)]),
    Place("reduce_prod with zeros", tf.reduce_prod, [np.array([2.0, 0.0, 3.0, 0.0])]),
    Place("complex reduce_prod", tf.reduce_prod, [complexes(4)]),
    Place("unsorted_segment_prod with zeros",
          lambda x: tf.math.unsorted_segment_prod(x, [0, 1, 0, 0], 2),
          [np.array([2.0, 1.5, 0.0, 0.0])]),
    Place("ctc_loss", ctc, [normal(4, 2, 3)]),
    Place("py_function", squares, [normal(3)]),
    Place("resize, bilinear", lambda x: tf.image.resize(x, [3, 7]) ** 2, [PICTURE]),
    Place("resize, bicubic", lambda x: tf.image.resize(x, [3, 7], "bicubic") ** 2, [PICTURE]),
    Place("resize, scaled",
          lambda x: tf.image.resize(x, [3, 7], "lanczos3", antialias=True) ** 2, [PICTURE]),
    Place("softsign", tf.nn.softsign, [np.array([-1.5, 0.4, 2.0])]),
    Place("local_response_normalization",
          lambda x: tf.nn.local_response_normalization(x, 1, 1.0, 0.5, 0.6), [normal(1, 2, 2, 4)]),
    Place("igamma in a, again", lambda a: tf.math.igamma(a, tf.constant(2.0, tf.float64)),
          [np.array(1.7)]),
    Place("dilation2d",
          lambda x, w: tf.nn.dilation2d(x, w, [1, 1, 1, 1], "SAME", "NHWC", [1, 1, 1, 1]) ** 2,
          [PICTURE, normal(2, 2, 2)], step=0.05),
    Place("erosion2d",
          lambda x, w: tf.nn.erosion2d(x, w, [1, 1, 1, 1], "SAME", "NHWC", [1, 1, 1, 1]) ** 2,
          [PICTURE, normal(2, 2, 2)], step=0.05),
    Place("crop_and_resize's boxes", lambda x, b: tf.image.crop_and_resize(x, b, [0], [3, 3]),
          [PICTURE, BOXES], step=0.05),
    Place("max_pool with explicit padding",
          lambda x: tf.nn.max_pool2d(x, 2, 2, [[0, 0], [1, 0], [0, 1], [0, 0]]) ** 2, [PICTURE],
          step=0.05),
    Place("max_pool_with_argmax",
          lambda x: tf.nn.max_pool_with_argmax(x, 2, 2, "SAME")[0] ** 2, [PICTURE], step=0.05),
    Place("sparse softmax", lambda v: tf.sparse.softmax(sparse_of(v)).values, [normal(3)]),
    Place("convolution", partial(tf.nn.convolution, padding="SAME"),
          [PICTURE, normal(2, 2, 2, 2)]),
]  # fmt: skip

WRONG_FORWARD = [
    Place("bilinear resize, forward", lambda x: tf.image.resize(x, [2, 2]), [PICTURE]),
    Place("sparse + sparse",
          lambda v, u: tf.sparse.add(sparse_of(v), sparse_of(u)).values ** 2, [normal(3), normal(3)]),
    Place("fused_batch_norm", lambda x: V1.nn.fused_batch_norm(x, [1.0, 2.0], [0.5, 0.5])[0],
          [normal(2, 2, 1, 2)]),
    Place("empty segments, mean", lambda x: tf.math.segment_mean(x, [0, 0, 2]), [normal(3)]),
    Place("empty segments, max", lambda x: tf.math.segment_max(x, [0, 0, 2]),
          [np.array([1.0, 2.0, 3.0])]),
    Place("empty segments, min", lambda x: tf.math.segment_min(x, [0, 0, 2]),
          [np.array([1.0, 2.0, 3.0])]),
    Place("empty segments, unsorted max",
          lambda x: tf.math.unsorted_segment_max(x, [0, 0, 2], 4)[::2],
          [np.array([1.0, 2.0, 3.0])]),
    Place("empty segments, unsorted min",
          lambda x: tf.math.unsorted_segment_min(x, [0, 0, 2], 4)[::2],
          [np.array([1.0, 2.0, 3.0])]),
    Place("exclusive cumulative_logsumexp",
          lambda x: tf.math.cumulative_logsumexp(x, exclusive=True)[1:], [normal(4)]),
    Place("gather_nd of rows", lambda x: tf.gather_nd(x, [[1], [0], [1]]) ** 2, [normal(2, 3)]),
    Place("embedding_lookup_sparse",
          lambda x: tf.nn.embedding_lookup_sparse(
              x, tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1, 0, 2], [2, 2]), None,
              combiner="mean") ** 2, [normal(3, 2)]),
    Place("segment_sum", lambda x: tf.math.segment_sum(x, [0, 0, 1]) ** 2, [normal(3, 2)]),
    Place("scatter_nd", lambda x: tf.scatter_nd([[0], [2], [0]], x, [4]) ** 2, [normal(3)]),
    Place("recompute_grad", recomputed, [normal(3)]),
]  # fmt: skip

PLACES = [*NONE_THERE, *RAISES_THERE, *WRONG_FIRST, *WRONG_SECOND, *WRONG_FORWARD]


def traced(call: Callable[..., Any]) -> Callable[..., Any]:
    return tf.function(lambda *xs: outcomes(call, xs))


@pytest.fixture(params=["eager", "function"])
def mode(request: pytest.FixtureRequest) -> Any:
    return traced if request.param == "function" else lambda call: call


def check(place: Place, mode: Any) -> None:
    at = tensors([np.asarray(x) for x in place.at])
    f = restricted(mode(place.call), at, range(len(at)))
    ws = tensors(like(rng(2), arrays(f(*at))))
    vs = tensors([place.step * v for v in like(rng(3), arrays(at))])
    us = [place.step * u for u in like(rng(4), arrays(at))]
    moved = directional(lambda xs: arrays(f(*tensors(xs))), arrays(at), arrays(vs))
    pulled, pushed = arrays(pullback(f, at, ws)), arrays(pushforward(f, at, vs))
    size = length(arrays(ws)) * max(length(moved), 1e-2)
    assert_near(inner(arrays(ws), moved), inner(pulled, arrays(vs)), size, 1e-8)
    assert_same(pushed, moved, 1e-8)
    turned = directional(lambda xs: arrays(pullback(f, tensors(xs), ws)), arrays(at), us)
    for twice in (reverse_over_reverse, forward_over_reverse):
        got = [np.zeros_like(x) if g is None else np.asarray(g)
               for g, x in zip(twice(f, at, ws, vs), arrays(at), strict=True)]  # fmt: skip
        size = length(arrays(vs)) * max(length(turned), 1e-2)
        assert_near(inner(arrays(vs), turned), inner(got, us), size, 1e-7)


@pytest.mark.parametrize("place", PLACES, ids=lambda p: p.name)
def test_right(place: Place, mode: Any) -> None:
    """Reverse mode, forward mode and second order are those of differences."""
    check(place, mode)


def test_a_wrong_second_order_is_found() -> None:
    """The check itself: TensorFlow's way of stopping the gradient of the mean is noticed."""

    def variance(x: Any) -> Any:
        return tf.reduce_mean((x - tf.stop_gradient(tf.reduce_mean(x))) ** 2)

    with pytest.raises(AssertionError):
        check(Place("moments, as in TensorFlow", variance, [normal(4)]), lambda call: call)


# ---- what differences cannot say --------------------------------------------------------------


def tangent(f: Any, x: Any) -> Any:
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as acc:
        y = f(x)
    return acc.jvp(y)


def test_fake_quant_in_forward_mode() -> None:
    """Rounding passes tangents through inside of the range, as it does gradients."""
    x = tf.constant([-2.0, -0.5, 0.3, 2.0])
    f = partial(tf.quantization.fake_quant_with_min_max_args, min=-1.0, max=1.0)
    assert tangent(f, x).numpy().tolist() == [0.0, 1.0, 1.0, 0.0]


def test_second_order_of_quantize_and_dequantize() -> None:
    """Straight through at first order, so nothing at second."""
    f = partial(tf.quantization.quantize_and_dequantize_v2, input_min=-1.0, input_max=1.0,
                range_given=True)  # fmt: skip
    x = tf.constant([0.3, -0.4])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(f(x) ** 2)
        g = tape.gradient(y, x)
    # d(y^2) = 2 y, and the derivative of y is passed through as one.
    assert np.allclose(outer.gradient(g, x), [2.0, 2.0])


def test_one_answer_for_a_custom_gradient() -> None:
    """Forward mode transposes the custom gradient in every mode; what is inside is not asked."""

    @tf.custom_gradient
    def f(x: Any) -> Any:
        return tf.sin(x), lambda g: 10.0 * g

    x = tf.constant(1.0)
    assert tangent(f, x).numpy() == 10.0
    assert tangent(tf.function(f), x).numpy() == 10.0


def test_erf_at_infinity() -> None:
    """1, not NaN."""
    assert tf.math.erf(tf.constant([np.inf, -np.inf], tf.float64)).numpy().tolist() == [1.0, -1.0]


def test_selu_of_tiny_negative_numbers() -> None:
    """The slope is that of the negative side, down to the smallest number of float32."""
    x = tf.constant([-1e-30, 1e-30])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.selu(x)
    assert np.allclose(tape.gradient(y, x), [1.0507009873 * 1.6732632423, 1.0507009873])
