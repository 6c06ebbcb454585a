"""tf.ode_solve: initial value problems, integrated by SciPy, with derivatives of every order.

"adjoint": the solution is one operation. Its reverse rule integrates the adjoint equation backward in
time, its forward rule the variational equation forward; both are differential equations whose
right-hand sides are our operations, and are solved by the same operation. So every order follows.

"forward": SciPy chooses the steps, and they are taken once more in our operations. That is the
derivative of what was computed, to the last digit, and not of the true solution.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from wengert.core.batch import vectorize
from wengert.core.context import activate, announce
from wengert.core.dispatch import apply
from wengert.core.reverse import conjugate, pull_through
from wengert.core.row import Attrs, Row
from wengert.derivatives.arguments import check_function, plain_int
from wengert.derivatives.closures import Closure
from wengert.derivatives.implicit_functions.eagerly import eagerly
from wengert.derivatives.implicit_functions.vectors import Unknowns
from wengert.errors import ConvergenceError, InvalidArgumentError
from wengert.host.locks import load_module
from wengert.ops.arrays.creation import eye
from wengert.ops.arrays.identity import identity
from wengert.ops.arrays.joining import concat, stack
from wengert.ops.arrays.shaping import expand_dims, reshape
from wengert.ops.math.elementwise import cast, zeros_like
from wengert.ops.reductions.reductions import reduce_sum
from wengert.values.bound_ops import bound
from wengert.values.convert import convert
from wengert.values.symbolic import is_certain
from wengert.values.tensor import dims, wrap

if TYPE_CHECKING:
    from wengert.values.typing import Array, Namespace, TensorLike

_WHO: Final = "ode_solve"
_LOST: Final = 1e4  # tolerances by which a state may be off before it counts as not recovered
_EXPLICIT: Final = ("RK45", "RK23", "DOP853")
_METHODS: Final = (*_EXPLICIT, "Radau", "BDF", "LSODA")


class Settings(NamedTuple):
    """How an initial value problem is integrated."""

    method: str
    rtol: float
    atol: float
    most: int


def ode_solve(
    f: Callable[..., Any],
    y0: Any,
    ts: TensorLike,
    *parameters: Any,
    method: str = "RK45",
    rtol: float = 1e-6,
    atol: float = 1e-8,
    sensitivity: str = "adjoint",
    max_evaluations: int = 100_000,
) -> Any:
    """The solution of dy/dt = f(t, y, *parameters) with y(ts[0]) = y0, at the times ts.

    Gradients flow to y0, to ts, to the parameters, and to what f closes over, in both modes and to every
    order.

    Args:
        f: The right-hand side, in differentiable operations: nested and shaped as y is.
        y0: The state at the first time: a tensor, or a structure of them, of one floating dtype.
        ts: A vector of times, increasing or decreasing.
        *parameters: What f is given besides, nested as you like.
        method: Of `scipy.integrate.solve_ivp`: "RK45", "RK23", "DOP853" for what is not stiff, "Radau",
            "BDF", "LSODA" for what is.
        rtol: The relative error that a step may have; the same holds for the equations of the
            derivative, whose error is therefore about as large.
        atol: The absolute error that a step may have.
        sensitivity: "adjoint" solves a differential equation for the derivative, too: in reverse mode
            backward in time from each of ts to the one before, and it keeps the states there alone.
            Where the way back is unstable, as for stiff equations, that is an error; more
            times help. "forward" differentiates the steps that were taken, with their sizes held
            fixed: exact for what was computed, for the explicit methods.
        max_evaluations: How often f is evaluated at most.

    Returns:
        The states, nested as y0 is, with the times along a new first axis.

    Raises:
        ConvergenceError: If the integration fails: f gives NaN, the steps become too small, or too many.

    >>> ts = tf.constant([0.0, 1.0, 2.0], tf.float64)
    >>> y = tf.ode_solve(lambda t, y, rate: -rate * y, 1.0, ts, tf.constant(0.5, tf.float64))
    >>> y.numpy().round(4).tolist()
    [1.0, 0.6065, 0.3679]
    >>> last = lambda rate: tf.ode_solve(lambda t, y: -rate * y, 1.0, ts)[-1]
    >>> tf.grad(last)(tf.constant(0.5, tf.float64)).numpy().round(4)
    np.float64(-0.7358)
    """
    check_function(f, _WHO)
    _check(method, sensitivity, rtol, atol, max_evaluations)
    unknowns = Unknowns(y0, _WHO, (ts, parameters))
    times = convert(ts, unknowns.dtype)
    if len(dims(times)) != 1:
        raise ValueError(f"ts of tf.{_WHO} is a vector of times, got {times!r}.")

    def function(point: Any) -> list[Any]:
        found = f(point[0], unknowns.pack(point[1:]), *parameters)
        return [unknowns.nested_alike(found, "what f returns")]

    settings = Settings(method, rtol, atol, max_evaluations)
    solve = _solved if sensitivity == "adjoint" else _by_steps
    return unknowns.pack_rows(solve(function, unknowns.start, times, settings))


def _check(method: str, sensitivity: str, rtol: float, atol: float, most: int) -> None:
    if method not in _METHODS:
        raise ValueError(f"method of tf.{_WHO} is one of {', '.join(_METHODS)}, got {method!r}.")
    if sensitivity not in ("adjoint", "forward"):
        raise ValueError(
            f'sensitivity of tf.{_WHO} is "adjoint" or "forward", got {sensitivity!r}.'
        )
    if sensitivity == "forward" and method not in _EXPLICIT:
        raise ValueError(
            f'sensitivity="forward" of tf.{_WHO} repeats the steps of one of these methods: '
            f'{", ".join(_EXPLICIT)}; got {method!r}. Use sensitivity="adjoint" for others.'
        )
    if not (rtol > 0 and atol >= 0):
        raise ValueError(f"rtol and atol of tf.{_WHO} must be positive, got {rtol!r}, {atol!r}.")
    if type(plain_int(most)) is not int or most < 1:
        raise ValueError(f"max_evaluations of tf.{_WHO} must be a positive integer, got {most!r}.")


# ---- the solution as one operation ----------------------------------------------------------------


def _solved(
    function: Callable[[Any], Sequence[Any]], start: Any, times: Any, settings: Settings
) -> Any:
    """The states at the times, a row for each; `function` takes a vector of the time and the state."""
    closure = Closure(function, _WHO)
    attrs = {"closure": closure, "settings": settings}
    if closure.must_be_traced:
        reads = closure.trace(_known(start), start._array.dtype)
        return apply(SOLUTION, (times, start, *reads), attrs)
    table = wrap(_integrated(closure, settings, times._array, start._array, ()))
    ends = [wrap(np.append(times._array[k], table._array[k])) for k in (0, -1)]
    reads = closure.note(*ends)
    return announce(SOLUTION, [times, start, *reads], attrs, table)


def _known(start: Any) -> list[int | None]:
    """The shape of a vector of the time and the state."""
    return [dims(start)[0] + 1 if is_certain(dims(start)) else None]


def _kernel(
    _: Namespace, times: Array, start: Array, *reads: Array, closure: Closure, settings: Settings
) -> Array:
    return _integrated(closure, settings, times, start, reads)


def _integrated(
    closure: Closure, settings: Settings, times: Array, start: Array, reads: Sequence[Array]
) -> Array:
    _check_times(times)
    if len(times) == 1 or not start.size:
        return np.repeat(start[None], len(times), 0)
    side = _Side(closure, settings, [wrap(r) for r in reads], start.dtype)
    integrate = load_module("scipy.integrate")
    given = {"jac": side.jacobian} if settings.method in ("Radau", "BDF", "LSODA") else {}
    with activate((), None), np.errstate(all="ignore"):
        found = integrate.solve_ivp(
            side,
            (float(times[0]), float(times[-1])),
            start.astype(np.float64),
            method=settings.method,
            t_eval=times.astype(np.float64),
            rtol=settings.rtol,
            atol=settings.atol,
            **given,
        )
    if not found.success or found.y.shape[1] != len(times):
        raise _failed(str(found.message), side.time)
    return np.ascontiguousarray(found.y.T.astype(start.dtype))


def _check_times(times: Array) -> None:
    steps = np.diff(times)
    if (
        not len(times)
        or not np.isfinite(times).all()
        or not (np.all(steps > 0) or np.all(steps < 0))
    ):
        raise InvalidArgumentError(
            f"ts of tf.{_WHO} must be times that increase, or decrease, got {times}."
        )


def _failed(why: str, time: float) -> ConvergenceError:
    return ConvergenceError(
        f"tf.{_WHO} failed at t = {float(time):.6g}: {why.rstrip('.')}. Does the solution grow "
        'without bound there? For stiff equations use method="Radau" or "BDF"; a larger rtol or atol '
        "allows larger steps."
    )


class _Side:
    """The right-hand side, as SciPy calls it."""

    def __init__(
        self, closure: Closure, settings: Settings, reads: Sequence[Any], dtype: Any
    ) -> None:
        self._closure = closure
        self._reads = reads
        self._dtype = dtype
        self._left = settings.most
        self._most = settings.most
        self.time = 0.0  # of the latest evaluation

    def __call__(self, t: float, y: Array) -> Array:
        self.time = t
        self._left -= 1
        if self._left < 0:
            raise _failed(f"f was evaluated {self._most} times, as often as max_evaluations", t)
        found = np.asarray(self._closure(self._point(t, y), self._reads)[0], np.float64)
        if not np.isfinite(found).all():  # SciPy would keep trying forever
            raise _failed("f gives NaN or inf", t)
        return found

    def jacobian(self, t: float, y: Array) -> Array:
        """The derivative by the state."""
        point = self._point(t, y)

        def along(unit: Any) -> list[Any]:
            direction = concat([zeros_like(point[:1]), unit], 0)
            own = identity(point)
            pushed = self._closure.pushed(own, self._reads, [direction, *[None] * len(self._reads)])
            return [zeros_like(unit) if pushed is None else pushed]

        (rows,) = vectorize(along, y.size, [eye(y.size, dtype=point.dtype)])
        found: Array = np.asarray(rows, np.float64).T
        return found

    def _point(self, t: float, y: Array) -> Any:
        return wrap(np.append(t, y).astype(self._dtype))


# ---- rules ----------------------------------------------------------------------------------------


def _slope(closure: Closure, t: Any, y: Any, reads: Sequence[Any]) -> Any:
    """f(t, y)."""
    return closure(concat([reshape(t, (1,)), y], 0), reads)[0]


def _count(times: Any) -> int:
    shape = dims(times)
    if not is_certain(shape):
        raise InvalidArgumentError(
            f"tf.{_WHO} is differentiated for each interval of ts, whose number must be known when the "
            "function is traced. Give an input_signature with its size."
        )
    return int(shape[0])


def _pulled(gs: Sequence[Any], ys: Sequence[Any], xs: Sequence[Any], attrs: Attrs) -> list[Any]:
    """The adjoint equation, backward from each time to the one before."""
    closure, settings = attrs["closure"], attrs["settings"]
    times, start, reads = xs[0], xs[1], xs[2:]
    table, g = ys[0], conjugate(gs[0])
    followed = [x for x in reads if x.dtype.is_differentiable]
    adjoint = _Adjoint(closure, reads, followed, dims(start)[0])
    a, last = g[-1], _count(times) - 1
    of_reads = adjoint.nothing(a)
    of_times = []
    for k in range(last, 0, -1):
        of_times.append(reduce_sum(g[k] * _slope(closure, times[k], table[k], reads)))
        begin = concat([table[k], a, of_reads], 0)
        back = stack([times[k], times[k - 1]])
        found = _solved(adjoint, begin, back, settings)[1]
        state, a, of_reads = adjoint.parts(found)
        a = apply(RECOVERED, (a, state, table[k - 1]), {"settings": settings})
        if k > 1:
            a = a + g[k - 1]
    of_times.append(
        -reduce_sum(a * _slope(closure, times[0], table[0], reads))
        if last
        else zeros_like(times[0])
    )
    a = a + g[0] if last else a
    found = iter(adjoint.unpacked(of_reads))
    return [
        stack(of_times[::-1]),
        conjugate(a),
        *[next(found) if x.dtype.is_differentiable else None for x in reads],
    ]


def _recovered_kernel(
    _: Namespace, a: Array, state: Array, known: Array, *, settings: Settings
) -> Array:
    """The adjoint, after a check that its state was recovered by integrating backward in time."""
    size = float(np.max(np.abs(known), initial=0.0))
    error = float(np.max(np.abs(state - known), initial=0.0))
    precision = float(np.finfo(known.dtype).eps)
    if not error <= _LOST * (settings.atol + max(settings.rtol, precision) * size):
        raise ConvergenceError(
            f"tf.{_WHO}: the adjoint equation failed: backward in time, the state was not recovered, "
            f"and is off by {error:.3g}. The equation forgets its initial state. Give more times in "
            'ts, each of which restarts the way back, or use sensitivity="forward".',
            error,
        )
    return a


RECOVERED: Final[Row] = Row(
    "RecoveredState",
    _recovered_kernel,
    vjp=(lambda g, *rest, **attrs: g, None, None),
    jvp=(lambda t, *rest, **attrs: t, None, None),
    shape=lambda a, *rest, **attrs: a,
    saves="",
)


class _Adjoint:
    """The right-hand side of the adjoint equation: of state, adjoint, and gradients of what f reads."""

    def __init__(
        self, closure: Closure, reads: Sequence[Any], followed: Sequence[Any], size: Any
    ) -> None:
        self._closure = closure
        self._reads = reads
        self._followed = followed
        self._size = size

    def nothing(self, a: Any) -> Any:
        """Zeros for the gradients."""
        return self._joined([zeros_like(x) for x in self._followed], a)

    def _joined(self, parts: Sequence[Any], a: Any) -> Any:
        flat = [reshape(cast(p, a.dtype), (-1,)) for p in parts]
        return concat(flat, 0) if flat else a[:0]

    def parts(self, vector: Any) -> tuple[Any, Any, Any]:
        """State, adjoint and gradients."""
        return vector[: self._size], vector[self._size : 2 * self._size], vector[2 * self._size :]

    def unpacked(self, vector: Any) -> list[Any]:
        """The gradients, each shaped as what it belongs to."""
        found, at = [], 0
        for x in self._followed:
            size = int(np.prod(dims(x)))
            found.append(cast(reshape(vector[at : at + size], dims(x)), x.dtype))
            at += size
        return found

    def __call__(self, point: Any) -> list[Any]:
        t, (y, a, _) = point[:1], self.parts(point[1:])
        own = identity(concat([t, y], 0))
        values: list[Any] = []

        def side(v: Any) -> list[Any]:
            values[:] = self._closure(v, self._reads)[:1]
            return values

        pulled = pull_through(side, [own], [-a], self._followed)
        dense = [
            zeros_like(x) if p is None else bound.to_dense(p)
            for p, x in zip(pulled, (own, *self._followed), strict=True)
        ]
        return [concat([values[0], dense[0][1:], self._joined(dense[1:], a)], 0)]


def _pushed(ts: Sequence[Any], ys: Sequence[Any], xs: Sequence[Any], attrs: Attrs) -> list[Any]:
    """The variational equation, along with the solution."""
    closure, settings = attrs["closure"], attrs["settings"]
    times, start, reads = xs[0], xs[1], xs[2:]
    size = dims(start)[0]

    def varied(point: Any) -> list[Any]:
        own = identity(point[: size + 1])
        direction = concat([zeros_like(own[:1]), point[size + 1 :]], 0)
        pushed = closure.pushed(own, reads, [direction, *ts[2:]])
        value = closure(own, reads)[0]
        return [concat([value, zeros_like(value) if pushed is None else pushed], 0)]

    begin = zeros_like(start) if ts[1] is None else ts[1]
    if ts[0] is not None:
        begin = begin - ts[0][0] * _slope(closure, times[0], start, reads)
    moved = _solved(varied, concat([start, begin], 0), times, settings)[:, size:]
    if ts[0] is not None:
        count = _count(times)
        slopes = [_slope(closure, times[k], ys[0][k], reads) for k in range(count)]
        moved = moved + expand_dims(ts[0], -1) * stack(slopes)
    return [moved]


SOLUTION: Final[Row] = Row(
    "InitialValueSolution",
    _kernel,
    joint=_pulled,
    joint_jvp=_pushed,
    shape=lambda times, start, *reads, **attrs: (times[0], start[0]),
    dtype=lambda times, start, *reads, **attrs: start,
    users=True,
)


# ---- the steps in our operations --------------------------------------------------------------------


def _by_steps(
    function: Callable[[Any], Sequence[Any]], start: Any, times: Any, settings: Settings
) -> Any:
    """The steps that SciPy chose, taken once more; their shares of the intervals do not move."""
    closure = Closure(function, _WHO)
    if not closure.must_be_traced:
        return _steps_taken(closure, times, start, (), settings)
    reads = closure.trace(_known(start), start._array.dtype)

    def taken(times: Any, start: Any, *reads: Any) -> list[Any]:
        return [_steps_taken(closure, times, start, reads, settings)]

    def forms(times: Any, start: Any, *reads: Any) -> list[Any]:
        return [((dims(times)[0], dims(start)[0]), start._array.dtype)]

    return eagerly(taken, [times, start, *reads], forms)[0]


def _steps_taken(
    closure: Closure, times: Any, start: Any, reads: Sequence[Any], settings: Settings
) -> Any:
    with activate((), None):
        shares = chosen_shares(closure, times._array, start._array, reads, settings)
    return steps_of(closure, times, start, reads, settings.method, shares)


def chosen_shares(
    closure: Closure, times: Array, start: Array, reads: Sequence[Any], settings: Settings
) -> list[Array]:
    """For each interval of times, what shares of it the steps have that SciPy takes."""
    _check_times(times)
    side = _Side(closure, settings, reads, start.dtype)
    kind = getattr(load_module("scipy.integrate"), settings.method)
    y, found = start.astype(np.float64), []
    width: float | None = None
    for a, b in zip(times[:-1].tolist(), times[1:].tolist(), strict=True):
        first = None if width is None else min(width, abs(b - a))
        with np.errstate(all="ignore"):
            solver = kind(side, a, y, b, rtol=settings.rtol, atol=settings.atol, first_step=first)
            at = [a]
            while solver.status == "running":
                message = solver.step()
                at.append(solver.t)
        if solver.status == "failed":
            raise _failed(str(message), solver.t)
        found.append(np.diff(at) / (b - a))
        y, width = solver.y, solver.h_abs
    return found


def steps_of(
    closure: Closure,
    times: Any,
    start: Any,
    reads: Sequence[Any],
    method: str,
    shares: Sequence[Array],
) -> Any:
    """The states at the times by such steps, in our operations."""
    table = getattr(load_module("scipy.integrate"), method)
    states, y = [start], start
    for k, some in enumerate(shares):
        first, whole = times[k], times[k + 1] - times[k]
        for begin, share in zip(np.cumsum(some) - some, some, strict=True):
            t, h = first + float(begin) * whole, float(share) * whole
            y = _step(lambda t, y: _slope(closure, t, y, reads), table, t, h, y)
        states.append(y)
    return stack(states)


def _step(slope: Callable[[Any, Any], Any], table: Any, t: Any, h: Any, y: Any) -> Any:
    """One step of an explicit Runge-Kutta method, with the table of SciPy."""
    slopes: list[Any] = []
    count = table.n_stages
    for row, node in zip(table.A[:count], table.C[:count], strict=True):
        inner = y + h * _combined(row, slopes) if slopes else y
        slopes.append(slope(t + float(node) * h, inner))
    return y + h * _combined(table.B, slopes)


def _combined(weights: Any, slopes: Sequence[Any]) -> Any:
    terms = [float(w) * k for w, k in zip(weights, slopes, strict=False) if w]
    return sum(terms[1:], terms[0])
