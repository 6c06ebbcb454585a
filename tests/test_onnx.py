"""The forward graph as ONNX: what is written, and, where ONNX is installed, that it computes the same numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import optable
import pytest
from samples import Case

import wengert as tf
from wengert.formats.wire import Fields
from wengert.insight.onnx.export import RULES

DTYPES = {1: "<f4", 6: "<i4", 7: "<i8", 9: "?", 11: "<f8"}
WEIGHTS = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="weights")
SCALE = tf.constant([2.0, 3.0])


class Node(NamedTuple):
    kind: str
    inputs: list[str]
    outputs: list[str]
    name: str
    about: str
    domain: str
    attributes: dict[str, Fields]


class Model:
    """A model, read back by what wrote it."""

    def __init__(self, data: bytes) -> None:
        whole = Fields(data)
        graph = whole.message(7)
        self.sets = {s.text(1): s.integer(2) for s in whole.messages(8)}
        self.name = graph.text(2)
        self.nodes = [
            Node(
                n.text(4), n.texts(1), n.texts(2), n.text(3), n.text(6), n.text(7),
                {a.text(1): a for a in n.messages(5)},
            )
            for n in graph.messages(1)
        ]  # fmt: skip
        self.constants = {t.text(8): array_of(t) for t in graph.messages(5)}
        self.inputs, self.outputs, self.inner = (
            {v.text(1): form_of(v) for v in graph.messages(field)} for field in (11, 12, 13)
        )

    def node(self, kind: str) -> Node:
        (found,) = [n for n in self.nodes if n.kind == kind]
        return found


def array_of(tensor: Fields) -> Any:
    shape = tensor.integers(1)
    return np.frombuffer(bytes(tensor.data(9)), DTYPES[tensor.integer(2)]).reshape(shape)


def form_of(info: Fields) -> tuple[str, list[Any]]:
    kind = info.message(2).message(1)
    sizes = [s.integer(1) if 1 in s else s.text(2) for s in kind.message(2).messages(1)]
    return DTYPES[kind.integer(1)], sizes


def program(x: Any) -> Any:
    with tf.name_scope("layer"):
        h = tf.tanh(x @ WEIGHTS)
    return tf.reduce_sum(h * SCALE * 0.5, axis=0)


def test_names_shapes_and_constants(tmp_path: Path) -> None:
    found = tf.draw(program, tf.ones([3, 2])).onnx(tmp_path / "program.onnx")
    assert (tmp_path / "program.onnx").read_bytes() == found.data
    assert found.complete
    model = Model(found.data)
    assert model.name == "program"
    assert model.sets == {"": 18}
    assert model.inputs == {"x": ("<f4", [3, 2])}
    assert model.outputs == {"value": ("<f4", [2])}
    assert model.inner["layer/Tanh"] == ("<f4", [3, 2])
    assert model.node("MatMul").inputs == ["x", "weights"]  # what reads the variable is no node
    np.testing.assert_array_equal(model.constants["weights"], [[1.0, 2.0], [3.0, 4.0]])
    assert model.constants["0.5"] == np.float32(0.5)
    assert [2.0, 3.0] in [c.tolist() for c in model.constants.values()]
    tanh = model.node("Tanh")
    assert tanh.name == "layer/Tanh"
    assert tanh.about.endswith(": h = tf.tanh(x @ WEIGHTS)")
    total = model.node("ReduceSum")
    assert total.outputs == ["value"]
    assert model.constants[total.inputs[1]].tolist() == [0]
    assert total.attributes["keepdims"].integer(3) == 0
    assert total.attributes["keepdims"].integer(20) == 2
    written = {*model.inputs, *model.constants}
    for node in model.nodes:  # each value is written once, before it is read
        assert {x for x in node.inputs if x} <= written
        assert written.isdisjoint(node.outputs)
        written.update(node.outputs)


def test_variables_of_one_name_are_two() -> None:
    a, b = tf.Variable([1.0, 2.0], name="w"), tf.Variable([3.0, 4.0], name="w")
    found = tf.draw(
        lambda x: (x * a + b) * tf.ones([2]) * tf.constant([5.0, 6.0]), tf.ones([2])
    ).onnx()
    constants = sorted(c.tolist() for c in Model(found.data).constants.values())
    assert constants == [[1.0, 1.0], [1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]


def test_what_onnx_lacks() -> None:
    def mixed(x: Any) -> Any:
        y = tf.sin(tf.linalg.inv(x))
        (z,) = tf.while_loop(lambda z: tf.reduce_sum(z) < 9.0, lambda z: z * 2.0, (y,))
        return z

    drawing = tf.draw(mixed, tf.eye(2))
    found = drawing.onnx()
    assert [w.type for w in found.without] == ["MatrixInverse", "While"]
    assert not found.complete
    model = Model(found.data)
    assert model.sets == {"": 18, "wengert": 1}
    assert [(n.kind, n.domain) for n in model.nodes] == [
        ("MatrixInverse", "wengert"), ("Sin", ""), ("While", "wengert"),
    ]  # fmt: skip
    assert "MatrixInverse" in str(found)
    assert json.loads(json.dumps(found.to_dict()))["without"][1]["reason"] == "a loop, or a branch"
    with pytest.raises(NotImplementedError, match=r"counterpart of MatrixInverse .*test_onnx\.py:\d+: y = tf\.sin"):  # fmt: skip
        drawing.onnx(strict=True)


def test_unknown_sizes_have_names() -> None:
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None, 2], name="x")
        found = tf.draw(tf.nn.softmax(x * 2.0), x).onnx(strict=True)
    model = Model(found.data)
    assert model.inputs == {"x": ("<f4", ["x_0", 2])}
    assert model.node("Softmax").attributes["axis"].integer(3) == 1


def test_a_row_of_the_users_with_the_name_of_another() -> None:
    """What a rule is for is the operation of the table, not the name."""

    @tf.custom_gradient
    def shifted(x: Any) -> Any:
        return tf.exp(x) + 1.0, lambda g: g

    found = tf.draw(lambda x: shifted(x), tf.ones([2])).onnx(strict=True)
    assert [n.kind for n in Model(found.data).nodes if n.kind != "Identity"] == ["Exp", "Add"]


def real(x: Any) -> Any:
    return x.astype(np.float32) if x.dtype == np.float64 else x


CASES = [
    case for case in optable.CASES
    if not case.is_stateful
    and case.line.type != "Bitcast"  # which takes no float32 for its float64
    and all(x.dtype.kind in "fiub" for x in case.inputs())
]  # fmt: skip


def written(case: Case) -> tuple[list[Any], Any, Any]:
    """The inputs of a case in float32, what its first result is, and the model; None if it has no numbers."""
    xs = [real(x) for x in case.inputs()]
    value = case.call(*map(tf.constant, xs))
    is_many = isinstance(value, (list, tuple))
    first = value[0] if is_many else value
    if not isinstance(first, tf.Tensor) or first.numpy().dtype.kind not in "fiub":
        return xs, None, None
    call = (lambda *a: list(case.call(*a))[0]) if is_many else case.call
    return xs, first.numpy(), tf.draw(call, *xs).onnx()


def test_each_rule_writes_its_operation() -> None:
    """The form of what comes out is that of the operation; nodes of our own domain stand for nothing that has a rule."""
    unseen = set(RULES)
    for case in CASES:
        if case.line.type not in unseen:
            continue
        _, value, found = written(case)
        if value is None or not found.complete:
            continue
        (form,) = Model(found.data).outputs.values()
        sizes = [n if isinstance(n, str) else m for n, m in zip(form[1], value.shape, strict=True)]
        assert form[1] == sizes, case
        unseen.discard(case.line.type)
    # Some have no line, or one that is no call of them alone.
    assert unseen <= {"EnsureShape", "PlaceholderWithDefault", "Unique", "StridedSliceGrad", "TensorScatterMin"}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_numbers_are_the_same(case: Case) -> None:
    onnx: Any = pytest.importorskip("onnx")
    xs, value, found = written(case)
    if value is None or not found.complete:
        pytest.skip("it has no counterpart")
    model = onnx.load_from_string(found.data)
    onnx.checker.check_model(model, full_check=True)
    names = [x.name for x in model.graph.input]
    (result,) = run(found.data, dict(zip(names, xs, strict=True)))
    assert np.asarray(result).dtype == value.dtype
    np.testing.assert_allclose(result, value, rtol=2e-5, atol=2e-6)


def run(data: bytes, inputs: dict[str, Any]) -> Any:
    """By the runtime where it is there, otherwise by what defines the operators."""
    onnx: Any = pytest.importorskip("onnx.reference")
    try:
        runtime: Any = __import__("onnxruntime")
        runtime.set_default_logger_severity(4)
        return runtime.InferenceSession(data).run(None, inputs)
    except Exception:  # not there, or without a kernel for these dtypes
        return onnx.ReferenceEvaluator(data).run(None, inputs)


@pytest.mark.slow
def test_a_network() -> None:
    """Convolutions, pooling, normalization and variables in one program."""
    pytest.importorskip("onnx")
    rng = np.random.default_rng(0)
    kernel = tf.Variable(rng.normal(size=[3, 3, 2, 4]).astype(np.float32), name="kernel")
    dense = tf.Variable(rng.normal(size=[36, 3]).astype(np.float32), name="dense")

    def network(images: Any) -> Any:
        h = tf.nn.conv2d(images, kernel, 2, "SAME")
        mean, variance = tf.nn.moments(h, [0, 1, 2])
        h = tf.nn.relu(tf.nn.batch_normalization(h, mean, variance, None, None, 1e-3))
        h = tf.nn.max_pool2d(h, 2, 1, "SAME")
        return tf.nn.softmax(tf.reshape(h, [h.shape[0], -1]) @ dense)

    images = rng.normal(size=[2, 6, 5, 2]).astype(np.float32)
    found = tf.draw(network, images).onnx(strict=True)
    assert {"kernel", "dense"} <= set(Model(found.data).constants)
    (result,) = run(found.data, {"images": images})
    np.testing.assert_allclose(result, network(tf.constant(images)), rtol=1e-5, atol=1e-6)
