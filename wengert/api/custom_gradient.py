"""tf.custom_gradient: functions whose gradient is written by hand."""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, NamedTuple

import numpy as np

from wengert.core import nest
from wengert.core.batch import Batched, Batcher
from wengert.core.contract import describe
from wengert.core.convert import convert
from wengert.core.dispatch import also_listening, announce, listening, state
from wengert.core.indexed_slices import IndexedSlices
from wengert.core.operation import Attrs, Row, place
from wengert.core.reverse import conjugated, pull_back
from wengert.core.tape import Tape
from wengert.core.tensor import Tensor, key_of
from wengert.core.value import Key
from wengert.core.variable import Variable
from wengert.core.words import words
from wengert.errors import CustomGradientError, GradientCountError
from wengert.ops.identity import identity

Results = Sequence[Any]


class VariableWatcher:
    """Hears which trainable variables are read, in the order of their first use."""

    computes: ClassVar[bool] = False

    def __init__(self) -> None:
        self.variables: dict[Key, Variable] = {}

    def accessed(self, variable: Variable) -> None:
        if variable.trainable:
            self.variables.setdefault(key_of(variable), variable)

    def record(self, row: Row, inputs: Sequence[Any], attrs: Attrs, result: Any) -> None:
        pass


class _Depth(threading.local):
    """How many custom gradients this thread is inside of."""

    now = 0


_depth = _Depth()


@contextmanager
def _inside_custom_gradient() -> Iterator[None]:
    _depth.now += 1
    try:
        yield
    finally:
        _depth.now -= 1


