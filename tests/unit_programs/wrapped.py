"""tf.compat.v1.wrap_function: graphs of version 1 as functions, and parts of them."""

# mypy: disable-error-code="no-any-return, misc"
from __future__ import annotations

from typing import Any

from unit_programs.common import Programs, refusal


def programs(tf: Any) -> Programs:
    v1 = tf.compat.v1
    number = tf.TensorSpec([], tf.float32)

    def scaled(x: Any) -> Any:
        v = v1.get_variable("v", initializer=3.0)
        return x * v * v1.Variable(2.0, name="w")

    def made() -> Any:
        wrapped = v1.wrap_function(scaled, [number])
        first = [wrapped(tf.constant(2.0)), [v.name for v in wrapped.variables]]
        wrapped.variables[0].assign(10.0)
        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = wrapped(x)
        sizes = [len(wrapped.inputs), type(wrapped).__name__]
        return [first, y, tape.gradient(y, [x, *wrapped.variables]), sizes]

    def summed(a: Any, b: Any) -> Any:
        total = tf.add(a, b, name="sum")
        return {"d": tf.multiply(total, 2.0, name="twice"), "c": total}

    def whole() -> Any:
        specs = [tf.TensorSpec([], tf.float32, name) for name in "ab"]
        return v1.wrap_function(summed, specs)

    def pruned() -> Any:
        wrapped = whole()
        element = wrapped.graph.get_tensor_by_name
        return [
            wrapped(tf.constant(1.0), tf.constant(2.0)),
            wrapped.prune(["a:0", "b:0"], "sum:0")(tf.constant(1.0), tf.constant(5.0)),
            wrapped.prune(element("sum:0"), element("twice:0"))(tf.constant(7.0)),
            wrapped.prune(["a:0", "b:0"], {"x": ["sum:0", "twice:0"]})(
                tf.constant(1.0), tf.constant(2.0)
            ),
            len(wrapped.structured_input_signature[0]),
        ]

    def counted(x: Any) -> Any:
        v = v1.get_variable("n", initializer=0.0)
        with tf.control_dependencies([v1.assign_add(v, x)]):
            return v.read_value()

    def states() -> Any:
        counts = v1.wrap_function(counted, [number])
        other = v1.wrap_function(counted, [number])
        return [[counts(tf.constant(2.0)) for _ in range(3)], other(tf.constant(1.0))]

    def structures() -> Any:
        wrapped = v1.wrap_function(lambda x: (x, None, [x + 1.0]), [number])
        chosen = v1.wrap_function(lambda x: v1.cond(x > 0.0, lambda: x * 2.0, lambda: -x), [number])
        return [wrapped(tf.constant(-3.0)), chosen(tf.constant(-3.0))]

    return {
        "variables of wrapped functions": made,
        "parts of wrapped functions": pruned,
        "states of wrapped functions": states,
        "structures of wrapped functions": structures,
        "what is not fed": lambda: refusal(lambda: whole().prune("a:0", "sum:0"), "Unable to lift"),
    }
