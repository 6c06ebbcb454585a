"""What is kept, and when it goes."""

from __future__ import annotations

import gc
import time
import tracemalloc
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import wengert as tf

X = tf.constant(3.0)


@pytest.fixture
def no_collector() -> Iterator[None]:
    """Only reference counts free memory."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def recorded() -> tuple[Any, Any, Any]:
    """A tape, its target, and a weak reference to a value only the tape holds."""
    with tf.GradientTape() as tape:
        tape.watch(X)
        middle = tf.exp(X)
        y = middle * middle
    return tape, y, weakref.ref(middle)


@pytest.mark.usefixtures("no_collector")
def test_a_tape_frees_what_it_holds_when_it_is_used() -> None:
    """gradient() of a tape that serves once empties it."""
    tape, y, middle = recorded()
    assert middle() is not None
    tape.gradient(y, X)
    assert middle() is None


@pytest.mark.usefixtures("no_collector")
def test_a_tape_frees_what_it_holds_when_it_goes() -> None:
    """No reference cycle waits for the collector."""
    tape, _, middle = recorded()
    inner = weakref.ref(tape._tape)
    del tape
    assert middle() is None
    assert inner() is None


@pytest.mark.usefixtures("no_collector")
def test_custom_gradients_make_no_cycles() -> None:
    """Neither does a function with variables, nested gradients, or an error inside."""
    v = tf.Variable(2.0)

    @tf.custom_gradient
    def f(x: Any) -> Any:
        e = tf.exp(x) * v
        kept.append(weakref.ref(e))
        return e, lambda dy, variables=None: (dy * e, [dy])

    kept: list[Any] = []
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = f(X)
    assert kept[0]() is not None
    tape.gradient(y, X)
    del y, tape
    assert kept[0]() is None


@pytest.mark.usefixtures("no_collector")
@pytest.mark.parametrize(("persistent", "alive"), [(False, 0), (True, 12)])
def test_values_are_freed_during_the_sweep(persistent: bool, alive: int) -> None:
    """A record is dropped when it has been used: at the end of the sweep nothing is left."""
    counts: list[int] = []
    values: list[Any] = []

    @tf.custom_gradient
    def first(x: Any) -> Any:
        def grad(dy: Any) -> Any:
            counts.append(sum(v() is not None for v in values))
            return dy

        return x, grad

    def chain(x: Any) -> Any:
        y = first(x)
        for _ in range(12):
            y = tf.tanh(y)
            values.append(weakref.ref(y))
        return y * 1.0

    with tf.GradientTape(persistent=persistent) as tape:
        tape.watch(X)
        y = chain(X)
    tape.gradient(y, X)
    assert counts == [alive]


def held_by_tape(f: Callable[[Any], Any], x: Any) -> float:
    """What a tape keeps of f, in arrays of the size of x."""
    f(x)  # what is loaded for large arrays is not the tape's
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        del y
        held = tracemalloc.get_traced_memory()[0] - before
        assert tape is not None
    finally:
        tracemalloc.stop()
    return held / x.numpy().nbytes


@pytest.mark.parametrize(
    ("f", "arrays"),
    [
        (lambda x: ((x + 1.0) - 2.0) + 3.0, 0),  # rules that read nothing
        (lambda x: -tf.reshape(tf.reshape(x, [-1, 2]), [-1]), 0),
        (lambda x: tf.exp(x + 1.0), 1),  # the result alone
        (lambda x: tf.sin(x + 1.0), 1),  # the input alone
        (lambda x: tf.reduce_sum(tf.tanh(x)), 1),
    ],
)
def test_a_tape_keeps_only_what_the_rules_read(f: Any, arrays: int) -> None:
    """In arrays of a million numbers."""
    x = tf.constant(np.zeros(1_000_000, np.float32))
    assert held_by_tape(f, x) == pytest.approx(arrays, abs=0.05)


def test_recompute_grad_keeps_the_inputs_alone() -> None:
    """The peak of value and gradient is that of one segment, not of the whole."""
    x = tf.constant(np.zeros(500_000, np.float32))

    def block(v: Any) -> Any:
        for _ in range(10):
            v = tf.tanh(v)
        return v

    def chain(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def run(v: Any) -> Any:
            for _ in range(4):
                v = f(v)
            return v

        return run

    def peak(f: Callable[[Any], Any]) -> float:
        tracemalloc.start()
        try:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = chain(f)(x)
            tape.gradient(y, x)
            return tracemalloc.get_traced_memory()[1] / x.numpy().nbytes
        finally:
            tracemalloc.stop()

    plain, again = peak(block), peak(tf.recompute_grad(block))
    assert plain > 39  # every tanh of the forty
    assert again < 20  # one block of ten, the ends of the blocks, and what is under way


def test_calls_made_on_trial_are_small() -> None:
    """Which inputs have a gradient is tried while tracing: with few elements, however many axes are unknown."""

    @tf.function
    def twice(x: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                total = tf.reduce_sum(tf.signal.frame(x, 7, 4) ** 3)
            squares = tf.reduce_sum(tape.gradient(total, x) ** 2)
        return outer.gradient(squares, x)

    twice.get_concrete_function(tf.TensorSpec([None]))  # what is loaded is not counted
    tracemalloc.start()
    try:
        twice.get_concrete_function(tf.TensorSpec([None] * 6))
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


# ---- long tapes -------------------------------------------------------------------------------


def chain_seconds(operations: int) -> float:
    """Value and gradient of a chain of multiplications."""
    x = tf.constant(np.ones(8, np.float32))
    a = tf.constant(np.full(8, 0.999999, np.float32))
    began = time.perf_counter()
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in range(operations):
            y = y * a
    g = tape.gradient(y, x)
    seconds = time.perf_counter() - began
    np.testing.assert_allclose(g, np.full(8, 0.999999**operations), rtol=1e-2)
    return seconds


def test_a_very_long_chain_needs_no_recursion() -> None:
    """200,000 operations on one tape."""
    assert chain_seconds(200_000) > 0


@pytest.mark.timing
def test_time_is_linear_in_the_number_of_operations() -> None:
    """Twenty times the work takes at most thirty times the time."""

    def ratio() -> float:
        short = min(chain_seconds(2_000) for _ in range(5))
        return min(chain_seconds(40_000) for _ in range(2)) / short

    # One good run is enough: what else the machine does comes and goes.
    assert any(ratio() < 30 for _ in range(6))
