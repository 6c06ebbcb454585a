"""Eager tensors as values and as Python objects: reading, operators, messages, exchange."""

from __future__ import annotations

import copy
import operator
import pickle
import re
import weakref
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import wengert as tf

VALUES = [
    True,
    3,
    2.5,
    1 + 2j,
    "ab",
    [1.0, 2.0],
    [[1, 2], [3, 4]],
    ["a", "bc"],
    np.zeros((2, 0), np.float16),
]


def tensors() -> list[Any]:
    return [tf.constant(v) for v in VALUES] + [tf.constant([1.5, 2.5], tf.bfloat16)]


def same(a: Any, b: Any) -> None:
    """Two tensors, or arrays, agree in dtype, shape and value."""
    a, b = np.asarray(a), np.asarray(b)
    assert (a.dtype, a.shape) == (b.dtype, b.shape)
    np.testing.assert_array_equal(a, b)


# ---- what it is -------------------------------------------------------------------------------


def test_a_tensor_says_what_it_is() -> None:
    """dtype, shape, ndim and device."""
    t = tf.constant([[1.0, 2.0, 3.0]])
    assert [t.dtype, t.shape, t.get_shape(), t.ndim] == [tf.float32, (1, 3), (1, 3), 2]
    assert t.device == "/job:localhost/replica:0/task:0/device:CPU:0"
    assert isinstance(t.shape, tf.TensorShape)


def test_a_tensor_is_not_made_by_its_class() -> None:
    """The constructor says what to use."""
    with pytest.raises(TypeError, match=re.escape("use tf.constant(value)")):
        tf.Tensor(1.0)


def test_set_shape_only_checks() -> None:
    """A shape that fits is accepted, another is an error, and nothing changes."""
    t = tf.constant([1.0, 2.0])
    t.set_shape([None])
    text = "Tensor's shape (2,) is not compatible with supplied shape (3,)"
    with pytest.raises(ValueError, match=re.escape(text)):
        t.set_shape([3])
    assert t.shape == (2,)


@pytest.mark.parametrize("name", ["name", "op", "graph", "value_index"])
def test_what_only_graphs_have(name: str) -> None:
    """An attribute of graph tensors says that there is no graph."""
    text = f"Tensor.{name} is undefined when eager execution is enabled."
    with pytest.raises(AttributeError, match=re.escape(text)):
        getattr(tf.constant(1.0), name)


@pytest.mark.parametrize("name", ["eval", "consumers"])
def test_what_graphs_alone_can_tell(name: str) -> None:
    """A method that needs a graph is there, as in TensorFlow, and says that there is none."""
    with pytest.raises(NotImplementedError, match="when eager execution is enabled"):
        getattr(tf.constant(1.0), name)()


@pytest.mark.parametrize(
    ("name", "instead"),
    [("astype", "tf.cast(tensor, dtype)"), ("T", "tf.transpose(tensor)"), ("sum", "tf.reduce_sum")],
)
def test_what_only_numpy_has(name: str, instead: str) -> None:
    """A method of NumPy's arrays leads to the operation that does it."""
    with pytest.raises(AttributeError, match=f"no attribute '{name}'.*{re.escape(instead)}"):
        getattr(tf.constant(1.0), name)


def test_an_unknown_attribute() -> None:
    """hasattr works, and the error names the attribute."""
    t = tf.constant(1.0)
    assert not hasattr(t, "nonsense")
    with pytest.raises(AttributeError, match="Tensor object has no attribute 'nonsense'"):
        t.nonsense


@pytest.mark.parametrize(
    "change",
    [
        lambda t: operator.setitem(t, 0, 5.0),
        lambda t: operator.delitem(t, 0),
        lambda t: setattr(t, "dtype", tf.int32),
        lambda t: setattr(t, "shape", (1, 2)),
    ],
    ids=["item", "delete", "dtype", "shape"],
)
def test_a_tensor_cannot_be_changed(change: Any) -> None:
    """Neither its elements nor what it is can be set; attributes of their own libraries may add."""
    t: Any = tf.constant([1.0, 2.0])
    with pytest.raises((TypeError, AttributeError)):
        change(t)
    same(t, np.array([1, 2], np.float32))
    t.mask = 5
    assert t.mask == 5


