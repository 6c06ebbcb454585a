"""A GraphDef into a graph: tf.import_graph_def.

Each node is made by the operation of its name in tf.raw_ops; a few are written here. Calls, branches and loops take
their functions from the library of the GraphDef; those of version 1 are in old_control_flow.py.
"""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import wraps
from types import FunctionType
from typing import Any, Final

import numpy as np

import wengert
from wengert.api.session.modes import name_scope
from wengert.api.session.placeholders import placeholder, placeholder_with_default
from wengert.api.variables.graph_variable import GraphVariable
from wengert.compat.graph_defs import checks, old_control_flow
from wengert.compat.graph_defs.attributes import attr_of
from wengert.compat.graph_defs.composites import composite_of
from wengert.compat.graph_defs.export import CALL, GRADIENT, OWN, RULE, SEEDS
from wengert.compat.graph_defs.old_control_flow import OldControlFlow
from wengert.compat.graph_defs.op_defs import Argument, OpDef, op_defs
from wengert.compat.graph_defs.protos import message
from wengert.compat.graph_defs.table_nodes import FILLED_ONCE, table_form
from wengert.compat.graph_defs.tensors import make_ndarray, shape_of
from wengert.compat.raw_operations import OF_KERNELS, functions
from wengert.core.context import call, current_graph
from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import row_of
from wengert.graph.operation import Operation
from wengert.inference.deferred_calls import (
    Parts,
    Place,
    Slices,
    Term,
    filled,
    gradient_function,
    gradient_node,
    tensors_in,
    told_call,
)
from wengert.lookup import rows as table_rows
from wengert.ops.arrays.creation import constant
from wengert.ops.arrays.identity import READ
from wengert.ops.control.cond import cond, switch_case
from wengert.ops.control.effects import no_op
from wengert.ops.control.list_ops import Form as ElementForm
from wengert.ops.control.while_loop import while_loop
from wengert.ops.random.seeds import BothSeeds, stream_by_seeds
from wengert.ops.state.assignments import IS_INITIALIZED, assign_later
from wengert.saving import operations as saving
from wengert.state.variable import Variable
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype
from wengert.values.shapes import TensorShape
from wengert.values.tensor import Tensor

Maker = Callable[["Importer", Any, list[Any]], Any]


def import_graph_def(
    graph_def: Any,
    input_map: Mapping[str, Any] | None = None,
    return_elements: Sequence[str] | None = None,
    name: str | None = None,
    op_dict: object = None,
    producer_op_list: object = None,
) -> Any:
    """Add the nodes of a GraphDef to the current graph; returns the tensors and operations asked for.

    >>> with tf.Graph().as_default() as first:
    ...     y = tf.square(tf.compat.v1.placeholder(tf.float32, [], name="x"), name="y")
    >>> with tf.Graph().as_default():
    ...     (z,) = tf.import_graph_def(first.as_graph_def(), {"x:0": tf.constant(3.0)}, ["y:0"])
    ...     print(z.name, tf.compat.v1.Session().run(z))
    import/y:0 9.0
    """
    if not isinstance(graph_def, message("GraphDef")):
        given = type(graph_def).__name__
        if not hasattr(graph_def, "SerializeToString"):
            raise TypeError(f"Argument `graph_def` must be a GraphDef proto. Got: {given}.")
        graph_def = message("GraphDef").FromString(graph_def.SerializeToString())
    graph = current_graph()
    if graph is None:
        raise RuntimeError(
            "tf.import_graph_def adds to a graph: call it within `with tf.Graph().as_default():` or in "
            "what tf.function traces."
        )
    replaced, asked = checks.checked_map(input_map), checks.checked_elements(return_elements)
    checks.check_versions(graph_def.versions)
    if name == "" and not all(isinstance(x, Tensor) for x in replaced.values()):
        raise ValueError(
            "tf.import_graph_def() requires a non-empty `name` if `input_map` contains non-Tensor "
            "values. Try calling tf.convert_to_tensor() on `input_map` values before calling "
            "tf.import_graph_def()."
        )
    with name_scope("import" if name is None else name):
        made = Importer(graph, graph_def.library)
        made.replace({key: convert(x) for key, x in replaced.items()})
        checks.check_nodes(graph_def.node, made.replaced)
        made.add_all(graph_def.node)
    graph.graph_def_versions.CopyFrom(graph_def.versions)
    made.check_used(replaced)
    return None if asked is None else [made.element(e) for e in asked]


