"""Random programs give the same in both engines, whatever their arrays look like in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from function_modes import compiled, interpreted
from hypothesis import given, settings
from hypothesis import strategies as st
from native_programs import Program, large_shape, programs, small_shape

import wengert as tf
from wengert.values.tensor import wrap


def arrays(ys: Sequence[Any]) -> list[Any]:
    return [y.numpy() for y in ys]


def assert_near(got: Sequence[Any], want: Sequence[Any], relative: float, size: float) -> None:
    """Equal dtypes and shapes; numbers equal but for rounding, relative to the largest."""
    assert len(got) == len(want)
    for a, b in zip(got, want, strict=True):
        assert a.dtype == b.dtype
        assert a.shape == b.shape
        if b.dtype.kind != "f":
            np.testing.assert_array_equal(a, b)
            continue
        largest = float(np.abs(b).max()) if b.size else 0.0
        assert np.isfinite(largest)
        np.testing.assert_allclose(a, b, rtol=relative, atol=relative * max(size, largest))


# ---- arrays in memory -------------------------------------------------------------------------


def _strided(a: Any) -> Any:
    wide = np.repeat(a, 2, axis=-1) if a.ndim else a
    return wide[..., ::2] if a.ndim else a


def _backwards(a: Any) -> Any:
    return np.ascontiguousarray(a[::-1])[::-1] if a.ndim else a


def _in_columns(a: Any) -> Any:
    return np.array(a, order="F")


def _misaligned(a: Any) -> Any:
    memory = bytearray(b"\0" + a.tobytes())
    return np.frombuffer(memory, np.uint8)[1:].view(a.dtype).reshape(a.shape)


def _for_reading(a: Any) -> Any:
    b = a.copy()
    b.flags.writeable = False
    return b


def _repeated(a: Any) -> Any:
    """Equal rows in the memory of one."""
    equal = a.ndim and a.shape[0] and bool((a == a[:1]).all())
    return np.broadcast_to(a[:1].copy(), a.shape) if equal else a


def _scalar(a: Any) -> Any:
    return a[()] if not a.ndim else a


LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "as it is": lambda a: a,
    "strided": _strided,
    "backwards": _backwards,
    "columns": _in_columns,
    "misaligned": _misaligned,
    "for reading": _for_reading,
    "scalar": _scalar,
}
layouts = st.lists(st.sampled_from(list(LAYOUTS)), min_size=4, max_size=4)


def check(program: Program, layout: Sequence[str], with_gradient: bool) -> None:
    """Both engines agree, nothing that was given or handed out before is changed."""
    function = program.gradient if with_gradient else program
    native = compiled(function)
    given_ = [LAYOUTS[name](_repeated(x)) for name, x in zip(layout, program.inputs, strict=False)]
    before = [np.asarray(a).tobytes() for a in given_]
    tensors = [wrap(a) for a in given_]
    found = native(*tensors)
    got, kept = arrays(found), [y.numpy().tobytes() for y in found]
    relative = program.relative * (100.0 if with_gradient else 1.0)
    want = arrays(interpreted(function)(*tensors))
    assert_near(got, want, relative, program.size)
    others = [np.roll(np.asarray(a), 1) for a in given_]
    other = arrays(native(*map(wrap, others)))
    assert [np.asarray(a).tobytes() for a in given_] == before, "an input was changed"
    assert [y.numpy().tobytes() for y in found] == kept, "a result was changed by another call"
    assert_near(arrays(native(*tensors)), got, 0.0, 0.0)
    for a in got:
        assert not any(np.shares_memory(a, b) for b in other if a.size and b.size)


@pytest.mark.slow
@settings(max_examples=250)
@given(programs(small_shape), layouts)
def test_small_programs(program: Program, layout: Sequence[str]) -> None:
    """Values of programs of up to twelve operations."""
    check(program, layout, with_gradient=False)


@pytest.mark.slow
@settings(max_examples=200)
@given(programs(small_shape, most=8), layouts)
def test_gradients_of_small_programs(program: Program, layout: Sequence[str]) -> None:
    """Values, and gradients of their sum."""
    check(program, layout, with_gradient=program.has_gradient)


@pytest.mark.slow
@settings(max_examples=60)
@given(programs(large_shape, most=6), layouts)
def test_large_programs(program: Program, layout: Sequence[str]) -> None:
    """Arrays of several parts, which threads share, and of rows of all lengths."""
    check(program, layout, with_gradient=program.has_gradient)


def test_a_planted_fault_is_found() -> None:
    """One number in thousands that is a little off, an input that is changed, a shared result."""
    rng = np.random.default_rng(0)
    want = [rng.normal(size=5000)]
    assert_near([want[0] * (1 + 1e-15)], want, 1e-11, 1.0)
    wrong = want[0].copy()
    wrong[4999] += 1e-8
    with pytest.raises(AssertionError):
        assert_near([wrong], want, 1e-11, 1.0)
    with pytest.raises(AssertionError):
        assert_near([want[0].astype(np.float32)], want, 1e-3, 1.0)
    for fault, message in ((_writing, "an input was changed"), (_sharing, "Not equal")):
        with pytest.raises(AssertionError, match=message):
            check(_Faulty(fault), ["as it is"], with_gradient=False)


class _Faulty(Program):
    """A program with NumPy in it that does what no engine may do."""

    def __init__(self, fault: Callable[[Any, Any], Any]) -> None:
        super().__init__()
        self.inputs = [np.arange(6.0), np.zeros(6)]
        self.fault = fault

    def __call__(self, *xs: Any) -> list[Any]:
        y = tf.numpy_function(lambda _: self.fault(*self.inputs), [xs[0]], tf.float64)
        return [tf.ensure_shape(y, [6])]


def _writing(a: Any, b: Any) -> Any:
    a[0] += 1.0
    return np.array(b)


def _sharing(a: Any, b: Any) -> Any:
    b += 1.0
    return b


# ---- what is given twice, and what lies in the memory of another -----------------------------------


def _mixed(x: Any, y: Any) -> list[Any]:
    return [tf.tanh(x) + y, tf.reduce_sum(x * y, -1), tf.reverse(x, [0]) - y, tf.transpose(x @ y)]


@pytest.mark.parametrize("size", [3, 64, 300])
def test_overlapping_inputs(size: int) -> None:
    """The same array twice, its transpose beside it, parts of one array that overlap."""
    memory = np.random.default_rng(0).normal(size=(2 * size, size))
    a, b = memory[:size], memory[size // 2 : size // 2 + size]
    for x, y in ((a, a), (a, a.T), (a, b), (a[::-1], a), (b.T, a.T)):
        before = memory.tobytes()
        got = arrays(compiled(_mixed)(wrap(x), wrap(y)))
        want = arrays(interpreted(_mixed)(wrap(x.copy()), wrap(y.copy())))
        assert memory.tobytes() == before
        assert_near(got, want, 1e-11, float(size))


def test_results_that_are_inputs_or_each_other() -> None:
    """What is handed out may be an input as it came, but never memory that is used again."""

    @compiled
    def f(x: Any) -> Any:
        y = tf.exp(x)
        return x, tf.reshape(x, [-1]), y, tf.reshape(y, [-1]), tf.identity(y), y + 1.0, y[1:]

    x = tf.constant(np.arange(6.0).reshape(2, 3))
    first = f(x)
    kept = [y.numpy().copy() for y in first]
    f(tf.constant(np.full((2, 3), 7.0)))
    assert_near(arrays(first), kept, 0.0, 0.0)
    assert_near(
        kept, [a := x.numpy(), a.ravel(), e := np.exp(a), e.ravel(), e, e + 1, e[1:]], 1e-14, 1.0
    )


def test_indices_that_are_tensors() -> None:
    """Slices, elements, rows and sizes that only the call brings."""

    def f(x: Any, i: Any, n: Any) -> list[Any]:
        return [
            x[i:] * 2.0,
            x[i] + x[i, n],
            x[:, ::-1][n:i],
            tf.gather(x, [i, n, i]) * x[i],
            tf.reshape(x, [n, -1]) + 1.0,
            tf.tile(x, [n, 1]) - 1.0,
            tf.reduce_sum(x[:i], n - 1),
            tf.slice(x, [0, n], [i, 1]),
        ]

    x = wrap(normal_of(6, 8))
    for i, n in ((2, 1), (3, 2), (5, 1)):
        at = [x, tf.constant(i), tf.constant(n)]
        assert_near(arrays(compiled(f)(*at)), arrays(interpreted(f)(*at)), 1e-13, 1.0)


def normal_of(*shape: int) -> Any:
    return np.random.default_rng(3).normal(size=shape)


# ---- rows of all lengths, and many parts ------------------------------------------------------------


def _along_rows(x: Any) -> list[Any]:
    e = tf.exp(x - tf.reduce_max(x, -1, keepdims=True))
    share = e / tf.reduce_sum(e, -1, keepdims=True)
    return [share, tf.reduce_mean(share * x, 0), tf.reduce_min(x), tf.reduce_sum(x * x)]


LENGTHS = [*range(1, 11), 15, 16, 17, 31, 33, 63, 64, 65, 127, 129, 511, 513, 1000, 1100]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rows_of_all_lengths(dtype: str) -> None:
    """Rows that are no multiple of a vector, with sums along both axes in one loop."""
    rng = np.random.default_rng(1)
    for columns in LENGTHS:
        x = wrap(rng.normal(size=(5, columns)).astype(dtype))
        got, want = arrays(compiled(_along_rows)(x)), arrays(interpreted(_along_rows)(x))
        assert_near(got, want, 1e-5 if dtype == "float32" else 1e-12, columns * 5.0)


def _of_all_types(x: Any, y: Any) -> list[Any]:
    return [x + y, x * y - x, tf.maximum(x, y), tf.cast(x < y, tf.int32), x // (y * y + 1)]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "uint8", "int8"])
@pytest.mark.parametrize("size", [4095, 4096, 4097, 8191, 8193, 65_537, 140_003])
def test_sizes_around_blocks_and_parts(dtype: str, size: int) -> None:
    """One axis: blocks of 4096, one row up to 8192, parts beyond 65536."""
    rng = np.random.default_rng(size)
    x, y = (wrap(rng.integers(0, 11, size).astype(dtype)) for _ in range(2))
    got, want = arrays(compiled(_of_all_types)(x, y)), arrays(interpreted(_of_all_types)(x, y))
    for a, b in zip(got, want, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("shape", [(70_001,), (3, 40_001), (2, 35_003), (40_001, 3), (300, 301)])
@pytest.mark.parametrize("axis", [None, 0, -1])
def test_sums_of_several_parts(shape: tuple[int, ...], axis: int | None) -> None:
    """Sums and extremes that several threads compute, along either axis."""

    def f(x: Any) -> list[Any]:
        y = tf.tanh(x)
        reduced = [tf.reduce_sum, tf.reduce_max, tf.reduce_min, tf.reduce_mean]
        return [r(y, axis) for r in reduced] + [tf.reduce_any(x > 3.9, axis)]

    x = wrap(np.random.default_rng(2).normal(size=shape))
    assert_near(arrays(compiled(f)(x)), arrays(interpreted(f)(x)), 1e-12, float(np.prod(shape)))