def test_in_place_operators_make_a_new_tensor() -> None:
    """`t += 1` gives the name to a new tensor; the old one is as it was."""
    t = old = tf.constant([1, 2])
    t += 1
    assert (old.numpy().tolist(), t.numpy().tolist()) == ([1, 2], [2, 3])


# ---- its value --------------------------------------------------------------------------------


@pytest.mark.parametrize("t", tensors(), ids=lambda t: t.dtype.name)
def test_numpy_gives_an_array_of_its_own(t: Any) -> None:
    """numpy() is writable and apart from the tensor; a scalar is a NumPy scalar or bytes."""
    value = t.numpy()
    if t.shape.rank:
        assert value.flags.writeable
        assert not np.shares_memory(value, np.asarray(t))
    else:
        assert isinstance(value, (np.generic, bytes))
    same(np.asarray(value, t.dtype.numpy_dtype), t)


@pytest.mark.parametrize("t", tensors(), ids=lambda t: t.dtype.name)
def test_as_an_array_a_tensor_cannot_be_written(t: Any) -> None:
    """np.asarray looks at the tensor's own memory, and may only look."""
    array = np.asarray(t)
    assert type(array) is np.ndarray
    assert not array.flags.writeable
    assert np.array(t).flags.writeable


def test_as_an_array_of_another_dtype() -> None:
    """__array__ converts, and refuses to convert without copying."""
    t = tf.constant([1, 2])
    same(np.asarray(t, np.float64), np.array([1.0, 2.0]))
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        t.__array__(np.dtype(np.float64), copy=False)


def test_numpy_functions_take_tensors() -> None:
    """A tensor stands where NumPy wants an array."""
    t = tf.constant([1.0, 2.0])
    assert np.sum(t) == 3.0
    same(np.concatenate([t, t]), np.array([1, 2, 1, 2], np.float32))
    same(np.array([tf.constant(1), tf.constant(2)]), np.array([1, 2], np.int32))


@pytest.mark.parametrize(
    ("value", "truth"),
    [(0, False), (2, True), ([2.0], True), (False, False), ("", False), ("a", True)],
)
def test_a_single_value_has_a_truth(value: Any, truth: bool) -> None:
    """bool() of one element."""
    assert bool(tf.constant(value)) is truth


def test_several_values_have_no_truth() -> None:
    """bool() of a vector is an error."""
    text = (
        "The truth value of an array with more than one element is ambiguous. "
        "Use a.any() or a.all()"
    )
    with pytest.raises(ValueError, match=re.escape(text)):
        bool(tf.constant([1.0, 2.0]))


def test_python_numbers_of_a_scalar() -> None:
    """int, float, complex and indexing of Python lists."""
    t = tf.constant(3)
    assert (int(t), float(t), complex(t)) == (3, 3.0, 3 + 0j)
    assert type(int(t)) is int
    assert int(tf.constant(2.7)) == 2
    assert complex(tf.constant(1 + 2j)) == 1 + 2j
    assert ([0, 10, 20, 30][t], list(range(t))) == (30, [0, 1, 2])


@pytest.mark.parametrize("convert", [int, float, complex])
def test_a_vector_is_no_number(convert: Any) -> None:
    """Several elements do not become one Python number."""
    with pytest.raises(TypeError):
        convert(tf.constant([1.0, 2.0]))


@pytest.mark.parametrize("value", [1.0, [3, 4], "a"])
def test_only_an_integer_is_an_index(value: Any) -> None:
    """What is no integer scalar does not index a list."""
    with pytest.raises(TypeError, match="only integer scalar tensors can be converted to a scalar"):
        [10, 20, 30, 40][tf.constant(value)]


