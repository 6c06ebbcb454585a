"""The stable order of large arrays: that of NumPy's stable sort, for equal numbers, NaN and extremes, too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.ops.reductions import sorting, stable_order
from wengert.ops.reductions.stable_order import DIGITS, ENOUGH, LONG

BFLOAT16: Any = tf.bfloat16.numpy_dtype
FLOATS = [np.dtype(t) for t in ("f2", "f4", "f8", BFLOAT16)]
WHOLE = [np.dtype(t) for t in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")]
DTYPES = [*FLOATS, *WHOLE]
SHAPES = [(300, 50), (20, 300), (6000,), (2, 3, 4100), (900, 2, 17), (700, 7), (5000, 1), (0, 50), (300, 0)]  # fmt: skip


def ordered(x: Any, largest: bool = False) -> Any:
    """By NumPy's stable sort; of bfloat16, among which it leaves NaN anywhere, as float32."""
    x = x.astype(np.float32) if x.dtype == BFLOAT16 else x
    key = x if not largest else -x if x.dtype in FLOATS else np.invert(x)
    return np.argsort(key, axis=-1, kind="stable")


def drawn(rng: Any, shape: Any, dtype: Any, kind: str) -> Any:
    """Any bits, among them many NaN; numbers that are often equal; or a few special ones."""
    size = dtype.itemsize
    if kind == "any bits":
        words = rng.integers(0, 256, (*shape, size), np.uint8)
        return words.view(f"u{size}")[..., 0].view(dtype) if 0 not in shape else np.zeros(shape, dtype)  # fmt: skip
    if kind == "ties":
        return rng.integers(0, 7, shape).astype(dtype) - dtype.type(3 if dtype.kind != "u" else 0)
    return rng.choice(special(dtype), shape)


def special(dtype: Any) -> Any:
    """NaN of several bits and both signs, both zeros, infinities, the least numbers; or extremes."""
    if dtype in WHOLE:
        about = np.iinfo(dtype)
        return np.array([about.min, about.min + 1, 0, 1, about.max - 1, about.max], dtype)
    word, bits = np.dtype(f"u{dtype.itemsize}"), 8 * dtype.itemsize
    infinity = int(np.array(np.inf, dtype).view(word))
    chosen = [
        0,
        1,
        infinity - 1,
        infinity,
        infinity + 1,
        2 * (infinity >> 1) | 3,
        (1 << bits - 1) - 1,
    ]
    return np.array([*chosen, *[c | 1 << (bits - 1) for c in chosen]], word).view(dtype)


def same(found: Any, want: Any) -> None:
    assert found.shape == want.shape
    assert found.tobytes() == want.astype(found.dtype).tobytes()


