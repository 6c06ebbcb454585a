"""tf.nn in detail: convolutions by padding, stride, dilation and groups, pools, norms, losses, embeddings, each with gradients."""

# mypy: disable-error-code="no-any-return, misc"
from __future__ import annotations

from typing import Any

import numpy as np

from unit_programs.common import Programs, everywhere, in_session, internal, named, outcome, refusal


def programs(tf: Any) -> Programs:
    return convolved(tf) | pooled(tf) | normalized(tf) | lost(tf) | embedded(tf)


def counted(tf: Any, *shape: int) -> Any:
    return tf.constant(np.cos(np.arange(np.prod(shape)) * 1.3).reshape(shape), tf.float32)


def pulled(tf: Any, f: Any, *xs: Any) -> Any:
    """A result, and its gradients with weights that differ."""
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = f(*xs)
        total = tf.reduce_sum(y * counted(tf, *[int(n) for n in y.shape]))
    return [None, y, tape.gradient(total, xs)]


def convolved(tf: Any) -> Programs:
    """Convolutions and their gradients."""
    n = tf.nn
    x, k = counted(tf, 2, 5, 6, 2), counted(tf, 2, 3, 2, 2)

    def convolutions_by_padding() -> Any:
        explicit = [[0, 0], [1, 0], [2, 1], [0, 0]]
        return [
            pulled(tf, lambda a, b, p=p, s=s: n.conv2d(a, b, s, p), x, k)
            for p in ("SAME", "VALID", explicit)
            for s in (1, [1, 2], 2)
        ]

    def convolutions_dilated() -> Any:
        return [
            None,
            n.conv2d(x, k, 1, "SAME", dilations=2),
            n.conv2d(x, k, 1, "VALID", dilations=[1, 2]),
            n.atrous_conv2d(x, k, 2, "SAME"),
            n.convolution(x, k, dilations=2, padding="SAME"),
        ]

    def convolutions_in_groups() -> Any:
        return [
            None,
            n.conv2d(counted(tf, 1, 4, 4, 4), counted(tf, 2, 2, 2, 4), 1, "SAME"),
            n.conv1d(counted(tf, 1, 5, 2), counted(tf, 2, 1, 4), 1, "SAME"),
        ]

    def convolutions_of_one() -> Any:
        a, b = counted(tf, 2, 7, 2), counted(tf, 3, 2, 3)
        return [
            pulled(tf, lambda u, v, p=p, s=s: n.conv1d(u, v, s, p), a, b)
            for p in ("SAME", "VALID")
            for s in (1, 2)
        ]

    def convolutions_of_three() -> Any:
        a, b = counted(tf, 1, 3, 4, 3, 1), counted(tf, 2, 2, 2, 1, 2)
        return [
            pulled(tf, lambda u, v, p=p, s=s: n.conv3d(u, v, [1, s, s, 1, 1], p), a, b)
            for p in ("SAME", "VALID")
            for s in (1, 2)
        ]

    def convolutions_transposed() -> Any:
        return [
            pulled(tf, lambda a, b: n.conv2d_transpose(a, b, [2, 10, 12, 2], 2), x, counted(tf, 3, 3, 2, 2)), pulled(tf, lambda a, b: n.conv2d_transpose(a, b, [2, 6, 8, 2], 1, "VALID"), x, counted(tf, 2, 3, 2, 2)),
            pulled(tf, lambda a, b: n.conv1d_transpose(a, b, [1, 8, 2], 2), counted(tf, 1, 4, 3), counted(tf, 3, 2, 3)), n.conv3d_transpose(counted(tf, 1, 2, 2, 2, 1), counted(tf, 2, 2, 2, 1, 1), [1, 4, 4, 4, 1], 2),
            n.conv_transpose(x, counted(tf, 3, 3, 2, 2), [2, 10, 12, 2], 2), n.atrous_conv2d_transpose(counted(tf, 1, 4, 4, 1), counted(tf, 2, 2, 1, 1), [1, 4, 4, 1], 2, "SAME"),
        ]  # fmt: skip

    def convolutions_by_depth() -> Any:
        w = counted(tf, 2, 2, 2, 2)
        return [
            pulled(tf, lambda a, b, p=p, s=s: n.depthwise_conv2d(a, b, [1, s, s, 1], p), x, w) for p in ("SAME", "VALID") for s in (1, 2)
        ] + [n.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME", dilations=[2, 2]), pulled(tf, lambda a, b, c: n.separable_conv2d(a, b, c, [1, 1, 1, 1], "VALID"), x, w, counted(tf, 1, 1, 4, 3))]  # fmt: skip

    def convolutions_backprop() -> Any:
        g = n.conv2d(x, k, 1, "SAME")
        v, gen = tf.compat.v1.nn, internal("ops.nn_ops")
        return [
            v.conv2d_backprop_input([2, 5, 6, 2], k, g, [1, 1, 1, 1], "SAME"), v.conv2d_backprop_filter(x, [2, 3, 2, 2], g, [1, 1, 1, 1], "SAME"), n.depthwise_conv2d_backprop_input([2, 5, 6, 2], counted(tf, 2, 2, 2, 1), x, [1, 1, 1, 1], "SAME"),
            n.depthwise_conv2d_backprop_filter(x, [2, 2, 2, 1], x, [1, 1, 1, 1], "SAME"), tf.raw_ops.Conv3DBackpropInputV2(input_sizes=[1, 2, 2, 2, 1], filter=counted(tf, 1, 1, 1, 1, 1), out_backprop=counted(tf, 1, 2, 2, 2, 1), strides=[1] * 5, padding="SAME"),
            gen.conv2d_backprop_input_v2 is not None if hasattr(gen, "conv2d_backprop_input_v2") else True,
        ]  # fmt: skip

    def convolutions_refused() -> Any:
        return [
            refusal(lambda: n.conv2d(x, k, [1, 1, 1], "SAME"), ""), refusal(lambda: n.conv2d(x, k, 0, "SAME")), refusal(lambda: n.conv2d(x, k, -1, "SAME")),
            refusal(lambda: n.conv2d(x, tf.cast(k, tf.float64), 1, "SAME")), refusal(lambda: n.conv2d(tf.cast(x, tf.int8), tf.cast(k, tf.int8), 1, "SAME")),
            refusal(lambda: n.convolution(x, k, padding="OTHER")), refusal(lambda: n.convolution(x, k, strides=2, dilations=2), "strides > 1 not supported in conjunction with dilation_rate > 1|trides"),
            refusal(lambda: n.depthwise_conv2d(x, counted(tf, 2, 2, 3, 1), [1, 1, 1, 1], "SAME")), refusal(lambda: n.depthwise_conv2d(x, counted(tf, 2, 2, 2, 1), [1, 1, 2, 1], "SAME")), refusal(lambda: n.separable_conv2d(x, counted(tf, 2, 2, 2, 2), counted(tf, 1, 1, 3, 3), [1] * 4, "VALID")),
        ]  # fmt: skip

    def convolutions_in_version_1() -> Any:
        v = tf.compat.v1.nn
        one, two = x.numpy(), k.numpy()
        return in_session(
            tf,
            lambda: [
                v.conv2d(one, two, [1, 1, 1, 1], "SAME"),
                v.conv2d(one, filters=two, strides=1, padding="VALID"),
                v.convolution(one, two, "SAME"),
                v.conv1d(counted(tf, 1, 5, 2), counted(tf, 2, 2, 1), 1, "SAME"),
                v.depthwise_conv2d(one, counted(tf, 2, 2, 2, 1), [1] * 4, "SAME", rate=[1, 1]),
                v.separable_conv2d(
                    one, counted(tf, 2, 2, 2, 1), counted(tf, 1, 1, 2, 1), [1] * 4, "SAME"
                ),
            ],
        )

    def convolutions_empty() -> Any:
        return [
            n.conv2d(x[:0], k, 1, "SAME").shape,
            pulled(tf, lambda a, b: n.conv2d(a, b, 1, "SAME"), x[:0], k),
            outcome(lambda: n.max_pool2d(x[:0], 2, 2, "SAME")),
        ]

    def convolutions_shapes() -> Any:
        with tf.Graph().as_default():
            p = tf.compat.v1.placeholder
            a, k = p(tf.float32, [None, None, 6, 2]), counted(tf, 2, 3, 2, 2)
            return [
                None,
                n.conv2d(a, k, 2, "SAME").shape,
                n.conv2d(a, k, 2, "VALID").shape,
                n.conv2d_transpose(a, k, tf.stack([tf.shape(a)[0], 5, 6, 2]), 1).shape,
                n.max_pool2d(a, 2, 2, "SAME").shape,
                n.avg_pool2d(a, 3, 1, "VALID").shape,
                n.conv2d(p(tf.float32, None), k, 1, "SAME").shape.rank,
                n.depthwise_conv2d(a, counted(tf, 2, 2, 2, 3), [1] * 4, "SAME").shape,
            ]

    return named(
        convolutions_by_padding, convolutions_dilated, convolutions_in_groups, convolutions_of_one, convolutions_of_three, convolutions_transposed, convolutions_by_depth,
        convolutions_backprop, convolutions_refused, convolutions_in_version_1, convolutions_empty, convolutions_shapes,
    )  # fmt: skip


def pooled(tf: Any) -> Programs:
    """Pools and their gradients."""
    n = tf.nn
    x = counted(tf, 1, 5, 6, 2)

    def pools() -> Any:
        return [
            pulled(tf, lambda a, f=f, p=p, s=s: f(a, [2, 3], s, p), x)
            for f in (n.max_pool2d, n.avg_pool2d)
            for p in ("SAME", "VALID")
            for s in (1, 2)
        ]

    def pools_of_others() -> Any:
        one, three = counted(tf, 1, 7, 2), counted(tf, 1, 3, 3, 4, 1)
        return [
            pulled(tf, lambda a, f=f: f(a, 2, 2, "SAME"), one) for f in (n.max_pool1d, n.avg_pool1d)
        ] + [
            pulled(tf, lambda a, f=f: f(a, 2, 1, "VALID"), three)
            for f in (n.max_pool3d, n.avg_pool3d)
        ]

    def pools_fractional() -> Any:
        f, g = tf.compat.v1.nn.fractional_max_pool, tf.compat.v1.nn.fractional_avg_pool
        return [
            [list(h(x, [1.0, 1.4, 1.5, 1.0], pseudo_random=p, overlapping=o, deterministic=True, seed=3, seed2=4)) for h in (f, g) for p in (True, False) for o in (True, False)], n.fractional_max_pool(x, 1.5, seed=5)[0],
            refusal(lambda: n.fractional_max_pool(x, [1.0, 0.9, 1.5, 1.0])), refusal(lambda: n.fractional_max_pool(x, [2.0, 1.5, 1.5, 1.0])),
        ]  # fmt: skip

    def pools_fractional_gradients() -> Any:
        return [
            pulled(tf, lambda a, f=f: f(a, [1.0, 1.4, 1.5, 1.0], True, True, seed=3)[0], x)
            for f in (n.fractional_max_pool, n.fractional_avg_pool)
        ]

    def pools_with_places() -> Any:
        f = n.max_pool_with_argmax
        return [
            f(x, 2, 2, "SAME"),
            f(x, [2, 3], 1, "VALID", include_batch_in_index=True, output_dtype=tf.int32),
            pulled(tf, lambda a: f(a, 2, 1, "SAME")[0], x),
        ]

    def pools_ties() -> Any:
        with tf.GradientTape() as tape:
            ones = tf.ones([1, 3, 3, 1])
            tape.watch(ones)
            y = n.max_pool2d(ones, 2, 1, "VALID")
        return tape.gradient(y, ones)

    def pools_second_gradient() -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = n.avg_pool2d(x**3, 2, 1, "SAME") + n.max_pool2d(x, 2, 1, "SAME") ** 2
            g = inner.gradient(y, x)
        return outer.gradient(g, x)

    def pools_raw() -> Any:
        y = n.max_pool2d(x, 2, 2, "SAME")
        r = tf.raw_ops
        a = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "SAME"}
        return [
            r.MaxPoolGrad(orig_input=x, orig_output=y, grad=y, **a), r.AvgPoolGrad(orig_input_shape=[1, 5, 6, 2], grad=y, **a), r.MaxPoolV2(input=x, ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="VALID"), r.MaxPoolGradGrad(orig_input=x, orig_output=y, grad=x, **a),
            r.MaxPool3D(input=x[None], ksize=[1, 1, 2, 2, 1], strides=[1] * 5, padding="SAME"),
        ]  # fmt: skip

    def pools_refused() -> Any:
        return [
            refusal(lambda: n.max_pool2d(x, [2, 2, 2], 1, "SAME"), ""), refusal(lambda: n.max_pool2d(x, 2, 0, "SAME")), refusal(lambda: n.avg_pool2d(x, 8, 1, "VALID")), refusal(lambda: n.max_pool(x, 2, 1, "OTHER")),
            refusal(lambda: n.avg_pool(x, -2, 1, "SAME")), refusal(lambda: n.pool(x, [2, 2], "MAX", strides=[2, 2], dilations=[2, 2]), ""), refusal(lambda: n.max_pool_with_argmax(x, 2, 1, "OTHER")),
        ]  # fmt: skip

    return named(
        pools, pools_of_others, pools_fractional, pools_fractional_gradients, pools_with_places, pools_ties, pools_second_gradient, pools_raw, pools_refused,
    )  # fmt: skip


