"""The ways to differentiate, each with its value and what it took."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from wengert.api.gradients.gradient_tape import GradientTape
from wengert.derivatives.forward import jvp
from wengert.insight.compare.composition import Composition
from wengert.insight.compare.optional import mpmath, sympy
from wengert.insight.compare.spaces import space_of_digits, space_of_formulas
from wengert.values import dtypes
from wengert.values.convert import convert


class Way(NamedTuple):
    """A derivative, or why there is none; `note` says more."""

    name: str
    value: float | None
    evaluations: int | None = None
    seconds: float | None = None
    note: str = ""
    operations: int | None = None


class Counted:
    """A function of numbers, and how often it was called."""

    def __init__(self, f: Callable[[Any], Any]) -> None:
        self._f = f
        self.calls = 0

    def __call__(self, x: Any) -> Any:
        """The result as a tensor."""
        self.calls += 1
        return convert(self._f(x))

    def at(self, x: float) -> float:
        """The value at a number."""
        return float(self(convert(x, dtypes.float64)))


_RUNS: Final = 5  # of which the fastest counts


def timed(f: Counted, name: str, derivative: Callable[[Counted], float], note: str = "") -> Way:
    """A way that calls the function: its value, how often it called, and how long it took."""
    f.calls = 0
    try:
        value = derivative(f)
    except Exception as error:  # noqa: BLE001  # the function is the user's, and so is the reason
        return Way(name, None, note=_reason(error))
    calls = f.calls
    return Way(name, value, calls, _fastest(lambda: derivative(f)), note)


def _fastest(function: Callable[[], Any]) -> float:
    spans = []
    for _ in range(_RUNS):
        start = time.perf_counter()
        function()
        spans.append(time.perf_counter() - start)
    return min(spans)


def _reason(error: Exception) -> str:
    """The first sentence of a message."""
    return " ".join(str(error).split()).partition(". ")[0][:120]


# ---- automatic ----------------------------------------------------------------------------------


def forward_mode(x: float) -> Callable[[Counted], float]:
    """A tangent beside each value."""
    one = np.float64(1.0)
    return lambda f: float(jvp(f, (convert(x, dtypes.float64),), (convert(one),))[1])


def reverse_mode(x: float) -> Callable[[Counted], float]:
    """A sweep back over the operations."""

    def derivative(f: Counted) -> float:
        at = convert(x, dtypes.float64)
        with GradientTape() as tape:
            tape.watch(at)
            y = f(at)
        return float(tape.gradient(y, at, unconnected_gradients="zero"))

    return derivative


# ---- numerical ----------------------------------------------------------------------------------


def scale_of(x: float) -> float:
    """The unit of steps: x itself, or 1 at zero."""
    return abs(x) or 1.0


def forward_difference(x: float, h: float) -> Callable[[Counted], float]:
    """(f(x + h) - f(x)) / h, with the step that x + h really takes."""
    return lambda f: (f.at(x + h) - f.at(x)) / ((x + h) - x)


def central_difference(x: float, h: float) -> Callable[[Counted], float]:
    """(f(x + h) - f(x - h)) / 2h."""
    return lambda f: (f.at(x + h) - f.at(x - h)) / ((x + h) - (x - h))


def complex_step(x: float) -> Callable[[Counted], float]:
    """The imaginary part of f(x + ih) by h: nothing is subtracted, so h may be tiny."""
    h = 1e-20 * scale_of(x)

    def derivative(f: Counted) -> float:
        y = f(convert(complex(x, h), dtypes.complex128))
        if not y.dtype.is_complex:
            raise ValueError("the result for a complex number is real")
        return float(complex(y.numpy()).imag) / h

    return derivative


# ---- symbolic -----------------------------------------------------------------------------------

MOST_OPERATIONS: Final = 20_000  # of a formula that is differentiated, or evaluated


class Symbolic(NamedTuple):
    """The function and its derivative as formulas."""

    function: Any
    derivative: Any
    seconds: float


def symbolic(composition: Composition, x: Any) -> Symbolic:
    """Differentiate the formula of a function with respect to the symbol x."""
    s = sympy()
    start = time.perf_counter()
    y = s.sympify(composition.at(space_of_formulas(s), x))
    if operations_in(y) > MOST_OPERATIONS:
        raise OverflowError(f"the function alone is a formula of {operations_in(y):.1e} operations")
    return Symbolic(y, s.diff(y, x), time.perf_counter() - start)


def operations_in(formula: Any) -> int:
    """How many operations it takes to evaluate a formula as it is written out.

    What it repeats is counted each time, but looked at once: formulas swell faster than memory does.
    """
    counted: dict[Any, int] = {}

    def count(node: Any) -> int:
        if not node.args:
            return 0
        if node not in counted:
            own = len(node.args) - 1 if node.is_Add or node.is_Mul else 1
            counted[node] = own + sum(map(count, node.args))
        return counted[node]

    return count(formula)


def symbolic_way(composition: Callable[[], Composition], x: float) -> tuple[Way, Symbolic | None]:
    """The derivative of the formula, evaluated in float64."""
    name = "symbolic (SymPy)"
    try:
        s = sympy()
        symbol = s.Symbol("x", real=True)
        found = symbolic(composition(), symbol)
        count = operations_in(found.derivative)
        if count > MOST_OPERATIONS:
            note = f"{count:.1e} operations: too many to evaluate"
            return Way(name, None, note=note, operations=count), found
        compiled = s.lambdify(symbol, found.derivative, ["scipy", "numpy"])
        with np.errstate(all="ignore"):
            value = float(compiled(np.float64(x)))
            seconds = _fastest(lambda: compiled(np.float64(x)))
    except Exception as error:  # noqa: BLE001  # SymPy is missing, or knows no formula
        return Way(name, None, note=_reason(error)), None
    note = f"formula of {operations_in(found.function)} operations, its derivative of {count}"
    return Way(name, value, None, seconds, note, count), found


# ---- the reference ------------------------------------------------------------------------------

DIGITS: Final = 50
_STEEP: Final = 1e20  # a difference beyond this was taken across a pole


def reference(composition: Callable[[], Composition], x: float) -> tuple[str, str]:
    """The derivative to fifty digits, and why there is none."""
    try:
        m = mpmath()
        parts = composition()
        with m.workdps(DIGITS + 10):
            exact = m.mpc(m.diff(lambda v: parts.at(space_of_digits(m), v), m.mpf(x)))
            if exact.imag or abs(exact) > _STEEP:
                return "", "around this point the function has no derivative that is a real number"
            return m.nstr(exact.real, DIGITS), ""
    except Exception as error:  # noqa: BLE001  # mpmath is missing, or does not know a function
        return "", _reason(error)


def relative_error(value: float, exact: str) -> float:
    """How far a value is from the reference, as a share of it; of a reference of zero, the value."""
    m = mpmath()
    with m.workdps(DIGITS + 10):
        truth = m.mpf(exact)
        error = abs(m.mpf(value) - truth)
        return float(error / abs(truth)) if truth else float(error)


# ---- over steps ---------------------------------------------------------------------------------


class Difference(NamedTuple):
    """A difference, and the step that is usual: where its two errors are about equal."""

    name: str
    derivative: Callable[[float, float], Callable[[Counted], float]]
    power: float  # of the precision of a float64

    def usual_step(self, x: float) -> float:
        """The step for a function that bends about as much as it rises."""
        return float(float(np.finfo(np.float64).eps) ** self.power * scale_of(x))

    def steps(self, x: float) -> list[float]:
        """From a third of x down to where it no longer changes, two in each decade, and the usual one."""
        some = [10 ** (-k / 2) * scale_of(x) for k in range(1, 32)]
        return sorted([*some, self.usual_step(x)], reverse=True)


DIFFERENCES: Final = (
    Difference("forward difference", forward_difference, 1 / 2),
    Difference("central difference", central_difference, 1 / 3),
)


def curve(f: Counted, difference: Difference, x: float, exact: str) -> list[tuple[float, float]]:
    """The error of a difference over its step, where it has one."""
    found = []
    for h in difference.steps(x):
        try:
            value = difference.derivative(x, h)(f)
        except (ArithmeticError, ValueError):
            continue
        if math.isfinite(value):
            found.append((h, relative_error(value, exact)))
    return found
