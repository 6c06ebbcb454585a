"""tf.image: every way to resize, crops, colours, boxes, patches, turns and measures of likeness."""

# mypy: disable-error-code="no-any-return, misc"
from __future__ import annotations

from typing import Any

import numpy as np

from unit_programs.common import Programs, everywhere, in_session, internal, named, outcome, refusal


def programs(tf: Any) -> Programs:
    return resized(tf) | coloured(tf) | boxed(tf) | turned(tf)


def counted(tf: Any, *shape: int) -> Any:
    return tf.constant(
        (np.cos(np.arange(np.prod(shape)) * 1.3).reshape(shape) + 1.0) / 2.0, tf.float32
    )


METHODS = [
    "area",
    "bicubic",
    "bilinear",
    "gaussian",
    "lanczos3",
    "lanczos5",
    "mitchellcubic",
    "nearest",
]


def resized(tf: Any) -> Programs:
    """Sizes that grow and shrink."""
    i = tf.image
    x = counted(tf, 1, 4, 5, 2)

    def resized_down() -> Any:
        return {m: i.resize(x, [2, 3], m) for m in METHODS}

    def resized_up() -> Any:
        return {m: i.resize(x, [6, 7], m) for m in METHODS}

    def resized_smoothly() -> Any:
        return {
            m: i.resize(x, [2, 3], m, antialias=True)
            for m in METHODS
            if m not in ("area", "nearest")
        }

    def resized_in_proportion() -> Any:
        return [
            i.resize(x, [8, 6], preserve_aspect_ratio=True).shape,
            i.resize(x[0], [2, 9], preserve_aspect_ratio=True),
        ]

    def resized_dtypes() -> Any:
        return [
            [k.name, i.resize(tf.cast(x * 9.0, k), [2, 3], m).dtype.name]
            for k in (tf.uint8, tf.int32, tf.float16) for m in ("bilinear", "nearest", "bicubic")
        ]  # fmt: skip

    def resized_in_version_1() -> Any:
        v = tf.compat.v1.image
        return [
            v.resize_images(x, [2, 3], align_corners=True), v.resize_bilinear(x, [6, 7]), v.resize_bilinear(x, [3, 3], align_corners=True),
            v.resize_nearest_neighbor(x, [6, 7], align_corners=True), v.resize_bicubic(x, [3, 7]), v.resize_bicubic(x, [3, 7], align_corners=True), v.resize_area(x, [2, 3]),
            v.resize_bilinear(x, [6, 7], half_pixel_centers=True), v.resize_image_with_pad(x, 6, 6).shape, v.resize_images(x[0], [4, 5]),
        ]  # fmt: skip

    def resized_refused() -> Any:
        return [
            refusal(lambda: i.resize(x[0, 0], [2, 3]), "'images' must have either 3 or 4 dimensions"),
            refusal(lambda: i.resize(x, [2]), "'size' must be a 1-D Tensor of 2 elements"),
            refusal(lambda: i.resize(x, 4), "'size' must be a 1-D"), refusal(lambda: i.resize(x, [2, 3], "other"), ""),
            refusal(lambda: i.resize(x, [2.0, 3.0]), ""), refusal(lambda: i.resize(x, [-1, 3])), refusal(lambda: i.resize(x, [0, 3])),
        ]  # fmt: skip

    def resized_shapes() -> Any:
        with tf.Graph().as_default():
            p = tf.compat.v1.placeholder
            a = p(tf.float32, [None, None, None, 3])
            return [
                i.resize(a, [2, 3]).shape, i.resize(p(tf.float32, [None, None, 3]), [2, 3]).shape, i.resize(a, p(tf.int32, [2])).shape,
                i.resize_with_crop_or_pad(a, 5, 6).shape, i.resize_with_pad(a, 5, 6).shape,
                i.central_crop(a, 0.5).shape, i.crop_to_bounding_box(a, 0, 0, 2, 3).shape, i.pad_to_bounding_box(a, 0, 0, 9, 9).shape,
            ]  # fmt: skip

    def resized_gradients() -> Any:
        found = {}
        for m in METHODS:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = i.resize(x, [3, 7], m) ** 2
            found[m] = outcome(lambda t=tape, y=y: t.gradient(y, x)) if m != "area" else None
        return found

    def resized_scale_and_translate() -> Any:
        f = internal("ops.gen_image_ops").scale_and_translate
        return [
            f(x, [6, 6], [1.5, 1.0], [0.5, -0.5], kernel_type=k, antialias=a) for k in ("lanczos1", "triangle", "box", "keyscubic") for a in (True, False) if k != "box"
        ]  # fmt: skip

    def padded_and_cropped() -> Any:
        return [
            i.resize_with_crop_or_pad(x, 2, 7), i.resize_with_crop_or_pad(x[0], 6, 3), i.resize_with_pad(x, 3, 3), i.pad_to_bounding_box(x, 1, 2, 6, 8),
            i.crop_to_bounding_box(x, 1, 2, 2, 2), i.central_crop(x, 0.5), i.central_crop(x[0], 1.0), i.resize_with_pad(x, 8, 5, antialias=True).shape,
        ]  # fmt: skip

    def padded_and_cropped_refused() -> Any:
        return [
            refusal(lambda: i.resize_with_crop_or_pad(x, 0, 7), "target_height must be > 0"), refusal(lambda: i.resize_with_crop_or_pad(x, 7, 0), "target_width must be > 0"),
            refusal(lambda: i.resize_with_crop_or_pad(x[0, 0], 2, 7), "must have either 3 or 4"), refusal(lambda: i.pad_to_bounding_box(x, -1, 0, 9, 9), "offset_height must be >= 0"),
            refusal(lambda: i.pad_to_bounding_box(x, 0, -1, 9, 9), "offset_width must be >= 0"), refusal(lambda: i.pad_to_bounding_box(x, 0, 0, 2, 9), "height must be <= target - offset"),
            refusal(lambda: i.crop_to_bounding_box(x, 0, 0, 9, 2), "height must be >= target"), refusal(lambda: i.crop_to_bounding_box(x, -1, 0, 2, 2), "offset_height must be >= 0"),
            refusal(lambda: i.crop_to_bounding_box(x, 0, 0, 0, 2), "target_height must be > 0"), refusal(lambda: i.central_crop(x, 0.0), "central_fraction must be within"),
            refusal(lambda: i.central_crop(x, 1.1), "central_fraction must be within"), refusal(lambda: i.central_crop(x[0, 0], 0.5), "dimensions"),
            refusal(lambda: i.resize_with_pad(x, -1, 3), ""),
        ]  # fmt: skip

    return named(
        resized_down, resized_up, resized_smoothly, resized_in_proportion, resized_dtypes, resized_in_version_1, resized_refused,
        resized_shapes, resized_gradients, resized_scale_and_translate, padded_and_cropped, padded_and_cropped_refused,
    )  # fmt: skip


