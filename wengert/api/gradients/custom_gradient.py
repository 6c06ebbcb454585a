"""tf.custom_gradient: functions with a hand-written gradient."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Sequence
from typing import Any, overload

from wengert.api.gradients.user_forward_rule import ForwardRule
from wengert.api.gradients.user_gradient import (
    Call,
    GradFn,
    Results,
    accepts_variables,
    depth,
    inside_custom_gradient,
    is_input,
    is_made_of_tensors,
    named_after,
    parts_of_each,
    signature_of,
    with_parts,
)
from wengert.core.batch import Batched, Batcher
from wengert.core.context import also_listening, announce, current_graph, note_access, thread
from wengert.core.layer import beneath_layers
from wengert.core.recorder import Recorder
from wengert.core.row import Attrs, Row, place
from wengert.errors import CustomGradientError
from wengert.ops.arrays.identity import identity
from wengert.state.variable import Variable
from wengert.values import nest
from wengert.values.convert import convert
from wengert.values.tensor import Tensor, key_of
from wengert.values.value import Key


class VariableWatcher(Recorder):
    """Collects the trainable variables that are read, in the order of their first use."""

    def __init__(self) -> None:
        self.variables: dict[Key, Variable] = {}

    def accessed(self, variable: Variable) -> None:
        """Note a variable that was read, if it is trainable."""
        if variable.trainable:
            self.variables.setdefault(key_of(variable), variable)


class CustomGradient:
    """A function together with its gradient; what `tf.custom_gradient` returns.

    `defjvp` adds a rule for forward mode, `defbatch` one for many examples at once. A rule that
    is missing is derived from those that are there.
    """

    __name__: str

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
        self._signature = signature_of(function)
        named_after(self, function)
        self.__original_wrapped__ = function  # as TensorFlow's decorators call it

    def __get__(self, instance: object, owner: Any = None) -> Callable[..., Any]:
        return self if instance is None else functools.partial(self, instance)

    def of(self, function: Callable[..., Any]) -> CustomGradient:
        """The same with another function: the same one, prepared to be traced."""
        other = copy.copy(self)
        other._function = function
        return other

    def __repr__(self) -> str:
        return f"<custom gradient of {self._name} at {place(self._function)}>"

    def defjvp(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """Set the forward-mode rule: `rule(primals, tangents)` returns the tangents of the results.

        Both arguments are lists with an entry for each tensor that the function was given. A
        tangent that is missing is passed as zeros.
        """
        self._jvp = rule
        return rule

    def defbatch(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """Set the batching rule.

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
        """Run the function, and record `grad_fn` as the gradient of its result."""
        call = self._bound(args, kwargs)
        batcher = _batcher_of(call.inputs)
        if (
            self._batch is not None
            and batcher is not None
            and not any(is_made_of_tensors(v) for v in call.leaves)
        ):
            return self._call_batched(call, batcher)
        nested = depth.now > 0
        watcher = VariableWatcher()
        with also_listening(watcher), inside_custom_gradient():
            result, grad_fn = self._run(self._function, call)
        for variable in watcher.variables.values():
            note_access(variable)  # where the function stopped a tape's recording, it does not know
        leaves = nest.flatten(result)
        results = [convert(identity(r)) for r in parts_of_each(leaves)]
        inputs, variables = self._inputs(call, watcher)
        self._check_variables(grad_fn, variables)
        row = self._row(grad_fn, call, result, variables, nested)
        told = iter(announce(row, [*inputs, *variables], {}, results))
        return nest.pack_sequence_as(result, [with_parts(leaf, told) for leaf in leaves])

    def _bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
        """A tensor passed by keyword to a positional parameter is that parameter."""
        if self._signature is not None:
            bound = self._signature.bind(*args, **kwargs)
            bound.apply_defaults()
            args, kwargs = bound.args, bound.kwargs
        if current_graph() is not None:
            args = nest.map_structure(_read, args)
        leaves = nest.flatten(args)
        return Call(
            args,
            kwargs,
            leaves,
            [v for v in leaves if is_input(v) or is_made_of_tensors(v)],
            [v for v in nest.flatten(kwargs) if isinstance(v, (Tensor, Variable))],
        )

    def _run(self, function: Callable[..., Any], call: Call) -> tuple[Any, Callable[..., Any]]:
        returned = function(*call.args, **call.kwargs)
        if not isinstance(returned, (tuple, list)) or len(returned) != 2:
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

    def _inputs(self, call: Call, watcher: VariableWatcher) -> tuple[list[Any], list[Variable]]:
        inputs = [v if isinstance(v, (Tensor, Variable)) else convert(v) for v in call.inputs]
        passed = {id(v) for v in inputs}
        return inputs, [_resource(v) for v in watcher.variables.values() if id(v) not in passed]

    def _check_variables(
        self, grad_fn: Callable[..., Any] | None, variables: list[Variable]
    ) -> None:
        if variables and grad_fn is not None and not accepts_variables(grad_fn):
            names = [v.name for v in variables]
            raise CustomGradientError(
                "@tf.custom_gradient grad_fn must accept keyword argument 'variables', since "
                f"function uses variables: {names}. Write `def grad_fn(*dys, variables=None)` at "
                f"{place(grad_fn)} and return (gradients of the inputs, gradients of the "
                "variables)."
            )

    def _row(
        self,
        grad_fn: Any,
        call: Call,
        result: object,
        variables: list[Variable],
        nested: bool,
    ) -> Row:
        """The operation that this call was."""
        forward = None
        if self._jvp is not None:
            forward = ForwardRule(self._name, self._jvp, len(call.inputs))
        joint: Any = (
            forward.pull
            if grad_fn is None and forward is not None
            else GradFn(self._name, self._function, grad_fn, call, result, variables, nested)
        )
        return Row(
            f"custom_gradient {self._name}",
            self._function,
            called="IdentityN",
            joint=joint,
            joint_jvp=None if forward is None else forward.push,
            many=True,
            users=True,
            passes_slices=True,
        )

    # ---- a call for a batch ------------------------------------------------------------------

    def _call_batched(self, call: Call, batcher: Batcher) -> Tensor:
        """The batch rule, outside the batch, with a batch of every tensor."""
        assert self._batch is not None
        inputs = [v if isinstance(v, Tensor) else convert(v) for v in call.inputs]
        with batcher.outside(), inside_custom_gradient():
            fulls = iter([batcher.full(v) for v in inputs])
            full_args = nest.map_structure(
                lambda v: next(fulls) if is_input(v) else v, list(call.args)
            )
            full_call = call._replace(args=tuple(full_args))
            result, grad_fn = self._run(self._batch, full_call)
            full_results = [convert(identity(r)) for r in nest.flatten(result)]
        results: list[Tensor] = [batcher.lift(r) for r in full_results]
        full_row = self._row(grad_fn, full_call, result, [], depth.now > 0)
        for recorder in thread.context.recorders:
            recorder.record(_row_of_one(full_row, batcher), inputs, {}, results)
        with batcher.outside():
            announce(full_row, [batcher.full(v) for v in inputs], {}, full_results)
        found: Tensor = nest.pack_sequence_as(result, results)
        return found