class Importer:
    """The values of nodes by their names, while the nodes are added."""

    def __init__(
        self,
        graph: Any,
        library: Any,
        values: dict[str, list[Any]] | None = None,
        gradients: Mapping[str, Any] | None = None,
    ) -> None:
        self.gradients = gradients or {}  # of nodes that have one of their own, by its name
        self.graph = graph
        self.library = library
        self.functions = {f.signature.name: f for f in library.function}
        self.values: dict[str, list[Any]] = values or {}
        self.nodes: dict[str, Any] = {}
        self.replaced: dict[tuple[str, int], Any] = {}
        self._adding = ""  # the node that is being added
        self._used: set[tuple[str, int]] = set()
        self._handing_out: set[str] = set()  # nodes that hand on the results of a traced function
        self._old: Any = None  # the branches and loops of version 1, if there are any

    def replace(self, input_map: Mapping[str, Any]) -> None:
        """Use other tensors in place of these outputs of nodes."""
        for key, tensor in input_map.items():
            self.replaced[_parsed(key)] = tensor

    def check_used(self, input_map: Mapping[str, Any]) -> None:
        """Raise unless each of the tensors to be replaced is one of the graph's."""
        wrong = [key for key in input_map if not self._has(*_parsed(key))]
        if wrong:
            raise ValueError(
                f"Attempted to map inputs that were not found in graph_def: [{', '.join(wrong)}]"
            )

    def _has(self, name: str, index: int) -> bool:
        """Whether a node has this output, or one takes it as an input."""
        if (name, index) in self._used:
            return True
        return name in self.nodes and index < max(len(self.values.get(name, ())), 1)

    def add_all(self, nodes: Sequence[Any]) -> None:
        """Add nodes, each behind those that it needs."""
        self._know(nodes)
        for node in nodes:
            if self._old is None or not self._old.is_within(node.name):
                self._add_with_inputs(node)
        for node in nodes:
            self._colocate(node)

    def _colocate(self, node: Any) -> None:
        """Note with which operations that of a node belongs, and where they are."""
        names = checks.colocated(node)
        op = self._operation(node.name) if names and node.name in self.values else None
        if op is None:
            return
        there = [n for n in names if n in self.values]  # what a function is given has another name
        others = [other for n in there if (other := self._operation(n)) is not None]
        groups = sorted(f"loc:@{other.name}".encode() for other in others)
        op.graph.colocations[op.name] = groups, False
        if any(other is not op for other in others):
            op.device = next((o.device for o in others if o is not op and o.device), node.device)

    def add_needed(self, nodes: Sequence[Any], names: Sequence[str]) -> None:
        """Add the nodes of these names, and those that they need."""
        self._know(nodes)
        for name in names:
            self._add_with_inputs(self.nodes[name])

    def _know(self, nodes: Sequence[Any]) -> None:
        self.nodes = {n.name: n for n in nodes}
        if any(n.op in old_control_flow.KINDS for n in nodes):
            self._old = OldControlFlow(self.nodes)

    def _add_with_inputs(self, node: Any) -> None:
        waiting = [node]
        on_the_way: set[str] = set()
        while waiting:
            top = waiting[-1]
            if top.name in self.values:
                waiting.pop()
                continue
            missing = [n for n in self._needed(top) if n not in self.values]
            if not missing:
                self._add(top)
                waiting.pop()
            elif top.name in on_the_way:
                raise ValueError(
                    f"Node {top.name!r} is in a circle of nodes: {missing[0]!r} needs it."
                )
            else:
                on_the_way.add(top.name)
                waiting += [self._node(top, n) for n in missing]

    def _needed(self, node: Any) -> Iterator[str]:
        if self._ends(node):
            yield from self._old.needed(node)
            return
        for text in node.input:
            name, index = _parsed(text)
            if (name, index) not in self.replaced:
                yield name.lstrip("^")

    def _node(self, user: Any, name: str) -> Any:
        if name not in self.nodes:
            raise ValueError(f"Node {user.name!r}: Unknown input node {name!r}.")
        return self.nodes[name]

    def value(self, text: str) -> Any:
        """An input of a node: `node`, `node:1`, or in a function `node:output:0`."""
        name, index = self._place(text)
        if (name, index) in self.replaced:
            self._used.add((name, index))
            return self.replaced[name, index]
        found = self._known(self.values, name, text)
        if not 0 <= index < len(found):
            raise ValueError(
                f"Node '{self._adding}': Connecting to invalid output {index} of source node {name} "
                f"which has {len(found)} outputs."
            )
        return found[index]

    @staticmethod
    def _known(named: dict[str, Any], name: str, text: str) -> Any:
        if name not in named:
            raise ValueError(f"The graph uses {text!r}, and has no node {name!r}: it is damaged.")
        return named[name]

    def _place(self, text: str) -> tuple[str, int]:
        parts = text.split(":")
        if len(parts) < 3:
            return _parsed(text)
        name, output, index = parts
        node = self._known(self.nodes, name, text)
        known = op_defs().get(node.op)
        first = 0
        for arg in known.outputs if known is not None else ():
            if arg.name == output:
                break
            first += _count(arg, node)
        else:  # of our own form: all outputs are in one list
            first = 0
        return name, first + int(index)

    def element(self, text: str) -> Any:
        """An element to return: a tensor as `node:0`, an operation as `node`."""
        if ":" in text:
            name, index = _parsed(text)
            if name not in self.values:
                raise ValueError(f"Requested return tensor '{text}' not found in graph def")
            count = len(self.values[name])
            if index >= count:
                raise ValueError(
                    f"Invalid return output {index} of node '{name}', which has {count} output(s)"
                )
            return self.values[name][index]
        found = self.values.get(text)
        if found is None:
            raise ValueError(f"Requested return node '{text}' not found in graph def")
        one = found[0] if found else self._operations[text]
        return one if isinstance(one, Operation) else getattr(one, "op", one)

    @property
    def _operations(self) -> dict[str, Any]:
        scope = self.graph.get_name_scope()
        prefix = f"{scope}/" if scope else ""
        return {name: self.graph.get_operation_by_name(f"{prefix}{name}") for name in self.nodes}

    # ---- one node ----------------------------------------------------------------------------

    def _add(self, node: Any) -> None:
        if self._ends(node):
            self._old.add(self, node)
            return
        self._adding = node.name
        inputs = [self.value(text) for text in node.input if not text.startswith("^")]
        if node.name in self._handing_out:
            self.values[node.name] = inputs
            return
        after = [self._operation(text[1:]) for text in node.input if text.startswith("^")]
        after = [op for op in after if op is not None and op.graph is self.graph]
        scope, _, _own = node.name.rpartition("/")
        outer = self.graph.get_name_scope()
        within = "/".join(part for part in (outer, scope) if part)
        with (
            self.graph.names.read(within) if within else nullcontext(),
            self.graph.control_dependencies(after),
            self.graph.device(node.device),
        ):
            self._check(node, inputs)
            own = _own_gradient(node)
            maker = self._maker(node, own)
            is_named = own and not own.startswith("CustomGradient-")  # which files alone have
            with self.graph.gradient_override_map({node.op: own}) if is_named else nullcontext():
                made = maker(self, node, inputs)
        self.values[node.name] = _listed(made)

    def _check(self, node: Any, inputs: Sequence[Any]) -> None:
        """Check the inputs of a node of TensorFlow's form."""
        known = op_defs().get(node.op)
        if node.op == "NoOp":
            known = OpDef("NoOp", [], [], {})
        is_own = OWN in node.attr or CALL in node.attr or node.op in self.functions
        if known is not None and not is_own:
            scope = self.graph.get_name_scope()
            name = node.name.rpartition("/")[2]
            checks.check_inputs(node, known, f"{scope}/{name}" if scope else name, inputs)

    def _maker(self, node: Any, own: str) -> Maker:
        if "_closed" in node.attr and node.attr["_closed"].b:
            raise NotImplementedError(
                f"Node {node.name!r} is a {node.op} that keeps its functions to itself: it can be shown, "
                "not imported."
            )
        if own in self.gradients:
            found: Maker = self.gradients[own]
            return found
        return _MAKERS.get(node.op, _by_raw_operation)

    def _operation(self, name: str) -> Any:
        found = self.values[name]
        made = getattr(found[0], "op", found[0]) if found else None
        return made if isinstance(made, Operation) else None

    def named(self, node: Any, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """What a function makes, by the name of the node."""
        own = node.name.rpartition("/")[2].lstrip("_") or "node"
        return self.graph.call_named(
            lambda *a, name=None, **k: function(*a, **k), args, kwargs, own
        )

    # ---- branches and loops of version 1 ------------------------------------------------------

    def _ends(self, node: Any) -> bool:
        """Whether a branch or a loop ends in a node."""
        return node.op in old_control_flow.ENDS

    def within(
        self, old: OldControlFlow, values: Mapping[str, list[Any]] | None = None
    ) -> Importer:
        """What adds nodes of a branch or of a round, in the function that is being traced."""
        inner = Importer(
            current_graph(), self.library, {**self.values, **(values or {})}, self.gradients
        )
        inner.nodes, inner._old, inner.replaced = self.nodes, old, self.replaced
        return inner

    def demanded(self, text: str) -> Any:
        """An output of a node, which is added for it."""
        name, index = _parsed(text)
        if (name, index) not in self.replaced:
            self._add_with_inputs(self._node(name, name))
        return self.value(text)

    # ---- functions of the library -------------------------------------------------------------

    def call(self, name: str, inputs: Sequence[Any], is_trace: bool = False) -> list[Any]:
        """The results of a function of the library.

        A trace has an Identity for each result, which no one wrote and which no override may find.
        """
        if name not in self.functions:
            raise ValueError(f"Function {name!r} is not in the library of the GraphDef.")
        function = self.functions[name]
        args = [a.name for a in function.signature.input_arg]
        graph = current_graph()
        values = {n: [x] for n, x in zip(args, inputs, strict=True)}
        inner = Importer(graph, self.library, values, self.gradients)
        if is_trace:
            results = {_parsed(text)[0] for text in function.ret.values()}
            handing_out = [n for n in function.node_def if n.op == "Identity" and n.name in results]
            inner._handing_out = {node.name for node in handing_out}
        inner.add_all(function.node_def)
        return [inner.value(function.ret[out.name]) for out in function.signature.output_arg]

    def function_of(self, node: Any, attr: str) -> Callable[..., list[Any]]:
        """A function that calls the one an attribute names."""
        name = node.attr[attr].func.name
        return lambda *inputs: self.call(name, inputs)


def _parsed(text: str) -> tuple[str, int]:
    name, _, index = text.partition(":")
    return name, int(index) if index.isdigit() else 0


def _count(arg: Argument, node: Any) -> int:
    if not arg.times:
        return 1
    value = node.attr[arg.times]
    return len(value.list.type) if value.HasField("list") else int(value.i)


def _listed(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


# ---- how nodes are made -------------------------------------------------------------------------


def _why_not(kind: str) -> str:
    if "PyFunc" in kind:
        return (
            "it calls Python of the program that saved it, and a file brings no code that is run. Write "
            "what it does with tf's operations, and save it again."
        )
    return "Wengert has no operation of this name. tf.register_op declares one."


def _own_gradient(node: Any) -> str:
    """The name of the gradient that a node has in place of its operation's."""
    return node.attr["_gradient_op_type"].s.decode() if "_gradient_op_type" in node.attr else ""


def _by_raw_operation(importer: Importer, node: Any, inputs: list[Any]) -> Any:
    if OWN in node.attr:
        return _by_row(importer, node, inputs)
    if CALL in node.attr:
        return _by_call(importer, node, inputs)
    if node.op in importer.functions:
        return importer.call(node.op, inputs)
    known = op_defs().get(node.op)
    if known is None or node.op not in functions():
        raise ValueError(
            f"Op type not registered '{node.op}' (node {node.name!r}): {_why_not(node.op)}"
        )
    given: dict[str, Any] = {}
    rest = iter(inputs)
    for arg in known.inputs:
        own = [next(rest) for _ in range(_count(arg, node))]
        given[arg.name] = own if arg.times else own[0]
    function = functions()[node.op]()
    accepted = list(function.__signature__.parameters)
    positional = dict(zip(accepted, given.values(), strict=False))  # TensorFlow renames some
    attrs = _attributes(node, known, [name for name in accepted if name not in positional])
    return importer.named(node, function, **positional, **attrs)


# Attributes by the names that tf.raw_ops has for them.
_RENAMED: Final = {"squeeze_dims": "axis"}


def _attributes(node: Any, known: OpDef, accepted: list[str]) -> dict[str, Any]:
    """The attributes of a node; an error for one that would be lost."""
    follows = {name for arg in (*known.inputs, *known.outputs) for name in (arg.dtype, arg.times)}
    found: dict[str, Any] = {}
    for key, value in node.attr.items():
        name = key if key in accepted else _RENAMED.get(key, key)
        if name in accepted:
            found[name] = attr_of(value)
        elif not key.startswith("_") and key not in follows and not _is_default(known, key, value):
            raise NotImplementedError(
                f"Node {node.name!r}: {node.op} has {key}={attr_of(value)!r} here, which Wengert's lacks."
            )
    return found


def _is_default(known: OpDef, key: str, value: Any) -> bool:
    """Whether an attribute has its default, or selects a kernel, which changes no result."""
    attr = known.attrs.get(key)
    if attr is None or key in OF_KERNELS:
        return True
    return attr.has_default and attr_of(value) == attr.default


def _by_row(importer: Importer, node: Any, inputs: list[Any]) -> Any:
    """A node in our own form."""
    attrs = {k: _read(v) for k, v in ast.literal_eval(node.attr[OWN].s.decode()).items()}
    own = node.name.rpartition("/")[2]
    if SEEDS in node.attr:
        stream = stream_by_seeds(BothSeeds(*node.attr[SEEDS].list.i).pair, None)
        inputs = [stream, *inputs]
    return apply(row_of(node.op), inputs, attrs, own)


def _by_call(importer: Importer, node: Any, inputs: list[Any]) -> Any:
    """A call of a function of ours, or of a gradient rule, that was put off until sizes are known."""
    told, args, kwargs = ast.literal_eval(node.attr[CALL].s.decode())
    args, kwargs = (filled(_read(x), inputs) for x in (args, kwargs))
    if isinstance(told, dict):
        return importer.named(node, gradient_node, _call_told(node, told[GRADIENT]), *args)
    made = importer.named(node, _called(node, told), *args, **_without_name(kwargs))
    return tensors_in(made)


def _called(node: Any, told: Any) -> Any:
    """The function of a call."""
    if isinstance(told, dict):
        return gradient_function(_call_told(node, told[GRADIENT]))
    function = _rule(told) if told.startswith(RULE) else _public(told) or _operation(told)
    if function is None:
        raise ValueError(f"Node {node.name!r} calls {told}, which is no function of tf.")
    return function


def _call_told(node: Any, told: Any) -> Any:
    function, args, kwargs = told
    return told_call(_called(node, function), _read(args), _without_name(_read(kwargs)))


def _without_name(kwargs: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in kwargs.items() if k != "name"}


def _public(path: str) -> Any:
    """A public function of ours."""
    module, _, name = path.partition(":")
    if not module.startswith("wengert."):
        return None
    function = getattr(importlib.import_module(module), name, None)
    return function if hasattr(function, "__wrapped__") else None


def _operation(path: str) -> Any:
    """A function of the room of operations, which compute and do nothing else.

    No function besides these is called, whatever a file says.
    """
    module, _, name = path.partition(":")
    if not module.startswith("wengert.ops.") or module.startswith("wengert.ops.support."):
        return None
    function = getattr(importlib.import_module(module), name, None)
    if not isinstance(function, FunctionType) or function.__module__ != module:
        return None
    return _put_off_if_need_be(function)


def _rule(path: str) -> Any:
    """The gradient rule of an operation in one of its inputs."""
    name, _, index = path.removeprefix(RULE).rpartition(":")
    rules: Any = row_of(name).vjp
    return _put_off_if_need_be(rules[int(index)])


def _put_off_if_need_be(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, which is put off until sizes are known, as public ones are."""

    @wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        return call(function, *args, **kwargs)

    return called


def _read(value: Any) -> Any:
    """An attribute as `export.literal` wrote it; with placeholders for inputs."""
    if isinstance(value, (list, tuple)):
        return type(value)([_read(v) for v in value])
    if not isinstance(value, dict):
        return value
    kind, content = next(iter(value.items()))
    if kind == "array":
        return np.array(content, value["of"])
    readers: dict[str, Callable[[Any], Any]] = {
        "dict": lambda parts: {k: _read(v) for k, v in parts.items()},
        "input": Place,
        "shape of": lambda index: Place(index, whole_shape=True),
        "size": Term,
        "dtype": as_dtype,
        "of NumPy": _numpy_dtype,
        "elements": lambda parts: ElementForm(_numpy_dtype(parts[0]), *parts[1:]),
        "shape": TensorShape,
        "slices": lambda parts: Slices(*[_read(p) for p in parts]),
        "value of": _composite,
        "slice": lambda parts: slice(*[_read(p) for p in parts]),
        "ellipsis": lambda _: Ellipsis,
    }
    if kind not in readers:
        raise NotImplementedError(f"The attribute {content} has no form outside of its graph.")
    return readers[kind](content)


def _composite(told: Any) -> Parts:
    number, state, parts = told
    return Parts(composite_of(number)._deserialize(_read(state)), [_read(part) for part in parts])


def _numpy_dtype(name: str) -> Any:
    return as_dtype(name).numpy_dtype


def _const(importer: Importer, node: Any, inputs: list[Any]) -> Any:
    value = make_ndarray(node.attr["value"].tensor)
    return importer.named(node, constant, value, as_dtype(node.attr["dtype"].type))


def _placeholder(importer: Importer, node: Any, inputs: list[Any]) -> Any:
    shape = shape_of(node.attr["shape"].shape) if "shape" in node.attr else TensorShape(None)
    dtype = as_dtype(node.attr["dtype"].type)
    return importer.named(node, placeholder, dtype, shape)


def _with_default(importer: Importer, node: Any, inputs: list[Any]) -> Any:
    shape = shape_of(node.attr["shape"].shape)
    return importer.named(node, placeholder_with_default, inputs[0], shape)


def _nothing(importer: Importer, node: Any, inputs: list[Any]) -> Any:
    return no_op(name=node.name.rpartition("/")[2])


def _variable(importer: Importer, node: Any, inputs: list[Any]) -> Any:
    """A variable without an initial value of its own: one is assigned by the nodes of the graph."""
    shape = shape_of(node.attr["shape"].shape)
    dtype = as_dtype(node.attr["dtype"].type)
    own = node.name.rpartition("/")[2]
    if not importer.graph.is_function:
        return GraphVariable.of_file(importer.graph, own, dtype, shape)
    zeros = np.zeros([n or 0 for n in shape.as_list()], dtype.as_numpy_dtype)
    return Variable(zeros, name=own, shape=shape, dtype=dtype)


def _read_variable(importer: Importer, node: Any, inputs: list[Any]) -> Any:
    return apply(READ, inputs, {}, node.name.rpartition("/")[2])


def _assignment(method: str) -> Maker:
    def assign(importer: Importer, node: Any, inputs: list[Any]) -> Any:
        return assign_later(inputs[0], method, inputs[1], node.name.rpartition("/")[2])

    return assign


def _call(importer: Importer, node: Any, inputs: list[Any]) -> Any:
    return importer.call(node.attr["f"].func.name, inputs, is_trace=True)


def _branch(importer: Importer, node: Any, inputs: list[Any]) -> Any:
    which, *rest = inputs
    then, other = (importer.function_of(node, b) for b in ("then_branch", "else_branch"))
    return cond(wengert.cast(which, wengert.bool), lambda: then(*rest), lambda: other(*rest))


def _case(importer: Importer, node: Any, inputs: list[Any]) -> Any:
    which, *rest = inputs
    names = [f.name for f in node.attr["branches"].list.func]
    return switch_case(which, [lambda n=n: importer.call(n, rest) for n in names])


def _loop(importer: Importer, node: Any, inputs: list[Any]) -> Any:
    go_on, body = (importer.function_of(node, b) for b in ("cond", "body"))
    shapes = [shape_of(s) for s in node.attr["output_shapes"].list.shape]
    changing = [n for n, x in enumerate(inputs) if not isinstance(x, Variable)]

    def whole(xs: Sequence[Any]) -> list[Any]:
        """With the variables, which every round has."""
        given = dict(zip(changing, xs, strict=True))
        return [given.get(n, x) for n, x in enumerate(inputs)]

    def next_round(*xs: Any) -> list[Any]:
        results = body(*whole(xs))
        for n in changing if shapes else ():
            results[n].set_shape(shapes[n])  # the node may know more than its body says
        return [results[n] for n in changing]

    results = while_loop(
        lambda *xs: wengert.cast(go_on(*whole(xs))[0], wengert.bool),
        next_round,
        [inputs[n] for n in changing],
        shape_invariants=[shapes[n] for n in changing] if shapes else None,
    )
    return whole(results)


def _of_row(row: Row, *attrs: str) -> Maker:
    """What adds an operation by its row, with these attributes of the node."""

    def add(importer: Importer, node: Any, inputs: list[Any]) -> Any:
        given = {key: tuple(attr_of(node.attr[key])) for key in attrs}
        made = apply(row, inputs, given, node.name.rpartition("/")[2])
        is_nothing = made is None or (isinstance(made, list) and not made)
        return importer.graph.operations[-1] if is_nothing else made

    return add


def _table(importer: Importer, node: Any, inputs: list[Any]) -> Any:
    return table_rows.new_table(table_form(node, node.op), node.name.rpartition("/")[2])


def _lookup(importer: Importer, node: Any, inputs: list[Any]) -> Any:
    form = table_form(node, FILLED_ONCE, "Tin", "Tout")
    return apply(table_rows.FIND, inputs, {"form": form}, node.name.rpartition("/")[2])


def _handed_on(importer: Importer, node: Any, inputs: list[Any]) -> Any:
    """A Switch within its branch: whichever output is taken, it is the value."""
    return [inputs[0], inputs[0]]


_MAKERS: Final[dict[str, Maker]] = {
    "Switch": _handed_on,
    "RefSwitch": _handed_on,
    "Const": _const,
    "Placeholder": _placeholder,
    "PlaceholderV2": _placeholder,
    "PlaceholderWithDefault": _with_default,
    "NoOp": _nothing,
    "HashTableV2": _table,
    "MutableHashTableV2": _table,
    "LookupTableInsertV2": _of_row(table_rows.INSERT),
    "LookupTableFindV2": _lookup,
    "LookupTableImportV2": _of_row(table_rows.IMPORT),
    "LookupTableSizeV2": _of_row(table_rows.SIZE),
    "InitializeTableV2": _of_row(table_rows.FILL),
    "VarHandleOp": _variable,
    "VariableV2": _variable,
    "ReadVariableOp": _read_variable,
    "VarIsInitializedOp": _of_row(IS_INITIALIZED),
    "SaveV2": _of_row(saving.SAVE),
    "RestoreV2": _of_row(saving.RESTORE, "dtypes"),
    "ShardedFilename": _of_row(saving.SHARDED),
    "MergeV2Checkpoints": _of_row(saving.MERGE),
    "AssignVariableOp": _assignment("assign"),
    "AssignAddVariableOp": _assignment("assign_add"),
    "AssignSubVariableOp": _assignment("assign_sub"),
    "Assign": _assignment("assign"),
    "AssignAdd": _assignment("assign_add"),
    "AssignSub": _assignment("assign_sub"),
    "PartitionedCall": _call,
    "StatefulPartitionedCall": _call,
    "If": _branch,
    "StatelessIf": _branch,
    "Case": _case,
    "StatelessCase": _case,
    "While": _loop,
    "StatelessWhile": _loop,
}