def test_length() -> None:
    """len() is the size of the first axis; a scalar has none."""
    assert (len(tf.constant([1, 2])), len(tf.zeros([0, 3]))) == (2, 0)
    with pytest.raises(TypeError, match=re.escape("Scalar tensor has no `len()`")):
        len(tf.constant(1.0))


@given(hnp.arrays(np.int32, hnp.array_shapes(max_dims=3, max_side=3, min_side=0)))
def test_iteration_gives_the_rows(array: Any) -> None:
    """Iterating over a tensor is iterating over its array."""
    rows = list(tf.constant(array))
    assert len(rows) == len(array)
    for row, expected in zip(rows, array, strict=True):
        assert isinstance(row, tf.Tensor)
        same(row, expected)


def test_iteration_over_strings() -> None:
    """A string is opaque: iterating over a vector gives scalars, not letters."""
    assert [t.numpy() for t in tf.constant(["ab", "c"])] == [b"ab", b"c"]


def test_a_scalar_is_not_iterated() -> None:
    """The error comes when iteration is asked for, not when it begins."""
    with pytest.raises(TypeError, match=re.escape("Cannot iterate over a scalar tensor.")):
        iter(tf.constant(1.0))


def test_unpacking_is_differentiated() -> None:
    """Gradients flow through iteration."""
    x = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        a, b, _ = x
        y = a * b
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 1.0, 0.0]


def test_membership() -> None:
    """`in` compares with each element."""
    t = tf.constant([1, 2])
    assert 2 in t
    assert 3 not in t


# ---- as an object -----------------------------------------------------------------------------


def test_a_tensor_is_not_hashed() -> None:
    """Equality is elementwise, so tensors are no keys; the error says what is."""
    text = "Tensor is unhashable. Instead, use tensor.ref() as the key."
    with pytest.raises(TypeError, match=re.escape(text)):
        {tf.constant(1.0)}


def test_a_reference_stands_for_one_tensor() -> None:
    """References to one tensor are equal, to two tensors of one value they are not."""
    t = tf.constant(1.0)
    assert {t.ref(): "found"}[t.ref()] == "found"
    assert t.ref() != tf.constant(1.0).ref()
    assert t.ref().deref() is t
    assert repr(t.ref()) == f"<Reference wrapping {t!r}>"


def test_a_tensor_can_be_referred_to_weakly() -> None:
    """Nothing else keeps a tensor alive."""
    t = tf.constant(1.0)
    reference = weakref.ref(t)
    assert reference() is t
    del t
    assert reference() is None


@pytest.mark.parametrize("t", tensors(), ids=lambda t: t.dtype.name)
def test_pickling(t: Any) -> None:
    """A tensor of any dtype survives pickling."""
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        back = pickle.loads(pickle.dumps(t, protocol))
        assert isinstance(back, tf.Tensor)
        assert back.dtype is t.dtype
        same(back, t)


def test_copying() -> None:
    """A shallow copy of what never changes is itself; a deep copy is another tensor."""
    t = tf.constant([1.0, 2.0])
    assert copy.copy(t) is t
    deep = copy.deepcopy(t)
    assert deep is not t
    same(deep, t)


# ---- as text ----------------------------------------------------------------------------------

ROWS = "[[1, 2],\n       [3, 4]]"


