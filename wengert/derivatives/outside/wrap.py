"""tf.wrap: functions of NumPy, of SciPy and of other programs as operations with derivatives.

A rule that the user wrote in our operations is a rule like any other. One that needs arrays is an external
function itself, wrapped in turn, whose derivative is the fallback's; so is what the fallback gives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.api.gradients.registration import read_only
from wengert.core.context import activate, graph_around
from wengert.core.dispatch import apply
from wengert.core.reverse import conjugate, pull_through
from wengert.core.row import Attrs, Row
from wengert.derivatives.arguments import check_function
from wengert.derivatives.outside import differences
from wengert.errors import InvalidArgumentError, NoGradientError
from wengert.graph.function_graph import FunctionGraph
from wengert.values.bound_ops import bound
from wengert.values.convert import as_array, convert
from wengert.values.dtypes import as_dtype
from wengert.values.shapes import TensorShape
from wengert.values.symbolic import is_certain
from wengert.values.tensor import dims

if TYPE_CHECKING:
    from wengert.values.typing import Array, Namespace

_FALLBACKS: Final = ("differences", "complex", None)
_NESTED: Final = 2  # how deep differences of differences may go


def wrap(
    fn: Callable[..., Any],
    vjp: Callable[..., Any] | None = None,
    jvp: Callable[..., Any] | None = None,
    fallback: str | None = "differences",
    result_like: Any = None,
    step: float | None = None,
) -> External:
    """A function of NumPy arrays as an operation with derivatives: eagerly, in functions and sessions.

    It may call SciPy, or another program by `subprocess`. Its result must depend on its arguments
    alone: it is called when, and as often as, its result or its derivative is needed.

    Args:
        fn: From arrays to an array, or to a tuple of them. Keyword arguments are passed unchanged.
        vjp: The reverse rule `vjp(args, result, cotangent)`: a tuple with the gradient of each
            argument, None for one without; the gradient itself where there is one argument. `result` is
            what fn returned, and `cotangent` is like it.
        jvp: The forward rule `jvp(args, result, tangents)`: what is like the result. `tangents` has one
            for each argument, of zeros where it does not move.
        fallback: What takes the place of rules that are missing. One rule alone is enough for both
            modes; with neither, "differences" takes central differences, extrapolated; "complex" a
            complex step, which is exact for functions that are analytic and take complex
            numbers. None: an error.
        result_like: Shape and dtype of the result, for graphs, which must know them in advance: a tensor,
            an array or a tf.TensorSpec, a tuple of them for several results, or a function that makes
            one of those of the arguments. Sizes may be None. Without it, a graph takes what an earlier
            call gave for such arguments, or calls fn once with ones; a plan does not call it.
        step: The first step of the differences, relative to the size of the argument or to 1,
            whichever is larger. By default several are tried.

    Rules may be written in operations of `tf`; then they can be differentiated any number of times. Rules
    that need arrays have the fallback's derivatives, and the fallback itself has those of
    differences: two of them, one of the other, and no more. Arguments that are integers have no
    gradient. Rules keep to TensorFlow's convention for complex numbers. In `tf.vmap` fn is called for one
    example after the other.

    Returns:
        The function of tensors. `error_estimate(*args)` says how wrong the fallback's Jacobian may be.

    >>> import scipy.special
    >>> bessel = tf.wrap(scipy.special.j0, vjp=lambda args, y, g: -g * tf.math.special.bessel_j1(args[0]))
    >>> tf.grad(bessel)(tf.constant(1.0)).numpy().round(4)
    np.float32(-0.4401)
    >>> root = tf.wrap(np.cbrt)
    >>> x = tf.constant(8.0, tf.float64)
    >>> tf.grad(root)(x).numpy().round(8), bool(root.error_estimate(x) < 1e-8)
    (np.float64(0.08333333), True)
    """
    check_function(fn, "wrap")
    for name, rule in (("vjp", vjp), ("jvp", jvp)):
        if rule is not None and not callable(rule):
            raise TypeError(f"{name} of tf.wrap is a function or None, got {rule!r}.")
    if fallback not in _FALLBACKS:
        raise ValueError(
            f'fallback of tf.wrap is "differences", "complex" or None, got {fallback!r}.'
        )
    if step is not None and not step > 0:
        raise ValueError(f"step of tf.wrap must be positive, got {step!r}.")
    return External(fn, vjp, jvp, fallback, result_like, step)


class External:
    """A function of arrays as an operation; what `tf.wrap` returns."""

    def __init__(
        self,
        fn: Callable[..., Any],
        vjp: Callable[..., Any] | None,
        jvp: Callable[..., Any] | None,
        fallback: str | None,
        result_like: Any,
        step: float | None,
        nested: int = 0,
    ) -> None:
        self._fn = fn
        self._vjp = vjp
        self._jvp = jvp
        self._fallback = fallback
        self._result_like = result_like
        self._step = step
        self._nested = nested  # how deep in differences of differences this is
        self.name = getattr(fn, "__name__", type(fn).__name__)
        self._seen: dict[Any, list[Any]] = {}  # forms of results, by those of the arguments
        self._is_single: bool | None = None  # whether fn returns no tuple
        self._in_tensors: dict[str, bool] = {}  # which rules are written in our operations
        self._steps = 0  # complex steps so far: the 1st, 2nd, 4th ... is compared with differences
        self._derived: dict[str, External] = {}

    def __call__(self, *args: Any, **named: Any) -> Any:
        """The results for tensors, or for what becomes one."""
        inputs = [convert(x) for x in args]
        results = apply(EXTERNAL, inputs, {"external": self, "named": named})
        return self.arranged(results)

    def __repr__(self) -> str:
        return f"<tf.wrap of {self.name}>"

    def arranged(self, results: Sequence[Any]) -> Any:
        """Results as fn returns them: one, or a tuple."""
        return results[0] if self._is_single else tuple(results)

    def error_estimate(self, *args: Any, **named: Any) -> Any:
        """How wrong the Jacobian of the fallback may be, element by element.

        Returns:
            For each result, for each floating argument, an array of the shape of the result followed by
            that of the argument; no tuple where there is one.
        """
        if self._vjp is not None or self._jvp is not None or self._fallback is None:
            raise ValueError(f"{self!r} has rules or no fallback: there is no error to estimate.")
        xs = [np.asarray(convert(x)) for x in args]
        places = [i for i, x in enumerate(xs) if x.dtype.kind == "f"]
        blocks = [self._block(xs, i, named) for i in places]
        rows = [[errors[k] for _, errors in blocks] for k in range(len(blocks[0][1]))]
        arranged = [row[0] if len(row) == 1 else tuple(row) for row in rows]
        return self.arranged(arranged)

    # ---- values ------------------------------------------------------------------------------

    def run(self, arrays: Sequence[Any], named: dict[str, Any]) -> list[Any]:
        """The results of the function, as arrays."""
        returned = self._fn(*arrays, **named)
        self._is_single = not isinstance(returned, (tuple, list))
        found = [returned] if self._is_single else list(returned)
        if not found or any(y is None for y in found):
            raise TypeError(
                f"{self!r} must return an array or a tuple of arrays, got {returned!r}."
            )
        return [as_array(np.asarray(y)) for y in found]

    def kernel(self, arrays: Sequence[Array], named: dict[str, Any]) -> list[Array]:
        """The results, as the graph expects them."""
        with activate((), None):
            found = self.run([read_only(a) if a.shape else a for a in arrays], named)
        key = tuple([(a.shape, a.dtype) for a in arrays])
        if self._result_like is not None:
            found = self._like_declared(found, [(a.shape, a.dtype) for a in arrays])
        self._seen[key] = [(y.shape, y.dtype) for y in found]
        return found

    def _like_declared(self, found: list[Array], given: Sequence[Any]) -> list[Array]:
        """Floating results get the dtype that was promised; everything else must be as it was."""
        wanted = self._declared(given)
        if len(found) != len(wanted):
            raise InvalidArgumentError(
                f"{self!r} returned {len(found)} results, and result_like has {len(wanted)}."
            )
        made = []
        for y, (shape, dtype) in zip(found, wanted, strict=True):
            if not TensorShape(shape).is_compatible_with(y.shape):
                raise InvalidArgumentError(
                    f"{self!r} returned the shape {list(y.shape)}, and result_like says "
                    f"{TensorShape(shape)}."
                )
            if y.dtype != dtype and not (y.dtype.kind in "fiu" and dtype.kind == "f"):
                raise InvalidArgumentError(
                    f"{self!r} returned the dtype {y.dtype}, and result_like says {dtype}."
                )
            made.append(y.astype(dtype, copy=False))
        return made

    def _declared(self, given: Sequence[Any]) -> list[Any]:
        like = self._result_like
        if callable(like) and not hasattr(like, "dtype"):
            like = like(*[_Form(shape, dtype) for shape, dtype in given])
        self._is_single = not isinstance(like, (tuple, list))
        return [_form_of(one) for one in ([like] if self._is_single else like)]

    def forms(self, xs: Sequence[Any], named: dict[str, Any]) -> list[Any]:
        """Shapes and dtypes of the results, for a graph."""
        given = [(x._array.shape, x._array.dtype) for x in xs]
        if self._result_like is not None:
            return self._declared(given)
        if not all(is_certain(dims(x)) for x in xs):
            raise InvalidArgumentError(
                f"A graph must know in advance what {self!r} returns, and sizes of its arguments are "
                "unknown: give result_like=tf.TensorSpec([None], tf.float64), or an example."
            )
        key = tuple(given)
        if key not in self._seen:
            if getattr(graph_around(), "only_traced", False):
                raise InvalidArgumentError(
                    f"A plan runs nothing, and what {self!r} returns is not known before its first "
                    "call: give result_like, a tensor or tf.TensorSpec like the result."
                )
            try:
                with activate((), None):
                    found = self.run([np.ones(s, d) for s, d in given], named)
            except Exception as error:
                raise InvalidArgumentError(
                    f"A graph must know in advance what {self!r} returns, and a call with ones "
                    f"failed: {error}. Give result_like, a tensor or tf.TensorSpec like the result."
                ) from error
            self._seen[key] = [(y.shape, y.dtype) for y in found]
        return self._seen[key]

    # ---- rules -------------------------------------------------------------------------------

    def pulled(self, gs: list[Any], ys: list[Any], xs: list[Any], named: Any) -> list[Any]:
        """The gradients of the arguments, in TensorFlow's convention."""
        if self._is_tensor_rule("vjp", xs, ys, gs):
            return self._by_vjp(xs, ys, gs)
        if self._vjp is None and self._is_tensor_rule("jvp", xs, ys, xs):
            zeros = [bound.zeros_like(x) if x.dtype.is_differentiable else x for x in xs]
            pulled = pull_through(
                lambda *ts: self._by_jvp(xs, ys, ts), zeros, [conjugate(g) for g in gs]
            )
            return [conjugate(p) for p in pulled]
        return self._through("pull", xs, ys, gs, named)

    def pushed(self, ts: list[Any], ys: list[Any], xs: list[Any], named: Any) -> list[Any]:
        """The tangents of the results."""
        if self._is_tensor_rule("jvp", xs, ys, ts):
            return self._by_jvp(xs, ys, ts)
        if self._jvp is None and self._is_tensor_rule("vjp", xs, ys, ys):
            zeros = [bound.zeros_like(y) for y in ys]
            return pull_through(
                lambda *gs: [
                    conjugate(p) for p in self._by_vjp(xs, ys, [conjugate(g) for g in gs])
                ],
                zeros,
                [t if x.dtype.is_differentiable else None for t, x in zip(ts, xs, strict=True)],
            )
        if not any(y.dtype.is_differentiable for y in ys):
            return [None] * len(ys)
        return self._through("push", xs, ys, ts, named)

    def _by_vjp(self, xs: Sequence[Any], ys: Sequence[Any], gs: Sequence[Any]) -> list[Any]:
        assert self._vjp is not None
        returned = self._vjp(tuple(xs), self.arranged(ys), self.arranged(gs))
        return self._for_each(returned, xs, "vjp", "argument", len(xs) == 1)

    def _by_jvp(self, xs: Sequence[Any], ys: Sequence[Any], ts: Sequence[Any]) -> list[Any]:
        assert self._jvp is not None
        returned = self._jvp(tuple(xs), self.arranged(ys), tuple(ts))
        return self._for_each(returned, ys, "jvp", "result", bool(self._is_single))

    def _for_each(
        self, returned: Any, like: Sequence[Any], rule: str, what: str, is_single: bool
    ) -> list[Any]:
        several = isinstance(returned, (tuple, list))
        found = list(returned) if several else [returned]
        if len(found) != len(like) or (not several and not is_single):
            raise InvalidArgumentError(
                f"{rule} of {self!r} must return a tuple with one for each {what}, {len(like)}, got "
                f"{returned!r}."
            )
        return [
            None if one is None or not v.dtype.is_differentiable else convert(one, hint=v.dtype)
            for one, v in zip(found, like, strict=True)
        ]

    def _is_tensor_rule(
        self, which: str, xs: Sequence[Any], ys: Sequence[Any], vs: Sequence[Any]
    ) -> bool:
        """Whether a rule can be traced, and so is written in our operations."""
        rule = self._vjp if which == "vjp" else self._jvp
        if rule is None:
            return False
        if which not in self._in_tensors:
            graph = FunctionGraph(which)
            try:
                with activate((), graph):
                    stand_ins = [[graph.input_like(v) for v in part] for part in (xs, ys, vs)]
                    (self._by_vjp if which == "vjp" else self._by_jvp)(*stand_ins)
                self._in_tensors[which] = True
            except Exception:  # noqa: BLE001  # then it is called with arrays, and may fail there
                self._in_tensors[which] = False
        return self._in_tensors[which]

    # ---- rules of arrays ---------------------------------------------------------------------

    def _through(
        self, which: str, xs: list[Any], ys: list[Any], vs: list[Any], named: Any
    ) -> list[Any]:
        """The derivative as an external function of arguments, results and cotangents or tangents."""
        has_rule = self._vjp is not None or self._jvp is not None
        results = ys if has_rule else []  # the fallback does not look at them
        made = self._derivative(which, len(xs), len(results))
        moving = [v for v in vs if v.dtype.is_differentiable]
        attrs = {"external": made, "named": {"named": named}}
        found: list[Any] = apply(EXTERNAL, (*xs, *results, *moving), attrs)
        like = xs if which == "pull" else ys
        given = iter(found)
        return [next(given) if v.dtype.is_differentiable else None for v in like]

    def _derivative(self, which: str, count: int, results: int) -> External:
        known = self._derived.get(which)
        if known is not None:
            return known
        has_rule = self._vjp is not None or self._jvp is not None
        by_differences = not has_rule and self._fallback == "differences"
        if not has_rule and (self._fallback is None or self._nested + by_differences > _NESTED):
            raise NoGradientError(self._why_not())
        fallback = None if self._fallback is None else "differences"

        def derivative(*arrays: Array, named: dict[str, Any]) -> tuple[Any, ...]:
            xs, vs = list(arrays[:count]), list(arrays[count + results :])
            ys = list(arrays[count : count + results]) or self._blank(xs, named)
            return tuple((self._pull if which == "pull" else self._push)(xs, ys, vs, named))

        def like(*forms: _Form) -> tuple[_Form, ...]:
            given = forms[:count]
            if which == "push":
                given = forms[count : count + results] or self._forms_like(forms[:count])
            return tuple([f for f in given if f.dtype.kind in "fc"])

        derivative.__name__ = f"derivative of {self.name}"
        nested = self._nested + by_differences
        made = External(derivative, None, None, fallback, like, self._step, nested)
        self._derived[which] = made
        return made

    def _forms_like(self, given: Sequence[_Form]) -> tuple[_Form, ...]:
        """What the results are for such arguments: known since the function was called."""
        forms = [(f.shape, f.dtype) for f in given]
        known = self._declared(forms) if self._result_like is not None else self._seen[tuple(forms)]
        return tuple([_Form(shape, dtype) for shape, dtype in known])

    def _blank(self, xs: Sequence[Array], named: Any) -> list[Array]:
        """Arrays like the results."""
        known = self._seen.get(tuple([(x.shape, x.dtype) for x in xs]))
        if known is None:
            return self.run(xs, named)
        return [np.zeros(shape, dtype) for shape, dtype in known]

    def _why_not(self) -> str:
        if self._fallback is None:
            return f"{self!r} has no derivative: give a vjp or a jvp, or a fallback."
        return (
            f"{self!r}: after {_NESTED} differences of differences no digit of another would be right. "
            "Give a vjp or a jvp in operations of tf, which can be differentiated any number of times."
        )

    def _pull(self, xs: list[Array], ys: list[Array], gs: list[Array], named: Any) -> list[Any]:
        """The gradients of the floating arguments, as arrays."""
        places = [i for i, x in enumerate(xs) if x.dtype.kind in "fc"]
        if self._vjp is not None:
            given = iter(gs)
            full = [next(given) if y.dtype.kind in "fc" else np.zeros_like(y) for y in ys]
            found = self._vjp(tuple(xs), self.arranged(ys), self.arranged(full))
            listed = list(found) if isinstance(found, (tuple, list)) else [found]
            if len(listed) != len(xs):
                self._for_each(found, xs, "vjp", "argument", len(xs) == 1)
            return [_array_like(listed[i], xs[i]) for i in places]
        own = [k for k, y in enumerate(ys) if y.dtype.kind in "fc"]
        gradients = []
        for i in places:
            blocks, _ = self._block(xs, i, named, ys)
            parts = [
                np.tensordot(g, np.conj(blocks[k]), axes=g.ndim)
                for g, k in zip(gs, own, strict=True)
            ]
            gradients.append(_array_like(sum(parts), xs[i]))
        return gradients

    def _push(self, xs: list[Array], ys: list[Array], ts: list[Array], named: Any) -> list[Any]:
        """The tangents of the floating results, as arrays."""
        places = [k for k, y in enumerate(ys) if y.dtype.kind in "fc"]
        given = iter(ts)
        full = [next(given) if x.dtype.kind in "fc" else None for x in xs]
        if self._jvp is None and self._vjp is not None:
            return [self._dot(xs, ys, full, k) for k in places]
        found, _ = self._along(xs, full, named, ys)
        return [_array_like(found[k], ys[k]) for k in places]

    def _dot(self, xs: list[Array], ys: list[Array], ts: list[Any], k: int) -> Any:
        """The tangent of one result from the reverse rule, by the unit vectors of its elements."""
        made = []
        for unit in np.eye(ys[k].size, dtype=ys[k].dtype):
            floating = [np.zeros_like(y) for y in ys]
            floating[k] = unit.reshape(ys[k].shape)
            gs = [g for g, y in zip(floating, ys, strict=True) if y.dtype.kind in "fc"]
            pulled = iter(self._pull(xs, ys, gs, {}))
            made.append(sum(np.sum(np.conj(next(pulled)) * t) for t in ts if t is not None))
        return np.reshape(np.array(made, ys[k].dtype), ys[k].shape)

    def _block(
        self, xs: list[Array], at: int, named: Any, ys: Sequence[Array] = ()
    ) -> tuple[list[Array], list[Array]]:
        """The Jacobians of all results by one argument, and their errors."""
        blocks, errors = differences.columns(
            xs, at, lambda ts: list(self._along(xs, ts, named, ys))
        )
        return blocks, errors

    def _along(
        self, xs: list[Array], ts: list[Any], named: Any, ys: Sequence[Array]
    ) -> tuple[list[Array], list[Array]]:
        """The derivative along tangents by the forward rule or by the fallback, and the errors."""
        if self._jvp is not None:
            filled = [np.zeros_like(x) if t is None else t for x, t in zip(xs, ts, strict=True)]
            returned = self._jvp(tuple(xs), self.arranged(ys), tuple(filled))
            found = list(returned) if isinstance(returned, (tuple, list)) else [returned]
            if len(found) != len(ys):
                self._for_each(returned, ys, "jvp", "result", bool(self._is_single))
            found = [np.asarray(one) for one in found]
            return found, [np.zeros_like(one) for one in found]
        return self._by_fallback(xs, ts, named)

    def _by_fallback(
        self, xs: list[Array], ts: list[Any], named: Any
    ) -> tuple[list[Array], list[Array]]:
        if any(x.dtype.kind == "c" for x in xs):
            raise NoGradientError(
                f"{self!r} has a complex argument, by which the fallback does not differentiate: give a "
                "vjp or a jvp."
            )
        wide = [x.astype(np.float64) if x.dtype.kind == "f" else x for x in xs]

        def f(*arrays: Array) -> list[Array]:
            return self.run(arrays, named)

        if self._fallback == "differences":
            estimate = differences.along(f, wide, ts, self._step)
            self._check_finite(estimate.values)
            return estimate
        found = differences.along_imaginary(f, wide, ts, repr(self))
        left = self._compare(found, f, wide, ts)
        return found, left

    def _check_finite(self, values: Sequence[Array]) -> None:
        if not all(np.isfinite(v).all() for v in values):
            raise InvalidArgumentError(
                f"{self!r} gives NaN or inf next to its argument, so that differences have no value. Is the "
                "argument at the edge of where it is defined? Give a smaller step, a vjp or a jvp."
            )

    def _compare(self, found: list[Array], f: Any, xs: list[Array], ts: list[Any]) -> list[Array]:
        """How far differences deviate from the complex step; an error if that is much."""
        precision = np.finfo(np.float64).eps
        rounding = [precision * np.abs(v) for v in found]
        if self._steps & (self._steps + 1):
            self._steps += 1
            return rounding
        estimate = differences.along(f, xs, ts, self._step)
        for value, other, error in zip(found, estimate.values, estimate.errors, strict=True):
            scale = np.max(np.abs(value), initial=0.0)
            if np.any(np.abs(value - other) > 1e3 * error + 1e-5 * scale):
                raise InvalidArgumentError(
                    f"{self!r} is not analytic (as abs, comparisons and conj are not): a complex "
                    f"step gives {value}, and differences {other}. Use "
                    'fallback="differences", or give a vjp or a jvp.'
                )
        self._steps += 1  # not before: what is wrong is wrong again
        return rounding


