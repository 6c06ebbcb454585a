"""tf.py_function and tf.numpy_function in graphs and in tf.function."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

import numpy as np
import pytest

import wengert as tf

v1 = tf.compat.v1


def cube(x: Any) -> Any:
    return x**3 if x > 0 else -(x**3)


def orders(f: Any, x: Any) -> list[float]:
    """The value and four derivatives, by nested tapes."""
    if not x.shape.is_compatible_with([]):
        raise ValueError("a scalar, please")

    def derived(g: Any) -> Any:
        def slope(x: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = g(x)
            return tape.gradient(y, x)

        return slope

    found = []
    for _ in range(5):
        found.append(float(f(x)))
        f = derived(f)
    return found


def function(x: Any) -> Any:
    return tf.py_function(cube, [x], tf.float32)


@pytest.mark.parametrize("f", [function, tf.function(function)], ids=["eager", "function"])
def test_every_order(f: Any) -> None:
    """x³ at 2: 8, 12, 12, 6, 0; the branch is chosen by the value."""
    assert orders(f, tf.constant(2.0)) == [8.0, 12.0, 12.0, 6.0, 0.0]
    assert orders(f, tf.constant(-2.0)) == [8.0, -12.0, 12.0, -6.0, 0.0]


def test_every_order_in_a_session() -> None:
    """By tf.gradients; TensorFlow has None from the second order on."""
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [])
        found = [tf.py_function(cube, [x], tf.float32, name="cubed")]
        assert found[0].name == "cubed:0"
        assert (found[0].op.type, found[0].shape.rank) == ("EagerPyFunc", None)
        for _ in range(4):
            found += tf.gradients(found[-1], x)
        assert all(g.shape == [] for g in found[1:])
        assert session.run(found, {x: 2.0}) == [8.0, 12.0, 12.0, 6.0, 0.0]
        assert session.run(found, {x: -2.0}) == [8.0, -12.0, 12.0, -6.0, 0.0]


def test_several_arguments_and_results() -> None:
    """Integers among them; what has no gradient counts as zero."""
    with tf.Graph().as_default(), v1.Session() as session:
        x, y = v1.placeholder(tf.float64, [2]), v1.placeholder(tf.float64, [2])
        n = v1.placeholder(tf.int32, [])
        a, b, c = tf.py_function(
            lambda x, y, n: (x * y * tf.cast(n, tf.float64), tf.reduce_sum(x), n + 1),
            [x, y, n],
            [tf.float64, tf.float64, tf.int32],
        )
        feeds = {x: [1.0, 2.0], y: [3.0, 4.0], n: 5}
        assert [v.tolist() for v in session.run([a, b, c], feeds)] == [[15.0, 40.0], 3.0, 6]
        of_a, of_b = tf.gradients(a, [x, y]), tf.gradients(b, [x, y])
        assert [v.tolist() for v in session.run(of_a, feeds)] == [[15.0, 20.0], [5.0, 10.0]]
        assert [v.tolist() for v in session.run(of_b, feeds)] == [[1.0, 1.0], [0.0, 0.0]]
        assert tf.gradients(a, n) == [None]


def test_rows_flow_back() -> None:
    """A gradient that is an IndexedSlices inside is dense outside."""
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [3])
        y = tf.py_function(lambda x: tf.gather(x, [0, 0]), [x], tf.float32)
        assert session.run(tf.gradients(y, x)[0], {x: [1.0, 2.0, 3.0]}).tolist() == [2.0, 0.0, 0.0]


def test_complex_numbers() -> None:
    """The gradient is that of the same operations without the Python function around them."""
    with tf.Graph().as_default(), v1.Session() as session:
        x, seed = tf.constant(1 + 2j), tf.constant(1 - 1j)
        inside = tf.py_function(lambda x: x * x * x, [x], tf.complex128)
        found = session.run([*tf.gradients(inside, x, seed), *tf.gradients(x**3, x, seed)])
    np.testing.assert_allclose(found[0], found[1], rtol=1e-6)


def test_functions_run_with_the_graph_and_not_before() -> None:
    """Once in each run, on what is known then; also where shapes depend on them."""
    calls: list[Any] = []

    def sizes(x: Any) -> Any:
        calls.append(x.tolist())
        return np.array([2, len(x)], np.int32)

    with tf.Graph().as_default(), v1.Session() as session:
        x = tf.constant([1.0, 2.0, 3.0])
        filled = tf.fill(tf.numpy_function(sizes, [x], tf.int32), 7.0)
        total = tf.reduce_sum(filled)
        assert calls == []
        assert session.run([total, total * 2.0]) == [42.0, 84.0]
        assert calls == [[1.0, 2.0, 3.0]]
        session.run(total)
        assert len(calls) == 2


def test_called_for_its_effect() -> None:
    """In a tf.function, although nobody asks for the result; not where it is said to have none."""
    calls: list[float] = []

    def note(x: Any) -> Any:
        calls.append(float(x))
        return np.float32(0.0)

    @tf.function
    def f(x: Any, stateful: bool = True) -> Any:
        tf.numpy_function(note, [x], tf.float32, stateful)
        return x + 1.0

    assert [f(tf.constant(x)).numpy().item() for x in (1.0, 2.0)] == [2.0, 3.0]
    assert calls == [1.0, 2.0]
    f(tf.constant(3.0), stateful=False)
    assert calls == [1.0, 2.0]


def test_numpy_functions_have_no_gradient() -> None:
    """TensorFlow's PyFunc; tf.compat.v1.py_func is the same."""
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float64)
        y = v1.py_func(np.sinh, [x], tf.float64)
        assert (y.op.type, y.shape.rank, tf.gradients(y, x)) == ("PyFunc", None, [None])
        np.testing.assert_allclose(session.run(y, {x: [1.0, 2.0]}), np.sinh([1.0, 2.0]))


