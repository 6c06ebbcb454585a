"""What an operation of a graph is, in TensorFlow's messages: its node, its attributes, its type."""

from __future__ import annotations

from typing import Any

from wengert.compat.graph_defs.attributes import attr_of as attr_of
from wengert.compat.graph_defs.bodies import attribute_of_bodies
from wengert.compat.graph_defs.export import CALL, OWN, nodes_of, types_of
from wengert.compat.graph_defs.export import as_graph_def as as_graph_def
from wengert.compat.graph_defs.nodes import attr_value
from wengert.compat.graph_defs.op_defs import Argument, OpDef, op_defs
from wengert.compat.graph_defs.producer import GRAPH_DEF_VERSION
from wengert.compat.graph_defs.tensors import make_tensor_proto
from wengert.formats.protos import is_there, message
from wengert.graph.operation import Operation
from wengert.values.shapes import TensorShape


def versions() -> Any:
    """The versions of the format that is written."""
    return message("VersionDef")(producer=GRAPH_DEF_VERSION)


def node_def(op: Operation) -> Any:
    """An operation as NodeDef."""
    made = nodes_of(op)[-1]
    if op.row.gradient_type:
        made.attr["_gradient_op_type"].s = op.row.gradient_type.encode()
    return made


def attribute_of(op: Operation, name: str) -> Any:
    """An attribute of an operation in TensorFlow's form; None if it has no such attribute."""
    if op.row.bodies is None:
        implied = types_of(op).get(name)
        if implied is not None:
            return implied
    if not is_there():
        return None
    if op.row.bodies is not None:
        own = attribute_of_bodies(op, name)
        if own is not None:
            return own
    found = nodes_of(op)[-1].attr
    return attr_of(found[name]) if name in found and name not in (OWN, CALL) else None


def told(op: Operation, name: str, value: Any) -> Any:
    """A shape as TensorShapeProto, the tensor of a constant as TensorProto; anything else itself."""
    if not is_there():
        return value
    if isinstance(value, list):
        return [told(op, name, part) for part in value]
    if isinstance(value, TensorShape):
        return value.as_proto()
    known = op_defs().get(op.type)
    attr = known.attrs.get(name) if known else None
    return make_tensor_proto(value) if attr and attr.kind == "tensor" else value


def op_def(kind: str) -> Any:
    """What TensorFlow's operations of a type take and give, as OpDef."""
    made = message("OpDef")(name=kind)
    known = op_defs().get(kind)
    if known is None:
        return made
    made.input_arg.extend(_arg(known, arg) for arg in known.inputs)
    made.output_arg.extend(_arg(known, arg) for arg in known.outputs)
    for name, attr in known.attrs.items():
        one = made.attr.add(name=name, type=attr.kind)
        if attr.has_default:
            one.default_value.CopyFrom(attr_value(attr.default))
    return made


def known_op_def(kind: str) -> Any:
    """The same; None for a type that is not known."""
    return op_def(kind) if kind in op_defs() else None


def _arg(known: OpDef, arg: Argument) -> Any:
    made = message("OpDef.ArgDef")(name=arg.name, type_attr=arg.dtype)
    if arg.times:
        counts = arg.times in known.attrs and known.attrs[arg.times].kind == "int"
        setattr(made, "number_attr" if counts else "type_list_attr", arg.times)
    return made
