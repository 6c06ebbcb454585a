"""The inputs, outputs and attributes of TensorFlow's operations, as op_defs.txt lists them."""

from __future__ import annotations

import ast
import functools
from pathlib import Path
from typing import Any, Final, NamedTuple

import wengert

# The operations that importing.py makes itself.
BY_HAND: Final = frozenset(
    [
        "Assign",
        "AssignAdd",
        "AssignAddVariableOp",
        "AssignSub",
        "AssignSubVariableOp",
        "AssignVariableOp",
        "Case",
        "Const",
        "HashTableV2",
        "If",
        "InitializeTableV2",
        "LookupTableFindV2",
        "LookupTableImportV2",
        "LookupTableInsertV2",
        "LookupTableSizeV2",
        "MergeV2Checkpoints",
        "MutableHashTableV2",
        "NoOp",
        "PartitionedCall",
        "Placeholder",
        "PlaceholderV2",
        "PlaceholderWithDefault",
        "ReadVariableOp",
        "RefSwitch",
        "RestoreV2",
        "SaveV2",
        "ShardedFilename",
        "StatefulPartitionedCall",
        "StatelessCase",
        "StatelessIf",
        "StatelessWhile",
        "Switch",
        "VarHandleOp",
        "VarIsInitializedOp",
        "VariableV2",
        "While",
    ]
)


class Argument(NamedTuple):
    """An input or an output: its name, the attribute with its dtype, that with its number or dtypes."""

    name: str
    dtype: str
    times: str


class Attribute(NamedTuple):
    """An attribute: its type, and its default, if it has one."""

    kind: str
    has_default: bool
    default: Any


class OpDef(NamedTuple):
    """An operation."""

    name: str
    inputs: list[Argument]
    outputs: list[Argument]
    attrs: dict[str, Attribute]


@functools.cache
def op_defs() -> dict[str, OpDef]:
    """All that are listed, by name."""
    lines = Path(__file__).with_suffix(".txt").read_text("utf-8").splitlines()
    return {line.split()[0]: _op_def(line) for line in lines}


def _op_def(line: str) -> OpDef:
    head, _, attrs = line.partition("|")
    inputs, _, outputs = head.partition("->")
    name, *words = inputs.split()
    pairs = (word.partition(":") for word in attrs.split())
    return OpDef(
        name,
        [_argument(word) for word in words],
        [_argument(word) for word in outputs.split()],
        {key: _attribute(rest) for key, _, rest in pairs},
    )


def _argument(word: str) -> Argument:
    head, _, times = word.partition("*")
    name, _, dtype = head.partition(":")
    return Argument(name, dtype, times)


def _attribute(text: str) -> Attribute:
    kind, has_default, default = text.partition("=")
    if not has_default:
        return Attribute(kind, False, None)
    if default.startswith("tf."):
        return Attribute(kind, True, wengert.as_dtype(default[3:]))
    return Attribute(kind, True, ast.literal_eval(default))
