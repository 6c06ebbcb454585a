"""Poisson samples, each drawn by a generator of its own: the algorithms of `wengert/ops/random/rejection.py`."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from wengert.engines.native.codegen.kernel_writer import kernel
from wengert.engines.native.kernels.in_turn.draws import Draws, number
from wengert.engines.native.kernels.random_numbers.philox import about

PART: Final = 1 << 9  # samples
EDGE: Final = 10.0  # the rate from which on they are drawn under a hat


def draw(generator: Any, state: Any, rates: Any, count: int, apart: int) -> Any:
    """For each rate so many samples; NaN where there are none."""
    found = np.empty(rates.size * count)
    limits = np.exp(-np.where(rates < EDGE, rates, 0.0))
    numbers = (found.size, PART, count, apart)
    _poisson(generator)(-(-found.size // PART), numbers, about(*state), rates, limits, found)
    return found


@kernel
def _poisson(generator: Any) -> str:
    return _Poisson(generator).text()


class _Poisson(Draws):
    """The kernel: an item is a sample."""

    def __init__(self, generator: Any) -> None:
        super().__init__(generator, 4, 4)
        _, rates, limits, found = self.arrays
        size, each, count, apart = self.numbers

        def sample(k: str) -> None:
            which, begin = self.div(k, count)[0], self.mul(k, apart)
            rate = self.read("f8", rates, which, 1)
            is_few = self.set(f"fcmp olt double {rate}, {number(EDGE)}")
            is_many = self.set(f"fcmp oge double {rate}, {number(EDGE)}")
            is_finite = self.set(f"fcmp olt double {rate}, {number(np.inf)}")
            is_many = self.set(f"and i1 {is_many}, {is_finite}")
            limit = self.read("f8", limits, which, 1)
            few = lambda: [self._by_waiting(begin, limit)]  # noqa: E731
            many = lambda: [self._by_hat(begin, rate)]  # noqa: E731
            (drawn,) = self.when(is_few, few, [("double", number(np.nan))])
            (drawn,) = self.when(is_many, many, [("double", drawn)])
            self.write("f8", found, k, drawn, 1)

        self.share(each, size, sample)

    def _by_waiting(self, begin: str, limit: str) -> str:
        """Knuth: count uniform samples until their product is not above the limit, two at a time."""

        def more(now: list[str]) -> list[str]:
            block, passed, product, _ = now
            u, v = self.pair(block)
            first = self.two("mul", product, u)
            both = self.two("mul", first, v)
            ends, ends_later = (self.set(f"fcmp ole double {x}, {limit}") for x in (first, both))
            then = self.set(f"select i1 {ends}, double {number(1.0)}, double {number(2.0)}")
            is_done = self.set(f"or i1 {ends}, {ends_later}")
            return [self.add(block, 1), self.two("add", passed, then), both, is_done]

        start = [
            ("i64", begin),
            ("double", number(0.0)),
            ("double", number(1.0)),
            ("i1", "false"),
        ]
        _, drawn, *_ = self.as_long_as(lambda now: self.negated(now[3]), more, start)
        return self.two("sub", drawn, 1.0)

    def _by_hat(self, begin: str, rate: str) -> str:
        """Hörmann's transformed rejection: a block for each attempt."""
        two = self.two
        root = self.intrinsic("sqrt", "f8", 1, [rate])
        b = two("add", two("mul", root, 2.53), 0.931)
        a = two("add", two("mul", b, 0.02483), -0.059)
        inverse_alpha = two("add", two("div", 1.1328, two("sub", b, 3.4)), 1.1239)
        edge = two("sub", 0.9277, two("div", 3.6224, two("sub", b, 2.0)))
        log_rate = self.applied("log", rate)

        def attempt(now: list[str]) -> list[str]:
            u, v = self.pair(now[0])
            u = two("sub", u, 0.5)
            us = two("sub", 0.5, self.intrinsic("fabs", "f8", 1, [u]))
            slope = two("add", two("div", two("mul", a, 2.0), us), b)
            place = two("add", two("add", two("mul", slope, u), rate), 0.43)
            k = self.intrinsic("floor", "f8", 1, [place])
            inner = self.all_of(("oge", us, 0.07), ("ole", v, edge))
            is_out = self.all_of(("olt", us, 0.013), ("ogt", v, us))
            is_out = self.set(f"or i1 {is_out}, {self.all_of(('olt', k, 0.0))}")

            def compared() -> list[str]:
                width = two("add", two("div", a, two("mul", us, us)), b)
                s = self.applied("log", two("div", two("mul", v, inverse_alpha), width))
                factorial = self.applied("lgamma", two("add", k, 1.0))
                t = two("sub", two("sub", two("mul", k, log_rate), rate), factorial)
                return [self.all_of(("ole", s, t))]

            is_open = self.set(f"and i1 {self.negated(inner)}, {self.negated(is_out)}")
            (is_good,) = self.when(is_open, compared, [("i1", inner)])
            return [self.add(now[0], 1), k, is_good]

        start = [("i64", begin), ("double", number(0.0)), ("i1", "false")]
        return self.as_long_as(lambda now: self.negated(now[2]), attempt, start)[1]
