"""Convolutions: what the table of samples cannot say."""

from __future__ import annotations

import itertools
import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from table_convolution import np_conv

import wengert as tf
from wengert.errors import InvalidArgumentError
from wengert.host import parallel
from wengert.ops.arrays.window_geometry import taps, windows
from wengert.ops.nn.conv import kernels, spreading

ONE = [1, 1, 1, 1]


def drawn(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).standard_normal(shape)


# ---- the arithmetic, tile by tile ---------------------------------------------------------------


def by_positions(x: Any, w: Any, g: Any, at: Any, groups: int) -> tuple[Any, Any, Any]:
    """The three maps, one position of the filter and one group after the other."""
    y, dx, dw = np.zeros_like(g), np.zeros_like(x), np.zeros_like(w)
    inner, made = w.shape[-2], w.shape[-1] // groups
    for tap, k in itertools.product(taps(at), range(groups)):
        a = np.s_[k * inner : (k + 1) * inner]
        b = np.s_[k * made : (k + 1) * made]
        out, met = (np.s_[:], *tap.out), (np.s_[:], *tap.size)
        matrix = w[tap.at][:, b]
        y[out][..., b] += x[met][..., a] @ matrix
        dx[met][..., a] += g[out][..., b] @ matrix.T
        dw[tap.at][:, b] = x[met][..., a].reshape(-1, inner).T @ g[out][..., b].reshape(-1, made)
    return y, dx, dw


numbers = st.integers(1, 3)
axis = st.tuples(st.integers(1, 7), numbers, numbers, numbers, st.integers(0, 2), st.integers(0, 2))


@settings(max_examples=60, deadline=None)
@given(
    axes=st.lists(axis, min_size=1, max_size=3),
    padding=st.sampled_from(["SAME", "VALID", "EXPLICIT"]),
    counts=st.tuples(numbers, numbers, st.integers(1, 2), st.integers(1, 2)),
)
@example(axes=[(5, 3, 2, 2, 1, 0)], padding="EXPLICIT", counts=(2, 2, 1, 2))
@example(axes=[(5, 3, 1, 2, 1, 0), (6, 2, 2, 1, 0, 1)], padding="SAME", counts=(3, 1, 2, 2))
@example(axes=[(1, 1, 1, 1, 0, 0), (2, 1, 2, 1, 0, 1)], padding="EXPLICIT", counts=(1, 1, 1, 1))
@example(axes=[(1, 1, 3, 1, 0, 0), (4, 2, 3, 3, 2, 2)], padding="SAME", counts=(1, 3, 1, 1))
def test_tiles_give_what_positions_give(
    axes: list[tuple[int, ...]], padding: str, counts: tuple[int, ...]
) -> None:
    """Any windows, however they are cut into tiles and shared among processors."""
    size, kernel, stride, rate = (tuple(a[i] for a in axes) for i in range(4))
    pads = tuple(p for a in axes for p in a[4:])
    try:
        at = windows(size, kernel, stride, rate, padding, pads, "Conv2D")
    except InvalidArgumentError:
        return
    n, groups, inner, made = counts
    x = drawn(n, *size, groups * inner)
    w = drawn(*kernel, inner, groups * made, seed=1)
    g = drawn(n, *at.out, groups * made, seed=2)
    want = by_positions(x, w, g, at, groups)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "MATRIX_BYTES", 500)
        patch.setattr(kernels, "WORTH_SHARING", 40)
        got = (
            kernels.correlate(x, w, at),
            spreading.spread(g, w, at, groups * inner),
            kernels.compare(x, g, at, w.shape),
        )
    for a, b in zip(got, want, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-11)


def test_memory_beside_the_results_is_bounded() -> None:
    """No copy of all windows: those of a five by five filter would take 25 times the image."""
    x = tf.constant(np.zeros((16, 64, 64, 16), np.float32))  # 4 MB
    w = tf.constant(np.zeros((5, 5, 16, 16), np.float32))
    for run in (
        lambda: tf.nn.conv2d(x, w, 1, "SAME"),
        lambda: tf.nn.conv2d_transpose(x, w, [16, 64, 64, 16], 1),
        lambda: tf.compat.v1.nn.conv2d_backprop_filter(x, [5, 5, 16, 16], x, 1, "SAME"),
    ):
        tracemalloc.start()
        result = run()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak - result.numpy().nbytes < 32e6


