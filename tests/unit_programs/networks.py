"""Convolutions, pools, losses, images, embeddings, and lists, arrays and queues of tensors."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import Any

import numpy as np

from unit_programs.common import Programs, everywhere, in_session, internal, refusal


def programs(tf: Any) -> Programs:
    return layers(tf) | losses(tf) | raw(tf) | images(tf) | lists(tf) | queues(tf)


def counted(tf: Any, *shape: int) -> Any:
    return tf.constant(np.cos(np.arange(np.prod(shape))).reshape(shape), tf.float32)


def layers(tf: Any) -> Programs:
    """tf.nn: convolutions, pools, normalizations."""

    def values() -> Any:
        n = tf.nn
        x, k = counted(tf, 1, 5, 4, 2), counted(tf, 2, 2, 2, 3)
        one, cube = counted(tf, 1, 6, 2), counted(tf, 1, 3, 3, 3, 1)
        return [
            n.conv2d(x, k, 1, "SAME"), n.conv2d(x, k, [1, 2, 2, 1], "VALID", dilations=1),
            n.conv2d(x, k, 1, [[0, 0], [1, 0], [2, 1], [0, 0]]), n.conv2d(x, k, 1, "VALID", dilations=2),
            n.conv1d(one, counted(tf, 3, 2, 2), 2, "SAME"), n.conv3d(cube, counted(tf, 2, 2, 2, 1, 1), [1] * 5, "SAME"),
            n.conv2d_transpose(n.conv2d(x, k, 2, "SAME"), k, [1, 5, 4, 2], 2),
            n.conv1d_transpose(counted(tf, 1, 3, 2), counted(tf, 3, 4, 2), [1, 6, 4], 2),
            n.depthwise_conv2d(x, counted(tf, 2, 2, 2, 2), [1, 1, 1, 1], "SAME"),
            n.separable_conv2d(x, counted(tf, 2, 2, 2, 1), counted(tf, 1, 1, 2, 3), [1] * 4, "VALID"),
            n.atrous_conv2d(x, k, 2, "SAME"), n.convolution(x, k, padding="VALID", strides=[2, 1]),
            n.dilation2d(x, counted(tf, 2, 2, 2), [1] * 4, "SAME", "NHWC", [1] * 4),
            n.erosion2d(x, counted(tf, 2, 2, 2), [1] * 4, "SAME", "NHWC", [1] * 4),
            n.max_pool2d(x, 2, 2, "SAME"), n.avg_pool2d(x, [2, 3], 1, "VALID"), n.max_pool1d(one, 2, 2, "VALID"),
            n.avg_pool3d(cube, 2, 1, "SAME"), n.max_pool(x, 2, 1, [[0, 0], [1, 1], [0, 1], [0, 0]]),
            n.max_pool_with_argmax(x, 2, 2, "SAME"), n.pool(x, [2, 2], "AVG", padding="VALID", dilations=[2, 1]),
            n.bias_add(x, [1.0, -1.0]), n.local_response_normalization(x, 1, 1.0, 0.5, 0.5),
            n.l2_loss(x), n.l2_normalize(x, -1), n.relu6(x * 9.0), n.leaky_relu(x), n.elu(x), n.selu(x),
            n.gelu(x, approximate=True), n.silu(x), n.crelu(x), n.softsign(x), n.swish(x), n.softmax(x, 1),
            n.log_softmax(x), n.batch_normalization(x, 0.1, 1.0, None, 2.0, 1e-3), n.moments(x, [0, 1, 2]),
            n.in_top_k([1, 0], counted(tf, 2, 3), 1), n.top_k(x, 1), n.space_to_depth(x[:, :4], 2),
            n.with_space_to_batch(x, [1, 1], "SAME", lambda i, num_spatial_dims, padding: i),
            n.isotonic_regression([3.0, 1.0, 2.0]), n.normalize_moments(2.0, 3.0, 4.0, 1.0),
            n.fractional_max_pool(x, [1.0, 1.2, 1.2, 1.0], seed=1)[1][0],
            n.embedding_lookup(counted(tf, 4, 2), [[0, 3], [1, 1]], max_norm=0.5),
            n.safe_embedding_lookup_sparse(counted(tf, 4, 2), tf.sparse.from_dense([[1, 2], [0, 0]])),
            n.embedding_lookup_sparse(counted(tf, 4, 2), tf.sparse.from_dense([[1, 2], [3, 0]]), None, combiner="sqrtn"),
        ]  # fmt: skip

    def refused() -> Any:
        n, x, k = tf.nn, counted(tf, 1, 5, 4, 2), counted(tf, 2, 2, 2, 3)
        return [
            refusal(lambda: n.conv2d(x, k, 1, "BAD"), ""),
            refusal(lambda: n.conv2d(x, counted(tf, 2, 2, 3, 3), 1, "SAME"), ""),
            refusal(lambda: n.conv2d(x, k, [2, 1, 1, 1], "SAME"), ""),
            refusal(lambda: n.conv2d(x, counted(tf, 9, 9, 2, 1), 1, "VALID"), ""),
            refusal(lambda: n.conv2d_transpose(x, k, [1, 5, 4, 7], 1), ""),
            refusal(lambda: n.max_pool2d(x, 9, 1, "VALID"), ""),
            refusal(lambda: n.max_pool2d(x, 0, 1, "VALID"), ""),
            refusal(lambda: n.avg_pool2d(x, 2, 0, "VALID"), ""),
            refusal(lambda: n.max_pool(x, 2, 1, "SAME", data_format="BAD"), ""),
            refusal(lambda: n.bias_add(x, [1.0]), ""),
            refusal(lambda: n.bias_add(x, [[1.0, 2.0]]), ""),
            refusal(lambda: n.softmax(x, 9), ""),
            refusal(lambda: n.softmax(tf.constant([1, 2])), ""),
            refusal(lambda: n.dropout(x, 1.5), "rate"),
            refusal(lambda: n.dropout(x, -0.1), "rate"),
            refusal(lambda: n.dropout(tf.constant([1]), 0.5), "float"),
            refusal(lambda: n.crelu(tf.constant("a")), ""),
            refusal(lambda: n.embedding_lookup([], [1]), ""),
            refusal(lambda: n.embedding_lookup(None, [1]), ""),
            refusal(lambda: n.embedding_lookup_sparse(x[0], tf.constant([1]), None), ""),
            refusal(lambda: n.local_response_normalization(x[0]), ""),
            refusal(lambda: n.depthwise_conv2d(x, k[:, :, :1], [1, 1, 1, 1], "SAME"), ""),
            refusal(lambda: n.pool(x, [2, 2], "OTHER"), ""),
            refusal(lambda: n.moments(x, [7]), ""),
            refusal(lambda: n.fractional_max_pool(x, [1.0, 0.5, 1.2, 1.0]), ""),
        ]

    def gradients() -> Any:
        def build() -> Any:
            n, x, k = tf.nn, counted(tf, 1, 4, 4, 2), counted(tf, 2, 2, 2, 2)
            found = [
                n.conv2d(x, k, 1, "SAME"), n.conv2d_transpose(x, k, [1, 8, 8, 2], 2),
                n.depthwise_conv2d(x, k, [1, 1, 1, 1], "SAME"), n.max_pool2d(x, 2, 1, "SAME") * 1.0,
                n.avg_pool2d(x, 2, 2, "SAME") ** 2, n.dilation2d(x, k[..., 0], [1] * 4, "SAME", "NHWC", [1] * 4),
                n.local_response_normalization(x), n.l2_normalize(x, -1), n.log_softmax(x) * x,
                n.bias_add(x, x[0, 0, 0]) ** 2,
            ]  # fmt: skip
            return [[g for g in tf.gradients(y, [x, k]) if g is not None] for y in found]

        return in_session(tf, build)

    return {"layers": values, "layers refused": refused, "layers' gradients": gradients}


def losses(tf: Any) -> Programs:
    """Cross entropies, CTC, sampled losses."""

    def values() -> Any:
        n, x = tf.nn, counted(tf, 2, 3)
        t = tf.constant([[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]])
        return [
            n.softmax_cross_entropy_with_logits(t, x), n.softmax_cross_entropy_with_logits(t, x, axis=0),
            n.sparse_softmax_cross_entropy_with_logits([2, 0], x), n.sigmoid_cross_entropy_with_logits(t, x),
            n.weighted_cross_entropy_with_logits(t, x, 2.0), n.log_poisson_loss(t, x, compute_full_loss=True),
            n.ctc_loss([[1, 2], [1, 0]], tf.ones([4, 2, 3]), [2, 1], [4, 3]),
            n.ctc_greedy_decoder(counted(tf, 4, 2, 3), [4, 3])[1],
            n.collapse_repeated([[1, 1, 2], [3, 3, 3]], [3, 2]),
            n.ctc_unique_labels([[1, 2, 1]]), n.scale_regularization_loss(3.0),
            n.compute_average_loss([1.0, 2.0], global_batch_size=4),
        ]  # fmt: skip

    def refused() -> Any:
        n, x = tf.nn, counted(tf, 2, 3)
        return [
            refusal(
                lambda: n.sparse_softmax_cross_entropy_with_logits([5, 0], x),
                "outside the valid range",
            ),
            refusal(
                lambda: n.sparse_softmax_cross_entropy_with_logits([[1, 0]], x), "ank mismatch|hape"
            ),
            refusal(lambda: n.sparse_softmax_cross_entropy_with_logits([0], x), ""),
            refusal(
                lambda: n.sparse_softmax_cross_entropy_with_logits(0, 1.0),
                "Logits cannot be scalars|scalar",
            ),
            refusal(lambda: n.softmax_cross_entropy_with_logits(x[:, :2], x), ""),
            refusal(
                lambda: n.sigmoid_cross_entropy_with_logits(x[:1, :2], x),
                "must have the same shape",
            ),
            refusal(
                lambda: n.weighted_cross_entropy_with_logits(x[:, :2], x, 1.0),
                "must have the same shape",
            ),
            refusal(lambda: n.log_poisson_loss(x[:, :2], x), "must have the same shape"),
            refusal(
                lambda: tf.compat.v1.nn.softmax_cross_entropy_with_logits(x, x), "named arguments"
            ),
            refusal(lambda: tf.compat.v1.losses.mean_squared_error(x, x[:, :1]), ""),
            refusal(lambda: tf.compat.v1.losses.mean_squared_error(None, x), "must not be None"),
            refusal(
                lambda: tf.compat.v1.losses.absolute_difference(x, x, tf.ones([5])),
                "weights can not",
            ),
            refusal(lambda: tf.compat.v1.losses.compute_weighted_loss(x, reduction="bad"), ""),
        ]

    return {"losses": lambda: everywhere(tf, values), "losses refused": refused}


def raw(tf: Any) -> Programs:
    """Generated functions of networks and images."""

    def of_networks() -> Any:
        g = internal("ops.gen_nn_ops")
        x, k = counted(tf, 1, 4, 4, 1), counted(tf, 2, 2, 1, 1)
        ones, four = [1, 2, 2, 1], [1, 1, 1, 1]
        y = tf.nn.max_pool2d(x, 2, 2, "VALID")
        return [
            g.conv2d(x, k, four, "SAME"), g.conv2d_backprop_input([1, 4, 4, 1], k, x, four, "SAME"),
            g.conv2d_backprop_filter(x, [2, 2, 1, 1], x, four, "SAME"), g.max_pool(x, ones, ones, "VALID"),
            g.max_pool_grad(x, y, y, ones, ones, "VALID"), g.avg_pool_grad([1, 4, 4, 1], y, ones, ones, "VALID"),
            g.max_pool_v2(x, ones, ones, "VALID"), g.relu_grad(x, x), g.softplus_grad(x, x), g.elu_grad(x, x),
            g.relu6_grad(x, x), g.selu_grad(x, x), g.bias_add_grad(x), g.lrn(x), g.softmax(x[0, :, :, 0]),
            g.softmax_cross_entropy_with_logits(x[0, :, :, 0], tf.nn.softmax(x[0, :, :, 0])),
            g.sparse_softmax_cross_entropy_with_logits(x[0, :, :, 0], [0, 1, 2, 3]), g.top_kv2(x, 1),
            g.max_pool_grad_grad(x, y, x, ones, ones, "VALID"), g.in_top_kv2([[0.1, 0.9]], [1], 1),
            g.depthwise_conv2d_native(x, k, four, "SAME"), g.l2_loss(x), g.leaky_relu_grad(x, x),
            g.nth_element([3.0, 1.0, 2.0], 1), g.in_top_k([[0.1, 0.9]], [1], 1), g.bias_add_v1(x, [1.0]),
        ]  # fmt: skip

    def of_linear() -> Any:
        g = internal("ops.gen_linalg_ops")
        x = tf.constant([[4.0, 1.0], [1.0, 3.0]])
        return [
            g.cholesky(x), g.cholesky_grad(g.cholesky(x), tf.ones([2, 2])), g.matrix_inverse(x),
            g.matrix_determinant(x), g.log_matrix_determinant(x), g.matrix_solve(x, x), g.qr(x)[1] ** 2,
            g.self_adjoint_eig_v2(x)[0], g.svd(x)[0], g.lu(x)[0],
            g.matrix_triangular_solve(x, x),
            g.matrix_solve_ls(x, x, 0.0), g.tridiagonal_solve(tf.ones([3, 2]) + 3.0 * tf.eye(3, 2), x),
        ]  # fmt: skip

    def of_images() -> Any:
        g = internal("ops.gen_image_ops")
        x = counted(tf, 1, 3, 3, 1)
        boxes, scores = (
            [[0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 1.0, 1.1], [0.0, 2.0, 1.0, 3.0]],
            [0.9, 0.8, 0.7],
        )
        return [
            g.resize_bilinear(x, [2, 2]), g.resize_nearest_neighbor(x, [2, 2]), g.resize_bicubic(x, [2, 2]),
            g.resize_area(x, [2, 2]), g.crop_and_resize(x, [[0.0, 0.0, 1.0, 1.0]], [0], [2, 2]),
            g.non_max_suppression(boxes, scores, 2), g.non_max_suppression_v3(boxes, scores, 2, 0.5, 0.1),
            g.adjust_hue(counted(tf, 2, 2, 3), 0.1), g.rgb_to_hsv(tf.abs(counted(tf, 2, 2, 3))),
        ]  # fmt: skip

    return {"raw networks": of_networks, "raw linear": of_linear, "raw images": of_images}


def images(tf: Any) -> Programs:
    """tf.image."""

    def values() -> Any:
        i = tf.image
        x = tf.reshape(tf.range(48.0), [1, 4, 4, 3]) / 48.0
        b = tf.cast(tf.reshape(tf.range(48), [4, 4, 3]) * 5, tf.uint8)
        boxes = tf.constant([[0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 1.0, 1.1], [0.0, 2.0, 1.0, 3.0]])
        return [
            i.flip_left_right(b), i.flip_up_down(x)[0, 0], i.rot90(b, 3)[0], i.transpose(b)[0],
            i.central_crop(b, 0.5), i.crop_to_bounding_box(b, 1, 0, 2, 3), i.pad_to_bounding_box(b, 1, 1, 6, 6)[1],
            i.resize_with_crop_or_pad(b, 2, 6)[0], i.resize(x, [2, 3]), i.resize(x, [6, 2], "nearest")[0, 0],
            i.resize(x, [2, 2], "bicubic", antialias=True), i.resize(x, [3, 3], "lanczos3")[0, 0],
            i.resize(x, [2, 2], "area"), i.resize_with_pad(x, 2, 4), i.resize(x, [8, 2], preserve_aspect_ratio=True).shape,
            i.adjust_brightness(b, 0.1)[0], i.adjust_contrast(b, 1.5)[0], i.adjust_gamma(x, 2.0)[0, 0],
            i.adjust_hue(x, 0.2)[0, 0], i.adjust_saturation(b, 0.5)[0], i.rgb_to_grayscale(b)[0], i.grayscale_to_rgb(x[..., :1])[0, 0],
            i.rgb_to_hsv(x)[0, 0], i.hsv_to_rgb(x)[0, 0], i.rgb_to_yiq(x)[0, 0], i.yuv_to_rgb(x)[0, 0], i.rgb_to_yuv(x)[0, 0],
            i.convert_image_dtype(b, tf.float32)[0], i.convert_image_dtype(x, tf.uint8, saturate=True)[0, 0],
            i.per_image_standardization(b)[0], i.image_gradients(x), i.sobel_edges(x)[0, 0], i.total_variation(x),
            i.psnr(x, x * 0.9, 1.0), i.non_max_suppression(boxes, [0.9, 0.8, 0.7], 2),
            i.non_max_suppression_with_scores(boxes, [0.9, 0.8, 0.7], 3, soft_nms_sigma=0.5), i.non_max_suppression_padded(
                boxes, [0.9, 0.8, 0.7], 4, pad_to_max_output_size=True), i.extract_patches(x, [1, 2, 2, 1], [1, 2, 2, 1], [1] * 4, "VALID"),
            i.crop_and_resize(x, [[0.0, 0.0, 0.5, 0.5]], [0], [2, 2]), i.draw_bounding_boxes(x, [[[0.1, 0.1, 0.8, 0.8]]], [[1.0, 0.0, 0.0]])[0, 0],
            i.extract_glimpse(x, [2, 2], [[0.0, 0.0]], noise="zero"), i.combined_non_max_suppression(
                boxes[None, :, None], tf.constant([[[0.9], [0.8], [0.7]]]), 2, 2),
        ]  # fmt: skip

    def refused() -> Any:
        i, b = tf.image, tf.zeros([4, 4, 3])
        return [
            refusal(lambda: i.flip_left_right(b[0]), "must"),
            refusal(lambda: i.central_crop(b, 1.5), "central_fraction must be within"),
            refusal(lambda: i.central_crop(b[0], 0.5), ""),
            refusal(lambda: i.crop_to_bounding_box(b, -1, 0, 2, 2), "offset_height must be >= 0"),
            refusal(lambda: i.crop_to_bounding_box(b, 3, 0, 2, 2), ""),
            refusal(lambda: i.pad_to_bounding_box(b, 0, 0, 2, 2), ""),
            refusal(lambda: i.resize(b[0], [2, 2]), "must be"),
            refusal(lambda: i.resize(b, [2]), "size"),
            refusal(lambda: i.resize(b, [2, 2, 2]), ""),
            refusal(lambda: i.resize(b, [2.0, 2.0]), ""),
            refusal(lambda: i.resize(b, [2, 2], "bad"), "not implemented|Resize method"),
            refusal(lambda: i.resize_with_crop_or_pad(b, 0, 2), "must be > 0"),
            refusal(lambda: i.rgb_to_grayscale(b[..., :2]), ""),
            refusal(lambda: i.grayscale_to_rgb(b), ""),
            refusal(lambda: i.rot90(b[0]), ""),
            refusal(lambda: i.adjust_hue(b[..., :1], 0.1), ""),
            refusal(lambda: i.psnr(b, b[:2], 1.0), ""),
            refusal(lambda: i.random_hue(b, -1.0), "max_delta"),
            refusal(lambda: i.random_brightness(b, -1.0), "max_delta must be non-negative"),
            refusal(lambda: i.random_contrast(b, 2.0, 1.0), "upper must be > lower"),
            refusal(lambda: i.non_max_suppression(b, [1.0], 1), ""),
            refusal(lambda: i.crop_and_resize(b[None], [[0.0, 0.0, 1.0, 1.0]], [5], [2, 2]), ""),
            refusal(lambda: i.extract_patches(b, [1, 2, 2, 1], [1] * 4, [1] * 4, "BAD"), ""),
            refusal(lambda: i.total_variation(b[0]), ""),
        ]

    def static() -> Any:
        with tf.Graph().as_default():
            p = tf.compat.v1.placeholder(tf.float32, [None, None, 3])
            q = tf.compat.v1.placeholder(tf.float32, [None, None, None, 3])
            i = tf.image
            return [
                i.resize(p, [4, 5]).shape.as_list(), i.resize(q, [4, 5]).shape.as_list(),
                i.flip_left_right(p).shape.as_list(), i.rot90(p).shape.as_list(),
                i.resize_with_crop_or_pad(q, 2, 3).shape.as_list(),
                i.rgb_to_grayscale(q).shape.as_list(), i.per_image_standardization(p).shape.as_list(),
                i.transpose(q).shape.as_list(),
            ]  # fmt: skip

    return {"images": values, "images refused": refused, "images' shapes": static}


def lists(tf: Any) -> Programs:
    """TensorArray, list_ops and stacks."""

    def arrays() -> Any:
        a = tf.TensorArray(tf.float32, 3, clear_after_read=False, element_shape=[2])
        a = a.write(0, [1.0, 2.0]).write(2, [5.0, 6.0]).write(1, [3.0, 4.0])
        u = tf.TensorArray(tf.int32, 0, dynamic_size=True).unstack([[1, 2], [3, 4]])
        s = tf.TensorArray(tf.float32, 2, infer_shape=False, element_shape=[None, 1]).split(
            [[1.0], [2.0], [3.0]], [2, 1]
        )
        return [
            a.stack(), a.gather([2, 0]), a.concat(), a.read(1), a.size(), u.write(3, [7, 8]).stack(),
            u.scatter([1, 0], [[9, 9], [8, 8]]).stack(), s.concat(), a.dtype.name, a.identity().stack(),
            tf.TensorArray(tf.float32, 2, element_shape=[2]).stack(),
        ]  # fmt: skip

    def arrays_refused() -> Any:
        def made(**kwargs: Any) -> Any:
            return tf.TensorArray(tf.float32, 2, **kwargs)

        def twice() -> Any:
            a = made().write(0, 1.0)
            a.read(0)
            return a.read(0)

        return [
            refusal(lambda: made().write(5, 1.0), ""),
            refusal(lambda: made().write(-1, 1.0), ""),
            refusal(lambda: made().read(0), ""),
            refusal(twice, ""),
            refusal(lambda: made(element_shape=[2]).write(0, 1.0), ""),
            refusal(lambda: made().write(0, tf.constant(1)), ""),
            refusal(lambda: made().write(0, [1.0]).write(1, [1.0, 2.0]).stack(), ""),
            refusal(lambda: made().unstack(tf.constant(1.0)), ""),
            refusal(lambda: made().split([1.0], [2]), ""),
        ]

    def listed() -> Any:
        o = internal("ops.list_ops")
        e = o.empty_tensor_list(element_shape=[2], element_dtype=tf.float32, max_num_elements=4)
        e = o.tensor_list_push_back(e, [1.0, 2.0])
        e = o.tensor_list_push_back(e, [3.0, 4.0])
        f = o.tensor_list_from_tensor([[1, 2], [3, 4], [5, 6]], element_shape=[2])
        r = o.tensor_list_reserve([2], 3, tf.int32)
        r = o.tensor_list_set_item(r, 1, [7, 8])
        rest, last = o.tensor_list_pop_back(e, tf.float32)
        return [
            o.tensor_list_stack(e, tf.float32), o.tensor_list_length(e), last, o.tensor_list_length(rest),
            o.tensor_list_get_item(f, 1, tf.int32), o.tensor_list_stack(r, tf.int32),
            o.tensor_list_gather(f, [2, 0], tf.int32),
            o.tensor_list_element_shape(f, tf.int32), o.tensor_list_stack(o.tensor_list_resize(f, 2), tf.int32),
            o.tensor_list_stack(o.tensor_list_scatter([[1, 1], [2, 2]], [1, 0], [2]), tf.int32),
            refusal(lambda: o.tensor_list_get_item(f, 9, tf.int32), ""),
            refusal(lambda: o.tensor_list_pop_back(o.empty_tensor_list([], tf.float32), tf.float32), "empty list"),
            refusal(lambda: o.tensor_list_push_back(e, [1.0]), ""),
            refusal(lambda: o.tensor_list_stack(f, tf.float32), ""),
            refusal(lambda: o.tensor_list_set_item(f, 5, [1, 2]), ""),
            refusal(lambda: o.tensor_list_push_back(o.empty_tensor_list([], tf.float32, 0), 1.0), ""),
        ]  # fmt: skip

    def list_gradients() -> Any:
        o = internal("ops.list_ops")
        x = tf.constant([1.0, 2.0, 3.0])
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            l = o.tensor_list_from_tensor(x * x, element_shape=[])  # noqa: E741
            y = o.tensor_list_stack(l, tf.float32)
            z = o.tensor_list_get_item(l, 1, tf.float32)
            w = o.tensor_list_pop_back(l, tf.float32)[1]
            v = o.tensor_list_gather(l, [2, 0], tf.float32)
        return [tape.gradient(t, x) for t in (y, z, w, v)]

    def stacks() -> Any:
        g = internal("ops.gen_data_flow_ops")
        h = g.stack_v2(-1, elem_type=tf.float32, stack_name="s")
        g.stack_push_v2(h, [1.0])
        g.stack_push_v2(h, [2.0, 3.0])
        found = g.stack_pop_v2(h, tf.float32), g.stack_pop_v2(h, tf.float32)
        return found, refusal(lambda: g.stack_pop_v2(h, tf.float32), "empty")

    return {
        "arrays of tensors": arrays,
        "arrays of tensors refused": arrays_refused,
        "lists": listed,
        "lists' gradients": list_gradients,
        "stacks": stacks,
    }


def queues(tf: Any) -> Programs:
    """Queues, barriers and staging areas in graphs with sessions."""
    v1 = tf.compat.v1

    def fifo() -> Any:
        with tf.Graph().as_default(), v1.Session() as session:
            q = v1.FIFOQueue(3, [tf.int32, tf.float32], shapes=[[], [2]], names=["a", "b"])
            put = q.enqueue({"a": 1, "b": [1.0, 2.0]})
            many = q.enqueue_many({"a": [2, 3], "b": [[3.0, 4.0], [5.0, 6.0]]})
            got, size, closed = q.dequeue(), q.size(), q.is_closed()
            session.run([put])
            session.run([many])
            return [
                session.run(size), session.run(got), session.run(q.dequeue_many(2)),
                session.run(closed), session.run(q.close()), session.run(closed),
                refusal(lambda: session.run(got), "is closed and has insufficient elements"),
                refusal(lambda: session.run(put), "is closed"),
                [t.name for t in q.dtypes], [s.as_list() for s in q.shapes], q.names, q.name,
            ]  # fmt: skip

    def refused() -> Any:
        with tf.Graph().as_default():
            q = v1.FIFOQueue(3, [tf.int32, tf.float32], shapes=[[], [2]])
            r = v1.FIFOQueue(3, tf.float32)
            return [
                refusal(lambda: q.enqueue([1, [1.0]]), ""),
                refusal(lambda: q.enqueue(["a", [1.0, 2.0]]), ""),
                refusal(lambda: q.enqueue({"a": 1}), ""),
                refusal(lambda: v1.FIFOQueue(3, [tf.int32], shapes=[[], []]), ""),
                refusal(lambda: v1.FIFOQueue(3, [tf.int32], names=["a", "b"]), ""),
                refusal(lambda: v1.PaddingFIFOQueue(3, [tf.int32]), ""),
                refusal(lambda: v1.RandomShuffleQueue.from_list(0, [q, r]), ""),
            ]

    def padded() -> Any:
        with tf.Graph().as_default(), v1.Session() as session:
            q = v1.PaddingFIFOQueue(5, [tf.int32], [[None]])
            for n in ([1], [1, 2, 3]):
                session.run(q.enqueue([n]))
            p = v1.PriorityQueue(5, [tf.string], [[]])
            for k, v in ((3, "c"), (1, "a"), (2, "b")):
                session.run(p.enqueue([tf.constant(k, tf.int64), v]))
            return session.run(q.dequeue_many(2)), [session.run(p.dequeue()) for _ in range(3)]

    def barriers() -> Any:
        o = internal("ops.data_flow_ops")
        with tf.Graph().as_default(), v1.Session() as session:
            b = o.Barrier([tf.float32, tf.int32], shapes=[[], []], name="b")
            session.run(b.insert_many(0, ["k", "l"], [1.0, 2.0]))
            waiting = session.run([b.ready_size(), b.incomplete_size()])
            session.run(b.insert_many(1, ["l", "k"], [20, 10]))
            taken = session.run(b.take_many(2))
            return (
                waiting,
                sorted(zip(taken[1].tolist(), taken[2][0].tolist(), strict=True)),
                b.name,
            )

    def staged() -> Any:
        o = internal("ops.data_flow_ops")
        with tf.Graph().as_default(), v1.Session() as session:
            s = o.StagingArea([tf.float32, tf.int32], names=["x", "y"])
            session.run(s.put({"x": tf.constant(1.5), "y": tf.constant(3)}))
            return session.run(s.size()), session.run(s.get()), session.run(s.size())

    def accumulated() -> Any:
        with tf.Graph().as_default(), v1.Session() as session:
            a = v1.ConditionalAccumulator(tf.float32, [1], name="A")
            session.run([a.apply_grad([2.0])])
            session.run([a.apply_grad([4.0])])
            count = session.run(a.num_accumulated())
            taken = session.run(a.take_grad(2))
            s = v1.SparseConditionalAccumulator(tf.float32, [None, 1])
            session.run(s.apply_indexed_slices_grad(tf.IndexedSlices([[3.0]], [1])))
            session.run(s.apply_grad([0, 1], [[1.0], [5.0]]))
            return count, taken, session.run(s.take_grad(2))

    return {
        "queues": fifo,
        "queues refused": refused,
        "queues padded": padded,
        "barriers": barriers,
        "staged": staged,
        "accumulated": accumulated,
    }
