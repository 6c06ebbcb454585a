"""Truncated Taylor series in two variables, for derivatives of any order.

A series is a dictionary from (i, j) to the coefficient of e^i d^j. Coefficients may be anything
that can be added and multiplied: arrays in kernels, tensors in rules.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wengert.values.tensor import Tensor
    from wengert.values.typing import Array

Series = dict[tuple[int, int], Any]


def constant(value: Array, like: Iterable[tuple[int, int]]) -> Series:
    """A constant with the orders of another series, or of a set of orders."""
    return {key: value if key == (0, 0) else 0.0 * value for key in like}


def orders(m: int, n: int) -> list[tuple[int, int]]:
    """The orders up to e^m d^n, the lower ones first."""
    return [(i, j) for i in range(m + 1) for j in range(n + 1)]


def product(s: Series, t: Series) -> Series:
    """The product of two series."""
    return {
        (i, j): sum(s[p, q] * t[i - p, j - q] for p, q in orders(i, j)) for i, j in s
    }  # fmt: skip


def quotient(s: Series, t: Series) -> Series:
    """The quotient of two series."""
    out: Series = {}
    for i, j in s:
        known = [out[p, q] * t[i - p, j - q] for p, q in orders(i, j) if (p, q) != (i, j)]
        out[i, j] = (s[i, j] - sum(known)) / t[0, 0]
    return out


def times_linear(s: Series, c: Array, e: Array | float = 0.0, d: Array | float = 0.0) -> Series:
    """The product with c + e times the first variable + d times the second."""
    return {
        (i, j): c * s[i, j] + e * s.get((i - 1, j), 0.0) + d * s.get((i, j - 1), 0.0) for i, j in s
    }


def over_linear(s: Series, c: Array) -> Series:
    """The quotient by c + the first variable."""
    out: Series = {}
    for i, j in s:
        out[i, j] = (s[i, j] - out[i - 1, j]) / c if i else s[i, j] / c
    return out


def exponential(logs: Series, first: Tensor | Array) -> Series:
    """exp of a series, given exp of its constant: from y' = y log(y)'."""
    out: Series = {(0, 0): first}
    for i, j in logs:
        if i:
            parts = [p * logs[p, q] * out[i - p, j - q] for p, q in orders(i, j) if p]
            out[i, j] = sum(parts[1:], parts[0]) / float(i)
        elif j:
            parts = [q * logs[0, q] * out[0, j - q] for q in range(1, j + 1)]
            out[0, j] = sum(parts[1:], parts[0]) / float(j)
    return out
