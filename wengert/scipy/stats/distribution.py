"""What the distributions of one number have in common: SciPy's arguments, supports, and what follows from what.

A distribution is a row of functions of the standard variable, without location and scale, and of its shapes.
They are asked within the support alone: outside of it a number from within takes the variable's place, so
that no derivative there is NaN.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from wengert.api.numpy.promotion import promoted_floats
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.identity import stop_gradient
from wengert.ops.math.comparison import where
from wengert.ops.math.elementwise import exp, floor, is_inf, log, log1p
from wengert.ops.support.static_value import get_static_value

Function = Callable[..., Any]

# ---- values that depend on conditions -----------------------------------------------------------


def _somewhere(*conditions: Any) -> Any:
    """Where one of these holds; None if that is known to be nowhere, which saves many operations."""
    left = [c for c in conditions if (known := get_static_value(c)) is None or np.any(known)]
    return functools.reduce(operator.or_, left) if left else None


def _but(found: Any, condition: Any, instead: Any) -> Any:
    """The values, but another one where a condition holds."""
    return found if condition is None else where(condition, instead, found)


def _any_not_positive(*shapes: Any) -> Any:
    return functools.reduce(operator.or_, (s <= 0.0 for s in shapes), False)


def _is_infinite(bound: Any) -> bool:
    return isinstance(bound, float) and math.isinf(bound)


def _may_be_infinite(bound: Any) -> bool:
    return not isinstance(bound, float) or math.isinf(bound)


def _middle(low: Any, high: Any) -> Any:
    """A number between two, of which tensors may be infinite, too."""
    if _is_infinite(low):
        return 0.0 if _is_infinite(high) else high - 1.0
    if _is_infinite(high):
        return low + 1.0
    both = (low + high) / 2.0
    if isinstance(both, float):
        return both
    has_no_low, has_no_high = is_inf(low), is_inf(high)
    found = _but(_but(both, _somewhere(has_no_low), high - 1.0), _somewhere(has_no_high), low + 1.0)
    return _but(found, _somewhere(has_no_low & has_no_high), 0.0)


def _logarithm(function: Function, complement: Function) -> Function:
    """The logarithm of a probability, exact also where that is nearly one."""

    def of(z: Any, *shapes: Any) -> Any:
        share, rest = function(z, *shapes), complement(z, *shapes)
        is_most = share > 0.5
        return where(is_most, log1p(-where(is_most, rest, 0.0)), log(where(is_most, 1.0, share)))

    return of


# ---- parameters ---------------------------------------------------------------------------------


def _is_plain(value: Any) -> bool:
    return isinstance(value, (int, float))


def _standard(x: Any, loc: Any, scale: Any = 1) -> Any:
    """The variable of the standard distribution; where that is infinite it does not follow the scale, whose slope were NaN."""
    moved = x if _is_plain(loc) and loc == 0 else x - loc
    if _is_plain(scale):
        return moved if scale == 1 else moved / scale
    is_infinite = _somewhere(is_inf(found := moved / scale))
    if is_infinite is None:
        return found
    return where(is_infinite, stop_gradient(found), where(is_infinite, 0.0, moved) / scale)


def has_no(distribution: Any, name: str) -> AttributeError:
    """What is said of a method that a distribution does not have."""
    has = ", ".join(n for n in dir(type(distribution)) if not n.startswith("_") and n != "name")
    return AttributeError(
        f"wengert.scipy.stats.{distribution.name} has no {name!r}. It has {has}. "
        "What has no derivative is SciPy's own: scipy.stats."
    )


def _public(method: Function) -> Function:
    """A method that a graph puts off until the shapes are known."""
    is_inverse = method.__code__.co_varnames[1] == "q"

    @functools.wraps(method)
    def public(self: Any, *args: Any, **kwargs: Any) -> Any:
        variable = "q" if is_inverse else self._variable
        if variable in kwargs:
            args = (kwargs.pop(variable), *args)
        if not args:
            raise TypeError(f"{method.__name__} of {self.name} needs {variable}, where to find it.")
        return _called(method, self, args[0], args[1:], kwargs)

    return public


@deferrable
def _called(method: Function, distribution: Any, x: Any, args: Any, kwargs: Any) -> Any:
    x, shapes, place, is_wrong = distribution._entered(x, args, kwargs)
    return _but(method(distribution, x, shapes, place), is_wrong, math.nan)


class Distribution:
    """A distribution of one number. Called, it is one whose parameters are given."""

    name = ""
    _variable = "x"  # what SciPy calls it
    _own: tuple[str, ...] = ()  # the parameters that all have, after the shapes, and their defaults
    _defaults: tuple[float, ...] = ()

    def __init__(
        self, name: str, shapes: str, support: Function, wrong: Function, **functions: Any
    ) -> None:
        self.name = name
        self._count = len(shapes.split())
        self._parameters = (*shapes.split(), *self._own)
        self._support, self._wrong, self._functions = support, wrong, functions

    def __call__(self, *args: Any, **kwargs: Any) -> Frozen:
        """The distribution with these parameters."""
        return Frozen(self, dict(zip(self._parameters, self._bound(args, kwargs), strict=True)))

    def __repr__(self) -> str:
        return f"<wengert.scipy.stats.{self.name}({', '.join(self._parameters)})>"

    def __getattr__(self, name: str) -> Any:
        raise has_no(self, name)

    def _function(self, name: str) -> Function:
        """A function of the standard variable and the shapes."""
        found: Function | None = self._functions.get(name)
        if found is None:
            raise AttributeError(
                f"wengert.scipy.stats.{self.name} has no {name} with a derivative; scipy.stats has one without."
            )
        return found

    def _log_of(self, name: str, complement: str) -> Function:
        """The logarithm of a probability."""
        found: Function | None = self._functions.get(f"log{name}")
        return found or _logarithm(self._function(name), self._function(complement))

    def _bound(self, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
        """The parameters in their order."""
        given = dict(zip(self._parameters, args, strict=False))
        missing = [n for n in self._parameters[: self._count] if n not in given | kwargs]
        unknown = [n for n in kwargs if n not in self._parameters or n in given]
        if missing or unknown or len(args) > len(self._parameters):
            raise TypeError(
                f"The parameters of {self.name} are {', '.join(self._parameters)}; "
                f"got {len(args)} by position{''.join(f', {n}' for n in kwargs)}."
            )
        found = dict(zip(self._own, self._defaults, strict=True)) | given | kwargs
        return [found[n] for n in self._parameters]

    def _entered(self, x: Any, args: Any, kwargs: Any) -> tuple[Any, list[Any], list[Any], Any]:
        """The variable, the shapes, what comes after them, and where there is no such distribution."""
        given = self._bound(args, kwargs)
        shapes, place = given[: self._count], given[self._count :]
        tensors = promoted_floats(x, *shapes, *(v for v in place if not _is_plain(v)))
        x, shapes, others = tensors[0], tensors[1 : self._count + 1], tensors[self._count + 1 :]
        place = [v if _is_plain(v) else others.pop(0) for v in place]
        is_wrong = _somewhere(self._wrong(*shapes), *(scale <= 0.0 for scale in place[1:]))
        return x, shapes, place, is_wrong

    def _run(self, x: Any, shapes: Any, place: Any, function: Function, ends: Any) -> Any:
        """A function that runs from one number to another over the support."""
        raise NotImplementedError

    @_public
    def cdf(self, x: Any, shapes: Any, place: Any) -> Any:
        """The probability of less, or of at most a whole number."""
        return self._run(x, shapes, place, self._function("cdf"), (0.0, 1.0))

    @_public
    def sf(self, x: Any, shapes: Any, place: Any) -> Any:
        """The probability of more."""
        return self._run(x, shapes, place, self._function("sf"), (1.0, 0.0))

    @_public
    def logcdf(self, x: Any, shapes: Any, place: Any) -> Any:
        """The logarithm of that."""
        return self._run(x, shapes, place, self._log_of("cdf", "sf"), (-math.inf, 0.0))

    @_public
    def logsf(self, x: Any, shapes: Any, place: Any) -> Any:
        """The logarithm of that."""
        return self._run(x, shapes, place, self._log_of("sf", "cdf"), (0.0, -math.inf))


class Frozen:
    """A distribution whose parameters are given."""

    def __init__(self, distribution: Any, parameters: dict[str, Any]) -> None:
        self.dist, self.kwds = distribution, parameters

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.dist, name)
        return lambda *args, **kwargs: method(*args, **kwargs, **self.kwds)


# ---- the two kinds ------------------------------------------------------------------------------


class Continuous(Distribution):
    """A distribution of real numbers."""

    _own, _defaults = ("loc", "scale"), (0.0, 1.0)

    def __init__(
        self,
        name: str,
        shapes: str = "",
        *,
        support: Function = lambda *shapes: (-math.inf, math.inf),
        is_open: bool = False,
        wrong: Function = _any_not_positive,
        **functions: Any,
    ) -> None:
        super().__init__(name, shapes, support, wrong, **functions)
        self._is_open = is_open

    @_public
    def logpdf(self, x: Any, shapes: Any, place: Any) -> Any:
        """The logarithm of the density."""
        return self._log_density(x, shapes, place)

    def _log_density(self, x: Any, shapes: Any, place: Any, is_zero: Any = None) -> Any:
        """The same, and -inf where it is known to be that."""
        z, (low, high) = _standard(x, *place), self._support(*shapes)
        conditions = [is_inf(z)] if _may_be_infinite(low) or _may_be_infinite(high) else []
        if not _is_infinite(low):
            conditions.append(z <= low if self._is_open else z < low)
        if not _is_infinite(high):
            conditions.append(z > high)
        if is_zero is not None:
            conditions.append(is_zero)
        is_outside = _somewhere(*conditions)
        found = self._function("logpdf")(_but(z, is_outside, _middle(low, high)), *shapes)
        scale = place[1]
        if not _is_plain(scale):
            found = found - log(scale)
        elif scale > 0.0 and scale != 1:
            found = found - math.log(scale)
        return _but(found, is_outside, -math.inf)

    @_public
    def pdf(self, x: Any, shapes: Any, place: Any) -> Any:
        """The density. Where it vanishes at an end of the support its logarithm has no slope that could be followed."""
        found = self._log_density(x, shapes, place)
        is_zero = _somewhere(found == -math.inf)
        return exp(found if is_zero is None else self._log_density(x, shapes, place, is_zero))

    def _run(self, x: Any, shapes: Any, place: Any, function: Function, ends: Any) -> Any:
        """A function that runs from one number to another over the support."""
        z, (low, high) = _standard(x, *place), self._support(*shapes)
        is_low, is_high = _somewhere(z <= low), _somewhere(z >= high)
        inside = _but(_but(z, is_low, _middle(low, high)), is_high, _middle(low, high))
        return _but(_but(function(inside, *shapes), is_low, ends[0]), is_high, ends[1])

    @_public
    def ppf(self, q: Any, shapes: Any, place: Any) -> Any:
        """The number below which a variable is with a given probability."""
        return self._inverse("ppf", q, shapes, place, self._support(*shapes))

    @_public
    def isf(self, q: Any, shapes: Any, place: Any) -> Any:
        """The number above which a variable is with a given probability."""
        return self._inverse("isf", q, shapes, place, self._support(*shapes)[::-1])

    def _inverse(self, name: str, q: Any, shapes: Any, place: Any, ends: Any) -> Any:
        """A function of a probability, which runs from one end of the support to the other."""
        inverse, (begin, end) = self._function(name), ends
        is_outside = _somewhere(q <= 0.0, q >= 1.0)
        z = inverse(_but(q, is_outside, 0.5), *shapes)
        if is_outside is not None:
            edge = where(q == 0.0, begin + 0.0 * q, end + 0.0 * q)
            z = where(is_outside, where((q == 0.0) | (q == 1.0), edge, math.nan), z)
        return z * place[1] + place[0]


class Discrete(Distribution):
    """A distribution of whole numbers."""

    _variable = "k"
    _own, _defaults = ("loc",), (0.0,)

    def __init__(
        self,
        name: str,
        shapes: str,
        *,
        support: Function = lambda *shapes: (0.0, math.inf),
        wrong: Function = _any_not_positive,
        **functions: Any,
    ) -> None:
        super().__init__(name, shapes, support, wrong, **functions)

    @_public
    def logpmf(self, k: Any, shapes: Any, place: Any) -> Any:
        """The logarithm of the probability of a number."""
        k, (low, high) = _standard(k, *place), self._support(*shapes)
        is_outside = _somewhere(k < low, k > high, floor(k) < k, is_inf(k))
        found = self._function("logpmf")(_but(k, is_outside, low), *shapes)
        return _but(found, is_outside, -math.inf)

    def pmf(self, k: Any, *args: Any, **kwargs: Any) -> Any:
        """The probability of a number."""
        return exp(self.logpmf(k, *args, **kwargs))

    def _run(self, k: Any, shapes: Any, place: Any, function: Function, ends: Any) -> Any:
        """A function that runs from one number to another over the support."""
        k, (low, high) = floor(_standard(k, *place)), self._support(*shapes)
        is_low, is_high = _somewhere(k < low), _somewhere(k >= high)
        inside = _but(_but(k, is_low, low), is_high, low)
        return _but(_but(function(inside, *shapes), is_low, ends[0]), is_high, ends[1])
