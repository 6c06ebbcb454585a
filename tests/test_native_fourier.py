"""Fourier transforms of planes by machine code, beside NumPy's in double precision."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import TABLE
from wengert.engines.native.frontend.fourier import forms, rules
from wengert.engines.native.frontend.lowering import RULES

RNG = np.random.default_rng(0)
SMALL = [*range(1, 41), 46, 48, 49, 60, 64, 77, 91, 97, 100, 128]
LARGE = [243, 256, 360, 509, 1018, 512, 625, 1000, 1024, 2048, 4096]
KINDS = ("float32", "float64")


# ---- operations on planes, that only this test has ----------------------------------------------


def _parts(z: Any, like: Any) -> list[Any]:
    return [z.real.astype(like.dtype), z.imag.astype(like.dtype)]


def _numbers(re: Any, im: Any) -> Any:
    return np.asarray(re, np.float64) + 1j * np.asarray(im, np.float64)


def _kernel(xp: Any, re: Any, im: Any, *, axis: int, inverse: bool, scale: float) -> Any:
    function = functools.partial(np.fft.ifft, norm="forward") if inverse else np.fft.fft
    return _parts(function(_numbers(re, im), axis=axis) * scale, re)


def _from_real_kernel(xp: Any, x: Any, *, axis: int, size: int) -> Any:
    return _parts(np.fft.rfft(np.asarray(x, np.float64), axis=axis), x)


def _to_real_kernel(xp: Any, re: Any, im: Any, *, axis: int, size: int, scale: float) -> Any:
    z = np.fft.irfft(_numbers(re, im), size, axis=axis, norm="forward") * scale
    return z.astype(re.dtype)


BOTH = Row("PlanesTransformed", _kernel, many=True)
FROM_REAL = Row("PlanesFromReal", _from_real_kernel, many=True)
TO_REAL = Row("PlanesToReal", _to_real_kernel)


def _rule(low: Any, op: Any, re: Any, im: Any, *, axis: int, inverse: bool, scale: float) -> Any:
    return rules.transformed(low, re, im, axis, inverse, scale)


def _from_real_rule(low: Any, op: Any, x: Any, *, axis: int, size: int) -> Any:
    return rules.from_real(low, x, axis, size)


def _to_real_rule(
    low: Any, op: Any, re: Any, im: Any, *, axis: int, size: int, scale: float
) -> Any:
    return rules.to_real(low, re, im, axis, size, scale)


@pytest.fixture(autouse=True)
def _declared() -> Iterator[None]:
    """The operations, and their rules, while a test runs."""
    pairs = ((BOTH, _rule), (FROM_REAL, _from_real_rule), (TO_REAL, _to_real_rule))
    for row, rule in pairs:
        TABLE[row.name] = row
        RULES[row.name] = rule
    yield
    for row, _ in pairs:
        del TABLE[row.name]
        del RULES[row.name]


def transformed(re: Any, im: Any, axis: int = -1, inverse: bool = False, scale: float = 1.0) -> Any:
    return apply(BOTH, (re, im), {"axis": axis, "inverse": inverse, "scale": scale})


def from_real(x: Any, axis: int = -1) -> Any:
    return apply(FROM_REAL, (x,), {"axis": axis, "size": int(x.shape[axis])})


def to_real(re: Any, im: Any, size: int, axis: int = -1, scale: float | None = None) -> Any:
    by = 1.0 / size if scale is None else scale
    return apply(TO_REAL, (re, im), {"axis": axis, "size": size, "scale": by})


def agree(f: Any, *xs: Any, size: int = 2) -> None:
    """The compiled function gives nearly what NumPy gives, and has no step of NumPy's."""
    wanted = tf.nest.flatten(tf.function(f, jit_compile=False)(*xs))
    compiled = tf.function(f, jit_compile=True)
    given = tf.nest.flatten(compiled(*xs))
    for y, z in zip(given, wanted, strict=True):
        close(y.numpy(), z.numpy(), size)
    assert "NumPy" not in [step["kind"] for step in compiled.plan(*xs).steps]


def close(y: Any, z: Any, size: int) -> None:
    assert (y.shape, y.dtype) == (z.shape, z.dtype)
    far = np.linalg.norm((y.astype(np.float64) - z).ravel())
    most = 6e-7 if y.dtype == np.float32 else 2e-15 * max(np.log2(size), 1.0)
    assert far <= most * max(np.linalg.norm(z.ravel()), 1e-30)


def signals(kind: str, *shape: int) -> list[Any]:
    return [tf.constant(RNG.normal(size=shape), kind) for _ in range(2)]


# ---- sizes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sizes", [SMALL[k::8] for k in range(8)], ids=str)
def test_sizes(sizes: Sequence[int], kind: str) -> None:
    xs = [x for n in sizes for x in signals(kind, 3, n)]
    agree(_of_each, *xs, size=max(sizes))


