"""From Python and NumPy values to tensors: which dtype, which values, which errors."""

from __future__ import annotations

import collections
import enum
import re
import reprlib
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import wengert as tf

NUMERIC = [
    tf.float16,
    tf.bfloat16,
    tf.float32,
    tf.float64,
    tf.complex64,
    tf.complex128,
    tf.int8,
    tf.int16,
    tf.int32,
    tf.int64,
    tf.uint8,
    tf.uint16,
    tf.uint32,
    tf.uint64,
]


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 7


class Derived(np.ndarray):  # type: ignore[misc]
    pass


class HasArray:
    """Like an array of another library."""

    def __init__(self, array: Any) -> None:
        self._array = array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.asarray(self._array, dtype)


def same(tensor: Any, value: Any, dtype: Any) -> None:
    """The tensor has exactly this dtype, shape and value."""
    wanted = np.array(value, tf.as_dtype(dtype).numpy_dtype)
    assert tensor.dtype is tf.as_dtype(dtype)
    assert tensor.shape == wanted.shape
    np.testing.assert_array_equal(np.asarray(tensor), wanted)


# ---- the dtype a value has by itself ----------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (True, tf.bool),
        (3, tf.int32),
        (-(2**31), tf.int32),
        (2**31, tf.int64),
        (2**40, tf.int64),
        (-(2**63), tf.int64),
        (2.5, tf.float32),
        (float("inf"), tf.float32),
        (1e-50, tf.float32),
        (1 + 2j, tf.complex128),
        ([], tf.float32),
        ([[], []], tf.float32),
        ((), tf.float32),
        ([1, 2], tf.int32),
        ([1, 2**40], tf.int64),
        ([1, 2.5], tf.float32),
        ([1.5, 2], tf.float32),
        ([1, True], tf.int32),
        ([1.5, True], tf.float32),
        ([1j, 1, 2.5, True], tf.complex128),
        ([True, False], tf.bool),
        ([[1, 2.5], [3, True]], tf.float32),
        (range(3), tf.int32),
        ([range(2), (3, 4)], tf.int32),
        (collections.deque([1, 2]), tf.int32),
        (bytearray(b"ab"), tf.int32),
        (Level.HIGH, tf.int32),
        ([Level.LOW, Level.HIGH], tf.int32),
    ],
)
def test_python_values_choose_their_dtype(value: Any, dtype: Any) -> None:
    """Floats are float32, integers int32 or, where they must be, int64; the first one leads."""
    same(tf.constant(value), value, dtype)


@pytest.mark.parametrize("dtype", [*NUMERIC, tf.bool], ids=lambda d: d.name)
def test_numpy_values_keep_their_dtype(dtype: Any) -> None:
    """An array, and a NumPy scalar, becomes a tensor of its own dtype."""
    array = np.array([0, 1, 1], dtype.numpy_dtype)
    same(tf.constant(array), array, dtype)
    same(tf.constant(array[1]), 1, dtype)


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        ([np.float64(0.1), 2], tf.float64),
        ([np.float16(1), 2.5], tf.float16),
        ([0.1, np.float64(0.1)], tf.float32),
        ([1, np.float64(2.5)], tf.float32),
        ([np.int64(1), 2.5], tf.float32),
        ([np.int64(1), 2], tf.int32),
        ([np.int8(1)], tf.int32),
        ([np.int64(2**40)], tf.int64),
        ([np.bool_(True)], tf.bool),
        ([np.complex64(1)], tf.complex128),
        ([np.array([1.0, 2.0]), [3.0, 4.0]], tf.float64),
        ([[3.0, 4.0], np.array([1.0, 2.0])], tf.float32),
        ([np.array([1, 2], np.int8)], tf.int32),
    ],
)
def test_numpy_values_in_a_list_are_taken_as_python_numbers(value: Any, dtype: Any) -> None:
    """Of NumPy's types a list keeps only that of a float that stands first."""
    same(tf.constant(value), value, dtype)


@pytest.mark.parametrize("order", [">", "<"])
def test_byte_order_is_forgotten(order: str) -> None:
    """Arrays of the other byte order are converted to the machine's own."""
    tensor = tf.constant(np.array([1, 2**20], f"{order}i4"))
    same(tensor, [1, 2**20], tf.int32)
    assert np.asarray(tensor).dtype.isnative


