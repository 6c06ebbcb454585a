"""Traces of functions as FunctionDef, with the functions of their branches and loops."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import count
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np

from wengert.compat.graph_defs.draws import is_stream, stream_of
from wengert.compat.graph_defs.export import CALL, OWN, nodes_of
from wengert.compat.graph_defs.nodes import attr_value
from wengert.compat.graph_defs.op_defs import op_defs
from wengert.compat.graph_defs.protos import message
from wengert.compat.graph_defs.tensors import make_tensor_proto, shape_proto
from wengert.core.contract import as_list
from wengert.graph.graph_builder import VAR_HANDLE
from wengert.graph.graph_def import input_name
from wengert.ops.control.cond import Branches
from wengert.ops.control.while_op import Loop
from wengert.saved_model.loop_defs import COUNTERS, LOOPS, LoopDef, empty_list
from wengert.saved_model.standing import at_places
from wengert.state.variable import Variable
from wengert.values.dtypes import float32, resource
from wengert.values.shapes import TensorShape

# The name of an operation whose gradient is its scope's.
WITHOUT_GRADIENT: Final = "without_gradient"
_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


class Custom(NamedTuple):
    """An operation with a gradient of its own: its type there, its function, how tensors are called there."""

    kind: str
    op: Any
    function: str
    args: dict[str, str]
    computes: bool = False  # it does something, and its gradient was overridden

    @property
    def passed(self) -> list[Any]:
        """What passes the node that has the gradient: results, and what they are made of."""
        return [*self.op.outputs, *self.op.inputs] if self.computes else list(self.op.inputs)

    def gradients(self, dys: Sequence[Any]) -> list[Any]:
        """The gradient of each of those."""
        op, row = self.op, self.op.row
        given, ys, xs = list(dys[: len(op.outputs)]), list(op.outputs), list(op.inputs)
        if row.joint is not None:
            found = row.joint(given, ys, xs, op.attrs)
        else:
            found = [None if r is None else r(given[0], ys[0], *xs) for r in row.vjp]
        return [*[None] * len(ys) * self.computes, *as_list(found)]


def _is_overridden(op: Any) -> bool:
    """Whether another gradient is in place of an operation's own."""
    row = op.row
    return bool(row.gradient_type) and (row.joint is not None or isinstance(row.vjp, tuple))


class Library:
    """The functions of a saved model."""

    def __init__(self) -> None:
        self.proto = message("FunctionDefLibrary")()
        self.custom: list[Custom] = []
        self._numbers = count()

    def name(self, base: str) -> str:
        """A name that no other function has."""
        return f"__inference_{re.sub(r'[^A-Za-z0-9_]', '_', base)}_{next(self._numbers)}"

    def add(
        self,
        name: str,
        inputs: Sequence[Any],
        resources: Sequence[bool],
        outputs: Sequence[Any],
        output_names: Sequence[str],
        graph: Any,
        computed: Mapping[str, str] = _NOTHING,
    ) -> Any:
        """A graph as a function of some of its tensors; others that are given to it are computed in another way."""
        made = message("FunctionDef")()
        made.signature.name = name
        args = _unique([x.op.name for x in inputs])
        for n, (arg, x, is_resource) in enumerate(zip(args, inputs, resources, strict=True)):
            kind = resource if is_resource else x.dtype
            made.signature.input_arg.add(name=arg, type=kind.as_datatype_enum)
            shape = shape_proto([] if is_resource else x.shape)
            made.arg_attr[n].attr["_output_shapes"].list.shape.append(shape)
        known = dict(zip([x.op.name for x in inputs], args, strict=True))
        known.update(computed)
        nodes = _Nodes(self, known, name, outputs)
        for op in graph.get_operations():
            if op.name not in known and not is_stream(op):
                nodes.add(op)
        made.node_def.extend(nodes.found)
        for own, y in zip(_unique(output_names), outputs, strict=True):
            made.signature.output_arg.add(name=own, type=y.dtype.as_datatype_enum)
            is_absent = isinstance(y, _Absent)
            made.ret[own] = (
                _nothing(made, own, y) if is_absent else nodes.place(input_name(y, y.op.name))
            )
        for op in graph.get_operations():
            made.signature.is_stateful |= bool(op.row.stateful)
            if op.name not in known and _acts(op):
                made.signature.control_output.append(op.name)
                made.control_ret[op.name] = op.name
                made.signature.is_stateful = True
        self.proto.function.append(made)
        return self.proto.function[-1]  # which is a copy


def _acts(op: Any) -> bool:
    return bool(op.row.effects) and op.type != "ReadVariableOp"


def _unique(names: Sequence[str]) -> list[str]:
    """Names as arguments may have them, each once."""
    found: list[str] = []
    for name in names:
        base = re.sub(r"[^a-z0-9_]", "_", name.lower())
        base = base if base[:1].isalpha() else f"arg_{base}"
        own, n = base, 0
        while own in found:
            n += 1
            own = f"{base}_{n}"
        found.append(own)
    return found


