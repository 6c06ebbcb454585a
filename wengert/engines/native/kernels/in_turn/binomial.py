"""Binomial samples, each drawn by a generator of its own: the algorithms of `wengert/ops/random/rejection.py`."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from wengert.engines.native.codegen.kernel_writer import kernel
from wengert.engines.native.kernels.in_turn.draws import Draws, number
from wengert.engines.native.kernels.random_numbers.philox import about

PART: Final = 1 << 9  # samples


def draw(
    generator: Any,
    state: Any,
    trials: Any,
    chances: Any,
    tails: Any,
    count: int,
    apart: tuple[int, int],
) -> Any:
    """For each pair of trials and chance, up to a half, so many samples; 0 where there is nothing to draw."""
    found = np.zeros(trials.size * count)
    drawn = (trials > 0) & (trials < np.inf) & (chances > 0)
    ways = np.where(drawn, np.where(trials * chances >= 10, 2, 1), 0)
    logs = np.log1p(-chances)
    numbers = (found.size, PART, count, *apart)
    arrays = (about(*state), trials, chances, logs, ways, tails, found)
    _binomial(generator)(-(-found.size // PART), numbers, *arrays)
    return found


@kernel
def _binomial(generator: Any) -> str:
    return _Binomial(generator).text()


class _Binomial(Draws):
    """The kernel: an item is a sample."""

    def __init__(self, generator: Any) -> None:
        super().__init__(generator, 7, 5)
        _, trials, chances, logs, ways, self.tails, found = self.arrays
        size, each, count, near, far = self.numbers

        def sample(k: str) -> None:
            which = self.div(k, count)[0]
            n, p, log = (self.read("f8", x, which, 1) for x in (trials, chances, logs))
            way = self.read("i8", ways, which, 1)
            few = lambda: [self._by_gaps(self.mul(k, near), n, log)]  # noqa: E731
            many = lambda: [self._by_hat(self.mul(k, far), n, p)]  # noqa: E731
            (drawn,) = self.when(self.set(f"icmp eq i64 {way}, 1"), few, [("double", number(0.0))])
            (drawn,) = self.when(self.set(f"icmp eq i64 {way}, 2"), many, [("double", drawn)])
            self.write("f8", found, k, drawn, 1)

        self.share(each, size, sample)

    def _by_gaps(self, begin: str, n: str, log: str) -> str:
        """The gaps between successes are geometric; count the successes within `n` trials, two at a time."""

        def gap(u: str) -> str:
            return self.intrinsic("ceil", "f8", 1, [self.two("div", self.applied("log", u), log)])

        def more(now: list[str]) -> list[str]:
            block, passed, successes, _ = now
            u, v = self.pair(block)
            first = self.two("add", passed, gap(u))
            both = self.two("add", first, gap(v))
            ends, ends_later = (self.set(f"fcmp ogt double {x}, {n}") for x in (first, both))
            then = self.set(f"select i1 {ends_later}, double {number(1.0)}, double {number(2.0)}")
            then = self.set(f"select i1 {ends}, double {number(0.0)}, double {then}")
            is_done = self.set(f"or i1 {ends}, {ends_later}")
            return [self.add(block, 1), both, self.two("add", successes, then), is_done]

        zero = number(0.0)
        start = [("i64", begin), ("double", zero), ("double", zero), ("i1", "false")]
        return self.as_long_as(lambda now: self.negated(now[3]), more, start)[2]

    def _by_hat(self, begin: str, n: str, p: str) -> str:
        """Hörmann's method BTRS: a block for each attempt."""
        two = self.two
        variance = two("mul", two("mul", n, p), two("sub", 1.0, p))
        spread = self.intrinsic("sqrt", "f8", 1, [variance])
        b = two("add", 1.15, two("mul", spread, 2.53))
        a = two("add", two("add", -0.0873, two("mul", b, 0.0248)), two("mul", p, 0.01))
        edge = two("sub", 0.92, two("div", 4.2, b))
        scale = two("mul", two("add", 2.83, two("div", 5.1, b)), spread)
        middle = two("mul", n, p)
        likeliest = self.intrinsic("floor", "f8", 1, [two("mul", two("add", n, 1.0), p)])

        def attempt(now: list[str]) -> list[str]:
            u, v = self.pair(now[0])
            u = two("sub", u, 0.5)
            us = two("sub", 0.5, self.intrinsic("fabs", "f8", 1, [u]))
            slope = two("add", two("div", two("mul", a, 2.0), us), b)
            place = two("add", two("add", two("mul", slope, u), middle), 0.5)
            k = self.intrinsic("floor", "f8", 1, [place])
            inner = self.all_of(("oge", us, 0.07), ("ole", v, edge))
            is_possible = self.all_of(("oge", k, 0.0), ("ole", k, n))

            def compared() -> list[str]:
                width = two("add", two("div", a, two("mul", us, us)), b)
                s = self.applied("log", two("div", two("mul", v, scale), width))
                return [self.all_of(("ole", s, self._log_ratio(n, p, likeliest, k)))]

            is_open = self.set(f"and i1 {self.negated(inner)}, {is_possible}")
            (is_good,) = self.when(is_open, compared, [("i1", inner)])
            return [self.add(now[0], 1), k, is_good]

        start = [("i64", begin), ("double", number(0.0)), ("i1", "false")]
        return self.as_long_as(lambda now: self.negated(now[2]), attempt, start)[1]

    def _log_ratio(self, n: str, p: str, m: str, k: str) -> str:
        """The logarithm of the probability of k over that of the likeliest number m."""
        two = self.two
        r = two("div", p, two("sub", 1.0, p))
        above_m = two("add", two("sub", n, m), 1.0)
        above_k = two("add", two("sub", n, k), 1.0)
        more_m, more_k = (two("add", x, 1.0) for x in (m, k))
        terms = (
            (two("add", m, 0.5), two("div", more_m, two("mul", r, above_m))),
            (two("add", n, 1.0), two("div", above_m, above_k)),
            (two("add", k, 0.5), two("div", two("mul", r, above_k), more_k)),
        )
        total = number(0.0)
        for factor, ratio in terms:
            total = two("add", total, two("mul", factor, self.applied("log", ratio)))
        for word, x in (
            ("add", m),
            ("add", two("sub", n, m)),
            ("sub", k),
            ("sub", two("sub", n, k)),
        ):
            total = two(word, total, self._tail(x))
        return total

    def _tail(self, k: str) -> str:
        """The error of Stirling's formula: up to 9 from a table, above by its series."""
        two = self.two
        more = two("add", k, 1.0)
        inverse = two("div", 1.0, two("mul", more, more))
        inner = two("sub", 1 / 360, two("mul", inverse, 1 / 1260))
        series = two("div", two("sub", 1 / 12, two("mul", inner, inverse)), more)
        place = self.least(self.set(f"fptosi double {k} to i64"), 9)
        known = self.read("f8", self.tails, place, 1)
        is_small = self.set(f"fcmp ole double {k}, {number(9.0)}")
        return self.set(f"select i1 {is_small}, double {known}, double {series}")
