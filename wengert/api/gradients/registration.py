"""tf.RegisterGradient: gradients by operation type; and operations written in Python."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.api.gradients.user_gradient import signature_of
from wengert.core.dispatch import apply
from wengert.core.row import Attrs, place
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.host.user_frames import callers_place
from wengert.overrides.argument_forms import called
from wengert.overrides.registered_gradients import (
    GRADIENTS,
    add_gradient,
    gradient_of,
    missing_gradient,
)
from wengert.overrides.row_override import operation_of
from wengert.values.convert import as_array, convert

if TYPE_CHECKING:
    from wengert.values.typing import Array, Namespace, TensorLike


class RegisterGradient:
    """Decorator that registers a function `(op, *grads)` as the gradient of an operation type.

    >>> @tf.register_op("DoublePlusOne")
    ... def double_plus_one(x):
    ...     return 2 * x + 1
    >>> @tf.RegisterGradient("DoublePlusOne")
    ... def _double_plus_one_grad(op, grad):
    ...     return 2.0 * grad
    >>> x = tf.constant(5.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = double_plus_one(x)
    >>> y.numpy(), tape.gradient(y, x).numpy()
    (np.float32(11.0), np.float32(2.0))
    """

    def __init__(self, op_type: str) -> None:
        self._op_type = _checked_name(op_type)

    def __call__(self, f: Callable[..., Any]) -> Callable[..., Any]:
        """Register `f` as the gradient function of the operation type."""
        _check_gradient_function(self._op_type, f)
        add_gradient(self._op_type, f, place(f))
        return f


def _checked_name(op_type: int | str) -> str:
    if not isinstance(op_type, str):
        raise TypeError(f"op_type must be a string, got {op_type!r}")
    return op_type


def _check_gradient_function(op_type: str, f: Callable[..., Any]) -> None:
    """Find a wrong signature when it is registered, not when it is first used."""
    if not callable(f):
        raise TypeError(f"The gradient of '{op_type}' must be a function (op, *grads), got {f!r}.")
    signature = signature_of(f)
    if signature is None:
        return
    kinds = [p.kind for p in signature.parameters.values()]
    positional = sum(k in (k.POSITIONAL_ONLY, k.POSITIONAL_OR_KEYWORD) for k in kinds)
    if positional < 2 and not any(k is k.VAR_POSITIONAL for k in kinds):
        raise TypeError(
            f"The gradient of '{op_type}' ({place(f)}) must accept the operation and the "
            f"gradient of each of its results: `def f(op, *grads)`, not {signature}."
        )


def no_gradient(op_type: str) -> None:
    """Declare that an operation type is not differentiable: gradients that reach it stop there.

    >>> tf.no_gradient("CountCalls")
    """
    add_gradient(_checked_name(op_type), None, callers_place())


NotDifferentiable = no_gradient

# ---- operations written in Python -------------------------------------------------------------


def register_op(
    name: str,
    forward: Callable[..., Any] | None = None,
    *,
    outputs: int = 1,
) -> Callable[..., Any]:
    """Define an operation by a Python function of NumPy arrays.

    The function receives arrays, which it must not change, and returns an array, or a list of
    `outputs` arrays. Keyword arguments of a call are its attributes. Its gradient is the function
    registered with `tf.RegisterGradient(name)`.

    >>> @tf.register_op("Cube")
    ... def cube(x):
    ...     return x ** 3
    >>> cube([1.0, 2.0]).numpy().tolist()
    [1.0, 8.0]
    """
    if forward is None:
        return lambda function: register_op(name, function, outputs=outputs)
    kernel = _kernel_of(_checked_name(name), forward, outputs)
    row = op(
        name, kernel, joint=_RegisteredRule(name), many=outputs != 1, users=True, passes_slices=True
    )

    @functools.wraps(forward)
    def operation(*inputs: TensorLike, **attrs: Any) -> Any:
        return apply(row, [convert(x) for x in inputs], attrs)

    return operation


def _kernel_of(name: str, forward: Callable[..., Any], outputs: int) -> Callable[..., Any]:
    @functools.wraps(forward)
    def kernel(_: Namespace, *arrays: Array, **attrs: Any) -> Array | list[Array]:
        result = forward(*[read_only(a) for a in arrays], **attrs)
        if outputs == 1:
            return as_array(result)
        if not isinstance(result, (list, tuple)) or len(result) != outputs:
            count = len(result) if isinstance(result, (list, tuple)) else 1
            raise InvalidArgumentError(
                f"Operation '{name}' ({place(forward)}) returned {count} values, but was "
                f"registered with outputs={outputs} [Op:{name}]"
            )
        return [as_array(r) for r in result]

    return kernel


def read_only(array: Array) -> Array:
    """A view that the user's function cannot write to."""
    view = np.asarray(array).view()
    view.flags.writeable = False
    return view


class _RegisteredRule:
    """The gradient registered for a type, looked up when needed: it may come after the call."""

    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def __wrapped__(self) -> Callable[..., Any] | None:
        """So that errors name the user's line."""
        return gradient_of(self._name).function

    def __call__(
        self, gs: Sequence[Any], ys: Sequence[Any], xs: Sequence[Any], attrs: Attrs
    ) -> Any:
        op = operation_of(self._name, xs, ys, attrs)
        if self._name not in GRADIENTS:
            raise missing_gradient(self._name, op.name, op.place)
        function = GRADIENTS[self._name].function
        return [None] * len(xs) if function is None else called(function, op, gs, len(xs))
