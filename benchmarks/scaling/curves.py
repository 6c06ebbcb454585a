"""What grows: the elements of an array, the operations of a graph, the threads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks.native.elementwise import SOFTPLUS
from benchmarks.native.libraries import contestants
from benchmarks.native.workload import Array, Contestant, Program, doubles, normal
from benchmarks.peers import steps

WHO = ("wengert", "TensorFlow graph", "TensorFlow XLA", "JAX jit", "PyTorch", "torch.compile")
FLOATS = 10_000_000  # with more and more threads


class Curve(NamedTuple):
    """A gradient for each point, and what is timed of it."""

    title: str
    axis: str
    points: tuple[int, ...]
    program: Callable[[int], Program]
    expected: Callable[[int], list[Array]]
    first: bool = False  # the first call is timed, in which all is compiled
    threads: bool = False  # the points are numbers of threads

    def contestants(self, point: int) -> Mapping[str, Contestant]:
        """Those of the libraries that take part."""
        return contestants(self.program(FLOATS if self.threads else point))

    def answer(self, point: int) -> list[Array]:
        return self.expected(FLOATS if self.threads else point)


def softplus(count: int) -> Program:
    return SOFTPLUS._replace(inputs=lambda: normal((count,)))


def softplus_expected(count: int) -> list[Array]:
    (x,) = doubles(normal((count,)))
    return [np.log1p(np.exp(x)).sum(), 1 / (1 + np.exp(-x))]


def chain(count: int) -> Program:
    """Half as many products as operations, and as many sums."""
    value = partial(chained, count // 2)
    return Program(chain_inputs, value, value, value)


def chain_inputs() -> list[Array]:
    return [np.full(8, v, np.float32) for v in (0.5, 0.999, 0.001)]


def chained(count: int, library: Any, x: Any, a: Any, b: Any) -> Any:
    return steps(x, a, b, count)


def chain_expected(count: int) -> list[Array]:
    x, a, b = doubles(chain_inputs())
    return [steps(x, a, b, count // 2), a ** (count // 2)]


SIZES = tuple(10**n for n in range(9))
LENGTHS = tuple(10**n for n in range(1, 7))
THREADS = (1, 2, 4, 8, 16, 32, 64)
CURVES: Mapping[str, Curve] = {
    "elements": Curve(
        "gradient of the sum of log(1 + exp(x))", "elements", SIZES, softplus, softplus_expected
    ),
    "operations": Curve(
        "call of the gradient of a chain", "operations", LENGTHS, chain, chain_expected
    ),
    "first": Curve(
        "first call of the gradient of a chain", "operations", LENGTHS, chain, chain_expected, True
    ),
    "threads": Curve(
        f"gradient of the sum of log(1 + exp(x)), {FLOATS:,} floats",
        "threads",
        THREADS,
        softplus,
        softplus_expected,
        threads=True,
    ),
}
