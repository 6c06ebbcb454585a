"""Variables: read, replaced and changed while a plan is traced; they are written when it has run."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np

from wengert.core.row import Attrs, Row
from wengert.engines.xla.backend import jnp
from wengert.engines.xla.tracing import AskReferenceError, Trace
from wengert.engines.xla.versions import version, whole
from wengert.errors import InvalidArgumentError
from wengert.graph.operation import Operation
from wengert.ops.arrays.gathering import GATHER, GATHER_ND
from wengert.values.shapes import shape_text


@version("ReadVariableOp")
def _read(cell: Any) -> Any:
    found = getattr(cell, "_array", cell)
    if found is None:  # it has no value yet
        raise AskReferenceError
    return found


def _gathering(row: Row, attrs: Attrs) -> Callable[..., Any]:
    """Gathering from a variable is gathering from its value."""

    def gathered(trace: Trace, op: Operation, inputs: Any) -> Any:
        plain = copy(op)
        plain.row, plain.attrs = row, attrs
        return trace.made(plain, [_read(inputs[0]), inputs[1]])

    return gathered


whole("ResourceGather")(_gathering(GATHER, {"axis": 0, "batch_dims": 0}))
whole("ResourceGatherNd")(_gathering(GATHER_ND, {"batch_dims": 0}))


@version("VarIsInitializedOp")
def _is_initialized(cell: Any) -> Any:
    return np.bool_(getattr(cell, "initialized", True))


@version("AssignVariableOp")
def _assign(cell: Any, value: Any) -> list[Any]:
    cell._array = value
    return []


def _changed(verb: str, change: Callable[[Any, Any], Any]) -> Callable[..., list[Any]]:
    def step(cell: Any, value: Any) -> list[Any]:
        before = cell._array
        if np.shape(before) != np.shape(value):
            raise InvalidArgumentError(
                f"Cannot update variable with shape {shape_text(np.shape(before))} using a Tensor "
                f"with shape {shape_text(np.shape(value))}, shapes must be equal. "
                f"[Op:{verb}VariableOp]"
            )
        cell._array = change(jnp.asarray(before), value)
        return []

    return step


version("AssignAddVariableOp")(_changed("AssignAdd", lambda a, b: a + b))
version("AssignSubVariableOp")(_changed("AssignSub", lambda a, b: a - b))


@whole("ResourceCountUpTo")
def _count(trace: Trace, op: Operation, inputs: Any) -> Any:
    cell = inputs[0]
    before = jnp.asarray(cell._array)
    trace.check(before >= op.attrs["limit"])
    cell._array = before + before.dtype.type(1)
    return before
