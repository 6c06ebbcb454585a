"""tf.autodiff: tapes and accumulators."""

from wengert.api.gradients.forward_accumulator import ForwardAccumulator as ForwardAccumulator
from wengert.api.gradients.gradient_tape import GradientTape as GradientTape
