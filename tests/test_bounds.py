"""Nothing grows without bound.

Sizes are a cut of what is promised; with WENGERT_LONG_TESTS=1 they are the whole.
"""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from size_programs import differences, drawn

import wengert as tf
from wengert.api.function import trace_cache

pytestmark = pytest.mark.slow

IS_LONG = bool(os.environ.get("WENGERT_LONG_TESTS"))
needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="reads Linux's numbers")


def resident() -> float:
    """MB that this process holds, when it has given back what it can."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def growth(step: Callable[[int], Any], count: int) -> float:
    """MB more after the second half of so many steps than after the first."""
    half = max(count // 2, 1)
    for i in range(half):
        step(i)
    before = resident()
    for i in range(half, 2 * half):
        step(i)
    return resident() - before


@needs_linux
def test_tapes() -> None:
    """1,000,000 of them."""
    x = tf.constant(2.0)

    def step(i: int) -> None:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        tape.gradient(y, x)

    assert growth(step, 1_000_000 if IS_LONG else 20_000) < 1.0


@needs_linux
@pytest.mark.parametrize("jit_compile", [True, False])
def test_calls_with_changing_shapes(jit_compile: bool, monkeypatch: Any) -> None:
    """100,000 of them, each of another shape, of a function that is traced for any."""
    f = tf.function(lambda x: tf.reduce_sum(tf.exp(x)), reduce_retracing=True, jit_compile=jit_compile)  # fmt: skip
    f(tf.ones([3])), f(tf.ones([4]))
    xs = np.ones(200_000, np.float32)
    assert growth(lambda i: f(tf.constant(xs[: i + 1])), 100_000 if IS_LONG else 4_000) < 2.0
    assert f.experimental_get_tracing_count() == 2


@needs_linux
def test_traces_for_changing_shapes(monkeypatch: Any) -> None:
    """What is traced for each shape has room for so many, and those of before give way."""
    monkeypatch.setattr(trace_cache, "MOST", 1000 if IS_LONG else 30)
    f = tf.function(lambda x: x + 1.0, jit_compile=False)
    xs = np.ones(200_000, np.float32)

    def step(i: int) -> None:
        assert f(tf.constant(xs[: i + 1])).shape == [i + 1]

    assert growth(step, 100_000 if IS_LONG else 600) < 2.0
    assert len(f._traces._exact) <= trace_cache.MOST
    step(0)


@needs_linux
def test_functions() -> None:
    """10,000 of them, traced and dropped."""

    def step(i: int) -> None:
        f = tf.function(lambda x: x * float(i), jit_compile=False)
        f(tf.constant(1.0))

    assert growth(step, 10_000 if IS_LONG else 600) < 2.0


# ---- working memory -----------------------------------------------------------------------------


@needs_linux
def test_working_memory_is_shared_and_bounded() -> None:
    """A function of several shapes holds no more for all than what is kept, here 30 MB."""
    tf.config.set_kept_memory("30 MB")

    @tf.function
    def f(x: Any, w: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(w)
            y = x
            for _ in range(8):
                y = tf.tanh(y @ w)
            loss = tf.reduce_sum(y)
        return tape.gradient(loss, w)

    w = tf.constant(np.eye(64, dtype=np.float32))
    for rows in (100, *range(10_000, 10_008)):
        f(tf.constant(np.ones((rows, 64), np.float32)), w)
        if rows == 100:  # what compiling needs is there
            before = resident()
    assert resident() - before < 60
    tf.config.set_kept_memory(None)


# ---- functions ----------------------------------------------------------------------------------


def test_a_function_within_others_is_traced_once() -> None:
    """And keeps none of them alive."""
    inner = tf.function(lambda x: tf.sin(x) * 2.0)
    graphs = []
    for k in range(5):
        outer = tf.function(lambda x, k=k: inner(x) + inner(x * 2.0) + float(k))
        x = tf.constant(0.5)
        want = np.sin(0.5) * 2 + np.sin(1.0) * 2 + k
        np.testing.assert_allclose(outer(x), want, rtol=1e-6)
        graphs.append(weakref.ref(outer.get_concrete_function(x).graph))
    assert inner.experimental_get_tracing_count() == 1
    np.testing.assert_allclose(inner(x), np.sin(0.5) * 2, rtol=1e-6)
    assert inner.experimental_get_tracing_count() == 1
    del outer
    gc.collect()
    assert [g() for g in graphs] == [None] * 5


def test_a_function_that_uses_values_around_it_is_traced_for_each() -> None:
    """Those traces belong to the graph around them, and go with it."""
    held: list[Any] = []

    @tf.function
    def inner(x: Any) -> Any:
        return x + held[-1]

    graphs = []
    for k in range(3):

        @tf.function
        def outer(x: Any, k: int = k) -> Any:
            held.append(x * float(k))
            return inner(x)

        assert float(outer(tf.constant(2.0))) == 2.0 + 2.0 * k
        graphs.append(weakref.ref(outer.get_concrete_function(tf.constant(2.0)).graph))
        held.clear()
    del outer
    gc.collect()
    assert [g() for g in graphs] == [None] * 3


def test_overrides_and_seeds_around_a_function_make_other_traces() -> None:
    """What is inherited from the graph around is not handed on to another."""
    inner = tf.function(lambda x: tf.exp(x))

    def gradient(doubled: bool) -> float:
        @tf.function
        def outer(x: Any) -> Any:
            rules = {"Exp": "TwiceForBounds"} if doubled else {}
            with tf.gradient_override_map(rules):
                y = inner(x)
            return tf.gradients(y, x)[0]

        return float(outer(tf.constant(0.0)))

    tf.RegisterGradient("TwiceForBounds")(lambda op, g: 2.0 * g * op.outputs[0])
    assert [gradient(d) for d in (False, True, False, True)] == [1.0, 2.0, 1.0, 2.0]


class Thing:
    """An object that a function is given."""

    def __init__(self, number: float) -> None:
        self.number = number
        self.memory = np.zeros(1000)


class Equal(Thing):
    """One that says itself when it is equal to another."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Equal) and self.number == other.number

    def __hash__(self) -> int:
        return hash(self.number)


