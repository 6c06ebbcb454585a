"""The page that rebuilds the library: its blocks are one program, and it agrees with the library."""

from __future__ import annotations

import contextlib
import functools
import io
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import wengert as tf

PAGE = Path(__file__).resolve().parent.parent / "docs" / "from-scratch.md"
CODE = "\n".join(re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S))
X = np.array([[0.3, 1.2], [2.0, 0.7]])
ROW = np.array([0.5, -1.5])


@functools.cache
def mini() -> Any:
    names: dict[str, Any] = {"__name__": "mini"}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(CODE, str(PAGE), "exec"), names)
    return SimpleNamespace(**names)


# Scalars of a matrix, written with what both have, for (library, x).
PROGRAMS: dict[str, Callable[[Any, Any], Any]] = {
    "sum of cubes": lambda m, x: m.reduce_sum(x * x * x),
    "quotient with broadcasting": lambda m, x: m.reduce_sum(x / (ROW * x + 2.0)),
    "exp of sin": lambda m, x: m.reduce_sum(m.exp(m.sin(x)) - m.cos(-x)),
    "logarithm": lambda m, x: m.reduce_sum(m.log(x * x + 1.0)),
    "network": lambda m, x: m.reduce_sum(m.tanh(m.matmul(m.relu(x), x - ROW))),
    "transposed": lambda m, x: m.reduce_sum(m.matmul(m.transpose(x), x * x)),
    "stopped": lambda m, x: m.reduce_sum(x * x * m.stop_gradient(x)),
    "square of the sum": lambda m, x: m.reduce_sum(x) * m.reduce_sum(x * ROW),
}
OURS = SimpleNamespace(
    **{n: getattr(tf, n) for n in ("reduce_sum", "exp", "sin", "cos", "tanh", "matmul")},
    **{n: getattr(tf, n) for n in ("transpose", "stop_gradient")},
    log=tf.math.log,
    relu=tf.nn.relu,
)


def derivatives(f: Callable[[Any], Any], x: Any, tape_of: Any, total: Any) -> list[Any]:
    """Value, gradient, and the gradient of the gradient's weighted sum."""
    with tape_of() as outer:
        outer.watch(x)
        with tape_of() as inner:
            inner.watch(x)
            y = f(x)
        first = inner.gradient(y, x)
        weighted = total(first * ROW)
    return [v.numpy() for v in (y, first, outer.gradient(weighted, x))]


def wanted(program: Callable[[Any, Any], Any]) -> list[Any]:
    x = tf.constant(X)
    return derivatives(lambda x: program(OURS, x), x, tf.GradientTape, tf.reduce_sum)


@pytest.mark.parametrize("name", PROGRAMS)
def test_tapes_agree(name: str) -> None:
    """Value, first and second order."""
    m = mini()
    program = PROGRAMS[name]
    found = derivatives(lambda x: program(m, x), m.Tensor(X), m.GradientTape, m.reduce_sum)
    for a, b in zip(found, wanted(program), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


@pytest.mark.parametrize("name", PROGRAMS)
def test_graphs_agree(name: str) -> None:
    """The same, built first and run later."""
    m = mini()
    with m.Graph() as graph:
        x = m.placeholder()
        y = PROGRAMS[name](m, x)
        (first,) = m.gradients(y, [x])
        (second,) = m.gradients(m.reduce_sum(first * ROW), [x])
    found = m.Session(graph).run([y, first, second], {x: X})
    for a, b in zip(found, wanted(PROGRAMS[name]), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


def test_custom_gradients_agree_to_second_order() -> None:
    """A rule of operations has a derivative, in both."""

    def of(m: Any) -> Any:
        def f(x: Any) -> Any:
            return m.exp(x), lambda dy: dy * m.sin(x)

        return m.custom_gradient(f)

    m = mini()
    here, there = (
        of(m),
        of(SimpleNamespace(exp=tf.exp, sin=tf.sin, custom_gradient=tf.custom_gradient)),
    )
    found = derivatives(lambda x: m.reduce_sum(here(x)), m.Tensor(X), m.GradientTape, m.reduce_sum)
    x = tf.constant(X)
    right = derivatives(lambda x: tf.reduce_sum(there(x)), x, tf.GradientTape, tf.reduce_sum)
    for a, b in zip(found, right, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


def test_forward_mode_agrees() -> None:
    """By transposing twice, and by accumulating."""
    m = mini()
    direction = np.array([[1.0, -2.0], [0.5, 3.0]])
    found = m.jvp(lambda x: m.exp(m.sin(x)) * x, m.Tensor(X), direction)
    x = tf.constant(X)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(direction)) as forward:
        y = tf.exp(tf.sin(x)) * x
    np.testing.assert_allclose(found.numpy(), forward.jvp(y).numpy(), rtol=1e-12)


def test_unconnected_is_none() -> None:
    """As in the library."""
    m = mini()
    x, other = m.Tensor(X), m.Tensor(X)
    with m.GradientTape() as tape:
        tape.watch(x)
        tape.watch(other)
        y = m.reduce_sum(x * x)
    assert tape.gradient(y, [x, other])[1] is None


def test_it_is_as_short_as_it_says() -> None:
    """Three hundred lines, give or take."""
    assert len([line for line in CODE.splitlines() if line.strip()]) <= 300