@pytest.mark.parametrize(
    ("value", "dtype", "shown"),
    [
        (1.0, None, "shape=(), dtype=float32, numpy=1.0"),
        (True, None, "shape=(), dtype=bool, numpy=True"),
        (5, "uint8", "shape=(), dtype=uint8, numpy=5"),
        (1 + 2j, None, "shape=(), dtype=complex128, numpy=(1+2j)"),
        (1.5, "bfloat16", "shape=(), dtype=bfloat16, numpy=1.5"),
        (0.1, "float32", "shape=(), dtype=float32, numpy=0.10000000149011612"),
        (float("nan"), None, "shape=(), dtype=float32, numpy=nan"),
        ("a", None, "shape=(), dtype=string, numpy=b'a'"),
        ([1, 2], None, "shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)"),
        (["a"], None, "shape=(1,), dtype=string, numpy=array([b'a'], dtype=object)"),
        ([1.5], "bfloat16", "shape=(1,), dtype=bfloat16, numpy=array([1.5], dtype=bfloat16)"),
        ([[1.0]], None, "shape=(1, 1), dtype=float32, numpy=array([[1.]], dtype=float32)"),
        ([[1, 2], [3, 4]], None, f"shape=(2, 2), dtype=int32, numpy=\narray({ROWS}, dtype=int32)"),
    ],
    ids=str,
)
def test_repr_is_like_tensorflows(value: Any, dtype: Any, shown: str) -> None:
    """Shape, dtype and value; an array of several lines begins on a line of its own."""
    assert repr(tf.constant(value, dtype)) == f"<tf.Tensor: {shown}>"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (1.0, "1.0, shape=(), dtype=float32"),
        ("a", "b'a', shape=(), dtype=string"),
        ([1.0, 2.0], "[1. 2.], shape=(2,), dtype=float32"),
        ([[1.0]], "[[1.]], shape=(1, 1), dtype=float32"),
        ([["a", "b"]], "[[b'a' b'b']], shape=(1, 2), dtype=string"),
        ([[1.0, 2.0], [3.0, 4.0]], "\n[[1. 2.]\n [3. 4.]], shape=(2, 2), dtype=float32"),
    ],
    ids=str,
)
def test_str_is_like_tensorflows(value: Any, shown: str) -> None:
    """str() shows the value as NumPy prints it."""
    assert str(tf.constant(value)) == f"tf.Tensor({shown})"


@pytest.mark.parametrize(
    ("value", "spec", "text"),
    [
        (1.5, "", "1.5"),
        (1.5, ".3f", "1.500"),
        (7, "d", "7"),
        (7, ">5", "    7"),
        (True, "", "True"),
        (1 + 2j, "", "(1+2j)"),
        ("a", "", "b'a'"),
        ([1.5, 2.0], "", "[1.5 2. ]"),
    ],
    ids=str,
)
def test_formatting_is_that_of_the_value(value: Any, spec: str, text: str) -> None:
    """An f-string shows the value alone and takes the value's format."""
    assert format(tf.constant(value), spec) == text


def test_a_vector_takes_no_number_format() -> None:
    """A format for one number does not apply to several."""
    with pytest.raises(TypeError, match="unsupported format string"):
        f"{tf.constant([1.5]):.3f}"


# ---- operators --------------------------------------------------------------------------------

ARITHMETIC = [operator.add, operator.sub, operator.mul]
COMPARISONS = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]


@pytest.mark.parametrize("f", ARITHMETIC + COMPARISONS, ids=lambda f: f.__name__)
@given(pair=hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3), data=st.data())
def test_operators_are_numpys(f: Any, pair: Any, data: Any) -> None:
    """On arrays that broadcast, an operator is NumPy's; so is its reflection with an array."""
    a, b = (
        data.draw(hnp.arrays(np.float64, s, elements=st.integers(-3, 3))) for s in pair.input_shapes
    )
    expected = f(a, b)
    for got in (f(tf.constant(a), tf.constant(b)), f(tf.constant(a), b), f(a, tf.constant(b))):
        assert isinstance(got, tf.Tensor)
        same(got, expected)


@pytest.mark.parametrize(
    ("f", "value"),
    [
        (operator.truediv, 1.5),
        (operator.floordiv, -2.0),
        (operator.mod, -2.0),
        (operator.pow, 3.0),
    ],
    ids=lambda v: getattr(v, "__name__", str(v)),
)
def test_operators_with_a_python_number(f: Any, value: float) -> None:
    """The number takes the tensor's dtype, on either side."""
    array = np.array([1.0, 2.5, 4.0], np.float16)
    same(f(tf.constant(array), value), f(array, np.float16(value)))
    same(f(value, tf.constant(array)), f(np.float16(value), array))


def test_a_python_number_keeps_its_digits() -> None:
    """0.1 times a float64 is not float32's 0.1."""
    assert (tf.constant(1.0, tf.float64) * 0.1).numpy() == 0.1
    assert (tf.constant([1.0], tf.float64) * [0.1]).numpy().tolist() == [0.1]


