"""Shared by kernels that draw samples by rejection: uniform numbers from a generator, and arithmetic of doubles."""

from __future__ import annotations

from typing import Any, Final

from wengert.engines.native.codegen.kernel_writer import KernelWriter
from wengert.engines.native.codegen.vectors import literal
from wengert.engines.native.frontend.scalar import constant
from wengert.engines.native.kernels.random_numbers.philox import Counter

_DIGITS: Final = (1 << 52) - 1


class Draws(KernelWriter):
    """A kernel whose first array is what it knows of a generator."""

    def __init__(self, generator: Any, arrays: int, numbers: int) -> None:
        super().__init__(arrays, numbers)
        self.counter = Counter(self, self.arrays[0], generator)

    def pair(self, block: str) -> list[str]:
        """Two doubles in [0, 1) of a block; the second is the first to be used."""
        words, found = self.counter.block(block), []
        for high, low in (words[2:], words[:2]):
            whole = self.set(f"or i64 {self.set(f'shl i64 {high}, 32')}, {low}")
            digits = self.set(f"and i64 {whole}, {_DIGITS}")
            raw = self.set(f"or i64 {digits}, {1023 << 52}")
            found.append(self.two("sub", self.set(f"bitcast i64 {raw} to double"), 1.0))
        return found

    # ---- numbers ----------------------------------------------------------------------------------

    def two(self, word: str, x: Any, y: Any) -> str:
        """An operation on two doubles, of which some are known."""
        a, b = (number(z) if isinstance(z, float) else z for z in (x, y))
        return self.set(f"f{word} double {a}, {b}")

    def all_of(self, *comparisons: tuple[str, Any, Any]) -> str:
        """Whether all of some comparisons hold."""
        found = "true"
        for word, x, y in comparisons:
            a, b = (number(z) if isinstance(z, float) else z for z in (x, y))
            found = self.set(f"and i1 {found}, {self.set(f'fcmp {word} double {a}, {b}')}")
        return found

    def negated(self, x: str) -> str:
        return self.set(f"xor i1 {x}, true")

    def applied(self, name: str, x: str) -> str:
        return self.set(f"call double {self.called(name, 'f8', 1)}(double {x})")


def number(x: float) -> str:
    return literal("f8", constant("f8", x), 1)
