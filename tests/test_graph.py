"""Graphs: names, what is in them, what may not be done with their tensors."""

from __future__ import annotations

import pickle
import re
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.core.context import current_graph
from wengert.errors import LeakedTensorError, SymbolicValueError

v1 = tf.compat.v1


@pytest.fixture
def graph() -> Iterator[Any]:
    with tf.Graph().as_default() as g:
        yield g


def says(text: str) -> str:
    return re.escape(text)


# ---- names ------------------------------------------------------------------------------------


def test_names_are_unique(graph: Any) -> None:
    assert [tf.constant(1.0, name="a").name for _ in range(3)] == ["a:0", "a_1:0", "a_2:0"]
    assert tf.constant(1.0, name="A").op.name == "A_3", "upper and lower case are one"


def test_scopes(graph: Any) -> None:
    """A scope entered by name again is another one; by its string it is the same."""
    with tf.name_scope("s") as s:
        first = tf.constant(1.0, name="c")
    with tf.name_scope("s"):
        second = tf.constant(1.0, name="c")
    with tf.name_scope(s):
        third = tf.constant(1.0, name="c")
    assert [x.op.name for x in (first, second, third)] == ["s/c", "s_1/c", "s/c_1"]
    with tf.name_scope("s"), tf.name_scope("t"):
        assert graph.get_name_scope() == "s_2/t"
    assert graph.get_name_scope() == ""


def test_scope_is_left_after_an_error(graph: Any) -> None:
    with pytest.raises(ZeroDivisionError), tf.name_scope("s"):
        raise ZeroDivisionError
    assert graph.get_name_scope() == ""


NAMED = {
    "add": lambda x, name: tf.add(x, x, name=name),
    "multiply": lambda x, name: tf.multiply(x, 2.0, name=name),
    "square": lambda x, name: tf.square(x, name=name),
    "reduce_sum": lambda x, name: tf.reduce_sum(x, name=name),
    "reduce_logsumexp": lambda x, name: tf.reduce_logsumexp(x, name=name),
    "matmul": lambda x, name: tf.matmul(x, x, name=name),
    "reshape": lambda x, name: tf.reshape(x, [4], name=name),
    "transpose": lambda x, name: tf.transpose(x, name=name),
    "concat": lambda x, name: tf.concat([x, x], 0, name=name),
    "stack": lambda x, name: tf.stack([x, x], name=name),
    "gather": lambda x, name: tf.gather(x, [0], name=name),
    "where": lambda x, name: tf.where(x > 0, x, x, name=name),
    "cast": lambda x, name: tf.cast(x, tf.float64, name=name),
    "softmax": lambda x, name: tf.nn.softmax(x, name=name),
    "dropout": lambda x, name: tf.nn.dropout(x, 0.5, name=name),
    "normal": lambda x, name: tf.random.normal([2], name=name),
    "identity": lambda x, name: tf.identity(x, name=name),
    "constant": lambda x, name: tf.constant(1.0, name=name),
    "zeros": lambda x, name: tf.zeros([2], name=name),
    "shape": lambda x, name: tf.shape(x, name=name),
    "cond": lambda x, name: tf.cond(x[0, 0] > 0, lambda: x, lambda: -x, name=name),
    "while_loop": lambda x, name: tf.while_loop(
        lambda i: i < 3.0, lambda i: i + 1.0, [x[0, 0]], name=name
    ),
    "map_fn": lambda x, name: tf.map_fn(lambda r: r * 2.0, x, name=name),
    "einsum": lambda x, name: tf.einsum("ij->ji", x, name=name),
    "norm": lambda x, name: tf.norm(x, name=name),
    "split": lambda x, name: tf.split(x, 2, name=name)[0],
    "cumsum": lambda x, name: tf.cumsum(x, name=name),
    "stop_gradient": lambda x, name: tf.stop_gradient(x, name=name),
    "placeholder": lambda x, name: v1.placeholder(tf.float32, name=name),
    "placeholder_with_default": lambda x, name: v1.placeholder_with_default(1.0, [], name=name),
    "unknown": lambda x, name: tf.squeeze(v1.placeholder(tf.float32), name=name),
}


@pytest.mark.parametrize("call", NAMED.values(), ids=NAMED)
def test_what_is_named_can_be_found(graph: Any, call: Any) -> None:
    """The result of a public function called with a name is the tensor of that name."""
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.name_scope("scope"):
        y = call(x, "mine")
    y = y[0] if isinstance(y, list) else y
    assert graph.get_tensor_by_name("scope/mine:0") is y