def test_unary_operators() -> None:
    """-, +, abs and ~."""
    t = tf.constant([1, -2])
    assert [
        (f(t)).numpy().tolist() for f in (operator.neg, operator.pos, abs, operator.invert)
    ] == [
        [-1, 2],
        [1, -2],
        [1, 2],
        [-2, 1],
    ]
    assert (~tf.constant([True, False])).numpy().tolist() == [False, True]


@pytest.mark.parametrize("f", [operator.and_, operator.or_, operator.xor], ids=lambda f: f.__name__)
def test_logic_and_bits(f: Any) -> None:
    """&, | and ^ are logical on booleans and bitwise on integers, also with Python values."""
    for a, b in (([True, False, True], [True, True, False]), ([5, 6, 7], [3, 9, 1])):
        expected = f(np.array(a), np.array(b)).tolist()
        assert f(tf.constant(a), tf.constant(b)).numpy().tolist() == expected
        assert f(tf.constant(a), b).numpy().tolist() == expected
        assert f(a, tf.constant(b)).numpy().tolist() == expected


def test_matrix_product() -> None:
    """@ on tensors, and with arrays on either side."""
    a, b = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
    for got in (tf.constant(a) @ tf.constant(b), a @ tf.constant(b), tf.constant(a) @ b):
        assert isinstance(got, tf.Tensor)
        same(got, a @ b)


def test_true_division_of_integers_is_float64() -> None:
    """As in TensorFlow, int32 / int32 is float64."""
    same(tf.constant(1) / 2, np.float64(0.5))


def test_arrays_are_cast_to_the_tensors_dtype() -> None:
    """An array beside a tensor is cast, a Python number only where nothing is lost."""
    t = tf.constant([1, 2])
    same(t + np.array([1.5, 2.0]), np.array([2, 4], np.int32))
    same(np.array([1.5, 2.0]) * t, np.array([1, 4], np.int32))
    same(t + np.float32(1.5), np.array([2, 3], np.int32))
    same(t + True, np.array([2, 3], np.int32))
    same(tf.constant(1, tf.uint8) + 300, np.uint8(45))


@pytest.mark.parametrize(
    ("use", "text"),
    [
        (lambda: tf.constant(1) * 2.5, "Cannot convert 2.5 to EagerTensor of dtype int32"),
        (lambda: 2.5 * tf.constant(1), "Cannot convert 2.5 to EagerTensor of dtype int32"),
        (lambda: tf.constant([1, 2]) < "a", "Cannot convert 'a' to EagerTensor of dtype int32"),
        (lambda: tf.constant(1.0) + "a", "Cannot convert 'a' to EagerTensor of dtype float"),
        (lambda: tf.constant("a") + 1, "Cannot convert 1 to EagerTensor of dtype string"),
        (lambda: tf.constant(True) & 1, "Cannot convert 1 to EagerTensor of dtype bool"),
        (lambda: tf.constant(1.0) + 1j, "Cannot convert 1j to EagerTensor of dtype float"),
        (
            lambda: tf.constant(1) - [1, 2.5],
            "Cannot convert [1, 2.5] to EagerTensor of dtype int32",
        ),
    ],
)
def test_python_values_are_not_converted_loosely(use: Any, text: str) -> None:
    """A Python value that does not fit the tensor's dtype is an error."""
    with pytest.raises(TypeError, match=re.escape(text)):
        use()


@pytest.mark.parametrize("other", [None, {}, object()], ids=["None", "dict", "object"])
@pytest.mark.parametrize(
    "f", [operator.add, operator.lt, operator.matmul], ids=lambda f: f.__name__
)
def test_operators_refuse_what_is_no_tensor(f: Any, other: Any) -> None:
    """The error names the value."""
    text = f"Attempt to convert a value ({other!r}) with an unsupported type ({type(other)})"
    with pytest.raises(ValueError, match=re.escape(text)):
        f(tf.constant([[1.0]]), other)