@pytest.mark.parametrize(
    "value",
    [np.array([[1, 2]]).view(Derived), np.ma.array([[1, 2]]), HasArray(np.array([[1, 2]]))],
    ids=["derived", "masked", "foreign"],
)
def test_what_behaves_like_an_array_is_one(value: Any) -> None:
    """Subclasses of arrays, and objects with `__array__`, become plain tensors."""
    tensor = tf.constant(value)
    same(tensor, [[1, 2]], tf.int64)
    assert type(np.asarray(tensor)) is np.ndarray


@given(hnp.arrays(st.sampled_from([np.float32, np.int64, np.bool_]), hnp.array_shapes(min_dims=0)))
def test_arrays_come_back_as_they_went(array: Any) -> None:
    """constant(a).numpy() is a, bit for bit."""
    np.testing.assert_array_equal(tf.constant(array).numpy(), array)


@given(hnp.arrays(np.int32, hnp.array_shapes(max_dims=3, max_side=3)))
def test_nested_lists_are_arrays(array: Any) -> None:
    """A nested list means the same as the array of it."""
    same(tf.constant(array.tolist()), array, tf.int32)


# ---- a dtype that is asked for ----------------------------------------------------------------


@pytest.mark.parametrize("dtype", NUMERIC, ids=lambda d: d.name)
def test_integers_become_any_number(dtype: Any) -> None:
    """A Python integer, alone or in a list, converts to every numeric dtype."""
    same(tf.constant(3, dtype), 3, dtype)
    same(tf.constant([3, 4], dtype), [3, 4], dtype)


@pytest.mark.parametrize("dtype", [d for d in NUMERIC if not d.is_integer], ids=lambda d: d.name)
def test_floats_become_any_inexact_number(dtype: Any) -> None:
    """A Python float converts to every float and complex dtype, rounded once."""
    same(tf.constant(0.1, dtype), 0.1, dtype)
    same(tf.constant([0.1], dtype), [0.1], dtype)


TAKE_TRUTHS = (tf.float16, tf.float32, tf.float64, tf.int32, tf.int64, tf.complex128)


@pytest.mark.parametrize("dtype", NUMERIC, ids=lambda d: d.name)
def test_booleans_become_numbers_of_six_dtypes(dtype: Any) -> None:
    """True is 1 where TensorFlow takes it, and refused elsewhere."""
    if dtype in TAKE_TRUTHS:
        same(tf.constant(True, dtype), 1, dtype)
        same(tf.constant([True, False], dtype), [1, 0], dtype)
    else:
        with pytest.raises(TypeError, match=f"Cannot convert True to .* {dtype.spoken}"):
            tf.constant(True, dtype)


@pytest.mark.parametrize("dtype", [*NUMERIC, tf.bool, tf.string], ids=lambda d: d.name)
def test_an_empty_list_has_any_dtype(dtype: Any) -> None:
    """Nothing can be of every dtype."""
    tensor = tf.constant([[], []], dtype)
    assert [tensor.dtype, tensor.shape] == [dtype, (2, 0)]


@pytest.mark.parametrize(
    ("value", "dtype", "spoken"),
    [
        (1.5, tf.int32, "int32"),
        (1.0, tf.int64, "int64"),
        ([1.5], tf.int32, "int32"),
        ([1, 1.5], tf.uint8, "uint8"),
        ([np.float64(1.5)], tf.int32, "int32"),
        (float("nan"), tf.int32, "int32"),
        (1, tf.bool, "bool"),
        (1.0, tf.bool, "bool"),
        ("a", tf.float32, "float"),
        ("a", tf.float64, "double"),
        ("a", tf.float16, "half"),
        (1, tf.string, "string"),
        (True, tf.complex64, "complex64"),
        (1j, tf.float32, "float"),
        ([1j], tf.int32, "int32"),
        (range(3), tf.string, "string"),
        (np.array([1]), tf.string, "string"),
        (np.array(["1"]), tf.float32, "float"),
    ],
)
def test_a_value_does_not_lose_its_kind(value: Any, dtype: Any, spoken: str) -> None:
    """What Python would have to round or reinterpret is refused, in TensorFlow's words."""
    text = f"Cannot convert {value!r} to EagerTensor of dtype {spoken}"
    with pytest.raises(TypeError, match=re.escape(text)):
        tf.constant(value, dtype)


