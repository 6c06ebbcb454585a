"""Writes tests/data/graph_defs.json: graphs that TensorFlow makes of functions, and what the functions give.

    python tools/graph_defs.py

needs TensorFlow. For each function: the GraphDef, the names of its input and output, a value, the result and the gradient of its sum.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
FILE = Path(__file__).parent.parent / "tests" / "data" / "graph_defs.json"


def loops_and_branches(x: Any) -> Any:
    """While, If, and what stands in them."""
    i = tf.constant(0)
    while i < 3:
        x = x * 1.5 + tf.cast(i, tf.float32)
        i += 1
    return tf.sin(x) if tf.reduce_sum(x) > 3.0 else tf.cos(x)


@tf.function  # type: ignore[untyped-decorator]
def _inner(x: Any) -> Any:
    return tf.exp(x) * x


def _doubled(x: Any) -> Any:
    return v1.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * 2.0), [0, x])[1]


def _nested(x: Any) -> Any:
    def once(i: Any, y: Any) -> Any:
        inner = v1.while_loop(lambda j, z: j < i, lambda j, z: (j + 1, z + x), [0, y])[1]
        return i + 1, v1.cond(tf.reduce_sum(inner) > 2.0, lambda: inner * 0.5, lambda: inner + 1.0)

    return v1.while_loop(lambda i, y: i < 4, once, [0, x])[1]


# With branches and loops of version 1.
OLD = {
    "a branch": lambda x: v1.cond(tf.reduce_sum(x) > 0.5, lambda: tf.sin(x), lambda: x * x),
    "the other branch": lambda x: v1.cond(tf.reduce_sum(x) > 5.0, lambda: tf.sin(x), lambda: x * x),
    "constants in branches": lambda x: (
        x * v1.cond(x[0] > 1.0, lambda: tf.constant(2.0), lambda: tf.constant(3.0))
    ),
    "several results": lambda x: tf.add_n(
        v1.cond(x[0] < 1.0, lambda: [x, 2.0 * x], lambda: [3.0 * x, tf.exp(x)])
    ),
    "a branch in a branch": lambda x: v1.cond(
        x[1] > 0.0,
        lambda: x + v1.cond(x[2] > 1.0, lambda: x, lambda: tf.cos(x)),
        lambda: tf.sqrt(x),
    ),
    "a loop": _doubled,
    "loops and branches": _nested,
    "a loop in a branch": lambda x: v1.cond(x[0] > 0.0, lambda: _doubled(x), lambda: x),
    "two branches of one choice": lambda x: (
        v1.cond(x[0] > 0.0, lambda: x, lambda: -x)
        * v1.cond(x[0] > 0.0, lambda: tf.exp(x), lambda: x)
    ),
    "cases": lambda x: v1.case(
        [(x[0] > 1.0, lambda: x), (x[1] > 0.3, lambda: 2.0 * x)], default=lambda: 3.0 * x
    ),
}


FUNCTIONS = {
    "loops and branches": loops_and_branches,
    "functions": lambda x: _inner(x) + _inner(2.0 * x),
    "convolutions": lambda x: tf.nn.max_pool2d(
        tf.nn.conv2d(tf.reshape(x, [1, 2, 2, 1]), tf.ones([2, 2, 1, 3]), 1, "SAME"), 2, 1, "SAME"
    ),
    "reductions": lambda x: tf.reduce_logsumexp(x) + tf.reduce_prod(x) + tf.math.reduce_std(x),
    "shapes": lambda x: tf.concat([tf.tile(x, [2]), tf.reverse(x, [0]), tf.pad(x, [[1, 1]])], 0),
    "pieces": lambda x: tf.split(x, 2)[1] * x[1:3] + tf.gather(x, [3, 0]) - tf.roll(x, 1, 0)[:2],
    "matrices": lambda x: (
        tf.linalg.inv(tf.reshape(x, [2, 2]) + tf.eye(2)) @ tf.transpose(tf.reshape(x, [2, 2]))
    ),
    "einsum": lambda x: tf.einsum("i,j->ij", x, x) + tf.linalg.diag(x),
    "softmax": lambda x: tf.nn.softmax_cross_entropy_with_logits([0.1, 0.2, 0.3, 0.4], x),
    "choice": lambda x: tf.where(x > 0.25, tf.sqrt(x), tf.clip_by_value(x, 0.0, 0.2)),
    "order": lambda x: tf.math.top_k(x, 2).values + tf.cumsum(x)[:2],
    "stack": lambda x: tf.unstack(tf.stack([x, x * x]))[1] + tf.one_hot(1, 4) * x,
}
VALUE = [0.1, 0.4, 0.2, 0.3]


def recorded(function: Any) -> dict[str, Any]:
    """What is kept of a function."""
    x = tf.constant(VALUE)
    concrete = tf.function(function).get_concrete_function(tf.TensorSpec([4], tf.float32, "x"))
    message = concrete.graph.as_graph_def().SerializeToString()  # a gradient would add to its loops
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = concrete(x)
    return {
        "graph": base64.b64encode(message).decode(),
        "output": concrete.outputs[0].name,
        "value": np.asarray(y).tolist(),
        "gradient": np.asarray(tape.gradient(y, x)).tolist(),
    }


def recorded_old(function: Any) -> dict[str, Any]:
    """What is kept of a function with control flow of version 1."""
    v1.disable_control_flow_v2()
    with tf.Graph().as_default() as graph, v1.Session() as session:
        x = v1.placeholder(tf.float32, [4], name="x")
        y = tf.identity(function(x), name="y")
        message = graph.as_graph_def().SerializeToString()
        (gradient,) = v1.gradients(y, x)
        value, slope = session.run([y, gradient], {x: VALUE})
    v1.enable_control_flow_v2()
    return {
        "graph": base64.b64encode(message).decode(),
        "output": "y:0",
        "value": np.asarray(value).tolist(),
        "gradient": np.asarray(slope).tolist(),
    }


found = {name: recorded(function) for name, function in FUNCTIONS.items()}
found |= {f"old: {name}": recorded_old(function) for name, function in OLD.items()}
FILE.write_text(json.dumps({"x": VALUE, "functions": found}, indent=1) + "\n", "utf-8")