@pytest.mark.parametrize(
    ("f", "name"),
    [
        (operator.add, "AddV2"),
        (operator.sub, "Sub"),
        (operator.mul, "Mul"),
        (operator.lt, "Less"),
        (operator.eq, "Equal"),
    ],
    ids=lambda v: getattr(v, "__name__", v),
)
def test_tensors_of_two_dtypes_do_not_mix(f: Any, name: str) -> None:
    """TensorFlow's words, and what to do."""
    text = (
        f"cannot compute {name} as input #1(zero-based) was expected to be a float tensor but is "
        f"a int32 tensor [Op:{name}]"
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match=re.escape(text)):
        f(tf.constant([1.0, 2.0]), tf.constant([1, 2]))


@pytest.mark.parametrize("f", [operator.add, operator.mul, operator.lt], ids=lambda f: f.__name__)
def test_shapes_that_do_not_broadcast(f: Any) -> None:
    """The shapes are named."""
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=re.escape("Incompatible shapes: [2] vs. [3]")
    ):
        f(tf.constant([1.0, 2.0]), tf.constant([1.0, 2.0, 3.0]))


@pytest.mark.parametrize(
    "use",
    [
        lambda: tf.constant([True]) + tf.constant([True]),
        lambda: tf.constant([1.0]) & 1.0,
        lambda: ~tf.constant([1.0]),
        lambda: tf.constant(["a"]) < ["b"],
        lambda: -tf.constant(["a"]),
    ],
)
def test_an_operation_refuses_a_dtype(use: Any) -> None:
    """What has no meaning for a dtype is an error that names the dtype."""
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=r"Value for attr 'T' of (bool|float|string) is not in the list of allowed values",
    ):
        use()


def test_shifts_are_not_defined() -> None:
    """As in TensorFlow."""
    with pytest.raises(TypeError, match="unsupported operand"):
        tf.constant(1) << 1  # type: ignore[operator]


# ---- equality ---------------------------------------------------------------------------------


def test_nothing_equals_none() -> None:
    """Comparing with None is not elementwise."""
    t: Any = tf.constant([1, 2])
    assert (t == None) is False  # noqa: E711
    assert (t != None) is True  # noqa: E711


def test_shapes_that_do_not_broadcast_are_not_equal() -> None:
    """Such tensors are simply different: one False, not an error."""
    a, b = tf.constant([1, 2]), tf.constant([1, 2, 3])
    same(a == b, np.bool_(False))
    same(a != b, np.bool_(True))
    same(a == (1, 2, 3), np.bool_(False))


def test_strings_are_compared_as_wholes() -> None:
    """== and != on strings, with Python's strings too."""
    t = tf.constant(["ab", "c"])
    assert (t == "ab").numpy().tolist() == [True, False]
    assert (t != tf.constant(["ab", "ab"])).numpy().tolist() == [False, True]


@pytest.mark.parametrize("f", [operator.eq, operator.ne], ids=lambda f: f.__name__)
@pytest.mark.parametrize("value", ["a", 1j, [1j]], ids=repr)
def test_equality_converts_strictly(f: Any, value: Any) -> None:
    """A value of another kind is not unequal but an error."""
    text = f"Cannot convert {value!r} to EagerTensor of dtype float"
    with pytest.raises(TypeError, match=re.escape(text)):
        f(tf.constant([1.0, 2.0]), value)


# ---- exchange with other libraries ------------------------------------------------------------

EXCHANGED = [True, 3, 2.5, 1 + 2j, [1.0, 2.0], [[1, 2], [3, 4]], np.zeros((2, 0), np.float16)]


class OldConsumer:
    """Asks for the capsule as libraries did before DLPack 1.0."""

    def __init__(self, tensor: Any) -> None:
        self._tensor = tensor

    def __dlpack__(self, **_: Any) -> Any:
        return self._tensor.__dlpack__()

    def __dlpack_device__(self) -> Any:
        return self._tensor.__dlpack_device__()


