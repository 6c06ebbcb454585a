"""Segments, scattering and sorting where the table cannot look: ties, gaps, zeros, overlaps, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wengert as tf

INVALID = tf.errors.InvalidArgumentError


def gradient(f: Any, *xs: Any, weights: Any = None) -> list[Any]:
    """The gradients of f, or of <weights, f>."""
    tensors = [tf.constant(x, tf.float64) for x in xs]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        y = f(*tensors)
    out = None if weights is None else tf.constant(weights, tf.float64)
    found = tape.gradient(y, tensors, output_gradients=out)
    return [np.asarray(tf.convert_to_tensor(g)) for g in found]


def hessian(f: Any, x: Any) -> Any:
    """The Jacobian of the gradient of the sum of f."""
    x = tf.constant(x, tf.float64)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(f(x))
        g = tape.gradient(y, x)
    return outer.jacobian(g, x).numpy()


# ---- segments ---------------------------------------------------------------------------------


def test_ties_share_the_gradient() -> None:
    """Equal extremes of a segment get equal parts."""
    ids = [0, 0, 0, 1]
    for f in (tf.math.segment_max, lambda x, i: tf.math.unsorted_segment_max(x, i, 2)):
        (g,) = gradient(lambda x, f=f: f(x, ids), [2.0, 1.0, 2.0, 5.0], weights=[3.0, 1.0])
        assert g.tolist() == [1.5, 0.0, 1.5, 1.0]


def test_empty_segments() -> None:
    """Of nothing the sorted maximum is 0, the unsorted one the lowest number; no NaN anywhere."""
    x = tf.constant([1.0, 2.0], tf.float64)
    for f, empty in (
        (lambda x: tf.math.segment_max(x, [0, 2]), 0.0),
        (lambda x: tf.math.segment_mean(x, [0, 2]), 0.0),
        (lambda x: tf.math.segment_min(x, [0, 2]), 0.0),
        (lambda x: tf.math.unsorted_segment_max(x, [0, 2], 3), np.finfo(float).min),
        (lambda x: tf.math.unsorted_segment_min(x, [0, 2], 3), np.finfo(float).max),
    ):
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as acc:
            y = f(x)
        assert y.numpy().tolist() == [1.0, empty, 2.0]
        assert acc.jvp(y).numpy().tolist() == [1.0, 0.0, 1.0]
        assert gradient(f, x)[0].tolist() == [1.0, 1.0]


def test_products_with_zeros() -> None:
    """The derivative is the product of the others, at second order that of those left over."""
    ids = [0, 1, 0, 0]
    f = lambda x: tf.math.unsorted_segment_prod(x, ids, 2)  # noqa: E731
    x = [2.0, 7.0, 0.0, 3.0]
    assert gradient(f, x)[0].tolist() == [0.0, 1.0, 6.0, 0.0]
    want = np.zeros((4, 4))
    want[0, 2] = want[2, 0] = 3.0
    want[2, 3] = want[3, 2] = 2.0
    assert hessian(f, x).tolist() == want.tolist()
    assert gradient(f, [0.0, 1.0, 0.0, 3.0])[0].tolist() == [0.0, 1.0, 0.0, 0.0]
    assert gradient(lambda x: tf.math.segment_prod(x, [0, 0, 1, 1]), x)[0].tolist() == [
        7.0, 2.0, 3.0, 0.0]  # fmt: skip


def test_dropped_rows() -> None:
    """Rows with a negative index count nowhere."""
    for f in (tf.math.unsorted_segment_prod, tf.math.unsorted_segment_mean):
        y = f([2.0, 3.0, 5.0], [0, -1, 0], 1)
        assert y.numpy().tolist() == [10.0 if f is tf.math.unsorted_segment_prod else 3.5]
        assert gradient(lambda x, f=f: f(x, [0, -1, 0], 1), [2.0, 3.0, 5.0])[0][1] == 0.0


@given(
    rows=st.lists(st.tuples(st.integers(-1, 4), st.integers(-3, 3)), max_size=12),
    width=st.integers(1, 3),
)
@settings(max_examples=60, deadline=None)
def test_segments_agree_with_a_loop(rows: list[tuple[int, int]], width: int) -> None:
    """Sums, products and extremes of random rows are those of a plain loop."""
    ids = np.array([r[0] for r in rows], np.int32)
    x = np.array([[r[1] + k for k in range(width)] for r in rows], float).reshape(-1, width)
    for f, reduce, empty in (
        (tf.math.unsorted_segment_sum, np.sum, 0.0),
        (tf.math.unsorted_segment_prod, np.prod, 1.0),
        (tf.math.unsorted_segment_max, np.max, np.finfo(float).min),
    ):
        got = f(tf.constant(x), tf.constant(ids), 5).numpy()
        for k in range(5):
            chosen = x[ids == k]
            want = reduce(chosen, axis=0) if len(chosen) else np.full(width, empty)
            assert got[k].tolist() == want.tolist()


def test_segment_errors() -> None:
    """TensorFlow's sentences."""
    with pytest.raises(INVALID, match="segment ids are not increasing"):
        tf.math.segment_sum([1.0, 2.0], [1, 0])
    with pytest.raises(INVALID, match="segment ids must be >= 0"):
        tf.math.segment_sum([1.0, 2.0], [-1, 0])
    with pytest.raises(INVALID, match="same size as dimension 0 of input"):
        tf.math.segment_mean([1.0, 2.0], [0])
    with pytest.raises(INVALID, match=r"segment_ids\[1\] = 5 is out of range \[0, 2\)"):
        tf.math.unsorted_segment_max([1.0, 2.0], [0, 5], 2)


