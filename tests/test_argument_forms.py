"""Gradient functions that were written for TensorFlow: axes, shapes and their kin are inputs of the operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.overrides.argument_forms import argument_forms

v1 = tf.compat.v1
X = np.random.default_rng(3).normal(size=(2, 4)).astype(np.float32)


def spread(op: Any, g: Any) -> Any:
    """A sum's gradient, by its axes."""
    axes = op.inputs[1]
    assert axes.dtype == tf.int32
    kept = g if op.get_attr("keep_dims") else tf.reshape(g, with_ones(op.inputs[0], axes))
    return [kept * tf.ones_like(op.inputs[0]), None]


def with_ones(x: Any, axes: Any) -> Any:
    """The shape of a reduction that keeps its axes."""
    axes = np.atleast_1d(tf.get_static_value(axes)) % x.shape.rank
    return [1 if k in axes else tf.shape(x)[k] for k in range(x.shape.rank)]


def of_pad(op: Any, g: Any) -> Any:
    before = op.inputs[1][:, 0]
    return tf.slice(g, before, tf.shape(op.inputs[0])), None


def of_mirror(op: Any, g: Any) -> Any:
    mode = op.get_attr("mode").decode()
    return tf.raw_ops.MirrorPadGrad(input=g, paddings=op.inputs[1], mode=mode), None


def of_top(op: Any, g: Any, _: Any) -> Any:
    x, k = op.inputs
    assert int(k) == g.shape[-1]
    return [tf.reduce_sum(tf.one_hot(op.outputs[1], x.shape[-1]) * g[..., None], -2), None]


def of_tile(op: Any, g: Any) -> Any:
    x, multiples = op.inputs
    shape = tf.reshape(tf.stack([multiples, tf.shape(x)], 1), [-1])
    return [tf.reduce_sum(tf.reshape(g, shape), [0, 2]), None]


def of_strided_slice(op: Any, g: Any) -> Any:
    x, begin, end, strides = op.inputs
    masks = {f"{m}_mask": op.get_attr(f"{m}_mask")
             for m in ("begin", "end", "ellipsis", "new_axis", "shrink_axis")}  # fmt: skip
    found = tf.raw_ops.StridedSliceGrad(
        shape=tf.shape(x), begin=begin, end=end, strides=strides, dy=g, **masks
    )
    return [found, None, None, None]


def of_slice(op: Any, g: Any) -> Any:
    x, begin, size = op.inputs
    assert op.get_attr("Index") == begin.dtype == tf.int32
    return [tf.pad(g, tf.stack([begin, tf.shape(x) - size - begin], 1)), None, None]


def of_set_diag(op: Any, g: Any) -> Any:
    _, diagonal, k = op.inputs
    rest = tf.linalg.set_diag(g, tf.zeros_like(diagonal), k=int(k))
    return [rest, tf.linalg.diag_part(g, k=int(k)), None]


def of_sparse_product(op: Any, g: Any) -> Any:
    places, values, shape, b = op.inputs
    assert (shape.dtype, op.get_attr("Tindices")) == (tf.int64, tf.int64)
    assert not op.get_attr("adjoint_a")
    assert b.shape.rank == 2
    a = tf.SparseTensor(places, values, shape)
    return [None, None, None, tf.sparse.sparse_dense_matmul(a, g, adjoint_a=True)]


SPARSE = tf.SparseTensor([[0, 0], [2, 1]], [2.0, -3.0], [3, 2])


