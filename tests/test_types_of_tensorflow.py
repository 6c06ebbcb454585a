"""Maps from TensorFlow's types of operations, where functions make others here, or none of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.compat.resolver import find
from wengert.errors import GradientWarning

v1 = tf.compat.v1
X = np.random.default_rng(7).normal(size=(3, 4)).astype(np.float32)
WAYS = ["eager", "function", "compiled", "graph"]


def computed(way: str, f: Callable[..., Any], x: Any) -> Any:
    """What a function of a tensor gives: at once, traced, or in a session."""
    if way == "graph":
        with tf.Graph().as_default(), v1.Session() as session:
            given = v1.placeholder(tf.float32, np.shape(x))
            made = f(given)
            session.run(v1.global_variables_initializer())
            return session.run(made, {given: x})
    f = f if way == "eager" else tf.function(f, jit_compile=way == "compiled")
    return tf.nest.map_structure(np.asarray, f(tf.constant(x)))


def derivative(y: Any, x: Any, tape: Any) -> Any:
    return v1.gradients(y, x)[0] if tape is None else tape.gradient(y, x)


# ---- gathering from variables -------------------------------------------------------------------

GATHERED: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "gather": ("ResourceGather", lambda v: tf.gather(v, [2, 0, 2])),
    "along the first axis": ("ResourceGather", lambda v: tf.gather(v, [[1], [0]], axis=0)),
    "embeddings": ("ResourceGather", lambda v: tf.nn.embedding_lookup(v, [1, 1])),
    "sparse_read": ("ResourceGather", lambda v: v.sparse_read([1])),
    "raw": ("ResourceGather",
        lambda v: tf.raw_ops.ResourceGather(resource=v.handle, indices=[0], dtype=tf.float32)),
    "coordinates": ("ResourceGatherNd", lambda v: tf.gather_nd(v, [[2], [0]])),
}  # fmt: skip


@tf.RegisterGradient("TestRowsTenfold")
def rows_tenfold(op: Any, g: Any) -> Any:
    """As TensorFlow's own is written: by the handle and the indices."""
    handle, indices = op.inputs
    shape = tf.raw_ops.VariableShape(input=handle)
    count = tf.size(indices)
    rows = tf.reshape(10.0 * g, tf.concat([[count], shape[1:]], 0))
    return [tf.IndexedSlices(rows, tf.reshape(indices, [-1]), shape), None]


@pytest.mark.parametrize("what", GATHERED)
@pytest.mark.parametrize("way", ["eager", "function", "compiled", "graph"])
def test_gathering_from_variables(way: str, what: str) -> None:
    kind, program = GATHERED[what]
    eager = tf.Variable(X)

    def both(_: Any) -> Any:
        v = v1.get_variable("v", initializer=X, use_resource=True) if way == "graph" else eager
        found = []
        for rules in ({}, {kind: "TestRowsTenfold"}):
            with tf.GradientTape() as tape, tf.gradient_override_map(rules):
                y = program(v)
                z = tf.sin(y)
            pulled = derivative(z, v, None if way == "graph" else tape)
            found += [y, tf.convert_to_tensor(pulled)]
        return found

    y, want, same, g = computed(way, both, X)
    np.testing.assert_array_equal(same, y)
    np.testing.assert_allclose(g, 10.0 * want, rtol=1e-5)
    assert np.any(want)


@pytest.mark.parametrize("name", ["_GatherGrad", "_GatherNdGrad"])
def test_a_rule_that_calls_tensorflow_s_own(name: str) -> None:
    own = find("python.ops.resource_variable_ops", name)
    kind = "ResourceGather" if name == "_GatherGrad" else "ResourceGatherNd"
    program = GATHERED["gather" if name == "_GatherGrad" else "coordinates"][1]

    def rule(op: Any, g: Any) -> Any:
        rows, of_indices = own(op, g)
        assert of_indices is None
        return [tf.IndexedSlices(3.0 * rows.values, rows.indices, rows.dense_shape), None]

    v = tf.Variable(X)
    with tf.GradientTape() as tape, tf.gradient_override_map({kind: rule}):
        y = program(v)
    with tf.GradientTape() as plain:
        z = program(v)
    found, want = tape.gradient(y, v), plain.gradient(z, v)
    np.testing.assert_array_equal(tf.convert_to_tensor(found), 3.0 * tf.convert_to_tensor(want))


