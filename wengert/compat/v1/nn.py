"""tf.compat.v1.nn: tf.nn, with the arguments of version 1 where they differ."""

from __future__ import annotations

from typing import Any

from wengert import nn as _now
from wengert.compat.v1.functions.arguments import one_of as _one_of
from wengert.compat.v1.functions.convolutions import conv1d as conv1d
from wengert.compat.v1.functions.convolutions import conv2d as conv2d
from wengert.compat.v1.functions.convolutions import (
    conv2d_backprop_filter as conv2d_backprop_filter,
)
from wengert.compat.v1.functions.convolutions import conv2d_backprop_input as conv2d_backprop_input
from wengert.compat.v1.functions.convolutions import conv2d_transpose as conv2d_transpose
from wengert.compat.v1.functions.convolutions import conv3d as conv3d
from wengert.compat.v1.functions.convolutions import (
    conv3d_backprop_filter as conv3d_backprop_filter,
)
from wengert.compat.v1.functions.convolutions import (
    conv3d_backprop_filter_v2 as conv3d_backprop_filter_v2,
)
from wengert.compat.v1.functions.convolutions import conv3d_transpose as conv3d_transpose
from wengert.compat.v1.functions.convolutions import convolution as convolution
from wengert.compat.v1.functions.convolutions import depthwise_conv2d as depthwise_conv2d
from wengert.compat.v1.functions.convolutions import (
    depthwise_conv2d_native as depthwise_conv2d_native,
)
from wengert.compat.v1.functions.convolutions import (
    depthwise_conv2d_native_backprop_filter as depthwise_conv2d_native_backprop_filter,
)
from wengert.compat.v1.functions.convolutions import (
    depthwise_conv2d_native_backprop_input as depthwise_conv2d_native_backprop_input,
)
from wengert.compat.v1.functions.convolutions import separable_conv2d as separable_conv2d
from wengert.compat.v1.functions.nn_random import dropout as dropout
from wengert.compat.v1.functions.poolings import avg_pool as avg_pool
from wengert.compat.v1.functions.poolings import avg_pool2d as avg_pool2d
from wengert.compat.v1.functions.poolings import avg_pool_v2 as avg_pool_v2
from wengert.compat.v1.functions.poolings import depth_to_space as depth_to_space
from wengert.compat.v1.functions.poolings import dilation2d as dilation2d
from wengert.compat.v1.functions.poolings import erosion2d as erosion2d
from wengert.compat.v1.functions.poolings import fractional_avg_pool as fractional_avg_pool
from wengert.compat.v1.functions.poolings import fractional_max_pool as fractional_max_pool
from wengert.compat.v1.functions.poolings import max_pool as max_pool
from wengert.compat.v1.functions.poolings import max_pool_v2 as max_pool_v2
from wengert.compat.v1.functions.poolings import max_pool_with_argmax as max_pool_with_argmax
from wengert.compat.v1.functions.poolings import pool as pool
from wengert.compat.v1.functions.poolings import space_to_batch as space_to_batch
from wengert.compat.v1.functions.poolings import space_to_depth as space_to_depth
from wengert.compat.v1.rnn import rnn_cell as rnn_cell
from wengert.compat.v1.rnn.dynamic import bidirectional_dynamic_rnn as bidirectional_dynamic_rnn
from wengert.compat.v1.rnn.dynamic import dynamic_rnn as dynamic_rnn
from wengert.compat.v1.rnn.raw import raw_rnn as raw_rnn
from wengert.compat.v1.rnn.static import static_bidirectional_rnn as static_bidirectional_rnn
from wengert.compat.v1.rnn.static import static_rnn as static_rnn
from wengert.compat.v1.rnn.static import static_state_saving_rnn as static_state_saving_rnn
from wengert.ops.arrays.identity import stop_gradient as _stop_gradient
from wengert.ops.linalg.matmul import matmul as _matmul
from wengert.ops.nn import activations as _nn
from wengert.ops.nn import losses as _losses
from wengert.ops.nn import normalization as _normalization
from wengert.ops.nn.batch_norm import fused_batch_norm as fused_batch_norm
from wengert.values.tensor import Tensor


