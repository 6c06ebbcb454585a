"""float16 and bfloat16 in compiled functions: stored in two bytes, computed with in float32."""

from __future__ import annotations

import re
from collections.abc import Callable
from operator import attrgetter
from typing import Any

import numpy as np
import pytest
from optable import CASES
from samples import Case

import wengert as tf
from wengert.engines.native.runtime import llvm

KINDS = ["float16", "bfloat16"]
each = pytest.mark.parametrize("kind", KINDS)
ALL = np.arange(1 << 16, dtype=np.uint32).astype(np.uint16)


def numpy_type(kind: str) -> Any:
    return getattr(tf, kind).as_numpy_dtype


def precision(kind: str) -> float:
    return 2.0**-10 if kind == "float16" else 2.0**-7


def compiled(f: Callable[..., Any], *args: Any) -> Any:
    """What a compiled function gives, all of whose steps are machine code."""
    function = tf.function(f, jit_compile=True)
    found = function(*args)
    assert all(s["kind"] != "NumPy" for s in function.plan(*args).steps)
    return found


def bits(x: Any) -> Any:
    return np.asarray(x).view(np.uint16)


# ---- conversions --------------------------------------------------------------------------------


@each
def test_every_number_is_widened(kind: str) -> None:
    x = ALL.view(numpy_type(kind))
    found = compiled(lambda x: tf.cast(x, tf.float32), x)
    np.testing.assert_array_equal(found, x.astype(np.float32))


@each
def test_every_number_survives_arithmetic_that_changes_nothing(kind: str) -> None:
    x = ALL.view(numpy_type(kind))
    numbers = x[~np.isnan(x.astype(np.float32))]
    found = compiled(lambda x: tf.where(x > 0, x * 1, tf.negative(-x)), numbers)
    np.testing.assert_array_equal(bits(found), bits(numbers))


@each
def test_numbers_are_rounded_to_the_nearest_and_to_even(kind: str) -> None:
    """Every number between two neighbours, and beside their middle; infinities, and what is none."""
    narrow = ALL.view(numpy_type(kind))
    wide = narrow.astype(np.float32)
    rng = np.random.default_rng(0)
    with np.errstate(all="ignore"):
        middle = ((wide.astype(np.float64) + np.roll(wide, -1)) / 2).astype(np.float32)
        beside = [np.nextafter(middle, np.float32(way)) for way in (-np.inf, np.inf)]
        drawn = (rng.standard_normal(5000) * 10.0 ** rng.uniform(-9, 6, 5000)).astype(np.float32)
        x = np.concatenate([wide, middle, *beside, drawn, np.float32([np.inf, -np.inf, np.nan])])
        expected = x.astype(numpy_type(kind))
    found = np.asarray(compiled(lambda x: tf.cast(x, kind), x))
    there = ~np.isnan(x)
    np.testing.assert_array_equal(np.isnan(found.astype(np.float32)), ~there)
    np.testing.assert_array_equal(bits(found)[there], bits(expected)[there])


@each
@pytest.mark.parametrize("other", [tf.int32, tf.int64, tf.uint8, tf.bool])
def test_casts_from_and_to_other_dtypes(kind: str, other: Any) -> None:
    x = tf.cast([0, 1, 3, 100, 255, 7], other)
    there = compiled(lambda x: tf.cast(x, kind), x)
    np.testing.assert_array_equal(there, tf.cast(x, kind))
    np.testing.assert_array_equal(
        compiled(lambda x: tf.cast(x, other), there), tf.cast(there, other)
    )


@each
def test_a_double_is_rounded_once(kind: str) -> None:
    x = np.float64([1 + precision(kind) / 2 + 2.0**-40, 0.1, 1e300])
    with np.errstate(over="ignore"):
        expected = x.astype(numpy_type(kind))
    found = tf.function(lambda x: tf.cast(x, kind), jit_compile=True)(x)
    np.testing.assert_array_equal(found, expected)


# ---- operations ---------------------------------------------------------------------------------