# A type, a program, and a function for it as TensorFlow's own are written: as many gradients as inputs there.
RULES: list[tuple[str, Callable[..., Any], Callable[..., Any]]] = [
    ("Sum", lambda x: tf.reduce_sum(x, 1), spread),
    ("Sum", lambda x: tf.reduce_sum(x), spread),
    ("Sum", lambda x: tf.reduce_sum(x, -1, keepdims=True), spread),
    ("Reshape", lambda x: tf.reshape(x, [4, -1]),
     lambda op, g: [tf.reshape(g, tf.shape(op.inputs[0])), None]),
    ("Transpose", lambda x: tf.transpose(x),
     lambda op, g: [tf.transpose(g, tf.math.invert_permutation(op.inputs[1])), None]),
    ("ExpandDims", lambda x: tf.expand_dims(x, 1),
     lambda op, g: [tf.squeeze(g, int(op.inputs[1])), None]),
    ("Pad", lambda x: tf.pad(x, [[1, 0], [2, 1]]), of_pad),
    ("MirrorPad", lambda x: tf.pad(x[:, :2], [[1, 1], [1, 0]], "REFLECT"), of_mirror),
    ("Tile", lambda x: tf.tile(x, [2, 3]), of_tile),
    ("ConcatV2", lambda x: tf.concat([x, 2.0 * x], -1),
     lambda op, g: [*tf.split(g, 2, op.inputs[-1]), None]),
    ("Split", lambda x: tf.stack(tf.split(x, 2, 1)) * [[[1.0]], [[3.0]]],
     lambda op, *gs: [None, tf.concat(gs, op.inputs[0])]),
    ("SplitV", lambda x: tf.concat(tf.split(x, [1, 3], 1)[::-1], 1),
     lambda op, *gs: [tf.concat(gs, op.inputs[2]), None, None]),
    ("Cumsum", lambda x: tf.cumsum(x, 1),
     lambda op, g: [tf.cumsum(g, op.inputs[1], reverse=True), None]),
    ("ReverseV2", lambda x: tf.reverse(x, [1]) * X,
     lambda op, g: [tf.reverse(g, op.inputs[1]), None]),
    ("Roll", lambda x: tf.roll(x, 1, 1) * X,
     lambda op, g: [tf.roll(g, -op.inputs[1], op.inputs[2]), None, None]),
    ("GatherV2", lambda x: tf.gather(x, [3, 0, 0], axis=1),
     lambda op, g: [tf.transpose(tf.math.unsorted_segment_sum(
         tf.transpose(g), op.inputs[1], op.inputs[0].shape[int(op.inputs[2])])), None, None]),
    ("TopKV2", lambda x: tf.math.top_k(x, 2)[0], of_top),
    ("BroadcastTo", lambda x: tf.broadcast_to(x, [3, 2, 4]),
     lambda op, g: [tf.reduce_sum(g, list(range(len(op.inputs[1]) - 2))), None]),
    ("StridedSlice", lambda x: x[1:, ::2], of_strided_slice),
    ("StridedSlice", lambda x: x[None, ..., -1], of_strided_slice),
    ("Slice", lambda x: tf.slice(x, [1, 1], [1, 2]), of_slice),
    ("MatrixDiagV3", lambda x: tf.linalg.diag(x),
     lambda op, g: [tf.linalg.diag_part(g, k=int(op.inputs[1])), *[None] * 4]),
    ("MatrixDiagPartV3", lambda x: tf.linalg.diag_part(x, k=1),
     lambda op, g: [tf.linalg.set_diag(tf.zeros_like(op.inputs[0]), g, k=int(op.inputs[1])),
                    None, None]),
    ("MatrixSetDiagV3", lambda x: tf.linalg.set_diag(x, x[0, :2]), of_set_diag),
    ("SparseTensorDenseMatMul", lambda x: tf.sparse.sparse_dense_matmul(SPARSE, x),
     of_sparse_product),
]  # fmt: skip
NAMES = [f"{kind} {k}" for k, (kind, _, _) in enumerate(RULES)]


def doubled(rule: Callable[..., Any]) -> Callable[..., Any]:
    """So that it shows which rule was used."""

    def function(op: Any, *gs: Any) -> Any:
        return [None if g is None else 2.0 * g for g in rule(op, *gs)]

    if rule is of_top:
        return lambda op, g, _: function(op, g, _)
    return function


