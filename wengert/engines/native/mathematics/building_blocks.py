"""What all of `mathematics` uses: constants, polynomials, sums and quotients in two parts.

A constant is a pair (for float32, for float64). A polynomial is the tuple of its coefficients, the
highest power first. It is a minimax fit of the relative error (of the function, not of the
polynomial alone) by the Remez algorithm, in which the coefficients were rounded one after another
and the rest fitted again each time. The error given beside it is the maximum error.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from wengert.engines.native.frontend.lanes import LANES, Lane, bits, emit, fma, like

FUNCTIONS: Final[dict[str, Callable[..., Lane]]] = {}

Pair = tuple[Any, Any]
Two = tuple[Lane, Lane]  # a number in two parts: the rounded value and a small rest
where = LANES.where


def function(f: Callable[..., Lane]) -> Callable[..., Lane]:
    FUNCTIONS[f.__name__] = f
    return f


def member_of(x: Lane, pair: Pair) -> Any:
    """The member of a pair for the dtype of this lane."""
    return pair[x.dtype.itemsize == 8]


def number(x: Lane, pair: Pair) -> Lane:
    return like(x, member_of(x, pair))


def polynomial(x: Lane, coefficients: Sequence[float]) -> Lane:
    y = like(x, coefficients[0])
    for c in coefficients[1:]:
        y = fma(y, x, like(x, c))
    return y


def by_pairs(x: Lane, square: Lane, coefficients: Sequence[float]) -> Lane:
    """The same polynomial, of pairs of coefficients in powers of the square.

    The chain of operations that wait for each other is half as long, which is the time of a loop of
    small steps; and the square takes an operation more, unless it is there for something else.
    """
    first = len(coefficients) % 2 or 2
    y = polynomial(x, coefficients[:first])
    for i in range(first, len(coefficients), 2):
        y = fma(y, square, polynomial(x, coefficients[i : i + 2]))
    return y


def sum_of(x: Lane, y: Lane) -> Two:
    """x + y and its rounding error (fast two-sum); x is the larger, or zero."""
    s = x + y
    return s, y - (s - x)


def quotient(x: Lane, y: Lane, x_rest: Lane, y_rest: Lane) -> Lane:
    """(x + x_rest) / (y + y_rest) with small rests, to little more than one rounding error."""
    inverse = like(x, 1.0) / y
    q = x * inverse
    return fma(fma(-q, y_rest, fma(-q, y, x) + x_rest), inverse, q)


# ---- constants -----------------------------------------------------------------------------------

# ln 2 in two parts of full precision: an fma subtracts n times the first without an error.
LN2: Final = (0.6931471824645996, 0.6931471805599453)
LN2_REST: Final = (-1.9046542121259336e-09, 2.3190468138462996e-17)
NAN: Final = math.nan
INFINITY: Final = math.inf

# ---- bits --------------------------------------------------------------------------------------

FRACTION: Final = (23, 52)  # bits of the fraction
BIAS: Final = (127, 1023)  # of the exponent
# 1.5 * 2^FRACTION: adding it rounds a number to an integer, which the lowest bits of the sum hold.
MAGIC: Final = (1.5 * 2.0**23, 1.5 * 2.0**52)


def whole(x: Lane) -> Lane:
    """The bits of a float, as an unsigned integer."""
    return bits(x, member_of(x, (np.uint32, np.uint64)))


def real(k: Lane) -> Lane:
    """The float with these bits."""
    return bits(k, member_of(k, (np.float32, np.float64)))


def left(k: Lane, places: int) -> Lane:
    return emit("shl", k, like(k, places))


def right(k: Lane, places: int) -> Lane:
    return emit("shr", k, like(k, places))


def fraction_bits(k: Lane) -> int:
    return int(member_of(k, FRACTION))


def to_exponent(k: Lane) -> Lane:
    """2^(k - bias): the float whose biased exponent is in the lowest bits of k."""
    return real(left(k, fraction_bits(k)))


def signed_as(y: Lane, x: Lane) -> Lane:
    return LANES.copysign(y, x)
