"""The namespace of kernels: what it does at once is what NumPy does."""

from __future__ import annotations

import copy
import itertools
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert import extend
from wengert.host import direct_numpy
from wengert.host.direct_numpy import DIRECT, is_numpy

DTYPES = ("f4", "f8", "i4", "?", "c8", "O")
SHAPES: tuple[tuple[int, ...], ...] = ((), (0,), (3,), (2, 3), (1, 3, 1), (2, 0, 2), (70, 90))


def drawn(shape: tuple[int, ...], dtype: str, seed: int = 0) -> Any:
    return np.random.default_rng(seed).integers(-3, 4, shape).astype(dtype)


def outcome(function: Callable[..., Any], *args: Any, **how: Any) -> Any:
    """The result, or the class of the error."""
    try:
        return function(*args, **how)
    except Exception as error:  # compared
        return type(error)


def assert_same(name: str, *args: Any, **how: Any) -> None:
    got, want = (outcome(getattr(xp, name), *args, **how) for xp in (DIRECT, np))
    if isinstance(want, type):
        assert got is want, (name, args, how, got)
        return
    assert np.shape(got) == np.shape(want), (name, args, how)
    assert np.asarray(got).dtype == np.asarray(want).dtype, (name, args, how)
    np.testing.assert_array_equal(np.asarray(got), np.asarray(want), err_msg=f"{name} {how}")


AXES: tuple[Any, ...] = (None, 0, 1, -1, -2, (0,), (0, 1), (0, -1), 5)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "all", "any", "argmax", "argmin"])
def test_reductions(name: str, dtype: str) -> None:
    for shape, axis in itertools.product(SHAPES, AXES):
        x = drawn(shape, dtype)
        if dtype == "O" and name in ("all", "any"):
            continue  # NumPy gives the last of the objects that it looked at
        assert_same(name, x, axis)
        assert_same(name, x, axis=axis)
        assert_same(name, x, axis=axis, keepdims=True)


def test_reductions_with_more() -> None:
    x = drawn((4, 3), "f4")
    for name in ("sum", "prod"):
        assert_same(name, x, 0, np.float64)
        assert_same(name, x, dtype=np.float64, initial=2.0, where=x > 0)
    for name in ("max", "min"):
        assert_same(name, x, 0, initial=-9.0)
        assert_same(name, [[1, 2], [3, 4]], axis=1)
    out = np.empty(3, "f4")
    assert DIRECT.max(x, 0, out) is out


@pytest.mark.parametrize("dtype", DTYPES)
def test_shapes(dtype: str) -> None:
    for shape in SHAPES:
        x = drawn(shape, dtype)
        for wanted in ((-1,), -1, x.shape[::-1], (x.size, 1), (7, 7)):
            assert_same("reshape", x, wanted)
        assert_same("transpose", x)
        assert_same("transpose", x, axes=tuple(range(x.ndim))[::-1])
        for axis in (None, 0, -1, (0, -1), 3):
            assert_same("squeeze", x, axis=axis)
        for source, destination in itertools.product(range(-4, 4), repeat=2):
            assert_same("moveaxis", x, source, destination)
            assert_same("swapaxes", x, source, destination)
    assert_same("moveaxis", drawn((2, 3, 4), dtype), (0, 1), destination=(1, 2))
    assert_same("reshape", drawn((2, 3), dtype), (3, 2), order="F")


@pytest.mark.parametrize("dtype", DTYPES)
def test_repetition(dtype: str) -> None:
    for shape, wanted in itertools.product(
        SHAPES, [(), (3,), (2, 3), (5, 2, 3), (1, 3, 4), (70, 90), 3]
    ):
        assert_same("broadcast_to", drawn(shape, dtype), wanted)
    for shape in SHAPES:
        x = drawn(shape, dtype)
        assert_same("zeros_like", x)
        assert_same("ones_like", x, dtype=np.int8)
        for axis in range(-4, 4):
            assert_same("stack", [x, x + x, x], axis)
            assert_same("take", x, [0, -1], axis=axis)
            assert_same("take", x, [7], axis=axis, mode="clip")
    x = drawn((3,), dtype)
    assert_same("stack", [x, drawn((2,), dtype)])
    assert_same("stack", [])
    assert_same("stack", [1, 2, 3])
    assert_same("stack", drawn((2, 3), dtype), axis=1)


def test_what_is_passed_besides_is_numpys() -> None:
    """By position, too; and subclasses of arrays are treated as NumPy treats them."""
    x = np.arange(6.0)
    assert_same("reshape", x, (2, 3), "F")
    assert_same("broadcast_to", x, (2, 6), True)
    assert_same("stack", [x, x], 0, np.empty((2, 6)))
    assert_same("take", x, [7], 0, None, "wrap")
    assert_same("argmax", x, 0, np.zeros((), int))
    assert_same("max", x, 0, None, True, 3.0, x > 2)
    assert_same("prod", x, None, None, None, False, 2.0, x > 0)
    assert_same("all", x, None, None, False, where=x > 2)
    assert_same("any", x, initial=1)
    masked = np.ma.array([[1.0, 2.0]], mask=[[0, 1]])
    for name in ("sum", "max", "all", "argmax"):
        assert_same(name, masked)
    for got in (
        DIRECT.swapaxes(masked, 0, 1),
        DIRECT.take(masked, [0, 1]),
        DIRECT.reshape(masked, 2),
    ):
        assert got.mask.sum() == 1


def test_there_is_one() -> None:
    assert copy.deepcopy(DIRECT) is DIRECT
    assert pickle.loads(pickle.dumps(DIRECT)) is DIRECT


def test_what_is_handed_out_is_its_own() -> None:
    """A small array that is broadcast is a copy; nothing that NumPy copies is a view here."""
    x = np.arange(3.0)
    y = DIRECT.broadcast_to(x, (2, 3))
    x[0] = 9.0
    assert y.tolist() == [[0, 1, 2], [0, 1, 2]]
    for name in ("zeros_like", "ones_like"):
        assert not np.shares_memory(getattr(DIRECT, name)(x), x)
    assert not np.shares_memory(DIRECT.stack([x]), x)
    assert not np.shares_memory(DIRECT.take(x, [0, 1, 2]), x)


def test_all_else_is_numpys() -> None:
    assert DIRECT.exp is np.exp
    assert DIRECT.linalg is np.linalg
    assert is_numpy(DIRECT)
    assert is_numpy(np)
    assert not is_numpy(object())
    with pytest.raises(AttributeError, match="no_such_function"):
        DIRECT.no_such_function
    assert not {name for name in direct_numpy._OURS if not hasattr(np, name)}


def test_kernels_of_users_get_it() -> None:
    """By position and by name, as they would call NumPy."""
    tf_op = extend.op(
        "RowsOfNorms",
        lambda xp, x: xp.sqrt(xp.sum(xp.square(xp.moveaxis(x, source=0, destination=-1)), 0)),
        shape=lambda x: (*x[2:], x[0]) if len(x) > 2 else (x[0],),
    )
    x = tf.constant([[3.0, 4.0], [6.0, 8.0]])
    assert tf.squeeze(extend.apply(tf_op, [x])).numpy().tolist() == [5.0, 10.0]
