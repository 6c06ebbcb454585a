"""What programs ask of traces and graphs: their types, what calls of them bring, why an operation is there."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.compat.internals.eager import record
from wengert.compat.internals.eager.cancellation import CancellationManager
from wengert.compat.internals.framework import ops

v1 = tf.compat.v1
SCALAR = tf.TensorSpec([], tf.float32)


def graph_now() -> Any:
    return ops.get_default_graph()


# ---- values of the time of the call --------------------------------------------------------------


def test_a_value_is_asked_for_at_each_call() -> None:
    asked: list[Any] = []
    x = tf.constant(2.0)

    def closure() -> Any:
        asked.append(x)
        return x

    @tf.function
    def f(y: Any) -> Any:
        graph = graph_now()
        one = graph.capture_call_time_value(closure, SCALAR, key="x")
        same = graph.capture_call_time_value(closure, SCALAR, key="x")
        inside = tf.cond(y > 0.0, lambda: graph_value() * y, lambda: y)
        return one * same + inside

    def graph_value() -> Any:
        return graph_now().capture_call_time_value(closure, SCALAR, key="x")

    assert f(tf.constant(3.0)).numpy() == 10.0
    x = tf.constant(5.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(tf.constant(3.0))
    assert y.numpy() == 40.0
    assert tape.gradient(y, x).numpy() == 13.0
    assert f.experimental_get_tracing_count() == 1
    x = tf.constant([1.0, 2.0])
    with pytest.raises(TypeError, match=r"Can not cast TensorSpec\(shape=\(2,\)"):
        f(tf.constant(3.0))


def test_a_structure_of_values() -> None:
    held = tf.constant(1), [tf.constant([2.0])]

    @tf.function
    def f() -> Any:
        specs = tf.TensorSpec([], tf.int32), [tf.TensorSpec([None], tf.float32)]
        return graph_now().capture_call_time_value(lambda: held, specs)

    assert f()[1][0].numpy().tolist() == [2.0]
    held = tf.constant(7), [tf.constant([3.0, 4.0])]
    number, (row,) = f()
    assert (number.numpy(), row.numpy().tolist()) == (7, [3.0, 4.0])


# ---- types of traces -----------------------------------------------------------------------------


def test_the_type_of_a_trace() -> None:
    v = tf.Variable(1.0)
    f = tf.function(lambda x, y=2, *, z=None: {"sum": x + float(y) * v})
    kind = f.get_concrete_function(tf.TensorSpec([None], tf.float32, name="in"), 3).function_type
    assert isinstance(kind, inspect.Signature)
    parameters: Any = kind.parameters
    x, y = parameters["x"], parameters["y"]
    assert x.type_constraint == tf.TensorSpec([None], tf.float32)
    assert (repr(y.type_constraint), y.optional) == ("Literal[3]", False)
    assert kind.output == {"sum": tf.TensorSpec([None], tf.float32)}
    assert kind.flat_inputs == [tf.TensorSpec([None], tf.float32)] == kind.flat_outputs
    assert [s.dtype for s in kind.captures.values()] == [tf.resource]
    assert {kind: "as a key"}[kind]
    assert repr(kind).startswith(
        "Input Parameters:\n  x (POSITIONAL_OR_KEYWORD): TensorSpec(shape=("
    )


def test_the_type_of_a_function() -> None:
    f = tf.function(lambda x, y=2: x, input_signature=[SCALAR])
    parameters: Any = f.function_type.parameters
    assert parameters["x"].type_constraint == SCALAR
    assert parameters["y"].optional
    assert f.function_type.output is None
    assert str(f.function_type) == (
        "(x: TensorSpec(shape=(), dtype=tf.float32, name=None), y=<captured_default_value>)"
    )


# ---- operations ----------------------------------------------------------------------------------


def test_what_an_operation_was_made_for() -> None:
    with tf.Graph().as_default() as graph:
        a, b = tf.constant(1.0), tf.constant(2.0)
        with graph._original_op(a.op):
            c = a + b
            with graph._original_op(b.op):
                inner = a * b
            assert c.op._original_op is a.op
            after = a - b
        assert (inner.op._original_op, after.op._original_op) == (b.op, a.op)
        assert (a.op._original_op, (c + a).op._original_op) == (None, None)


def test_attributes_of_branches_and_loops() -> None:
    pytest.importorskip("google.protobuf")
    with tf.Graph().as_default() as graph:
        pred, x = v1.placeholder(tf.bool, []), v1.placeholder(tf.float32, [None])
        tf.cond(pred, lambda: x + 1.0, lambda: x)
        tf.switch_case(tf.constant(1), [lambda: x, lambda: x + 1.0, lambda: x * 2.0])
        invariants = [tf.TensorShape([]), tf.TensorShape([None])]
        tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2.0), (0, x), invariants, 7)
        by_type = {op.type: op for op in graph.get_operations()}
    branches, choice, loop = (by_type[f"Stateless{k}"] for k in ("If", "Case", "While"))
    assert branches.get_attr("Tcond") is tf.bool
    assert branches.get_attr("Tin") == branches.get_attr("Tout") == [tf.float32]
    assert branches.get_attr("then_branch").name != branches.get_attr("else_branch").name
    assert [[d.size for d in s.dim] for s in branches.get_attr("output_shapes")] == [[-1]]
    assert len({b.name for b in choice.get_attr("branches")}) == 3
    assert loop.get_attr("T") == [tf.int32, tf.float32]
    assert loop.get_attr("parallel_iterations") == 7
    assert loop.get_attr("body").name != loop.get_attr("cond").name
    with pytest.raises(ValueError, match="has no attr named 'Tcond'"):
        loop.get_attr("Tcond")


# ---- calling off ---------------------------------------------------------------------------------


def test_a_manager_calls_functions_off() -> None:
    manager = CancellationManager()
    f = tf.function(lambda x: x + 1.0).get_concrete_function(SCALAR)
    call = manager.get_cancelable_function(f)
    assert (call(tf.constant(1.0)).numpy(), manager.is_cancelled) == (2.0, False)
    manager.start_cancel()
    with pytest.raises(tf.errors.CancelledError, match="called off"):
        call(tf.constant(1.0))
    assert f(tf.constant(1.0)).numpy() == 2.0


# ---- graphs and tapes by their internal names ----------------------------------------------------


def test_what_a_graph_captured() -> None:
    outside, v = tf.constant(3.0), tf.Variable(1.0, trainable=False)
    f = tf.function(lambda x: x * outside + v).get_concrete_function(SCALAR)
    assert [a is b for (a, _), b in zip(f.graph.captures, [outside, v], strict=True)] == [
        True,
        True,
    ]
    assert (f.graph.variables, f.graph.trainable_variables) == ((v,), ())
    with f.graph.as_default():
        inside = f.graph.capture(outside)
    assert inside is f.graph.internal_captures[0]


def test_variables_that_are_read() -> None:
    v, fixed = tf.Variable(1.0), tf.Variable(1.0, trainable=False)
    with record.VariableWatcher() as watcher, record.stop_recording():
        _ = v * fixed
    assert watcher.watched_variables() == (v,)


def test_many_directions_at_once() -> None:
    x = tf.constant([1.0, 2.0])
    with tf.autodiff.ForwardAccumulator._batch_accumulator(x, tf.eye(2)) as accumulator:
        y, apart = x * x, tf.constant(1.0)
    assert accumulator.jvp(y).numpy().tolist() == [[2.0, 0.0], [0.0, 4.0]]
    assert accumulator.jvp(apart) is None


def test_attributes_are_told_as_bytes_and_lists_and_may_be_given_so() -> None:
    x, kernel = tf.ones([1, 4, 4, 1]), tf.ones([2, 2, 1, 1])
    with tf.Graph().as_default():
        op = tf.nn.conv2d(tf.ones([1, 4, 4, 1]), tf.ones([2, 2, 1, 1]), 1, "SAME").op
    told = [op.get_attr(name) for name in ("padding", "data_format", "strides")]
    assert told == [b"SAME", b"NHWC", [1, 1, 1, 1]]
    padding, form, strides = told
    y = tf.nn.conv2d(x, kernel, strides, padding, form)
    assert np.array_equal(y, tf.nn.conv2d(x, kernel, 1, "SAME"))
    assert v1.nn.max_pool(x, [1, 2, 2, 1], strides, b"VALID", form).shape == (1, 3, 3, 1)