@pytest.mark.parametrize("take", [np.from_dlpack, lambda t: np.from_dlpack(OldConsumer(t))])
@pytest.mark.parametrize("value", EXCHANGED, ids=str)
def test_dlpack_gives(take: Any, value: Any) -> None:
    """NumPy, new or old, takes a tensor through DLPack."""
    t = tf.constant(value)
    same(take(t), t)


@pytest.mark.parametrize("value", EXCHANGED, ids=str)
def test_dlpack_there_and_back(value: Any) -> None:
    """A tensor comes back from its capsule, and from itself."""
    t = tf.constant(value)
    dlpack = tf.experimental.dlpack
    same(dlpack.from_dlpack(dlpack.to_dlpack(t)), t)
    same(dlpack.from_dlpack(t), t)


def test_dlpack_takes_without_copying() -> None:
    """The tensor looks at the array's memory."""
    array = np.arange(4.0)
    t = tf.experimental.dlpack.from_dlpack(array)
    assert np.shares_memory(np.asarray(t), array)


@pytest.mark.parametrize(
    "make",
    [
        lambda: tf.constant([1.0, 2.0]),
        lambda: tf.Variable([1.0, 2.0]).value(),
        lambda: tf.constant([2.0, 1.0])[::-1],
    ],
    ids=["constant", "variable", "reversed"],
)
@pytest.mark.parametrize("take", [np.from_dlpack, lambda t: np.from_dlpack(OldConsumer(t))])
def test_what_takes_a_tensor_cannot_change_it(make: Any, take: Any) -> None:
    """The array is read-only, or a copy."""
    t = make()
    taken = take(t)
    assert not taken.flags.writeable or not np.shares_memory(taken, np.asarray(t))
    same(t, np.array([1.0, 2.0], np.float32))


@pytest.mark.parametrize("value", [tf.constant("a"), tf.constant(1.0, tf.bfloat16)], ids=str)
def test_dlpack_has_no_such_dtype(value: Any) -> None:
    """Strings and bfloat16 are not exchanged."""
    with pytest.raises(BufferError, match="DLPack only supports"):
        tf.experimental.dlpack.to_dlpack(value)


def test_dlpack_takes_only_what_speaks_it() -> None:
    """Other objects are named, and so is a capsule that has been taken."""
    dlpack = tf.experimental.dlpack
    with pytest.raises(TypeError, match=re.escape("got 3")):
        dlpack.from_dlpack(3)
    with pytest.raises(TypeError, match="must be a TF tensor, not 3"):
        dlpack.to_dlpack(3)  # type: ignore[arg-type]
    capsule = dlpack.to_dlpack(tf.constant([1.0]))
    dlpack.from_dlpack(capsule)
    with pytest.raises(ValueError, match="A DLPack capsule can be taken only once"):
        dlpack.from_dlpack(capsule)


@pytest.mark.parametrize(
    ("name", "words"),
    [("grad", "tf.GradientTape"), ("backward", "tape.gradient"), ("detach", "tf.stop_gradient"),
     ("at", "tf.tensor_scatter_nd_update"), ("unsqueeze", "tf.expand_dims")],
)  # fmt: skip
def test_attributes_of_other_libraries(name: str, words: str) -> None:
    """The error says what it is called here."""
    with pytest.raises(AttributeError, match=f"no attribute '{name}'. Use .*{words}"):
        getattr(tf.constant([1.0]), name)


def test_the_truth_of_several() -> None:
    with pytest.raises(ValueError, match=r"ambiguous.*tf.reduce_any\(a\) or tf.reduce_all\(a\)"):
        bool(tf.constant([1.0, 2.0]) > 1.0)


def test_arguments_side_by_side() -> None:
    """What belongs into a list, given one after the other."""
    x = tf.ones([4])
    with pytest.raises(TypeError, match=r"tf.stack\(\[a, b\]\)"):
        tf.stack(x, x)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"tf.reshape\(x, \[2, 3\]\)"):
        tf.reshape(x, 2, 2)  # type: ignore[arg-type]