# One case of each operation that takes floats, but what is drawn.
OPERATIONS = {
    c.line.type: c
    for c in CASES
    if c.varied and not c.is_stateful and all(x.dtype.kind != "c" for x in c.inputs())
}
# Roundings of the largest number that are allowed; more where large numbers cancel.
ROUNDINGS, MORE = 8, {"AdjustContrastv2": 200}
# Samples whose other arrays are of float64.
MIXED = {
    "Dilation2DBackpropFilter", "Dilation2DBackpropInput", "Dilation2DGradGradFilter",
    "Dilation2DGradGradInput", "FractionalMaxPoolGrad", "FractionalMaxPoolGradGrad",
    "MaxPool3DGrad", "MaxPool3DGradGrad", "MaxPoolGrad", "MaxPoolGradGrad", "ReadVariableOp",
}  # fmt: skip


@each
@pytest.mark.parametrize("name", sorted(set(OPERATIONS) - MIXED))
def test_an_operation_and_its_gradient(kind: str, name: str) -> None:
    """As in eager mode, up to a few roundings of the largest number."""
    case, dtype = OPERATIONS[name], numpy_type(kind)
    given = [tf.constant(_as_half(x, dtype)) for x in case.inputs()]
    with np.errstate(all="ignore"):
        try:
            expected = _with_gradients(case, given, kind)
        except (tf.errors.OpError, TypeError, ValueError, KeyError):
            pytest.skip("not for these dtypes in eager mode, either")
        function = tf.function(lambda *xs: _with_gradients(case, xs, kind), jit_compile=True)
        found = function(*given)
    tolerance = precision(kind) * MORE.get(name, ROUNDINGS)
    for one, other in zip(found, expected, strict=True):
        _close(np.asarray(one), np.asarray(other), tolerance)


def _as_half(x: Any, dtype: Any) -> Any:
    return x.astype(dtype) if x.dtype.kind == "f" else x


def _with_gradients(case: Case, xs: Any, kind: str) -> list[Any]:
    halves = [x for x in xs if x.dtype == kind]
    with tf.GradientTape() as tape:
        tape.watch(halves)
        ys = [y for y in tf.nest.flatten(case.call(*xs)) if y is not None]
    sources = [y for y in ys if y.dtype == kind]
    found = tape.gradient(sources, halves) if sources else []
    return [*ys, *[g for g in found if g is not None]]


def _close(found: Any, expected: Any, tolerance: float) -> None:
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    if expected.dtype.kind in "biuO" or not expected.size:
        np.testing.assert_array_equal(found, expected)
        return
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    one, other = (x.astype(wide) for x in (found, expected))
    np.testing.assert_array_equal(np.isfinite(one), np.isfinite(other))
    known = np.isfinite(other)
    scale = max(np.abs(other[known]).max(initial=0), 1e-3)
    np.testing.assert_allclose(one[known], other[known], rtol=0, atol=tolerance * scale)


# ---- programs -----------------------------------------------------------------------------------


