"""tf.train: averages of variables; the optimizers are tf.optimizers."""

from wengert.train.moving_average import ExponentialMovingAverage as ExponentialMovingAverage
