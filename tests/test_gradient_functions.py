"""The gradients of operations as functions, which rules of users call: nn_grad._ReluGrad and its kin."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.compat.resolver import NotFoundError, find

v1 = tf.compat.v1
X = np.random.default_rng(1).normal(size=(3, 4)).astype(np.float32)

# Of each module its functions, and a program of the operation.
FUNCTIONS: list[tuple[str, str, str, Callable[[Any], Any]]] = [
    ("nn_grad", "_ReluGrad", "Relu", tf.nn.relu),
    ("nn_grad", "_EluGrad", "Elu", tf.nn.elu),
    ("nn_grad", "_SoftplusGrad", "Softplus", tf.nn.softplus),
    ("nn_grad", "_SoftmaxGrad", "Softmax", tf.nn.softmax),
    ("math_grad", "_TanhGrad", "Tanh", tf.tanh),
    ("math_grad", "_SigmoidGrad", "Sigmoid", tf.sigmoid),
    ("math_grad", "_MulGrad", "Mul", lambda x: x * X[:1]),
    ("math_grad", "_AddGrad", "AddV2", lambda x: X[:, :1] + tf.square(x[:1])),
    ("math_grad", "_MaximumGrad", "Maximum", lambda x: tf.maximum(x, 0.1)),
    ("math_grad", "_MatMulGrad", "MatMul", lambda x: x @ X.T),
    ("math_grad", "_SumGrad", "Sum", lambda x: tf.reduce_sum(x, 1)),
    ("array_grad", "_ReshapeGrad", "Reshape", lambda x: tf.reshape(x, [4, 3])),
    ("array_grad", "_ConcatGradV2", "ConcatV2", lambda x: tf.concat([x, 2.0 * x], 1)),
    ("array_grad", "_TransposeGrad", "Transpose", tf.transpose),
]  # fmt: skip


def function_of(module: str, name: str) -> Callable[..., Any]:
    found: Callable[..., Any] = find(f"python.ops.{module}", name)
    return found


def doubled(found: Any) -> Any:
    if isinstance(found, (list, tuple)):
        return [None if g is None else 2.0 * g for g in found]
    return 2.0 * found


@pytest.mark.parametrize(("module", "name", "kind", "program"), FUNCTIONS)
@pytest.mark.parametrize("way", ["eager", "compiled", "afterwards", "graph"])
def test_a_rule_calls_the_operations_own(
    way: str, module: str, name: str, kind: str, program: Callable[[Any], Any]
) -> None:
    """Twice what it gives is twice the gradient, and not an endless recursion."""
    rules = {kind: lambda op, *gs: doubled(function_of(module, name)(op, *gs))}
    want = gradient(program, None, None)
    if way == "graph":
        with tf.Graph().as_default() as graph, v1.Session() as session:
            x = v1.placeholder(tf.float32, [None, 4])
            with graph.gradient_override_map(rules):
                y = program(x)
            (g,) = v1.gradients(tf.sin(y), x)
            found = session.run(g, {x: X})
    elif way == "afterwards":
        found = gradient(program, None, rules)
    else:
        f = tf.function(lambda: gradient(program, rules, None), jit_compile=True)
        found = f() if way == "compiled" else gradient(program, rules, None)
    np.testing.assert_allclose(found, 2.0 * want, rtol=1e-5, atol=1e-6)


def gradient(program: Callable[[Any], Any], block: Any, overrides: Any) -> Any:
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        with tf.gradient_override_map(block or {}):
            y = program(x)
        z = tf.sin(y)
    return tape.gradient(z, x, overrides=overrides)


def test_arguments_have_no_gradient() -> None:
    """As many gradients as TensorFlow's operation has inputs."""
    got: list[Any] = []

    def rule(op: Any, g: Any) -> Any:
        got.append(function_of("math_grad", "_SumGrad")(op, g))
        return got[-1]

    with tf.gradient_override_map({"Sum": rule}):
        gradient(lambda x: tf.reduce_sum(x, 1), {"Sum": rule}, None)
    assert [len(pair) for pair in got] == [2]
    assert got[0][1] is None


# What TensorFlow's functions give, of an operation of a graph: with or without a gradient for each input.
GIVEN: list[tuple[Callable[[Any], Any], list[bool]]] = [
    (lambda x: tf.reduce_sum(x, 1), [True, False]),
    (lambda x: tf.gather(x, [1]), [True, False, False]),
    (lambda x: tf.concat([x, x], 0), [True, True, False]),
    (lambda x: x[1:], [True, False, False, False]),
    (lambda x: tf.split(x, 2, 1)[0], [False, True]),
    (lambda x: tf.scatter_nd([[0]], x[:1], [3, 4]), [False, True, False]),
    (lambda x: tf.round(x), [False]),
    (lambda x: tf.floor(x), [False]),
    (lambda x: tf.argmax(x, 1), [False, False]),
    (lambda x: x // 2.0, [False, False]),
]


@pytest.mark.parametrize(("program", "given"), GIVEN)
def test_functions_called_with_an_operation_of_a_graph(
    program: Callable[[Any], Any], given: list[bool]
) -> None:
    """As many gradients as TensorFlow's operation has inputs."""
    with tf.Graph().as_default():
        op = program(v1.placeholder(tf.float32, [3, 4])).op
        found = find("python.framework.ops", "get_gradient_function")(op)(
            op, *[tf.ones_like(y) for y in op.outputs]
        )
        assert [g is not None for g in found] == given


def test_a_module_s_function_called_with_an_operation_of_a_graph() -> None:
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [2, 3])
        found = function_of("math_grad", "_SumGrad")(tf.reduce_sum(x).op, tf.constant(1.0))
    assert found[0].shape == [2, 3]
    assert found[1:] == [None]


