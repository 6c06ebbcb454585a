"""What the languages have in common in which loops are written, and in what they differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from wengert.insight.source.kernels import NotWritableError
from wengert.insight.source.nests.index import Index
from wengert.insight.source.text import Text, infix, prefix

SIGNS: Final = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
    "eq": "==", "ne": "!=", "and": "&", "or": "|", "xor": "^", "shl": "<<", "shr": ">>",
}  # fmt: skip


class Language:
    """Writes scalar expressions, elements of arrays, and statements. Types are NumPy's letters."""

    name = ""
    division = "/"  # of whole numbers
    end = ""  # of a statement
    reserved: frozenset[str] = frozenset()
    functions: dict[str, str] = {}  # those of the scalar code, as they are called here  # noqa: RUF012

    helpers: dict[str, str] = {}  # functions that a text may need, which are put before it  # noqa: RUF012

    def helpers_of(self, text: str) -> list[str]:
        """The helpers that a text calls."""
        return [h for name, h in self.helpers.items() if f"{name}(" in text]

    # ---- expressions ---------------------------------------------------------------------------

    def number(self, kind: str, value: Any) -> Text:
        """A number of a type."""
        raise NotImplementedError

    def cast(self, kind: str, given: str, x: Text) -> Text:
        """A number in another type."""
        raise NotImplementedError

    def function(self, name: str, kind: str, *xs: Text) -> Text:
        """A function of the scalar code."""
        raise NotImplementedError

    def select(self, condition: Text, x: Text, y: Text) -> Text:
        """One of two, as a condition says."""
        raise NotImplementedError

    def truth(self, name: str, *xs: Text) -> Text:
        """And, or, not of truth values."""
        raise NotImplementedError

    def element(self, name: str, shape: Sequence[int], at: Index) -> Text:
        """An element of an array; `at` counts in row-major order."""
        raise NotImplementedError

    def operation(self, op: str, kind: str, given: str, xs: Sequence[Text]) -> Text:
        """An instruction of the scalar code, of operands of the type `given`."""
        if op == "neg":  # no -- in C
            return prefix("-", Text(xs[0].text, 0) if xs[0].text.startswith("-") else xs[0])
        if op == "not":
            return self.truth("not", *xs) if given == "b1" else prefix("~", xs[0])
        if op == "select":
            return self.select(*xs)
        if op == "cast":
            return self.cast(kind, given, xs[0])
        if op in ("and", "or") and given == "b1":
            return self.truth(op, *xs)
        if op == "ne" and xs[0] == xs[1] and given[0] == "f":
            return self.function("isnan", given, xs[0])
        if op in ("quotient", "remainder"):
            return getattr(self, op)(xs[0], xs[1], kind)  # type: ignore[no-any-return]
        if op in SIGNS:
            return self.binary(SIGNS[op], kind, *xs)
        return self.function(op, kind, *xs)

    def binary(self, sign: str, kind: str, x: Text, y: Text) -> Text:
        """Two operands with a sign between."""
        if sign in ("&", "|", "^", "<<", ">>"):  # whose order differs between languages
            return Text(f"({infix('**', x, y).text.replace('**', sign)})")
        return infix(sign, x, y)

    def remainder(self, x: Text, y: Text, kind: str) -> Text:
        """With the sign of the divisor."""
        raise NotImplementedError

    def quotient(self, x: Text, y: Text, kind: str) -> Text:
        """Rounded down."""
        raise NotImplementedError

    def called(self, name: str) -> str:
        """What a function is called here."""
        found = self.functions.get(name)
        if found is None:
            raise NotWritableError(f"the function {name}")
        return found

    # ---- statements ----------------------------------------------------------------------------

    def comment(self, text: str) -> str:
        """A remark."""
        raise NotImplementedError

    def defined(self, kind: str, name: str, value: str, changes: bool = False) -> str:
        """A new variable; whether it changes later."""
        raise NotImplementedError

    def loop(self, variable: str, first: str, end: str) -> str:
        """The head of a loop that counts."""
        raise NotImplementedError

    def ended(self) -> list[str]:
        """The line that ends a block, where one is needed."""
        return []

    def nothing(self) -> list[str]:
        """What stands in a block in which nothing does."""
        return []

    def when(self, condition: str, again: bool = False) -> str:
        """The head of a branch."""
        raise NotImplementedError

    def otherwise(self) -> str:
        """The head of the last branch."""
        raise NotImplementedError

    def whilst(self, condition: str) -> str:
        """The head of a loop that goes on while a condition holds."""
        raise NotImplementedError
