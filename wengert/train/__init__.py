"""tf.train: averages of variables, a coordinator of threads; the optimizers are tf.optimizers."""

from wengert.train.coordinator import Coordinator as Coordinator
from wengert.train.moving_average import ExponentialMovingAverage as ExponentialMovingAverage
