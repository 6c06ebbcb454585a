"""Truncated power series, and their products.

A series is the list of its coefficients c[0], c[1], ... of the powers of t, tensors; None stands for zero.
They are the derivatives by t divided by factorials: then a product needs no binomials.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from wengert.ops.arrays.shaping import broadcast_unless_done
from wengert.ops.math.arithmetic import add, multiply, subtract
from wengert.values.bound_ops import bound
from wengert.values.tensor import dims

Coefficient = Any  # a tensor, or None for zero
Series = list[Coefficient]
Product = Callable[[Any, Any], Any]


def total(terms: Iterable[Coefficient]) -> Coefficient:
    """The sum of some coefficients."""
    found: Any = None
    for term in terms:
        if term is not None:
            found = term if found is None else add(found, term)
    return found


def difference(a: Coefficient, b: Coefficient) -> Coefficient:
    """One coefficient less another."""
    if a is None or b is None:
        return a if b is None else scaled(b, -1.0)
    return subtract(a, b)


def scaled(c: Coefficient, factor: float) -> Coefficient:
    """A coefficient times a number."""
    return c if c is None or factor == 1.0 else multiply(c, factor)


def coefficient(
    a: Series,
    b: Series,
    k: int,
    product: Product = multiply,
    first: int = 0,
    last: int | None = None,
) -> Coefficient:
    """Coefficient k of a product: the sum of a[i] b[k - i] over i from `first` to `last`."""
    pairs = [(a[i], b[k - i]) for i in range(first, (k if last is None else last) + 1)]
    return total(product(x, y) for x, y in pairs if x is not None and y is not None)


def solved(
    y: Any,
    right: Series,
    known: Callable[[Series, int], Coefficient],
    solve: Callable[[Any], Any],
) -> Series:
    """The series of y from an equation that is linear in y.

    Args:
        y: Its first coefficient.
        right: The right-hand side.
        known: Of coefficient k of the left-hand side, what follows from the coefficients before.
        solve: From what is left to coefficient k of y.
    """
    found = [y]
    for k in range(1, len(right)):
        rest = difference(right[k], known(found, k))
        found.append(None if rest is None else solve(rest))
    return found


def derivative(c: Series) -> Series:
    """The series of the derivative by t, one coefficient shorter."""
    return [scaled(x, float(k)) for k, x in enumerate(c) if k]


def spread(c: Sequence[Coefficient], like: Any) -> Series:
    """Coefficients in the shape of a result, where what they are of was broadcast."""
    shape = dims(like)
    return [None if x is None else broadcast_unless_done(x, shape) for x in c]


def filled(c: Coefficient, like: Any) -> Any:
    """A coefficient, zeros for None."""
    return bound.zeros_like(like) if c is None else c
