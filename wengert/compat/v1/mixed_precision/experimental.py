"""tf.compat.v1.mixed_precision.experimental."""

from wengert.train.loss_scales import DynamicLossScale as DynamicLossScale
from wengert.train.loss_scales import FixedLossScale as FixedLossScale
from wengert.train.loss_scales import LossScale as LossScale
