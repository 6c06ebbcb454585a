"""tf.compat.v1.graph_util: parts of a GraphDef, and variables as constants."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from wengert.compat.graph_defs.importing import import_graph_def as import_graph_def
from wengert.compat.graph_defs.protos import message
from wengert.compat.graph_defs.tensors import make_tensor_proto
from wengert.values.dtypes import int32, string

__all__ = [
    "convert_variables_to_constants",
    "extract_sub_graph",
    "import_graph_def",
    "must_run_on_cpu",
    "remove_training_nodes",
    "tensor_shape_from_node_def_name",
]

_VARIABLES = ("VarHandleOp", "VariableV2", "Variable")


def _node_of(text: str) -> str:
    return text.removeprefix("^").partition(":")[0]


def extract_sub_graph(graph_def: Any, dest_nodes: Sequence[str]) -> Any:
    """The nodes of a GraphDef that these nodes need, and they.

    >>> with tf.Graph().as_default() as graph:
    ...     x = tf.constant(2.0, name="x")
    ...     y, z = tf.square(x, name="y"), tf.sqrt(x, name="z")
    >>> part = tf.compat.v1.graph_util.extract_sub_graph(graph.as_graph_def(), ["y"])
    >>> [node.name for node in part.node]
    ['x', 'y']
    """
    if isinstance(dest_nodes, str):
        raise TypeError(f"Expected dest_nodes to be a list, not {dest_nodes!r}.")
    nodes = {node.name: node for node in graph_def.node}
    missing = next((name for name in dest_nodes if name not in nodes), None)
    if missing is not None:
        raise AssertionError(f"{missing} is not in graph")
    needed: set[str] = set()
    waiting = list(dest_nodes)
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            waiting += [_node_of(text) for text in nodes[name].input]
    made = message("GraphDef")()
    made.node.extend([node for node in graph_def.node if node.name in needed])
    made.library.CopyFrom(graph_def.library)
    made.versions.CopyFrom(graph_def.versions)
    return made


def convert_variables_to_constants(
    sess: Any,
    input_graph_def: Any,
    output_node_names: Sequence[str],
    variable_names_whitelist: Iterable[str] | None = None,
    variable_names_blacklist: Iterable[str] | None = None,
) -> Any:
    """What these nodes need of a graph, with the variables' values in a session as constants.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default() as graph, v1.Session() as session:
    ...     w = v1.get_variable("w", initializer=3.0)
    ...     y = tf.square(w, name="y")
    ...     session.run(w.initializer)
    ...     frozen = v1.graph_util.convert_variables_to_constants(
    ...         session, graph.as_graph_def(), ["y"])
    >>> [(node.name, node.op) for node in frozen.node]
    [('w', 'Const'), ('ReadVariableOp', 'Identity'), ('y', 'Square')]
    """
    made = extract_sub_graph(input_graph_def, output_node_names)
    chosen = {
        node.name
        for node in made.node
        if node.op in _VARIABLES
        and (variable_names_whitelist is None or node.name in variable_names_whitelist)
        and (variable_names_blacklist is None or node.name not in variable_names_blacklist)
    }
    values = {name: sess.run(f"{name}:0") for name in chosen}
    for node in made.node:
        if node.name in chosen:
            _make_constant(node, values[node.name])
        elif node.op == "ReadVariableOp" and _node_of(node.input[0]) in chosen:
            node.op = "Identity"
            node.attr["T"].type = node.attr["dtype"].type
            del node.attr["dtype"]
        elif node.op == "ResourceGather" and _node_of(node.input[0]) in chosen:
            raise NotImplementedError(
                f"Node {node.name!r} gathers from a variable; write tf.gather(variable.read_value(), ...)."
            )
    return made


def _make_constant(node: Any, value: Any) -> None:
    node.op = "Const"
    for key in list(node.attr):
        if key != "dtype":
            del node.attr[key]
    node.attr["value"].tensor.CopyFrom(make_tensor_proto(value))


def remove_training_nodes(input_graph: Any, protected_nodes: Sequence[str] | None = None) -> Any:
    """The graph without checks and without nodes that only hand on a value."""
    kept = set(protected_nodes or ())
    handed = {
        node.name: node.input[0]
        for node in input_graph.node
        if node.op in ("Identity", "CheckNumerics")
        and node.name not in kept
        and not node.input[0].startswith("^")
        and not any(text.startswith("^") for text in node.input)
    }
    used_after = {_node_of(t) for n in input_graph.node for t in n.input if t.startswith("^")}
    handed = {name: source for name, source in handed.items() if name not in used_after}

    def origin(text: str) -> str:
        while (name := _node_of(text)) in handed and not text.startswith("^"):
            text = handed[name]
        return text

    made = message("GraphDef")()
    for node in input_graph.node:
        if node.name not in handed:
            copied = made.node.add()
            copied.CopyFrom(node)
            del copied.input[:]
            copied.input.extend([origin(text) for text in node.input])
    made.library.CopyFrom(input_graph.library)
    made.versions.CopyFrom(input_graph.versions)
    return made


def tensor_shape_from_node_def_name(graph: Any, input_name: str) -> Any:
    """The shape of the first result of a node, `node`, or of another, `node:1`."""
    name = input_name if ":" in input_name else f"{input_name}:0"
    return graph.get_tensor_by_name(name.removeprefix("^")).shape


def must_run_on_cpu(node: Any, pin_variables_on_cpu: bool = False) -> bool:
    """Whether an operation has no place on a GPU: text and, if asked, variables."""
    proto = getattr(node, "node_def", node)
    if pin_variables_on_cpu and proto.op in _VARIABLES:
        return True
    if proto.op == "Const":
        return bool(proto.attr["dtype"].type == string.as_datatype_enum)
    stitches = proto.op in ("DynamicStitch", "ParallelDynamicStitch")
    return stitches and bool(proto.attr["T"].type == int32.as_datatype_enum)
