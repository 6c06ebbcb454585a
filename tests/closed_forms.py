"""Derivatives of every order by nested tapes, and what calculus says they are."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import wengert as tf


def derivative(f: Callable[[Any], Any], order: int) -> Callable[[Any], Any]:
    """The derivative of a function of one number, as a function."""
    if order == 0:
        return f
    lower = derivative(f, order - 1)

    def higher(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = lower(x)
        return tape.gradient(y, x, unconnected_gradients="zero")

    return higher


def tanh_derivative(x: float, order: int) -> float:
    """By the recurrence of the polynomials in t = tanh(x): each derivative is p'(t) (1 - t²)."""
    p = [0.0, 1.0]
    for _ in range(order):
        d = [i * c for i, c in enumerate(p)][1:]
        p = [
            (d[i] if i < len(d) else 0.0) - (d[i - 2] if 2 <= i < len(d) + 2 else 0.0)
            for i in range(len(d) + 2)
        ]
    t = math.tanh(x)
    return sum(c * t**i for i, c in enumerate(p))


def closed_forms(x: float, order: int) -> dict[str, tuple[Callable[[Any], Any], float]]:
    """For each function its derivative of an order, known from calculus."""
    power = math.perm(5, order) * x ** (5 - order) if order <= 5 else 0.0
    return {
        "sin": (tf.sin, math.sin(x + order * math.pi / 2)),
        "cos": (tf.cos, math.cos(x + order * math.pi / 2)),
        "exp": (tf.exp, math.exp(x)),
        "tanh": (tf.tanh, tanh_derivative(x, order)),
        "x⁵": (lambda v: v**5, power),
    }
