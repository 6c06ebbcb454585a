"""C99: expressions and statements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from wengert.insight.source.nests.index import Index
from wengert.insight.source.nests.language import Language
from wengert.insight.source.text import LEVELS, UNARY, Text, call, infix, prefix

TYPES: Final = {
    "f4": "float", "f8": "double", "i1": "int8_t", "i2": "int16_t", "i4": "int32_t", "i8": "int64_t",
    "u1": "uint8_t", "u2": "uint16_t", "u4": "uint32_t", "u8": "uint64_t", "b1": "bool",
}  # fmt: skip
_KEYWORDS: Final = [
    "auto",
    "break",
    "case",
    "char",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extern",
    "float",
    "for",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "typedef",
    "union",
    "unsigned",
    "void",
    "volatile",
    "while",
    "bool",
    "true",
    "false",
    "main",
    "NULL",
    "INFINITY",
    "NAN",
    "free",
    "malloc",
    "realloc",
    "memcpy",
    "size_t",
    "stack",
    "arena",
    "linux",
    "unix",
]
_MATHEMATICS: Final = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "ceil",
    "copysign",
    "cos",
    "cosh",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "fdim",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "frexp",
    "hypot",
    "ilogb",
    "ldexp",
    "lgamma",
    "llrint",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "lrint",
    "lround",
    "modf",
    "nan",
    "nearbyint",
    "nextafter",
    "pow",
    "remainder",
    "remquo",
    "rint",
    "round",
    "scalbn",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "tgamma",
    "trunc",
    "signgam",
    "gamma",
    "isnan",
    "isinf",
    "isfinite",
    "signbit",
    "j0",
    "j1",
    "jn",
    "y0",
    "y1",
    "yn",
    "abs",
    "labs",
    "llabs",
    "div",
    "index",
]

_DIGAMMA: Final = """
static double digamma(double x)
{
    double below = 0.0;
    if (x <= 0) {
        below = -acos(-1.0) / tan(acos(-1.0) * x);
        x = 1 - x;
    }
    for (; x < 10; x++) {
        below -= 1 / x;
    }
    const double s = 1 / (x * x);
    const double tail = s * (1.0 / 12 - s * (1.0 / 120 - s * (1.0 / 252
        - s * (1.0 / 240 - s * (1.0 / 132 - s * 691 / 32760)))));
    return below + log(x) - 0.5 / x - tail;
}
"""


class C(Language):
    """C99."""

    name = "c"
    end = ";"
    reserved = frozenset([*_KEYWORDS, *_MATHEMATICS, *[f"{n}f" for n in _MATHEMATICS]])
    functions = {  # noqa: RUF012
        **{n: n for n in _MATHEMATICS}, "abs": "fabs",
    }  # fmt: skip

    helpers = {"digamma": _DIGAMMA}  # noqa: RUF012

    def number(self, kind: str, value: Any) -> Text:
        """A constant with the suffix of its type."""
        if kind == "b1":
            return Text("true" if value else "false")
        if kind[0] == "f":
            return _float(kind, float(value))
        number = int(value)
        if kind[0] == "u":
            text = f"{number}u" if number < 2**32 else f"UINT64_C({number})"
        elif number == -(2**63):
            text = "INT64_MIN"
        elif number == -(2**31):
            text = "INT32_MIN"
        else:
            text = str(number) if abs(number) < 2**31 else f"INT64_C({number})"
        return Text(text, UNARY if text.startswith("-") else 100)

    def cast(self, kind: str, given: str, x: Text) -> Text:
        """(type)x."""
        return prefix(f"({TYPES[kind]})", x)

    def function(self, name: str, kind: str, *xs: Text) -> Text:
        """With an f behind for floats; the absolute value of an integer."""
        if name == "abs" and kind[0] == "i":
            return call("llabs" if kind == "i8" else "abs", *xs)
        if name in self.helpers:
            return call(name, *xs)
        called = self.called(name)
        is_macro = name in ("isnan", "isinf", "isfinite", "signbit")
        return call(called if kind != "f4" or is_macro else f"{called}f", *xs)

    def select(self, condition: Text, x: Text, y: Text) -> Text:
        """With a question mark; always in brackets unless it stands alone."""
        return Text(f"{_in(condition, 30)} ? {_in(x, 20)} : {_in(y, 20)}", 10)

    def truth(self, name: str, *xs: Text) -> Text:
        """&& binds tighter than ||, but not for everyone who reads it: brackets."""
        if name == "not":
            return prefix("!", xs[0])
        sign, level = ("&&", 36) if name == "and" else ("||", 35)
        inner = 36 if name == "and" else 37
        return Text(f"{_in(xs[0], inner)} {sign} {_in(xs[1], inner)}", level)

    def binary(self, sign: str, kind: str, x: Text, y: Text) -> Text:
        """Brackets around comparisons of truth values, which compilers warn of."""
        if sign in ("==", "!="):
            return Text(f"{_in(x, 41)} {sign} {_in(y, 41)}", LEVELS[sign])
        return super().binary(sign, kind, x, y)

    def remainder(self, x: Text, y: Text, kind: str) -> Text:
        """What % and fmod give has the sign of the dividend."""
        if kind[0] == "f":
            whole = self.function("floor", kind, infix("/", x, y))
            return infix("-", x, infix("*", y, whole))
        return infix("%", infix("+", infix("%", x, y), y), y)

    def quotient(self, x: Text, y: Text, kind: str) -> Text:
        """Division of integers rounds towards zero."""
        if kind[0] == "f":
            return self.function("floor", kind, infix("/", x, y))
        return infix("/", infix("-", x, self.remainder(x, y, kind)), y)

    def element(self, name: str, shape: Sequence[int], at: Index) -> Text:
        """Arrays are one row of numbers."""
        return Text(f"{name}[{at.text()}]")

    def comment(self, text: str) -> str:
        """Nothing in it may end the comment, begin another, or be a trigraph."""
        for bad, good in (("*/", "* /"), ("/*", "/ *"), ("??", "? ?")):
            while bad in text:
                text = text.replace(bad, good)
        return f"/* {text} */"

    def defined(self, kind: str, name: str, value: str, changes: bool = False) -> str:
        """As in const float x = 1.0f."""
        return f"{'' if changes else 'const '}{TYPES[kind]} {name} = {value};"

    def loop(self, variable: str, first: str, end: str) -> str:
        """As in for (int i = 0; i < 4; i++)."""
        return f"for (int {variable} = {first}; {variable} < {end}; {variable}++) {{"

    def ended(self) -> list[str]:
        """A closing brace."""
        return ["}"]

    def when(self, condition: str, again: bool = False) -> str:
        """The head of if, or of else if."""
        return f"{'} else ' if again else ''}if ({condition}) {{"

    def otherwise(self) -> str:
        """The head of else."""
        return "} else {"

    def whilst(self, condition: str) -> str:
        """The head of while."""
        return f"while ({condition}) {{"


def _in(x: Text, level: int) -> str:
    return x.text if x.level >= level else f"({x})"


def _float(kind: str, value: float) -> Text:
    if math.isnan(value):
        return Text("NAN")
    if math.isinf(value):
        return Text("INFINITY") if value > 0 else Text("-INFINITY", UNARY)
    text = repr(value) if kind == "f8" else np.format_float_scientific(np.float32(value), trim="0")
    if kind == "f4":
        short = str(np.float32(value))
        text = short if len(short) <= len(text) + 4 else text
        text = f"{text if '.' in text or 'e' in text else text + '.0'}f"
    return Text(text, UNARY if text.startswith("-") else 100)