@pytest.mark.parametrize("way", ["eager", "function", "compiled"])
def test_gathering_to_second_order(way: str) -> None:
    v = tf.Variable(X)

    def rule(op: Any, g: Any) -> Any:
        handle, indices = op.inputs
        rows = tf.raw_ops.ResourceGather(resource=handle, indices=indices, dtype=tf.float32)
        return [tf.IndexedSlices(g * rows**2, indices, [3, 4]), None]

    def both(_: Any) -> Any:
        with tf.GradientTape() as outer:
            with tf.GradientTape() as tape, tf.gradient_override_map({"ResourceGather": rule}):
                y = tf.gather(v, [1])
            g = tf.convert_to_tensor(tape.gradient(y, v))
        return g, tf.convert_to_tensor(outer.gradient(g, v))

    g, h = computed(way, both, X)
    rows = np.array([[0.0], [1.0], [0.0]])
    np.testing.assert_allclose(g, rows * X**2, rtol=1e-6)
    np.testing.assert_allclose(h, rows * 2.0 * X, rtol=1e-6)


def test_what_gathers_from_the_value() -> None:
    """Along another axis TensorFlow reads the variable before, and a map does not say this."""
    v = tf.Variable(X)
    rules = {"ResourceGather": rows_tenfold, "ResourceGatherNd": rows_tenfold}
    for program in (
        lambda: tf.gather(v, [1], axis=1),
        lambda: tf.gather(v, [1], axis=-2),
        lambda: tf.gather(v, [[0, 1]] * 3, batch_dims=1),
        lambda: tf.gather(v.read_value(), [1]),
        lambda: tf.gather_nd(v, [[[0]]] * 3, batch_dims=1),
    ):
        with tf.GradientTape() as tape, tf.gradient_override_map(rules):
            y = program()
        assert np.max(tf.convert_to_tensor(tape.gradient(y, v))) == 1.0


def test_gathering_in_a_file() -> None:
    """The name of the gradient goes along."""
    with tf.Graph().as_default() as graph:
        v = v1.get_variable("v", initializer=X, use_resource=True)
        with graph.gradient_override_map({"ResourceGather": "TestRowsTenfold"}):
            tf.gather(v, [1], name="y")
        made = v1.train.export_meta_graph()
    with tf.Graph().as_default() as graph, v1.Session() as session:
        v1.train.import_meta_graph(made)
        (v,) = v1.global_variables()
        session.run(v.initializer)
        y = graph.get_tensor_by_name("y:0")
        g = session.run(tf.convert_to_tensor(v1.gradients(y, v)[0]))
    np.testing.assert_array_equal(g, [[0.0] * 4, [10.0] * 4, [0.0] * 4])


def test_gathering_in_a_batch() -> None:
    v = tf.Variable(X)

    def one(i: Any) -> Any:
        with tf.gradient_override_map({"ResourceGather": rows_tenfold}):
            return tf.gather(v, i[None])

    with tf.GradientTape() as tape:
        y = tf.vectorized_map(one, tf.constant([2, 0]))
    np.testing.assert_array_equal(y, X[[2, 0]][:, None])
    g = tf.convert_to_tensor(tape.gradient(y, v))
    np.testing.assert_array_equal(g, [[10.0] * 4, [0.0] * 4, [10.0] * 4])


