"""DType and tf.dtypes."""

from __future__ import annotations

import copy
import pickle
import re
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import wengert as tf

# name: enum, size, kind of TensorFlow's, NumPy's type
TYPES = {
    "float16": (19, 2, "floating", np.float16),
    "bfloat16": (14, 2, "floating", ml_dtypes.bfloat16),
    "float32": (1, 4, "floating", np.float32),
    "float64": (2, 8, "floating", np.float64),
    "complex64": (8, 8, "complex", np.complex64),
    "complex128": (18, 16, "complex", np.complex128),
    "int8": (6, 1, "integer", np.int8),
    "int16": (5, 2, "integer", np.int16),
    "int32": (3, 4, "integer", np.int32),
    "int64": (9, 8, "integer", np.int64),
    "uint8": (4, 1, "unsigned", np.uint8),
    "uint16": (17, 2, "unsigned", np.uint16),
    "uint32": (22, 4, "unsigned", np.uint32),
    "uint64": (23, 8, "unsigned", np.uint64),
    "bool": (10, 1, "bool", np.bool_),
    "string": (7, 0, "string", object),
}
each = pytest.mark.parametrize("name", TYPES)


@each
def test_a_dtype_has_a_name(name: str) -> None:
    """It is an attribute of tf and tf.dtypes, and shows itself as TensorFlow's does."""
    dtype = getattr(tf, name)
    assert getattr(tf.dtypes, name) is dtype
    assert (dtype.name, repr(dtype), str(dtype)) == (name, f"tf.{name}", f"<dtype: '{name}'>")


@each
def test_a_dtype_describes_itself(name: str) -> None:
    """Enum number, size, NumPy's type and what kind of values it has."""
    enum, size, kind, numpy_type = TYPES[name]
    dtype = getattr(tf, name)
    assert (dtype.as_datatype_enum, dtype.size) == (enum, size)
    assert dtype.as_numpy_dtype is numpy_type
    assert dtype.numpy_dtype == np.dtype(numpy_type)
    assert dtype.is_floating is (kind == "floating")
    assert dtype.is_complex is (kind == "complex")
    assert dtype.is_integer is (kind in ("integer", "unsigned"))
    assert dtype.is_unsigned is (kind == "unsigned")
    assert dtype.is_bool is (kind == "bool")
    assert dtype.is_numeric is (kind not in ("bool", "string"))
    assert dtype.is_differentiable is (kind in ("floating", "complex"))
    assert dtype.base_dtype is dtype


@each
def test_a_dtype_is_found(name: str) -> None:
    """By itself, its name, its number and NumPy's type."""
    dtype = getattr(tf, name)
    for value in (dtype, name, TYPES[name][0], TYPES[name][3], np.dtype(TYPES[name][3])):
        assert tf.as_dtype(value) is tf.dtypes.as_dtype(value) is dtype
        assert dtype == value


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        ("half", tf.float16),
        ("float", tf.float32),
        ("double", tf.float64),
        (float, tf.float32),
        (bool, tf.bool),
        (np.dtype(">f4"), tf.float32),
        (np.dtype("U3"), tf.string),
        (np.dtype("S3"), tf.string),
    ],
    ids=str,
)
def test_other_names_of_dtypes(value: Any, dtype: Any) -> None:
    """TensorFlow's other names, Python's types and NumPy's variants."""
    assert tf.as_dtype(value) is dtype


def test_half_and_double() -> None:
    """Two names of two types."""
    assert (tf.half, tf.double) == (tf.float16, tf.float64)
    assert (tf.dtypes.half, tf.dtypes.double) == (tf.float16, tf.float64)


class Foreign:
    """Something else."""

    def __repr__(self) -> str:
        return "Foreign()"


