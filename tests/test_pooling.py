"""Pooling and its kin: what the table of samples cannot say."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from table_convolution import np_avg_pool, np_max_pool

import wengert as tf
from wengert.errors import InvalidArgumentError
from wengert.ops.nn.pool import kernels


def gradient(f: Any, x: Any) -> Any:
    v = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(v)
        y = f(v)
    return tape.gradient(y, v).numpy()


def row(*values: float) -> Any:
    """An image of one row with one channel."""
    return np.array(values, np.float64).reshape(1, 1, -1, 1)


# ---- maxima -----------------------------------------------------------------------------------


def test_a_tie_counts_once_where_it_comes_first() -> None:
    """The first maximum of each window gets the gradient; it is never counted twice."""
    equal = np.ones((1, 3, 3, 1))
    for pool in (
        lambda x: tf.nn.max_pool2d(x, 2, 1, "SAME"),
        lambda x: tf.nn.max_pool_with_argmax(x, 2, 1, "SAME")[0],
        lambda x: tf.nn.max_pool3d(x[tf.newaxis], [1, 2, 2], 1, "SAME"),
    ):
        assert gradient(pool, equal).ravel().tolist() == [1.0] * 9
    got = gradient(lambda x: tf.nn.max_pool2d(x, [1, 3], [1, 1], "VALID"), row(5, 5, 1, 5, 5))
    assert got.ravel().tolist() == [1.0, 1.0, 0.0, 1.0, 0.0]


def test_nan_is_the_maximum() -> None:
    """A window with a NaN has no other maximum, and its gradient goes there."""
    x = row(np.nan, 1, 2, np.nan, 3, 4)
    y = tf.nn.max_pool2d(x, [1, 2], [1, 2], "VALID").numpy().ravel()
    np.testing.assert_array_equal(y, [np.nan, np.nan, 4.0])
    got = gradient(lambda v: tf.nn.max_pool2d(v, [1, 2], [1, 2], "VALID"), x)
    assert got.ravel().tolist() == [1.0, 0.0, 0.0, 1.0, 0.0, 1.0]


def test_nothing_is_larger_than_minus_infinity() -> None:
    """What was padded is no maximum, not even of elements that are -inf."""
    x = row(-np.inf, -np.inf, -np.inf)
    assert tf.nn.max_pool2d(x, [1, 2], [1, 2], "SAME").numpy().ravel().tolist() == [-np.inf] * 2
    got = gradient(lambda v: tf.nn.max_pool2d(v, [1, 2], [1, 2], "SAME"), x)
    assert got.ravel().tolist() == [1.0, 0.0, 1.0]


def test_an_infinite_cotangent_stays_where_it_belongs() -> None:
    """No infinity times zero beside it."""
    x = tf.constant(row(1, 2, 3, 4))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.max_pool2d(x, [1, 2], [1, 2], "VALID")
    g = tape.gradient(y, x, output_gradients=tf.constant(row(np.inf, 1)))
    assert g.numpy().ravel().tolist() == [0.0, np.inf, 0.0, 1.0]


def test_places() -> None:
    """Places count channels, columns and rows, and images if asked."""
    x = np.arange(64.0).reshape(2, 4, 4, 2)
    places = tf.nn.max_pool_with_argmax(x, 2, 2, "SAME").argmax
    assert places.dtype is tf.int64
    assert places[1, 0].numpy().tolist() == [[10, 11], [14, 15]]
    all_places = tf.nn.max_pool_with_argmax(
        x, 2, 2, "SAME", output_dtype=tf.int32, include_batch_in_index=True
    ).argmax
    assert all_places.dtype is tf.int32
    assert all_places[1, 0].numpy().tolist() == [[42, 43], [46, 47]]


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.int64])
def test_maxima_of_integers(kind: Any) -> None:
    """Also where padding surrounds the smallest numbers."""
    low = np.iinfo(kind).min
    x = np.array([low, low, 3], kind).reshape(1, 1, 3, 1)
    assert tf.nn.max_pool2d(x, [1, 2], 1, "SAME").numpy().ravel().tolist() == [low, 3, 3]


def test_maxima_over_channels() -> None:
    """A window may extend over the channels."""
    x = np.arange(8.0).reshape(1, 1, 2, 4)
    y = tf.nn.max_pool(x, [1, 1, 1, 2], [1, 1, 1, 2], "VALID")
    assert y.numpy().ravel().tolist() == [1.0, 3.0, 5.0, 7.0]


def test_large_inputs_are_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """In parts, results are what they are in one."""
    monkeypatch.setattr(kernels, "WORTH_SHARING", 10)
    monkeypatch.setattr(kernels, "IN_CACHE", 100)
    x = np.random.default_rng(0).integers(0, 4, (7, 5, 6, 2)).astype(float)
    shared = gradient(lambda v: tf.nn.max_pool2d(v, 3, 2, "SAME") ** 2, x)
    alone = [gradient(lambda v: tf.nn.max_pool2d(v, 3, 2, "SAME") ** 2, one[None]) for one in x]
    np.testing.assert_array_equal(shared, np.concatenate(alone))


# ---- any windows ------------------------------------------------------------------------------

numbers = st.integers(1, 4)


@settings(max_examples=40, deadline=None)
@given(st.tuples(numbers, numbers), st.tuples(numbers, numbers), st.tuples(numbers, numbers),
       st.sampled_from(["SAME", "VALID"]))  # fmt: skip
@example((1, 4), (2, 2), (1, 3), "SAME")  # an element that is in no window
def test_any_windows(
    size: tuple[int, int], ksize: tuple[int, int], strides: tuple[int, int], padding: str
) -> None:
    """Maxima and means of any size, step and padding; the gradients add up to the windows."""
    if padding == "VALID" and any(k > n for k, n in zip(ksize, size, strict=True)):
        return
    x = np.random.default_rng(1).permutation(2 * size[0] * size[1]).reshape(2, *size, 1) + 0.5
    for pool, reference in ((tf.nn.max_pool2d, np_max_pool), (tf.nn.avg_pool2d, np_avg_pool)):
        y = pool(x, ksize, strides, padding)
        np.testing.assert_allclose(y, reference(x, ksize, strides, padding))
        g = gradient(lambda v, run=pool: run(v, ksize, strides, padding), x)
        np.testing.assert_allclose(g.sum(), y.numpy().size)


@pytest.mark.parametrize("kind", ["MAX", "AVG"])
def test_pool_with_holes(kind: str) -> None:
    """Each window has holes; the stride is one."""
    x = np.random.default_rng(2).standard_normal((2, 5, 6, 3))
    join = np.maximum if kind == "MAX" else lambda a, b: (a + b) / 2
    want = join(x[:, :, :-3], x[:, :, 3:])
    np.testing.assert_allclose(tf.nn.pool(x, [1, 2], kind, dilations=[1, 3]), want)
    moved = tf.nn.pool(np.moveaxis(x, 3, 1), [1, 2], kind, dilations=[1, 3], data_format="NCHW")
    np.testing.assert_allclose(moved, np.moveaxis(want, 3, 1))


def test_no_images() -> None:
    """No images have no maxima."""
    x = tf.zeros([0, 4, 4, 1])
    assert tf.nn.max_pool2d(x, 2, 2, "SAME").shape == (0, 2, 2, 1)
    assert gradient(lambda v: tf.nn.avg_pool2d(v, 2, 2, "SAME"), x).shape == (0, 4, 4, 1)


# ---- fractional pooling -------------------------------------------------------------------------


@pytest.mark.parametrize("pseudo_random", [True, False])
def test_regions_obey_their_law(pseudo_random: bool) -> None:
    """Steps of two sizes from 0 to the end; all orders occur where chance decides."""
    x = tf.zeros([1, 7, 9, 1])
    seen: Counter[tuple[int, ...]] = Counter()
    for _ in range(120):
        y, rows, cols = tf.nn.fractional_max_pool(x, [1.0, 1.7, 1.3, 1.0], pseudo_random)
        assert y.shape == (1, 4, 6, 1)
        for found, size in ((rows, 7), (cols, 9)):
            assert [found[0], found[-1]] == [0, size]
            assert set(np.diff(found)) == {1, 2}
        seen[tuple(rows.numpy().tolist())] += 1
    assert len(seen) == 4
    assert min(seen.values()) > 5


def test_regions_with_a_seed_are_the_same() -> None:
    """The seed fixes them; another seed has others."""
    x = tf.zeros([1, 40, 40, 1])
    regions = [tf.nn.fractional_avg_pool(x, 1.5, seed=s)[1].numpy().tolist() for s in (3, 3, 4)]
    assert regions[0] == regions[1] != regions[2]


def test_overlapping_regions_share_their_boundaries() -> None:
    """An element on a boundary counts on both sides."""
    x = tf.constant(row(20, 5, 16, 3, 7))
    y, _, cols = tf.nn.fractional_max_pool(x, [1.0, 1.0, 2.4, 1.0], overlapping=True, seed=1)
    want = [float(np.max(x[0, 0, a : b + 1])) for a, b in itertools.pairwise(cols)]
    assert y.numpy().ravel().tolist() == want


# ---- the rest ---------------------------------------------------------------------------------


def test_dilation_of_ties() -> None:
    """The first maximum of each window gets the gradient, in the input and in the filter."""
    x, w = np.ones((1, 3, 3, 1)), np.zeros((2, 2, 1))
    ones = [1, 1, 1, 1]
    of_x = gradient(lambda v: tf.nn.dilation2d(v, w, ones, "SAME", "NHWC", ones), x)
    of_w = gradient(lambda v: tf.nn.dilation2d(x, v, ones, "SAME", "NHWC", ones), w)
    assert of_x.ravel().tolist() == [1.0] * 9
    assert of_w.ravel().tolist() == [9.0, 0.0, 0.0, 0.0]


def test_rearranging_is_undone() -> None:
    """Space to depth and to the batch, and back."""
    x = tf.reshape(tf.range(48), [1, 4, 6, 2])
    there = tf.nn.space_to_depth(x, 2)
    assert tf.reduce_all(tf.nn.depth_to_space(there, 2) == x)
    pads, crops = tf.required_space_to_batch_paddings([4, 6], [3, 4])
    apart = tf.space_to_batch(x, [3, 4], pads)
    assert apart.shape == (12, 2, 2, 2)
    assert tf.reduce_all(tf.batch_to_space(apart, [3, 4], crops) == x)
    again = tf.compat.v1.batch_to_space(
        tf.compat.v1.space_to_batch(x, [[0, 0]] * 2, 2), [[0, 0]] * 2, 2
    )
    assert tf.reduce_all(again == x)


@pytest.mark.parametrize("kind", ["NHWC", "NCHW", "N...C", "NC..."])
def test_bias_formats(kind: str) -> None:
    """The channels are at the end, or behind the batch."""
    x = np.zeros((2, 3, 3))
    y = tf.nn.bias_add(x, [1.0, 2.0, 3.0], kind).numpy()
    assert y[0].tolist() == ([[1, 2, 3]] * 3 if kind.endswith("C") else [[1] * 3, [2] * 3, [3] * 3])


COMPLAINTS = [
    (lambda x: tf.nn.max_pool2d(x, 0, 1, "SAME"), "Sliding window ksize must be positive"),
    (lambda x: tf.nn.max_pool2d(x, 2, 0, "SAME"), "Stride must be > 0"),
    (lambda x: tf.nn.max_pool2d(x, 6, 1, "VALID"), "Computed output size would be negative: -1"),
    (lambda x: tf.nn.max_pool2d(x[0], 2, 1, "VALID"), "Input must be 4-dimensional"),
    (lambda x: tf.nn.max_pool(x, [2, 1, 1, 1], [1, 1, 1, 1], "VALID"),
     "Pooling is not yet supported on the batch dimension"),
    (lambda x: tf.nn.max_pool(x, 2, 1, [[0, 0], [3, 0], [0, 1], [0, 0]]),
     "needs to be smaller than the window size 2"),
    (lambda x: tf.nn.avg_pool(tf.cast(x, tf.int32), 2, 1, "SAME"), "Value for attr 'T' of int32"),
    (lambda x: tf.nn.bias_add(x, tf.ones([2])),
     "Must provide as many biases as the last dimension of the input tensor"),
    (lambda x: tf.nn.bias_add(x, tf.ones([3, 1])), "Biases must be 1D"),
    (lambda x: tf.nn.depth_to_space(x, 2), "Input depth dimension 3 should be divisible by: 4"),
    (lambda x: tf.nn.space_to_depth(x, 3), "should be divisible by block_size: 3"),
    (lambda x: tf.space_to_batch(x, [3, 2], [[0, 0], [0, 0]]), "is not divisible by block_shape"),
    (lambda x: tf.space_to_batch(x, [2, 2], [[0, 0]]), "paddings should have shape"),
    (lambda x: tf.batch_to_space(x, [2, 2], [[0, 0], [0, 0]]),
     "is not divisible by product of block sizes"),
    (lambda x: tf.nn.lrn(x[0]), "in must be 4-dimensional"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "words"), COMPLAINTS, ids=range(len(COMPLAINTS)))
def test_complaints(call: Any, words: str) -> None:
    """TensorFlow's first sentence."""
    with pytest.raises(InvalidArgumentError, match=words):
        call(tf.ones([1, 4, 4, 3]))