def _resource(variable: Variable) -> Variable:
    if not getattr(variable, "uses_resource", True):
        raise TypeError(
            "All variables used by a function wrapped with @custom_gradient must be "
            "`ResourceVariable`s. Ensure that no `variable_scope` is created with "
            f"`use_resource=False`. Variable '{variable.name}' was."
        )
    return variable


def _row_of_one(full_row: Row, batcher: Batcher) -> Row:
    """The operation on one example, whose gradient is that of all of them at once."""

    def joint(gs: Results, ys: Results, xs: Results, attrs: Attrs) -> list[Any]:
        assert full_row.joint is not None
        with batcher.outside(*thread.context.recorders):
            full_gs = [None if g is None else batcher.full(g) for g in gs]
            pulled = full_row.joint(full_gs, ys, xs, attrs)
        return [None if p is None else batcher.lift(p) for p in pulled]

    return full_row.replace(joint=joint, joint_jvp=None)


def _batcher_of(inputs: Sequence[Any]) -> Batcher | None:
    active = beneath_layers(thread.context.interpreter)
    if isinstance(active, Batcher) and any(
        isinstance(v, Batched) and active.holds(v) for v in inputs
    ):
        return active
    return None


@overload
def custom_gradient(
    f: Callable[..., Any],
    *,
    jvp: Callable[..., Any] | None = ...,
    batch: Callable[..., Any] | None = ...,
) -> CustomGradient: ...
@overload
def custom_gradient(
    f: None = None,
    *,
    jvp: Callable[..., Any] | None = ...,
    batch: Callable[..., Any] | None = ...,
) -> Callable[[Callable[..., Any]], CustomGradient]: ...
def custom_gradient(
    f: Callable[..., Any] | None = None,
    *,
    jvp: Callable[..., Any] | None = None,
    batch: Callable[..., Any] | None = None,
) -> CustomGradient | Callable[[Callable[..., Any]], CustomGradient]:
    """Decorate a function that returns its result and a function `grad_fn`, its gradient.

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


def _read(value: Any) -> Any:
    """The value of a library's variable: it is an argument, and no variable that the function reads."""
    return convert(value) if hasattr(type(value), "_should_act_as_resource_variable") else value
