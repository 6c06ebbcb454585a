"""User-defined grad_fn: what it is given, and checks of what it returns."""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from wengert.core.contract import describe
from wengert.core.row import Attrs, place
from wengert.errors import CustomGradientError, GradientCountError
from wengert.state.variable import Variable
from wengert.values import nest
from wengert.values.bound_ops import bound
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.tensor import Tensor
from wengert.values.type_spec import TypeSpec

if TYPE_CHECKING:
    from wengert.values.typing import TensorLike

Results = Sequence[Any]


class _Depth(threading.local):
    """How many custom gradients this thread is inside of."""

    now = 0


depth = _Depth()


@contextmanager
def inside_custom_gradient() -> Iterator[None]:
    """Mark what runs inside as part of a custom gradient, so that nested ones are recognized."""
    depth.now += 1
    try:
        yield
    finally:
        depth.now -= 1


class Call(NamedTuple):
    """One call: what was passed, and which of it are inputs of the differentiated function."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    leaves: list[Any]  # of the positional arguments
    positional: list[Any]  # those of the leaves that are inputs, or are made of such
    keyword: list[Any]  # tensors passed to keyword-only parameters

    @property
    def inputs(self) -> list[Any]:
        """The inputs of the differentiated function: the positional ones, then those by keyword."""
        return [*parts_of_each(self.positional), *self.keyword]


def is_input(value: Any) -> bool:
    """Whether an argument is an input to differentiate: a tensor, a variable or an array."""
    return isinstance(value, (Tensor, Variable, np.ndarray, np.generic))


def is_made_of_tensors(value: object) -> bool:
    """Whether it is an input, or a result, by some of the tensors that it is made of.

    IndexedSlices are not: they stand for one tensor, as its gradient.
    """
    return nest.is_composite(value) and not isinstance(value, (IndexedSlices, TypeSpec))


def parts_of(value: object) -> list[Any]:
    """The value itself; of one made of tensors, what is differentiated of it."""
    return nest.differentiated(value) if is_made_of_tensors(value) else [value]


def parts_of_each(values: Sequence[Any]) -> list[Any]:
    """The parts of all values, one after the other."""
    return [part for value in values for part in parts_of(value)]


def with_parts(value: object, parts: Iterator[Any]) -> Any:
    """The same with other parts, which it takes from the iterator."""
    if not is_made_of_tensors(value):
        return next(parts)
    return nest.with_gradients(value, [next(parts) for _ in parts_of(value)])


def signature_of(function: Callable[..., Any]) -> inspect.Signature | None:
    """The signature of a function; None for built-ins that have none.

    And for NumPy's ufuncs, of whose parameters not all may be given: not even what they are by default.
    """
    if isinstance(inspect.unwrap(function), np.ufunc):
        return None
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):  # a built-in without one
        return None


def named_after(wrapper: Callable[..., Any], function: Callable[..., Any]) -> None:
    """Give a wrapper the name, docstring and attributes of the function it calls.

    What the wrapper or its class defines stays. Of a callable object no attributes are taken:
    they are its fields.
    """
    functools.update_wrapper(wrapper, function, updated=())
    if not inspect.isfunction(function):
        return
    own = vars(wrapper)
    for name, value in vars(function).items():
        if name not in own and not hasattr(type(wrapper), name):
            own[name] = value


def accepts_variables(grad_fn: Callable[..., Any]) -> bool:
    """Whether a grad_fn has a `variables` argument, or cannot be inspected."""
    signature = signature_of(grad_fn)
    return signature is None or any(
        p.name == "variables" or p.kind is p.VAR_KEYWORD for p in signature.parameters.values()
    )


def _requires_variables(grad_fn: Callable[..., Any]) -> bool:
    """Whether grad_fn takes `variables` and has no default for it."""
    signature = signature_of(grad_fn)
    parameter = None if signature is None else signature.parameters.get("variables")
    return parameter is not None and parameter.default is parameter.empty


def _is_nothing(value: TensorLike) -> bool:
    return value is None or (isinstance(value, (list, tuple)) and not value)


class GradFn:
    """A user's grad_fn as a joint gradient rule, with checks of what it returns."""

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        grad_fn: Callable[..., Any],
        call: Call,
        result: object,
        variables: list[Variable],
        nested: bool,
    ) -> None:
        self._owner = f"{name} ({place(function)})"
        self._grad_fn = grad_fn
        # Keep only what maps gradients to inputs: it is the record that keeps the arguments.
        self._parts = [len(parts_of(v)) for v in call.positional]
        self._is_input = [is_input(v) or is_made_of_tensors(v) for v in call.leaves]
        self._positional = len(call.positional)
        self._results = [v if is_made_of_tensors(v) else None for v in nest.flatten(result)]
        self._keyword = len(call.keyword)
        self._variables = variables
        self._nested = nested
        self.__wrapped__ = grad_fn  # errors name the user's line

    def __call__(self, gs: Results, ys: Results, xs: Results, attrs: Attrs) -> list[Any]:
        """The gradients for the inputs, then those for the variables, from the cotangents `gs`."""
        # A result that is an integer has no cotangent; as in TensorFlow, zeros stand in its place.
        given = iter([bound.zeros_like(y) if g is None else g for g, y in zip(gs, ys, strict=True)])
        dys = [with_parts(y, given) for y in self._results]
        with inside_custom_gradient():
            for_inputs, for_variables = self._call(dys)
        return [*self._of_parts(self._matched(for_inputs, xs)), *for_variables]

    def _of_parts(self, given: list[Any]) -> list[Any]:
        """The gradients of the parts of inputs that are made of tensors, in place of theirs."""
        found: list[Any] = []
        for i, g in enumerate(given):
            one = i >= self._positional or self._parts[i] == 1
            found += [None] * self._parts[i] if g is None and not one else parts_of(g)
        return found

    def _call(self, dys: list[Any]) -> tuple[list[Any], list[Any]]:
        """The gradients of the inputs and of the variables, both flat."""
        if self._variables:
            return self._with_variables(self._grad_fn(*dys, variables=list(self._variables)))
        if _requires_variables(self._grad_fn):
            returned = self._grad_fn(*dys, variables=[])
            if isinstance(returned, tuple) and len(returned) == 2 and _is_nothing(returned[1]):
                returned = returned[0]
            return nest.flatten(returned), []
        return nest.flatten(self._grad_fn(*dys)), []

    def _with_variables(self, returned: TensorLike) -> tuple[list[Any], list[Any]]:
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
            f"instead. grad_fn ({place(self._grad_fn)}) belongs to {self._owner}, "
            f"which was given {due} "
            f"tensor{'s' * (due != 1)} ({inputs}): return one gradient for each, in this order, "
            f"None where there is none.{words_for_nesting}"
        )
