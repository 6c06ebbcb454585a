"""Arguments of unusual kinds: what TensorFlow makes of them, or an error that names the call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert

tf: Any = wengert  # TensorFlow takes what the types of parameters leave out
MATRIX = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
IMAGE = np.linspace(0.0, 1.0, 48).reshape(1, 4, 4, 3)


def gradient(function: Callable[[Any], Any], x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


# ---- errors ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (
            lambda: tf.concat([MATRIX, MATRIX], axis=[0]),
            TypeError,
            r"in concat\(values=.*axis=\[0\]",
        ),
        (lambda: tf.nn.crelu(MATRIX, axis=[0]), TypeError, r"in crelu\(features=float32\[2,3\]"),
        (lambda: tf.reduce_sum(MATRIX, axis="a"), TypeError, r"in reduce_sum\(.*axis='a'"),
        (lambda: tf.reshape(MATRIX, [1.5]), TypeError, r"in reshape\(.*shape=\[1.5\]"),
        (lambda: tf.stack([MATRIX, MATRIX], 1.0), TypeError, r"in stack\(.*axis=1.0"),
        (lambda: tf.tensordot(MATRIX, MATRIX, [0, -7]), ValueError, r"in tensordot\(.*\[0, -7\]"),
        (lambda: tf.range(2**40), MemoryError, r"in range\(start=1099511627776"),
        (lambda: tf.nn.max_pool2d(IMAGE, "a", 1, "SAME"), ValueError, r"in max_pool2d\(.*'a'"),
        (
            tf.function(lambda: tf.concat([MATRIX, MATRIX], axis=[0])),
            TypeError,
            r"in concat\(values=",
        ),
    ],
)
def test_what_python_says_deep_inside_is_told_with_the_call(
    call: Callable[[], Any], kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        call()


def test_an_empty_name_is_none() -> None:
    for function in (tf.saturate_cast, tf.cast):
        named = tf.function(lambda x, function=function: function(x, tf.int32, name=""))
        assert named(MATRIX).dtype is tf.int32


def test_what_cannot_be_is_said_in_words() -> None:
    rows = tf.ragged.constant([[1.0, 2.0], []])
    with pytest.raises(ValueError, match="which has no ragged rows"):
        tf.broadcast_to(rows, [2, 3])
    with pytest.raises(TypeError, match="The name of an operation is a text, got 3"):
        tf.function(lambda x: tf.nn.selu(x, name=3))(MATRIX)


def test_errors_of_the_users_code_are_left_alone() -> None:
    def key(_: Any) -> Any:
        nothing: dict[str, Any] = {}
        return nothing["a"]

    with pytest.raises(KeyError) as caught:
        tf.map_fn(key, MATRIX)
    assert caught.value.args == ("a",)


def test_a_call_without_an_argument_is_told_as_python_tells_it() -> None:
    with pytest.raises(TypeError, match=r"missing 1 required positional argument: 'shape'$"):
        tf.reshape(MATRIX)


# ---- dtypes ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "filled",
    [
        lambda value, constant: tf.pad(value, [[0, 1], [0, 1]], constant_values=constant)[1:, 2:],
        lambda value, constant: tf.linalg.diag(value, padding_value=constant)[0, :1, 1:],
        lambda value, constant: tf.linalg.diag_part(value, k=(-1, 0), padding_value=constant)[
            1, 1:
        ],
    ],
)
def test_plain_values_take_the_dtype_of_the_tensor_beside_them(filled: Callable[..., Any]) -> None:
    for plain in ([[1, 2], [3, 4]], np.ones((2, 2))):
        result = filled(plain, tf.constant(0.5))
        assert result.dtype is tf.float32
        np.testing.assert_array_equal(np.ravel(result), 0.5)
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected to be a int32 tensor"):
        filled(tf.constant([[1, 2], [3, 4]]), tf.constant(0.5))


def test_booleans_are_padded_with_a_tensor() -> None:
    padded = tf.linalg.diag([True, False], padding_value=tf.constant(True))
    assert padded.numpy().tolist() == [[True, True], [True, False]]


@pytest.mark.parametrize(
    "function",
    [
        lambda x: tf.nn.max_pool(x, 2, 2, "SAME"),
        tf.image.rgb_to_hsv,
        tf.image.hsv_to_rgb,
        tf.nn.local_response_normalization,
        tf.quantization.fake_quant_with_min_max_args,
    ],
)
def test_operations_with_a_default_dtype_convert_arrays_to_it(function: Callable[..., Any]) -> None:
    for plain in (IMAGE, np.round(IMAGE).astype(int).tolist()):
        assert function(plain).dtype is tf.float32
    assert function(tf.constant(IMAGE)).dtype is tf.float64


def test_what_stands_beside_a_tensor_is_cast_to_its_dtype() -> None:
    half = tf.cast(MATRIX, tf.float16)
    assert tf.nn.silu(half, tf.constant(0.5)).dtype is tf.float16
    assert tf.nn.silu(MATRIX, tf.constant(2)).dtype is tf.float32
    assert tf.clip_by_norm(half, tf.constant(0.5)).dtype is tf.float16
    mean, variance = tf.nn.weighted_moments(half, [0], tf.constant([[1.0], [2.0]]))
    assert mean.dtype is variance.dtype is tf.float16
    np.testing.assert_allclose(mean, [3.0, 4.0, 5.0])


def test_none_is_the_default_of_a_dtype() -> None:
    assert tf.argmax(MATRIX, 1, output_type=None).dtype is tf.int64
    assert tf.math.top_k(MATRIX, index_type=None).indices.dtype is tf.int32
    assert tf.unique([1, 1, 2], out_idx=None).idx.dtype is tf.int32
    assert tf.searchsorted([1.0, 2.0], [1.5], out_type=None).dtype is tf.int32


def test_losses_of_integers_are_averaged_as_floats() -> None:
    assert tf.nn.compute_average_loss(tf.constant([1, 2])).numpy() == 1.5
    assert tf.nn.compute_average_loss(tf.zeros([0])).numpy() == 0.0
    assert tf.nn.scale_regularization_loss(tf.constant(3)).dtype is tf.float64


def test_sizes_are_counted_in_floats_too() -> None:
    assert tf.size(MATRIX, out_type=tf.float16).dtype is tf.float16


def test_strings_are_zeroed_to_empty_ones() -> None:
    texts = tf.constant(["a", "b"])
    assert tf.zeros_like(texts).numpy().tolist() == [b"", b""]
    assert tf.function(tf.zeros_like)(texts).numpy().tolist() == [b"", b""]
    assert tf.zeros_like(MATRIX[0], tf.string).numpy().tolist() == [b"", b"", b""]


# ---- values and gradients ----------------------------------------------------------------------


@pytest.mark.parametrize("way", [lambda f: f, tf.function, tf.function(jit_compile=True)])
def test_a_single_logit_stands_for_all_classes(way: Any) -> None:
    labels, logits = tf.constant([[0.2, 0.3, 0.5]]), tf.constant([[0.9]])

    def loss(labels: Any, logits: Any) -> Any:
        return tf.nn.softmax_cross_entropy_with_logits(labels, logits)

    np.testing.assert_allclose(way(loss)(labels, logits), [np.log(3.0)], rtol=1e-6)
    open_sizes = tf.function(loss, input_signature=[tf.TensorSpec([None, None])] * 2)
    np.testing.assert_allclose(open_sizes(labels, logits), [np.log(3.0)], rtol=1e-6)


def test_the_axis_of_a_loss_may_be_none() -> None:
    logits = tf.constant([[0.0, 0.0]])
    loss = tf.nn.softmax_cross_entropy_with_logits([[1.0, 0.0]], logits, axis=None)
    np.testing.assert_allclose(loss, [np.log(2.0)], rtol=1e-6)


def test_a_tensor_of_one_as_steepness_has_a_gradient() -> None:
    near, at = (gradient(lambda b: tf.nn.silu(MATRIX, b), tf.constant(b)) for b in (1.0001, 1.0))
    np.testing.assert_allclose(at, near, rtol=1e-3)


def test_complex_numbers_saturate_by_their_real_part() -> None:
    found = tf.saturate_cast(tf.constant([1 + 2j, -3, 300.0]), tf.uint8)
    assert found.numpy().tolist() == [1, 0, 255]


def test_a_norm_is_not_clipped_to_less_than_nothing() -> None:
    assert tf.clip_by_norm([3.0, 4.0], -1.0).numpy().tolist() == [0.0, 0.0]


def test_infinite_values_keep_an_infinite_weighted_mean() -> None:
    mean, _ = tf.nn.weighted_moments([np.inf, 1.0], [0], [1.0, 2.0])
    assert mean.numpy() == np.inf


def test_statistics_of_integers() -> None:
    count, total, *_ = tf.nn.sufficient_statistics(tf.constant([1, 2], tf.int8), [0])
    assert (count.dtype, count.numpy(), total.numpy()) == (tf.int8, 2, 3)


def test_an_axis_that_is_a_tensor_of_any_integers_has_its_gradient() -> None:
    axis = tf.constant(1, tf.int64)
    ones = np.ones((2, 3))
    np.testing.assert_array_equal(gradient(lambda x: tf.stack([x, x], axis), MATRIX), 2 * ones)
    np.testing.assert_array_equal(gradient(lambda x: tf.unstack(x, axis=axis), MATRIX), ones)


def test_counts_of_no_values_and_of_floats() -> None:
    weights = tf.constant([1.0, 2.0])
    for most, expected in ((0, [0.0, 0.0]), (3, [1.0, 0.0])):

        def counted(w: Any, most: int = most) -> Any:
            return tf.math.bincount([0, 5], w, maxlength=most, axis=-1)

        found = gradient(counted, weights)
        assert found.numpy().tolist() == expected
    assert tf.math.bincount(tf.constant([0.0, 2.0])).numpy().tolist() == [1, 0, 1]
    counts = tf.math.bincount([[1, 2]], weights=tf.zeros([0, 2]), axis=-1)
    assert counts.numpy().tolist() == [[0.0, 1.0, 1.0]]


def test_masks_of_slices_and_of_lengths() -> None:
    part = tf.strided_slice(MATRIX, [0, 0], [1, 2], begin_mask=None, shrink_axis_mask=None)
    assert part.numpy().tolist() == [[1.0, 2.0]]
    assert tf.sequence_mask(tf.constant([1.5, 0.0])).numpy().tolist() == [[True] * 2, [False] * 2]


def test_the_gradient_of_selected_rows_is_sparse_where_it_is_asked_for() -> None:
    for sparse in (False, True):

        def means(x: Any, sparse: bool = sparse) -> Any:
            return tf.sparse.segment_mean(x, [0, 1, 1], [0, 0, 2], sparse_gradient=sparse)

        found = gradient(means, MATRIX)
        assert isinstance(found, tf.IndexedSlices) is sparse
        np.testing.assert_array_equal(tf.convert_to_tensor(found), [[0.5] * 3, [1.5] * 3])


def test_what_is_no_number_was_not_quantized() -> None:
    x = tf.constant([np.nan, 0.5, 3.0])
    found = gradient(lambda x: tf.quantization.fake_quant_with_min_max_args(x, -1.0, 1.0), x)
    assert found.numpy().tolist() == [0.0, 1.0, 0.0]


def test_a_list_of_numbers_is_one_tensor() -> None:
    assert tf.stop_gradient([[1.0, 2.0], [3.0, 4.0]]).shape == [2, 2]


def test_steps_of_windows_may_be_a_shape() -> None:
    found = tf.nn.conv2d(
        tf.constant(IMAGE), tf.ones([2, 2, 3, 1], tf.float64), tf.TensorShape([1, 2]), "SAME"
    )
    assert found.shape == [1, 4, 2, 1]


def test_ragged_ranges_have_the_wider_dtype() -> None:
    assert tf.ragged.range(0, np.int64(4), 1).dtype is tf.int64
    assert tf.ragged.range(tf.constant([0, 1]), 2.5).to_list() == [[0.0, 1.0, 2.0], [1.0, 2.0]]


def test_dtypes_of_counts_and_of_splits() -> None:
    for kind in (tf.int32, tf.int64):
        assert tf.sparse.bincount(tf.constant([1, 1, 2], kind)).dtype is kind
    assert tf.sparse.bincount([[1, 1, 2]], axis=-1).dtype is tf.int32
    parts = tf.ragged.stack_dynamic_partitions([1.0, 2.0], tf.constant([1, 0]), 2)
    assert parts.row_splits.dtype is tf.int32


# ---- functions ---------------------------------------------------------------------------------


@pytest.mark.parametrize("way", [lambda f: f, tf.function, tf.function(jit_compile=True)])
def test_numbers_that_choose_boxes_may_be_tensors(way: Any) -> None:
    boxes = tf.constant([[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.9], [2.0, 2.0, 3.0, 3.0]])

    def chosen(most: Any, overlap: Any) -> Any:
        return tf.image.non_max_suppression(boxes, [0.5, 0.9, 0.7], most, overlap, overlap - 0.5)

    assert way(chosen)(tf.constant(3), tf.constant(0.5)).numpy().tolist() == [1, 2]


@pytest.mark.parametrize("way", [lambda f: f, tf.function, tf.function(jit_compile=True)])
def test_axes_that_strings_are_joined_along_may_be_a_tensor(way: Any) -> None:
    joined = way(lambda x, axis: tf.strings.reduce_join(x, axis))
    assert joined(tf.constant([["a", "b"]]), tf.constant([1])).numpy().tolist() == [b"ab"]


def test_a_sparse_matrix_is_multiplied_by_one_of_its_dtype() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected to be a float tensor"):
        tf.sparse.sparse_dense_matmul(tf.sparse.eye(2), tf.ones([2, 2], tf.bfloat16))


def test_rows_of_a_jacobian_pass_a_call_that_waits_for_its_sizes() -> None:
    """What is stacked has a size that is known, and one that is not."""
    known = tf.Variable([0.3, -0.6, 0.9])

    def diagonal(x: Any) -> Any:
        with tf.GradientTape(persistent=True) as tape:
            both = tf.stack([x, known])
            tape.watch(both)
            y = both * both * x
        return tf.reduce_sum(tape.batch_jacobian(y, both), [0, 1])

    x = tf.constant([0.4, -0.7, 1.1])
    open_sizes = tf.function(diagonal, input_signature=[tf.TensorSpec([None])])
    np.testing.assert_allclose(open_sizes(x), diagonal(x), rtol=1e-6)


def test_parts_of_nothing() -> None:
    empty = tf.zeros([1, 4, 0, 2])
    assert gradient(lambda x: tf.nn.avg_pool(x, 2, 2, "SAME"), empty).shape == [1, 4, 0, 2]
    rows = tf.ragged.constant([[1.0, 2.0], [3.0]])
    assert tf.tile(rows, [2, 0]).to_list() == [[], [], [], []]
    assert tf.tile(rows, [0, 1]).to_list() == []


def test_a_sparse_tensor_is_divided_by_a_dense_one() -> None:
    quotient = tf.divide(tf.sparse.from_dense([[1.0, 0.0]]), tf.constant([[2.0, 1.0]]))
    assert tf.sparse.to_dense(quotient).numpy().tolist() == [[0.5, 0.0]]


# ---- texts -------------------------------------------------------------------------------------


def test_floats_are_shown_in_the_shorter_of_two_forms() -> None:
    values = [0.1, 1 / 3, 1e-7, 1234567.0]
    for dtype, expected in [
        (tf.float32, "[0.1 0.333333343 1e-07 1234567]"),
        (tf.float64, "[0.1 0.33333333333333331 1e-07 1234567]"),
    ]:
        shown = tf.strings.format("{}", tf.constant(values, dtype), summarize=4)
        assert shown.numpy().decode() == expected
    half = tf.strings.format("{}", tf.constant(0.1, tf.float16))
    assert half.numpy() == b"0.0999755859"


def test_a_text_that_is_not_split_stays_whole() -> None:
    assert tf.strings.split([" a b ", ""], maxsplit=0).to_list() == [[b" a b "], [b""]]


# ---- raw operations ----------------------------------------------------------------------------


def test_inputs_of_raw_operations_have_the_dtypes_of_their_definition() -> None:
    product = tf.raw_ops.MatMul(a=[[2, 0]], b=tf.constant([[1.5], [2.0]]))
    assert (product.dtype, product.numpy().tolist()) == (tf.float32, [[3.0]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected to be a int32 tensor"):
        tf.raw_ops.MatMul(a=tf.constant([[2, 0]]), b=tf.constant([[1.5], [2.0]]))


def test_results_of_raw_operations_have_the_names_of_their_definition() -> None:
    assert tf.raw_ops.Svd(input=MATRIX)._fields == ("s", "u", "v")
    normal = tf.raw_ops.FusedBatchNormV3(
        x=tf.ones([1, 1, 2, 3]),
        scale=tf.ones(3),
        offset=tf.zeros(3),
        mean=tf.zeros(3),
        variance=tf.ones(3),
    )
    assert normal.batch_mean.numpy().tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("name", ["ResizeArea", "ResizeBicubic", "ResizeBilinear"])
def test_integers_are_resized_to_floats(name: str) -> None:
    images = tf.constant(np.arange(4, dtype=np.uint8).reshape(1, 2, 2, 1))
    resized = getattr(tf.raw_ops, name)(images=images, size=[3, 3])
    assert resized.dtype is tf.float32


@pytest.mark.parametrize(
    ("kind", "want"), [("f2", "float16"), ("f8", "float32"), ("i4", "float32")]
)
def test_arrays_where_float32_is_the_default(kind: str, want: str) -> None:
    """NumPy's halves stay what they are, and other numbers do not."""
    x = np.ones((1, 4, 4, 4), kind)
    assert tf.nn.max_pool2d(x, 2, 2, "SAME").dtype.name == want
    assert tf.nn.local_response_normalization(x, 1).dtype.name == want