def test_products_have_their_threads_afterwards() -> None:
    """Sharing work leaves NumPy's matrix products as they were, also where it fails."""
    functions = parallel._openblas()
    before = functions[0]() if functions else None

    def fails(items: Any) -> None:
        raise RuntimeError("on purpose")

    with pytest.raises(RuntimeError, match="on purpose"):
        parallel.in_parts(fails, range(4))
    assert (functions[0]() if functions else None) == before
    assert sum(parallel.in_parts(sum, range(10))) == 45


# ---- laws -------------------------------------------------------------------------------------


def test_batch_axes() -> None:
    """Several batch axes are as one."""
    x, w = drawn(2, 3, 4, 5, 2), drawn(2, 2, 2, 3)
    y = tf.nn.conv2d(x, w, 1, "SAME")
    assert y.shape == (2, 3, 4, 5, 3)
    np.testing.assert_allclose(y[1], tf.nn.conv2d(x[1], w, 1, "SAME"))
    v = drawn(2, 3, 6, 2)
    assert tf.nn.conv1d(v, drawn(2, 2, 3), 2, "VALID").shape == (2, 3, 3, 3)
    volume = tf.nn.conv3d(drawn(2, 1, 3, 3, 3, 2), drawn(2, 2, 2, 2, 1), [1] * 5, "SAME")
    assert volume.shape == (2, 1, 3, 3, 3, 1)


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_holes_are_space_in_the_batch(padding: str) -> None:
    """A convolution with holes is one without on what space_to_batch makes of the image."""
    x, w = drawn(1, 6, 7, 2), drawn(3, 2, 2, 3)

    def run(converted: Any, spatial: int, pads: Any) -> Any:
        assert (spatial, pads) == (2, "VALID")
        return tf.nn.conv2d(converted, w, 1, pads)

    want = tf.nn.conv2d(x, w, 1, padding, dilations=2)
    got = tf.nn.with_space_to_batch(x, [2, 2], padding, run, [3, 2])
    np.testing.assert_allclose(got, want, atol=1e-12)
    np.testing.assert_allclose(tf.nn.atrous_conv2d(x, w, 2, padding), want, atol=1e-12)
    np.testing.assert_allclose(
        tf.nn.convolution(x, w, padding=padding, dilations=[2, 2]), want, atol=1e-12
    )


def test_separable() -> None:
    """A separable convolution is a full one with the product of its filters."""
    x, first, then = drawn(1, 4, 4, 2), drawn(2, 3, 2, 2), drawn(1, 1, 4, 3)
    full = np.einsum("hwcm,cmo->hwco", first, then.reshape(2, 2, 3))
    want = np_conv(x, full, 2, "SAME")
    np.testing.assert_allclose(
        tf.nn.separable_conv2d(x, first, then, [1, 2, 2, 1], "SAME"), want, atol=1e-12
    )


def test_transposes() -> None:
    """<conv(x), y> = <x, transpose(y)>, in every number of dimensions and both formats."""
    for spatial in (1, 2, 3):
        x, w = drawn(2, *[5] * spatial, 2), drawn(*[2] * spatial, 2, 3, seed=1)
        y = tf.nn.convolution(x, w, strides=[2] * spatial, padding="SAME")
        u = drawn(*y.shape, seed=2)
        back = tf.nn.conv_transpose(u, w, x.shape, 2)
        np.testing.assert_allclose(np.vdot(y, u), np.vdot(x, back))
        first = ("NCW", "NCHW", "NCDHW")[spatial - 1]
        moved = np.moveaxis(x, -1, 1)
        other = tf.nn.conv_transpose(np.moveaxis(u, -1, 1), w, moved.shape, 2, data_format=first)
        np.testing.assert_allclose(np.moveaxis(other.numpy(), 1, -1), back)