@pytest.mark.parametrize(
    ("value", "dtype", "cast"),
    [
        ([1.5, -1.5], tf.int32, [1, -1]),
        ([300], tf.uint8, [44]),
        ([0.0, 2.5], tf.bool, [False, True]),
        ([1j, 0j], tf.bool, [True, False]),
        ([True], tf.float32, [1.0]),
        ([1 + 2j], tf.float32, [1.0]),
        ([1 + 2j], tf.int32, [1]),
        ([1e40], tf.float32, [np.inf]),
        ([0.1], tf.bfloat16, [0.1]),
    ],
)
def test_arrays_are_cast_freely(value: Any, dtype: Any, cast: Any) -> None:
    """A NumPy array, and a NumPy scalar, becomes whatever dtype is asked for, without a warning."""
    same(tf.constant(np.array(value), dtype), cast, dtype)
    same(tf.constant(np.array(value)[0], dtype), cast[0], dtype)


def test_not_a_number_may_be_cast_to_an_integer() -> None:
    """A NaN in an array becomes some integer; there is no error and no warning."""
    assert tf.constant(np.array([np.nan, 2.0]), tf.int32)[1].numpy() == 2


@pytest.mark.parametrize(
    ("value", "dtype", "wrapped"),
    [
        (300, tf.uint8, 44),
        (-1, tf.uint8, 255),
        (-1, tf.uint32, 2**32 - 1),
        (40000, tf.int16, -25536),
        (2**40, tf.int32, 0),
        (2**33 + 1, tf.uint8, 1),
    ],
)
def test_integers_wrap_around(value: int, dtype: Any, wrapped: int) -> None:
    """An integer too large for the dtype asked for loses its upper bits."""
    same(tf.constant(value, dtype), wrapped, dtype)
    same(tf.constant([value], dtype), [wrapped], dtype)


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (2**63, None),
        (2**70, None),
        (-(2**70), None),
        ([1, 2**63], None),
        (2**70, tf.int32),
        (2**64, tf.uint64),
        (2**1030, tf.float64),
    ],
)
def test_integers_out_of_range_are_refused(value: Any, dtype: Any) -> None:
    """An integer that no tensor can hold is an error, not another number."""
    text = "Can't convert Python sequence with out-of-range integer to Tensor"
    with pytest.raises(ValueError, match=re.escape(text)):
        tf.constant(value, dtype)


def test_large_integers_fit_where_they_fit() -> None:
    """uint64 holds what int64 cannot, and floats hold any integer approximately."""
    same(tf.constant(2**64 - 1, tf.uint64), 2**64 - 1, tf.uint64)
    same(tf.constant([2**63], tf.uint64), [2**63], tf.uint64)
    same(tf.constant(2**70, tf.float64), 2.0**70, tf.float64)
    same(tf.constant(2**200, tf.float32), np.inf, tf.float32)


@pytest.mark.parametrize("value", [1e40, -1e40, [1.0, 1e40]])
def test_a_float_that_overflows_by_itself_is_refused(value: Any) -> None:
    """Nobody asked for float32, so an overflow there is not passed over."""
    with pytest.raises(ValueError, match="a value out of range for a double-precision float"):
        tf.constant(value)


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float32], ids=lambda d: d.name)
def test_a_float_that_overflows_by_request_is_infinite(dtype: Any) -> None:
    """Whoever names a dtype gets its infinity."""
    same(tf.constant(-1e40, dtype), -np.inf, dtype)
    same(tf.constant([1e40], dtype), [np.inf], dtype)


# ---- hints ------------------------------------------------------------------------------------


def test_a_hint_is_taken_where_it_can_be() -> None:
    """dtype_hint decides where the value leaves the choice."""
    same(tf.convert_to_tensor(0.1, dtype_hint=tf.float64), 0.1, tf.float64)
    same(tf.convert_to_tensor([1], dtype_hint=tf.float64), [1.0], tf.float64)
    same(tf.convert_to_tensor(np.array([1.5]), dtype_hint=tf.int32), [1], tf.int32)