# ---- scattering -------------------------------------------------------------------------------


def test_the_last_update_wins() -> None:
    """An update that was overwritten left no trace, and gets no gradient."""
    f = lambda x, u: tf.tensor_scatter_nd_update(x, [[1], [1], [0]], u)  # noqa: E731
    x, u = [1.0, 2.0, 3.0], [10.0, 20.0, 30.0]
    assert f(tf.constant(x), tf.constant(u)).numpy().tolist() == [30.0, 20.0, 3.0]
    gx, gu = gradient(f, x, u, weights=[5.0, 7.0, 9.0])
    assert gx.tolist() == [0.0, 0.0, 9.0]
    assert gu.tolist() == [0.0, 7.0, 5.0]


def test_extremes_share() -> None:
    """Where an update equals the element it met, both get a part."""
    f = lambda x, u: tf.tensor_scatter_nd_max(x, [[0], [1], [1]], u)  # noqa: E731
    gx, gu = gradient(f, [2.0, 1.0], [2.0, 5.0, 5.0], weights=[6.0, 8.0])
    assert gx.tolist() == [3.0, 0.0]
    assert gu.tolist() == [3.0, 4.0, 4.0]


def test_stitching_with_overlaps() -> None:
    """A row that a later one overwrote gets no gradient."""
    f = lambda x, y: tf.dynamic_stitch([[0, 1], [1, 2]], [x, y])  # noqa: E731
    gx, gy = gradient(f, [1.0, 2.0], [3.0, 4.0], weights=[5.0, 7.0, 9.0])
    assert gx.tolist() == [5.0, 0.0]
    assert gy.tolist() == [7.0, 9.0]


def test_partition_and_stitch_are_inverse() -> None:
    """What was dealt out can be put together again; the gradient is the identity."""
    parts = [1, 0, 1, 2]
    places = tf.dynamic_partition(tf.range(4), parts, 4)

    def there_and_back(x: Any) -> Any:
        return tf.dynamic_stitch(places, tf.dynamic_partition(x, parts, 4))

    x = np.arange(8.0).reshape(4, 2)
    assert there_and_back(tf.constant(x)).numpy().tolist() == x.tolist()
    assert gradient(there_and_back, x)[0].tolist() == np.ones((4, 2)).tolist()


def test_slice_assignment() -> None:
    """What is put in broadcasts; what it replaced has no gradient."""
    f = lambda x, v: tf.tensor_strided_slice_update(x, [0, 1], [2, 3], [1, 1], v)  # noqa: E731
    x = np.zeros((3, 3))
    assert f(tf.constant(x), tf.constant(5.0, tf.float64)).numpy().sum() == 20.0
    gx, gv = gradient(f, x, 5.0)
    assert gv == 4.0
    assert gx.tolist() == [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 1.0]]


def test_scatter_errors() -> None:
    """They name what does not fit."""
    with pytest.raises(INVALID, match="does not index into shape"):
        tf.tensor_scatter_nd_add([1.0, 2.0], [[2]], [1.0])
    with pytest.raises(INVALID, match="must match dimensions"):
        tf.tensor_scatter_nd_add([1.0, 2.0], [[0]], [1.0, 2.0])
    with pytest.raises(INVALID, match=r"partitions\[1\] = 7 is not in \[0, 2\)"):
        tf.dynamic_partition([1, 2], [0, 7], 2)


# ---- sorting ----------------------------------------------------------------------------------


