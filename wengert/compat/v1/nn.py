"""tf.compat.v1.nn: tf.nn, with the arguments of version 1 where they differ."""

from __future__ import annotations

from typing import Any

from wengert import nn as _now
from wengert.compat.v1.functions.arguments import one_of as _one_of
from wengert.compat.v1.functions.arrays import in_top_k as in_top_k
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
from wengert.inference.public_functions import deferrable as _deferrable
from wengert.ops.arrays.identity import stop_gradient as _stop_gradient
from wengert.ops.linalg.matmul import matmul as _matmul
from wengert.ops.nn import activations as _nn
from wengert.ops.nn import losses as _losses
from wengert.ops.nn import normalization as _normalization
from wengert.ops.nn.batch_norm import fused_batch_norm as fused_batch_norm
from wengert.ops.nn.ctc import ctc_loss as ctc_loss_v2  # noqa: F401
from wengert.ops.nn.ctc_beams import search as _search
from wengert.ops.nn.ctc_of_sparse import sparse_ctc_loss as _sparse_ctc_loss
from wengert.ops.nn.embedding import rows_of as _rows_of
from wengert.ops.nn.sampled_losses import contrasted as _contrasted
from wengert.ops.nn.sampled_losses import normalized as _normalized
from wengert.ops.nn.sparse_embedding import combined_rows as _combined_rows
from wengert.ops.nn.sparse_embedding import safely_combined_rows as _safely_combined_rows
from wengert.ops.random.candidates import (
    log_uniform_candidate_sampler as log_uniform_candidate_sampler,
)
from wengert.ops.random.candidates import uniform_candidate_sampler as uniform_candidate_sampler
from wengert.ops.sparse.tensor import SparseTensor as _SparseTensor
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


@_deferrable
def embedding_lookup(
    params: Any,
    ids: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: Any = None,
) -> Tensor:
    """Look up rows of a table.

    >>> parts = [tf.constant([[1.0], [3.0]]), tf.constant([[2.0]])]
    >>> tf.compat.v1.nn.embedding_lookup(parts, [1, 2], "mod").numpy().tolist()
    [[2.0], [3.0]]
    """
    return _rows_of(params, ids, partition_strategy, max_norm)


@_deferrable
def embedding_lookup_sparse(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    combiner: str | None = None,
    max_norm: Any = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """Look up rows by sparse ids, and combine those of a row.

    >>> ids = tf.SparseTensor([[0, 0], [0, 1]], [0, 1], [1, 2])
    >>> table = tf.constant([[1.0], [2.0]])
    >>> tf.compat.v1.nn.embedding_lookup_sparse(table, ids, None, combiner="sum").numpy().tolist()
    [[3.0]]
    """
    return _combined_rows(params, sp_ids, sp_weights, partition_strategy, combiner, max_norm)


@_deferrable
def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any = None,
    combiner: str = "mean",
    default_id: Any = None,
    name: str | None = None,
    partition_strategy: str = "div",
    max_norm: Any = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """The same, leaving out ids below zero; a row without ids gives the row `default_id`, or zeros.

    >>> ids = tf.SparseTensor([[0, 0], [1, 0]], [0, -1], [2, 1])
    >>> tf.compat.v1.nn.safe_embedding_lookup_sparse(tf.constant([[1.0]]), ids).numpy().tolist()
    [[1.0], [0.0]]
    """
    return _safely_combined_rows(
        embedding_weights,
        sparse_ids,
        sparse_weights,
        partition_strategy,
        combiner,
        default_id,
        max_norm,
    )


def ctc_loss(
    labels: Any,
    inputs: Any = None,
    sequence_length: Any = None,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
    time_major: bool = True,
    logits: Any = None,
) -> Tensor:
    """The CTC loss of sparse labels; the last class is the blank.

    >>> labels = tf.SparseTensor([[0, 0]], [0], [1, 1])
    >>> logits = tf.zeros([2, 1, 2])  # two steps, one example
    >>> tf.compat.v1.nn.ctc_loss(labels, logits, [2]).numpy().round(4)
    array([0.2877], dtype=float32)
    """
    if not isinstance(labels, _SparseTensor):
        raise TypeError(
            f"Expected argument `labels` to be a SparseTensor. Received labels={labels} of type: "
            f"{type(labels).__name__}. tf.nn.ctc_loss takes dense ones."
        )
    return _sparse_ctc_loss(
        labels,
        _one_of("logits", logits, "inputs", inputs),
        sequence_length,
        preprocess_collapse_repeated,
        ctc_merge_repeated,
        ignore_longer_outputs_than_inputs,
        time_major,
    )


def ctc_beam_search_decoder(
    inputs: Any,
    sequence_length: Any,
    beam_width: int = 100,
    top_paths: int = 1,
    merge_repeated: bool = True,
) -> Any:
    """The likeliest sequences of labels; neighbours in them that are equal become one.

    >>> logits = tf.math.log([[[0.9, 0.1]], [[0.1, 0.9]], [[0.9, 0.1]]])  # 0, blank, 0
    >>> (decoded,), _ = tf.compat.v1.nn.ctc_beam_search_decoder(logits, [3])
    >>> decoded.values.numpy().tolist()
    [0]
    """
    return _search(inputs, sequence_length, beam_width, top_paths, merge_repeated)


def nce_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: Any,
    num_classes: Any,
    num_true: Any = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = False,
    partition_strategy: str = "mod",
    name: str = "nce_loss",
) -> Tensor:
    """Noise-contrastive estimation, as in version 2; parts of a table hold every n-th row.

    >>> weights, biases = tf.ones([10, 3]), tf.zeros([10])
    >>> tf.compat.v1.nn.nce_loss(weights, biases, [[2]], tf.ones([1, 3]), 4, 10).shape
    TensorShape([1])
    """
    return _contrasted(
        *(weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values),
        remove_accidental_hits,
        partition_strategy,
    )


def sampled_softmax_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: Any,
    num_classes: Any,
    num_true: Any = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = True,
    partition_strategy: str = "mod",
    name: str = "sampled_softmax_loss",
    seed: Any = None,
) -> Tensor:
    """A softmax over sampled classes, as in version 2; parts of a table hold every n-th row.

    >>> weights, biases = tf.ones([10, 3]), tf.zeros([10])
    >>> tf.compat.v1.nn.sampled_softmax_loss(weights, biases, [[2]], tf.ones([1, 3]), 4, 10).shape
    TensorShape([1])
    """
    return _normalized(
        *(weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values),
        remove_accidental_hits,
        partition_strategy,
        seed,
    )


@_deferrable
def xw_plus_b(x: Any, weights: Any, biases: Any, name: str | None = None) -> Any:
    """x × weights + biases.

    >>> tf.compat.v1.nn.xw_plus_b([[1.0, 2.0]], [[1.0], [1.0]], [0.5]).numpy().tolist()
    [[3.5]]
    """
    return _now.bias_add(_matmul(x, weights), biases)


@_deferrable
def relu_layer(x: Any, weights: Any, biases: Any, name: str | None = None) -> Any:
    """relu(x × weights + biases).

    >>> tf.compat.v1.nn.relu_layer([[1.0, 2.0]], [[1.0], [1.0]], [-5.0]).numpy().tolist()
    [[0.0]]
    """
    return _nn.relu(_now.bias_add(_matmul(x, weights), biases), name=name)


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