class _Form:
    """The shape and dtype of a value that does not exist."""

    def __init__(self, shape: Any, dtype: Any) -> None:
        self.shape = shape
        self.dtype = dtype


def _form_of(like: Any) -> tuple[Any, Any]:
    """The shape and dtype of something that is like a result."""
    if not hasattr(like, "dtype"):
        like = np.asarray(like)
    known: Any = like.shape  # a tuple may have sizes that are known only at run time
    if not isinstance(known, tuple):
        known = None if TensorShape(known).rank is None else tuple(TensorShape(known))
    return known, np.dtype(as_dtype(like.dtype).as_numpy_dtype)


def _array_like(found: Any, x: Array) -> Array:
    if found is None:
        return np.zeros_like(x)
    array = np.asarray(found)
    if array.dtype.kind == "c" and x.dtype.kind != "c":
        array = array.real
    return np.reshape(array.astype(x.dtype), x.shape)


# ---- the operation ------------------------------------------------------------------------------


def _kernel(_: Namespace, *arrays: Array, external: External, named: dict[str, Any]) -> list[Array]:
    return external.kernel(arrays, named)


def _pulled(gs: Sequence[Any], ys: Sequence[Any], xs: Sequence[Any], attrs: Attrs) -> list[Any]:
    filled = [bound.zeros_like(y) if g is None else g for g, y in zip(gs, ys, strict=True)]
    return attrs["external"].pulled(filled, list(ys), list(xs), attrs["named"])  # type: ignore[no-any-return]


def _pushed(ts: Sequence[Any], ys: Sequence[Any], xs: Sequence[Any], attrs: Attrs) -> list[Any]:
    filled = [bound.zeros_like(x) if t is None else t for t, x in zip(ts, xs, strict=True)]
    return attrs["external"].pushed(filled, list(ys), list(xs), attrs["named"])  # type: ignore[no-any-return]


EXTERNAL: Final[Row] = Row(
    "External",
    _kernel,
    joint=_pulled,
    joint_jvp=_pushed,
    forms=lambda xs, attrs: attrs["external"].forms(xs, attrs["named"]),
    many=True,
    users=True,
)