def test_a_hint_does_not_oblige() -> None:
    """Where the value does not allow the hint, it is as if there were none."""
    same(tf.convert_to_tensor(1.5, dtype_hint=tf.int32), 1.5, tf.float32)
    assert tf.convert_to_tensor("a", dtype_hint=tf.int32).dtype is tf.string
    assert tf.convert_to_tensor(tf.constant(1), dtype_hint=tf.float64).dtype is tf.int32


def test_a_hint_does_not_hide_an_error() -> None:
    """A value that is no tensor is refused with a hint too."""
    with pytest.raises(ValueError, match=re.escape("Attempt to convert a value (None)")):
        tf.convert_to_tensor(None, dtype_hint=tf.float32)


@pytest.mark.parametrize("dtype", ["float64", np.float64, np.dtype("f8"), 2])
def test_a_dtype_may_be_given_in_any_form(dtype: Any) -> None:
    """Names, NumPy's types and enum numbers stand for dtypes."""
    same(tf.convert_to_tensor(0.1, dtype), 0.1, tf.float64)


# ---- strings ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("é", "é".encode()),
        (b"\xff\x00", b"\xff\x00"),
        ("", b""),
        ("a\x00", b"a\x00"),
        (np.str_("x"), b"x"),
        (np.bytes_(b"x"), b"x"),
        (np.array("x"), b"x"),
    ],
)
def test_a_string_is_kept_as_bytes(value: Any, shown: bytes) -> None:
    """Text is encoded as UTF-8; bytes are kept as they are."""
    tensor = tf.constant(value)
    assert [tensor.dtype, tensor.shape, tensor.numpy()] == [tf.string, (), shown]


@pytest.mark.parametrize(
    "value",
    [
        [["a", b"\xff"], ["", "bc"]],
        np.array([["a", b"\xff"], ["", "bc"]], object),
        [np.array(["a", b"\xff"], object), ["", "bc"]],
    ],
    ids=["list", "array", "both"],
)
def test_strings_of_any_length_stand_together(value: Any) -> None:
    """Lists and arrays of text and bytes become tensors of strings."""
    tensor = tf.constant(value)
    assert tensor.dtype is tf.string
    assert tensor.numpy().tolist() == [[b"a", b"\xff"], [b"", b"bc"]]


def test_unicode_arrays_are_strings() -> None:
    """NumPy's own string arrays become tensors of strings, also when asked for them."""
    assert tf.constant(np.array(["a", "bc"])).numpy().tolist() == [b"a", b"bc"]
    assert tf.constant(np.array([b"a"]), tf.string).numpy().tolist() == [b"a"]
    assert tf.constant(["a"], tf.string).numpy().tolist() == [b"a"]


# ---- what is no tensor ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [None, {1}, {1: 2}, {1: 2}.keys(), object(), int, list, len, tf.float32, iter([1])],
    ids=lambda v: type(v).__name__,
)
@pytest.mark.parametrize("nested", [False, True])
def test_what_is_no_tensor_is_named(value: Any, nested: bool) -> None:
    """The error shows the value and its type, also from inside a list."""
    text = f"Attempt to convert a value ({value!r}) with an unsupported type ({type(value)}) to a"
    with pytest.raises(ValueError, match=re.escape(text)):
        tf.constant([value] if nested else value)


@pytest.mark.parametrize(
    "value",
    [
        [1, "a"],
        [1.0, "a"],
        [1j, "a"],
        [True, "a"],
        ["a", 1],
        [1, None],
        [True, 2],
        [True, 1.0],
        [1, 2j],
        [1.0, 2j],
        [[True], [2]],
    ],
    ids=repr,
)
def test_kinds_do_not_mix(value: Any) -> None:
    """What follows the first element must be of its kind, or a number after a number."""
    text = "Can't convert Python sequence with mixed types to Tensor."
    with pytest.raises(ValueError, match=re.escape(text)) as caught:
        tf.constant(value)
    assert_note(caught.value, reprlib.repr(value))


