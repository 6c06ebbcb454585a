"""scipy.special: logsumexp and its kin, and the functions of single elements, which SciPy's own names are for, too."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from wengert.api.numpy.promotion import in_floats, promoted_floats
from wengert.api.numpy.scipy_special import functions
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.identity import stop_gradient
from wengert.ops.math.comparison import where
from wengert.ops.math.elementwise import abs_real, exp, is_finite, log, sign_real, zeros_like
from wengert.ops.nn import activations
from wengert.ops.reductions.reductions import reduce_logsumexp, reduce_max, reduce_sum
from wengert.ops.special import gamma as of_one  # `gamma` is a name of SciPy's

if TYPE_CHECKING:
    from wengert.api.numpy.promotion import Numeric
    from wengert.values.tensor import Tensor

Axis = int | Sequence[int] | None


def __getattr__(name: str) -> Any:
    """A function of single elements."""
    if name in functions():
        return functions()[name]
    raise AttributeError(
        f"wengert.scipy.special has no {name!r}. It has {', '.join(__dir__())}. tf.wrap makes a differentiable "
        "function of another one of SciPy's."
    )


def __dir__() -> list[str]:
    own = ("log_softmax", "logsumexp", "multigammaln", "polygamma", "softmax", "zeta")
    return sorted([*own, *functions()])


@deferrable
def logsumexp(
    a: Numeric,
    axis: Axis = None,
    b: Numeric | None = None,
    keepdims: bool = False,
    return_sign: bool = False,
) -> Any:
    """The logarithm of the sum of b * exp(a), which does not overflow.

    >>> from wengert.scipy.special import logsumexp
    >>> print(tf.grad(logsumexp)(tf.zeros(2)).numpy())
    [0.5 0.5]
    """
    if b is None and not return_sign:
        return reduce_logsumexp(in_floats(a), axis, keepdims)
    values, factors = promoted_floats(a, 1.0 if b is None else b)
    values = where(factors == 0.0, -math.inf, values)
    highest = stop_gradient(reduce_max(values, axis, keepdims=True))
    highest = where(is_finite(highest), highest, zeros_like(highest))
    total = reduce_sum(factors * exp(values - highest), axis, keepdims)
    if not keepdims:
        highest = reduce_max(highest, axis)
    if return_sign:
        return log(abs_real(total)) + highest, sign_real(total)
    return log(total) + highest


def _along(x: Numeric, axis: Axis) -> tuple[Tensor, Tensor]:
    """The values, and the logarithm of the sum of their exponentials beside them."""
    values = in_floats(x)
    return values, reduce_logsumexp(values, axis, keepdims=True)


@deferrable
def softmax(x: Numeric, axis: Axis = None) -> Tensor:
    """exp(x) divided by its sum; over all elements, if no axis is given."""
    if isinstance(axis, int):
        return activations.softmax(in_floats(x), axis)
    values, total = _along(x, axis)
    return exp(values - total)


@deferrable
def log_softmax(x: Numeric, axis: Axis = None) -> Tensor:
    """The logarithm of softmax; over all elements, if no axis is given."""
    if isinstance(axis, int):
        return activations.log_softmax(in_floats(x), axis)
    values, total = _along(x, axis)
    return values - total


@deferrable
def multigammaln(a: Numeric, d: int) -> Tensor:
    """The logarithm of the gamma function of matrices of size d."""
    x = in_floats(a)
    total = of_one.lgamma(x)
    for j in range(1, d):
        total = total + of_one.lgamma(x - j / 2.0)
    return total + d * (d - 1) / 4.0 * math.log(math.pi)


@deferrable
def polygamma(n: Numeric, x: Numeric) -> Tensor:
    """The n-th derivative of digamma."""
    order, at = promoted_floats(n, x)
    return of_one.polygamma(order, at)


@deferrable
def zeta(x: Numeric, q: Numeric = 1.0) -> Tensor:
    """The zeta function of Riemann, or of Hurwitz if q is given."""
    power, begin = promoted_floats(x, q)
    return of_one.zeta(power, begin)