def _of_each(*xs: Any) -> list[Any]:
    """Forward and back, of complex and of real numbers."""
    found = []
    for re, im in zip(xs[::2], xs[1::2], strict=True):
        size = int(re.shape[-1])
        found += [*transformed(re, im), *transformed(im, re, inverse=True, scale=1.0 / size)]
        spectrum = from_real(re)
        found += [*spectrum, to_real(spectrum[0], spectrum[1], size)]
    return found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", LARGE)
def test_large_sizes(size: int, kind: str) -> None:
    agree(_of_each, *signals(kind, size), size=size)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [1, 2, 6, 16, 27, 34, 38, 60])
@pytest.mark.parametrize("inner", [3, 16, 100])
def test_an_axis_in_the_middle(inner: int, size: int, kind: str) -> None:
    def f(re: Any, im: Any) -> Any:
        return [*transformed(re, im, 1), *transformed(re, im, 1, True, 0.5)]

    agree(f, *signals(kind, 2, size, inner), size=size)


@pytest.mark.parametrize("axis", [0, 1, 2, -3])
def test_each_axis(axis: int) -> None:
    def f(re: Any, im: Any) -> Any:
        spectrum = from_real(re, axis)
        size = int(re.shape[axis])
        return [
            *transformed(re, im, axis),
            *spectrum,
            to_real(spectrum[0], spectrum[1], size, axis),
        ]

    agree(f, *signals("float32", 8, 12, 10), size=12)


def test_columns_in_several_blocks() -> None:
    agree(lambda re, im: transformed(re, im, 0), *signals("float32", 256, 150), size=256)
    agree(lambda re, im: transformed(re, im, 0), *signals("float64", 1000, 21), size=1000)


# ---- what is read and written --------------------------------------------------------------------


def test_views_are_read() -> None:
    def f(re: Any, im: Any) -> Any:
        a, b = tf.transpose(re)[1:, ::-1], tf.transpose(im)[1:, ::2]
        c = tf.broadcast_to(re[:1], [4, 12])
        return [*transformed(a, a * 2.0), *transformed(b, b), *transformed(c, c), *from_real(a)]

    agree(f, *signals("float32", 8, 12), size=8)


def test_one_after_the_other() -> None:
    """In two dimensions, and back; what is computed between is fused with nothing that it must not be."""

    def f(re: Any, im: Any) -> Any:
        a, b = transformed(re, im)
        a, b = transformed(a, b, 0)
        c, d = (x * tf.exp(-tf.abs(x)) for x in (a, b))
        e, f = transformed(c, d, 0, True)
        return transformed(e, f, 1, True, 1 / 600)

    agree(f, *signals("float64", 20, 30), size=600)


def test_imaginary_parts_that_real_signals_have_not_are_ignored() -> None:
    for size in (8, 9, 34, 38, 19):
        re, im = signals("float64", 3, size // 2 + 1)
        given = tf.function(lambda a, b, n=size: to_real(a, b, n), jit_compile=True)(re, im)
        close(given.numpy(), np.fft.irfft(_numbers(re, im), size), size)


@pytest.mark.parametrize("size", [1, 2, 7, 8, 19, 31, 34, 57, 1021])
def test_sums_of_real_numbers_are_real(size: int) -> None:
    """The first frequency is one, so that its angle is 0 or pi; so is the last one of even sizes."""
    x = tf.constant(-np.abs(np.random.default_rng(3).normal(size=(5, size))))
    found = tf.function(tf.signal.rfft, jit_compile=True)(x).numpy()
    real = found[:, [0, -1]] if size % 2 == 0 else found[:, :1]
    assert not real.imag.any()
    assert not np.signbit(found[:, 0].imag).any()


def test_another_number_of_frequencies_is_left_to_numpy() -> None:
    f = tf.function(lambda re, im: to_real(re, im, 8), jit_compile=True)
    re, im = signals("float64", 3, 9)
    close(f(re, im).numpy(), np.fft.irfft(_numbers(re, im), 8), 8)
    assert "NumPy" in [step["kind"] for step in f.plan(re, im).steps]


def test_several_threads() -> None:
    """Each part has room of its own."""
    agree(_of_each, *signals("float32", 700, 512), size=512)
    agree(lambda re, im: transformed(re, im, 0), *signals("float32", 256, 1000), size=256)


def test_an_open_number_of_rows() -> None:
    shape = tf.TensorSpec([None, 24], tf.float32)

    @functools.partial(tf.function, jit_compile=True, input_signature=[shape, shape])
    def f(re: Any, im: Any) -> Any:
        return [*transformed(re, im), *from_real(re)]

    for rows in (1, 5, 7000):
        re, im = signals("float32", rows, 24)
        wanted = np.fft.fft(_numbers(re, im))
        for y, z in zip(f(re, im), [*_parts(wanted, re.numpy()), *_parts(np.fft.rfft(re), re.numpy())], strict=True):  # fmt: skip
            close(y.numpy(), z, 24)


def test_equal_tables_are_one() -> None:
    each = [rules._form("f4", n, 24, 1, "complex", 1.0 / n) for n in (2, 3)]
    known = [forms.table_of(form) for form in each]
    assert known[0] is known[1]
