"""What TensorFlow refuses, by the words that its users search for."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from unit_programs.common import Programs, internal, refusal


def programs(tf: Any) -> Programs:
    return networks(tf) | ragged(tf) | images(tf) | arrays(tf) | windows(tf) | counts(tf)


def networks(tf: Any) -> Programs:
    """Layouts of images, sampled losses, stitched rows."""

    def layouts() -> Any:
        raw = tf.raw_ops
        permutation = "Destination and source format must determine a permutation"
        return [
            [
                refusal(partial(call, x=[0, 1, 2, 3], src_format=a, dst_format=b), words)
                for call in (raw.DataFormatDimMap, raw.DataFormatVecPermute)
            ]
            for a, b, words in (
                ("12345678", "87654321", "Source format must be of length 4 or 5"),
                ("1233", "4321", permutation),
                ("1234", "3321", permutation),
                ("1234", "5321", permutation),
            )
        ]

    def sampled() -> Any:
        drawn = np.random.RandomState(0)
        w, b, x = (drawn.randn(*s).astype("f") for s in ((5, 4), (5,), (3, 4)))
        candidates = ([1, 0, 2, 3], np.full((3, 1), 0.5, "f"), np.full(4, 0.5, "f"))
        logits = internal("ops.nn_impl")._compute_sampled_logits
        given: Any = {
            "weights": w, "biases": b, "labels": tf.constant([[0], [1], [2]], tf.int64), "inputs": x,
            "num_sampled": 4, "num_classes": 5, "num_true": 1, "sampled_values": candidates,
            "partition_strategy": "div",
        }  # fmt: skip
        return [list(logits(**given, subtract_log_q=take)) for take in (True, False)]

    def stitched() -> Any:
        rows = [tf.constant([[1, 2]]), tf.constant([[3]])]
        return refusal(lambda: tf.dynamic_stitch([[0], [1]], rows), "Need data|shape")

    def transposed() -> Any:
        x = tf.ones([3, 4, 1])
        words = "`output_shape` must be a tensor or sized collection"
        return refusal(lambda: tf.nn.conv_transpose(x, x, 2, 2), words)

    return {
        "layouts": layouts,
        "sampled logits": sampled,
        "stitched": stitched,
        "conv_transpose": transposed,
    }


def ragged(tf: Any) -> Programs:
    """Ragged tensors: what their parts must be."""
    v1, made = tf.compat.v1, tf.RaggedTensor

    def row_ids() -> Any:
        ids = [0, 0, 2, 3]
        values = [1, 2, 3, 4]
        given = made.from_value_rowids
        kept = tf.constant(ids, tf.int64)
        return [
            given(values, kept, validate=False).value_rowids() is kept,
            [
                refusal(partial(given, v, i, n), words)
                for v, i, n, words in (
                    (values, ids, -2, "Expected nrows >= 0; got -2"),
                    (values, ids, 2, r"Expected nrows >= value_rowids\[-1\] \+ 1; got nrows=2"),
                    (values, [ids], 5, ""),
                    (values, ids, [5], "must have rank 0"),
                    (values, [3, 2, 1, 0], 5, ""),
                    (values, [-1, 2, 3, 3], 5, ""),
                    (values, ids[:3], 5, ""),
                )
            ],
            refusal(
                lambda: made.from_nested_value_rowids(values, [[0, 0], [0, 1]], [6]),
                "must have the same length as",
            ),
            refusal(
                lambda: made.from_nested_value_rowids(values, tf.constant([[0, 1]], tf.int64)),
                "must be a list of Tensors",
            ),
        ]

    def row_ids_that_run() -> Any:
        @tf.function(input_signature=[tf.TensorSpec([None], tf.int64)])
        def rows(ids: Any) -> Any:
            return made.from_value_rowids([1, 2, 3], ids, 4).row_lengths()

        return [rows(tf.constant([0, 2, 2], tf.int64)), refusal(lambda: rows([2, 1, 0]))]

    def fed() -> Any:
        with tf.Graph().as_default(), v1.Session() as session:
            splits = v1.placeholder(tf.int64, [None])
            numbers = v1.placeholder(tf.int32, [None])
            r = made.from_row_splits(numbers, splits, validate=False)
            value = internal("ops.ragged.ragged_factory_ops").constant_value([[1, 2, 3], [4]])
            total = tf.reduce_sum(r, axis=1)
            return [
                session.run(r, {r: value}).to_list(),
                session.run(total, {r: value}),
                len(r.consumers()) > 0,
                str(value),
            ]

    def axes() -> Any:
        r = tf.ragged.constant([[3, 1], [5]])
        return [
            refusal(lambda: tf.reduce_sum(r, axis=-3), "out of bounds"),
            refusal(lambda: tf.gather(r, [0, 10]), r"indices\[1\] = 10 is not in \[0, 2\)"),
            tf.gather(r, [1, 0]),
            refusal(lambda: tf.gather_nd(r, tf.constant(0))),
        ]

    return {
        "row ids": row_ids,
        "row ids in functions": row_ids_that_run,
        "ragged feeds": fed,
        "ragged axes": axes,
    }


def images(tf: Any) -> Programs:
    """Images, boxes and sets."""

    def pictures() -> Any:
        image = tf.image
        empty = np.zeros((0, 2, 2), "f")
        boxes, scores = [[0.0, 0.0, 1.0, 1.0]], [0.9]
        return [
            refusal(lambda: image.grayscale_to_rgb(tf.zeros([2])), "two-dimensional"),
            refusal(lambda: image.grayscale_to_rgb(tf.zeros([2, 2])), "should be size 1"),
            refusal(
                lambda: image.crop_to_bounding_box(empty, 0, 0, 1, 1),
                "inner 3 dims of 'image.shape' must be > 0",
            ),
            refusal(
                lambda: image.pad_to_bounding_box(empty, 0, 0, 4, 4),
                "inner 3 dims of 'image.shape' must be > 0",
            ),
            refusal(lambda: image.decode_image(b"foo"), "Unknown image file format"),
            refusal(lambda: image.non_max_suppression(boxes, scores, [3]), "must be 0-D"),
        ]

    def sets() -> Any:
        x = tf.constant([[1.0, 2.0]])
        return refusal(lambda: tf.sets.union(x, x))

    return {"pictures": pictures, "sets of floats": sets}


def arrays(tf: Any) -> Programs:
    """Shapes, and the sizes of parts."""

    def shapes() -> Any:
        return [
            refusal(lambda: tf.reshape([[1]], [1] * 300), "too many dimensions"),
            refusal(lambda: tf.fill([[2, 3]], 1)),
            refusal(lambda: tf.fill([2], [1, 2])),
        ]

    def parts() -> Any:
        words = "Cannot infer argument `num` from shape"
        with tf.Graph().as_default():
            sizes = [tf.compat.v1.placeholder(tf.int32, s) for s in (None, [None], [2])]
            x = tf.constant([1, 2, 3])
            return [
                [refusal(partial(tf.split, x, s), words) for s in sizes[:2]],
                len(tf.split(x, sizes[2])),
                len(tf.split(x, sizes[1], num=2)),
            ]

    return {"shapes": shapes, "parts": parts}


def windows(tf: Any) -> Programs:
    """Convolutions, poolings and normalizations that do not fit what they are of."""
    raw, nn = tf.raw_ops, tf.nn

    def zeros(*sizes: int) -> Any:
        return np.zeros(sizes, np.float32)

    def convolutions() -> Any:
        def convolved(**changed: Any) -> Any:
            given = {"input": zeros(1, 4, 4, 3), "filter": zeros(2, 2, 3, 1), "padding": "SAME"}
            return raw.Conv2D(**{**given, "strides": [1, 1, 1, 1], **changed})

        return [
            refusal(lambda: convolved(strides=[1, 0, 1, 1]), "Stride must be > 0, but got 0"),
            refusal(lambda: convolved(dilations=[2, 1, 1, 1]), "batch and depth dimensions"),
            refusal(lambda: convolved(dilations=[1, 0, 1, 1]), "Dilated rates should be larger than 0"),
            refusal(lambda: convolved(input=zeros(1, 4, 4, 2)), "must be evenly divisible by"),
            refusal(
                lambda: raw.Dilation2D(
                    input=zeros(1, 4, 4, 2), filter=zeros(2, 2, 3), strides=[1, 1, 1, 1],
                    rates=[1, 1, 1, 1], padding="SAME",
                ),
                "input and filter must have the same depth",
            ),
        ]  # fmt: skip

    def poolings() -> Any:
        def pooled(channels: int, ksize: Any, strides: Any) -> Any:
            return lambda: nn.max_pool(zeros(1, 4, 4, channels), ksize, strides, "SAME")

        return [
            refusal(pooled(5, [1, 1, 1, 2], [1, 1, 1, 2]), "evenly divide the input depth"),
            refusal(pooled(4, [1, 1, 1, 2], [1, 1, 1, 1]), "window to equal the depth stride"),
            refusal(pooled(4, [1, 2, 2, 2], [1, 1, 1, 2]), "exactly one of pooling across depth"),
        ]

    def normalizations() -> Any:
        normalized = tf.compat.v1.nn.fused_batch_norm
        x, given = zeros(1, 2, 2, 3), {"mean": zeros(2), "variance": zeros(3), "is_training": False}
        return [
            refusal(lambda: normalized(x, zeros(2), zeros(3)), "scale must have the same number"),
            refusal(lambda: normalized(x, zeros(3), zeros(2)), "offset must have the same number"),
            refusal(
                lambda: normalized(x, zeros(3), zeros(3), **given), "mean must have the same number"
            ),
        ]

    def crops() -> Any:
        cropped = partial(tf.image.crop_and_resize, zeros(1, 4, 4, 1), [[0.0, 0.0, 1.0, 1.0]], [0])
        return [
            refusal(lambda: cropped([[2, 2]]), "crop_size must be 1-D"),
            refusal(lambda: cropped([2, 2, 2]), "crop_size must have two elements"),
        ]

    return {
        "convolutions that do not fit": convolutions,
        "poolings that do not fit": poolings,
        "normalizations that do not fit": normalizations,
        "crops that do not fit": crops,
    }


def counts(tf: Any) -> Programs:
    """Counts, sums, choices and loops of what cannot be counted, summed, chosen or repeated."""
    v1, ops = tf.compat.v1, internal("ops.math_ops")

    def classes() -> Any:
        matrix = tf.math.confusion_matrix
        return [
            refusal(lambda: matrix([-1, 0], [0, 1]), "`labels` contains negative values"),
            refusal(lambda: matrix([1, 0], [0, -1]), "`predictions` contains negative values"),
            refusal(lambda: matrix([4, 0], [0, 1], num_classes=3), "`labels` out of bound"),
            refusal(lambda: matrix([1, 0], [0, 5], num_classes=3), "`predictions` out of bound"),
            refusal(lambda: tf.math.bincount([1, 2, 3], [1, 2]), "must be the same shape as `arr`"),
            refusal(lambda: ops.bucketize([1.0], [3.0, 2.0]), "Expected sorted boundaries"),
            refusal(lambda: ops.bucketize([1.0], 0), "Expected list for 'boundaries'"),
        ]

    def sums() -> Any:
        total = tf.math.accumulate_n
        return [
            refusal(lambda: total([[1.0], [2.0]], tensor_dtype=tf.int32), "must be equal"),
            refusal(lambda: total([[1.0], [2.0, 3.0]]), "are not compatible"),
            refusal(lambda: total([[1.0], [2.0]], shape=[3]), "are not compatible"),
            refusal(lambda: total([])),
            refusal(lambda: ops.approximate_equal([1.0, 2.0], [1.0]), "must be of the same shape"),
            refusal(
                lambda: tf.random.gamma([2], [1.0, 2.0], [1.0, 2.0, 3.0]), "Incompatible shapes"
            ),
        ]

    def places() -> Any:
        rows = np.zeros([2, 2, 2], np.int32)
        return [
            refusal(lambda: tf.one_hot([0, 1], 3, axis=5), "Expected axis to be -1 or between"),
            refusal(lambda: tf.roll(7, 1, 0), "must be 1-D or higher"),
            refusal(lambda: tf.scatter_nd(rows, rows, [0, 3, 2]), "specified for empty output"),
            refusal(
                lambda: tf.debugging.Assert(tf.constant(False), ["was"]), "to be true. Summarized"
            ),
        ]

    def masks() -> Any:
        with tf.Graph().as_default():
            words = "Number of mask dimensions must be specified"
            return refusal(lambda: tf.boolean_mask([1, 2], v1.placeholder(tf.bool)), words)

    def conditions() -> Any:
        v1.disable_control_flow_v2()
        try:
            with tf.Graph().as_default():
                i, words = tf.constant(2), "does not match expected type of bool"
                return refusal(lambda: v1.while_loop(lambda i: i, lambda i: i - 1, [i]), words)
        finally:
            v1.enable_control_flow_v2()

    def queues() -> Any:
        return refusal(lambda: v1.PaddingFIFOQueue(5, [tf.int32], shapes=None), "must be provided")

    def sets_and_places() -> Any:
        mixed = tf.SparseTensor([[1, 0], [0, 0]], [1, 2], [2, 2])
        dense, union = v1.sparse_to_dense, tf.sets.union
        return [
            refusal(lambda: tf.sets.size(mixed), "is out of order"),
            refusal(lambda: union(mixed, mixed), "is out of order"),
            union(mixed, mixed, validate_indices=False).dense_shape,
            refusal(lambda: union([[1, 2]], [[1], [2]]), r"Mismatched shapes \[1\] vs \[2\]"),
            refusal(lambda: dense([[0, 0]], [2, 2], [1, 2]), "incorrect shape|incompatible"),
            refusal(
                lambda: dense([[0, 0]], [2], 1), "incorrect number of elements: 1 should be: 2"
            ),
            refusal(lambda: dense([[[0, 0]]], [2, 2], 1), "should be a scalar, vector, or matrix"),
            refusal(lambda: dense([[0, 0]], [2, 2], 1, [1, 2]), "should be a scalar"),
            refusal(lambda: tf.strings.split(["a"], sep=["x", "y"]), "sep must be a scalar"),
        ]

    def features() -> Any:
        io = tf.io

        def asked(feature: Any, pattern: str) -> Any:
            return refusal(lambda: io.parse_example([b""], {"x": feature}), pattern)

        return [
            asked(io.VarLenFeature(None), "Missing type for feature x. Received feature="),
            asked(io.FixedLenFeature([], None), "Missing type for feature x."),
            asked(io.FixedLenFeature(None, tf.float32), "Missing shape for feature x."),
            asked(io.SparseFeature("i", "v", None, 3), "Missing type for feature x."),
            asked(3, "Unsupported int 3 for key 'x'"),
            refusal(lambda: io.parse_single_example(b"", {}), "features cannot be empty."),
        ]

    def rows_of_others() -> Any:
        a, b = tf.ragged.constant([[1], [2, 3]]), tf.ragged.constant([[1, 2], [3]])
        words = "partitions have incompatible row_splits"
        return refusal(lambda: tf.ragged.map_flat_values(tf.add, a, b), words)

    def specs() -> Any:
        spec = internal("ops.resource_variable_ops").VariableSpec([2], tf.float32)
        values = (
            tf.Variable([1.0, 2.0]),
            tf.Variable([1.0]),
            tf.Variable([1.0, 2.0], trainable=False),
        )
        return [spec.is_compatible_with(v) for v in values]

    return {
        "classes that cannot be": classes,
        "sums of what differs": sums,
        "places that are not there": places,
        "conditions that are numbers": conditions,
        "masks of no known rank": masks,
        "queues without shapes": queues,
        "rows of others": rows_of_others,
        "sets and places that do not fit": sets_and_places,
        "features without a type": features,
        "specs of variables": specs,
    }
