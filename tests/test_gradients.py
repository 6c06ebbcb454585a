"""tf.gradients and tf.hessians: differentiation of what stands in a graph."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.errors import NoGradientError

v1 = tf.compat.v1


@pytest.fixture
def graph() -> Iterator[Any]:
    with tf.Graph().as_default() as made:
        yield made


def run(fetches: Any, feeds: Any = None) -> Any:
    with v1.Session() as session:
        session.run(v1.variables_initializer(v1.global_variables()))
        return session.run(fetches, feeds)


# ---- what is asked for ------------------------------------------------------------------------


def test_sum_over_several_targets(graph: Any) -> None:
    x = tf.constant([1.0, 2.0])
    assert run(tf.gradients([x * x, 10.0 * x], x))[0].tolist() == [12.0, 14.0]


def test_the_same_target_twice(graph: Any) -> None:
    x = tf.constant(3.0)
    y = x * x
    assert run(tf.gradients([y, y], x)) == [12.0]


def test_lists_and_single_values(graph: Any) -> None:
    x, w = tf.constant(3.0), tf.constant(2.0)
    assert run(tf.gradients(x * w, [x, w])) == [2.0, 3.0]
    assert run(tf.gradients((x * w,), (x,))) == [2.0]


def test_grad_ys(graph: Any) -> None:
    x = tf.constant([1.0, 2.0])
    (g,) = tf.gradients([x * x, x], x, grad_ys=[tf.constant([10.0, 20.0]), None])
    assert run(g).tolist() == [21.0, 81.0]


def test_grad_ys_with_an_axis_of_size_1_more(graph: Any) -> None:
    """As programs pass a list of gradients for the gradient: its shape is the target's."""
    x = tf.constant([1.0, 2.0])
    y = 3.0 * x
    (g,) = tf.gradients(y, x, grad_ys=2.0 * tf.stack(tf.gradients(y * y, y)))
    assert g.shape == [2]
    assert run(g).tolist() == [36.0, 72.0]


def test_grad_ys_of_some_rows(graph: Any) -> None:
    """Of rows whose whole nobody has said: they go on as they are where no rule looks into them."""
    x = v1.placeholder(tf.float32)
    dy = tf.IndexedSlices(tf.constant([[2.0]]), tf.constant([3]))
    (dx,) = tf.gradients(tf.identity(x), x, dy)
    assert dx.dense_shape is None
    assert (run(dx.values).tolist(), run(dx.indices).tolist()) == ([[2.0]], [3])
    with pytest.raises(ValueError, match="IndexedSlices without dense_shape"):
        tf.gradients(x * 2.0, x, dy)


def test_what_a_gradient_adds_knows_for_which_operation(graph: Any) -> None:
    a = tf.ones([2, 2])
    with graph.device("/device:GPU:0"):
        b = tf.matmul(a, a, name="b")
    (plain,) = v1.gradients(b, a)
    (beside,) = v1.gradients(b, a, colocate_gradients_with_ops=True)
    assert plain.op._original_op is b.op
    assert b.op._original_op is None
    assert plain.op.colocation_groups() != b.op.colocation_groups()
    assert beside.op.colocation_groups() == b.op.colocation_groups()
    assert beside.op.device == b.op.device


def test_grad_ys_that_do_not_fit(graph: Any) -> None:
    x = tf.constant([1.0, 2.0])
    with pytest.raises(ValueError, match="Length mismatch"):
        tf.gradients([x, x], x, grad_ys=[None])
    with pytest.raises(TypeError, match="must have the same type"):
        tf.gradients(x, x, grad_ys=tf.constant([1, 2]))
    with pytest.raises(ValueError, match=r"grad_ys\[0\] has shape \(3,\)"):
        tf.gradients(x, x, grad_ys=tf.zeros([3]))


def test_a_source_that_depends_on_another(graph: Any) -> None:
    """The derivative with respect to a goes through b too."""
    a = tf.constant(0.0)
    b = 2.0 * a
    assert run(tf.gradients(a + b, [a, b])) == [3.0, 1.0]
    assert run(tf.gradients(a + b, [a, b], stop_gradients=[a, b])) == [1.0, 1.0]
    assert run(tf.gradients(a + b, [a, b], stop_gradients=b)) == [1.0, 1.0]


