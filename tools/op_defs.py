"""Writes wengert/compat/graph_defs/op_defs.txt: the inputs, outputs and attributes of TensorFlow's operations.

    python tools/op_defs.py

needs TensorFlow beside Wengert. A line for each operation that Wengert has under TensorFlow's name, and for those of which
graphs are made: the inputs, an arrow, the outputs, a bar, the attributes with their types and defaults. A star after an
input or output says by which attribute it is repeated, or which list of types it has.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tensorflow.python.framework import op_def_registry, tensor_util

import wengert
from wengert.core.table import TABLE, complete

ROOT = Path(__file__).parent.parent / "wengert" / "compat"
FILE = ROOT / "graph_defs" / "op_defs.txt"
OF_GRAPHS = [
    "Assert",
    "Assign",
    "AssignAdd",
    "AssignAddVariableOp",
    "AssignSub",
    "AssignSubVariableOp",
    "AssignVariableOp",
    "Case",
    "Const",
    "ConcatV2",
    "Fill",
    "Identity",
    "IdentityN",
    "If",
    "NoOp",
    "Pack",
    "PartitionedCall",
    "Placeholder",
    "PlaceholderWithDefault",
    "Range",
    "ReadVariableOp",
    "Shape",
    "ShapeN",
    "Size",
    "Split",
    "SplitV",
    "Squeeze",
    "StatefulPartitionedCall",
    "StatelessIf",
    "StatelessWhile",
    "StopGradient",
    "StridedSlice",
    "Sum",
    "Tile",
    "Transpose",
    "Unpack",
    "VarHandleOp",
    "VarIsInitializedOp",
    "VariableV2",
    "While",
    "ResourceGather",
    "RandomUniform",
    "RandomStandardNormal",
    "TruncatedNormal",
    "StatelessRandomUniformV2",
    "StatelessRandomNormalV2",
    "StatelessTruncatedNormalV2",
    "Squeeze",
    "ExpandDims",
    "Reshape",
    "Slice",
    "GatherV2",
    "BroadcastTo",
    "ArgMax",
    "ArgMin",
    "Mean",
    "Max",
    "Min",
    "Prod",
    "All",
    "Any",
    "Cumsum",
    "Cumprod",
    "Reverse",
    "ReverseV2",
    "Pad",
    "PadV2",
    "MirrorPad",
    "OneHot",
    "Print",
    "PrintV2",
    "Concat",
    "Where",
    "Select",
    "SelectV2",
    "Rank",
    "ZerosLike",
    "OnesLike",
    "Multinomial",
    "Roll",
    "Einsum",
    "TopKV2",
    "InTopKV2",
    "Unique",
    "UniqueV2",
    "Bincount",
    "AddV2",
    "BatchMatMulV2",
    "BiasAdd",
    "FusedBatchNormV3",
    "LeakyRelu",
    "Conv2D",
    "Conv2DBackpropInput",
    "MaxPool",
    "AvgPool",
    "SparseSoftmaxCrossEntropyWithLogits",
    "HashTableV2",
    "LookupTableInsertV2",
    "MutableHashTableV2",
    "InitializeTableV2",
    "LookupTableFindV2",
    "LookupTableImportV2",
    "LookupTableSizeV2",
    "MergeV2Checkpoints",
    "RestoreV2",
    "SaveV2",
    "ShardedFilename",
]


def main() -> None:
    """Write the file."""
    complete()
    listed = [
        line.split()[0] for line in (ROOT / "raw_operations.txt").read_text("utf-8").splitlines()
    ]
    names = sorted({*listed, *TABLE, *OF_GRAPHS})
    lines = [text for text in map(line_of, names) if text]
    FILE.write_text("\n".join(lines) + "\n", "utf-8")


def line_of(name: str) -> str:
    """The line of an operation; empty if TensorFlow lacks it."""
    found = op_def_registry.get(name)
    if found is None:
        return ""
    inputs, outputs = (
        " ".join(map(argument, args)) for args in (found.input_arg, found.output_arg)
    )
    attrs = " ".join(attribute(a) for a in found.attr)
    return " ".join(f"{name} {inputs} -> {outputs} | {attrs}".split())


def argument(arg: Any) -> str:
    """An input or an output."""
    times = arg.number_attr or arg.type_list_attr
    kind = arg.type_attr
    return f"{arg.name}{':' + kind if kind else ''}{'*' + times if times else ''}"


def attribute(attr: Any) -> str:
    """An attribute with its type, and its default if it has one."""
    text = f"{attr.name}:{attr.type}"
    if not attr.HasField("default_value"):
        return text
    value = default(attr.default_value)
    return text if value is None else f"{text}={value}"


def default(value: Any) -> str | None:
    """A default, as Python writes it without spaces."""
    kind = value.WhichOneof("value")
    if kind == "s":
        return repr(value.s.decode()).replace(" ", "")
    if kind in ("i", "b"):
        return repr(getattr(value, kind))
    if kind == "f":
        return repr(round(value.f, 7))
    if kind == "type":
        return f"tf.{wengert.as_dtype(value.type).name}" if value.type else None
    if kind == "list":
        parts = [*value.list.i, *[s.decode() for s in value.list.s]]
        return repr(parts).replace(" ", "")
    return repr(tensor_util.MakeNdarray(value.tensor).tolist()) if kind == "tensor" else None


if __name__ == "__main__":
    main()
