"""tf.recompute_grad (gradient checkpointing) and tf.grad_pass_through."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from wengert.api.gradients.custom_gradient import CustomGradient, VariableWatcher
from wengert.api.gradients.user_gradient import (
    is_input,
    is_made_of_tensors,
    named_after,
    parts_of,
    parts_of_each,
    with_parts,
)
from wengert.core.context import listening, thread
from wengert.core.reverse import conjugate, pull_through
from wengert.inference.public_functions import made_of_function
from wengert.ops.arrays.identity import after
from wengert.ops.math.elementwise import zeros_like
from wengert.state.variable import Variable
from wengert.values import nest
from wengert.values.bound_ops import bound
from wengert.values.convert import convert
from wengert.values.symbolic import SymbolicTensor

if TYPE_CHECKING:
    from wengert.values.tensor import Tensor
    from wengert.values.value import Value


_SIGNATURE: Final = inspect.signature(lambda *dys, variables=None: dys)


def grad_pass_through(f: Callable[..., Any]) -> Callable[..., Any]:
    """The function with the gradient of the identity (a straight-through estimator).

    >>> x = tf.constant(2.4)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = tf.grad_pass_through(tf.round)(x)
    >>> y.numpy(), tape.gradient(y, x).numpy()
    (np.float32(2.0), np.float32(1.0))
    """

    def passing(*args: Value | None, **kwargs: Any) -> Any:
        def grad_fn(*dys: Tensor, variables: Sequence[Variable] | None = None) -> Any:
            return dys if variables is None else (dys, [None] * len(variables))

        # Errors name the user's function, which has not as many results as inputs.
        vars(grad_fn).update(__wrapped__=f, __signature__=_SIGNATURE)
        return f(*args, **kwargs), grad_fn

    named_after(passing, f)
    return CustomGradient(passing)


@made_of_function
def recompute_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """Gradient checkpointing: recompute the function for its gradient instead of storing results.

    Between the two the tape holds the inputs only. Use it where memory is scarcer than time.

    >>> x = tf.constant(2.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = tf.recompute_grad(lambda v: v * v * v)(x)
    >>> tape.gradient(y, x).numpy()
    np.float32(12.0)
    """

    def forward_only(*args: Value, **kwargs: Any) -> Any:
        watcher = next(
            r for r in reversed(thread.context.recorders) if isinstance(r, VariableWatcher)
        )
        with listening(watcher):
            result = f(*args, **kwargs)

        def grad_fn(*dys: Tensor, variables: Sequence[Variable] | None = None) -> Any:
            return _recomputed(f, args, kwargs, dys, list(variables or []), variables is not None)

        return result, grad_fn

    named_after(forward_only, f)
    vars(forward_only)["is_recomputed"] = True  # its derivative is that of the operations within
    checkpointed = CustomGradient(forward_only)
    vars(checkpointed)["__wrapped__"] = f  # the user's own: what is between is ours
    return checkpointed


def _recomputed(
    f: Callable[..., Any],
    args: Sequence[Value],
    kwargs: dict[str, Any],
    dys: Sequence[Any],
    variables: list[Variable],
    with_variables: bool,
) -> Any:
    """Run the function again, on a tape of its own, and differentiate that."""
    there = next((dy for dy in dys if isinstance(dy, SymbolicTensor)), None)
    again = nest.map_structure(
        lambda v: with_parts(v, iter([_later(part, there) for part in parts_of(v)])), list(args)
    )
    inputs = [v for v in parts_of_each(nest.flatten(again)) if is_input(v)]

    def results(*_: Tensor) -> list[Any]:
        made = [convert(r) for r in parts_of_each(nest.flatten(f(*again, **kwargs)))]
        return [r if r.dtype.is_differentiable else None for r in made]

    # dys are in the user's convention, and what is returned must be too
    seeds = [conjugate(convert(d)) for d in parts_of_each(dys)]
    pulled = pull_through(results, inputs, seeds, variables)
    gradients = [
        conjugate(_or_zeros(g, x)) for g, x in zip(pulled, [*inputs, *variables], strict=True)
    ]
    given, for_variables = iter(gradients[: len(inputs)]), gradients[len(inputs) :]
    leaves = [v for v in nest.flatten(again) if is_input(v) or is_made_of_tensors(v)]
    for_inputs = [with_parts(leaf, given) for leaf in leaves]
    return (for_inputs, for_variables) if with_variables else for_inputs


def _later(value: Value, there: SymbolicTensor | None) -> object:
    """A tensor whose users wait for another; what is no tensor waits for nothing."""
    return after(value, there) if is_input(value) else value


def _or_zeros(gradient: Any, x: Value) -> Any:
    """What nobody used has zeros here: the function is one operation, of which all inputs are used.

    And slices are added up, as TensorFlow does here.
    """
    return zeros_like(x) if gradient is None else bound.to_dense(gradient)
