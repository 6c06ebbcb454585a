"""How does a custom gradient get a derivative of its own?

Nothing needs to be done where the gradient function is made of differentiable operations. Where it is
not, or where its derivative has a better formula, the gradient function is a custom gradient itself.
"""

import tensorflow as tf
from showing import show, title


@tf.custom_gradient
def fused_cube(x):
    """x³ and its slope 3x² come from one computation, as from a fused kernel.

    The inner function has two inputs, x and dy, so it returns two gradients: by x, which makes the
    second derivative, and by dy, which makes forward mode and the transpose.
    """
    y, slope = x**3, 3.0 * x**2

    def grad(dy):
        @tf.custom_gradient
        def first(x, dy):
            return slope * dy, lambda ddy: (6.0 * x * dy * ddy, slope * ddy)

        return first(x, dy)

    return y, grad


@tf.custom_gradient
def log1pexp(x):
    """The first derivative is a function s of x, whose derivative is given as s (1 - s)."""
    e = tf.exp(x)

    @tf.custom_gradient
    def slope(_):
        s = 1.0 - 1.0 / (1.0 + e)
        return s, lambda ddy: ddy * s * (1.0 - s)

    return tf.math.log(1.0 + e), lambda dy: dy * slope(x)


def three(f, at):
    """Value, first and second derivative."""
    x = tf.constant(at)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        first = inner.gradient(y, x)
    return y, first, outer.gradient(first, x)


title("How does a custom gradient get a derivative of its own?")
value, first, second = three(fused_cube, 3.0)
show("x³ at 3", value, 27.0)
show("its derivative", first, 27.0)
show("its second derivative", second, 18.0)

x = tf.constant(3.0)
with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as forward:
    y = fused_cube(x)
show("the derivative in forward mode", forward.jvp(y), 27.0)

_, first, second = three(log1pexp, 1.0)
show("log(1 + exp(x)) at 1: derivative", first, 0.7310586)
show("its second derivative", second, 0.1966119)
_, first, second = three(log1pexp, 100.0)
show("at 100, where exp(x) is infinite: derivative", first, 1.0)
show("its second derivative", second, 0.0)