@pytest.mark.parametrize("name", ["a b", "!", "", "-a"][:2])
def test_bad_names(graph: Any, name: str) -> None:
    x = tf.constant(1.0)
    for call in (tf.add, tf.subtract):
        with pytest.raises(ValueError, match="is not a valid"):
            call(x, x, name=name)
    with pytest.raises(ValueError, match="is not a valid scope name"), tf.name_scope(name):
        pass


def test_a_name_derived_from_a_users_function_is_valid(graph: Any) -> None:
    """Found by the oracle: the scope of the second gradient was called after a local function."""

    def outer() -> Any:
        @tf.custom_gradient
        def f(x: Any) -> Any:
            @tf.custom_gradient
            def slope(dy: Any) -> Any:
                return dy * 2.0 * x, lambda ddy: ddy * 2.0 * x

            return x * x, slope

        return f

    x = tf.constant(3.0)
    (g,) = tf.gradients(outer()(x), x)
    (h,) = tf.gradients(g, x)
    assert v1.Session().run(g) == 6.0
    assert h is None or v1.Session().run(h) == 2.0


def test_unique_name(graph: Any) -> None:
    assert graph.unique_name("a") == "a"
    assert graph.unique_name("a", mark_as_used=False) == "a_1"
    assert graph.unique_name("a") == "a_1"


# ---- what is in a graph -----------------------------------------------------------------------


def test_operations_in_order(graph: Any) -> None:
    a = tf.constant(1.0, name="a")
    b = tf.square(a, name="b")
    c = tf.add(a, b, name="c")
    assert [op.name for op in graph.get_operations()] == ["a", "b", "c"]
    assert graph.version == 3
    assert c.op.inputs == (a, b)
    assert a.consumers() == [b.op, c.op]
    assert graph.get_operation_by_name("b") is b.op
    assert graph.as_graph_element(b) is b
    assert graph.as_graph_element("b") is b.op
    assert graph.as_graph_element("b:0") is b


ERRORS: list[tuple[str, Any, type[Exception], str]] = [
    ("get_operation_by_name", "x", KeyError, "The name 'x' refers to an Operation not in the graph."),
    ("get_operation_by_name", "aa", KeyError, "Names near it: a"),
    ("get_operation_by_name", "a:0", ValueError, "Name 'a:0' appears to refer to a Tensor, not a Operation."),
    ("get_operation_by_name", 3, TypeError, "Operation names are strings (or similar), not int."),
    ("get_tensor_by_name", "a", ValueError, "The name 'a' refers to an Operation, not a Tensor."),
    ("get_tensor_by_name", "a:1", KeyError, "exists but only has 1 outputs."),
    ("get_tensor_by_name", "q:0", KeyError, "The operation, 'q', does not exist in the graph."),
    ("get_tensor_by_name", "a:", ValueError, "looks a like a Tensor name, but is not a valid one"),
    ("get_tensor_by_name", None, TypeError, "Tensor names are strings (or similar), not NoneType."),
    ("as_graph_element", 3, TypeError, "Can not convert a int into a Tensor or Operation."),
]  # fmt: skip


@pytest.mark.parametrize(("method", "argument", "kind", "text"), ERRORS)
def test_what_is_not_found(graph: Any, method: str, argument: Any, kind: Any, text: str) -> None:
    tf.constant(1.0, name="a")
    with pytest.raises(kind, match=says(text)):
        getattr(graph, method)(argument)


def test_fields_of_an_operation(graph: Any) -> None:
    with tf.device("/CPU:0"):
        x = tf.constant([1.0, 2.0], name="x")
    before = tf.constant(0.0, name="before")
    with tf.control_dependencies([x, before]):
        y = tf.reduce_sum(x, axis=0, name="y")
    op = y.op
    assert (op.type, op.name, op.graph, op.outputs) == ("Sum", "y", graph, [y])
    assert op.control_inputs == [before.op]  # what it needs runs before it anyway
    assert x.op.device == "/device:CPU:0"
    assert op.node_def.input == ["x", "y/reduction_indices", "^before"]
    assert op.get_attr("T") is tf.float32
    with pytest.raises(ValueError, match="has no attr named 'nope'"):
        op.get_attr("nope")
    assert (y.graph, y.op, y.value_index, y.name) == (graph, op, 0, "y:0")
    assert op.values() == (y,)


def test_place_is_the_users_line(graph: Any) -> None:
    y = tf.nn.softmax(tf.constant([1.0])); line = where()  # noqa: E702  # fmt: skip
    assert y.op.place == f"{__file__}:{line}"
    ((file, number, function, _),) = y.op.traceback
    assert (file, number, function) == (__file__, line, "test_place_is_the_users_line")