def __getattr__(name: str) -> Any:
    """A name that did not change between the versions."""
    return getattr(_now, name)


def _check_both(labels: Any, logits: Any) -> None:
    if labels is None or logits is None:
        raise ValueError("Both labels and logits must be provided.")


def softmax(logits: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Tensor:
    """tf.nn.softmax with the arguments of version 1.

    >>> tf.compat.v1.nn.softmax([[0.0, 0.0]], dim=1).numpy().tolist()
    [[0.5, 0.5]]
    """
    return _nn.softmax(logits, _one_of("axis", axis, "dim", dim), name=name)


def log_softmax(logits: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Tensor:
    """tf.nn.log_softmax with the arguments of version 1.

    >>> tf.compat.v1.nn.log_softmax([[1.0]], dim=1).numpy().tolist()
    [[0.0]]
    """
    return _nn.log_softmax(logits, _one_of("axis", axis, "dim", dim), name=name)


def softmax_cross_entropy_with_logits(
    labels: Any = None,
    logits: Any = None,
    dim: int = -1,
    name: str | None = None,
    axis: Any = None,
) -> Tensor:
    """The cross entropy of each example. No gradient flows to the labels.

    >>> v1 = tf.compat.v1
    >>> labels, logits = [[1.0, 0.0]], [[0.0, 0.0]]
    >>> v1.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits).numpy().round(4)
    array([0.6931], dtype=float32)
    """
    _check_both(labels, logits)
    along = dim if axis is None else axis
    fixed = _stop_gradient(labels)
    return _nn.softmax_cross_entropy_with_logits(fixed, logits, along, name=name)


def softmax_cross_entropy_with_logits_v2(
    labels: Any, logits: Any, axis: Any = None, name: str | None = None, dim: Any = None
) -> Tensor:
    """The cross entropy of each example. Gradients flow to the labels as well.

    >>> v1 = tf.compat.v1
    >>> v1.nn.softmax_cross_entropy_with_logits_v2([[1.0, 0.0]], [[0.0, 0.0]]).numpy().round(4)
    array([0.6931], dtype=float32)
    """
    along = _one_of("axis", axis, "dim", dim)
    return _nn.softmax_cross_entropy_with_logits(
        labels, logits, -1 if along is None else along, name=name
    )


def sparse_softmax_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: str | None = None
) -> Tensor:
    """-log(softmax(logits)) at the label of each example.

    >>> v1 = tf.compat.v1
    >>> labels, logits = [0], [[0.0, 0.0]]
    >>> v1.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits).shape
    TensorShape([1])
    """
    _check_both(labels, logits)
    return _nn.sparse_softmax_cross_entropy_with_logits(labels, logits, name=name)


def sigmoid_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: str | None = None
) -> Tensor:
    """The logistic loss of independent classes.

    >>> v1 = tf.compat.v1
    >>> v1.nn.sigmoid_cross_entropy_with_logits(labels=[1.0], logits=[0.0]).numpy().round(4)
    array([0.6931], dtype=float32)
    """
    _check_both(labels, logits)
    return _nn.sigmoid_cross_entropy_with_logits(labels, logits, name=name)


def embedding_lookup(
    params: Any,
    ids: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: Any = None,
) -> Tensor:
    """Look up rows of a table.

    >>> tf.compat.v1.nn.embedding_lookup([[1.0], [2.0]], [1, 1], "mod").numpy().tolist()
    [[2.0], [2.0]]
    """
    return _nn.embedding_lookup(params, ids, max_norm, name=name)


def xw_plus_b(x: Any, weights: Any, biases: Any, name: str | None = None) -> Any:
    """x × weights + biases.

    >>> tf.compat.v1.nn.xw_plus_b([[1.0, 2.0]], [[1.0], [1.0]], [0.5]).numpy().tolist()
    [[3.5]]
    """
    return _matmul(x, weights) + biases


