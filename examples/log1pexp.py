"""log(1 + exp(x)): right by the formula, wrong in floating point, mended by a gradient of one's own.

At x = 100 exp(x) is infinite in float32, and the derivative by the chain rule is inf/inf. Written by
hand it is 1 - 1/(1 + exp(x)), which is 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import wengert as tf
from examples.showing import Line, show

TITLE = "Custom gradients: log(1 + exp(x))"


def naive(x: Any) -> Any:
    return tf.math.log(1.0 + tf.exp(x))


@tf.custom_gradient
def log1pexp(x: Any) -> Any:
    e = tf.exp(x)

    def grad(dy: Any) -> Any:
        return dy * (1.0 - 1.0 / (1.0 + e))

    return tf.math.log(1.0 + e), grad


@tf.custom_gradient
def log1pexp_nested(x: Any) -> Any:
    """The gradient is itself a function with a gradient of its own."""
    e = tf.exp(x)

    @tf.custom_gradient
    def first(_: Any) -> Any:
        return 1.0 - 1.0 / (1.0 + e), lambda ddy: ddy * (1.0 - e)

    return tf.math.log(1.0 + e), lambda dy: dy * first(x)


def derivatives(f: Callable[[Any], Any], at: float) -> tuple[Any, Any, Any]:
    """Value, first and second derivative."""
    x = tf.constant(at)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        first = inner.gradient(y, x)
    return y, first, outer.gradient(first, x)


def lines() -> Iterator[Line]:
    y, first, _ = derivatives(naive, 100.0)
    yield Line("as the formula says, at 100: value", y, float("inf"))
    yield Line("as the formula says, at 100: gradient", first, float("nan"))
    yield Line("with its own gradient, at 100", derivatives(log1pexp, 100.0)[1], 1.0)
    yield Line("with its own gradient, at 1", derivatives(log1pexp, 1.0)[1], 0.7310586)
    yield Line("nested, at 1: second order", derivatives(log1pexp_nested, 1.0)[2], -1.7182817)
    _, first, second = derivatives(log1pexp_nested, 100.0)
    yield Line("nested, at 100: first order", first, 1.0)
    yield Line("nested, at 100: second order", second, float("-inf"))


if __name__ == "__main__":
    show(TITLE, lines())