def test_complaints_about_values() -> None:
    """What TensorFlow's Python code refuses."""
    x = tf.ones([1, 4, 4, 3])
    for call, words in (
        (lambda: tf.nn.pool(x, [2, 2], "FOO"), "2-D FOO pooling is not supported"),
        (lambda: tf.nn.max_pool(x[0, 0], 2, 1, "SAME"), "must be 3, 4 or 5"),
        (lambda: tf.nn.fractional_max_pool(x, [1.0, 0.5, 1.5, 1.0]), "should be >= 1.0"),
        (lambda: tf.nn.fractional_max_pool(x, [2.0, 1.5, 1.5, 1.0]), "first and last elements"),
        (lambda: tf.nn.bias_add(x, [1.0, 2.0, 3.0], "FOO"), "`data_format` must be of the form"),
    ):
        with pytest.raises(ValueError, match=words):
            call()


@pytest.mark.parametrize("two", [2.0, np.float64(2.0), np.float32(2.5)])
def test_windows_whose_sizes_are_floats(two: Any) -> None:
    """As `size / 2` gives them; their fractions are left out."""
    x = tf.reshape(tf.range(36.0), [1, 6, 6, 1])
    ones = tf.ones([2, 2, 1, 1])
    for window, step in ((two, two), ([1, two, two, 1], [1, two, 2, 1])):
        pooled = tf.nn.max_pool2d(x, window, step, "VALID")
        np.testing.assert_array_equal(pooled, tf.nn.max_pool2d(x, 2, 2, "VALID"))
        convolved = tf.nn.conv2d(x, ones, step, "VALID")
        np.testing.assert_array_equal(convolved, tf.nn.conv2d(x, ones, 2, "VALID"))
    given = [1, two, two, 1]
    patches = tf.image.extract_patches(x, given, given, [1, 1, 1, 1], "VALID")
    np.testing.assert_array_equal(tf.reduce_max(patches, -1, keepdims=True), pooled)
