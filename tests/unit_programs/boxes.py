"""Random crops around objects, and fingerprints."""

# mypy: disable-error-code="no-any-return, misc"
from __future__ import annotations

from typing import Any

import numpy as np

from unit_programs.common import Programs, refusal

BOXES = [[[0.2, 0.2, 0.8, 0.8], [0.0, 0.5, 0.3, 0.9]]]
SIZE = [100, 120, 3]


def programs(tf: Any) -> Programs:
    image = tf.image

    def cropped(size: Any = SIZE, boxes: Any = BOXES, seed: Any = (1, 2), **more: Any) -> Any:
        return list(image.stateless_sample_distorted_bounding_box(size, boxes, seed, **more))

    def narrow(seed: int) -> Any:
        return cropped(
            [37, 53, 1], BOXES, (seed, 5), min_object_covered=0.9, aspect_ratio_range=[0.5, 2.0],
            area_range=[0.3, 0.9], max_attempts=7,
        )  # fmt: skip

    def stateful() -> Any:
        tf.random.set_seed(3)
        draw = image.sample_distorted_bounding_box
        found = [list(draw(SIZE, BOXES, seed=5, min_object_covered=0.1)) for _ in range(3)]
        older = tf.compat.v1.image.sample_distorted_bounding_box
        return [found, list(older(SIZE, BOXES, seed=5, seed2=7, min_object_covered=0.1))]

    @tf.function
    def crop_of(picture: Any) -> Any:
        begin, size, _ = cropped(tf.shape(picture))
        return tf.shape(tf.slice(picture, begin, size))

    none = np.zeros((0, 0, 4), np.float32)
    return {
        "crops": lambda: [cropped(seed=(seed, 2)) for seed in range(20)],
        "narrow crops": lambda: [narrow(seed) for seed in range(20)],
        "stateful crops": stateful,
        "crops in functions": lambda: crop_of(np.zeros((40, 50, 3), np.float32)),
        "no boxes": lambda: cropped(boxes=none, use_image_if_no_bounding_boxes=True),
        "sizes as int64": lambda: cropped(np.array(SIZE, np.int64)),
        "refused crops": lambda: [
            refusal(lambda: cropped(boxes=none), "No bounding boxes provided as input"),
            refusal(lambda: cropped(boxes=[[[0.2, 0.2, 1.8, 0.8]]]), "All bounding box coordinates"),
            refusal(lambda: cropped([100, 120]), "image_size must contain 3 elements"),
            refusal(lambda: cropped(boxes=BOXES[0]), "input boxes must be 3-dimensional"),
            refusal(lambda: cropped(min_object_covered=-1.0), "Min object covered must be"),
            refusal(lambda: cropped(area_range=[0.5, 2.0]), "Area range must be less then or equal"),
            refusal(lambda: cropped(max_attempts=0), "Max attempts must be non-negative"),
        ],
        "fingerprints": lambda: [
            tf.fingerprint(x)
            for x in (
                [["a", "b"], ["c", "d"]], tf.constant([1, 2, 3]), [b"ab", b"c" * 70],
                tf.constant([[[1.0, 2.0]], [[3.0, 4.0]]]), tf.constant([True, False]),
            )
        ],
        "refused fingerprints": lambda: [
            refusal(lambda: tf.fingerprint(tf.constant(1)), "at least one dimension"),
            refusal(lambda: tf.fingerprint([1], "md5"), "Unsupported fingerprint method"),
        ],
    }  # fmt: skip
