"""Promotion of TensorFlow's own: `dtype_conversion_mode="all"` and `"safe"`. Tables are TensorFlow 2.21's."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.api.numpy.behavior import set_behavior
from wengert.api.numpy.lattice import Operand, common

tnp = tf.experimental.numpy

NAMES = {
    "b": tf.bool,
    "u1": tf.uint8,
    "u2": tf.uint16,
    "u4": tf.uint32,
    "u8": tf.uint64,
    "i1": tf.int8,
    "i2": tf.int16,
    "i4": tf.int32,
    "i8": tf.int64,
    "bf": tf.bfloat16,
    "f2": tf.float16,
    "f4": tf.float32,
    "f8": tf.float64,
    "c8": tf.complex64,
    "c16": tf.complex128,
}
COLUMNS = "b u1 u2 u4 u8 i1 i2 i4 i8 bf f2 f4 f8 c8 c16 i4* i8* f4* f8* c16*"
# What two operands become; a star is for a dtype that gives way.
ALL = """
b    b u1 u2 u4 u8 i1 i2 i4 i8 bf f2 f4 f8 c8 c16 i4* i8* f4* f8* c16*
u1   u1 u1 u2 u4 u8 i2 i2 i4 i8 bf f2 f4 f8 c8 c16 u1 u1 f8* f8* c16*
u2   u2 u2 u2 u4 u8 i4 i4 i4 i8 bf f2 f4 f8 c8 c16 u2 u2 f8* f8* c16*
u4   u4 u4 u4 u4 u8 i8 i8 i8 i8 bf f2 f4 f8 c8 c16 u4 u4 f8* f8* c16*
u8   u8 u8 u8 u8 u8 f8* f8* f8* f8* bf f2 f4 f8 c8 c16 u8 u8 f8* f8* c16*
i1   i1 i2 i4 i8 f8* i1 i2 i4 i8 bf f2 f4 f8 c8 c16 i1 i1 f8* f8* c16*
i2   i2 i2 i4 i8 f8* i2 i2 i4 i8 bf f2 f4 f8 c8 c16 i2 i2 f8* f8* c16*
i4   i4 i4 i4 i8 f8* i4 i4 i4 i8 bf f2 f4 f8 c8 c16 i4 i4 f8* f8* c16*
i8   i8 i8 i8 i8 f8* i8 i8 i8 i8 bf f2 f4 f8 c8 c16 i8 i8 f8* f8* c16*
bf   bf bf bf bf bf bf bf bf bf bf f4 f4 f8 c8 c16 bf bf bf bf c8
f2   f2 f2 f2 f2 f2 f2 f2 f2 f2 f4 f2 f4 f8 c8 c16 f2 f2 f2 f2 c8
f4   f4 f4 f4 f4 f4 f4 f4 f4 f4 f4 f4 f4 f8 c8 c16 f4 f4 f4 f4 c8
f8   f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 c16 c16 f8 f8 f8 f8 c16
c8   c8 c8 c8 c8 c8 c8 c8 c8 c8 c8 c8 c8 c16 c8 c16 c8 c8 c8 c8 c8
c16  c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16
i4*  i4* u1 u2 u4 u8 i1 i2 i4 i8 bf f2 f4 f8 c8 c16 i4* i8* f4* f8* c16*
i8*  i8* u1 u2 u4 u8 i1 i2 i4 i8 bf f2 f4 f8 c8 c16 i8* i8* f4* f8* c16*
f4*  f4* f8* f8* f8* f8* f8* f8* f8* f8* bf f2 f4 f8 c8 c16 f4* f4* f4* f8* c16*
f8*  f8* f8* f8* f8* f8* f8* f8* f8* f8* bf f2 f4 f8 c8 c16 f8* f8* f8* f8* c16*
c16* c16* c16* c16* c16* c16* c16* c16* c16* c16* c8 c8 c8 c16 c8 c16 c16* c16* c16* c16* c16*
"""
# Where "safe" refuses: the columns, row by row; nowhere else.
REFUSED = """
u1   i1 f4*
u2   i1 i2 bf f2 f4*
u4   i1 i2 i4 bf f2 f4 c8 f4*
u8   i1 i2 i4 i8 bf f2 f4 f8 c8 c16 f4* f8* c16*
i1   u1 u2 u4 u8 f4*
i2   u2 u4 u8 bf f2 f4*
i4   u4 u8 bf f2 f4 c8 f4*
i8   u8 bf f2 f4 f8 c8 c16 f4* f8* c16*
bf   u2 u4 u8 i2 i4 i8 f2 c16*
f2   u2 u4 u8 i2 i4 i8 bf c16*
f4   u4 u8 i4 i8 c16*
f8   u8 i8 c8
c8   u4 u8 i4 i8 f8
c16  u8 i8
f4*  u1 u2 u4 u8 i1 i2 i4 i8
f8*  u8 i8
c16* u8 i8 bf f2 f4
"""


def _operand(name: str) -> Operand:
    return Operand(NAMES[name.rstrip("*")], name.endswith("*"))


@pytest.mark.parametrize("line", ALL.strip().splitlines())
def test_what_two_operands_become(line: str) -> None:
    row, *wanted = line.split()
    refused = {a: b for a, *b in map(str.split, REFUSED.strip().splitlines())}.get(row, [])
    for column, name in zip(COLUMNS.split(), wanted, strict=True):
        a, b = _operand(row), _operand(column)
        assert common(a, b, safe=False) == _operand(name), column
        if column in refused:
            with pytest.raises(TypeError, match=r"PromoMode\.SAFE"):
                common(a, b, safe=True)
        else:
            assert common(a, b, safe=True) == _operand(name), column


# ---- tensors ------------------------------------------------------------------------------------


@pytest.fixture
def off_again() -> Iterator[None]:
    yield
    tnp.experimental_enable_numpy_behavior(dtype_conversion_mode="off")
    set_behavior(promotes=False, has_methods=False)


def _enable(mode: str) -> None:
    tnp.experimental_enable_numpy_behavior(dtype_conversion_mode=mode)


def _kind(value: Any) -> str:
    return value.dtype.name + ("*" if "weak=True" in repr(value) else "")


@pytest.mark.usefixtures("off_again")
def test_numbers_of_pythons_give_way() -> None:
    _enable("all")
    assert repr(tf.constant(3)) == "<tf.Tensor: shape=(), dtype=int32, numpy=3, weak=True>"
    assert str(tf.constant([1.5])) == "tf.Tensor([1.5], shape=(1,), dtype=float32, weak=True)"
    short, half = tf.constant(3, tf.int8), tf.constant(1.5, tf.float16)
    found = {
        "int8": [short + 1, tf.add(short, 1), 1 - short, short * tf.constant(2)],
        "float16": [half + 1, half * 2.5, tf.constant(2.5) / half, short + half, half**short],
        "float16 ": [np.int8(3) + half, tf.maximum(short, half), tf.matmul([[half]], [[short]])],
        "int32*": [tf.constant(2) + 3, -tf.constant(2), tf.abs(-3), tf.reduce_sum([1, 2])],
        "float32*": [tf.constant(2) * 1.5, tf.reduce_mean([1.0, 2.0]), tf.sqrt(tf.constant(2.0))],
        "float64*": [short + 1.5, tf.constant(1) / 2, tf.Variable(1) - 0.5],
        "float32": [tf.Variable(1.0) * half, tf.constant(short, tf.float32)],
        "int32": [
            tf.cast(tf.constant(2), tf.int32),
            tf.convert_to_tensor(2),
            tf.constant(2, tf.int32),
        ],
        "bool": [tf.equal(short, half), short == half, tf.constant(True)],
    }
    for kind, values in found.items():
        assert [_kind(v) for v in values] == [kind.strip()] * len(values), kind


@pytest.mark.usefixtures("off_again")
def test_arrays_are_narrow_and_methods_keep_weakness() -> None:
    _enable("all")
    weak = tnp.array([3, 1])
    assert [_kind(v) for v in (weak, tnp.ones(2), tnp.arange(3), tnp.mean([1, 2]))] == [
        "int32*",
        "float32",
        "int32*",
        "float32*",
    ]
    assert [_kind(v) for v in (weak.T, weak.reshape([2, 1]), weak.sum(), weak.max())] == [
        "int32*"
    ] * 4
    assert _kind(tnp.sqrt(tf.constant(4, tf.int32))) == "float32"
    assert _kind(tnp.array(1, dtype=tnp.int64)) == "int64"
    _enable("legacy")
    assert [
        _kind(v) for v in (tnp.array([3]), tnp.ones(2), tf.constant(1), tf.constant(1) + 0.5)
    ] == [
        "int64",
        "float64",
        "int32",
        "float64",
    ]


@pytest.mark.usefixtures("off_again")
def test_safe_refuses_what_may_lose_digits() -> None:
    _enable("safe")
    x, y = tf.constant(3, tf.int32), tf.constant(1.5, tf.float32)
    with pytest.raises(TypeError) as caught:
        tf.add(x, y)
    assert str(caught.value).startswith(
        "In promotion mode PromoMode.SAFE, implicit dtype promotion between (<dtype: 'int32'>, "
        "weak=False) and (<dtype: 'float32'>, weak=False) is disallowed."
    )
    with pytest.raises(TypeError, match="weak=True"):
        x * 1.5
    assert _kind(x + tf.constant(2.0, tf.float64)) == "float64"
    assert _kind(tf.constant(1) + 1.5) == "float32*"


@pytest.mark.usefixtures("off_again")
def test_variables_take_what_becomes_of_their_dtype() -> None:
    _enable("all")
    v = tf.Variable(2.0)
    v.assign(3)
    v.assign_add(tf.constant(1, tf.int64))
    v.assign_sub(tf.constant(0.5, tf.float16))
    assert v.numpy() == 3.5
    with pytest.raises(TypeError) as caught:
        tf.Variable(2).assign_add(1.5)
    assert str(caught.value) == (
        "Variable dtype is immutable. Calling assign_add of Variable (with dtype <dtype: 'int32'>) on 1.5 "
        "requires converting 1.5 to <dtype: 'int32'>. This is disabled in the current promotion "
        "semantics. Please convert 1.5 manually before calling assign_add."
    )
    with pytest.raises(TypeError, match=r"Expected tensor 2\.5 with dtype tf\.int32"):
        tf.constant(tf.constant(2.5), tf.int32)


@pytest.mark.usefixtures("off_again")
def test_gradients_and_functions() -> None:
    _enable("all")
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        w = tf.constant(3.0)
        tape.watch(w)
        y = tf.reduce_sum(x * w * tf.constant(2, tf.int8) + tf.constant(1))
    assert tape.gradient(y, x).numpy().tolist() == [6.0, 6.0]
    assert tape.gradient(y, w).numpy() == 6.0

    @tf.function
    def scaled(x: Any) -> Any:
        return tf.constant(2) * x + 1

    assert _kind(scaled(tf.constant(1.5, tf.float16))) == "float16"
    assert scaled(tf.constant(3, tf.int64)).numpy() == 7


@pytest.mark.usefixtures("off_again")
def test_what_was_looked_up_before_promotes_too() -> None:
    tf.compat.install()
    try:
        import tensorflow

        x, y = tf.constant(1, tf.int32), tf.constant(1.5, tf.float32)
        with pytest.raises(tf.errors.InvalidArgumentError):
            tensorflow.add(x, y)
        for _ in range(2):
            _enable("all")
            assert _kind(tensorflow.add(x, y)) == _kind(tensorflow.math.add(x, y)) == "float32"
            _enable("off")
            with pytest.raises(tf.errors.InvalidArgumentError):
                tensorflow.add(x, y)
    finally:
        tf.compat.uninstall()
    assert "tensorflow" not in sys.modules


def test_a_constant_of_a_tensor_keeps_its_dtype() -> None:
    with pytest.raises(TypeError, match=r"Expected tensor 1\.5 with dtype tf\.int32, but got"):
        tf.constant(tf.constant(1.5), tf.int32)
