"""Variables: what they are, how their value is replaced, and where they stand for a tensor."""

from __future__ import annotations

import copy
import operator
import pickle
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import wengert as tf

FLOATS = st.floats(-100, 100, width=32)


def value(v: Any) -> Any:
    return v.numpy().tolist()


# ---- what it is -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("initial", "dtype", "name"),
    [
        (1.5, None, "float32"),
        (1, None, "int32"),
        (True, None, "bool"),
        ("a", None, "string"),
        ([1, 2], tf.float64, "float64"),
        (np.arange(3.0), None, "float64"),
        (tf.constant([1.0], tf.float16), None, "float16"),
        (lambda: [1.0, 2.0], tf.bfloat16, "bfloat16"),
    ],
)
def test_a_variable_begins_with_a_value(initial: Any, dtype: Any, name: str) -> None:
    """A number, an array, a tensor or a function that makes one, converted as tensors are."""
    v = tf.Variable(initial, dtype=dtype)
    wanted = tf.convert_to_tensor(initial() if callable(initial) else initial, dtype)
    assert (v.dtype, v.shape, v.ndim) == (tf.as_dtype(name), wanted.shape, wanted.ndim)
    np.testing.assert_array_equal(np.asarray(v), np.asarray(wanted))


@pytest.mark.parametrize("make", [tf.Variable, lambda: tf.Variable(None)])
def test_a_variable_needs_a_value(make: Any) -> None:
    """Without an initial value there is no variable."""
    with pytest.raises(
        ValueError, match=re.escape("The `initial_value` arg to `tf.Variable` must be specified")
    ):
        make()


def test_a_variable_of_a_variable_is_another_variable() -> None:
    """The value is taken, not the variable."""
    v = tf.Variable([1.0])
    w = tf.Variable(v)
    w.assign([5.0])
    assert (value(v), value(w)) == ([1.0], [5.0])


@pytest.mark.parametrize(("name", "shown"), [(None, "Variable:0"), ("a/b", "a/b:0"), ("w", "w:0")])
def test_a_variable_has_a_name(name: Any, shown: str) -> None:
    """The name given, as TensorFlow shows it."""
    assert tf.Variable(1.0, name=name).name == shown


@pytest.mark.parametrize("initial", [1.0, 1, True, "a"])
def test_a_variable_is_trainable_unless_it_is_not(initial: Any) -> None:
    """Trainable by default, of whatever dtype, as in TensorFlow."""
    assert tf.Variable(initial).trainable is True
    assert tf.Variable(initial, trainable=False).trainable is False


def test_tapes_watch_trainable_variables_alone() -> None:
    """A variable that is not trainable has no gradient unless it is watched."""
    trained, fixed = tf.Variable(2.0), tf.Variable(3.0, trainable=False)
    with tf.GradientTape() as tape:
        y = trained * fixed
    assert tape.watched_variables() == (trained,)
    gradients = tape.gradient(y, [trained, fixed])
    assert (gradients[0].numpy(), gradients[1]) == (3.0, None)


def test_a_constraint_is_a_function() -> None:
    """Anything else is refused at once."""
    keep = abs
    assert tf.Variable(1.0, constraint=keep).constraint is keep
    with pytest.raises(ValueError, match="Argument `constraint` must be None or a callable"):
        tf.Variable(1.0, constraint=3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("initial", "shown"),
    [
        (1.0, "shape=() dtype=float32, numpy=1.0"),
        ("a", "shape=() dtype=string, numpy=b'a'"),
        ([1, 2], "shape=(2,) dtype=int32, numpy=array([1, 2], dtype=int32)"),
        (
            [[1.0], [2.0]],
            "shape=(2, 1) dtype=float32, numpy=\narray([[1.],\n       [2.]], dtype=float32)",
        ),
    ],
    ids=str,
)
def test_a_variable_as_text(initial: Any, shown: str) -> None:
    """Name, shape, dtype and value, as TensorFlow shows them."""
    v = tf.Variable(initial, name="w")
    assert repr(v) == str(v) == f"{v}" == f"<tf.Variable 'w:0' {shown}>"


