"""tf.compat.v1.train.experimental."""

from wengert.saving.trackables.python_state import PythonState as PythonState
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
