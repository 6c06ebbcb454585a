"""Bessel functions of orders 0 and 1.

The derivative of the function of order n is a combination of orders n - 1 and n + 1 without a
division by x, so the rules of the first kind are correct at zero, to every order of
differentiation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op, row_of
from wengert.host.malloc import LARGE_SLOW
from wengert.ops.math.elementwise import sign_real
from wengert.ops.special.gamma import scipys
from wengert.ops.support.declare import REAL, Unary, unary
from wengert.ops.support.large_kernels import elementwise_kernel
from wengert.ops.support.scipy_lazy import scipy_special

if TYPE_CHECKING:
    from collections.abc import Callable

    from wengert.values.tensor import Tensor
    from wengert.values.typing import Array, Namespace

# ---- any integer order, for the rules ---------------------------------------------------------


def _of_order(name: str, function: str, **fields: Any) -> Row:
    def kernel(_: Namespace, x: Array, *, order: int) -> Array:
        wide = x.astype(np.float64)
        if 0 <= order <= 2 and x.size >= _MANY:
            value = _rounded_value if x.dtype.itemsize < 8 else _value
            return _of_low_order(function, order, wide, value).astype(x.dtype, copy=False)
        y = getattr(scipy_special(), function)(order, wide)
        if function == "ive":
            y = np.where(np.abs(wide) < _LARGE, y, _ive_of_large(order, wide))
        return np.asarray(y).astype(x.dtype, copy=False)

    return op(name, kernel, elementwise=True, **fields)


def _value(name: str, x: Array) -> Array:
    return np.asarray(row_of(name).kernel(np, x))


def _rounded_value(name: str, x: Array) -> Array:
    """The same for results that are rounded: an engine's has a digit less."""
    found = elementwise_kernel(row_of(name), [x], {}) if x.size >= LARGE_SLOW else None
    return _value(name, x) if found is None else found


def _of_low_order(
    function: str, order: int, x: Array, value: Callable[[str, Array], Array] = _value
) -> Array:
    """Orders 0 to 2, a tenth of the time of any order: the last by recurrence, or near zero by its series."""
    if order < 2:
        return value(_LOWEST[function][order], x)
    zero, one = (value(name, x) for name in _LOWEST[function])
    is_near = np.abs(x) < 1.0
    y = zero - one * (2.0 / np.where(is_near, 1.0, x))
    y = np.where(np.isinf(zero), zero, -y if function == "jv" else y)
    y[is_near] = _second_near_zero(function, x[is_near])
    return y


_LOWEST: Final = {
    "iv": ("BesselI0", "BesselI1"),
    "ive": ("BesselI0e", "BesselI1e"),
    "jv": ("BesselJ0", "BesselJ1"),
}


def _second_near_zero(function: str, x: Array) -> Array:
    """(x / 2)² times the sum of (± x² / 4)^k / (k! (k + 2)!), up to |x| = 1."""
    q = np.square(x) / 4
    step, total = -q if function == "jv" else q, np.ones_like(q)
    for k in range(9, 0, -1):
        total = 1.0 + step / (k * (k + 2)) * total
    y = q / 2 * total
    return y * np.exp(-np.abs(x)) if function == "ive" else y


_MANY: Final = 1 << 9  # elements
_LARGE = 1e9  # SciPy's ive is NaN from 2.1e9 on


def _ive_of_large(order: int, x: Array) -> Array:
    """i0e(x) (1 - n² / 2x), which neglects n⁴ / 8x²; odd orders have the sign of x."""
    size = np.abs(x)
    y = scipy_special().i0e(size) * (1.0 - order * order / (2.0 * size))
    return np.where((x < 0) & (order % 2 == 1), -y, y)


def _at(row: Row, x: Tensor, order: int) -> Tensor:
    """The function of an integer order; negative orders equal the positive ones up to sign."""
    result: Tensor = apply(row, (x,), {"order": order})
    return result


BESSEL_I: Row = _of_order(
    "BesselIOfOrder",
    "iv",
    vjp=(
        lambda g, y, x, *, order: (
            g * 0.5 * (_at(BESSEL_I, x, order - 1) + _at(BESSEL_I, x, order + 1))
        ),
    ),
    saves="x",
)
BESSEL_IE: Row = _of_order(
    "BesselIeOfOrder",
    "ive",
    vjp=(
        lambda g, y, x, *, order: (
            g * 0.5 * (_at(BESSEL_IE, x, order - 1) + _at(BESSEL_IE, x, order + 1))
            - g * sign_real(x) * y
        ),
    ),
)
BESSEL_J: Row = _of_order(
    "BesselJOfOrder",
    "jv",
    vjp=(
        lambda g, y, x, *, order: (
            g * 0.5 * (_at(BESSEL_J, x, order - 1) - _at(BESSEL_J, x, order + 1))
        ),
    ),
    saves="x",
)

