"""tf.formula: the derivative as a formula."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any, Final

from wengert.derivatives.arguments import check_function
from wengert.insight.compare.composition import Composition
from wengert.insight.compare.optional import sympy
from wengert.insight.compare.ways import operations_in, symbolic
from wengert.insight.reports.blocks import Block, Words, terms
from wengert.insight.reports.report import Report

_MOST: Final = (
    30  # operations of a formula that is simplified: of 60 it takes 20 s, and finds little
)
_MOST_FRACTIONS: Final = 300  # of one whose terms are put on one fraction


class Formula(Report):
    """A derivative: its `text`, its `latex`, and `function`, the text of what was differentiated.

    `derivative` is SymPy's expression. At a number that was given, `value` is that of the derivative.
    """

    def __init__(self, function: Any, derivative: Any, latex: str, value: float | None) -> None:
        self.title = "A derivative as a formula"
        self.function = str(function)
        self.derivative = derivative
        self.text = str(derivative)
        self.latex = latex
        self.value = value

    def blocks(self) -> list[Block]:
        """The function, and its derivative as text and as LaTeX."""
        made: list[Block] = [Words(f"The derivative of {self.function} is"), terms(self.text)]
        made += [Words("In LaTeX:"), terms(self.latex)]
        return made if self.value is None else [*made, Words(f"Its value is {self.value:.17g}.")]

    def to_dict(self) -> dict[str, Any]:
        """The texts, and the value."""
        return {
            "function": self.function,
            "text": self.text,
            "latex": self.latex,
            "value": self.value,
        }

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex}$"


def formula(f: Callable[[Any], Any], x: float | None = None) -> Formula:
    """The derivative of a function of one number as a formula, simplified: text and LaTeX.

    It needs SymPy (`pip install wengert[insight]`). With a number x the result also has the value there.

    >>> found = tf.formula(lambda x: tf.exp(-x * x), 0.0)
    >>> found.text, found.value
    ('-2*x*exp(-x**2)', 0.0)
    >>> print(found.latex)
    - 2 x e^{- x^{2}}
    """
    check_function(f, "formula")
    s = sympy()
    symbol = s.Symbol(_parameter_of(f), real=True)
    found = symbolic(Composition(f), symbol)
    derivative = _simplified(found.derivative)
    value = None if x is None else _number(derivative.subs(symbol, s.Float(float(x), 30)))
    return Formula(found.function, derivative, s.latex(derivative), value)


def _simplified(derivative: Any) -> Any:
    """As simple as can be found soon."""
    s, count = sympy(), operations_in(derivative)
    if count <= _MOST:
        return s.simplify(derivative)
    return s.factor_terms(s.together(derivative)) if count <= _MOST_FRACTIONS else derivative


def _number(found: Any) -> float:
    """A value as a number: NaN where it is not a real one, infinite at a pole."""
    try:
        return float(found)
    except (TypeError, ValueError, RecursionError):  # complex, a pole, a derivative left as it is
        return math.inf if found in (sympy().oo, sympy().zoo) else math.nan


def _parameter_of(f: Callable[..., Any]) -> str:
    try:
        names = list(inspect.signature(f).parameters)
    except (TypeError, ValueError):
        return "x"
    return names[0] if names and names[0].isidentifier() else "x"
