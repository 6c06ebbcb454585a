"""Gradients written by hand: of two inputs, of matrices, of a fused operation, of something else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import wengert as tf
from examples.log1pexp import derivatives
from examples.showing import Line, show

TITLE = "Custom gradients: products, fused operations, surrogates"


@tf.custom_gradient
def product(x: Any, y: Any) -> Any:
    return x * y, lambda dz: (dz * y, dz * x)


@tf.custom_gradient
def mysquare(x: Any) -> Any:
    return x * x, lambda dy: 2.0 * x * dy


@tf.custom_gradient
def fused_cube(x: Any) -> Any:
    """x³ and 3x² are computed together; the inner function has x and dy as its inputs."""
    y, slope = x**3, 3.0 * x**2

    def grad(dy: Any) -> Any:
        @tf.custom_gradient
        def first(x: Any, dy: Any) -> Any:
            # two results, one for each input: the second order, and the transpose
            return slope * dy, lambda ddy: (6.0 * x * dy * ddy, slope * ddy)

        return first(x, dy)

    return y, grad


def like_f_but_differentiated_as_g(f: Any, g: Any, x: Any) -> Any:
    t = g(x)
    return t + tf.stop_gradient(f(x) - t)


def the_same_as_a_product(f: Any, g: Any, x: Any) -> Any:
    t = g(x)
    return t * tf.stop_gradient(f(x) / t)


def lines() -> Iterator[Line]:
    x, y = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, y])
        z = product(x, y)
    yield Line("z = x y at (2, 3): dz/dx", tape.gradient(z, x), 3.0)
    yield Line("z = x y at (2, 3): dz/dy", tape.gradient(z, y), 2.0)

    m = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    with tf.GradientTape() as tape:
        tape.watch(m)
        s = mysquare(m)
    yield Line("mysquare of a matrix", tape.gradient(s, m), [[2, 4, 6], [8, 10, 12]])

    yield Line("fused x³ at 3: second order", derivatives(fused_cube, 3.0)[2], 18.0)
    x = tf.constant(3.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as forward:
        c = fused_cube(x)
    yield Line("fused x³ at 3: forward mode", forward.jvp(c), 27.0)

    yield from surrogates()


def surrogates() -> Iterator[Line]:
    """floor forward, the identity backward: two ways to write it with stop_gradient."""
    x = tf.constant(2.7)
    for name, f in [
        ("sum", like_f_but_differentiated_as_g),
        ("product", the_same_as_a_product),
    ]:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(tf.floor, tf.square, x)
        slope = 2 * 2.7 if name == "sum" else 2 * 2.7 * 2.0 / 2.7**2
        yield Line(f"floor forward, square backward, as a {name}: value", y, 2.0)
        yield Line(
            f"floor forward, square backward, as a {name}: gradient", tape.gradient(y, x), slope
        )


if __name__ == "__main__":
    show(TITLE, lines())
