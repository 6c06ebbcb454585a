"""Python as numba compiles it: expressions and statements.

A float of Python is 64 bits wide to numba, so that a sum with it is, too: numbers in texts of float32 say
what they are.
"""

from __future__ import annotations

import keyword
import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from wengert.insight.source.nests.index import Index
from wengert.insight.source.nests.language import Language
from wengert.insight.source.text import UNARY, Text, call, infix

NAMES: Final = {"f4": "f32", "f8": "float", "b1": "bool"}
_UFUNCS: Final = {
    "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan",
    "atan2": "arctan2", "atanh": "arctanh", "pow": "power",
    **{n: n for n in ["abs", "ceil", "copysign", "cos", "cosh", "exp", "expm1", "exp2", "floor", "hypot", "log", "log1p", "log2", "log10", "nextafter", "rint", "sin", "sinh", "sqrt", "tan", "tanh", "trunc", "isnan", "isinf", "isfinite", "cbrt"]},
}  # fmt: skip

_DIGAMMA: Final = """
@numba.njit(error_model="numpy")
def digamma(x):
    below = 0.0
    if x <= 0:
        below = -math.pi / math.tan(math.pi * x)
        x = 1 - x
    while x < 10:
        below -= 1 / x
        x += 1
    s = 1 / (x * x)
    tail = s * (1 / 12 - s * (1 / 120 - s * (1 / 252 - s * (1 / 240 - s * (1 / 132 - s * 691 / 32760)))))
    return below + math.log(x) - 0.5 / x - tail
"""


class Numba(Language):
    """Python for numba.njit."""

    name = "numba"
    division = "//"
    reserved = frozenset(
        [
            *keyword.kwlist,
            "np",
            "numba",
            "math",
            "f32",
            "range",
            "len",
            "float",
            "int",
            "bool",
            "reversed",
        ]
    )
    functions = {  # noqa: RUF012
        **{n: f"np.{u}" for n, u in _UFUNCS.items()},
        **{n: f"math.{n}" for n in ("erf", "erfc", "lgamma")}, "tgamma": "math.gamma",
        "digamma": "digamma", "fmod": "np.fmod",
    }  # fmt: skip

    helpers = {"digamma": _DIGAMMA}  # noqa: RUF012

    def number(self, kind: str, value: Any) -> Text:
        """A literal, which says its type unless that is what Python takes it for."""
        if kind == "b1":
            return Text(str(bool(value)))
        if kind[0] == "f" and not math.isfinite(float(value)):
            text = "np.nan" if math.isnan(value) else "np.inf" if value > 0 else "-np.inf"
        else:
            text = str(np.dtype(kind).type(value)) if kind[0] == "f" else str(int(value))
        if kind == "f8" or kind[0] == "i":
            return Text(text, UNARY if text.startswith("-") else 100)
        return call(_type(kind), Text(text))

    def cast(self, kind: str, given: str, x: Text) -> Text:
        """The type, called; which numba does not do with truth values."""
        if given == "b1":
            return self.select(x, self.number(kind, 1), self.number(kind, 0))
        return call(_type(kind), x)

    def function(self, name: str, kind: str, *xs: Text) -> Text:
        """NumPy's, or Python's; helpers compute with 64 bits."""
        if name in self.helpers and kind == "f4":
            return call("f32", call(name, call("float", *xs)))
        return call(self.called(name), *xs)

    def select(self, condition: Text, x: Text, y: Text) -> Text:
        """The conditional expression."""
        return Text(f"{_in(x, 20)} if {_in(condition, 20)} else {_in(y, 20)}", 10)

    def truth(self, name: str, *xs: Text) -> Text:
        """In words."""
        if name == "not":
            return Text(f"not {_in(xs[0], 40)}", 38)
        level, inner = (36, 36) if name == "and" else (35, 37)
        return Text(f"{_in(xs[0], inner)} {name} {_in(xs[1], inner)}", level)

    def remainder(self, x: Text, y: Text, kind: str) -> Text:
        """The operator has the sign of the divisor."""
        return infix("%", x, y)

    def quotient(self, x: Text, y: Text, kind: str) -> Text:
        """The operator rounds down."""
        return infix("//", x, y)

    def element(self, name: str, shape: Sequence[int], at: Index) -> Text:
        """With an index for each axis."""
        parts = []
        for n in reversed(shape):
            at, rest = at.divided(n, self.division) if n else (at, at)
            parts.append(rest.text().text)
        return Text(f"{name}[{', '.join(reversed(parts)) or '()'}]")

    def comment(self, text: str) -> str:
        """Behind a #."""
        return f"# {text}"

    def defined(self, kind: str, name: str, value: str, changes: bool = False) -> str:
        """As in x = 1.0."""
        return f"{name} = {value}"

    def loop(self, variable: str, first: str, end: str) -> str:
        """As in for i in range(4)."""
        return f"for {variable} in range({end if first == '0' else f'{first}, {end}'}):"

    def nothing(self) -> list[str]:
        """A statement must stand there."""
        return ["pass"]

    def when(self, condition: str, again: bool = False) -> str:
        """The head of if, or of elif."""
        return f"{'el' if again else ''}if {condition}:"

    def otherwise(self) -> str:
        """The head of else."""
        return "else:"

    def whilst(self, condition: str) -> str:
        """The head of while."""
        return f"while {condition}:"


def _type(kind: str) -> str:
    return NAMES.get(kind, f"np.{np.dtype(kind).name}")


def _in(x: Text, level: int) -> str:
    return x.text if x.level >= level else f"({x})"
