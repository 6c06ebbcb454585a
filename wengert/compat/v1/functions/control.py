"""Branches, loops and Python functions in tf.compat.v1."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any, Final

from wengert.api.function import python_functions
from wengert.compat.v1.functions.arguments import one_of
from wengert.core.context import current_graph, is_replaced
from wengert.core.dispatch import apply
from wengert.core.row import EachInput, Row
from wengert.core.table import ASIDE
from wengert.errors import InvalidArgumentError
from wengert.ops.arrays.identity import identity
from wengert.ops.arrays.shaping import reshape
from wengert.ops.control.cond import cond as cond_now
from wengert.ops.control.effects import print_, tuple_, with_dependencies
from wengert.ops.control.while_loop import while_loop as while_loop_now
from wengert.ops.math import comparison
from wengert.ops.support.declare import convert_alike
from wengert.values import nest
from wengert.values.convert import convert
from wengert.values.dtypes import bool_
from wengert.values.tensor import Tensor, dims


def cond(
    pred: Any,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    strict: bool = False,
    name: str | None = None,
    fn1: Callable[[], Any] | None = None,
    fn2: Callable[[], Any] | None = None,
) -> Any:
    """tf.cond with the arguments of version 1.

    >>> tf.compat.v1.cond(tf.constant(True), fn1=lambda: 1.0, fn2=lambda: 2.0)
    1.0
    """
    first = _function("true_fn", true_fn, "fn1", fn1)
    second = _function("false_fn", false_fn, "fn2", fn2)
    return cond_now(pred, first, second, name=name)


def _function(new_name: str, new: Any, old_name: str, old: Any) -> Any:
    if new is not None and old is not None:
        raise TypeError(f"cond(): '{new_name}' and '{old_name}' may not be set simultaneously.")
    function = one_of(new_name, new, old_name, old)
    if function is None:
        raise TypeError(f"cond(): '{new_name}' argument required")
    return function


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """x where the condition holds and y elsewhere; a vector of conditions selects rows.

    >>> tf.compat.v1.where([True, False], [[1, 2], [3, 4]], [[5, 6], [7, 8]]).numpy().tolist()
    [[1, 2], [7, 8]]
    """
    if x is None or y is None or any(map(nest.is_composite, (condition, x, y))):
        return comparison.where(condition, x, y, name=name)
    chosen, (first, second) = convert(condition), convert_alike("Select", x, y)
    _check_alike(chosen.shape, first.shape, second.shape)
    if chosen.shape.rank == 1 and (first.shape.rank or 0) > 1:
        chosen = reshape(chosen, (-1, *[1] * (len(dims(first)) - 1)))
    return comparison.where(chosen, first, second, name=name)


def _check_alike(condition: Any, x: Any, y: Any) -> None:
    """Check the shapes: there is no broadcasting here."""
    if not x.is_compatible_with(y):
        raise InvalidArgumentError(
            f"Inputs to operation Select must have the same size and shape: {x} and {y}. "
            "tf.where of version 2 broadcasts them. [Op:Select]"
        )
    rows = condition.rank == 1 and x.rank and condition.is_compatible_with(x[:1])
    if condition.rank != 0 and not rows and not condition.is_compatible_with(x):
        raise InvalidArgumentError(
            "Inputs to operation Select of type Select must have the same size and shape. "
            f"Input 0: {condition} != input 1: {x}. tf.where of version 2 broadcasts them. "
            "[Op:Select]"
        )


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
    maximum_iterations: Any = None,
    return_same_structure: bool = False,
) -> Any:
    """tf.while_loop, which returns a single loop variable by itself.

    >>> tf.compat.v1.while_loop(lambda i: i < 10, lambda i: i + 3, [0]).numpy().item()
    12
    """
    result = while_loop_now(
        cond if current_graph() is None else _of_truths(cond),
        body,
        loop_vars,
        shape_invariants,
        parallel_iterations,
        back_prop,
        swap_memory,
        maximum_iterations,
        name,
    )
    if return_same_structure or len(nest.flatten(loop_vars)) > 1:
        return result
    return nest.flatten(result)[0]


def _of_truths(cond: Callable[..., Any]) -> Any:
    """A condition of a loop in a graph, whose result must be a boolean."""
    if not callable(cond):
        return cond

    @functools.wraps(cond)
    def checked(*loop_vars: Any) -> Any:
        found = cond(*loop_vars)
        if isinstance(found, Tensor) and found.dtype != bool_:
            raise TypeError(
                f"Input 'input' of 'LoopCond' Op has type {found.dtype.name} that does not match "
                "expected type of bool."
            )
        return found

    return checked


def py_func(
    func: Callable[..., Any],
    inp: Any,
    Tout: Any,  # noqa: N803
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """Call a function of NumPy arrays. No gradient flows through it.

    >>> tf.compat.v1.py_func(np.sinh, [tf.constant(0.0)], tf.float32).numpy()
    np.float32(0.0)
    """
    made = python_functions.numpy_function(func, inp, Tout, stateful, name)
    graph = current_graph()
    return made if graph is None or len(nest.flatten(Tout)) else graph.operations[-1]


def Print(  # noqa: N802
    input_: Any,
    data: Any,
    message: str | None = None,
    first_n: int | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Any:
    """The same tensor, which prints the data when it is computed.

    >>> x = tf.compat.v1.Print(tf.constant(1.0), [tf.constant([1, 2])], "data: ")
    >>> x.numpy()
    np.float32(1.0)
    """
    done = print_(
        *([message] if message else []),
        *[convert(d) for d in data],
        sep="",
        output_stream=sys.stderr,
        summarize=3 if summarize is None else summarize,
    )
    x = convert(input_)
    if is_replaced(PRINT.name):
        x = apply(PRINT, (x, *[convert(d) for d in data]))
    if current_graph() is None:
        return identity(x)
    return with_dependencies([done], x, name)


# The first of its inputs: for those who replace the gradient that it has in TensorFlow.
PRINT: Final = Row(
    "Print",
    lambda _, x, *data: x,
    vjp=EachInput(lambda i, g, y, *xs: None if i else g),
    shape=lambda x, *data: x,
)
ASIDE[PRINT.name] = PRINT


def tuple(tensors: Any, name: str | None = None, control_inputs: Any = None) -> list[Any]:
    """tf.tuple with the arguments of version 1.

    >>> [t.numpy().item() for t in tf.compat.v1.tuple([tf.constant(1), tf.constant(2)])]
    [1, 2]
    """
    return tuple_(tensors, control_inputs, name)