@pytest.mark.parametrize(
    "value",
    [[[1, 2], [3]], [[1, 2], 3], [1, [2, 3]], [["a", "b"], ["c"]], [[[1]], [[2, 3]]]],
    ids=repr,
)
def test_ragged_lists_are_refused(value: Any) -> None:
    """Lists of different lengths are no array."""
    text = "Can't convert non-rectangular Python sequence to Tensor."
    with pytest.raises(ValueError, match=re.escape(text)) as caught:
        tf.constant(value)
    assert_note(caught.value, reprlib.repr(value))


def assert_note(error: Exception, said: str) -> None:
    """What the message does not name stands below it, where Python has such notes."""
    if sys.version_info >= (3, 11):
        assert said in "".join(error.__notes__)


@pytest.mark.parametrize(
    ("value", "what"),
    [
        (np.array([1, 2], object), "object type int"),
        (np.array([None], object), "object type NoneType"),
        (np.array(["2020-01-01"], "datetime64[D]"), "numpy type: datetime64[D]"),
        (np.zeros(2, [("a", "i4")]), "numpy type: "),
    ],
    ids=["ints", "None", "dates", "records"],
)
def test_arrays_of_other_things_are_refused(value: Any, what: str) -> None:
    """An array that no tensor can hold is named by its type."""
    text = f"Failed to convert a NumPy array to a Tensor (Unsupported {what}"
    with pytest.raises(ValueError, match=re.escape(text)):
        tf.constant(value)


# ---- tensors and what holds them --------------------------------------------------------------


def test_a_tensor_is_itself() -> None:
    """Converting a tensor returns the same object."""
    tensor = tf.constant([1.0])
    assert tf.convert_to_tensor(tensor) is tensor
    assert tf.convert_to_tensor(tensor, tf.float32) is tensor


@pytest.mark.parametrize("source", [tf.constant, tf.Variable])
def test_a_tensor_is_never_cast_by_converting(source: Any) -> None:
    """Another dtype of a tensor, or of a variable, takes tf.cast."""
    text = "Tensor conversion requested dtype float64 for Tensor with dtype float32"
    with pytest.raises(ValueError, match=text):
        tf.convert_to_tensor(source(1.0), tf.float64)


def test_a_list_with_tensors_is_packed() -> None:
    """Tensors, variables and numbers nest; the first tensor says the dtype."""
    packed = tf.convert_to_tensor(
        [[tf.constant(1.0, tf.float64), 2], [0.1, tf.Variable(np.float64(4))]]
    )
    same(packed, [[1.0, 2.0], [0.1, 4.0]], tf.float64)
    same(tf.convert_to_tensor([[1, 2.5], tf.constant([3.0, 4.0])]), [[1, 2.5], [3, 4]], tf.float32)
    assert tf.convert_to_tensor([tf.constant("a"), "b"]).numpy().tolist() == [b"a", b"b"]


def test_gradients_flow_through_a_list_of_tensors() -> None:
    """Packing is differentiable."""
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.convert_to_tensor([x, 1.0, [x * x][0]])
    assert tape.gradient(y, x).numpy() == 5.0


def test_a_list_of_tensors_has_one_dtype() -> None:
    """Another dtype in the list is an error."""
    with pytest.raises(ValueError, match="requested dtype float32 for Tensor with dtype int32"):
        tf.convert_to_tensor([tf.constant(1.0), tf.constant(2)])
    with pytest.raises(TypeError, match=re.escape("Cannot convert [3, 4.5] to EagerTensor")):
        tf.convert_to_tensor([[tf.constant(1), 2], [3, 4.5]])


def test_a_list_of_tensors_has_one_shape() -> None:
    """Tensors of different shapes do not pack."""
    text = "Shapes of all inputs must match: values[0].shape = [1] != values[1].shape = [2]"
    with pytest.raises(tf.errors.InvalidArgumentError, match=re.escape(text)):
        tf.convert_to_tensor([tf.constant([1.0]), tf.constant([1.0, 2.0])])