class _Nodes:
    """The nodes of a function."""

    def __init__(
        self,
        library: Library,
        args: dict[str, str],
        function: str = "",
        results: Sequence[Any] = (),
    ) -> None:
        self._in = function
        self._results = results
        self.found: list[Any] = []
        self._library = library
        self._args = args
        self._by_name: dict[str, Any] = {}

    def add(self, op: Any) -> None:
        """The node of an operation, and the constants that it needs."""
        for node in self._made(op):
            inputs = [self.place(text) for text in node.input]
            del node.input[:]
            node.input.extend([text for text in inputs if text != "^"])
            self._by_name[node.name] = node
            self.found.append(node)

    def _made(self, op: Any) -> list[Any]:
        owner = op.row.bodies
        if isinstance(owner, Branches):
            return [self._branches(op, owner)]
        if isinstance(owner, Loop):
            return self._loop(op, owner)
        if op.row.name.startswith("custom_gradient") and op.row.joint is not None:
            return [self._custom(op)]
        made = self._plain(op)
        return self._with_gradient(op, made) if self._says_gradient(op) else made

    def _says_gradient(self, op: Any) -> bool:
        """Whether the gradient in place of an operation's own is written: in functions one of values alone."""
        return _is_overridden(op) and not any(_is_resource(x) for x in op.inputs)

    def _plain(self, op: Any) -> list[Any]:
        made = nodes_of(op)
        own = [made[-1].attr[key].s for key in (OWN, CALL) if key in made[-1].attr]
        if "_closed" in made[-1].attr or any(
            b"'kept'" in text or b"<locals>" in text for text in own
        ):
            raise NotImplementedError(
                f"Operation {op.name!r} of type {op.type} has no form in a saved model: what it does "
                "cannot be written as operations of TensorFlow's with constant attributes."
            )
        return made

    def place(self, text: str) -> str:
        """An input of a node as functions name it: `node:output:0`, or an argument."""
        if text.startswith("^"):
            return "^" if text[1:] in self._args else text
        name, _, index = text.partition(":")
        if name in self._args:
            return self._args[name]
        node, at = self._by_name[name], int(index or 0)
        at += COUNTERS if node.op in LOOPS else 0
        known = None if CALL in node.attr else op_defs().get(node.op)
        for arg in known.outputs if known is not None else ():
            size = _size(arg, node)
            if at < size:
                return f"{name}:{arg.name}:{at}"
            at -= size
        return f"{name}:output:{at}"

    def node(self, op: Any, kind: str, inputs: Sequence[str]) -> Any:
        """The node of an operation that runs functions."""
        after = [f"^{other.name}" for other in op.control_inputs]
        return message("NodeDef")(name=op.name, op=kind, input=[*inputs, *after])

    def _custom(self, op: Any) -> Any:
        """Values that are passed on, with a gradient of their own."""
        return self._passing(op, [input_name(x, x.op.name) for x in op.inputs])

    def _with_gradient(self, op: Any, made: list[Any]) -> list[Any]:
        """The results of an operation passed on, with the gradient that is in place of its own."""
        node = made[-1]
        node.name = f"{op.name}/{WITHOUT_GRADIENT}"
        results = [f"{node.name}:{n}" if n else node.name for n in range(len(op.outputs))]
        inputs = [input_name(x, x.op.name) for x in op.inputs]
        return [*made, self._passing(op, [*results, *inputs], computes=True)]

    def _passing(self, op: Any, inputs: Sequence[str], computes: bool = False) -> Any:
        kind = f"CustomGradient-{len(self._library.custom)}"
        custom = Custom(kind, op, self._in, self._args, computes)
        self._library.custom.append(custom)
        made = message("NodeDef")(name=op.name, op="IdentityN")
        made.input.extend(inputs)
        made.attr["T"].CopyFrom(attr_value([x.dtype for x in custom.passed]))
        made.attr["_gradient_op_type"].s = kind.encode()
        return made

    def are_resources(self, xs: Sequence[Any]) -> list[bool]:
        """Which of them are handles of variables."""
        return [_is_resource(x) for x in xs]

    def _branches(self, op: Any, owner: Branches) -> Any:
        """A choice among functions."""
        given = [x for x in op.inputs[1:] if not stream_of(x)]
        kinds = self.are_resources(given)
        types = [resource if r else x.dtype for x, r in zip(given, kinds, strict=True)]
        draws = len(given) < len(op.inputs) - 1
        kind = "Case" if op.row.effects or draws or any(kinds) else "StatelessCase"
        made = self.node(op, kind, [input_name(x, x.op.name) for x in (op.inputs[0], *given)])
        made.attr["Tin"].CopyFrom(attr_value(types))
        made.attr["Tout"].CopyFrom(attr_value([y.dtype for y in op.outputs]))
        made.attr["output_shapes"].list.shape.extend([shape_proto(y.shape) for y in op.outputs])
        made.attr["branches"].list.SetInParent()
        for number, (body, places) in enumerate(zip(owner.bodies, owner.places, strict=True)):
            inputs = at_places(body.graph, places, op.inputs[1:])
            kept = zip(owner.more, op.outputs[owner.count :], strict=True)
            outputs = [
                *body.results[: owner.count],
                *[body.results[at] if b == number else _Absent(y) for (b, at), y in kept],
            ]
            branch = self.function(op.name, inputs, kinds, outputs, body.graph)
            made.attr["branches"].list.func.add(name=branch.signature.name)
        return made

    def _loop(self, op: Any, owner: Loop) -> list[Any]:
        """A loop, with what it emits if something uses that."""
        return LoopDef(self, op, owner, self._emits(op, owner)).nodes()

    def _emits(self, op: Any, owner: Loop) -> bool:
        """Whether something uses what a loop keeps of each round for a gradient."""
        kept = set(map(id, op.outputs[len(owner.carried) :])) if owner.emitted else set()
        users = op.graph.get_operations() if kept else ()
        return any(id(x) in kept for user in users for x in user.inputs) or any(
            id(x) in kept for x in self._results
        )

    def function(
        self,
        base: str,
        inputs: Sequence[Any],
        kinds: Sequence[bool],
        outputs: Sequence[Any],
        graph: Any,
        computed: Mapping[str, str] = _NOTHING,
    ) -> Any:
        """The function of a branch or of a loop."""
        name = self._library.name(base)
        names = [f"output_{n}" for n in range(len(outputs))]
        return self._library.add(name, inputs, kinds, outputs, names, graph, computed)