class Unhashable(Thing):
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return True


@pytest.mark.parametrize("kind", [Thing, Equal, Unhashable])
def test_arguments_that_are_objects_are_not_kept(kind: Any) -> None:
    """Neither are their traces; each has its own while it is there."""
    f = tf.function(lambda x, thing: x * thing.number)
    there = []
    for k in range(20):
        thing = kind(float(k))
        assert [float(f(tf.constant(2.0), thing)) for _ in range(2)] == [2.0 * k] * 2
        there.append(weakref.ref(thing))
    del thing
    gc.collect()
    assert [t() for t in there] == [None] * 20
    assert len(f._traces._exact) == 0
    assert f.experimental_get_tracing_count() == 20


def test_equal_objects_share_a_trace() -> None:
    """As they did when they were kept."""
    f = tf.function(lambda x, thing: x * thing.number)
    a, b = Equal(3.0), Equal(3.0)
    assert float(f(tf.constant(2.0), a)) == float(f(tf.constant(2.0), b)) == 6.0
    assert f.experimental_get_tracing_count() == 1


def test_the_tensors_of_the_first_call_are_not_kept() -> None:
    """A trace knows what it was given, not its memory."""
    f = tf.function(lambda x, more: x + more["y"])
    x = tf.constant(np.zeros(1000))
    there = weakref.ref(x)
    f(x, {"y": tf.constant(np.zeros(1000))})
    (args, kwargs) = f.get_concrete_function(x, {"y": x}).structured_input_signature
    assert args == (tf.TensorSpec([1000], tf.float64), {"y": tf.TensorSpec([1000], tf.float64)})
    assert kwargs == {}
    del x
    gc.collect()
    assert there() is None