def test_a_shape_is_a_tensor_of_its_sizes() -> None:
    """A fully known TensorShape converts."""
    same(tf.convert_to_tensor(tf.TensorShape([2, 3])), [2, 3], tf.int32)
    with pytest.raises(ValueError, match="partially known"):
        tf.convert_to_tensor(tf.TensorShape([2, None]))


@pytest.mark.parametrize("make", [tf.constant, tf.convert_to_tensor, tf.Variable])
def test_values_are_copied(make: Any) -> None:
    """Changing the array afterwards does not change what was made of it."""
    array = np.array([1.0, 2.0], np.float32)
    made = make(array)
    array[0] = 9.0
    assert made.numpy().tolist() == [1.0, 2.0]


# ---- constant(shape=...) ----------------------------------------------------------------------


def test_a_constant_is_reshaped() -> None:
    """As many values as the shape has places are put there in order."""
    same(tf.constant([1, 2, 3, 4], shape=[2, 2]), [[1, 2], [3, 4]], tf.int32)
    same(tf.constant([], shape=[0, 3]), np.zeros((0, 3)), tf.float32)
    assert tf.constant(["a", "b"], shape=(2, 1)).numpy().tolist() == [[b"a"], [b"b"]]


@pytest.mark.parametrize("shape", [3, [3], (3,), tf.TensorShape([3]), np.array([3])], ids=repr)
def test_a_single_value_fills_a_constant(shape: Any) -> None:
    """One value is repeated; the shape may be given in any form."""
    same(tf.constant(0.1, tf.float64, shape), [0.1] * 3, tf.float64)
    same(tf.constant([7], shape=shape), [7] * 3, tf.int32)


def test_a_constant_of_the_wrong_size_is_refused() -> None:
    """Neither one value nor as many as there are places."""
    text = (
        "Eager execution of tf.constant with unsupported shape. Tensor [1. 2.] (converted from "
        "[1.0, 2.0]) has 2 elements, but got `shape` (3,) with 3 elements"
    )
    with pytest.raises(TypeError, match=re.escape(text)):
        tf.constant([1.0, 2.0], shape=[3])


def test_a_constant_has_no_negative_size() -> None:
    """There is no -1 to be computed, as there is in reshape."""
    with pytest.raises(ValueError, match="Dimension -1 must be >= 0"):
        tf.constant(1, shape=[-1])