@pytest.mark.parametrize(
    "value",
    [
        "foo",
        "f4",
        "int",
        "str",
        None,
        999,
        3.5,
        [],
        Foreign(),
        np.datetime64,
        np.dtype("M8[s]"),
        tf.constant(1.0),
    ],
    ids=repr,
)
def test_what_is_no_dtype(value: Any) -> None:
    """The value is named, and equals no dtype."""
    text = f"Cannot convert the argument `type_value`: {value!r} to a TensorFlow DType."
    with pytest.raises(TypeError, match=re.escape(text)):
        tf.as_dtype(value)


@each
def test_a_dtype_equals_itself_alone(name: str) -> None:
    """Different dtypes differ, and no dtype is None or a name that there is not."""
    dtype = getattr(tf, name)
    assert [other for other in TYPES if dtype == getattr(tf, other)] == [name]
    assert dtype != "foo"
    assert (dtype == None) is False  # noqa: E711
    assert dtype != object()


@each
def test_a_dtype_is_one_object(name: str) -> None:
    """Copying and pickling give the same object; as keys, equal dtypes meet."""
    dtype = getattr(tf, name)
    assert copy.copy(dtype) is copy.deepcopy(dtype) is dtype
    assert pickle.loads(pickle.dumps(dtype)) is dtype
    assert {dtype: 1}[tf.as_dtype(name)] == 1


def test_compatible_is_equal() -> None:
    """is_compatible_with takes whatever names a dtype."""
    assert tf.float32.is_compatible_with("float32")
    assert not tf.float32.is_compatible_with(np.float64)
    with pytest.raises(TypeError, match="`type_value`: 'foo'"):
        tf.float32.is_compatible_with("foo")


@pytest.mark.parametrize(
    ("dtype", "real"),
    [
        (tf.complex64, tf.float32),
        (tf.complex128, tf.float64),
        (tf.float16, tf.float16),
        (tf.int8, tf.int8),
    ],
    ids=str,
)
def test_the_real_dtype(dtype: Any, real: Any) -> None:
    """That of the real part."""
    assert dtype.real_dtype is real


@pytest.mark.parametrize("name", [n for n in TYPES if TYPES[n][2] in ("integer", "unsigned")])
def test_the_range_of_integers(name: str) -> None:
    """min and max are NumPy's; limits are those of an image, from zero."""
    dtype, info = getattr(tf, name), np.iinfo(name)
    assert (dtype.min, dtype.max, dtype.limits) == (info.min, info.max, (0, info.max))


@pytest.mark.parametrize("name", [n for n in TYPES if TYPES[n][2] == "floating"])
def test_the_range_of_floats(name: str) -> None:
    """min and max are values of the type itself, the largest that are finite."""
    dtype = getattr(tf, name)
    info = ml_dtypes.finfo(dtype.numpy_dtype)
    assert (dtype.min, dtype.max) == (info.min, info.max)
    assert type(dtype.max) is dtype.as_numpy_dtype


def test_the_limits_of_images() -> None:
    """As in TensorFlow: an image of floats goes from 0 to 1."""
    assert (tf.float32.limits, tf.float64.limits, tf.bool.limits) == ((0, 1), (0, 1), (0, True))
    with pytest.raises(
        ValueError, match=re.escape("<dtype: 'string'> does not have defined limits.")
    ):
        tf.string.limits


@pytest.mark.parametrize("dtype", [tf.bool, tf.string, tf.complex64], ids=str)
@pytest.mark.parametrize("which", ["min", "max"])
def test_other_dtypes_have_no_range(dtype: Any, which: str) -> None:
    """There is no least string."""
    text = f"Cannot find {which}imum value of {dtype} with type {dtype}."
    with pytest.raises(TypeError, match=re.escape(text)):
        getattr(dtype, which)


def test_numpy_takes_a_dtype() -> None:
    """NumPy reads as_numpy_dtype."""
    assert np.zeros(2, tf.float16.as_numpy_dtype).dtype == np.float16
    assert np.zeros(2, tf.bfloat16.as_numpy_dtype).dtype == ml_dtypes.bfloat16