def test_stopped_value_among_several_results(graph: Any) -> None:
    x = tf.constant([1.0, 2.0])
    first, second = tf.unstack(x)
    (g,) = tf.gradients(first * first + second * second, x, stop_gradients=[first])
    assert run(g).tolist() == [0.0, 4.0]


def test_target_that_is_a_source(graph: Any) -> None:
    x = tf.constant(3.0)
    assert run(tf.gradients(x, x)) == [1.0]


def test_unconnected(graph: Any) -> None:
    x, w = tf.constant([3.0]), tf.constant([2.0, 1.0])
    assert tf.gradients(x * x, w) == [None]
    (zero,) = tf.gradients(x * x, w, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    assert run(zero).tolist() == [0.0, 0.0]
    with pytest.raises(ValueError, match="Unknown value for unconnected_gradients"):
        tf.gradients(x, w, unconnected_gradients="nothing")


def test_tensor_made_of_a_source_now_is_not_connected(graph: Any) -> None:
    assert tf.gradients(tf.constant(1.0), [1.0, np.float32(2.0)]) == [None, None]


def test_arguments_that_change_nothing(graph: Any) -> None:
    x = tf.constant(3.0)
    method = tf.AggregationMethod.EXPERIMENTAL_TREE
    (g,) = tf.compat.v1.gradients(
        x * x,
        x,
        colocate_gradients_with_ops=True,
        gate_gradients=True,
        aggregation_method=method,
    )
    assert run(g) == 6.0


def test_variables(graph: Any) -> None:
    v = tf.Variable([1.0, 2.0], name="v")
    loss = tf.reduce_sum(v * v * v)
    (g,) = tf.gradients(loss, v)
    (second,) = tf.gradients(g, v)
    got = run([g, second])
    assert [part.tolist() for part in got] == [[3.0, 12.0], [6.0, 12.0]]


def test_complex_gradients_are_conjugated(graph: Any) -> None:
    z = tf.constant(1.0 + 2.0j)
    with pytest.raises(TypeError, match=r"Gradients of complex tensors .* must set grad_ys"):
        tf.gradients(z * z, z)
    (g,) = tf.gradients(z * z, z, grad_ys=tf.constant(1.0 + 0.0j))
    assert run(g) == 2.0 - 4.0j


def test_eager_tensors_have_no_graph() -> None:
    x = tf.constant(1.0)
    with pytest.raises(RuntimeError, match=r"tf\.gradients is not supported when eager execution"):
        tf.gradients(x, x)


def test_outside_of_the_graphs_context() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.constant(3.0)
        y = x * x
    (g,) = tf.gradients(y, x)
    assert g.graph is graph
    assert v1.Session(graph=graph).run(g) == 6.0


# ---- IndexedSlices ----------------------------------------------------------------------------


def test_gradient_of_a_gather(graph: Any) -> None:
    table = tf.Variable(np.ones((4, 2), np.float32))
    ids = v1.placeholder(tf.int32, [None])
    (g,) = tf.gradients(tf.reduce_sum(tf.gather(table, ids) * 3.0), table)
    assert isinstance(g, tf.IndexedSlices)
    assert g.shape == (4, 2)
    got = run([g, tf.convert_to_tensor(g)], {ids: [1, 3, 1]})
    assert got[0].indices.tolist() == [1, 3, 1]
    assert got[0].values.tolist() == [[3.0, 3.0]] * 3
    assert got[1].tolist() == [[0.0, 0.0], [6.0, 6.0], [0.0, 0.0], [3.0, 3.0]]


def test_slices_that_meet_and_slices_that_meet_a_tensor(graph: Any) -> None:
    table = tf.Variable(np.ones((3, 1), np.float32))
    one, other = tf.gather(table, [0]), tf.gather(table, [0, 2])
    (both,) = tf.gradients([one, other], table)
    (mixed,) = tf.gradients([one, table * 2.0], table)
    got = run([both, mixed])
    assert sorted(got[0].indices.tolist()) == [0, 0, 2]
    assert got[1].tolist() == [[3.0], [2.0], [2.0]]


# ---- hessians ---------------------------------------------------------------------------------


def test_hessians(graph: Any) -> None:
    x = tf.constant([1.0, 2.0, 3.0])
    (h,) = tf.hessians(tf.reduce_prod(x), x)
    assert run(h).tolist() == [[0.0, 3.0, 2.0], [3.0, 0.0, 1.0], [2.0, 1.0, 0.0]]


def test_hessian_of_a_matrix_and_of_several_sources(graph: Any) -> None:
    m, x = tf.constant([[1.0, 2.0]]), tf.constant([3.0])
    y = tf.reduce_sum(m**3) + tf.reduce_sum(x * x)
    first, second = run(tf.hessians(y, [m, x]))
    assert first.shape == (1, 2, 1, 2)
    assert first.reshape(2, 2).tolist() == [[6.0, 0.0], [0.0, 12.0]]
    assert second.tolist() == [[2.0]]


def test_hessian_of_unknown_size(graph: Any) -> None:
    x = v1.placeholder(tf.float64, [None])
    (h,) = tf.hessians(tf.reduce_sum(x**3) * x[0], x)
    got = run(h, {x: [1.0, 2.0]})
    np.testing.assert_allclose(got, [[12.0, 12.0], [12.0, 12.0]])


def test_hessian_of_what_is_not_connected(graph: Any) -> None:
    with pytest.raises(ValueError, match="does not depend on"):
        tf.hessians(tf.constant(1.0) * 2.0, tf.constant(3.0))


# ---- higher orders, unknown shapes ------------------------------------------------------------


@pytest.mark.parametrize("shape", [[2, 3], [None, 3], [None, None], None])
def test_a_network_of_unknown_shape_to_third_order(shape: Any) -> None:
    def program(x: Any, w: Any) -> Any:
        h = tf.tanh(tf.matmul(x, w))
        scaled = tf.reshape(h, [-1, 2]) / tf.reduce_sum(h * h, axis=1, keepdims=True)
        return tf.reduce_mean(tf.concat([scaled, h], 0) ** 2)

    rng = np.random.default_rng(1)
    x0, w0 = rng.normal(size=(2, 3)), rng.normal(size=(3, 2))
    with tf.Graph().as_default():
        x, w = v1.placeholder(tf.float64, shape), tf.Variable(w0)
        y = program(x, w)
        orders = [y]
        for _ in range(3):
            orders.append(tf.reduce_sum(tf.gradients(orders[-1], w)[0] ** 2))
        lazily = run(orders, {x: x0})

    def eagerly(order: int, w: Any) -> Any:
        if order == 0:
            return program(tf.constant(x0), w)
        with tf.GradientTape() as tape:
            tape.watch(w)
            below = eagerly(order - 1, w)
        return tf.reduce_sum(tape.gradient(below, w) ** 2)

    for order in range(4):
        np.testing.assert_allclose(lazily[order], eagerly(order, tf.constant(w0)), rtol=1e-9)


def test_derivatives_of_any_order(graph: Any) -> None:
    x = tf.constant(2.0, tf.float64)
    y = tf.exp(3.0 * x)
    for order in range(1, 7):
        (y,) = tf.gradients(y, x)
        np.testing.assert_allclose(run(y), 3**order * np.exp(6))


# ---- names ------------------------------------------------------------------------------------


def test_gradient_operations_have_readable_names(graph: Any) -> None:
    x = tf.constant(3.0, name="x")
    with tf.name_scope("layer"):
        y = tf.square(x, name="squared")
    before = len(graph.get_operations())
    tf.gradients(y, x)
    names = [op.name for op in graph.get_operations()[before:]]
    assert all(name.startswith("gradients/") for name in names)
    assert any(name.startswith("gradients/layer/squared_grad/") for name in names)
    (again,) = tf.gradients(y, x, name="second")
    assert again.name.startswith("second/")


# ---- rules of users ---------------------------------------------------------------------------


@tf.RegisterGradient("TestSquareWithControl")
def _square_with_control(op: Any, grad: Any) -> Any:
    """As TensorFlow writes it: what is read of x waits for the incoming gradient."""
    x = op.inputs[0]
    with tf.control_dependencies([grad]):
        x = tf.identity(x)
        return tf.multiply(grad, tf.multiply(x, tf.constant(2.0, dtype=x.dtype)))


def test_rule_with_a_control_dependency(graph: Any) -> None:
    x = tf.constant(3.0)
    with graph.gradient_override_map({"Square": "TestSquareWithControl"}):
        y = tf.square(x)
    (g,) = tf.gradients(y, x, grad_ys=tf.constant(10.0))
    (second,) = tf.gradients(g, x)
    assert run([g, second]) == [60.0, 20.0]
    waits = [op for op in graph.get_operations() if op.control_inputs]
    assert waits
    assert all(op.name.startswith("gradients") for op in waits)


@tf.register_op("TestNoGradientHere")
def without_gradient(x: Any) -> Any:
    return x + 1


def test_operation_without_a_gradient(graph: Any) -> None:
    x = tf.constant(3.0)
    y = without_gradient(x * 2.0)  # the line in the message
    with pytest.raises(LookupError) as caught:
        tf.gradients(y, x)
    message = str(caught.value)
    assert message.startswith("No gradient defined for operation 'TestNoGradientHere' (op type: ")
    assert f"made at {__file__}:" in message
    assert isinstance(caught.value, NoGradientError)
    assert tf.gradients(tf.stop_gradient(y) * x, x)[0] is not None


@tf.custom_gradient
def log1pexp(x: Any) -> Any:
    e = tf.exp(x)

    def grad(dy: Any) -> Any:
        @tf.custom_gradient
        def first(x: Any, dy: Any) -> Any:
            slope = 1.0 - 1.0 / (1.0 + e)
            return slope * dy, lambda ddy: (slope * (1.0 - slope) * dy * ddy, slope * ddy)

        return first(x, dy)

    return tf.math.log(1.0 + e), grad


def test_log1pexp_nested(graph: Any) -> None:
    """Where the chain rule gives nan, the two gradients that were written are used."""
    x = v1.placeholder(tf.float64, [])
    y = log1pexp(x)
    (first,) = tf.gradients(y, x)
    (second,) = tf.gradients(first, x)
    with v1.Session() as session:
        assert first.eval({x: 100.0}, session=session) == 1.0
        assert second.eval({x: 100.0}, session=session) == 0.0
        s = 1 / (1 + np.exp(-0.5))
        got = session.run([y, first, second], {x: 0.5})
        np.testing.assert_allclose(got, [np.log1p(np.exp(0.5)), s, s * (1 - s)])


def test_custom_gradient_of_several_inputs_of_unknown_shape(graph: Any) -> None:
    @tf.custom_gradient
    def product(x: Any, y: Any) -> Any:
        return x * y, lambda dz: (dz * y * 10.0, tf.reduce_sum(dz * x) * 100.0)

    x, y = v1.placeholder(tf.float32), tf.constant(3.0)
    assert [
        np.asarray(g).tolist() for g in run(tf.gradients(product(x, y), [x, y]), {x: [1.0, 2.0]})
    ] == [
        [30.0, 30.0],
        300.0,
    ]


# ---- inside of bodies: gradients follow what is used from around -------------------------------


def test_inside_of_bodies() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        x = tf.constant(3.0)
        w = x * 2.0
        own = tf.cond(x > 0.0, lambda: tf.gradients(w * w, w)[0], lambda: x)
        through = tf.cond(x > 0.0, lambda: tf.gradients(w * w, x)[0], lambda: x)
        assert session.run([own, through]) == [12.0, 24.0]
        loop = tf.while_loop(
            lambda i, a: i < 2, lambda i, a: (i + 1, a + tf.gradients(x * x * a, x)[0]), [0, 1.0]
        )
        assert session.run([loop[1], tf.gradients(loop[1], x)[0]]) == [49.0, 28.0]
        mapped = tf.map_fn(
            lambda e: tf.gradients(x * x * e, x)[0] + tf.gradients(e * e * x, e)[0],
            tf.constant([1.0, 2.0]),
        )
        assert session.run(mapped).tolist() == [12.0, 24.0]
        assert session.run(tf.gradients(mapped, x)[0]) == 12.0


def test_inside_of_two_bodies_and_stopped() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [])
        w = tf.sin(x)

        def inner() -> Any:
            return tf.gradients(w * x, x, stop_gradients=[w])[0] + tf.gradients(w, x)[0]

        y = tf.cond(x > 0.0, lambda: tf.cond(x > 1.0, inner, lambda: x), lambda: x)
        value = session.run(y, {x: 2.0})
        np.testing.assert_allclose(value, np.sin(2.0) + np.cos(2.0), rtol=1e-6)


def test_constant_used_in_a_branch_is_a_source() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        x = tf.constant([1.0, 2.0, 3.0])
        y = tf.cond(x[0] > 0.0, lambda: x * 2.0, lambda: x)
        g = tf.gradients(tf.gather(y, [0, 0]), x)[0]
        assert session.run(tf.convert_to_tensor(g)).tolist() == [4.0, 0.0, 0.0]
