"""Poisson samples, each drawn by a generator of its own: the algorithms of `wengert/ops/random/rejection.py`."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from wengert.engines.native.codegen.kernel_writer import KernelWriter, kernel
from wengert.engines.native.codegen.vectors import literal
from wengert.engines.native.frontend.scalar import constant
from wengert.engines.native.kernels.philox import Counter

PART: Final = 1 << 9  # samples
EDGE: Final = 10.0  # the rate from which on they are drawn under a hat
_LONG: Final = (1 << 64) - 1
_DIGITS: Final = (1 << 52) - 1


def draw(generator: Any, state: Any, rates: Any, count: int, apart: int) -> Any:
    """For each rate so many samples; NaN where there are none."""
    found = np.empty(rates.size * count)
    about = np.array([state.counter & _LONG, state.counter >> 64, state.key], np.uint64)
    limits = np.exp(-np.where(rates < EDGE, rates, 0.0))
    numbers = (found.size, PART, count, apart)
    _poisson(generator)(-(-found.size // PART), numbers, about, rates, limits, found)
    return found


@kernel
def _poisson(generator: Any) -> str:
    return _Poisson(generator).text()


class _Poisson(KernelWriter):
    """The kernel: an item is a sample."""

    def __init__(self, generator: Any) -> None:
        super().__init__(4, 4)
        about, rates, limits, found = self.arrays
        size, each, count, apart = self.numbers
        self.counter = Counter(self, about, generator)

        def sample(k: str) -> None:
            which, begin = self.div(k, count)[0], self.mul(k, apart)
            rate = self.read("f8", rates, which, 1)
            is_few = self.set(f"fcmp olt double {rate}, {_number(EDGE)}")
            is_many = self.set(f"fcmp oge double {rate}, {_number(EDGE)}")
            is_finite = self.set(f"fcmp olt double {rate}, {_number(np.inf)}")
            is_many = self.set(f"and i1 {is_many}, {is_finite}")
            limit = self.read("f8", limits, which, 1)
            few = lambda: [self._by_waiting(begin, limit)]  # noqa: E731
            many = lambda: [self._by_hat(begin, rate)]  # noqa: E731
            (drawn,) = self.when(is_few, few, [("double", _number(np.nan))])
            (drawn,) = self.when(is_many, many, [("double", drawn)])
            self.write("f8", found, k, drawn, 1)

        self.share(each, size, sample)

    def _pair(self, block: str) -> list[str]:
        """Two doubles in [0, 1) of a block; the second is the first to be used."""
        words, found = self.counter.block(block), []
        for high, low in (words[2:], words[:2]):
            whole = self.set(f"or i64 {self.set(f'shl i64 {high}, 32')}, {low}")
            digits = self.set(f"and i64 {whole}, {_DIGITS}")
            raw = self.set(f"or i64 {digits}, {1023 << 52}")
            found.append(self._two("sub", self.set(f"bitcast i64 {raw} to double"), 1.0))
        return found

    def _by_waiting(self, begin: str, limit: str) -> str:
        """Knuth: count uniform samples until their product is not above the limit, two at a time."""

        def more(now: list[str]) -> list[str]:
            block, passed, product, _ = now
            u, v = self._pair(block)
            first = self._two("mul", product, u)
            both = self._two("mul", first, v)
            ends, ends_later = (self.set(f"fcmp ole double {x}, {limit}") for x in (first, both))
            then = self.set(f"select i1 {ends}, double {_number(1.0)}, double {_number(2.0)}")
            is_done = self.set(f"or i1 {ends}, {ends_later}")
            return [self.add(block, 1), self._two("add", passed, then), both, is_done]

        start = [
            ("i64", begin),
            ("double", _number(0.0)),
            ("double", _number(1.0)),
            ("i1", "false"),
        ]
        _, drawn, *_ = self.as_long_as(lambda now: self._not(now[3]), more, start)
        return self._two("sub", drawn, 1.0)

    def _by_hat(self, begin: str, rate: str) -> str:
        """Hörmann's transformed rejection: a block for each attempt."""
        two = self._two
        root = self.intrinsic("sqrt", "f8", 1, [rate])
        b = two("add", two("mul", root, 2.53), 0.931)
        a = two("add", two("mul", b, 0.02483), -0.059)
        inverse_alpha = two("add", two("div", 1.1328, two("sub", b, 3.4)), 1.1239)
        edge = two("sub", 0.9277, two("div", 3.6224, two("sub", b, 2.0)))
        log_rate = self._function("log", rate)

        def attempt(now: list[str]) -> list[str]:
            u, v = self._pair(now[0])
            u = two("sub", u, 0.5)
            us = two("sub", 0.5, self.intrinsic("fabs", "f8", 1, [u]))
            slope = two("add", two("div", two("mul", a, 2.0), us), b)
            place = two("add", two("add", two("mul", slope, u), rate), 0.43)
            k = self.intrinsic("floor", "f8", 1, [place])
            inner = self._all(("oge", us, 0.07), ("ole", v, edge))
            is_out = self._all(("olt", us, 0.013), ("ogt", v, us))
            is_out = self.set(f"or i1 {is_out}, {self._all(('olt', k, 0.0))}")

            def compared() -> list[str]:
                width = two("add", two("div", a, two("mul", us, us)), b)
                s = self._function("log", two("div", two("mul", v, inverse_alpha), width))
                factorial = self._function("lgamma", two("add", k, 1.0))
                t = two("sub", two("sub", two("mul", k, log_rate), rate), factorial)
                return [self._all(("ole", s, t))]

            is_open = self.set(f"and i1 {self._not(inner)}, {self._not(is_out)}")
            (is_good,) = self.when(is_open, compared, [("i1", inner)])
            return [self.add(now[0], 1), k, is_good]

        start = [("i64", begin), ("double", _number(0.0)), ("i1", "false")]
        return self.as_long_as(lambda now: self._not(now[2]), attempt, start)[1]

    # ---- numbers ----------------------------------------------------------------------------------

    def _two(self, word: str, x: Any, y: Any) -> str:
        """An operation on two doubles, of which some are known."""
        a, b = (_number(z) if isinstance(z, float) else z for z in (x, y))
        return self.set(f"f{word} double {a}, {b}")

    def _all(self, *comparisons: tuple[str, Any, Any]) -> str:
        """Whether all of some comparisons hold."""
        found = "true"
        for word, x, y in comparisons:
            a, b = (_number(z) if isinstance(z, float) else z for z in (x, y))
            found = self.set(f"and i1 {found}, {self.set(f'fcmp {word} double {a}, {b}')}")
        return found

    def _not(self, x: str) -> str:
        return self.set(f"xor i1 {x}, true")

    def _function(self, name: str, x: str) -> str:
        return self.set(f"call double {self.called(name, 'f8', 1)}(double {x})")


def _number(x: float) -> str:
    return literal("f8", constant("f8", x), 1)
