"""Graphs from messages, as the tests of TensorFlow's importer make them."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import Any

from unit_programs.common import Programs, refusal

INT, FLOAT = 3, 1


def programs(tf: Any) -> Programs:
    v1 = tf.compat.v1

    def graph_def(*nodes: Any, **versions: int) -> Any:
        made = v1.GraphDef()
        for name, kind, inputs, dtype, group in nodes:
            node = made.node.add(name=name, op=kind, input=inputs)
            if dtype:
                node.attr["dtype" if kind == "Placeholder" else "T"].type = dtype
            if group:
                node.attr["_class"].list.s.extend(f"loc:@{g}".encode() for g in group)
        for key, value in versions.items():
            setattr(made.versions, key, value)
        return made

    def node(
        name: str, kind: str = "NoOp", inputs: Any = (), dtype: int = 0, group: Any = ()
    ) -> Any:
        return name, kind, inputs, dtype, group

    def given(name: str, dtype: int = INT) -> Any:
        return node(name, "Placeholder", (), dtype)

    def passed(name: str, *inputs: str, dtype: int = INT, kind: str = "Identity") -> Any:
        return node(name, kind, inputs, dtype)

    def refused(pattern: str, *nodes: Any, **options: Any) -> Any:
        versions = {k: options.pop(k) for k in ("producer", "min_consumer") if k in options}
        with tf.Graph().as_default():
            made = graph_def(*nodes, **versions)
            return refusal(lambda: tf.import_graph_def(made, **options), pattern)

    def wrong_inputs() -> Any:
        return [
            refused("Input 0 of node import/B was passed int32 from import/A:0 incompatible "
                    "with expected float", given("A"), passed("B", "A:0", dtype=FLOAT)),
            refused("expected inputs '' do not match 1 inputs", given("A"), node("B", inputs=["A"])),
            refused("expected inputs 'int32, int32' do not match 1 inputs", given("A"),
                    passed("B", "A", kind="AddV2")),
            refused("Node 'B': Unknown input node 'A:0'", passed("B", "A:0")),
            refused("invalid output 1 of source node A which has 1 outputs", given("A"),
                    passed("B", "A:1")),
            refused(r"Node 'B': Unknown input node '\^A'", node("B", inputs=["^A"])),
            refused("Unknown input node 'A:B:0'", node("B", inputs=["A:B:0"])),
            refused("Node 'A' is not unique", given("A"), given("B"), given("A")),
            refused("colocated with unknown node 'A'", node("B", group=["A"])),
        ]  # fmt: skip

    def wrong_arguments() -> Any:
        a = given("A")
        return [
            refused("return node 'B' not found in graph def", a, return_elements=["B"]),
            refused("return output 1 of node 'A', which has 1", a, return_elements=["A:1"]),
            refused("return tensor 'B:0' not found in graph def", a, return_elements=["B:0"]),
            refused("Cannot convert 'A:B:0' to a tensor name", a, return_elements=["A:B:0"]),
            refused("must be a list of strings", a, return_elements=[7]),
            refused("Obtained list", a, input_map=[1]),
            refused(r"not found in graph_def: \[B:0\]", a, input_map={"B:0": 5.0}),
            refused(r"not found in graph_def: \[A:2\]", a, input_map={"A:2": 5.0}),
            refused("requires a non-empty `name`", a, input_map={"A:0": 5}, name=""),
            refused("below min producer 0 supported by", a, producer=-1),
            refused("above current version .* Please upgrade", a, min_consumer=1 << 30),
        ]

    def mapped() -> Any:
        with tf.Graph().as_default():
            x = tf.constant(0, name="x")
            nodes = given("A"), passed("B", "A:0"), passed("C", "gone:0")
            new = {b"A": x, "gone:0": x}
            found = tf.import_graph_def(graph_def(*nodes), new, [b"B", "C"])
            return [[op.name, op.inputs[0].name] for op in found]

    def scoped() -> Any:
        with tf.Graph().as_default(), tf.name_scope("s"):
            made = [
                tf.import_graph_def(graph_def(given("A")), None, ["A"], n) for n in ("", "q", "")
            ]
            return [op.name for (op,) in made]

    def colocated() -> Any:
        nodes = node("A"), node("B"), node("C", group=["A", "B"]), node("D", group=["D"])
        with tf.Graph().as_default() as g:
            with g.device(lambda op: "/device:CPU:0" if op.name[-1] in "BD" else ""):
                found = tf.import_graph_def(graph_def(*nodes), None, list("ABCD"), "g")
            return [[op.device, op.colocation_groups()] for op in found]

    def versions() -> Any:
        with tf.Graph().as_default() as g:
            tf.import_graph_def(graph_def(given("A"), producer=12, min_consumer=3))
            return [g.graph_def_versions.producer, g.graph_def_versions.min_consumer]

    return {
        "wrong inputs": wrong_inputs,
        "wrong arguments": wrong_arguments,
        "mapped": mapped,
        "scoped": scoped,
        "colocated": colocated,
        "versions": versions,
    }