def coloured(tf: Any) -> Programs:
    """Spaces of colours and what is adjusted in them."""
    i = tf.image
    x = counted(tf, 2, 3, 3)

    def colours() -> Any:
        return [
            i.rgb_to_hsv(x), i.hsv_to_rgb(x), i.rgb_to_yiq(x), i.yiq_to_rgb(x), i.rgb_to_yuv(x), i.yuv_to_rgb(x), i.rgb_to_grayscale(x),
            i.grayscale_to_rgb(x[..., :1]), i.rgb_to_hsv(tf.cast(x, tf.float64)),
        ]  # fmt: skip

    def colours_refused() -> Any:
        return [
            refusal(lambda: i.rgb_to_hsv(x[..., :2])), refusal(lambda: i.hsv_to_rgb(tf.cast(x, tf.int32))), refusal(lambda: i.grayscale_to_rgb(x), ""),
            refusal(lambda: i.rgb_to_grayscale(x[..., :2])), refusal(lambda: i.rgb_to_yiq(x[..., :2])),
        ]  # fmt: skip

    def colours_adjusted() -> Any:
        return [
            i.adjust_brightness(x, 0.1), i.adjust_contrast(x, 2.0), i.adjust_hue(x, 0.25), i.adjust_saturation(x, 0.5), i.adjust_gamma(x, 2.0, 0.5),
            i.per_image_standardization(x), i.adjust_brightness(tf.constant([[[3, 250, 7]]], tf.uint8), 0.1), i.adjust_contrast(tf.constant([[[3, 250, 7]]], tf.uint8), 2.0),
            i.per_image_standardization(tf.constant([[[3, 250, 7]]], tf.uint8)), i.adjust_hue(tf.constant([[[3, 250, 7]]], tf.uint8), -0.3), i.adjust_saturation(x, 0.0),
            i.per_image_standardization(x[None]),
        ]  # fmt: skip

    def colours_adjusted_refused() -> Any:
        return [
            refusal(lambda: i.adjust_gamma(x, -1.0), "Gamma should be a non-negative"), refusal(lambda: i.adjust_hue(x, 2.0), ""), refusal(lambda: i.adjust_contrast(x[0, 0], 2.0)),
            refusal(lambda: i.random_brightness(x, -1.0), "max_delta must be non-negative"), refusal(lambda: i.random_contrast(x, 2.0, 1.0), "upper must be > lower"),
            refusal(lambda: i.random_contrast(x, -2.0, 1.0), "lower must be non-negative"), refusal(lambda: i.random_hue(x, 0.6), "max_delta must be <= 0.5"),
            refusal(lambda: i.random_saturation(x, 1.0, 0.5), "upper must be > lower"), refusal(lambda: i.random_hue(x, -0.6), "max_delta must be >= 0"),
        ]  # fmt: skip

    def colours_at_random() -> Any:
        s = (1, 2)
        return [
            i.stateless_random_brightness(x, 0.2, s), i.stateless_random_contrast(x, 0.2, 0.5, s), i.stateless_random_hue(x, 0.2, s), i.stateless_random_saturation(x, 0.2, 1.5, s),
            i.stateless_random_flip_left_right(x, s), i.stateless_random_flip_up_down(x, s), i.stateless_random_crop(x, [1, 2, 3], s),
            i.stateless_sample_distorted_bounding_box([4, 5, 3], [[[0.1, 0.1, 0.9, 0.9]]], s)[0],
        ]  # fmt: skip

    def dtypes_converted() -> Any:
        f = i.convert_image_dtype
        return [
            f(tf.constant([0, 128, 255], tf.uint8), tf.float32), f([0.0, 0.5, 1.0], tf.uint8), f(tf.constant([0, 255], tf.uint8), tf.int16), f(tf.constant([0, 32767], tf.int16), tf.uint8),
            f([0.0, 0.5, 1.0], tf.uint16), f([1.2, -0.1], tf.uint8, saturate=True), f([0.5], tf.float16), f(tf.constant([7], tf.uint8), tf.uint8), f([0.25], tf.float64),
        ]  # fmt: skip

    def colours_in_modes() -> Any:
        def build() -> Any:
            y = counted(tf, 2, 3, 3)
            return [
                i.adjust_hue(y, 0.1),
                i.adjust_contrast(y, 0.5),
                i.rgb_to_hsv(y),
                i.per_image_standardization(y),
            ]

        return everywhere(tf, build)

    return named(
        colours, colours_refused, colours_adjusted, colours_adjusted_refused, colours_at_random, dtypes_converted, colours_in_modes,
    )  # fmt: skip


