"""Batching rules: which operations have one, and what they do with odd indices and shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from batched_cases import batch_choices, mapped, named
from numeric import arrays, assert_same, tensors
from samples import Case
from test_optable import Heard

import wengert as tf
from wengert.cli.ops import batching_rule
from wengert.core.context import also_listening
from wengert.core.table import TABLE, complete
from wengert.errors import InvalidArgumentError

# The most used operations, as TensorFlow's programs have them, by family.
MOST_USED = """
Identity StopGradient Cast Shape Size ZerosLike OnesLike
Reshape Transpose ExpandDims Squeeze BroadcastTo Tile StridedSlice Slice Pad PadV2 ReverseV2 Roll
ConcatV2 Pack Unpack Split SplitV GatherV2 GatherNd ScatterNd TensorScatterUpdate OneHot SelectV2
Sum Mean Prod Max Min All Any ArgMax ArgMin EuclideanNorm Cumsum Cumprod TopKV2 UnsortedSegmentSum
SegmentSum SegmentMean
Neg Square Sqrt Rsqrt Reciprocal Sign Abs Exp Expm1 Log Log1p Sin Cos Tan Tanh Sigmoid Erf
Floor Ceil Round IsNan IsFinite LogicalNot LogicalAnd LogicalOr
Less LessEqual Greater GreaterEqual Equal NotEqual
AddV2 AddN Sub Mul RealDiv DivNoNan FloorDiv FloorMod Pow Maximum Minimum SquaredDifference
ClipByValue Real Imag Complex Conj FFT IFFT RFFT
MatMul BatchMatMulV2 Einsum MatrixDiagV3 MatrixDiagPartV3 MatrixBandPart Cholesky MatrixSolve
MatrixTriangularSolve MatrixInverse SelfAdjointEigV2 Svd Qr
Relu Relu6 Elu Selu LeakyRelu Softplus Softmax LogSoftmax SparseSoftmaxCrossEntropyWithLogits
BiasAdd BiasAddGrad L2Loss Conv2D Conv2DBackpropInput Conv2DBackpropFilter DepthwiseConv2dNative
MaxPool MaxPoolGrad AvgPool AvgPoolGrad FusedBatchNormV3 FusedBatchNormGradV3 ResizeBilinear
RandomUniform RandomStandardNormal
"""
# Cases in which a rule leaves its examples to run one after the other: indices of their own, so that
# the results may have different sizes.
APART = {
    "DynamicPartition": {"all", 0},
    "DynamicStitch": {"all", 1, 2},
}
# How many rows an example has follows from its values, and nobody knows them where there is none.
BY_VALUES = {
    "SegmentSum", "SegmentProd", "SegmentMin", "SegmentMax", "SegmentMean", "SegmentRows",
    "SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN", "DynamicPartition", "DynamicStitch",
}  # fmt: skip


def test_few_operations_run_once_for_each_example() -> None:
    """At most one in fifty of those with a derivative, lists apart; none of the most used ones.

    A list has elements of its own, so that most of what is done to lists is done example by example,
    and all that is done to the lists that are maps.
    """
    complete()
    own = [row for row in TABLE.values() if row.differentiable and not row.users]
    loops = [row.name for row in own if batching_rule(row) == "one by one"]
    lists = [name for name in loops if name.startswith("TensorList")]
    maps = [name for name in loops if "TensorMap" in name]
    assert len(loops) - len(lists) - len(maps) <= 0.02 * len(own), loops
    assert len(lists) <= 17
    assert len(maps) <= 7
    used = MOST_USED.split()
    assert len(used) == len(set(used)) >= 100
    assert [n for n in used if batching_rule(TABLE[n]) == "one by one"] == []


# ---- every rule ---------------------------------------------------------------------------------


def one_of_each() -> list[Any]:
    """For each operation with a rule its first case, with each choice of what is batched."""
    complete()
    found: dict[Any, Any] = {}
    for case, kind in batch_choices():
        row = TABLE.get(case.line.type)
        if row is not None and row.batch is not None:
            found.setdefault((row.name, kind), (case, kind))
    return list(found.values())


@named([(c, k) for c, k in one_of_each() if k not in APART.get(c.line.type, ())])
def test_as_many_operations_for_any_number_of_examples(case: Case, kind: Any) -> None:
    one, xs, _ = mapped(case, kind)
    counts = []
    for size in (2, 3):
        heard: Any = Heard()
        with also_listening(heard):
            tf.vectorized_map(one, tuple(tensors([x[:size] for x in xs])))
        counts.append(len(heard.names))
    assert counts[0] == counts[1]


@named(one_of_each())
def test_a_batch_of_batches(case: Case, kind: Any) -> None:
    one, xs, want = mapped(case, kind)
    twice = [np.stack([x, x[::-1]]) for x in xs]
    got = tf.vectorized_map(lambda rows: tf.vectorized_map(one, rows), tuple(tensors(twice)))
    assert_same(arrays(got), [np.stack([w, w[::-1]]) for w in want], 1e-12)


@named(one_of_each())
def test_in_a_function(case: Case, kind: Any) -> None:
    """While a graph is built, with sizes that are known, and with an unknown number of examples."""
    one, xs, want = mapped(case, kind)
    for known in (True, False):
        shapes = [x.shape if known else (None, *x.shape[1:]) for x in xs]
        specs = [tf.TensorSpec(s, x.dtype) for s, x in zip(shapes, xs, strict=True)]
        traced = tf.function(lambda *xs: tf.vectorized_map(one, xs), input_signature=specs)
        assert_same(arrays(traced(*tensors(xs))), want, 1e-12)


@named(one_of_each())
def test_no_examples(case: Case, kind: Any) -> None:
    """Where it is known that there are none, and where only a run knows."""
    one, xs, want = mapped(case, kind)
    none = [x[:0] for x in xs]
    specs = [tf.TensorSpec((None, *x.shape[1:]), x.dtype) for x in xs]
    f: Any = lambda *xs: tf.vectorized_map(one, xs)  # noqa: E731
    for way in (f, tf.function(f), tf.function(f, input_signature=specs)):
        got = arrays(way(*tensors(none)))
        assert [(y.dtype, y.ndim, y.size) for y in got] == [(w.dtype, w.ndim, 0) for w in want]
        if case.line.type not in BY_VALUES:
            assert [y.shape for y in got] == [(0, *w.shape[1:]) for w in want]


# ---- indices of each example --------------------------------------------------------------------

X = tf.constant(np.arange(24.0).reshape(2, 4, 3))


@pytest.mark.parametrize(
    ("f", "ids"),
    [
        (lambda x, i: tf.math.unsorted_segment_sum(x, i, 3), [[0, 1, 3, 0], [0, 1, 2, 2]]),
        (lambda x, i: tf.math.unsorted_segment_max(x, i, 3), [[0, 1, 2, 0], [0, 1, 3, 2]]),
        (lambda x, i: tf.math.segment_sum(x, i), [[0, 0, 1, 1], [-1, 0, 1, 1]]),
        (lambda x, i: tf.sparse.segment_sum(x, i, [0, 0, 1, 1]), [[0, 1, 4, 0], [0, 1, 2, 2]]),
        (lambda x, i: tf.sparse.segment_sum(x, i, [0, 0, 1, 1]), [[0, 1, 2, 0], [0, -1, 2, 2]]),
        (lambda x, i: tf.sparse.segment_sum(x, [0, 1, 2, 3], i, num_segments=2),
         [[0, 0, 1, 2], [0, 0, 1, 1]]),
        (lambda x, i: tf.gather_nd(x, i[:, None]), [[0, 1, 4, 0], [0, 1, 2, 2]]),
        (lambda x, i: tf.tensor_scatter_nd_add(x, i[:, None], x), [[0, 1, 4, 0], [0, 1, 2, 2]]),
        (lambda x, i: tf.scatter_nd(i[:, None], x, [4, 3]), [[0, 1, 2, 0], [0, 1, -1, 2]]),
    ],
)  # fmt: skip
def test_an_index_does_not_reach_into_another_example(f: Any, ids: Any) -> None:
    with pytest.raises(InvalidArgumentError):
        tf.vectorized_map(lambda e: f(*e), (X, tf.constant(ids)))


def test_a_box_does_not_show_an_image_of_another_example() -> None:
    images, boxes = tf.ones([2, 1, 3, 3, 1]), tf.constant([[[0.0, 0.0, 1.0, 1.0]]] * 2)
    crop = lambda e: tf.image.crop_and_resize(e[0], e[1], e[2], [2, 2])  # noqa: E731
    with pytest.raises(tf.errors.OutOfRangeError):
        tf.vectorized_map(crop, (images, boxes, tf.constant([[1], [0]])))


def test_a_block_of_a_sparse_matrix_ends_where_the_next_begins() -> None:
    def product(e: Any) -> Any:
        return tf.sparse.sparse_dense_matmul(tf.SparseTensor(e[0], [1.0], [2, 2]), e[1])

    places = tf.constant([[[0, 2]], [[0, 1]]], tf.int64)
    with pytest.raises(InvalidArgumentError):
        tf.vectorized_map(product, (places, tf.ones([2, 2, 1])))


def test_rows_with_a_negative_index_are_dropped_from_each_example() -> None:
    f = lambda e: tf.math.unsorted_segment_sum(e[0], e[1], 2)  # noqa: E731
    ids = tf.constant([[0, -1, 1, 1], [-1, -1, 0, 1]], tf.int32)
    got = tf.vectorized_map(f, (X, ids)).numpy()
    assert got.tolist() == [[[0, 1, 2], [15, 17, 19]], [[18, 19, 20], [21, 22, 23]]]


def test_examples_with_different_numbers_of_segments() -> None:
    ids = tf.constant([[0, 0, 1, 1], [0, 1, 1, 2]])
    with pytest.raises(InvalidArgumentError, match=r"different numbers of segments: \[2, 3\]"):
        tf.vectorized_map(lambda e: tf.math.segment_sum(e[0], e[1]), (X, ids))
    again = tf.function(lambda ids: tf.vectorized_map(lambda e: tf.math.segment_sum(*e), (X, ids)))
    with pytest.raises(InvalidArgumentError):
        again(ids)


def test_no_coordinates_with_batch_dimensions() -> None:
    """They name the whole of each batch entry."""
    x, none = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.zeros([2, 3, 0], tf.int32)
    got = tf.gather_nd(x, none, batch_dims=1)
    assert got.numpy().tolist() == [[[1, 2]] * 3, [[3, 4]] * 3]
    with tf.GradientTape() as tape:
        tape.watch(x)
        total = tf.reduce_sum(tf.gather_nd(x, none, batch_dims=1) * tf.constant([1.0, 10.0]))
    assert tape.gradient(total, x).numpy().tolist() == [[3.0, 30.0], [3.0, 30.0]]


# ---- others ---------------------------------------------------------------------------------------


def test_pooling_indices_within_the_batch_of_an_example() -> None:
    x = tf.random.stateless_normal([3, 2, 4, 4, 2], [1, 2])

    def pooled(image: Any) -> Any:
        return tf.nn.max_pool_with_argmax(image, 2, 2, "VALID", include_batch_in_index=True)

    def slope(image: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(image)
            y = tf.reduce_sum(pooled(image)[0] ** 2)
        return tape.gradient(y, image)

    for f in (pooled, slope):
        one_by_one = [
            np.stack(part) for part in zip(*[_listed(f(image)) for image in x], strict=True)
        ]
        for got, want in zip(_listed(tf.vectorized_map(f, x)), one_by_one, strict=True):
            np.testing.assert_array_equal(got, want)


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, tuple) else [value]


def test_half_precision_is_summed_in_more() -> None:
    x = tf.constant([[300.0, 0.0], [1.0, 1.0]], tf.float16)
    got = tf.vectorized_map(tf.nn.l2_loss, x)
    assert got.dtype is tf.float16
    assert got.numpy().tolist() == [tf.nn.l2_loss(row).numpy() for row in x]


def test_lists_of_a_loop_in_a_batch_take_as_many_operations_for_any_number_of_examples() -> None:
    """The elements of the lists have the examples in front."""
    folded = lambda x: tf.scan(lambda c, r: tf.sin(r * c), x)  # noqa: E731

    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = folded(x)
        return tape.gradient(y, x)

    counts = []
    for size in (2, 5):
        traced = tf.function(lambda x: tf.vectorized_map(slope, x))
        x = tf.random.stateless_normal([size, 4], [1, size], dtype=tf.float64)
        np.testing.assert_allclose(traced(x), np.stack([slope(row) for row in x]), rtol=1e-12)
        counts.append(len(traced.get_concrete_function(x).graph.get_operations()))
    assert counts[0] == counts[1]


def test_random_samples_differ_between_examples() -> None:
    shape = tf.constant([[2.0, 3.0]] * 4)
    drawn = tf.vectorized_map(lambda a: tf.random.gamma([5], a), shape)
    assert drawn.shape == (4, 5, 2)
    alike = tf.vectorized_map(lambda a: tf.random.gamma([5], 2.0) + 0.0 * a[0], shape)
    assert alike.shape == (4, 5)
    assert len(set(drawn.numpy().ravel().tolist() + alike.numpy().ravel().tolist())) == 60