def normalized(tf: Any) -> Programs:
    """Normalizations, activations, dropout."""
    n = tf.nn
    x = counted(tf, 2, 3, 2, 3)

    def activations_with_gradients() -> Any:
        fs = [
            n.relu,
            n.relu6,
            n.elu,
            n.selu,
            n.silu,
            n.softplus,
            n.softsign,
            n.sigmoid,
            n.tanh,
            n.leaky_relu,
            n.gelu,
            n.crelu,
            n.softmax,
            n.log_softmax,
            tf.math.log_sigmoid,
            n.swish,
        ]
        return [pulled(tf, f, counted(tf, 2, 3) * 3.0) for f in fs]

    def activations_at_zero() -> Any:
        return [
            pulled(tf, f, tf.zeros([2]))
            for f in (n.relu, n.relu6, n.elu, n.selu, n.leaky_relu, n.softplus, n.softsign, n.crelu)
        ]

    def activations_raw_gradients() -> Any:
        g, y, r = counted(tf, 3), counted(tf, 3) * 2.0, tf.raw_ops
        return [
            r.ReluGrad(gradients=g, features=y),
            r.Relu6Grad(gradients=g, features=y),
            r.EluGrad(gradients=g, outputs=y),
            r.SeluGrad(gradients=g, outputs=y),
            r.SoftplusGrad(gradients=g, features=y),
            r.SoftsignGrad(gradients=g, features=y),
            r.LeakyReluGrad(gradients=g, features=y, alpha=0.1),
            r.SigmoidGrad(y=y, dy=g),
            r.TanhGrad(y=y, dy=g),
        ]

    def norms_of_batches() -> Any:
        f = tf.compat.v1.nn.fused_batch_norm
        s, o = counted(tf, 3) + 2.0, counted(tf, 3)
        return [
            list(f(x, s, o)), list(f(x, s, o, counted(tf, 3), s, is_training=False)), pulled(tf, lambda a, b, c: f(a, b, c)[0], x, s, o), pulled(tf, lambda a, b, c: f(a, b, c, counted(tf, 3), counted(tf, 3) + 2.0, is_training=False)[0], x, s, o),
            n.batch_normalization(x, counted(tf, 3), s, o, s, 1e-3), n.batch_norm_with_global_normalization(x, counted(tf, 3), s, o, s, 1e-3, True), f(x, s, o, counted(tf, 3), s, exponential_avg_factor=0.5)[1],
        ]  # fmt: skip

    def norms_of_others() -> Any:
        return [
            pulled(tf, lambda a: n.l2_normalize(a, -1), x), pulled(tf, lambda a: n.local_response_normalization(a, 1, 1.0, 0.5, 0.5), x), n.moments(x, [0, 1]), n.moments(x, [0], keepdims=True), n.weighted_moments(x, [0], tf.abs(x)), n.sufficient_statistics(x, [0, 1]),
            n.normalize_moments(*n.sufficient_statistics(x, [0])[:3], None), n.zero_fraction(tf.nn.relu(x)), n.sufficient_statistics(x, [0], shift=0.5, keepdims=True),
        ]  # fmt: skip

    def dropouts() -> Any:
        y = tf.ones([4, 3])
        return [
            n.dropout(y, 0.0), n.experimental.stateless_dropout(y, 0.5, seed=[1, 2]), n.experimental.stateless_dropout(y, 0.5, seed=[1, 2], noise_shape=[4, 1]), n.dropout(y, 0.5, seed=7).shape, n.experimental.general_dropout(y, 0.5, lambda shape, dtype: tf.fill(shape, tf.cast(0.7, dtype))),
            refusal(lambda: n.dropout(y, 1.0), "rate|range"), refusal(lambda: n.dropout(y, "a")), refusal(lambda: tf.compat.v1.nn.dropout(y, 0.0), ""), refusal(lambda: n.dropout(y, 0.5, noise_shape=[3, 2])),
        ]  # fmt: skip

    def softmaxes_by_axis() -> Any:
        return [
            n.softmax(x, 0),
            n.softmax(x, -2),
            n.log_softmax(x, 1),
            n.softmax(tf.zeros([0, 3])),
            refusal(lambda: n.softmax(x, 4)),
            refusal(lambda: n.softmax(tf.constant("a"))),
            everywhere(tf, lambda: n.softmax(counted(tf, 2, 3))),
            n.softmax(tf.constant([1000.0, -1000.0])),
            n.log_softmax(tf.constant([np.inf, 1.0])),
        ]

    return named(
        activations_with_gradients, activations_at_zero, activations_raw_gradients, norms_of_batches, norms_of_others, dropouts, softmaxes_by_axis,
    )  # fmt: skip