def test_the_registry_of_types_without_gradient() -> None:
    """Of some TensorFlow has functions that give None, of others None for a function."""
    registry = find("python.framework.ops", "gradient_registry")
    assert registry is find("python.framework.ops", "_gradient_registry")
    assert all(
        callable(registry.lookup(kind)) for kind in ("Round", "Floor", "ArgMax", "Add", "Inv")
    )
    assert all(registry.lookup(kind) is None for kind in ("Greater", "StopGradient", "Shape"))
    assert {"Round", "Greater"} <= set(registry.list())


def test_the_registry() -> None:
    """What is registered, by users and by itself."""
    registry = find("python.framework.ops", "_gradient_registry")
    assert "Relu" in registry._registry
    assert "AtHand" not in registry._registry

    @tf.RegisterGradient("AtHand")
    def rule(op: Any, g: Any) -> Any:
        return 3.0 * g

    assert "AtHand" in registry._registry
    assert registry.lookup("AtHand") is rule
    assert registry._registry["AtHand"]["type"] is rule
    assert {"AtHand", "Relu", "Conv2D"} <= set(registry.list())
    assert len(registry._registry) == len(registry.list())
    with pytest.raises(LookupError, match="has no entry for: Nothing"):
        registry.lookup("Nothing")


@pytest.fixture
def entries() -> Any:
    """The registry's entries, of which that of Relu is put back afterwards."""
    found = find("python.framework.ops", "_gradient_registry")._registry
    own = dict(found["Relu"])
    yield found
    found["Relu"] = own


def gradients_of_relu() -> list[Any]:
    """The gradient in eager mode, in a function and in a session."""
    x = tf.constant([-1.0, 2.0])
    with v1.Graph().as_default(), v1.Session() as session:
        fed = tf.constant([-1.0, 2.0])
        run = session.run(tf.gradients(tf.nn.relu(fed), fed)[0])
    found = []
    for f in (tf.nn.relu, tf.function(lambda x: tf.nn.relu(x))):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        found.append(tape.gradient(y, x).numpy().tolist())
    return [*found, run.tolist()]


def in_all_modes(*gradient: float) -> list[Any]:
    return [list(gradient)] * 3


def test_an_entry_s_function_is_changed(entries: Any) -> None:
    """The one before stays a function that the new one may call; threads started later know it, too."""
    before = entries["Relu"]["type"]
    assert before is entries["Relu"]["type"]
    entries["Relu"]["type"] = lambda op, g: before(op, g) * 5.0
    assert gradients_of_relu() == in_all_modes(0.0, 5.0)
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(gradients_of_relu).result() == in_all_modes(0.0, 5.0)
    entries["Relu"]["type"] = before
    assert gradients_of_relu() == in_all_modes(0.0, 1.0)


def test_an_entry_is_replaced(entries: Any) -> None:
    entries["Relu"] = {"type": lambda op, g: g * 3.0, "location": None}
    assert gradients_of_relu() == in_all_modes(3.0, 3.0)


def test_an_entry_is_taken_out(entries: Any) -> None:
    """Then there is no gradient, and another one may be registered."""
    entries.pop("Relu")
    assert "Relu" not in entries
    assert "Relu" not in list(entries)
    with pytest.raises(LookupError, match="gradient registry has no entry for: Relu\\. Write one"):
        gradients_of_relu()
    with pytest.raises(KeyError):
        del entries["Relu"]
    tf.RegisterGradient("Relu")(lambda op, g: g * 7.0)
    assert gradients_of_relu() == in_all_modes(7.0, 7.0)
    with pytest.raises(KeyError, match="Registering two gradients with name 'Relu'"):
        tf.RegisterGradient("Relu")(lambda op, g: g)


def test_entries_of_types_that_a_program_registered(entries: Any) -> None:
    tf.RegisterGradient("TakenOut")(lambda op, g: g)
    entries["TakenOut"]["type"] = rule = lambda op, g: g * 2.0
    assert entries["TakenOut"]["type"] is rule
    del entries["TakenOut"]
    assert "TakenOut" not in entries


@pytest.mark.parametrize("name", ["_NoSuchGrad", "ReluGrad2", "_Relu", "_ArgMaxGrad"])
def test_names_that_are_none(name: str) -> None:
    with pytest.raises(NotFoundError):
        function_of("nn_grad", name)
