"""tf.compat.v1.mixed_precision: factors on a loss, and the optimizer that applies one."""

from wengert.compat.v1.mixed_precision import experimental as experimental
from wengert.train.loss_scales import DynamicLossScale as DynamicLossScale
from wengert.train.loss_scales import FixedLossScale as FixedLossScale
from wengert.train.loss_scales import LossScale as LossScale
from wengert.train.loss_scales import (
    MixedPrecisionLossScaleOptimizer as MixedPrecisionLossScaleOptimizer,
)
from wengert.train.loss_scales import (
    disable_mixed_precision_graph_rewrite as disable_mixed_precision_graph_rewrite,
)
from wengert.train.loss_scales import (
    enable_mixed_precision_graph_rewrite as enable_mixed_precision_graph_rewrite,
)

__all__ = [
    "DynamicLossScale",
    "FixedLossScale",
    "LossScale",
    "MixedPrecisionLossScaleOptimizer",
    "disable_mixed_precision_graph_rewrite",
    "enable_mixed_precision_graph_rewrite",
    "experimental",
]