def where() -> int:
    import sys

    return sys._getframe(1).f_lineno


def test_collections(graph: Any) -> None:
    graph.add_to_collection("c", 1)
    graph.add_to_collections(["c", "d"], 2)
    assert graph.get_collection("c") == [1, 2]
    graph.get_collection("c").append(3)
    assert graph.get_collection("c") == [1, 2], "a copy"
    graph.get_collection_ref("c").append(3)
    assert graph.get_collection("c") == [1, 2, 3]
    assert graph.get_all_collection_keys() == ["c", "d"]
    graph.clear_collection("c")
    assert graph.get_collection("c") == []
    with tf.name_scope("s"):
        v = tf.Variable(1.0, name="v")
    assert v1.global_variables() == [v]
    assert graph.get_collection("variables", scope="s/") == [v]
    assert graph.get_collection("variables", scope="t/") == []


def test_finalize(graph: Any) -> None:
    x = tf.constant(1.0)
    graph.finalize()
    with pytest.raises(RuntimeError, match=says("Graph is finalized and cannot be modified.")):
        tf.square(x)
    assert v1.Session().run(x) == 1.0


def test_control_dependencies(graph: Any) -> None:
    a, b = tf.no_op("a"), tf.no_op("b")
    with tf.control_dependencies([a]):
        with tf.control_dependencies([b]):
            both = tf.no_op()
            with tf.control_dependencies(None):
                none = tf.no_op()
        one = tf.no_op()
    assert [op.control_inputs for op in (both, none, one)] == [[a, b], [], [a]]
    with tf.control_dependencies({a, b}):
        assert set(tf.no_op().control_inputs) == {a, b}
    with pytest.raises(TypeError, match="Control input must be Operation or Tensor"):
        with tf.control_dependencies([3]):
            pass


# ---- create_op --------------------------------------------------------------------------------


def test_create_op(graph: Any) -> None:
    """Operations of the table by their type, whether or not the graph is the default one."""
    x = tf.constant(3.0)
    square = graph.create_op("Square", [x], [tf.float32], name="nine")
    with tf.Graph().as_default():
        total = graph.create_op("AddV2", [square.outputs[0], x])
    assert total.graph is graph
    (g,) = tf.gradients(total.outputs[0], x)
    assert v1.Session().run([graph.get_tensor_by_name("nine:0"), total.outputs[0], g]) == [9, 12, 7]


def test_create_op_of_a_users_type(graph: Any) -> None:
    tf.register_op("TestCubePlus", lambda x, plus: x**3 + plus)

    @tf.RegisterGradient("TestCubePlus")
    def _(op: Any, grad: Any) -> Any:
        return grad * 3.0 * op.inputs[0] ** 2

    x = tf.constant(2.0)
    op = graph.create_op("TestCubePlus", [x], attrs={"plus": 1.0})
    assert (op.type, op.name, op.get_attr("plus")) == ("TestCubePlus", "TestCubePlus", 1.0)
    assert v1.Session().run([op.outputs[0], *tf.gradients(op.outputs[0], x)]) == [9.0, 12.0]


def test_create_op_refuses(graph: Any) -> None:
    x = tf.constant(3.0)
    with pytest.raises(RuntimeError, match=says("Op type not registered 'Sqare'. Declare")) as e:
        graph.create_op("Sqare", [x])
    assert "Square" in str(e.value)
    with pytest.raises(TypeError, match=says("Input #0 of 'Square' is not a tensor: 3.0")):
        graph.create_op("Square", [3.0])
    with pytest.raises(TypeError, match=says("The results of 'Square' have the dtypes")):
        graph.create_op("Square", [x], [tf.int32])
    with pytest.raises(TypeError, match=says("The inputs of 'Square' have the dtypes")):
        graph.create_op("Square", [x], input_types=[tf.int32])


# ---- shapes -----------------------------------------------------------------------------------


def test_set_shape(graph: Any) -> None:
    x = v1.placeholder(tf.float32)
    assert x.shape.rank is None
    x.set_shape([None, 3])
    x.set_shape([2, None])
    assert x.shape == [2, 3]
    with pytest.raises(ValueError, match="not compatible"):
        x.set_shape([4, 3])
    assert (x * x).shape == [2, 3]


def test_sizes_stay_the_same_sizes(graph: Any) -> None:
    """What is unknown is still known to be equal: no sum back to a shape is needed."""
    x = v1.placeholder(tf.float32, [None, 3])
    before = len(graph.get_operations())
    tf.gradients(tf.exp(x) * x, x)
    kinds = [op.type for op in graph.get_operations()[before:]]
    assert not any("Sum" in kind for kind in kinds), kinds