def test_operations_by_their_own_arguments() -> None:
    """tf.conv and the gradients by name."""
    x, w, g = drawn(1, 4, 4, 2), drawn(2, 2, 2, 3), drawn(1, 5, 5, 3)
    pads = [0, 0, 1, 1, 1, 1, 0, 0]
    want = tf.nn.conv2d(x, w, 1, [[0, 0], [1, 1], [1, 1], [0, 0]])
    np.testing.assert_allclose(tf.conv(x, w, ONE, "EXPLICIT", pads), want)
    moved = tf.conv(np.moveaxis(x, 3, 1), w, ONE, "SAME", data_format="CHANNELS_FIRST")
    assert moved.shape == (1, 3, 4, 4)
    assert tf.conv(drawn(2, 1, 4, 4, 2), w, ONE, "SAME", batch_dims=2).shape == (2, 1, 4, 4, 3)
    assert tf.conv(drawn(1, 4, 4, 4), drawn(2, 2, 2, 6), ONE, "SAME", groups=2).shape[-1] == 6
    tx, tw = tf.constant(x), tf.constant(w)
    with tf.GradientTape() as tape:
        tape.watch([tx, tw])
        y = tf.conv(tx, tw, ONE, "EXPLICIT", pads)
    dx, dw = tape.gradient(y, [tx, tw], output_gradients=tf.constant(g))
    how: Any = {"explicit_paddings": pads}
    np.testing.assert_allclose(
        tf.conv2d_backprop_input_v2(x, w, g, ONE, "EXPLICIT", **how), dx, atol=1e-12
    )
    np.testing.assert_allclose(
        tf.conv2d_backprop_filter_v2(x, w, g, ONE, "EXPLICIT", **how), dw, atol=1e-12
    )


def test_integers() -> None:
    """Whole numbers are convolved exactly."""
    x = np.arange(16, dtype=np.int32).reshape(1, 4, 4, 1)
    y = tf.nn.conv2d(x, np.ones((2, 2, 1, 1), np.int32), 1, "VALID")
    assert y.dtype is tf.int32
    assert y[0, 0].numpy().ravel().tolist() == [10, 14, 18]


def test_no_images() -> None:
    """Nothing is seen of no images, and nothing is learned."""
    x, w = tf.zeros([0, 3, 3, 1]), tf.ones([2, 2, 1, 2])
    with tf.GradientTape() as tape:
        tape.watch([x, w])
        y = tf.nn.conv2d(x, w, 1, "SAME")
    dx, dw = tape.gradient(y, [x, w])
    assert y.shape == (0, 3, 3, 2)
    assert dx.shape == (0, 3, 3, 1)
    assert not dw.numpy().any()
    assert tf.nn.conv2d(tf.ones([1, 4, 4, 1]), tf.ones([5, 5, 1, 2]), 1, "VALID").shape[1:3] == (
        0,
        0,
    )


def test_third_order() -> None:
    """The three maps close: derivatives of any order, against differences."""
    x, w = drawn(1, 4, 3, 2), drawn(2, 2, 2, 2)

    def third(x: Any) -> Any:
        v = tf.constant(x)
        y: Any = None
        with tf.GradientTape() as outer:
            outer.watch(v)
            with tf.GradientTape() as inner:
                inner.watch(v)
                y = tf.reduce_sum(tf.nn.conv2d(v, w, 1, "SAME", dilations=2) ** 4)
            g = tf.reduce_sum(inner.gradient(y, v) ** 2)
        return outer.gradient(g, v).numpy(), float(g)

    step, direction = 1e-6, drawn(*x.shape, seed=3)
    change = (third(x + step * direction)[1] - third(x - step * direction)[1]) / (2 * step)
    np.testing.assert_allclose(np.vdot(third(x)[0], direction), change, rtol=1e-6)


# ---- version 1 and messages ---------------------------------------------------------------------


