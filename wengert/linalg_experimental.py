"""tf.linalg.experimental: linear systems by conjugate gradients."""

from wengert.linear_operators.conjugate_gradient import conjugate_gradient as conjugate_gradient
