"""Loops of many small steps, of a single expression and of several: the value alone."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.native.libraries import compiling_torch, named, torch_arrays
from benchmarks.native.workload import Array, Run, Workload, find_jax, normal
from benchmarks.peers import find

STEPS, SIZE = 10_000, 8


Step = Callable[[Any, Any, Any], Any]  # the next value, of a library, the value and a matrix


def inputs() -> list[Array]:
    return normal((SIZE,), (SIZE, SIZE))


def expression(library: Any, x: Any, a: Any) -> Any:
    return 0.9 * x + 0.1 * library.sin(x * a[0] + 1.0)


def product(library: Any, x: Any, a: Any) -> Any:
    """A product, a sum and its root, which the whole array waits for."""
    y = library.tanh(library.tensordot(a, x, 1))
    return y / (1.0 + library.tensordot(y, y, 1) ** 0.5) + 0.1 * x


def taped(once: Step, module: str, compiled: bool) -> Run | None:
    tf = find(module)
    if tf is None:
        return None

    @tf.function(jit_compile=compiled)
    def run(x: Any, a: Any) -> Any:
        body = lambda i, x: (i + 1, once(tf, x, a))  # noqa: E731
        return tf.while_loop(lambda i, _: i < STEPS, body, (0, x))[1]

    given = [tf.constant(v) for v in inputs()]
    return Run(lambda: [run(*given)])


def jitted(once: Step) -> Run | None:
    jax = find_jax()
    if jax is None:
        return None

    @jax.jit
    def run(x: Any, a: Any) -> Any:
        body = lambda state: (state[0] + 1, once(jax.numpy, state[1], a))  # noqa: E731
        return jax.lax.while_loop(lambda state: state[0] < STEPS, body, (0, x))[1]

    given = [jax.numpy.asarray(v) for v in inputs()]
    return Run(lambda: [jax.block_until_ready(run(*given))])


def looped(once: Step, compiled: bool) -> Run | None:
    torch = compiling_torch() if compiled else find("torch")
    if torch is None:
        return None
    body = partial(once, torch)
    if compiled:  # the whole loop would be unrolled
        body = torch.compile(body)

    def run() -> Any:
        x, a = given
        for _ in range(STEPS):
            x = body(x, a)
        return [x]

    given = [torch.tensor(v) for v in inputs()]
    return Run(run, torch_arrays)


def expected(once: Step) -> list[Array]:
    x, a = (v.astype(np.float64) for v in inputs())
    for _ in range(STEPS):
        x = once(np, x, a)
    return [x]


WORKLOADS = [
    Workload(
        f"loop of {STEPS:,} small steps, {what}, {SIZE} floats",
        named(
            partial(taped, once),
            partial(jitted, once),
            partial(looped, once, False),
            partial(looped, once, True),
        ),
        partial(expected, once),
        {"JAX jit": 0.5},
    )
    for what, once in (("an expression", expression), ("a product and more", product))
]