# ---- functions that have a gradient of their own ------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["Sigmoid", "Mul"])
def test_maps_do_not_reach_into_swish(way: str, kind: str) -> None:
    """TensorFlow gives it a gradient of its own; what is beside it has the one of the map."""

    def both(x: Any) -> Any:
        found = []
        for rules in ({}, {kind: lambda op, g: [100.0 * g] * len(op.inputs)}):
            with tf.GradientTape() as tape, tf.gradient_override_map(rules):
                tape.watch(x)
                y = tf.nn.swish(x, 2.0)
                z = tf.sigmoid(x) * x
            found.append(derivative(y, x, None if way == "graph" else tape))
        return [*found, z]

    want, found, _ = computed(way, both, X)
    np.testing.assert_array_equal(found, want)


def test_what_follows_swish_is_reached() -> None:
    with tf.GradientTape() as tape, tf.gradient_override_map({"Sigmoid": "Identity"}):
        x = tf.Variable(0.0)
        y = tf.sigmoid(tf.nn.swish(x) + x)
    assert tape.gradient(y, x) == 1.5


# ---- functions of several operations ------------------------------------------------------------

IMAGE = np.random.default_rng(8).normal(size=(1, 4, 4, 2)).astype(np.float32)
FILTER = np.random.default_rng(9).normal(size=(2, 2, 2, 1)).astype(np.float32)
LABELS = np.array([[0.2, 0.3, 0.1, 0.4], [1.0, 0.0, 0.0, 0.0], [0.0, 0.5, 0.5, 0.0]], np.float32)

# What TensorFlow makes it of, and how often; a program, and what it is given.
MADE_OF: dict[str, tuple[dict[str, int], Callable[[Any], Any], Any]] = {
    "l2_normalize": ({"Square": 1}, lambda x: tf.nn.l2_normalize(x, 1), X),
    "norm": ({"Squeeze": 1, "Sqrt": 1}, tf.norm, X),
    "norm of rows": ({"Squeeze": 1}, lambda x: tf.norm(x, axis=1), X),
    "clip_by_norm": ({"Identity": 1, "Select": 2}, lambda x: tf.clip_by_norm(x, 1.0), X),
    "sigmoid cross entropy": ({"Neg": 1, "Select": 2},
        lambda x: tf.nn.sigmoid_cross_entropy_with_logits(LABELS, x), X),
    "weighted cross entropy": ({"Abs": 1, "Exp": 1, "Log1p": 1, "Relu": 1},
        lambda x: tf.nn.weighted_cross_entropy_with_logits(LABELS, x, 2.0), X),
    "gelu": ({"Pow": 1, "Tanh": 1}, lambda x: tf.nn.gelu(x, approximate=True), X),
    "softmax of columns": ({"Transpose": 2}, lambda x: tf.nn.softmax(x, 0), X),
    "log_softmax of columns": ({"Transpose": 2}, lambda x: tf.nn.log_softmax(x, 0), X),
    "softmax cross entropy": ({"Reshape": 2, "LogSoftmax": 0, "Sum": 0},
        lambda x: tf.nn.softmax_cross_entropy_with_logits(LABELS, x), X),
    "softmax loss of version 1": ({"Reshape": 2},
        lambda x: v1.losses.softmax_cross_entropy(LABELS, x), X),
    "repeat": ({"Reshape": 1, "Tile": 1}, lambda x: tf.repeat(x, 2, 0), X),
    "repeat elements": ({"Tile": 1}, lambda x: tf.repeat(x, 3), X),
    "moments": ({"SquaredDifference": 1, "Mean": 2},
        lambda x: tf.stack(tf.nn.moments(x, [0])), X),
    "pinv": ({"Svd": 1}, tf.linalg.pinv, X[:, :3]),
    "atrous_conv2d": ({"SpaceToBatchND": 1, "BatchToSpaceND": 1, "Conv2D": 1},
        lambda x: tf.nn.atrous_conv2d(x, FILTER, 2, "SAME"), IMAGE),
    "sort": ({"Neg": 2, "TopKV2": 1}, tf.sort, X),
    "embeddings": ({"Identity": 1}, lambda x: tf.nn.embedding_lookup(x, [1, 0, 1]), X),
    "Add": ({"Add": 1}, lambda x: tf.raw_ops.Add(x=x, y=x[:1]), X),
    "Inv": ({"Inv": 1}, lambda x: tf.raw_ops.Inv(x=x), X),
    "MatrixDiag": ({"MatrixDiag": 1}, lambda x: tf.raw_ops.MatrixDiag(diagonal=x), X),
}  # fmt: skip
EACH = [(what, kind) for what, (kinds, _, _) in MADE_OF.items() for kind in kinds]