class _Call(NamedTuple):
    """One call: what was passed, and which of it are inputs of the differentiated function."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    leaves: list[Any]  # of the positional arguments
    positional: list[Any]  # those of the leaves that are tensors, variables or arrays
    keyword: list[Any]  # tensors passed to keyword-only parameters

    @property
    def inputs(self) -> list[Any]:
        return [*self.positional, *self.keyword]


def _is_input(value: Any) -> bool:
    return isinstance(value, (Tensor, Variable, np.ndarray, np.generic))


class CustomGradient:
    """A function together with its gradient; what `tf.custom_gradient` returns.

    `defjvp` adds a rule for forward mode, `defbatch` one for many examples at once. A rule that
    is missing is derived from those that are there.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        jvp: Callable[..., Any] | None = None,
        batch: Callable[..., Any] | None = None,
    ) -> None:
        if not callable(function):
            raise CustomGradientError(f"tf.custom_gradient decorates a function, got {function!r}.")
        self._function = function
        self._jvp = jvp
        self._batch = batch
        self._signature = _signature(function)
        functools.update_wrapper(self, function)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __repr__(self) -> str:
        return f"<custom gradient of {self._name} at {place(self._function)}>"

    def defjvp(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """Set the forward rule: `rule(primals, tangents)` returns the tangents of the results.

        Both arguments are lists with an entry for each tensor that the function was given. A
        tangent that is missing is passed as zeros.
        """
        self._jvp = rule
        return rule

    def defbatch(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """Set the rule for a batch.

        `rule` is called like the function, with a batch of each tensor, in front; it returns what
        the function returns, for the whole batch: the results and a `grad_fn`.
        """
        self._batch = rule
        return rule

    @property
    def _name(self) -> str:
        return getattr(self._function, "__qualname__", repr(self._function))

    # ---- a call ------------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        call = self._bound(args, kwargs)
        batcher = _batcher_of(call.inputs)
        if self._batch is not None and batcher is not None:
            return self._call_batched(call, batcher)
        nested = _depth.now > 0
        watcher = VariableWatcher()
        with also_listening(watcher), _inside_custom_gradient():
            result, grad_fn = self._run(self._function, call)
        results = [convert(identity(r)) for r in nest.flatten(result)]
        inputs, variables = self._inputs(call, watcher)
        self._check_variables(grad_fn, variables)
        gradient = _GradFn(self, grad_fn, call, len(inputs), variables, nested)
        self._announce(gradient, inputs, variables, results, call)
        return nest.pack_sequence_as(result, results)

    def _bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Call:
        """A tensor passed by keyword to a positional parameter is that parameter."""
        if self._signature is not None:
            bound = self._signature.bind(*args, **kwargs)
            bound.apply_defaults()
            args, kwargs = bound.args, bound.kwargs
        leaves = nest.flatten(args)
        return _Call(
            args,
            kwargs,
            leaves,
            [v for v in leaves if _is_input(v)],
            [v for v in nest.flatten(kwargs) if isinstance(v, (Tensor, Variable))],
        )

    def _run(self, function: Callable[..., Any], call: _Call) -> tuple[Any, Callable[..., Any]]:
        returned = function(*call.args, **call.kwargs)
        if not isinstance(returned, tuple) or len(returned) != 2:
            raise CustomGradientError(
                f"A function decorated with tf.custom_gradient must return two things, the result "
                f"and grad_fn; {self._name} ({place(function)}) returned "
                f"{type(returned).__name__}: write `return result, grad_fn`."
            )
        result, grad_fn = returned
        if grad_fn is None and self._jvp is not None:
            return result, None  # type: ignore[return-value]  # derived from the jvp
        if not callable(grad_fn):
            raise CustomGradientError(
                f"The second thing that {self._name} ({place(function)}) returns must be a "
                f"function grad_fn(*dys), got {grad_fn!r}."
            )
        return result, grad_fn

    def _inputs(self, call: _Call, watcher: VariableWatcher) -> tuple[list[Any], list[Variable]]:
        inputs = [v if isinstance(v, (Tensor, Variable)) else convert(v) for v in call.inputs]
        passed = {id(v) for v in inputs}
        return inputs, [v for v in watcher.variables.values() if id(v) not in passed]

    def _check_variables(self, grad_fn: Any, variables: list[Variable]) -> None:
        if variables and grad_fn is not None and not _accepts_variables(grad_fn):
            names = [v.name for v in variables]
            raise CustomGradientError(
                "@tf.custom_gradient grad_fn must accept keyword argument 'variables', since "
                f"function uses variables: {names}. Write `def grad_fn(*dys, variables=None)` at "
                f"{place(grad_fn)} and return (gradients of the inputs, gradients of the "
                "variables)."
            )

    def _announce(
        self,
        gradient: _GradFn,
        inputs: list[Any],
        variables: list[Variable],
        results: list[Tensor],
        call: _Call,
    ) -> None:
        row = Row(
            f"custom_gradient {self._name}",
            self._function,
            joint=gradient,
            joint_jvp=self._forward_rule(inputs),
            many=True,
            users=True,
        )
        announce(row, [*inputs, *variables], {}, results)

    def _forward_rule(self, inputs: list[Any]) -> Callable[..., Any] | None:
        if self._jvp is None:
            return None
        rule, count = self._jvp, len(inputs)

        def joint_jvp(ts: Results, ys: Results, xs: Results, attrs: Attrs) -> list[Any]:
            return self._push(rule, ts[:count], xs[:count], ys)

        return joint_jvp

    def _push(self, rule: Callable[..., Any], ts: Results, xs: Results, ys: Results) -> list[Any]:
        filled = [words.zeros_like(x) if t is None else t for t, x in zip(ts, xs, strict=True)]
        pushed = nest.flatten(rule(list(xs), filled))
        if len(pushed) != len(ys):
            raise GradientCountError(
                f"The jvp rule of {self._name} ({place(rule)}) returned {len(pushed)} tangents "
                f"for {len(ys)} results: return one for each."
            )
        return [
            None if p is None else convert(p, hint=y.dtype) for p, y in zip(pushed, ys, strict=True)
        ]

    # ---- a call for a batch ------------------------------------------------------------------

    def _call_batched(self, call: _Call, batcher: Batcher) -> Any:
        """The batch rule, outside the batch, with a batch of every tensor."""
        assert self._batch is not None
        inputs = [v if isinstance(v, Tensor) else convert(v) for v in call.inputs]
        with batcher.outside(), _inside_custom_gradient():
            fulls = iter([batcher.full(v) for v in inputs])
            full_args = nest.map_structure(
                lambda v: next(fulls) if _is_input(v) else v, list(call.args)
            )
            full_call = call._replace(args=tuple(full_args))
            result, grad_fn = self._run(self._batch, full_call)
            full_results = [convert(identity(r)) for r in nest.flatten(result)]
        results: list[Tensor] = [batcher.lift(r) for r in full_results]
        gradient = _GradFn(self, grad_fn, full_call, len(inputs), [], _depth.now > 0)

        def joint(gs: Results, ys: Results, xs: Results, attrs: Attrs) -> list[Any]:
            with batcher.outside(*state.here.recorders):
                pulled = gradient(
                    [None if g is None else batcher.full(g) for g in gs], ys, xs, attrs
                )
            return [None if p is None else batcher.lift(p) for p in pulled]

        row = Row(
            f"custom_gradient {self._name}",
            self._batch,
            joint=joint,
            many=True,
            users=True,
        )
        for recorder in state.here.recorders:
            recorder.record(row, inputs, {}, results)
        with batcher.outside():
            full_row = Row(row.name, self._batch, joint=gradient, many=True, users=True)
            announce(full_row, [batcher.full(v) for v in inputs], {}, full_results)
        return nest.pack_sequence_as(result, results)


def _signature(function: Callable[..., Any]) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):  # a built-in without one
        return None


def _batcher_of(inputs: Sequence[Any]) -> Batcher | None:
    active = state.here.interpreter
    if isinstance(active, Batcher) and any(
        isinstance(v, Batched) and active.holds(v) for v in inputs
    ):
        return active
    return None


def _accepts_variables(grad_fn: Callable[..., Any]) -> bool:
    signature = _signature(grad_fn)
    return signature is None or any(
        p.name == "variables" or p.kind is p.VAR_KEYWORD for p in signature.parameters.values()
    )


def _requires_variables(grad_fn: Callable[..., Any]) -> bool:
    """Whether grad_fn takes `variables` and has no default for it."""
    signature = _signature(grad_fn)
    parameter = None if signature is None else signature.parameters.get("variables")
    return parameter is not None and parameter.default is parameter.empty


class _GradFn:
    """A user's grad_fn as a joint rule: what it is given, and what it must return."""

    def __init__(
        self,
        owner: CustomGradient,
        grad_fn: Any,
        call: _Call,
        inputs: int,
        variables: list[Variable],
        nested: bool,
    ) -> None:
        self._owner = owner
        self._grad_fn = grad_fn
        # Of the call only what maps gradients to inputs: the arguments are the record's to keep.
        self._is_input = [_is_input(v) for v in call.leaves]
        self._positional = len(call.positional)
        self._keyword = len(call.keyword)
        self._inputs = inputs
        self._variables = variables
        self._nested = nested
        self.__wrapped__ = grad_fn or owner._function  # errors name the user's line

    def __call__(self, gs: Results, ys: Results, xs: Results, attrs: Attrs) -> list[Any]:
        if self._grad_fn is None:
            return self._from_jvp(gs, xs)
        dys = [conjugated(g) for g in gs if g is not None]
        with _inside_custom_gradient():
            for_inputs, for_variables = self._call(dys)
        pulled = [*self._matched(for_inputs, xs), *for_variables]
        return [conjugated(g) if isinstance(g, (Tensor, IndexedSlices)) else g for g in pulled]

    def _call(self, dys: list[Any]) -> tuple[list[Any], list[Any]]:
        """The gradients of the inputs and of the variables, both flat."""
        if self._variables:
            return self._with_variables(self._grad_fn(*dys, variables=list(self._variables)))
        if _requires_variables(self._grad_fn):
            returned = self._grad_fn(*dys, variables=[])
            if isinstance(returned, tuple) and len(returned) == 2 and returned[1] in ([], (), None):
                returned = returned[0]
            return nest.flatten(returned), []
        return nest.flatten(self._grad_fn(*dys)), []

    def _with_variables(self, returned: Any) -> tuple[list[Any], list[Any]]:
        if not isinstance(returned, (tuple, list)) or len(returned) != 2:
            raise CustomGradientError(
                f"grad_fn ({place(self._grad_fn)}) was given `variables` and must return two "
                "things, the gradients of the inputs and those of the variables: "
                f"`return grad_xs, grad_vars`. It returned {type(returned).__name__}."
            )
        for_inputs, for_variables = returned
        given = nest.flatten(for_variables)
        if len(given) != len(self._variables):
            raise GradientCountError(
                "Must return gradient for each variable from @custom_gradient grad_fn. "
                f"grad_fn ({place(self._grad_fn)}) returned {len(given)} for "
                f"{len(self._variables)} variables: {[v.name for v in self._variables]}."
            )
        return nest.flatten(for_inputs), given

    def _matched(self, given: list[Any], xs: Results) -> list[Any]:
        """One gradient for each input.

        Arguments that are not tensors may have a None of their own or be left out, and so may
        tensors in keyword-only parameters: without a gradient those are constants.
        """
        everything, tensors = len(self._is_input), self._positional
        for keywords in (0, self._keyword):
            if len(given) == tensors + keywords:
                return [*given, *[None] * (self._keyword - keywords)]
            if len(given) == everything + keywords:
                mine = [g for g, counts in zip(given, self._is_input, strict=False) if counts]
                return [
                    *mine,
                    *given[everything:],
                    *[None] * (self._keyword - keywords),
                ]
        raise GradientCountError(self._count_message(len(given), xs))

    def _count_message(self, given: int, xs: Results) -> str:
        due = self._positional
        inputs = ", ".join(f"input {i}: {describe(x)}" for i, x in enumerate(xs[:due]))
        words_for_nesting = (
            " This function is nested in another custom gradient: one gradient is due for each "
            "input of the INNER function. To give a gradient for the incoming dy as well, make dy "
            "an input: `def inner(x, dy)` returns a grad_fn with two results, one for x (the "
            "second order) and one for dy (the transpose)."
            if self._nested
            else ""
        )
        return (
            f"custom_gradient function expected to return {due} gradients, but returned {given} "
            f"instead. grad_fn ({place(self._grad_fn)}) belongs to {self._owner._name} "
            f"({place(self._owner._function)}), which was given {due} "
            f"tensor{'s' * (due != 1)} ({inputs}): return one gradient for each, in this order, "
            f"None where there is none.{words_for_nesting}"
        )

    def _from_jvp(self, gs: Results, xs: Results) -> list[Any]:
        """The forward rule, transposed: it is linear in the tangents."""
        assert self._owner._jvp is not None
        mine = list(xs[: self._inputs])
        tape = Tape()
        zeros = [words.zeros_like(x) for x in mine]
        for t in zeros:
            tape.watch(t)
        with also_listening(tape):
            pushed = self._owner._push(self._owner._jvp, zeros, mine, gs)
        pairs = [(p, g) for p, g in zip(pushed, gs, strict=True) if p is not None and g is not None]
        pulled = pull_back(tape, [p for p, _ in pairs], [g for _, g in pairs], zeros, drain=True)
        return [*pulled, *[None] * (len(xs) - len(mine))]


def custom_gradient(
    f: Callable[..., Any] | None = None,
    *,
    jvp: Callable[..., Any] | None = None,
    batch: Callable[..., Any] | None = None,
) -> Any:
    """Decorate a function that returns its result and, as a function, its gradient.

    `grad_fn(*dys)` receives the gradient of each result and returns one for each input. Where the
    function reads variables, it is `grad_fn(*dys, variables=None)` and returns
    `(grad_xs, grad_vars)`. grad_fn may be differentiated again, and may be a custom gradient
    itself.

    >>> @tf.custom_gradient
    ... def log1pexp(x):
    ...     e = tf.exp(x)
    ...     return tf.math.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))
    >>> x = tf.constant(100.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = log1pexp(x)
    >>> tape.gradient(y, x).numpy()
    np.float32(1.0)
    """
    if f is None:
        return lambda function: CustomGradient(function, jvp, batch)
    return CustomGradient(f, jvp, batch)


def grad_pass_through(f: Callable[..., Any]) -> Callable[..., Any]:
    """The function with the gradient of the identity.

    >>> x = tf.constant(2.4)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = tf.grad_pass_through(tf.round)(x)
    >>> y.numpy(), tape.gradient(y, x).numpy()
    (np.float32(2.0), np.float32(1.0))
    """

    @functools.wraps(f)
    def passing(*args: Any, **kwargs: Any) -> Any:
        def grad_fn(*dys: Any, variables: Any = None) -> Any:
            return dys if variables is None else (dys, [None] * len(variables))

        return f(*args, **kwargs), grad_fn

    return CustomGradient(passing)


def recompute_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """The function, computed a second time for its gradient instead of remembered.

    Between the two the tape holds the inputs only. Use it where memory is scarcer than time.

    >>> x = tf.constant(2.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = tf.recompute_grad(lambda v: v * v * v)(x)
    >>> tape.gradient(y, x).numpy()
    np.float32(12.0)
    """

    @functools.wraps(f)
    def forward_only(*args: Any, **kwargs: Any) -> Any:
        watcher = next(r for r in reversed(state.here.recorders) if isinstance(r, VariableWatcher))
        with listening(watcher):
            result = f(*args, **kwargs)

        def grad_fn(*dys: Any, variables: Sequence[Variable] | None = None) -> Any:
            return _recomputed(f, args, kwargs, dys, list(variables or []), variables is not None)

        return result, grad_fn

    return CustomGradient(forward_only)


def _recomputed(
    f: Callable[..., Any],
    args: Any,
    kwargs: dict[str, Any],
    dys: Sequence[Any],
    variables: list[Variable],
    with_variables: bool,
) -> Any:
    """Run the function again, on a tape of its own, and differentiate that."""
    tape = Tape()
    again = nest.map_structure(lambda v: identity(v) if _is_input(v) else v, list(args))
    inputs = [v for v in nest.flatten(again) if _is_input(v)]
    for value in (*inputs, *variables):
        tape.watch(value)
    with also_listening(tape):
        results = [convert(r) for r in nest.flatten(f(*again, **kwargs))]
    # dys are already in the user's convention, and what is returned must be too
    targets = [r for r in results if r.dtype.is_differentiable]
    seeds = [conjugated(convert(d)) for d in dys]
    pulled = [
        conjugated(g) for g in pull_back(tape, targets, seeds, [*inputs, *variables], drain=True)
    ]
    for_inputs, for_variables = pulled[: len(inputs)], pulled[len(inputs) :]
    return (for_inputs, for_variables) if with_variables else for_inputs