def test_a_gradient_for_a_numpy_function() -> None:
    """As everybody wrote it: py_func with a registered gradient."""

    @tf.RegisterGradient("CubeOfPython")
    def gradient(op: Any, grad: Any) -> Any:
        return 3.0 * op.inputs[0] ** 2 * grad

    with tf.Graph().as_default() as graph, v1.Session() as session:
        x = v1.placeholder(tf.float64, [2])
        with graph.gradient_override_map({"PyFunc": "CubeOfPython"}):
            y = v1.py_func(lambda x: x**3, [x], tf.float64)
        y.set_shape([2])
        (first,) = tf.gradients(y, x)
        (second,) = tf.gradients(first, x)
        found = session.run([y, first, second], {x: [1.0, 2.0]})
    assert [v.tolist() for v in found] == [[1.0, 8.0], [3.0, 12.0], [6.0, 12.0]]


def test_in_branches_and_loops() -> None:
    """The gradient goes through the branch that was taken, and through each turn."""

    def squared(x: Any) -> Any:
        y = tf.py_function(lambda x: x * x, [x], tf.float32)
        y.set_shape([])
        return y

    @tf.function
    def f(x: Any, n: Any) -> Any:
        cubed = tf.cond(x > 0.0, lambda: function(x), lambda: x)
        cubed.set_shape([])
        return tf.while_loop(
            lambda i, y: i < n,
            lambda i, y: (i + 1, squared(y)),
            (0, cubed),
        )[1]

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, 2)
    assert y.numpy() == 2.0**12
    assert tape.gradient(y, x).numpy() == 12 * 2.0**11


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda x: tf.py_function(lambda x: x, [x], [tf.float32, tf.float32]),
         "^<lambda> returns 1 values, but expects to see 2 values"),
        (lambda x: tf.numpy_function(lambda x: (x, x), [x], [tf.float32]),
         "returns 2 values, but expects to see 1 values"),
        (lambda x: tf.numpy_function(lambda x: x.astype("d"), [x], tf.float32),
         "0-th value returned by <lambda> is double, but expects float"),
    ],
)  # fmt: skip
def test_what_it_must_return(make: Any, match: str) -> None:
    """The error names the operation of the graph."""
    with tf.Graph().as_default(), v1.Session() as session:
        y = make(tf.constant(1.0))
        with pytest.raises(tf.errors.InvalidArgumentError, match=match) as error:
            session.run(y)
    assert "PyFunc" in str(error.value)


def test_errors_of_the_function_come_through() -> None:
    """As those of an operation, which say what they were."""

    def fails(x: Any) -> Any:
        raise KeyError("no such thing")

    with tf.Graph().as_default(), v1.Session() as session:
        y = tf.py_function(fails, [tf.constant(1.0)], tf.float32)
        with pytest.raises(tf.errors.UnknownError, match="KeyError: 'no such thing'"):
            session.run(y)


@pytest.mark.parametrize("call", [tf.py_function, tf.numpy_function])
@pytest.mark.parametrize("compiled", [None, False, True])
def test_context_variables_are_read_and_set_for_the_call_alone(call: Any, compiled: Any) -> None:
    """Wherever the call is carried out."""
    variable: ContextVar[int] = ContextVar("variable", default=0)
    seen: list[int] = []

    def inner(x: Any) -> Any:
        seen.append(variable.get())
        variable.set(variable.get() + 1)
        return x

    def outer(x: Any) -> Any:
        return call(inner, [x], tf.float32) * 1.0

    f = outer if compiled is None else tf.function(outer, jit_compile=compiled)
    variable.set(5)
    for _ in range(2):
        assert f(tf.constant(2.0)).numpy() == 2.0
    assert seen == [5, 5]
    assert variable.get() == 5