def test_a_variable_is_not_hashed() -> None:
    """Equality is elementwise; references are the keys."""
    v = tf.Variable(1.0)
    text = f"Variable is unhashable. Instead, use variable.ref() as the key. (Variable: {v!r})"
    with pytest.raises(TypeError, match=re.escape(text)):
        {v}
    assert {v.ref(): "found"}[v.ref()] == "found"
    assert v.ref().deref() is v


# ---- assignment -------------------------------------------------------------------------------


@given(hnp.arrays(np.float32, hnp.array_shapes(min_dims=0, max_dims=3), elements=FLOATS))
def test_a_variable_is_what_was_assigned(array: Any) -> None:
    """assign replaces the whole value."""
    v = tf.Variable(np.zeros_like(array))
    v.assign(array)
    np.testing.assert_array_equal(v.numpy(), array)
    assert v.numpy().dtype == np.float32


@given(
    hnp.arrays(np.float32, (2, 3), elements=FLOATS), hnp.arrays(np.float32, (2, 3), elements=FLOATS)
)
def test_assign_add_and_sub_are_sums(start: Any, change: Any) -> None:
    """assign_add adds, assign_sub subtracts."""
    v = tf.Variable(start)
    np.testing.assert_array_equal(v.assign_add(change).numpy(), start + change)
    np.testing.assert_array_equal(v.assign_sub(change).numpy(), (start + change) - change)


@pytest.mark.parametrize("method", ["assign", "assign_add", "assign_sub"])
def test_assigning_returns_the_variable(method: str) -> None:
    """The calls can be chained; read_value=False returns nothing."""
    v = tf.Variable(1.0)
    assert getattr(v, method)(2.0) is v
    assert getattr(v, method)(2.0, read_value=False) is None


def test_assignment_converts_as_operators_do() -> None:
    """Python numbers strictly, arrays freely."""
    v = tf.Variable([1.0, 2.0], dtype=tf.float64)
    assert value(v.assign([1, 0.1])) == [1.0, 0.1]
    assert value(v.assign_add(np.array([1, 1], np.int8))) == [2.0, 1.1]
    assert value(tf.Variable([1, 2]).assign(np.array([3.5, 4.5]))) == [3, 4]


def test_a_string_variable_is_assigned() -> None:
    """Strings are values like any other."""
    v = tf.Variable("a")
    assert v.assign("bc").numpy() == b"bc"
    assert [v.dtype, v.read_value().numpy(), v == "bc"] == [tf.string, b"bc", True]


def test_what_was_read_does_not_change() -> None:
    """A read is the value of its moment, and so is an array of the variable."""
    v = tf.Variable([1.0, 2.0])
    tensor, converted, array, own = (
        v.read_value(),
        tf.convert_to_tensor(v),
        np.asarray(v),
        v.numpy(),
    )
    v.assign([5.0, 6.0])
    assert [np.asarray(x).tolist() for x in (tensor, converted, array, own)] == [[1.0, 2.0]] * 4
    own[0] = 7.0
    assert value(v) == [5.0, 6.0]


def test_what_was_assigned_is_copied() -> None:
    """Changing the array afterwards does not change the variable."""
    v, array = tf.Variable([1.0, 2.0]), np.array([3.0, 4.0], np.float32)
    v.assign(array)
    array[0] = 9.0
    assert value(v) == [3.0, 4.0]


def test_assignment_is_not_differentiated() -> None:
    """A gradient belongs to the value that was read, and does not flow through an assignment."""
    v, w = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = v * v
        v.assign(w * 10.0)
        y = y + v * 0.0
    gradients = tape.gradient(y, [v, w])
    assert (gradients[0].numpy(), gradients[1]) == (4.0, None)