def test_sizes_of_a_squeezed_tensor_are_unknown(graph: Any) -> None:
    """A size that is not known may be one. (Guesses of 12 and 24 did not think of it.)"""
    assert tf.squeeze(v1.placeholder(tf.float32, [None, 2, 1])).shape.rank is None


def test_the_count_of_different_elements_is_unknown(graph: Any) -> None:
    """A try with zeros found one element, and took it for certain."""
    y, index = tf.unique(v1.placeholder(tf.float32, [3]))
    assert y.shape == [None]
    assert index.shape == [3]


def test_gradient_of_what_a_mask_selects(graph: Any) -> None:
    """Found by the oracle: how many are selected is not known, nor was the gradient's structure."""
    x, mask = v1.placeholder(tf.float32, [2, 3]), v1.placeholder(tf.bool, [3])
    y = tf.boolean_mask(x, mask, axis=1)
    (g,) = tf.gradients(y * y, x)
    assert g.shape == [2, 3]
    fed = {x: np.arange(6.0).reshape(2, 3), mask: [True, False, True]}
    assert v1.Session().run(g, fed).tolist() == [[0.0, 0.0, 4.0], [6.0, 0.0, 10.0]]


def test_what_fails_for_zeros_may_be_possible(graph: Any) -> None:
    """The shape of random integers was tried with bounds of zero, and refused."""
    low, high = v1.placeholder(tf.int32, []), v1.placeholder(tf.int32, [])
    y = tf.random.stateless_uniform([3], [1, 2], low, high, tf.int32)
    assert y.shape == [3]
    assert set(v1.Session().run(y, {low: 5, high: 6})) == {5}


def test_unstack_needs_a_number(graph: Any) -> None:
    x = v1.placeholder(tf.float32, [None, 2])
    with pytest.raises(ValueError, match=says("Cannot infer argument `num` from shape (None, 2)")):
        tf.unstack(x)
    parts = tf.unstack(x, num=2)
    found = v1.Session().run(parts, {x: [[1.0, 2.0], [3.0, 4.0]]})
    assert np.array_equal(found, [[1.0, 2.0], [3.0, 4.0]])


def test_placeholder_with_default(graph: Any) -> None:
    x = v1.placeholder_with_default([1.0, 2.0], [None])
    assert x.shape == [None]
    y = tf.reduce_sum(x)
    sess = v1.Session()
    assert [sess.run(y), sess.run(y, {x: [5.0]})] == [3.0, 5.0]
    with pytest.raises(ValueError, match="default of a placeholder must have its shape"):
        v1.placeholder_with_default([1.0, 2.0], [3])


# ---- what symbolic tensors are not ------------------------------------------------------------

NOT_VALUES = {
    "bool": (lambda x: bool(x), SymbolicValueError, "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed"),
    "if": (lambda x: 1 if x else 0, SymbolicValueError, "tf.cond"),
    "iter": (lambda x: iter(x), SymbolicValueError, "Iterating over a symbolic `tf.Tensor` is not allowed in Graph mode"),
    "len": (lambda x: len(x), TypeError, "len is not well defined for a symbolic Tensor (x:0). Please call `x.shape` rather than `len(x)`"),
    "numpy": (lambda x: x.numpy(), AttributeError, "'SymbolicTensor' object has no attribute 'numpy'"),
    "array": (lambda x: np.array(x), NotImplementedError, "Cannot convert a symbolic tf.Tensor (x:0) to a numpy array"),
    "float": (lambda x: float(x), TypeError, "Using a symbolic `tf.Tensor` as a Python `float`"),
    "int": (lambda x: int(x), TypeError, "Using a symbolic `tf.Tensor` as a Python `int`"),
    "range": (lambda x: range(x), TypeError, "Using a symbolic `tf.Tensor` as a Python `integer`"),
}  # fmt: skip


@pytest.mark.parametrize(("use", "kind", "text"), NOT_VALUES.values(), ids=NOT_VALUES)
def test_a_symbolic_tensor_is_no_value(graph: Any, use: Any, kind: Any, text: str) -> None:
    x = v1.placeholder(tf.float32, [None], name="x")
    with pytest.raises(kind, match=says(text)) as error:
        use(x)
    if kind is SymbolicValueError:
        assert __file__ in str(error.value), "the user's line"


def test_a_constant_of_floats_is_no_index(graph: Any) -> None:
    with pytest.raises(TypeError, match="only integer scalar tensors"):
        range(tf.constant(1.0))
    assert list(range(tf.constant(2))) == [0, 1]


