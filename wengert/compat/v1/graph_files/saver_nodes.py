"""The nodes by which a graph in a file saves and restores its variables.

A Saver here needs no nodes, as it reads and writes files itself. TensorFlow's has them in the graph, and a program
that imports the graph runs them; so they are written into the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import numpy as np

from wengert.api.variables.partitioned_variable import PartitionedVariable
from wengert.api.variables.variable_def import read_name
from wengert.compat.graph_defs.nodes import attr_value
from wengert.compat.graph_defs.protos import message
from wengert.compat.graph_defs.tensors import make_tensor_proto
from wengert.saving.saver import Saved, parts_of_whole
from wengert.values.dtypes import string

_V2: Final = 2  # the version of the form of checkpoints


def with_reads(graph_def: Any, variables: Iterable[Any]) -> None:
    """Add the nodes that read variables, where the graph has none yet."""
    there = {node.name for node in graph_def.node}
    for variable in variables:
        name = read_name(variable).partition(":")[0]
        if name not in there:
            there.add(name)
            attrs = {"dtype": variable.dtype}
            _add(graph_def, name, "ReadVariableOp", [variable.op.name], attrs)


def with_saver(graph_def: Any, saved: Mapping[str, Saved], max_to_keep: int, hours: float) -> Any:
    """Add the nodes that save and restore these variables; returns what describes them: SaverDef."""
    scope = _free_name({node.name.partition("/")[0] for node in graph_def.node})
    pieces = [piece for item in sorted(saved.items()) for piece in _pieces(*item)]
    with_reads(graph_def, [variable for _, _, variable in pieces])
    make = lambda name, kind, inputs, attrs: _add(  # noqa: E731
        graph_def, f"{scope}/{name}", kind, inputs, attrs
    )
    filename = _filename(make)
    _save(make, filename, pieces)
    _restore(make, filename, pieces)
    return message("SaverDef")(
        filename_tensor_name=f"{filename}:0",
        save_tensor_name=f"{scope}/control_dependency:0",
        restore_op_name=f"{scope}/restore_all",
        max_to_keep=max_to_keep,
        keep_checkpoint_every_n_hours=hours,
        version=_V2,
    )


_Piece = tuple[str, str, Any]  # the name in the checkpoint, which part of it, the variable
_Make = Callable[[str, str, list[str], dict[str, Any]], str]


def _pieces(name: str, saved: Saved) -> list[_Piece]:
    if not isinstance(saved, PartitionedVariable):
        return [(name, "", saved)]
    shape = " ".join(str(n) for n in saved.shape.as_list())
    return [
        (name, f"{shape} {':'.join('-' if n < 0 else f'{a},{n}' for a, n in extents)}", part)
        for part, extents in parts_of_whole(saved)
    ]


def _filename(make: _Make) -> str:
    model = make("filename/input", "Const", [], {"value": b"model", "dtype": string})
    name = make("filename", "PlaceholderWithDefault", [model], {"dtype": string, "shape": None})
    return make("Const", "PlaceholderWithDefault", [name], {"dtype": string, "shape": None})


def _save(make: _Make, filename: str, pieces: list[_Piece]) -> None:
    names, parts = _said(make, "SaveV2", pieces)
    values = [read_name(v).partition(":")[0] for _, _, v in pieces]
    types = [v.dtype for _, _, v in pieces]
    save = make("SaveV2", "SaveV2", [filename, names, parts, *values], {"dtypes": types})
    make("control_dependency", "Identity", [filename, f"^{save}"], {"T": string})


def _restore(make: _Make, filename: str, pieces: list[_Piece]) -> None:
    names, parts = _said(make, "RestoreV2", pieces)
    types = [v.dtype for _, _, v in pieces]
    restore = make("RestoreV2", "RestoreV2", [filename, names, parts], {"dtypes": types})
    assigned = []
    for n, (_, _, variable) in enumerate(pieces):
        value = f"{restore}:{n}" if n else restore
        inputs, attrs = [variable.op.name, value], {"dtype": variable.dtype}
        mark = f"_{n}" if n else ""
        assigned.append(make(f"AssignVariableOp{mark}", "AssignVariableOp", inputs, attrs))
    make("restore_all", "NoOp", [f"^{name}" for name in assigned], {})


def _said(make: _Make, of: str, pieces: list[_Piece]) -> tuple[str, str]:
    """The names of the tensors, and which parts of them are meant."""
    columns = {
        "tensor_names": [name for name, _, _ in pieces],
        "shape_and_slices": [part for _, part, _ in pieces],
    }
    names, parts = (
        make(
            f"{of}/{key}",
            "Const",
            [],
            {"value": np.array([t.encode() for t in texts], object), "dtype": string},
        )
        for key, texts in columns.items()
    )
    return names, parts


def _free_name(used: set[str]) -> str:
    return next(
        name for n in range(len(used) + 1) if (name := f"save_{n}" if n else "save") not in used
    )


def _add(graph_def: Any, name: str, kind: str, inputs: list[str], attrs: dict[str, Any]) -> str:
    node = graph_def.node.add(name=name, op=kind, input=inputs)
    for key, value in attrs.items():
        if key == "value":
            node.attr[key].tensor.CopyFrom(make_tensor_proto(np.array(value, object)))
        elif key == "shape":
            node.attr[key].shape.SetInParent()  # a scalar
        else:
            node.attr[key].CopyFrom(attr_value(value))
    return name
