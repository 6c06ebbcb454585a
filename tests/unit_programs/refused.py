"""What TensorFlow refuses, by the words that its users search for."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from unit_programs.common import Programs, internal, refusal


def programs(tf: Any) -> Programs:
    return networks(tf)


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
