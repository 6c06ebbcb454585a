"""tf.autodiff: tapes and accumulators."""

from wengert.api.forward_accumulator import ForwardAccumulator as ForwardAccumulator
from wengert.api.gradient_tape import GradientTape as GradientTape