class GraphNodes(_Nodes):
    """The nodes of a graph that is no function, with the functions of its branches and loops in a library."""

    def __init__(self) -> None:
        super().__init__(Library(), {})
        self._loops: set[str] = set()

    @property
    def library(self) -> Any:
        """The functions, as a message."""
        return self._library.proto

    def nodes(self, op: Any) -> list[Any]:
        """The nodes of an operation; one that no form says enough of is shown."""
        if is_stream(op):
            return []
        before = len(self._library.proto.function)
        try:
            made = self._made(op)
        except NotImplementedError:
            del self._library.proto.function[before:]
            made = nodes_of(op)
        for node in made:
            inputs = [self.place(text) for text in node.input]
            del node.input[:]
            node.input.extend(inputs)
        if made[-1].op in LOOPS and made[-1].attr["body"].func.name:
            self._loops.add(op.name)
        return made

    def place(self, text: str) -> str:
        """An input of a node as graphs name it, `node:1`: loops in files have counters first."""
        name, _, index = text.partition(":")
        return f"{name}:{int(index or 0) + COUNTERS}" if name in self._loops else text

    def _custom(self, op: Any) -> Any:
        return nodes_of(op)[-1]

    def _says_gradient(self, op: Any) -> bool:
        """Whether the gradient in place of an operation's own is written."""
        return _is_overridden(op)

    def _with_gradient(self, op: Any, made: list[Any]) -> list[Any]:
        """The node says the name of its gradient, which is registered where the graph is read."""
        made[-1].attr["_gradient_op_type"].s = op.row.gradient_type.encode()
        return made

    def _plain(self, op: Any) -> list[Any]:
        return nodes_of(op)


def _size(arg: Any, node: Any) -> int:
    if not arg.times:
        return 1
    value = node.attr[arg.times]
    return len(value.list.type) if value.HasField("list") else int(value.i)


def _is_resource(x: Any) -> bool:
    """Whether a tensor is the handle of a variable, or stands for one in a function."""
    if x.op.row is VAR_HANDLE:
        return True
    return x.op.type == "Placeholder" and bool(
        getattr(x, "_is_handle", False) or _stands_for_variable(x)
    )


def _stands_for_variable(x: Any) -> bool:
    graph = x.op.graph
    for value, own in getattr(graph, "captures", []):
        if own is x:
            return isinstance(value, Variable) or (hasattr(value, "op") and _is_resource(value))
    return False


class _Absent:
    """What a branch does not compute, which another keeps for its gradient: nobody reads it."""

    def __init__(self, like: Any) -> None:
        self.dtype, self.shape = like.dtype, like.shape


def _nothing(made: Any, own: str, absent: _Absent) -> str:
    if absent.dtype.name == "resource":
        raise NotImplementedError("A branch keeps the handle of a variable.")
    if absent.dtype.name == "variant":
        nodes = empty_list(f"absent_{own}", TensorShape(None), float32)
        made.node_def.extend(nodes)
        return f"{nodes[-1].name}:handle:0"
    sizes = [] if absent.shape.rank is None else [n or 0 for n in absent.shape.as_list()]
    proto = make_tensor_proto(np.zeros(sizes, absent.dtype.as_numpy_dtype))
    node = made.node_def.add(name=f"absent_{own}", op="Const")
    node.attr["value"].tensor.CopyFrom(proto)
    node.attr["dtype"].type = proto.dtype
    return f"{node.name}:output:0"
