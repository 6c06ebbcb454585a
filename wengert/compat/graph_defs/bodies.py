"""The attributes of branches and loops: their functions by name, and what they take and give."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from wengert.formats.protos import message
from wengert.graph.operation import Operation
from wengert.values.dtypes import bool_


def attribute_of_bodies(op: Operation, name: str) -> Any:
    """An attribute of an operation that runs graphs; None if it has no such attribute."""
    rule = _RULES.get(op.row.name, {}).get(name)
    return None if rule is None else rule(op)


def _named(op: Operation, which: str) -> Any:
    """The name of a function of an operation: TensorFlow names them after the operation, by a number."""
    name = f"{op.name}_{which}_{op.graph.operations.index(op)}".replace("/", "_")
    return message("NameAttrList")(name=name)


def _branches(op: Operation) -> list[Any]:
    return [_named(op, f"branch{at}") for at in range(len(op.row.graphs))]


def _dtypes(tensors: Any) -> list[Any]:
    return [x.dtype for x in tensors]


Rules = dict[str, Callable[[Operation], Any]]
_OF_BRANCHES: Final[Rules] = {
    "Tin": lambda op: _dtypes(op.inputs[1:]),
    "Tout": lambda op: _dtypes(op.outputs),
    "output_shapes": lambda op: [y.shape for y in op.outputs],
    "_lower_using_switch_merge": lambda op: True,
}
_RULES: Final[dict[str, Rules]] = {
    "If": {
        **_OF_BRANCHES,
        "Tcond": lambda op: bool_,
        "then_branch": lambda op: _named(op, "true"),
        "else_branch": lambda op: _named(op, "false"),
    },
    "Case": {**_OF_BRANCHES, "branches": _branches},
    "While": {
        "T": lambda op: _dtypes(op.inputs),
        "output_shapes": lambda op: [y.shape for y in op.outputs],
        "body": lambda op: _named(op, "body"),
        "cond": lambda op: _named(op, "cond"),
        "parallel_iterations": lambda op: op.row.bodies.parallel_iterations,
        "_lower_using_switch_merge": lambda op: True,
        "_num_original_outputs": lambda op: len(op.row.bodies.carried),
    },
}