def test_equality_is_identity(graph: Any) -> None:
    """As in TensorFlow 1: tensors of a graph are keys of dictionaries."""
    a, b = tf.constant(1.0), tf.constant(1.0)
    assert a == a
    assert a != b
    assert {a: 1, b: 2}[a] == 1
    assert v1.Session().run(tf.equal(a, b))


def test_counting_compares_values(graph: Any) -> None:
    """Found by the oracle: count_nonzero used `!=`, which compares identities in a graph."""
    assert v1.Session().run(tf.math.count_nonzero(tf.constant([[0.0, 2.0], [3.0, 0.0]]), 1)).tolist() == [1, 1]  # fmt: skip


def test_pickling_is_refused(graph: Any) -> None:
    x = tf.constant(1.0)
    with pytest.raises(TypeError, match="belongs to a graph and cannot be pickled"):
        pickle.dumps(x)
    with pytest.raises(TypeError, match="cannot pickle 'Graph' object"):
        pickle.dumps(graph)


# ---- other graphs -----------------------------------------------------------------------------


def test_tensors_of_two_graphs(graph: Any) -> None:
    x = tf.constant(1.0, name="x")
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="must be from the same graph") as error:
            tf.square(x)
    assert __file__ in str(error.value)


def test_a_tensor_outside_of_its_graph() -> None:
    with tf.Graph().as_default():
        x = tf.constant(1.0, name="x")
    with pytest.raises(LeakedTensorError, match=says("<tf.Tensor 'x:0'")) as error:
        tf.square(x)
    assert __file__ in str(error.value)


def test_a_tensor_that_leaks_from_a_function() -> None:
    kept: list[Any] = []

    @tf.function
    def f(x: Any) -> Any:
        kept.append(x * 2.0)
        return x

    f(tf.constant(1.0))
    with pytest.raises(LeakedTensorError):
        kept[0] + 1.0


def test_default_graphs_nest() -> None:
    with tf.Graph().as_default() as a:
        with tf.Graph().as_default() as b:
            assert v1.get_default_graph() is b
        assert v1.get_default_graph() is a
        with pytest.raises(ZeroDivisionError), tf.Graph().as_default():
            raise ZeroDivisionError
        assert v1.get_default_graph() is a
    assert tf.executing_eagerly()


def test_default_graphs_are_of_one_thread() -> None:
    seen: list[Any] = []
    with tf.Graph().as_default():
        thread = threading.Thread(target=lambda: seen.append(tf.executing_eagerly()))
        thread.start()
        thread.join()
    assert seen == [True]


# ---- graph mode everywhere --------------------------------------------------------------------


@pytest.fixture
def graph_mode() -> Iterator[None]:
    v1.disable_eager_execution()
    yield
    v1.enable_eager_execution()
    v1.reset_default_graph()


@pytest.mark.usefixtures("graph_mode")
def test_disable_eager_execution() -> None:
    assert not tf.executing_eagerly()
    x = tf.constant(2.0)
    assert v1.Session().run(x * x) == 4.0
    seen: list[Any] = []
    thread = threading.Thread(target=lambda: seen.append(tf.executing_eagerly()))
    thread.start()
    thread.join()
    assert seen == [False]


@pytest.mark.usefixtures("graph_mode")
def test_reset_default_graph() -> None:
    before = v1.get_default_graph()
    tf.constant(1.0)
    v1.reset_default_graph()
    assert v1.get_default_graph() is not before
    assert v1.get_default_graph().get_operations() == []
    with tf.Graph().as_default(), pytest.raises(AssertionError, match="to clear nested graphs"):
        v1.reset_default_graph()
    with tf.Graph().as_default(), pytest.raises(ValueError, match="at program startup"):
        v1.enable_eager_execution()


def test_enable_eager_execution_ends_graph_mode() -> None:
    v1.disable_eager_execution()
    v1.enable_eager_execution()
    assert tf.executing_eagerly()
    assert current_graph() is None
    v1.reset_default_graph()


def test_placeholders_are_for_graphs() -> None:
    with pytest.raises(RuntimeError, match="not compatible with eager execution"):
        v1.placeholder(tf.float32)


def test_init_scope() -> None:
    seen: list[Any] = []

    @tf.function
    def f(x: Any) -> Any:
        with tf.init_scope():
            seen.append((tf.executing_eagerly(), tf.constant(2.0).numpy()))
        seen.append(tf.inside_function())
        return x

    f(tf.constant(1.0))
    assert seen == [(True, 2.0), True]
    with tf.Graph().as_default() as g, tf.init_scope():
        assert v1.get_default_graph() is g