def gradient(program: Callable[..., Any], x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_mean(tf.sin(program(x)))
    return tape.gradient(y, x)


@pytest.mark.parametrize(("kind", "program", "rule"), RULES, ids=NAMES)
@pytest.mark.parametrize("way", ["eager", "function", "compiled", "unknown sizes"])
def test_rules_of_a_block(
    way: str, kind: str, program: Callable[..., Any], rule: Callable[..., Any]
) -> None:
    """The gradient of the operations in a block, in every mode."""

    def within(x: Any) -> Any:
        with tf.gradient_override_map({kind: doubled(rule)}):
            return program(x)

    def run(x: Any) -> Any:
        return gradient(within, x)

    specs = [tf.TensorSpec([None, 4] if way == "unknown sizes" else [2, 4])]
    f = run if way == "eager" else tf.function(run, specs, jit_compile=way == "compiled")
    want = gradient(program, tf.constant(X))
    np.testing.assert_allclose(f(tf.constant(X)), 2.0 * want, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("kind", "program", "rule"), RULES, ids=NAMES)
def test_rules_given_afterwards(
    kind: str, program: Callable[..., Any], rule: Callable[..., Any]
) -> None:
    """On a tape, of which the values that a rule reads may have to be computed again."""
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_mean(tf.sin(program(x)))
    found = tape.gradient(y, x, overrides={kind: doubled(rule)})
    np.testing.assert_allclose(found, 2.0 * gradient(program, x), rtol=1e-5, atol=1e-6)


def test_a_registered_gradient_in_a_graph() -> None:
    """As programs of version 1 do it."""

    @tf.RegisterGradient("SumByItsAxis")
    def rule(op: Any, g: Any) -> Any:
        assert len(op.inputs) == 2
        assert [x.shape.rank for x in op.inputs] == [2, 0]
        assert len(list(op.inputs)) == len(op.inputs[:]) == 2
        return [tf.ones_like(op.inputs[0]) * tf.expand_dims(g, op.inputs[1]) * 5.0, None]

    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [None, 4])
        with graph.gradient_override_map({"Sum": "SumByItsAxis"}):
            y = tf.reduce_sum(x, 1)
        (g,) = v1.gradients(y, x)
        count = len(graph.get_operations())
        assert "Const" in {op.type for op in graph.get_operations()}
        with v1.Session() as session:
            assert (session.run(g, {x: X}) == 5.0).all()
        assert len(graph.get_operations()) == count


def test_functions_of_our_own_arguments() -> None:
    """As many gradients as there are inputs here do as well."""
    for rule in (
        lambda op, g: 3.0 * g[:, None] * tf.ones_like(op.inputs[0]),
        lambda op, g: [3.0 * g[:, None] * tf.ones_like(op.inputs[0])],
    ):
        with tf.gradient_override_map({"Sum": rule}):
            found = gradient(lambda x: tf.reduce_sum(x, 1), tf.constant(X))
        want = gradient(lambda x: tf.reduce_sum(x, 1), tf.constant(X))
        np.testing.assert_allclose(found, 3.0 * want, rtol=1e-6)


def test_forms_name_what_is_there() -> None:
    """A form is of inputs that are counted, of all, or of attributes."""
    for name, form in argument_forms().items():
        words = [w.partition("=")[2] or w for w in form.inputs]
        assert all(w == "*" or w.isdigit() or w.isidentifier() for w in words), name


# ---- types that functions make there ------------------------------------------------------------