def lost(tf: Any) -> Programs:
    """Losses and their gradients."""
    n = tf.nn
    logits = counted(tf, 2, 3)
    labels = tf.constant([[0.2, 0.3, 0.5], [0.0, 1.0, 0.0]])

    def losses_with_gradients() -> Any:
        return [
            pulled(tf, lambda a: n.softmax_cross_entropy_with_logits(labels, a), logits), pulled(tf, lambda a: n.sparse_softmax_cross_entropy_with_logits([2, 0], a), logits), pulled(tf, lambda a: n.sigmoid_cross_entropy_with_logits(labels, a), logits),
            pulled(tf, lambda a: n.weighted_cross_entropy_with_logits(labels, a, 2.0), logits), pulled(tf, lambda a: n.log_poisson_loss(labels, a, True), logits), pulled(tf, lambda a: n.l2_loss(a)[None], logits), pulled(tf, lambda a: n.softmax_cross_entropy_with_logits(a, logits), labels),
        ]  # fmt: skip

    def losses_in_version_1() -> Any:
        v = tf.compat.v1
        y, t = logits.numpy(), labels.numpy()

        def build() -> Any:
            return [
                v.losses.mean_squared_error(t, y), v.losses.absolute_difference(t, y, weights=2.0), v.losses.huber_loss(t, y), v.losses.log_loss(t, tf.sigmoid(y)), v.losses.hinge_loss(t, y),
                v.losses.softmax_cross_entropy(t, y, label_smoothing=0.1), v.losses.sparse_softmax_cross_entropy([2, 0], y), v.losses.sigmoid_cross_entropy(t, y), v.losses.cosine_distance(t, y, axis=1), v.losses.mean_pairwise_squared_error(t, y),
                v.losses.get_total_loss(), v.losses.compute_weighted_loss([1.0, 2.0], [0.5, 0.0]), tf.constant(len(v.losses.get_losses())), v.nn.softmax_cross_entropy_with_logits(labels=t, logits=y),
                v.losses.sigmoid_cross_entropy(t, y, reduction="none"),
            ]  # fmt: skip

        return in_session(tf, build)

    def connectionist_losses() -> Any:
        seq = counted(tf, 5, 2, 4)
        dense = tf.constant([[1, 2, 0], [2, 0, 0]])
        sp = tf.sparse.from_dense(dense)
        v = tf.compat.v1.nn
        return [
            pulled(tf, lambda a: n.ctc_loss(dense, a, [2, 1], [5, 4], blank_index=0), seq), pulled(tf, lambda a: v.ctc_loss(sp, a, [5, 4]), seq), n.ctc_loss(sp, seq, None, [5, 4], blank_index=-1), n.ctc_greedy_decoder(seq, [5, 4]), n.ctc_greedy_decoder(seq, [5, 4], merge_repeated=False)[0][0].values,
            n.ctc_beam_search_decoder(seq, [5, 4], 3, 2)[1], n.ctc_loss(dense, tf.transpose(seq, [1, 0, 2]), [2, 1], [5, 4], logits_time_major=False, blank_index=0), n.ctc_unique_labels(dense), n.collapse_repeated(dense, [3, 2]),
        ]  # fmt: skip

    def sampled_losses() -> Any:
        w, b, h = counted(tf, 6, 2), counted(tf, 6), counted(tf, 2, 2)
        sampled = (
            tf.constant([0, 3, 5], tf.int64),
            tf.constant([[0.5], [0.5]]),
            tf.constant([0.5, 0.4, 0.3]),
        )
        f = tf.compat.v1.nn.sampled_softmax_loss
        return [
            None, n.nce_loss(w, b, tf.constant([[1], [2]]), h, 3, 6, sampled_values=sampled), f(w, b, tf.constant([[1], [2]]), h, 3, 6, sampled_values=sampled),
            f(w, b, tf.constant([[1], [3]]), h, 3, 6, sampled_values=sampled, remove_accidental_hits=False),
        ]  # fmt: skip

    def losses_refused() -> Any:
        return [
            refusal(lambda: n.softmax_cross_entropy_with_logits(labels, logits[:, :2]), "must be broadcastable|must have the same"), refusal(lambda: n.sparse_softmax_cross_entropy_with_logits([3, 0], logits), "Received a label value of 3 which is outside the valid range"), refusal(lambda: n.sparse_softmax_cross_entropy_with_logits([0.5, 1.0], logits)),
            refusal(lambda: n.sigmoid_cross_entropy_with_logits(labels, logits[:, :2]), r"must have the same shape"), refusal(lambda: n.weighted_cross_entropy_with_logits(labels, logits[:, :2], 1.0), "must have the same shape"), refusal(lambda: n.log_poisson_loss(labels, logits[:, :2]), "must have the same shape"),
            refusal(lambda: tf.compat.v1.nn.softmax_cross_entropy_with_logits(labels, logits), "Only call .* with named arguments"), refusal(lambda: n.sigmoid_cross_entropy_with_logits(labels, None), ""), refusal(lambda: n.in_top_k([0, 1], logits[0], 1)), refusal(lambda: n.in_top_k([0, 1, 2], logits, 1)),
        ]  # fmt: skip

    return named(
        losses_with_gradients,
        losses_in_version_1,
        connectionist_losses,
        sampled_losses,
        losses_refused,
    )