@pytest.mark.parametrize(("what", "kind"), EACH)
@pytest.mark.parametrize("way", WAYS)
def test_what_functions_are_made_of(way: str, what: str, kind: str) -> None:
    """A map from it is followed; by the operation's own gradient nothing changes."""
    kinds, program, given = MADE_OF[what]
    own = find("python.framework.ops", "gradient_registry").lookup(kind)
    seen: list[str] = []

    def rule(op: Any, *gs: Any) -> Any:
        seen.append(op.type)
        return own(op, *gs)

    def both(x: Any) -> Any:
        found = []
        for rules in ({}, {kind: rule}):
            with tf.GradientTape() as tape, tf.gradient_override_map(rules):
                tape.watch(x)
                y = program(x)
                z = tf.reduce_sum(tf.sin(y))
            pulled = derivative(z, x, None if way == "graph" else tape)
            found += [y, tf.convert_to_tensor(pulled)]
        return found

    y, want, same, g = computed(way, both, given)
    np.testing.assert_allclose(same, y, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(g, want, rtol=1e-4, atol=1e-5)
    of_sums = ("Sum",)  # of which the test has one itself
    assert seen == [kind] * (kinds[kind] + (kind in of_sums))


def test_printing_of_version_1(capfd: pytest.CaptureFixture[str]) -> None:
    seen: list[int] = []

    def rule(op: Any, g: Any) -> Any:
        seen.append(len(op.inputs))
        return [5.0 * g, None, None]

    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [2])
        with tf.gradient_override_map({"Print": rule}):
            y = v1.Print(x, [x, tf.constant(7)], "it is ")
        found = session.run([y, v1.gradients(y, x)[0]], {x: [1.0, 2.0]})
    np.testing.assert_array_equal(found, [[1.0, 2.0], [5.0, 5.0]])
    assert seen == [3]
    assert "it is [1 2]" in capfd.readouterr().err


# ---- what is passed over ------------------------------------------------------------------------

PASSED_OVER: list[tuple[str, str, Callable[[Any], Any]]] = [
    ("Tile", "tf.repeat", lambda x: tf.repeat(x, [1, 0, 2], 0)),
    ("Slice", "tf.linspace", lambda x: tf.linspace(x[0, 0], 1.0, 3)),
    ("ExpandDims", "tf.image.rgb_to_grayscale", lambda x: tf.image.rgb_to_grayscale(x[:, :3])),
]


@pytest.mark.parametrize(("kind", "who", "program"), PASSED_OVER)
def test_a_map_that_a_function_passes_over(
    kind: str, who: str, program: Callable[[Any], Any]
) -> None:
    said = f"names '{kind}', of which TensorFlow makes {who}. Here it is made of"
    with (
        tf.gradient_override_map({kind: lambda op, g: g}),
        pytest.warns(GradientWarning, match=said) as caught,
    ):
        program(tf.constant(X))
    assert [w.filename for w in caught] == [__file__]


@pytest.mark.filterwarnings("error")
def test_maps_that_mean_something_else() -> None:
    """There is no warning around what has no gradient, nor where another type is named."""
    with tf.gradient_override_map({"Tile": "Identity", "Slice": "Identity"}):
        tf.repeat(tf.constant([1, 2]), [1, 2])
        tf.linspace(0.0, 1.0, 3)
    for _, _, program in PASSED_OVER:
        with tf.gradient_override_map({"Tanh": "Identity"}):
            program(tf.constant(X))
