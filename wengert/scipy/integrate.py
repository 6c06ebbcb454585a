"""scipy.integrate: integrals of samples and of functions, and differential equations."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from wengert.api.numpy.further import trapezoid as of_numpy_trapezoid
from wengert.api.numpy.promotion import as_tensor, in_floats, promoted_floats
from wengert.api.numpy.shapes import moveaxis
from wengert.core.context import listening
from wengert.derivatives.implicit_functions.ode import ode_solve
from wengert.errors import LeakedTensorError, SymbolicValueError
from wengert.host.locks import load_module
from wengert.ops.arrays.identity import stop_gradient
from wengert.ops.arrays.joining import concat, stack
from wengert.ops.arrays.shaping import expand_dims
from wengert.ops.linalg.matrices import transpose_last
from wengert.ops.math.elementwise import ones_like, zeros_like
from wengert.ops.reductions.cumulative import cumsum
from wengert.ops.reductions.reductions import reduce_sum
from wengert.ops.support.static_value import get_static_value
from wengert.scipy.arguments import as_in_scipy, ignoring, no_such
from wengert.values import dtypes
from wengert.values.tensor import dims
from wengert.values.value import Value

if TYPE_CHECKING:
    from wengert.api.numpy.promotion import Numeric
    from wengert.values.tensor import Tensor

# Smaller errors SciPy would look for in vain where numbers are narrow.
_NARROW: Final = {"epsabs": 1e-6, "epsrel": 1e-6}
_HAS_NO_VALUES: Final = (
    "quad chooses its intervals by the values of the function, of which there are none inside of a tf.function "
    "or of a batch: call it outside, or integrate samples, by simpson or trapezoid."
)
_REFUSED: Final = ("weight", "complex_func", "full_output")
_POINTS: Final = 21  # as SciPy's own rule has
_ORDERS: Final = 4  # points with which the derivatives by an end are exact up to the eighth

# ---- of samples -------------------------------------------------------------------------------

trapezoid = as_in_scipy(of_numpy_trapezoid)


def _lines(y: Numeric, x: Numeric | None, dx: Numeric, axis: int) -> tuple[Tensor, Tensor]:
    """The heights with the axis last, and the widths between them."""
    heights, step, places = promoted_floats(y, dx, 0.0 if x is None else x)
    heights = moveaxis(heights, axis, -1)
    if x is None:
        return heights, step * ones_like(heights[..., 1:])
    places = places if len(dims(places)) == 1 else moveaxis(places, axis, -1)
    return heights, places[..., 1:] - places[..., :-1]


@as_in_scipy
def cumulative_trapezoid(
    y: Numeric,
    x: Numeric | None = None,
    dx: Numeric = 1.0,
    axis: int = -1,
    initial: float | None = None,
) -> Tensor:
    """The integrals up to each sample but the first one, by trapezoids; with `initial` up to that, too."""
    heights, widths = _lines(y, x, dx, axis)
    found = cumsum((heights[..., 1:] + heights[..., :-1]) * widths / 2.0, -1)
    if initial is not None:
        found = concat([ones_like(heights[..., :1]) * float(initial), found], -1)
    return moveaxis(found, -1, axis)


@as_in_scipy
def simpson(y: Numeric, x: Numeric | None = None, *, dx: Numeric = 1.0, axis: int = -1) -> Tensor:
    """The integral by parabolas through three samples each; the last interval of an odd number by that of the last three.

    >>> from wengert.scipy.integrate import simpson
    >>> simpson([0.0, 1.0, 4.0]).numpy().round(4)
    np.float64(2.6667)
    """
    y, h = _lines(y, x, dx, axis)
    count = dims(y)[-1]
    if count < 3:
        return reduce_sum((y[..., 1:] + y[..., :-1]) * h / 2.0, -1)
    end = count if count % 2 else count - 1
    h0, h1 = h[..., 0 : end - 1 : 2], h[..., 1 : end - 1 : 2]
    first, middle, last = y[..., 0 : end - 2 : 2], y[..., 1 : end - 1 : 2], y[..., 2:end:2]
    both = h0 + h1
    parts = first * (2.0 - h1 / h0) + middle * (both * both / (h0 * h1)) + last * (2.0 - h0 / h1)
    found = reduce_sum(parts * both, -1) / 6.0
    if count % 2:
        return found
    h0, h1 = h[..., -2], h[..., -1]
    found += y[..., -1] * (2.0 * h1 * h1 + 3.0 * h0 * h1) / (6.0 * (h0 + h1))
    found += y[..., -2] * (h1 * h1 + 3.0 * h0 * h1) / (6.0 * h0)
    return found - y[..., -3] * h1 * h1 * h1 / (6.0 * h0 * (h0 + h1))


# ---- of functions -----------------------------------------------------------------------------


def quad(
    func: Callable[..., Any], a: Numeric, b: Numeric, args: Any = (), **how: Any
) -> tuple[Tensor, float]:
    """The integral of a function of a number, and an estimate of its error.

    SciPy chooses the intervals, and the sum over them is ours: so the integral has derivatives with respect to
    its ends, to `args` and to what the function closes over, as exact as these intervals are fine for them. Ends
    may be infinite. `how` is SciPy's: epsabs, epsrel, limit.

    >>> from wengert.scipy.integrate import quad
    >>> area = lambda a: quad(lambda x: a * x * x, 0.0, 3.0)[0]
    >>> print(tf.grad(area)(2.0).numpy().round(6))
    9.0
    """
    if refused := [n for n in _REFUSED if how.get(n)]:
        raise ValueError(
            f"quad with derivatives takes no {refused[0]}: a weight may be a factor of the function, and of "
            "complex values the real and imaginary parts have integrals of their own."
        )
    args = args if isinstance(args, tuple) else (args,)
    ends = [in_floats(x) if isinstance(x, Value) else float(np.asarray(x)) for x in (a, b)]
    place, low, high = _substitution(*map(float, ends))

    def height(t: float) -> Tensor:
        x, slope = place(t)
        found: Tensor = in_floats(func(x, *args)) * slope
        return found

    with listening():  # to nobody: it is the sum below that is followed
        middle = height((low + high) / 2.0)
        if middle.dtype is not dtypes.float64:
            how = _NARROW | how
        try:
            found = load_module("scipy.integrate").quad(
                lambda t: float(height(t)), low, high, full_output=1, **how
            )
        except (SymbolicValueError, LeakedTensorError) as error:
            raise type(error)(_HAS_NO_VALUES) from error
    intervals, count = found[2], found[2]["last"]
    total: Any = zeros_like(middle)
    for left, right in zip(intervals["alist"][:count], intervals["blist"][:count], strict=True):
        total = total + _gauss(height, float(left), float(right), _POINTS)
    # At singular points SciPy extrapolates, which is more exact than the sum.
    total = total + (found[0] - stop_gradient(total))
    for end, sign in zip(ends, (-1.0, 1.0), strict=True):
        if isinstance(end, Value) and math.isfinite(float(end)):
            total = total + sign * _moved(lambda x: func(x, *args), end)
    return total, found[1]


def _gauss(f: Callable[..., Any], begin: Any, end: Any, points: int) -> Any:
    """The integral by a sum over the places of Gauss."""
    nodes, weights = np.polynomial.legendre.leggauss(points)
    half = (end - begin) / 2.0
    heights = stack([in_floats(f(begin + half * float(1.0 + node))) for node in nodes])
    return reduce_sum(heights * as_tensor(weights, heights.dtype)) * half


def _moved(f: Callable[..., Any], end: Tensor) -> Any:
    """The integral from an end to itself: zero, whose derivatives are those of the integral by this end."""
    return _gauss(f, stop_gradient(end), end, _ORDERS)


_Place = Callable[
    [float], tuple[Any, Any]
]  # where the integrand is asked, and by what it is multiplied


def _substitution(begin: float, end: float) -> tuple[_Place, float, float]:
    """The place for each t from one number to another, both of which are finite."""
    if math.isinf(begin) and math.isinf(end):
        sign = 0.0 if begin == end else math.copysign(1.0, end)
        return lambda t: (t / (1.0 - t * t), sign * (1.0 + t * t) / (1.0 - t * t) ** 2), -1.0, 1.0
    if math.isinf(end):
        sign = math.copysign(1.0, end)
        return lambda t: (begin + sign * t / (1.0 - t), sign / (1.0 - t) ** 2), 0.0, 1.0
    if math.isinf(begin):
        sign = math.copysign(1.0, begin)
        return lambda t: (end + sign * t / (1.0 - t), -sign / (1.0 - t) ** 2), 0.0, 1.0
    return lambda t: (t, 1.0), begin, end


# ---- differential equations -------------------------------------------------------------------


@ignoring("Dfun", "col_deriv", "ml", "mu", "h0", "ixpr", "mxstep", "mxhnil", "mxordn", "mxords")
def odeint(
    func: Callable[..., Any],
    y0: Numeric,
    t: Numeric,
    args: tuple[Any, ...] = (),
    *,
    tfirst: bool = False,
    rtol: float = 1.49e-8,
    atol: float = 1.49e-8,
) -> Tensor:
    """The solution of dy/dt = func(y, t, *args) at the times t, the first of which is that of y0: see `tf.ode_solve`.

    >>> decay = lambda y, t, rate: -rate * y
    >>> from wengert.scipy.integrate import odeint
    >>> states = odeint(decay, [1.0], [0.0, 1.0], args=(2.0,))
    >>> states[-1].numpy().round(4).tolist()
    [0.1353]
    """
    slope = func if tfirst else lambda t, y, *args: func(y, t, *args)
    start = in_floats(y0)
    start = start if dims(start) else expand_dims(start, 0)
    return _solved(slope, start, t, args, "LSODA", rtol, atol)


class Solution(NamedTuple):
    """What `solve_ivp` gives: the times, and the states in columns."""

    t: Tensor
    y: Tensor
    success: bool = True
    status: int = 0
    message: str = "The solver successfully reached the end of the integration interval."


@ignoring("vectorized", "first_step", "jac", "jac_sparsity", "lband", "uband")
def solve_ivp(
    fun: Callable[..., Any],
    t_span: Any,
    y0: Numeric,
    method: str = "RK45",
    t_eval: Numeric | None = None,
    *,
    args: tuple[Any, ...] | None = None,
    rtol: float = 1e-3,
    atol: float = 1e-6,
) -> Solution:
    """The solution of dy/dt = fun(t, y, *args), y0 being that at the first of two times, at the times `t_eval`.

    Without those it is given at both ends, and not at SciPy's steps, which depend on the solution.
    """
    if len(dims(in_floats(y0))) != 1:
        raise ValueError("`y0` must be 1-dimensional: a list of one number, if there is no more.")
    ends = in_floats(t_span)
    times = ends if t_eval is None else in_floats(t_eval)
    is_within = t_eval is not None and not get_static_value(times[0] == ends[0])
    asked = concat([ends[:1], times], 0) if is_within else times
    states = _solved(fun, y0, asked, args or (), method, rtol, atol)
    return Solution(times, transpose_last(states[1:] if is_within else states))


def _solved(
    fun: Callable[..., Any],
    y0: Numeric,
    t: Numeric,
    args: Any,
    method: str,
    rtol: float,
    atol: float,
) -> Tensor:
    """The states, a row for each time; what the function gives may be a list, as in SciPy."""
    start, times = promoted_floats(y0, t)

    def slope(t: Any, y: Any, *args: Any) -> Any:
        return as_tensor(fun(t, y, *args), start.dtype)

    return ode_solve(slope, start, times, *args, method=method, rtol=rtol, atol=atol)  # type: ignore[no-any-return]


def __getattr__(name: str) -> Any:
    raise no_such("integrate", name)