def test_traces_that_failed_leave_nothing() -> None:
    """Not even the first call, in which variables may be made, is used up."""
    made: list[Any] = []

    @tf.function
    def f(x: Any, fail: int) -> Any:
        if fail:
            raise ZeroDivisionError
        if not made:
            made.append(tf.Variable(1.0))
        return x + made[0]

    for k in range(50):
        with pytest.raises(ZeroDivisionError):
            f(tf.constant(1.0), k + 1)
    assert len(f._traces._exact) == 0
    assert float(f(tf.constant(1.0), 0)) == 2.0


def test_traces_are_found_at_once() -> None:
    """Among a thousand no more specs are compared than among ten."""
    compared: list[int] = []
    found = trace_cache.Traces()
    specs = [[tf.TensorSpec([n], tf.float32)] for n in range(1000)]
    for n, spec in enumerate(specs):
        found.add("key", spec, n)  # type: ignore[arg-type]

    class Counting(tf.TensorSpec):
        __slots__ = ()

        def __eq__(self, other: object) -> bool:
            compared.append(1)
            return super().__eq__(other)

        __hash__ = tf.TensorSpec.__hash__

    assert found.find("key", [Counting([700], tf.float32)]) == 700  # type: ignore[comparison-overlap]
    assert len(compared) <= 3


def test_retracing_is_said(caplog: pytest.LogCaptureFixture) -> None:
    """Once for a function, after five traces, with the argument that differed."""
    caplog.set_level("WARNING", tf.get_logger().name)
    f = tf.function(lambda x, k: x * k)
    for k in range(12):
        f(tf.constant(1.0), float(k))
    (message,) = [r.getMessage() for r in caplog.records]
    assert message.startswith("5 out of the last 5 calls to <tf.function ")
    assert "triggered tf.function retracing" in message
    assert message.endswith("Last argument 1 was 4.0, before 3.0.")


def test_what_is_no_retracing(caplog: pytest.LogCaptureFixture) -> None:
    """Five shapes among many calls; and the shapes of functions of their own."""
    f = tf.function(lambda x: x * 2.0)
    for n in range(8):
        for _ in range(5):
            f(np.ones(n + 1))
    for n in range(8):
        tf.function(lambda x: x * 2.0)(tf.ones([n + 1]))
    assert caplog.records == []


# ---- results ------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [5, 40_000])
def test_a_result_is_never_memory_of_a_later_call(size: int) -> None:
    """A thousand results are held while the function goes on."""
    v = tf.Variable(np.zeros(size))

    @tf.function
    def f(x: Any) -> Any:
        v.assign_add(tf.ones_like(v))
        y = tf.tanh(x) * 0.0 + x
        return [y, tf.tanh(y) * 0.0 + v, tf.reduce_sum(x), x[1:], tf.reshape(y, [-1, 1]), v + 0.0]

    count = 1000 if size == 5 or IS_LONG else 60
    held = [f(tf.constant(np.full(size, float(k)))) for k in range(count)]
    for k, (y, w, total, part, column, u) in enumerate(held):
        for got, want in ((y, k), (w, k + 1), (part, k), (column, k), (u, k + 1)):
            assert got.numpy().min() == got.numpy().max() == want
        assert float(total) == k * size


# ---- programs -----------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["function", "unknown rank", "session", "compiled"])
def test_drawn_programs_leave_no_graph(mode: str) -> None:
    """Nothing that the collector does not see holds what a program made of sizes has built."""

    def graphs() -> int:
        gc.collect()
        return sum(type(o).__name__ in ("FunctionGraph", "Graph", "Plan") for o in gc.get_objects())

    before = graphs()
    for seed in range(30):
        differences(drawn(seed), (3, 12), [mode])
    assert graphs() == before