BAD = [
    pytest.param(
        [1.0, 2.0],
        "assign",
        [1.0, 2.0, 3.0],
        ValueError,
        "Cannot assign value to variable ' Variable:0': Shape mismatch.The variable shape (2,), "
        "and the assigned value shape (3,) are incompatible.",
        id="longer",
    ),
    pytest.param(
        [1.0, 2.0],
        "assign",
        5.0,
        ValueError,
        "The variable shape (2,), and the assigned value shape () are incompatible.",
        id="scalar",
    ),
    pytest.param(
        [1.0, 2.0],
        "assign",
        tf.constant([1, 2]),
        ValueError,
        "Tensor conversion requested dtype float32 for Tensor with dtype int32",
        id="dtype",
    ),
    pytest.param(
        [1, 2],
        "assign",
        [1.5, 2.0],
        TypeError,
        "Cannot convert [1.5, 2.0] to EagerTensor of dtype int32",
        id="kind",
    ),
    pytest.param(
        [1, 2],
        "assign",
        "a",
        TypeError,
        "Cannot convert 'a' to EagerTensor of dtype int32",
        id="string",
    ),
    pytest.param(
        [1, 2], "assign", None, ValueError, "Attempt to convert a value (None)", id="None"
    ),
    pytest.param(
        [1.0, 2.0],
        "assign_add",
        1.0,
        tf.errors.InvalidArgumentError,
        "Cannot update variable with shape [2] using a Tensor with shape [], shapes must be equal. "
        "[Op:AssignAddVariableOp]",
        id="add a scalar",
    ),
    pytest.param(
        [1.0],
        "assign_sub",
        [1.0, 2.0],
        tf.errors.InvalidArgumentError,
        "Cannot update variable with shape [1] using a Tensor with shape [2], shapes must be "
        "equal. [Op:AssignSubVariableOp]",
        id="subtract a longer one",
    ),
    pytest.param(
        [1, 2],
        "assign_add",
        [1.5, 2.5],
        TypeError,
        "Cannot convert [1.5, 2.5] to EagerTensor of dtype int32",
        id="add another kind",
    ),
    pytest.param(
        [1.0, 2.0],
        "assign_add",
        tf.constant([1, 2]),
        ValueError,
        "Tensor conversion requested dtype float32 for Tensor with dtype int32",
        id="add a dtype",
    ),
    pytest.param(
        "a",
        "assign_add",
        "b",
        tf.errors.InvalidArgumentError,
        "AssignAdd is not defined for variable 'Variable:0' of dtype string",
        id="add strings",
    ),
    pytest.param(
        True,
        "assign_sub",
        True,
        tf.errors.InvalidArgumentError,
        "AssignSub is not defined for variable 'Variable:0' of dtype bool",
        id="subtract booleans",
    ),
]


@pytest.mark.parametrize(("initial", "method", "given", "error", "text"), BAD)
def test_a_failed_assignment_leaves_the_variable_whole(
    initial: Any, method: str, given: Any, error: Any, text: str
) -> None:
    """What cannot be assigned is named, and the variable is as it was."""
    v = tf.Variable(initial)
    before = v.read_value()
    with pytest.raises(error, match=re.escape(text)):
        getattr(v, method)(given)
    assert (v.dtype, v.shape) == (before.dtype, before.shape)
    np.testing.assert_array_equal(np.asarray(v), np.asarray(before))