def network(x: Any, weights: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(weights)
        y = x
        for w in weights:
            y = tf.tanh(y @ w + 0.1)
        loss = tf.reduce_mean(tf.square(tf.cast(y, tf.float32)))
    return loss, *tape.gradient(loss, weights)


def drawn(kind: str, *shapes: tuple[int, ...]) -> list[Any]:
    rng = np.random.default_rng(0)
    return [tf.cast(rng.standard_normal(s) * s[-1] ** -0.5, kind) for s in shapes]


@each
def test_a_network_is_machine_code(kind: str) -> None:
    x, *weights = drawn(kind, (40, 30), (30, 50), (50, 20))
    found = compiled(network, x, weights)
    exact = network(tf.cast(x, tf.float64), [tf.cast(w, tf.float64) for w in weights])
    for one, other in zip(found[1:], exact[1:], strict=True):
        assert one.dtype == kind
        _close(np.asarray(one).astype(np.float64), np.asarray(other), 4 * precision(kind))


@each
def test_half_of_the_memory_is_moved(kind: str) -> None:
    def chain(x: Any) -> Any:
        return tf.tanh(x * 2 + 1) * x

    moved = []
    for dtype in (kind, tf.float32):
        x = tf.ones((1 << 16,), dtype)
        function = tf.function(chain, jit_compile=True)
        function(x)
        (step,) = function.plan(x).steps
        moved.append(step["bytes"])
    assert moved[0] * 2 == moved[1]


@each
def test_loops_branches_and_variables(kind: str) -> None:
    v = tf.Variable(tf.cast([1.0, 2.0, 3.0], kind))

    def program(x: Any, count: Any) -> Any:
        for _ in tf.range(count):
            x = tf.where(x > 2, x / 2, x * 1.5) + v
        y = tf.cond(tf.reduce_sum(x) > 4, lambda: x + 1, lambda: x - 1)
        v.assign_sub(y / 8)
        v.assign(v * 2)
        return y, v + 0

    x = tf.cast([0.5, -1.0, 4.0], kind)
    expected = program(x, 5)
    v.assign(tf.cast([1.0, 2.0, 3.0], kind))
    found = tf.function(program, jit_compile=True)(x, tf.constant(5))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


@each
@pytest.mark.parametrize(
    "name", ["floor", "math.ceil", "round", "math.rint", "sign", "abs", "math.is_nan"]
)
def test_what_is_done_with_what_was_computed(kind: str, name: str) -> None:
    """An operation that leaves integers as they are does not take these for some."""
    function = attrgetter(name)(tf)
    x = tf.cast([-1.3, 0.4, 2.6, 1.5, -0.5, np.nan, np.inf], kind)
    found = compiled(lambda x: function(x + 0.25), x)
    one, other = (np.asarray(y).astype(np.float32) for y in (found, function(x + 0.25)))
    np.testing.assert_array_equal(one, other)


@each
def test_draws_are_those_of_the_dtype(kind: str) -> None:
    """float32 has other bits, and among them numbers that would be rounded to 1."""

    def drawn(seed: Any) -> Any:
        x = tf.random.stateless_uniform([20000], seed, dtype=kind) * 1
        kept = tf.nn.experimental.stateless_dropout(tf.ones([40], kind), 0.4, seed)
        return x, kept, tf.random.stateless_normal([9], seed, dtype=kind) + 0

    seed = tf.constant([3, 4])
    found = tf.function(drawn, jit_compile=True)(seed)
    for one, other in zip(found, drawn(seed), strict=True):
        np.testing.assert_array_equal(one, other)
    assert np.max(found[0]) < 1


@each
def test_sizes_that_are_known_later(kind: str) -> None:
    spec = tf.TensorSpec((None, 7), kind)

    def rows(x: Any) -> Any:
        return tf.concat([tf.nn.softmax(x), tf.reverse(x, [1]) * 2], 0)

    function = tf.function(rows, input_signature=[spec], jit_compile=True)
    for count in (1, 4, 33):
        (x,) = drawn(kind, (count, 7))
        _close(np.asarray(function(x)), np.asarray(rows(x)), 2 * precision(kind))
        # What is known of other graphs has sizes that are plain numbers still.
        other = tf.function(lambda x: tf.tanh(x + tf.reduce_sum(x)))
        made = other.get_concrete_function(tf.TensorSpec((count, 7), tf.float32))
        assert made.outputs[0].shape == (count, 7)
        assert {type(size) for size in made.outputs[0]._array.shape} == {int}


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.int8])
def test_the_last_number_of_a_row_is_stored_by_itself(dtype: Any, monkeypatch: Any) -> None:
    """LLVM stores a single number of a masked vector as wide as before it was made narrow."""
    texts: list[str] = []
    real = llvm._compiled

    def noted(text: str, *more: Any) -> bytes:
        texts.append(text)
        return real(text, *more)

    monkeypatch.setattr(llvm, "_compiled", noted)
    monkeypatch.setenv("WENGERT_CACHE_DIR", "")
    for columns in (17, 33, 65):
        given = tf.ones([2, 6]), tf.ones([6, columns])
        f = tf.function(lambda a, b: tf.cast(tf.matmul(a, b) + 1.0, dtype), jit_compile=True)
        np.testing.assert_array_equal(tf.cast(f(*given), tf.float32), np.full((2, columns), 7))
        if dtype.is_floating:
            f = tf.function(tf.matmul, jit_compile=True)
            found = f(*[tf.cast(x, dtype) for x in given])
            np.testing.assert_array_equal(tf.cast(found, tf.float32), np.full((2, columns), 6))
    stores = re.findall(r"@llvm.masked.store.*(<i1 [^>]*>)", "\n".join(texts))
    assert all(mask.count("true") > 1 for mask in stores)