class Converted:
    """An object that says itself which tensor it is."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __tf_tensor__(self, dtype: Any = None, name: Any = None) -> Any:
        return tf.convert_to_tensor(self.value, dtype)


def test_tf_tensor_is_asked() -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.multiply(Converted(x), 2.0) + x * Converted(x) + tf.stack([Converted(x), x])[0]
    assert y.numpy().tolist() == [4.0, 10.0]
    assert tape.gradient(y, x).numpy().tolist() == [5.0, 7.0]
    assert tf.convert_to_tensor(Converted(3), tf.float64).dtype is tf.float64


def test_shapes_become_tensors() -> None:
    shape = tf.TensorShape([2, 3])
    assert tf.convert_to_tensor(shape).dtype is tf.int32
    assert tf.convert_to_tensor(shape, tf.int64).numpy().tolist() == [2, 3]
    mixed = tf.concat([shape, tf.shape(tf.zeros([4]), tf.int64)], 0)
    assert (mixed.dtype, mixed.numpy().tolist()) == (tf.int64, [2, 3, 4])
    with pytest.raises(TypeError, match="Allowed dtypes are"):
        tf.convert_to_tensor(shape, tf.float32)
    with pytest.raises(ValueError, match="Cannot convert a partially known"):
        tf.convert_to_tensor(tf.TensorShape([None]))


def test_products_of_truths() -> None:
    """The operator alone, as in TensorFlow; beside numbers, too."""
    x = tf.constant([True, False])
    for f in (lambda a, b: a * b, tf.function(lambda a, b: a * b)):
        assert f(x, tf.constant([True, True])).numpy().tolist() == [True, False]
        assert f(x, tf.constant([2.0, 0.0])).numpy().tolist() == [True, False]
    assert (x * 2.0).numpy().tolist() == (True * x).numpy().tolist() == [True, False]
    with pytest.raises(tf.errors.InvalidArgumentError, match="bool is not in the list"):
        tf.multiply(x, x)


def test_static_values_of_plain_values() -> None:
    assert tf.get_static_value(3) == 3
    assert tf.get_static_value([1, 2]) == [1, 2]
    assert tf.get_static_value(tf.Variable(1.0)) is None


def test_where_of_version_1_with_numbers_of_two_kinds() -> None:
    where = tf.compat.v1.where
    assert where(True, tf.constant(1.0), 2).dtype is tf.float32
    assert where(True, 2, tf.constant(1.0)).numpy() == 2.0
    assert where([True, False], [1, 2], tf.constant([3.0, 4.0])).numpy().tolist() == [1.0, 4.0]


def test_a_scalar_reversed_and_a_vector_of_one_filled() -> None:
    assert tf.reverse(tf.constant(1.0), [0]).numpy() == 1.0
    assert tf.fill([2], tf.constant([3.0])).numpy().tolist() == [3.0, 3.0]


# ---- lists with tensors in them ------------------------------------------------------------------


def one(dtype: Any = tf.float64) -> Any:
    return tf.constant(1, dtype)


@pytest.mark.parametrize(
    ("make", "dtype", "values"),
    [
        (lambda: tf.stack([[1.0, 2.0], [0.0, one()]]), tf.float64, [[1, 2], [0, 1]]),
        (lambda: tf.concat([[1.0, 2.0], [0.0, one()]], 0), tf.float32, [1, 2, 0, 1]),
        (lambda: tf.convert_to_tensor((2, one(tf.int32)), tf.int64), tf.int64, [2, 1]),
        (lambda: tf.convert_to_tensor([2.0, one()], tf.float32), tf.float32, [2, 1]),
        (lambda: tf.convert_to_tensor((2, tf.constant(300)), tf.int8), tf.int8, [2, 44]),
        (lambda: tf.convert_to_tensor([True, tf.constant(3)]), tf.int32, [1, 3]),
        (lambda: tf.SparseTensor([[0, 0]], [1.0], (2, tf.constant(3))).dense_shape, tf.int64, [2, 3]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("traced", [False, True])
def test_lists_with_tensors(make: Any, dtype: Any, values: Any, traced: bool) -> None:
    """A dtype that is asked for is that of the whole; otherwise the first tensor says it, as in TensorFlow."""
    found = (tf.function(make) if traced else make)()
    assert found.dtype is dtype
    assert found.numpy().tolist() == values


def test_gradients_flow_through_a_list_that_is_cast() -> None:
    v = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(v)
        y = tf.reduce_sum(tf.convert_to_tensor([v, 3.0], tf.float64) * [5.0, 7.0])
    gradient = tape.gradient(y, v)
    assert gradient.dtype is tf.float32
    assert gradient.numpy() == 5.0


class Readings:
    """What a library shows its parameters in: it has a length and elements, and derives from nothing."""

    def __init__(self, *values: Any) -> None:
        self.values = values

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, index: int) -> Any:
        return self.values[index]


@pytest.mark.parametrize(
    ("value", "want"),
    [
        (Readings(1.0, 2.0), tf.constant([1.0, 2.0])),
        (Readings(1, 2), tf.constant([1, 2])),
        (Readings(Readings(1.0), [2.0]), tf.constant([[1.0], [2.0]])),
        ([Readings(1.0, 2.0)], tf.constant([[1.0, 2.0]])),
        (Readings(), tf.constant([])),
        (Readings("a", "b"), tf.constant(["a", "b"])),
        (Readings(np.float64(1.0), np.float64(2.0)), tf.constant([1.0, 2.0], tf.float64)),
    ],
)
def test_what_has_a_length_and_elements_is_a_sequence(value: Any, want: Any) -> None:
    got = tf.convert_to_tensor(value)
    assert (got.dtype, got.numpy().tolist()) == (want.dtype, want.numpy().tolist())


@pytest.mark.parametrize("value", [{0: 1.0}, [{0: 1.0}], collections.ChainMap({0: 1.0})])
def test_a_mapping_is_no_sequence(value: Any) -> None:
    with pytest.raises(ValueError, match="unsupported type"):
        tf.convert_to_tensor(value)