@pytest.mark.parametrize(
    ("f", "instead"),
    [
        (operator.iadd, "`variable.assign_add(value)`"),
        (operator.isub, "`variable.assign_sub(value)`"),
        (operator.imul, "`variable.assign(variable * value)`"),
        (operator.itruediv, "`variable.assign(variable / value)`"),
        (operator.ipow, "`variable.assign(variable ** value)`"),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_in_place_operators_are_refused(f: Any, instead: str) -> None:
    """`v += 1` would give the name to a tensor; the error says what to write."""
    v = tf.Variable(2.0)
    with pytest.raises(RuntimeError, match=re.escape(f"is not supported. Use {instead} to modify")):
        f(v, 1.0)
    assert v.numpy() == 2.0


# ---- shapes that may vary ---------------------------------------------------------------------


@pytest.mark.parametrize("shape", [[None], tf.TensorShape(None)], ids=str)
def test_a_shape_may_leave_sizes_open(shape: Any) -> None:
    """What is None may be assigned in any size; the declared shape stays."""
    v = tf.Variable([1.0, 2.0], shape=shape)
    assert v.shape == v.get_shape() == tf.TensorShape(shape)
    v.assign([1.0, 2.0, 3.0])
    assert v.shape == tf.TensorShape(shape)
    assert [v.read_value().shape, len(v)] == [(3,), 3]


def test_a_declared_shape_is_kept() -> None:
    """What the shape does not allow is refused."""
    v = tf.Variable([[1.0, 2.0]], shape=[None, 2])
    text = "The variable shape (None, 2), and the assigned value shape (1, 3) are incompatible."
    with pytest.raises(ValueError, match=re.escape(text)):
        v.assign([[1.0, 2.0, 3.0]])
    assert value(v) == [[1.0, 2.0]]


def test_the_first_value_has_the_declared_shape() -> None:
    """A variable whose value contradicts its shape is not made."""
    text = (
        "In this `tf.Variable` creation, the initial value's shape ((2,)) is not compatible with "
        "the explicitly supplied `shape` argument ([3])."
    )
    with pytest.raises(ValueError, match=re.escape(text)):
        tf.Variable([1.0, 2.0], shape=[3])


# ---- wherever a tensor is ---------------------------------------------------------------------

OPERATORS = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.pow,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
    operator.eq,
    operator.ne,
]


@pytest.mark.parametrize("f", OPERATORS, ids=lambda f: f.__name__)
def test_operators_read_the_variable(f: Any) -> None:
    """With a variable on either side an operator gives the tensor it gives for its value."""
    v, other = tf.Variable([1.0, 2.0]), tf.constant([3.0, 2.0])
    for got, expected in [
        (f(v, other), f(v.value(), other)),
        (f(other, v), f(other, v.value())),
        (f(v, v), f(v.value(), v.value())),
        (f(v, 2.0), f(v.value(), 2.0)),
        (f(2.0, v), f(2.0, v.value())),
        (f(np.array([3.0, 2.0]), v), f(other, v.value())),
    ]:
        assert isinstance(got, tf.Tensor)
        np.testing.assert_array_equal(got.numpy(), expected.numpy())


def test_operations_read_the_variable() -> None:
    """Functions take variables as they take tensors."""
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    t = v.value()
    for f in (tf.exp, tf.reduce_sum, tf.transpose, abs, operator.neg, lambda x: x @ x):
        np.testing.assert_array_equal(f(v).numpy(), f(t).numpy())
    np.testing.assert_array_equal(tf.stack([v, t]).numpy(), tf.stack([t, t]).numpy())


def test_python_reads_the_variable() -> None:
    """Truth, numbers, length, iteration, indexing, membership and NumPy."""
    v: Any = tf.Variable([1.0, 2.0])
    n = tf.Variable(3)
    assert (bool(n), int(n), float(n), complex(n), [0, 1, 2, 3][n]) == (True, 3, 3.0, 3 + 0j, 3)
    assert (len(v), [t.numpy() for t in v], v[1].numpy(), 2.0 in v) == (2, [1.0, 2.0], 2.0, True)
    assert (np.sum(v), np.asarray(v, np.float64).dtype) == (3.0, np.float64)
    assert (v == None) is False  # noqa: E711


def test_every_read_is_followed() -> None:
    """A tape hears of a variable that is read by slicing, iterating, packing or an operator."""
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        reads = [v[0], list(v)[0], tf.convert_to_tensor([v[0]]), v * 1.0, tf.identity(v), v.value()]
    for y in reads:
        assert tape.gradient(y, v).numpy()[0] == 1.0


def test_a_variable_is_not_a_tensor() -> None:
    """It stands for one, and is none."""
    assert not isinstance(tf.Variable(1.0), tf.Tensor)


# ---- copies -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "initial", [1.5, [1.0, 2.0], "a", np.array([1.5], tf.bfloat16.numpy_dtype)], ids=str
)
def test_a_variable_survives_pickling(initial: Any) -> None:
    """Value, dtype, name, declared shape and trainable come back."""
    v = tf.Variable(initial, name="w", trainable=False, shape=tf.TensorShape(None))
    back = pickle.loads(pickle.dumps(v))
    assert (back.name, back.trainable, back.dtype) == ("w:0", False, v.dtype)
    assert back.shape == tf.TensorShape(None)
    np.testing.assert_array_equal(np.asarray(back), np.asarray(v))