def embedded(tf: Any) -> Programs:
    """Rows of tables by their number."""
    n = tf.nn
    table = counted(tf, 5, 2)

    def embeddings() -> Any:
        v = tf.compat.v1.nn
        return [
            n.embedding_lookup(table, [[0, 4], [1, 1]]), n.embedding_lookup(table, [3], max_norm=0.5), v.embedding_lookup([table[:3], table[3:]], [0, 1, 2, 3], "div"), v.embedding_lookup([table[:3], table[3:]], [0, 1, 2, 3], "mod"), refusal(lambda: v.embedding_lookup([table, table], [0], "other"), "Unrecognized partition strategy"),
            refusal(lambda: n.embedding_lookup(table, [7])), refusal(lambda: n.embedding_lookup(None, [0]), "params"), n.embedding_lookup(table, tf.ragged.constant([[0, 1], [2]])),
        ]  # fmt: skip

    def embeddings_sparse() -> Any:
        ids = tf.SparseTensor(
            [[0, 0], [0, 1], [1, 0], [3, 0]], tf.constant([1, 3, 0, 2], tf.int64), [4, 2]
        )
        weights = tf.SparseTensor([[0, 0], [0, 1], [1, 0], [3, 0]], [1.0, 2.0, 0.5, -1.0], [4, 2])
        return [
            [n.embedding_lookup_sparse(table, ids, weights, combiner=c) for c in ("sum", "mean", "sqrtn")], n.embedding_lookup_sparse(table, ids, None), n.safe_embedding_lookup_sparse(table, ids, weights), n.safe_embedding_lookup_sparse(table, ids, default_id=4),
            refusal(lambda: n.embedding_lookup_sparse(table, ids, weights, combiner="max"), "combiner must be one of"), refusal(lambda: n.embedding_lookup_sparse(table, [1], None), "SparseTensor|RaggedTensor"), refusal(lambda: n.embedding_lookup_sparse(table, ids, [1.0]), "SparseTensor|RaggedTensor"),
            n.embedding_lookup_sparse(table, ids, weights, max_norm=0.5), n.embedding_lookup_sparse(table, tf.RaggedTensor.from_row_lengths(tf.constant([0, 1, 2], tf.int64), [2, 1]), None),
        ]  # fmt: skip

    def embeddings_gradients() -> Any:
        ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([1, 3, 1], tf.int64), [2, 2])

        def of(f: Any) -> Any:
            t = tf.Variable(counted(tf, 5, 2))
            with tf.GradientTape() as tape:
                y = f(t) ** 2
            g = tape.gradient(y, t)
            return [type(g).__name__ == "IndexedSlices", tf.convert_to_tensor(g)]

        return [
            of(lambda t: n.embedding_lookup(t, [1, 1, 4])),
            of(lambda t: n.embedding_lookup_sparse(t, ids, None, combiner="mean")),
            of(lambda t: n.embedding_lookup(t, [1, 2], max_norm=0.3)),
        ]

    return named(embeddings, embeddings_sparse, embeddings_gradients)