LABELS = np.array([[0.2, 0.3, 0.1, 0.4], [1.0, 0.0, 0.0, 0.0]], np.float32)
MADE: dict[str, tuple[str, Callable[..., Any]]] = {
    "cross entropy": ("SoftmaxCrossEntropyWithLogits",
        lambda x: tf.nn.softmax_cross_entropy_with_logits(LABELS, x)),
    "along the first axis": ("SoftmaxCrossEntropyWithLogits",
        lambda x: tf.nn.softmax_cross_entropy_with_logits(LABELS, x, axis=0)),
    "of one row of labels": ("SoftmaxCrossEntropyWithLogits",
        lambda x: tf.nn.softmax_cross_entropy_with_logits(LABELS[:1], x)),
    "of version 1": ("SoftmaxCrossEntropyWithLogits",
        lambda x: v1.nn.softmax_cross_entropy_with_logits_v2(labels=LABELS, logits=x)),
    "of classes": ("SparseSoftmaxCrossEntropyWithLogits",
        lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits([1, 2], x)),
    "clip, from above": ("Minimum", lambda x: tf.clip_by_value(x, -0.5, 0.5)),
    "clip, from below": ("Maximum", lambda x: tf.clip_by_value(x, -0.5, 0.5)),
    "clip": ("ClipByValue", lambda x: tf.clip_by_value(x, -0.5, 0.5)),
    "where": ("Select", lambda x: v1.where(x > 0.0, x, 0.5 * x)),
    "fill": ("Fill", lambda x: tf.fill([2, 3], x[0, 0])),
    "bias": ("BiasAdd", lambda x: v1.nn.xw_plus_b(x, tf.ones([4, 3]), tf.ones([3]))),
    "layer": ("BiasAdd", lambda x: v1.nn.relu_layer(x, tf.ones([4, 3]), tf.ones([3]))),
}  # fmt: skip


def nothing(op: Any, *gs: Any) -> Any:
    return [tf.zeros_like(x) if x.dtype.is_floating else None for x in op.inputs]


@pytest.mark.parametrize("what", MADE)
@pytest.mark.parametrize("way", ["eager", "function", "compiled", "graph"])
def test_types_are_those_of_tensorflow(way: str, what: str) -> None:
    """A map from a type that TensorFlow's function makes is not passed over; the values stay."""
    kind, program = MADE[what]

    def within(x: Any) -> Any:
        with tf.gradient_override_map({kind: nothing}):
            return program(x)

    y = program(tf.constant(X))
    if way == "graph":
        with tf.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder(tf.float32, [None, 4])
            made = within(x)
            value, g = session.run([made, v1.gradients(made, x)[0]], {x: X})
    else:
        f = within if way == "eager" else tf.function(within, jit_compile=way == "compiled")
        x = tf.constant(X)
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = f(x)
        g = tape.gradient(value, x)
    np.testing.assert_allclose(value, y, rtol=1e-6, atol=1e-6)
    clipped = "clip, " in what  # the other bound keeps its gradient
    assert not np.any(g) or clipped
    assert not clipped or not np.any(np.asarray(g)[np.abs(X) < 0.5])
    assert np.any(gradient(program, tf.constant(X)))


def test_cotangents_of_results_that_are_none_here() -> None:
    """A function for two results gets None for the second."""
    for what in ("cross entropy", "of classes"):
        kind, program = MADE[what]
        got: list[Any] = []

        def rule(op: Any, g: Any, other: Any, got: Any = got) -> Any:
            got.append(other)
            return [g[:, None] * tf.ones_like(op.inputs[0]), None]

        with tf.gradient_override_map({kind: rule}):
            gradient(program, tf.constant(X))
        assert got == [None]


