"""Raw operations that are another door to a public function, and raw lists of tensors."""

# mypy: disable-error-code="no-any-return, misc"
from __future__ import annotations

from typing import Any

import numpy as np

from unit_programs.common import Programs, everywhere, named, refusal


def programs(tf: Any) -> Programs:
    return lists(tf) | pictures(tf) | others(tf)


def counted(tf: Any, *shape: int) -> Any:
    return tf.constant(
        (np.cos(np.arange(np.prod(shape)) * 1.3).reshape(shape) + 1.0) / 2.0, tf.float32
    )


def lists(tf: Any) -> Programs:
    """Lists of tensors by their raw operations."""
    raw = tf.raw_ops

    def raw_list_stacked() -> Any:
        def build() -> Any:
            h = raw.TensorListReserve(element_shape=[2], num_elements=2, element_dtype=tf.float32)
            h = raw.TensorListSetItem(input_handle=h, index=0, item=tf.constant([1.0, 2.0]))
            h = raw.TensorListSetItem(input_handle=h, index=1, item=tf.constant([3.0, 4.0]))
            return [
                raw.TensorListStack(input_handle=h, element_shape=[2], element_dtype=tf.float32, num_elements=2), raw.TensorListLength(input_handle=h),
                raw.TensorListGetItem(input_handle=h, index=1, element_shape=[2], element_dtype=tf.float32), raw.TensorListElementShape(input_handle=h, shape_type=tf.int32),
            ]  # fmt: skip

        return everywhere(tf, build)

    def raw_list_pushed() -> Any:
        def build() -> Any:
            h = raw.EmptyTensorList(
                element_shape=tf.constant([], tf.int32),
                max_num_elements=-1,
                element_dtype=tf.float32,
            )
            for number in (1.0, 2.0, 3.0):
                h = raw.TensorListPushBack(input_handle=h, tensor=tf.constant(number))
            h, last = raw.TensorListPopBack(
                input_handle=h, element_shape=tf.constant([], tf.int32), element_dtype=tf.float32
            )
            return last, raw.TensorListStack(
                input_handle=h, element_shape=tf.constant([], tf.int32), element_dtype=tf.float32
            )

        return everywhere(tf, build)

    def raw_list_of_rows() -> Any:
        def build() -> Any:
            x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
            h = raw.TensorListFromTensor(tensor=x, element_shape=[2])
            s = raw.TensorListScatter(tensor=x, indices=[2, 0, 1], element_shape=[2])
            p = raw.TensorListSplit(tensor=x, element_shape=[-1, 2], lengths=[2, 1])
            return [
                raw.TensorListGather(input_handle=h, indices=[2, 0], element_shape=[2], element_dtype=tf.float32), raw.TensorListStack(input_handle=s, element_shape=[2], element_dtype=tf.float32),
                raw.TensorListGetItem(input_handle=p, index=0, element_shape=[2, 2], element_dtype=tf.float32), raw.TensorListLength(input_handle=raw.TensorListResize(input_handle=h, size=5)),
            ]  # fmt: skip

        return everywhere(tf, build)

    def raw_list_gradient() -> Any:
        x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        with tf.GradientTape() as tape:
            tape.watch(x)
            h = raw.TensorListFromTensor(tensor=x, element_shape=[2])
            y = (
                raw.TensorListGetItem(
                    input_handle=h, index=1, element_shape=[2], element_dtype=tf.float32
                )
                * 3.0
            )
        return tape.gradient(y, x)

    return named(raw_list_stacked, raw_list_pushed, raw_list_of_rows, raw_list_gradient)


def pictures(tf: Any) -> Programs:
    """Images by their raw operations."""
    raw, x = tf.raw_ops, counted(tf, 1, 4, 5, 3)

    def raw_images_resized() -> Any:
        common = {"images": x, "size": [6, 6], "scale": [1.5, 1.0], "translation": [0.5, -0.5]}
        return [
            raw.ScaleAndTranslate(**common, kernel_type=k, antialias=a)
            for k in ("lanczos1", "gaussian", "triangle", "keyscubic", "mitchellcubic")
            for a in (True, False)
        ]

    def raw_images_boxes() -> Any:
        boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 1.0, 1.1], [0.0, 10.0, 1.0, 11.0]]
        return [
            raw.DrawBoundingBoxesV2(images=x, boxes=[[[0.1, 0.2, 0.6, 0.9]]], colors=[[0.5, 0.25, 1.0]]),
            list(raw.NonMaxSuppressionV4(boxes=boxes, scores=[0.9, 0.75, 0.6], max_output_size=4, iou_threshold=0.5, score_threshold=0.1, pad_to_max_output_size=True)),
        ]  # fmt: skip

    def raw_images_glimpsed() -> Any:
        return raw.ExtractGlimpse(
            input=x,
            size=[2, 2],
            offsets=[[0.0, 0.0]],
            centered=True,
            normalized=True,
            uniform_noise=False,
        )

    return named(raw_images_resized, raw_images_boxes, raw_images_glimpsed)


def others(tf: Any) -> Programs:
    """Texts, numbers and constants."""
    raw = tf.raw_ops

    def raw_texts() -> Any:
        return [
            raw.UnicodeScript(input=[65, 1049]), raw.UnicodeTranscode(input="héllo", input_encoding="UTF-8", output_encoding="UTF-16-BE"),
            raw.StringFormat(inputs=[tf.constant([1, 2]), tf.constant(3.5)], template="a {} b {}", placeholder="{}"),
            raw.DecodeCSV(records=["1,x", "2,y"], record_defaults=[tf.constant([0]), tf.constant([""])]), raw.DecodePaddedRaw(input_bytes=["ab", "c"], fixed_length=2, out_type=tf.uint8),
        ]  # fmt: skip

    def raw_quantized() -> Any:
        x = tf.constant([-1.0, 0.2, 0.6, 2.0])
        return [
            raw.QuantizeAndDequantizeV2(input=x, input_min=-1.0, input_max=1.0, range_given=True), list(raw.FakeQuantWithMinMaxVarsGradient(gradients=x, inputs=x, min=-0.5, max=1.0)),
            list(raw.FakeQuantWithMinMaxVarsPerChannelGradient(gradients=x[None], inputs=x[None], min=[-0.5] * 4, max=[1.0] * 4)),
        ]  # fmt: skip

    def raw_numbers() -> Any:
        return [raw.SobolSample(dim=2, num_results=3, skip=1)]

    def raw_lists_refused() -> Any:
        h = raw.TensorListReserve(element_shape=[2], num_elements=2, element_dtype=tf.float32)
        return [
            refusal(lambda: raw.TensorListGetItem(input_handle=h, index=5, element_shape=[2], element_dtype=tf.float32), "element 5 in a list with 2 elements"),
            refusal(lambda: raw.TensorListSetItem(input_handle=h, index=5, item=tf.constant([1.0, 2.0])), "element 5 in a list with 2 elements"),
            refusal(lambda: raw.TensorListSetItem(input_handle=h, index=0, item=tf.constant([1.0, 2.0, 3.0])), ""),
        ]  # fmt: skip

    return named(raw_texts, raw_quantized, raw_numbers, raw_lists_refused)