def test_version_1() -> None:
    """Arguments of version 1 under either of their names."""
    v1 = tf.compat.v1.nn
    x, w = drawn(1, 4, 4, 2), drawn(2, 2, 2, 3)
    want = tf.nn.conv2d(x, w, 2, "SAME").numpy()
    for named in ({"filter": w}, {"filters": w}):
        y = v1.conv2d(x, strides=[1, 2, 2, 1], padding="SAME", use_cudnn_on_gpu=False, **named)
        np.testing.assert_array_equal(y, want)
    with pytest.raises(ValueError, match="Cannot specify both 'filter' and 'filters'"):
        v1.conv2d(x, w, filters=w, strides=1, padding="SAME")
    back = v1.conv2d_backprop_input([1, 4, 4, 2], w, want, [1, 2, 2, 1], "SAME")
    np.testing.assert_array_equal(back, tf.nn.conv2d_transpose(want, w, [1, 4, 4, 2], 2))
    np.testing.assert_array_equal(
        v1.convolution(x, w, "VALID", dilation_rate=[2, 2]),
        tf.nn.convolution(x, w, padding="VALID", dilations=[2, 2]),
    )


COMPLAINTS = [
    (lambda: tf.nn.conv2d(tf.ones([1, 4, 4, 3]), tf.ones([2, 2, 2, 2]), 1, "SAME"),
     InvalidArgumentError, "input depth must be evenly divisible by filter depth: 3 vs 2"),
    (lambda: tf.nn.conv2d(tf.ones([1, 4, 4, 4]), tf.ones([2, 2, 2, 3]), 1, "SAME"),
     InvalidArgumentError, "output depth must be evenly divisible by number of groups: 3 vs 2"),
    (lambda: tf.nn.conv2d(tf.ones([1, 4, 4, 3]), tf.ones([2, 3, 2]), 1, "SAME"),
     InvalidArgumentError, "filter must be 4-dimensional"),
    (lambda: tf.nn.conv2d(tf.ones([1, 4, 4, 3]), tf.ones([7, 7, 3, 2]), 1, "VALID"),
     InvalidArgumentError, r"Computed output size would be negative: -2 \[input_size: 4, "
     r"effective_filter_size: 7, stride: 1\]"),
    (lambda: tf.nn.conv2d(tf.ones([1, 4, 4, 3]), tf.ones([2, 2, 3, 2]), 0, "SAME"),
     InvalidArgumentError, "Stride must be > 0, but got 0"),
    (lambda: tf.nn.conv2d(tf.ones([1, 4, 4, 3]), tf.ones([2, 2, 3, 2]), [2, 1, 1, 1], "SAME"),
     InvalidArgumentError, "does not yet support strides in the batch and depth dimensions"),
    (lambda: tf.nn.conv2d(tf.ones([1, 4, 4, 3]), tf.ones([2, 2, 3, 2]), [2, 1, 1], "SAME"),
     ValueError, "strides should be of length 1, 2 or 4"),
    (lambda: tf.nn.conv2d(tf.ones([1, 4, 4, 3]), tf.ones([2, 2, 3, 2]), 1, "SAME", dilations=0),
     InvalidArgumentError, "Dilated rates should be larger than 0"),
    (lambda: tf.nn.conv2d(tf.ones([1, 4, 4, 3]), tf.ones([2, 2, 3, 2]), 1, "FOO"),
     InvalidArgumentError, "Value for attr 'padding' of \"FOO\""),
    (lambda: tf.nn.conv2d(tf.ones([1, 4, 4, 1], tf.int64), tf.ones([1, 1, 1, 1], tf.int64), 1,
                          "SAME"), InvalidArgumentError, "Value for attr 'T' of int64"),
    (lambda: tf.nn.conv1d(tf.ones([1, 4, 3]), tf.ones([2, 3, 2]), 1, "SAME", data_format="FOO"),
     ValueError, "`data_format` must be"),
    (lambda: tf.nn.convolution(tf.ones([1, 4, 4, 3]), tf.ones([2, 2, 3, 2]), [2, 2], "VALID",
                               None, [2, 2]),
     ValueError, "`strides > 1` not supported in conjunction with `dilation_rate > 1`"),
    (lambda: tf.nn.conv2d_transpose(tf.ones([1, 2, 2, 2]), tf.ones([2, 2, 3, 2]), [1, 5, 5, 3], 2),
     InvalidArgumentError, "Conv2DBackpropInput"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "words"), COMPLAINTS, ids=range(len(COMPLAINTS)))
def test_complaints(call: Any, kind: type[Exception], words: str) -> None:
    """TensorFlow's class and first sentence."""
    with pytest.raises(kind, match=words):
        call()