def boxed(tf: Any) -> Programs:
    """Boxes: cropped, suppressed, drawn."""
    i = tf.image
    x = counted(tf, 2, 5, 5, 1)
    boxes = [
        [0.0, 0.0, 1.0, 1.0],
        [0.2, 0.1, 0.8, 0.6],
        [0.9, 0.9, -0.1, 0.2],
        [0.0, 0.0, 1.0, 1.0],
    ]

    def boxes_cropped() -> Any:
        return [
            i.crop_and_resize(x, boxes, [0, 1, 1, 0], [3, 2]), i.crop_and_resize(x, boxes, [0, 1, 1, 0], [3, 2], "nearest", 7.0),
            i.crop_and_resize(x, tf.zeros([0, 4]), tf.zeros([0], tf.int32), [2, 2]), i.crop_and_resize(x, [[0.0, 0.0, 2.0, 2.0]], [0], [3, 3], extrapolation_value=-1.0),
            i.extract_glimpse(x, [2, 2], [[0.0, 0.0], [0.5, -0.5]]), i.crop_and_resize(tf.cast(x * 9.0, tf.uint8), boxes[:1], [0], [2, 2]),
        ]  # fmt: skip

    def boxes_cropped_refused() -> Any:
        return [
            refusal(lambda: i.crop_and_resize(x, boxes, [0, 1, 1, 2], [3, 2]), "OutOfRange|box_ind|has values outside"), refusal(lambda: i.crop_and_resize(x[0], boxes, [0] * 4, [3, 2])),
            refusal(lambda: i.crop_and_resize(x, boxes, [0], [3, 2])), refusal(lambda: i.crop_and_resize(x, boxes, [0] * 4, [3])), refusal(lambda: i.crop_and_resize(x, boxes, [0] * 4, [0, 2])),
            refusal(lambda: i.crop_and_resize(x, boxes, [0] * 4, [3, 2], "other")),
        ]  # fmt: skip

    def boxes_gradients() -> Any:
        b = tf.constant(boxes[:2])
        with tf.GradientTape() as tape:
            tape.watch([x, b])
            y = i.crop_and_resize(x, b, [0, 1], [3, 2]) ** 2
        return tape.gradient(y, [x, b])

    def boxes_suppressed() -> Any:
        b = [
            [0.0, 0.0, 1.0, 1.0],
            [0.0, 0.1, 1.0, 1.1],
            [0.0, -0.1, 1.0, 0.9],
            [0.0, 10.0, 1.0, 11.0],
            [0.0, 10.1, 1.0, 11.1],
            [0.0, 100.0, 1.0, 101.0],
        ]
        scores = [0.9, 0.75, 0.6, 0.95, 0.5, 0.3]
        many = tf.constant(b)[None, :, None]
        return [
            i.non_max_suppression(b, scores, 3), i.non_max_suppression(b, scores, 2, 0.2), i.non_max_suppression(b, scores, 6, 0.5, 0.4),
            i.non_max_suppression_with_scores(b, scores, 6, soft_nms_sigma=0.5), i.non_max_suppression_padded(b, scores, 5, pad_to_max_output_size=True),
            i.non_max_suppression_overlaps([[1.0, 0.5], [0.5, 1.0]], [0.3, 0.7], 2, 0.4), list(i.combined_non_max_suppression(many, tf.constant(scores)[None, :, None], 2, 4)),
            i.non_max_suppression(b, scores, 0), i.non_max_suppression(tf.zeros([0, 4]), tf.zeros([0]), 2),
        ]  # fmt: skip

    def boxes_suppressed_refused() -> Any:
        f = i.non_max_suppression
        return [
            refusal(lambda: f([[0.0, 0.0, 1.0, 1.0]], [0.9, 0.8], 3), ""), refusal(lambda: f([0.0, 0.0, 1.0, 1.0], [0.9], 3)), refusal(lambda: f([[0.0, 0.0, 1.0]], [0.9], 3)),
            refusal(lambda: f([[0.0, 0.0, 1.0, 1.0]], [0.9], 3, 1.2), r"iou_threshold must be in \[0, 1\]"), refusal(lambda: f([[0.0, 0.0, 1.0, 1.0]], [[0.9]], 3)), refusal(lambda: f([[0.0, 0.0, 1.0, 1.0]], [0.9], [3])),
        ]  # fmt: skip

    def boxes_drawn() -> Any:
        y = tf.zeros([1, 4, 6, 3])
        return [
            i.draw_bounding_boxes(y, [[[0.1, 0.2, 0.6, 0.9]]], [[0.5, 0.25, 1.0]]),
            i.draw_bounding_boxes(
                y,
                [[[0.0, 0.0, 1.0, 1.0], [0.3, 0.3, 0.5, 0.5]]],
                [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
            ),
            tf.compat.v1.image.draw_bounding_boxes(y, [[[0.1, 0.2, 0.6, 0.9]]]),
        ]

    return named(
        boxes_cropped, boxes_cropped_refused, boxes_gradients, boxes_suppressed, boxes_suppressed_refused, boxes_drawn,
    )  # fmt: skip


def turned(tf: Any) -> Programs:
    """Turns, flips, patches, edges, and how like two images are."""
    i = tf.image
    x = counted(tf, 1, 3, 4, 2)

    def images_turned() -> Any:
        return [
            [i.rot90(x, k) for k in (0, 1, 2, 3, 5, -1)], i.rot90(x[0], tf.constant(3)), i.flip_left_right(x), i.flip_up_down(x), i.transpose(x), i.transpose(x[0]),
            i.flip_left_right(x[0]), everywhere(tf, lambda: [i.rot90(counted(tf, 1, 3, 4, 2)), i.flip_up_down(counted(tf, 1, 3, 4, 2))]),
        ]  # fmt: skip

    def images_turned_refused() -> Any:
        return [
            refusal(lambda: i.flip_left_right(x[0, 0]), "must have either 3 or 4|at least three"), refusal(lambda: i.rot90(x[0, 0]), "must have either 3 or 4"), refusal(lambda: i.transpose(x[0, 0]), "must have either 3 or 4"),
            refusal(lambda: i.rot90(x, [1]), ""), refusal(lambda: i.flip_up_down(x[0, 0])),
        ]  # fmt: skip

    def images_turned_shapes() -> Any:
        with tf.Graph().as_default():
            p = tf.compat.v1.placeholder
            a, u = p(tf.float32, [None, 3, 4, 2]), p(tf.float32, None)
            return [
                i.rot90(a).shape,
                i.flip_left_right(a).shape,
                i.transpose(a).shape,
                i.flip_left_right(u).shape.rank,
                i.rot90(a, p(tf.int32, [])).shape,
            ]

    def patches() -> Any:
        return [
            i.extract_patches(x, [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID"), i.extract_patches(x, [1, 2, 3, 1], [1, 2, 2, 1], [1, 1, 1, 1], "SAME"),
            i.extract_patches(counted(tf, 1, 5, 5, 1), [1, 2, 2, 1], [1, 1, 1, 1], [1, 2, 2, 1], "VALID"), tf.extract_volume_patches(counted(tf, 1, 2, 3, 3, 1), [1, 2, 2, 2, 1], [1] * 5, "VALID"),
            refusal(lambda: i.extract_patches(x, [2, 2], [1] * 4, [1] * 4, "VALID")), refusal(lambda: i.extract_patches(x, [1, 2, 2, 1], [1] * 4, [1] * 4, "OTHER")), refusal(lambda: i.extract_patches(x[0], [1, 2, 2, 1], [1] * 4, [1] * 4, "SAME")),
        ]  # fmt: skip

    def patches_gradient() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = i.extract_patches(x, [1, 2, 2, 1], [1, 2, 1, 1], [1, 1, 1, 1], "SAME") ** 2
        return tape.gradient(y, x)

    def edges() -> Any:
        return [
            i.sobel_edges(x),
            i.image_gradients(x),
            i.total_variation(x),
            i.total_variation(x[0]),
            refusal(lambda: i.image_gradients(x[0]), "expects a 4D"),
            refusal(lambda: i.total_variation(x[0, 0]), "3 or 4 dimensions|batch of"),
        ]

    def likeness() -> Any:
        a, b = counted(tf, 1, 12, 12, 1), counted(tf, 1, 12, 12, 1) ** 2
        big = counted(tf, 1, 176, 176, 1)
        return [
            i.psnr(a, b, 1.0), i.ssim(a, b, 1.0), i.ssim(a, b, 1.0, filter_size=5, return_index_map=True), i.ssim_multiscale(big, big**2, 1.0), i.psnr(tf.cast(a * 255.0, tf.uint8), tf.cast(b * 255.0, tf.uint8), 255),
            refusal(lambda: i.ssim(a[:, :5], b[:, :5], 1.0), ""), refusal(lambda: i.psnr(a, b[:, :5], 1.0), ""), refusal(lambda: i.ssim_multiscale(a, b, 1.0), ""), refusal(lambda: i.ssim(a[0, 0], b[0, 0], 1.0)),
        ]  # fmt: skip

    def likeness_gradient() -> Any:
        a, b = counted(tf, 1, 6, 6, 1), counted(tf, 1, 6, 6, 1) ** 2
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(a)
            ys = [i.ssim(a, b, 1.0, filter_size=3), i.psnr(a, b, 1.0), i.total_variation(a)]
        return [tape.gradient(y, a) for y in ys]

    def images_in_sessions() -> Any:
        def build() -> Any:
            y = counted(tf, 1, 3, 4, 2)
            cut = i.crop_and_resize(y, [[0.0, 0.0, 1.0, 1.0]], [0], [2, 2])
            return [
                i.resize(y, [2, 2]),
                i.rot90(y),
                i.flip_left_right(y),
                i.sobel_edges(y),
                i.central_crop(y, 0.5),
                cut,
            ]

        return in_session(tf, build)

    def images_internal() -> Any:
        ops = internal("ops.image_ops_impl")
        gen = internal("ops.gen_image_ops")
        return [
            ops.flip_left_right(x), gen.resize_bilinear(x, [2, 2]), gen.adjust_contrastv2(x[..., :1], 2.0), gen.rgb_to_hsv(counted(tf, 1, 3)),
            internal("ops.image_ops").resize_images_v2(x, [2, 2]), ops.random_flip_left_right(x).shape, ops.ResizeMethod.BILINEAR, ops.ResizeMethodV1.AREA,
        ]  # fmt: skip

    return named(
        images_turned, images_turned_refused, images_turned_shapes, patches, patches_gradient, edges, likeness, likeness_gradient, images_in_sessions, images_internal,
    )  # fmt: skip