@each
def test_every_dtype_makes_tensors(name: str) -> None:
    """zeros, casts and arrays have the dtype that was asked for."""
    dtype = getattr(tf, name)
    t = tf.zeros([2, 1], dtype)
    assert [t.dtype, t.shape, t.numpy().dtype] == [dtype, (2, 1), dtype.numpy_dtype]


@pytest.mark.parametrize("name", [n for n in TYPES if n != "string"])
def test_every_dtype_is_cast_to(name: str) -> None:
    """tf.cast goes from and to every type of numbers and booleans, as NumPy does."""
    for other in TYPES:
        if other != "string":
            t = tf.cast(tf.cast([0, 1, 1], other), name)
            assert (t.dtype, np.asarray(t).astype(complex).tolist()) == (
                tf.as_dtype(name),
                [0, 1, 1],
            )


@pytest.mark.parametrize(
    "name", ["float16", "bfloat16", "float32", "float64", "complex64", "complex128"]
)
def test_what_differentiates(name: str) -> None:
    """A gradient has the dtype of its source."""
    x = tf.constant([1.0, 2.0], name)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    gradient = tape.gradient(y, x)
    assert gradient.dtype == name
    assert np.asarray(gradient).astype(complex).tolist() == [2.0, 4.0]


@pytest.mark.parametrize("initial", [3, True, "a"])
def test_what_does_not_differentiate(initial: Any) -> None:
    """Integers, booleans and strings have no gradient, and a warning says so."""
    v = tf.Variable(initial)
    with tf.GradientTape() as tape:
        y = tf.identity(v)
    with pytest.warns(tf.errors.GradientWarning, match="must be floating"):
        assert tape.gradient(y, v) is None


def test_formats_of_eight_bits_and_of_four() -> None:
    """Casts as TensorFlow's, in functions as well; a gradient passes through a cast to a float."""
    x = tf.constant([1.3, -2.7, 500.0, 1e6, 0.001])
    wide, narrow = tf.dtypes.experimental.float8_e5m2, tf.dtypes.experimental.float8_e4m3fn
    for function in (lambda f: f, tf.function):
        there = function(lambda v: [tf.cast(tf.cast(v, d), tf.float32) for d in (wide, narrow)])(x)
        assert there[0].numpy().tolist() == [1.25, -2.5, 512.0, np.inf, 0.0009765625]
        assert str(there[1].numpy().tolist()) == "[1.25, -2.75, nan, nan, 0.001953125]"
    assert (wide.as_datatype_enum, narrow.max, wide.is_floating) == (24, 448, True)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cast(tf.cast(x, wide), tf.float32) * 3.0
    assert tape.gradient(y, x).numpy().tolist() == [3.0] * 5
    small = tf.cast([1, -2, 7, 9, 20], tf.dtypes.experimental.int4)
    assert tf.cast(small, tf.int32).numpy().tolist() == [1, -2, 7, -7, 4]


@pytest.mark.parametrize("kind", [tf.qint8, tf.quint8, tf.qint16, tf.qint32], ids=str)
def test_quantized_integers_are_cast(kind: tf.DType) -> None:
    """To numbers and back, eagerly and in functions; bitcast from the integers that they are."""
    for function in (lambda f: f, tf.function):
        there = function(lambda v: tf.cast(tf.cast(v, kind), tf.float32) * 2.0)
        assert there(tf.constant([1.0, 3.0])).numpy().tolist() == [2.0, 6.0]
    assert tf.cast([1], kind).dtype is kind
    assert tf.cast(
        tf.bitcast(tf.constant([1, 2], tf.int8), tf.qint8), tf.int32
    ).numpy().tolist() == [1, 2]


def test_what_numpy_arrays_can_hold() -> None:
    """Numbers and strings, but not what refers to a variable or holds values of any type."""
    assert all(
        t.is_numpy_compatible for t in (tf.float32, tf.bfloat16, tf.bool, tf.string, tf.qint8)
    )
    assert not tf.resource.is_numpy_compatible
    assert not tf.variant.is_numpy_compatible
