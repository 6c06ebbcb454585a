"""tf.nn: activations, softmax, losses, embeddings, dropout, convolutions, pooling."""

from wengert import nn_experimental as _experimental
from wengert.ops.linalg.norms import l2_normalize as l2_normalize
from wengert.ops.math.elementwise import sigmoid as sigmoid
from wengert.ops.math.elementwise import tanh as tanh
from wengert.ops.nn.activations import crelu as crelu
from wengert.ops.nn.activations import elu as elu
from wengert.ops.nn.activations import gelu as gelu
from wengert.ops.nn.activations import l2_loss as l2_loss
from wengert.ops.nn.activations import leaky_relu as leaky_relu
from wengert.ops.nn.activations import log_softmax as log_softmax
from wengert.ops.nn.activations import relu as relu
from wengert.ops.nn.activations import relu6 as relu6
from wengert.ops.nn.activations import selu as selu
from wengert.ops.nn.activations import (
    sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits,
)
from wengert.ops.nn.activations import silu as silu
from wengert.ops.nn.activations import softmax as softmax
from wengert.ops.nn.activations import (
    softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits,
)
from wengert.ops.nn.activations import softplus as softplus
from wengert.ops.nn.activations import softsign as softsign
from wengert.ops.nn.activations import (
    sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits,
)
from wengert.ops.nn.activations import swish as swish
from wengert.ops.nn.bias import bias_add as bias_add
from wengert.ops.nn.conv.dilated import atrous_conv2d as atrous_conv2d
from wengert.ops.nn.conv.dilated import atrous_conv2d_transpose as atrous_conv2d_transpose
from wengert.ops.nn.conv.dilated import convolution as convolution
from wengert.ops.nn.conv.public import conv1d as conv1d
from wengert.ops.nn.conv.public import conv1d_transpose as conv1d_transpose
from wengert.ops.nn.conv.public import conv2d as conv2d
from wengert.ops.nn.conv.public import conv2d_transpose as conv2d_transpose
from wengert.ops.nn.conv.public import conv3d as conv3d
from wengert.ops.nn.conv.public import conv3d_transpose as conv3d_transpose
from wengert.ops.nn.conv.public import conv_transpose as conv_transpose
from wengert.ops.nn.conv.public import depthwise_conv2d as depthwise_conv2d
from wengert.ops.nn.conv.public import (
    depthwise_conv2d_backprop_filter as depthwise_conv2d_backprop_filter,
)
from wengert.ops.nn.conv.public import (
    depthwise_conv2d_backprop_input as depthwise_conv2d_backprop_input,
)
from wengert.ops.nn.conv.public import separable_conv2d as separable_conv2d
from wengert.ops.nn.conv.with_space_to_batch import with_space_to_batch as with_space_to_batch
from wengert.ops.nn.ctc import collapse_repeated as collapse_repeated
from wengert.ops.nn.ctc import ctc_loss as ctc_loss
from wengert.ops.nn.ctc import ctc_unique_labels as ctc_unique_labels
from wengert.ops.nn.ctc_beams import ctc_beam_search_decoder as ctc_beam_search_decoder
from wengert.ops.nn.ctc_decoding import ctc_greedy_decoder as ctc_greedy_decoder
from wengert.ops.nn.dropout import dropout as dropout
from wengert.ops.nn.embedding import embedding_lookup as embedding_lookup
from wengert.ops.nn.local_response_norm import (
    local_response_normalization as local_response_normalization,
)
from wengert.ops.nn.losses import compute_average_loss as compute_average_loss
from wengert.ops.nn.losses import log_poisson_loss as log_poisson_loss
from wengert.ops.nn.losses import scale_regularization_loss as scale_regularization_loss
from wengert.ops.nn.losses import (
    weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits,
)
from wengert.ops.nn.normalization import (
    batch_norm_with_global_normalization as batch_norm_with_global_normalization,
)
from wengert.ops.nn.normalization import batch_normalization as batch_normalization
from wengert.ops.nn.normalization import moments as moments
from wengert.ops.nn.normalization import normalize_moments as normalize_moments
from wengert.ops.nn.normalization import sufficient_statistics as sufficient_statistics
from wengert.ops.nn.normalization import weighted_moments as weighted_moments
from wengert.ops.nn.pool.fractional import fractional_avg_pool as fractional_avg_pool
from wengert.ops.nn.pool.fractional import fractional_max_pool as fractional_max_pool
from wengert.ops.nn.pool.morphology import dilation2d as dilation2d
from wengert.ops.nn.pool.morphology import erosion2d as erosion2d
from wengert.ops.nn.pool.public import avg_pool as avg_pool
from wengert.ops.nn.pool.public import avg_pool1d as avg_pool1d
from wengert.ops.nn.pool.public import avg_pool2d as avg_pool2d
from wengert.ops.nn.pool.public import avg_pool3d as avg_pool3d
from wengert.ops.nn.pool.public import max_pool as max_pool
from wengert.ops.nn.pool.public import max_pool1d as max_pool1d
from wengert.ops.nn.pool.public import max_pool2d as max_pool2d
from wengert.ops.nn.pool.public import max_pool3d as max_pool3d
from wengert.ops.nn.pool.public import max_pool_with_argmax as max_pool_with_argmax
from wengert.ops.nn.pool.public import pool as pool
from wengert.ops.nn.sampled_losses import nce_loss as nce_loss
from wengert.ops.nn.sampled_losses import sampled_softmax_loss as sampled_softmax_loss
from wengert.ops.nn.space_depth import depth_to_space as depth_to_space
from wengert.ops.nn.space_depth import space_to_batch as space_to_batch
from wengert.ops.nn.space_depth import space_to_depth as space_to_depth
from wengert.ops.nn.sparse_embedding import embedding_lookup_sparse as embedding_lookup_sparse
from wengert.ops.nn.sparse_embedding import (
    safe_embedding_lookup_sparse as safe_embedding_lookup_sparse,
)
from wengert.ops.random.candidates import all_candidate_sampler as all_candidate_sampler
from wengert.ops.random.candidates import compute_accidental_hits as compute_accidental_hits
from wengert.ops.random.candidates import (
    fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler,
)
from wengert.ops.random.candidates import (
    learned_unigram_candidate_sampler as learned_unigram_candidate_sampler,
)
from wengert.ops.reductions.isotonic import isotonic_regression as isotonic_regression
from wengert.ops.reductions.reductions import zero_fraction as zero_fraction
from wengert.ops.reductions.sorting import approx_max_k as approx_max_k
from wengert.ops.reductions.sorting import approx_min_k as approx_min_k
from wengert.ops.reductions.sorting import in_top_k as in_top_k
from wengert.ops.reductions.sorting import top_k as top_k

lrn = local_response_normalization
experimental = _experimental
