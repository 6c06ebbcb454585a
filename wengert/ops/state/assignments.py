"""Operations on variables in graphs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.context import current_graph
from wengert.core.dispatch import apply
from wengert.core.row import NO_ATTRS, Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError, OutOfRangeError
from wengert.graph.operation import Operation
from wengert.ops.support.static_value import ENSURE_SHAPE
from wengert.values.shapes import shape_text
from wengert.values.symbolic import SymbolicTensor, is_certain
from wengert.values.tensor import dims, wrap

if TYPE_CHECKING:
    from wengert.state.cell import Cell
    from wengert.state.variable import Variable
    from wengert.values.tensor import Tensor
    from wengert.values.typing import Array, Namespace
    from wengert.values.value import Value

# ---- rows -------------------------------------------------------------------------------------


def _assign(_: Namespace, cell: Variable | Cell, value: Array) -> list[Any]:
    with cell._lock:
        cell._array = value
    return []


def _changed(verb: str, change: Callable[[Any, Any], Any]) -> Callable[..., list[Any]]:
    def step(_: Namespace, cell: Variable | Cell, value: Array) -> list[Any]:
        with cell._lock:
            before = cell._array
            if before.shape != value.shape:
                raise InvalidArgumentError(
                    f"Cannot update variable with shape {shape_text(before.shape)} using a Tensor with "
                    f"shape {shape_text(value.shape)}, shapes must be equal. [Op:{verb}VariableOp]"
                )
            cell._array = change(before, value)
        return []

    return step


def _assignment(name: str, step: Callable[..., Any]) -> Row:
    """An operation without a result. In shape inference it does nothing; a plan runs the step."""
    return op(
        name,
        lambda _, cell, value: [],
        step=step,
        inline=lambda inputs, attrs: _assign_now(name, inputs),
        many=True,
        effects=True,
    )


ASSIGN: Row = _assignment("AssignVariableOp", _assign)
ASSIGN_ADD: Row = _assignment("AssignAddVariableOp", _changed("AssignAdd", np.add))
ASSIGN_SUB: Row = _assignment("AssignSubVariableOp", _changed("AssignSub", np.subtract))
IS_INITIALIZED: Row = op(
    "VarIsInitializedOp",
    lambda _, cell: np.bool_(True),
    forms=lambda xs, attrs: [((), np.dtype(bool))],
    step=lambda _, cell: np.bool_(getattr(cell, "initialized", True)),
)
_ROWS: Final = {"assign": ASSIGN, "assign_add": ASSIGN_ADD, "assign_sub": ASSIGN_SUB}
_METHODS: Final = {row.name: method for method, row in _ROWS.items()}


def _assign_now(name: str, inputs: Sequence[Value]) -> list[Any]:
    """Assign a variable its value again; the handle of a session's one does so when the graph runs."""
    variable, value = inputs
    method = _METHODS[name]
    if isinstance(variable, SymbolicTensor):
        apply(_ROWS[method], inputs)
    else:
        getattr(variable, method)(value)
    return []


def assign_later(
    variable: Variable, method: str, value: Tensor, name: str | None = None
) -> Operation:
    """The operation of the graph under construction that changes a variable."""
    graph = current_graph()
    if method == "assign" and not is_certain(dims(value)):
        value = apply(ENSURE_SHAPE, (value,), {"shape": variable.shape})
    name = name or method.title().replace("_", "")
    apply(_ROWS[method], (variable, value), NO_ATTRS, name)
    changed: Operation = graph.operations[-1]
    return changed


def is_variable_initialized(variable: Value) -> Tensor:
    """Whether a variable has a value.

    >>> tf.compat.v1.is_variable_initialized(tf.Variable(1.0)).numpy()
    np.True_
    """
    result: Tensor = apply(IS_INITIALIZED, (variable,))
    return result


# ---- counting -----------------------------------------------------------------------------------


def _count(_: Namespace, cell: Variable | Cell, *, limit: int) -> Array:
    with cell._lock:
        before: Array = cell._array
        if before >= limit:
            raise OutOfRangeError(f"Reached limit of {limit} [Op:ResourceCountUpTo]")
        cell._array = before + before.dtype.type(1)
    return before


COUNT_UP_TO: Row = op(
    "ResourceCountUpTo",
    lambda _, cell, *, limit: cell,
    forms=lambda xs, attrs: [((), xs[0].dtype.numpy_dtype)],
    step=_count,
    effects=True,
)


def count_up_to(ref: Variable, limit: int, name: str | None = None) -> Tensor:
    """Add one to a variable, and return what it was before; an OutOfRangeError at the limit.

    >>> step = tf.Variable(0)
    >>> [tf.compat.v1.count_up_to(step, 2).numpy().item() for _ in range(2)], step.numpy().item()
    ([0, 1], 2)
    >>> tf.compat.v1.count_up_to(step, 2)
    Traceback (most recent call last):
    wengert.errors.OutOfRangeError: Reached limit of 2 [Op:ResourceCountUpTo]
    """
    if current_graph() is None:
        return wrap(_count(np, ref, limit=int(limit)))
    result: Tensor = apply(COUNT_UP_TO, (ref,), {"limit": int(limit)}, name)
    return result