@pytest.mark.parametrize("what", ["cross entropy", "of classes"])
@pytest.mark.parametrize("way", ["eager", "compiled", "graph"])
def test_the_second_result_of_a_cross_entropy(what: str, way: str) -> None:
    """Its derivative, by which TensorFlow's own gradient function is written."""
    kind, program = MADE[what]

    def rule(op: Any, g: Any, _: Any) -> Any:
        loss, slope = op.outputs
        assert len(op.outputs) == len(op.outputs[:]) == 2
        assert loss.shape.rank == 1
        return [2.0 * g[:, None] * slope, None]

    def within(x: Any) -> Any:
        with tf.gradient_override_map({kind: rule}):
            return program(x)

    want = gradient(program, tf.constant(X))
    if way == "graph":
        with tf.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder(tf.float32, [None, 4])
            y = tf.reduce_mean(tf.sin(within(x)))
            found = session.run(v1.gradients(y, x)[0], {x: X})
    else:
        f = tf.function(lambda x: gradient(within, x), jit_compile=True)
        found = f(tf.constant(X)) if way == "compiled" else gradient(within, tf.constant(X))
    np.testing.assert_allclose(found, 2.0 * want, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("compiled", [None, False, True])
def test_an_override_within_a_batch_to_second_order(compiled: bool | None) -> None:
    """Whose attributes the operation around it has, too."""

    def rule(op: Any, g: Any) -> Any:
        return [op.inputs[0] ** 2 * tf.expand_dims(g, op.inputs[1]), None]

    def row(r: Any) -> Any:
        with tf.gradient_override_map({"Sum": rule}):
            return tf.reduce_sum(r[None], axis=1)[0] ** 2

    def both(x: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.vectorized_map(row, x)
            g = tape.gradient(y, x)
        return g, outer.gradient(g, x)

    f = both if compiled is None else tf.function(both, jit_compile=compiled)
    g, h = f(tf.ones([3, 4]))
    assert (g.numpy() == 8.0).all()
    assert (h.numpy() == 24.0).all()


# Of a type what a program gave: as an input, or as an attribute.
GIVEN: list[tuple[str, Callable[..., Any], int | str, Any]] = [
    ("Sum", lambda x: tf.reduce_sum(x, 1), 1, 1),
    ("Sum", lambda x: tf.reduce_sum(x, -1), 1, -1),
    ("Sum", lambda x: tf.reduce_sum(x, [1]), 1, [1]),
    ("Sum", lambda x: tf.reduce_sum(x, (1, -2)), 1, [1, -2]),
    ("Sum", lambda x: tf.reduce_sum(x, tf.constant(-1)), 1, -1),
    ("Sum", lambda x: tf.reduce_sum(x, np.array([-1])), 1, [-1]),
    ("Sum", lambda x: tf.reduce_sum(x, []), 1, []),
    ("Sum", lambda x: tf.reduce_sum(x), 1, [0, 1]),
    ("Max", lambda x: tf.reduce_max(x, 0), 1, 0),
    ("Roll", lambda x: tf.roll(x, 1, -1), 1, 1),
    ("Roll", lambda x: tf.roll(x, 1, -1), 2, -1),
    ("Roll", lambda x: tf.roll(x, [1, 2], [0, -1]), 2, [0, -1]),
    ("Squeeze", lambda x: tf.squeeze(x[None]), "squeeze_dims", []),
    ("Squeeze", lambda x: tf.squeeze(x[None], 0), "squeeze_dims", [0]),
    ("Squeeze", lambda x: tf.squeeze(x[None], [-3]), "squeeze_dims", [-3]),
    ("OneHot", lambda x: tf.one_hot([1], 3, x[0, 0], x[0, 1]), "axis", -1),
    ("OneHot", lambda x: tf.one_hot([1], 3, x[0, 0], x[0, 1], axis=0), "axis", 0),
    ("Pack", lambda x: tf.stack([x, x], -2), "axis", -2),
    ("Unpack", lambda x: tf.unstack(x, axis=-1), "axis", -1),
]


def differentiate(way: str, program: Callable[..., Any], rules: dict[str, Any]) -> None:
    """Have rules called for the gradient of a program: eagerly, compiled, for a batch, or in a graph of version 1."""

    def run(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            with tf.gradient_override_map(rules):
                y = program(x)
        tape.gradient(y, x)
        return y

    if way == "batch":
        tf.vectorized_map(run, tf.constant(X[None]))
    elif way == "graph":
        with tf.Graph().as_default():
            x = v1.placeholder(tf.float32, [2, 4])
            with tf.gradient_override_map(rules):
                y = program(x)
            v1.gradients(y, x)
    else:
        (run if way == "eager" else tf.function(run, jit_compile=True))(tf.constant(X))


@pytest.mark.parametrize(("kind", "program", "where", "given"), GIVEN)
@pytest.mark.parametrize("way", ["eager", "compiled", "graph"])
def test_rules_see_what_the_program_gave(
    way: str, kind: str, program: Callable[..., Any], where: int | str, given: Any
) -> None:
    """A number or a list, counted from either end."""
    seen = []

    def rule(op: Any, *gs: Any) -> Any:
        if isinstance(where, str):
            seen.append(op.get_attr(where))
        else:
            assert op.inputs[where].dtype is tf.int32
            seen.append(tf.get_static_value(op.inputs[where]).tolist())
        return [None] * len(op.inputs)

    differentiate(way, program, {kind: rule})
    assert seen[0] == given
    assert type(seen[0]) is type(given)


# ---- attributes, and results that are none here -------------------------------------------------


def normalized(x: Any) -> Any:
    return v1.nn.fused_batch_norm(x[None, None], tf.ones([4]), tf.zeros([4]), epsilon=0.5)[0]


# Of a type what TensorFlow says of a program's operation.
SAID: list[tuple[str, Callable[..., Any], dict[str, Any]]] = [
    ("SelectV2", lambda x: tf.where(x > 0.0, x, -x), {"T": tf.float32}),
    ("Select", lambda x: v1.where(x > 0.0, x, -x), {"T": tf.float32}),
    ("ScatterNd", lambda x: tf.scatter_nd([[1], [0]], x, [3, 4]),
     {"T": tf.float32, "Tindices": tf.int32}),
    ("DynamicStitch", lambda x: tf.dynamic_stitch([[0], [1]], [x[:1], x[1:]]),
     {"T": tf.float32, "N": 2}),
    ("IdentityN", lambda x: tf.identity_n([x, x])[0], {"T": [tf.float32, tf.float32]}),
    ("Mul", lambda x: x * x, {"T": tf.float32}),
    ("Sum", lambda x: tf.reduce_sum(x, 1), {"T": tf.float32, "Tidx": tf.int32, "keep_dims": False}),
    ("Fill", lambda x: tf.fill([2], x[0, 0]), {"T": tf.float32, "index_type": tf.int32}),
    ("MirrorPad", lambda x: tf.pad(x, [[0, 0], [1, 1]], "reflect"), {"mode": b"REFLECT"}),
    ("RFFT", lambda x: tf.abs(tf.signal.rfft(x)), {"Treal": tf.float32, "Tcomplex": tf.complex64}),
    ("FusedBatchNormV3", normalized,
     {"T": tf.float32, "U": tf.float32, "is_training": True, "data_format": b"NHWC",
      "epsilon": 0.5, "exponential_avg_factor": 1.0}),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "program", "said"), SAID)
@pytest.mark.parametrize("way", ["eager", "compiled", "batch", "graph"])
def test_attributes_are_as_tensorflow_says_them(
    way: str, kind: str, program: Callable[..., Any], said: dict[str, Any]
) -> None:
    seen: list[Any] = []

    def rule(op: Any, *gs: Any) -> Any:
        assert isinstance(op, tf.Operation)
        seen.append({name: op.get_attr(name) for name in said} | {"type": op.type})
        assert (op.node_def.op, op.op_def.name) == (kind, kind)
        with pytest.raises(ValueError, match="has no attr named 'nothing'"):
            op.get_attr("nothing")
        return [None] * len(op.inputs)

    differentiate(way, program, {kind: rule})
    assert seen[0] == {**said, "type": kind}


def test_the_name_of_the_rule_is_in_the_node() -> None:
    """As `_gradient_op_type`, in a graph and of a record."""
    found: list[Any] = []

    @tf.RegisterGradient("TestNamedInTheNode")
    def rule(op: Any, g: Any) -> Any:
        found.append(op.node_def.attr["_gradient_op_type"].s)
        found.append(op.get_attr("_gradient_op_type"))
        return g

    def program(x: Any) -> Any:
        with tf.gradient_override_map({"Tanh": "TestNamedInTheNode"}):
            return tf.tanh(x)

    gradient(program, tf.constant(X))
    tf.function(lambda: gradient(program, tf.constant(X)))()
    assert found == [b"TestNamedInTheNode"] * 4


@pytest.mark.parametrize("way", ["eager", "function", "compiled", "graph"])
def test_a_loss_of_sequences(way: str) -> None:
    """By the scores themselves, of which it has the slope as a second result: nothing after the end of an example."""
    labels = tf.SparseTensor([[0, 0], [1, 0]], [0, 1], [2, 1])
    scores = np.random.default_rng(5).normal(size=(3, 2, 4)).astype(np.float32)
    seen: list[Any] = []

    def loss(x: Any) -> Any:
        return v1.nn.ctc_loss(labels, x, [2, 3])

    def rule(op: Any, g: Any, of_slope: Any) -> Any:
        seen.append([len(op.inputs), len(op.outputs), op.get_attr("ctc_merge_repeated")])
        return [op.outputs[1] * tf.reshape(g, [1, -1, 1]) * 2.0, None, None, None]

    def with_rule(x: Any) -> Any:
        with tf.gradient_override_map({"CTCLoss": rule}):
            return loss(x)

    want = gradient(loss, tf.constant(scores))
    if way == "graph":
        with tf.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder(tf.float32, [3, 2, 4])
            y = with_rule(x)
            z = tf.reduce_mean(tf.sin(y))
            value, found = session.run([y, v1.gradients(z, x)[0]], {x: scores})
    else:
        f = tf.function(
            lambda x: (with_rule(x), gradient(with_rule, x)), jit_compile=way == "compiled"
        )
        x = tf.constant(scores)
        value, found = f(x) if way != "eager" else (with_rule(x), gradient(with_rule, x))
    np.testing.assert_allclose(value, loss(tf.constant(scores)), rtol=1e-5)
    np.testing.assert_allclose(found, 2.0 * want, rtol=1e-4, atol=1e-6)
    assert not np.any(want[2, 0])
    assert seen == [[4, 2, True]]


@pytest.mark.parametrize("way", ["eager", "function", "graph"])
def test_one_hot_of_values_that_are_tensors(way: str) -> None:
    """They are inputs, to which a gradient function may send something."""

    def rule(op: Any, g: Any) -> Any:
        indices, depth, on, off = op.inputs
        assert (indices.shape, depth.dtype, op.get_attr("T")) == ([2], tf.int32, tf.float32)
        chosen = tf.one_hot(indices, 3)
        return [None, None, tf.reduce_sum(g * chosen) * on, tf.reduce_sum(g * (1.0 - chosen)) + off]

    def program(x: Any) -> Any:
        with tf.gradient_override_map({"OneHot": rule}):
            return tf.one_hot([1, 7], 3, x[0], x[1]) * [1.0, 2.0, 4.0]

    def run(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = program(x)
        return y, tape.gradient(y, x)

    if way == "graph":
        with tf.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder(tf.float32, [2])
            y = program(x)
            y, g = session.run([y, v1.gradients(y, x)[0]], {x: [3.0, 5.0]})
    else:
        y, g = (run if way == "eager" else tf.function(run))(tf.constant([3.0, 5.0]))
    np.testing.assert_array_equal(y, [[5.0, 6.0, 20.0], [5.0, 10.0, 20.0]])
    np.testing.assert_array_equal(g, [2.0 * 3.0, 12.0 + 5.0])


@pytest.mark.parametrize("kind", ["FusedBatchNormV3", "Svd"])
def test_results_that_are_none_here_are_empty(kind: str) -> None:
    counts: list[Any] = []

    def rule(op: Any, *gs: Any) -> Any:
        counts.append((len(op.outputs), tuple(op.outputs[-1].shape)))
        return [None] * len(op.inputs)

    program = normalized if kind != "Svd" else lambda x: tf.linalg.svd(x, compute_uv=False)
    with tf.gradient_override_map({kind: rule}):
        gradient(program, tf.constant(X))
    assert counts == [(6 if kind != "Svd" else 3, (0,))]