def relu_layer(x: Any, weights: Any, biases: Any, name: str | None = None) -> Any:
    """relu(x × weights + biases).

    >>> tf.compat.v1.nn.relu_layer([[1.0, 2.0]], [[1.0], [1.0]], [-5.0]).numpy().tolist()
    [[0.0]]
    """
    return _nn.relu(_matmul(x, weights) + biases, name=name)


def moments(
    x: Any,
    axes: Any,
    shift: Any = None,
    name: str | None = None,
    keep_dims: Any = None,
    keepdims: Any = None,
) -> Any:
    """tf.nn.moments with the arguments of version 1.

    >>> mean, variance = tf.compat.v1.nn.moments(tf.constant([1.0, 3.0]), [0], keep_dims=True)
    >>> mean.numpy().tolist(), variance.numpy().tolist()
    ([2.0], [1.0])
    """
    kept = bool(_one_of("keepdims", keepdims, "keep_dims", keep_dims))
    return _normalization.moments(x, axes, shift, kept, name=name)


def weighted_moments(
    x: Any,
    axes: Any,
    frequency_weights: Any,
    name: str | None = None,
    keep_dims: Any = None,
    keepdims: Any = None,
) -> Any:
    """tf.nn.weighted_moments with the arguments of version 1.

    >>> mean, variance = tf.compat.v1.nn.weighted_moments(tf.constant([1.0, 3.0]), [0], [3.0, 1.0])
    >>> mean.numpy().item(), variance.numpy().item()
    (1.5, 0.75)
    """
    kept = bool(_one_of("keepdims", keepdims, "keep_dims", keep_dims))
    return _normalization.weighted_moments(x, axes, frequency_weights, kept, name=name)


def sufficient_statistics(
    x: Any,
    axes: Any,
    shift: Any = None,
    keep_dims: Any = None,
    name: str | None = None,
    keepdims: Any = None,
) -> Any:
    """tf.nn.sufficient_statistics with the arguments of version 1.

    >>> tf.compat.v1.nn.sufficient_statistics(tf.constant([1.0, 3.0]), [0])[1].numpy().item()
    4.0
    """
    kept = bool(_one_of("keepdims", keepdims, "keep_dims", keep_dims))
    return _normalization.sufficient_statistics(x, axes, shift, kept, name=name)


def batch_norm_with_global_normalization(
    t: Any = None,
    m: Any = None,
    v: Any = None,
    beta: Any = None,
    gamma: Any = None,
    variance_epsilon: Any = None,
    scale_after_normalization: Any = None,
    name: str | None = None,
    input: Any = None,
    mean: Any = None,
    variance: Any = None,
) -> Tensor:
    """tf.nn.batch_norm_with_global_normalization with the arguments of version 1.

    >>> f = tf.compat.v1.nn.batch_norm_with_global_normalization
    >>> f([[3.0]], [2.0], [4.0], [1.0], [10.0], 0.0, True).numpy().tolist()
    [[6.0]]
    """
    return _normalization.batch_norm_with_global_normalization(
        _one_of("input", input, "t", t),
        _one_of("mean", mean, "m", m),
        _one_of("variance", variance, "v", v),
        beta,
        gamma,
        variance_epsilon,
        scale_after_normalization,
        name=name,
    )


def weighted_cross_entropy_with_logits(
    labels: Any = None,
    logits: Any = None,
    pos_weight: Any = None,
    name: str | None = None,
    targets: Any = None,
) -> Tensor:
    """tf.nn.weighted_cross_entropy_with_logits with the arguments of version 1.

    >>> f = tf.compat.v1.nn.weighted_cross_entropy_with_logits
    >>> print(f(targets=[1.0], logits=[0.0], pos_weight=2.0).numpy().round(4))
    [1.3863]
    """
    wanted = _one_of("labels", labels, "targets", targets)
    return _losses.weighted_cross_entropy_with_logits(wanted, logits, pos_weight, name=name)