def test_top_k_of_equals() -> None:
    """Of equal elements the first is taken, and gets the gradient."""
    values, indices = tf.math.top_k([5.0, 7.0, 7.0, 5.0], 3)
    assert values.numpy().tolist() == [7.0, 7.0, 5.0]
    assert indices.numpy().tolist() == [1, 2, 0]
    (g,) = gradient(lambda x: tf.math.top_k(x, 3).values, [5.0, 7.0, 7.0, 5.0])
    assert g.tolist() == [1.0, 1.0, 1.0, 0.0]


@given(st.integers(1, 3), st.integers(10, 40), st.integers(0, 9999))
@settings(max_examples=40, deadline=None)
def test_few_of_many(k: int, size: int, seed: int) -> None:
    """The shortcut for few of many finds the same as sorting everything, also with many equals."""
    x = np.random.default_rng(seed).integers(0, 4, (2, size)).astype(float)
    values, indices = tf.math.top_k(x, k)
    order = np.argsort(-x, -1, kind="stable")[:, :k]
    assert indices.numpy().tolist() == order.tolist()
    assert values.numpy().tolist() == np.take_along_axis(x, order, -1).tolist()


def test_sorting_whole_numbers() -> None:
    """The lowest number of a dtype has no opposite, and is sorted all the same."""
    x = tf.constant([0, -128, 127, -1], tf.int8)
    assert tf.sort(x, direction="DESCENDING").numpy().tolist() == [127, 0, -1, -128]
    assert tf.sort(tf.constant([3, 0, 255], tf.uint8)).numpy().tolist() == [0, 3, 255]
    assert tf.argsort(x, direction="DESCENDING").numpy().tolist() == [2, 0, 3, 1]


def test_unique_has_a_gradient() -> None:
    """An element that occurs several times is taken from where it occurs first."""
    (g,) = gradient(lambda x: tf.unique(x)[0], [4.0, 5.0, 4.0], weights=[2.0, 3.0])
    assert g.tolist() == [2.0, 3.0, 0.0]


def test_sorting_errors() -> None:
    """What is wanted and what there is."""
    with pytest.raises(INVALID, match=r"at least k columns\. Had 2, needed 3"):
        tf.math.top_k([1.0, 2.0], 3)
    with pytest.raises(ValueError, match="'ASCENDING' or 'DESCENDING'"):
        tf.sort([1.0], direction="up")
    with pytest.raises(INVALID, match="is duplicated in the input"):
        tf.math.invert_permutation([1, 1, 0])


# ---- counting and sequences -------------------------------------------------------------------


def test_bincount_of_rows() -> None:
    """With axis=-1 each row is counted by itself; binary_output says only whether."""
    x = [[1, 1, 0], [2, 2, 2]]
    assert tf.math.bincount(x, axis=-1).numpy().tolist() == [[1, 2, 0], [0, 0, 3]]
    assert tf.math.bincount(x, axis=-1, binary_output=True).numpy().tolist() == [
        [1, 1, 0], [0, 0, 1]]  # fmt: skip
    assert tf.math.bincount([1, 5], maxlength=3).numpy().tolist() == [0, 1, 0]


def test_weights_of_counts_have_gradients() -> None:
    """Each weight counts where its number does; left out numbers give zero."""
    (g,) = gradient(
        lambda w: tf.math.bincount([1, 1, 5], w, maxlength=3), [1.0, 2.0, 3.0], weights=[4.0, 5.0, 6.0]
    )  # fmt: skip
    assert g.tolist() == [5.0, 5.0, 0.0]


def test_lengths() -> None:
    """A sequence may not be longer than its axis."""
    with pytest.raises(INVALID, match=r"seq_lens\(1\) = 4 is not in \[0, 3\]"):
        tf.reverse_sequence(np.zeros((2, 3)), [1, 4], seq_axis=1)
    assert tf.sequence_mask([[1], [2]], 2, tf.float32).numpy().tolist() == [
        [[1.0, 0.0]], [[1.0, 1.0]]]  # fmt: skip
    assert tf.sequence_mask([], dtype=tf.int32).shape == [0, 0]
    assert tf.sequence_mask([1], tf.compat.v1.Dimension(2)).numpy().tolist() == [[True, False]]
    assert tf.sequence_mask(tf.constant([1.0, 2.9]), 3, tf.int32).numpy().tolist() == [
        [1, 0, 0],
        [1, 1, 0],
    ]


def test_repeats() -> None:
    """One number for all, or one for each; along no axis the tensor is flattened."""
    assert tf.repeat([[1, 2], [3, 4]], 2).numpy().tolist() == [1, 1, 2, 2, 3, 3, 4, 4]
    assert tf.repeat(7, 3).numpy().tolist() == [7, 7, 7]
    with pytest.raises(INVALID, match="Expected `repeats` to be a number or 2 numbers"):
        tf.repeat([1, 2], [1, 2, 3])
