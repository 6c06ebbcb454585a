"""What TensorFlow refuses, by the words that its users search for."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from unit_programs.common import Programs, internal, refusal


def programs(tf: Any) -> Programs:
    return networks(tf) | ragged(tf) | images(tf) | arrays(tf)


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
