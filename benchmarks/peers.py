"""The libraries we are measured beside: used where they can be imported, named where not."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

Array = Any


class Chain(NamedTuple):
    """x -> x * a + b, many times: the values, and how to compute value and gradient."""

    forward: Callable[[], Array]  # no tape
    both: Callable[[], tuple[Array, Array]]  # the value and its gradient with respect to x


def find(name: str) -> Any:
    """A module, or None where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def steps(x: Any, a: Any, b: Any, count: int) -> Any:
    for _ in range(count):
        x = x * a + b
    return x


def numpy_chain(x: Array, a: Array, b: Array, count: int) -> Chain:
    def both() -> tuple[Array, Array]:
        g = np.ones_like(x)
        for _ in range(count):
            g = g * a
        return steps(x, a, b, count), g

    return Chain(lambda: steps(x, a, b, count), both)


def taped_chain(module: str, x: Array, a: Array, b: Array, count: int) -> Chain | None:
    """With a GradientTape, TensorFlow's or ours."""
    tf = find(module)
    if tf is None:
        return None
    tx, ta, tb = tf.constant(x), tf.constant(a), tf.constant(b)

    def both() -> tuple[Array, Array]:
        with tf.GradientTape() as tape:
            tape.watch(tx)
            y = steps(tx, ta, tb, count)
        return y.numpy(), tape.gradient(y, tx).numpy()

    return Chain(lambda: steps(tx, ta, tb, count), both)


def torch_chain(x: Array, a: Array, b: Array, count: int) -> Chain | None:
    torch = find("torch")
    if torch is None:
        return None
    tx, ta, tb = (torch.tensor(v) for v in (x, a, b))

    def both() -> tuple[Array, Array]:
        leaf = tx.clone().requires_grad_()
        y = steps(leaf, ta, tb, count)
        (g,) = torch.autograd.grad(y, leaf, torch.ones_like(y))
        return y.detach().numpy(), g.numpy()

    return Chain(lambda: steps(tx, ta, tb, count), both)


def autograd_chain(x: Array, a: Array, b: Array, count: int) -> Chain | None:
    autograd = find("autograd")
    if autograd is None:
        return None

    def both() -> tuple[Array, Array]:
        pull_back, y = autograd.make_vjp(lambda v: steps(v, a, b, count))(x)
        return y, pull_back(np.ones_like(y))

    return Chain(lambda: steps(x, a, b, count), both)


def jax_chain(x: Array, a: Array, b: Array, count: int) -> Chain | None:
    jax = find("jax")
    if jax is None:
        return None
    tx, ta, tb = (jax.numpy.asarray(v) for v in (x, a, b))

    def both() -> tuple[Array, Array]:
        y, pull_back = jax.vjp(lambda v: steps(v, ta, tb, count), tx)
        return np.asarray(y), np.asarray(pull_back(jax.numpy.ones_like(y))[0])

    return Chain(lambda: np.asarray(steps(tx, ta, tb, count)), both)


LIBRARIES: dict[str, Callable[..., Chain | None]] = {
    "wengert": partial(taped_chain, "wengert"),
    "numpy": numpy_chain,
    "tensorflow": partial(taped_chain, "tensorflow"),
    "torch": torch_chain,
    "autograd": autograd_chain,
    "jax (no jit)": jax_chain,
}