# ---- the first kind ---------------------------------------------------------------------------

bessel_i0: Unary = unary(
    "BesselI0",
    "math.bessel_i0",
    "The modified Bessel function of the first kind, of order 0.",
    ("[0.0, 1.0]", "[1.     1.2661]"),
    kernel=scipys("i0"),
    vjp=lambda g, y, x: g * bessel_i1(x),
    saves="x",
    takes=REAL,
)
bessel_i1: Unary = unary(
    "BesselI1",
    "math.bessel_i1",
    "The modified Bessel function of the first kind, of order 1.",
    ("[0.0, 1.0]", "[0.     0.5652]"),
    kernel=scipys("i1"),
    vjp=lambda g, y, x: g * 0.5 * (bessel_i0(x) + _at(BESSEL_I, x, 2)),
    saves="x",
    takes=REAL,
)
bessel_i0e: Unary = unary(
    "BesselI0e",
    "math.bessel_i0e",
    "bessel_i0(x) times exp(-|x|).",
    ("[0.0, 1.0]", "[1.     0.4658]"),
    kernel=scipys("i0e"),
    vjp=lambda g, y, x: g * (bessel_i1e(x) - sign_real(x) * y),
    takes=REAL,
)
bessel_i1e: Unary = unary(
    "BesselI1e",
    "math.bessel_i1e",
    "bessel_i1(x) times exp(-|x|).",
    ("[0.0, 1.0]", "[0.     0.2079]"),
    kernel=scipys("i1e"),
    vjp=lambda g, y, x: g * (0.5 * (bessel_i0e(x) + _at(BESSEL_IE, x, 2)) - sign_real(x) * y),
    takes=REAL,
)
bessel_j0: Unary = unary(
    "BesselJ0",
    "math.special.bessel_j0",
    "The Bessel function of the first kind, of order 0.",
    ("[0.0, 1.0]", "[1.     0.7652]"),
    kernel=scipys("j0"),
    vjp=lambda g, y, x: -g * bessel_j1(x),
    saves="x",
    takes=REAL,
)
bessel_j1: Unary = unary(
    "BesselJ1",
    "math.special.bessel_j1",
    "The Bessel function of the first kind, of order 1.",
    ("[0.0, 1.0]", "[0.     0.4401]"),
    kernel=scipys("j1"),
    vjp=lambda g, y, x: g * 0.5 * (bessel_j0(x) - _at(BESSEL_J, x, 2)),
    saves="x",
    takes=REAL,
)

# ---- the second kind: singular at zero --------------------------------------------------------

bessel_k0: Unary = unary(
    "BesselK0",
    "math.special.bessel_k0",
    "The modified Bessel function of the second kind, of order 0.",
    ("[0.5, 1.0]", "[0.9244 0.421 ]"),
    kernel=scipys("k0"),
    vjp=lambda g, y, x: -g * bessel_k1(x),
    saves="x",
    takes=REAL,
)
bessel_k1: Unary = unary(
    "BesselK1",
    "math.special.bessel_k1",
    "The modified Bessel function of the second kind, of order 1.",
    ("[0.5, 1.0]", "[1.6564 0.6019]"),
    kernel=scipys("k1"),
    vjp=lambda g, y, x: -g * (bessel_k0(x) + y / x),
    takes=REAL,
)
bessel_k0e: Unary = unary(
    "BesselK0e",
    "math.special.bessel_k0e",
    "bessel_k0(x) times exp(x).",
    ("[0.5, 1.0]", "[1.5241 1.1445]"),
    kernel=scipys("k0e"),
    vjp=lambda g, y, x: g * (y - bessel_k1e(x)),
    takes=REAL,
)
bessel_k1e: Unary = unary(
    "BesselK1e",
    "math.special.bessel_k1e",
    "bessel_k1(x) times exp(x).",
    ("[0.5, 1.0]", "[2.731  1.6362]"),
    kernel=scipys("k1e"),
    vjp=lambda g, y, x: g * (y - y / x - bessel_k0e(x)),
    takes=REAL,
)
bessel_y0: Unary = unary(
    "BesselY0",
    "math.special.bessel_y0",
    "The Bessel function of the second kind, of order 0.",
    ("[0.5, 1.0]", "[-0.4445  0.0883]"),
    kernel=scipys("y0"),
    vjp=lambda g, y, x: -g * bessel_y1(x),
    saves="x",
    takes=REAL,
)
bessel_y1: Unary = unary(
    "BesselY1",
    "math.special.bessel_y1",
    "The Bessel function of the second kind, of order 1.",
    ("[0.5, 1.0]", "[-1.4715 -0.7812]"),
    kernel=scipys("y1"),
    vjp=lambda g, y, x: g * (bessel_y0(x) - y / x),
    takes=REAL,
)