@pytest.mark.parametrize("kind", ["any bits", "ties", "special"])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@np.errstate(all="ignore")
def test_the_order_is_numpys(dtype: Any, kind: str) -> None:
    """Of every shape, in both directions, whole or the first of many; values with their bits."""
    rng = np.random.default_rng([*map(ord, kind + str(dtype))])
    for shape in SHAPES:
        x = drawn(rng, shape, dtype, kind)
        for largest in (False, True):
            want = ordered(x, largest)
            size = shape[-1]
            for count in {size, 0, 1, size // 2, size // 9, min(20, size)}:
                places = sorting._order(x, count, largest)
                same(places, want[..., :count])
            direction = "DESCENDING" if largest else "ASCENDING"
            same(tf.argsort(x, direction=direction).numpy(), want)
            same(tf.sort(x, direction=direction).numpy(), np.take_along_axis(x, want, -1))


def asked(x: Any, count: int | None = None) -> bool:
    """Whether such an array is ordered by integers with places."""
    return stable_order.stable_order(x, x.shape[-1] if count is None else count) is not None


def test_nan_of_short_floats_comes_last() -> None:
    """Of few numbers, too."""
    x = tf.constant([np.nan, 2.0, -np.inf, np.nan, 1.0], tf.bfloat16)
    assert tf.argsort(x).numpy().tolist() == [2, 4, 1, 0, 3]
    assert tf.argsort(x, direction="DESCENDING").numpy().tolist() == [1, 4, 2, 0, 3]
    assert tf.math.top_k(x, 2).indices.numpy().tolist() == [1, 4]


def test_which_arrays_are_taken() -> None:
    """A guard: else all tests above would be of NumPy alone."""
    rng = np.random.default_rng(0)
    for dtype in {*DTYPES} - {np.dtype(BFLOAT16)}:
        x = rng.integers(0, 100, (300, 50)).astype(dtype)
        assert asked(x) is True
        assert asked(x, 5) is (dtype != np.float64)
        assert asked(x[:3]) is False
        assert asked(np.ones(ENOUGH - 1, dtype)) is False
    assert asked(rng.normal(size=(3, LONG))) is True
    assert asked(rng.normal(size=(3, LONG + 1))) is False
    assert asked(np.ones((20, DIGITS + 1), np.int16)) is False
    assert asked(rng.normal(size=(1000, 7))) is False
    wide = np.array([0, 1 << 62] * ENOUGH)
    assert asked(wide) is False
    assert asked(wide + np.arange(len(wide)) - (1 << 62)) is False
    assert asked(wide[::2] + np.arange(ENOUGH) + (1 << 61)) is True
    assert asked(np.ones(ENOUGH, ">f4")) is False


def cut(rng: Any) -> Any:
    """Numbers of which some are equal but for their last bits, which the places take."""
    x = rng.normal(size=(100, 64))
    x[::3, 5:40:2] = x[::3, 4:39:2] * (1 + 2.0**-52 * rng.integers(-8, 9, (34, 18)))
    return x


def near(rng: Any) -> Any:
    return 1.0 + 2.0**-52 * rng.integers(0, 3, (80, 70))


@pytest.mark.parametrize("draw", [cut, near])
def test_floats_that_differ_in_their_last_bits(draw: Callable[[Any], Any]) -> None:
    x = draw(np.random.default_rng(1))
    for largest in (False, True):
        same(sorting._order(x, x.shape[-1], largest), ordered(x, largest))
    flat = x.reshape(-1)[:LONG]
    same(sorting._order(flat, LONG, False), ordered(flat))


@pytest.mark.parametrize("size", [1 << 16, (1 << 16) + 1])
def test_places_that_just_fit_beside_two_bytes(size: int) -> None:
    x = drawn(np.random.default_rng(6), (size,), np.dtype("f2"), "special")
    assert asked(x)
    same(sorting._order(x, size, False), ordered(x))


def test_places_that_just_fit_beside_eight_bytes() -> None:
    """Six bits for those of 64 elements, one for the sign; the rest is how far the numbers are apart."""
    rng = np.random.default_rng(7)
    for dtype in (np.int64, np.uint64):
        x = rng.integers(0, 1 << 57, (100, 64)).astype(dtype) + dtype(1 << 60)
        x[0, :2] = [1 << 60, (1 << 60) + (1 << 57) - 1]
        assert asked(x)
        same(sorting._order(x, 64, False), ordered(x))
        x[0, 1] += dtype(1)
        assert not asked(x)
        same(sorting._order(x, 64, False), ordered(x))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_what_is_sorted_already(dtype: Any) -> None:
    x = np.sort(np.random.default_rng(2).integers(0, 100, (300, 50)), -1).astype(dtype)
    same(sorting._order(x, 50, False), np.tile(np.arange(50), (300, 1)))
    same(sorting._order(x, 20, False), np.tile(np.arange(20), (300, 1)))
    backwards = x[:, ::-1]
    same(sorting._order(backwards, 50, False), ordered(backwards))
    down = np.tile(np.arange(100, 50, -1), (300, 1)).astype(dtype)  # no two are equal
    same(sorting._order(down, 50, False), np.tile(np.arange(50)[::-1], (300, 1)))
    same(sorting._order(down, 20, False), np.tile(np.arange(50)[:29:-1], (300, 1)))
    x[-1, -2:] = x[-1, -2:][::-1] + np.array([1, 0], dtype)  # all but the last two numbers
    same(sorting._order(x, 50, False), ordered(x))


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_any_axis_of_arrays_that_lie_in_any_way(axis: int) -> None:
    x = np.random.default_rng(3).integers(-5, 5, (40, 30, 20)).astype(np.float32)
    for given in (x, x[::-1, :, ::-1], x.T, np.broadcast_to(x[:, :1], x.shape)):
        want = np.argsort(given, axis, kind="stable")
        same(tf.argsort(given, axis).numpy(), want)
        same(tf.sort(given, axis).numpy(), np.take_along_axis(given, want, axis))


def test_inputs_are_left_alone() -> None:
    for dtype in DTYPES:
        x = np.random.default_rng(4).integers(0, 100, (300, 50)).astype(dtype)
        before = x.tobytes()
        tf.sort(x)
        tf.math.top_k(x, 3)
        assert x.tobytes() == before


def test_the_gradient_goes_where_the_elements_were() -> None:
    rng = np.random.default_rng(5)
    x, g = rng.integers(0, 9, (200, 60)).astype(np.float32), rng.normal(size=(200, 60))
    v = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(v)
        y = tf.sort(v)
    found = tape.gradient(y, v, output_gradients=tf.constant(g, tf.float32)).numpy()
    want = np.zeros_like(x)
    np.put_along_axis(want, ordered(x), g.astype(np.float32), -1)
    np.testing.assert_array_equal(found, want)
