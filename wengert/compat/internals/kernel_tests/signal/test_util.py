"""tensorflow.python.kernel_tests.signal.test_util: a graph with its constant parts computed."""

from __future__ import annotations

from typing import Any

import wengert as tf
from wengert.compat.inner.auto_control_deps import op_is_stateful
from wengert.compat.v1.graph_files.graph_util import extract_sub_graph
from wengert.values.nest import flatten

_OPEN = ("Placeholder", "PlaceholderWithDefault", "PlaceholderV2")


def grappler_optimize(graph: Any, fetches: Any = None, config_proto: Any = None) -> Any:
    """The GraphDef of what is fetched, with a constant in place of all that depends on no input.

    Without fetches these are the graph's collection "train_op". The options have no meaning here.
    """
    wanted = flatten(graph.get_collection("train_op") if fetches is None else fetches)
    names = [getattr(x, "op", x).name for x in wanted]
    if not names:
        raise ValueError("Nothing is fetched: the collection 'train_op' of the graph is empty.")
    fixed: dict[str, bool] = {}
    for op in graph.get_operations():
        before = [x.op.name for x in op.inputs] + [other.name for other in op.control_inputs]
        is_open = op.type in _OPEN or op_is_stateful(op)
        fixed[op.name] = not is_open and all(fixed.get(name, False) for name in before)
    made = extract_sub_graph(graph.as_graph_def(), names)
    with tf.compat.v1.Session(graph=graph) as session:
        for node in made.node:
            if node.op == "Const" or not fixed.get(node.name, False):
                continue
            outputs = graph.get_operation_by_name(node.name).outputs
            if len(outputs) == 1 and outputs[0].dtype not in (tf.resource, tf.variant):
                dtype = outputs[0].dtype
                value = session.run(outputs[0])
                del node.input[:]
                node.attr.clear()
                node.op = "Const"
                node.attr["dtype"].type = dtype.as_datatype_enum
                node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(value, dtype))
    return extract_sub_graph(made, names)