def test_a_deep_copy_is_another_variable() -> None:
    """Assigning to one does not change the other; the rest is the same."""
    v = tf.Variable([1.0], name="w", trainable=False, constraint=abs)
    twin = copy.deepcopy(v)
    twin.assign([5.0])
    assert (value(v), value(twin)) == ([1.0], [5.0])
    assert (twin.name, twin.trainable, twin.constraint) == ("w:0", False, abs)


def test_a_deep_copy_keeps_sharing() -> None:
    """One variable in two places is one variable in the copy."""
    v = tf.Variable(1.0)
    twins: dict[str, Any] = copy.deepcopy({"a": v, "b": [v]})
    assert twins["a"] is twins["b"][0]
    assert twins["a"] is not v


def test_a_shallow_copy_is_the_variable() -> None:
    """What is assigned to one is seen in the other."""
    v = tf.Variable(1.0)
    copy.copy(v).assign(5.0)
    assert v.numpy() == 5.0


# ---- parts -------------------------------------------------------------------------------------


def assign_parts(v: Any) -> None:
    v[1:3].assign([9.0, 8.0])
    v[0].assign(7.0)
    v[..., -1].assign(1.0)


@pytest.mark.parametrize("around", [lambda f: f, tf.function], ids=["eager", "function"])
def test_assigning_parts(around: Any) -> None:
    v = tf.Variable([0.0, 0.0, 0.0, 0.0])
    around(lambda: assign_parts(v))()
    assert v.numpy().tolist() == [7.0, 9.0, 8.0, 1.0]
    matrix = tf.Variable(tf.zeros([2, 3]))
    around(lambda: matrix[:, 1].assign([1.0, 2.0]))()
    assert matrix.numpy().tolist() == [[0.0, 1.0, 0.0], [0.0, 2.0, 0.0]]


def test_assigning_parts_in_a_session() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        v = tf.Variable([1.0, 2.0, 3.0])
        changed = v[1:].assign([8.0, 9.0])
        session.run(tf.compat.v1.global_variables_initializer())
        assert session.run(changed).tolist() == [1.0, 8.0, 9.0]
        assert session.run(v).tolist() == [1.0, 8.0, 9.0]


def test_parts_that_cannot_be_assigned() -> None:
    v = tf.Variable([1.0, 2.0, 3.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
        v[:2].assign([1.0, 2.0, 3.0])
    assert not hasattr(tf.constant([1.0, 2.0])[0], "assign")
    assert not hasattr(v[0] + 1.0, "assign")


# ---- variables of a function alone ----------------------------------------------------------------


@pytest.mark.parametrize("jit_compile", [None, True, False])
def test_a_variable_that_is_not_lifted_begins_anew_with_each_call(jit_compile: bool | None) -> None:
    """Its initial value may be one that only the call knows; its gradient is that of any variable."""

    @tf.function(jit_compile=jit_compile)
    def power(x: Any, count: Any) -> Any:
        with tf.GradientTape() as tape:
            v = tf.Variable(lambda: x * 2.0, experimental_enable_variable_lifting=False)
            loss = tf.reduce_sum(v * v)
        slope = tape.gradient(loss, v)
        for _ in tf.range(count):
            v.assign(v * x)
        return v.read_value(), slope

    for values in ([2.0], [3.0, 1.0], [2.0]):
        x = np.float32(values)
        value, slope = power(tf.constant(x), tf.constant(3))
        np.testing.assert_allclose(value, 2 * x**4)
        np.testing.assert_allclose(slope, 4 * x)


def test_outside_of_functions_a_variable_is_one_either_way() -> None:
    v = tf.Variable([1.0, 2.0], experimental_enable_variable_lifting=False)
    v.assign_add([1.0, 1.0])
    assert v.numpy().tolist() == [2.0, 3.0]
