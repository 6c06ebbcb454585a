"""Each thread records for itself."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import wengert as tf

X = tf.constant(3.0)


def in_threads(work: Callable[[int], Any], count: int = 8) -> list[Any]:
    """The results of several threads that begin at the same moment."""
    barrier = threading.Barrier(count)

    def run(i: int) -> Any:
        barrier.wait()
        return work(i)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


def test_tapes_in_several_threads_do_not_mix() -> None:
    """Many tapes at once on one tensor, each with its own chain."""

    def work(i: int) -> float:
        with tf.GradientTape() as tape:
            tape.watch(X)
            y = X
            for _ in range(200):
                y = y * 1.0 + float(i)
        return float(tape.gradient(y, X).numpy())

    assert in_threads(work) == [1.0] * 8


def test_second_order_in_several_threads() -> None:
    """Nested tapes, and accumulators, are thread-local."""

    def work(i: int) -> tuple[float, float]:
        x = tf.constant(float(i + 1))
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = x**3
            first = inner.gradient(y, x)
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as forward:
            z = x**3
        return float(outer.gradient(first, x).numpy()), float(forward.jvp(z).numpy())

    assert in_threads(work) == [(6.0 * (i + 1), 3.0 * (i + 1) ** 2) for i in range(8)]


def test_a_tape_does_not_hear_other_threads() -> None:
    """What another thread computes is not recorded, though it uses a watched tensor."""
    results: list[Any] = []
    with tf.GradientTape() as tape:
        tape.watch(X)
        other = threading.Thread(target=lambda: results.append(X * X))
        other.start()
        other.join()
        y = X * 2.0
    assert tape.gradient([results[0], y], X).numpy() == 2.0


def test_a_tape_may_be_used_in_another_thread() -> None:
    """Recorded here, differentiated there."""
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = X * X
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(tape.gradient, y, X).result().numpy() == 6.0


def test_a_persistent_tape_serves_several_threads() -> None:
    """A sweep does not change the tape."""
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(X)
        y = X
        for _ in range(100):
            y = y * 1.01
    expected = tape.gradient(y, X).numpy()
    assert in_threads(lambda i: tape.gradient(y, X).numpy()) == [expected] * 8


def test_batches_in_several_threads() -> None:
    """Interpreters are thread-local, too."""
    rows = tf.constant(np.arange(12.0).reshape(4, 3))
    expected = (rows.numpy() ** 2).sum(1).tolist()

    def work(i: int) -> Any:
        return tf.vectorized_map(lambda r: tf.reduce_sum(r * r), rows).numpy().tolist()

    assert in_threads(work) == [expected] * 8


def test_an_error_in_one_thread_leaves_the_others_alone() -> None:
    """Its tape is popped in its own thread."""

    def work(i: int) -> float:
        with tf.GradientTape() as tape:
            tape.watch(X)
            y = X * X
            if i % 2:
                with pytest.raises(ZeroDivisionError), tf.GradientTape() as inner:
                    inner.watch(X)
                    raise ZeroDivisionError
        return float(tape.gradient(y, X).numpy())

    assert in_threads(work) == [6.0] * 8


def test_big_arrays_at_once() -> None:
    """NumPy lets other threads run meanwhile: the quiet context of each must be its own."""
    a = tf.constant(np.full(300_000, 1e30, np.float32))

    def work(i: int) -> bool:
        return all(bool(np.isinf((a * a).numpy()).all()) for _ in range(20))

    assert in_threads(work) == [True] * 8


def test_tapes_that_watch_one_value_at_the_same_moment() -> None:
    """Whoever comes first gives it its key: the gradient of the others was None."""
    rounds, switching = 400, sys.getswitchinterval()
    values = [tf.constant([1.0, 2.0]) for _ in range(rounds)]
    ready, found = threading.Barrier(4), []

    def work() -> None:
        for x in values:
            ready.wait()
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x * x
            found.append(tape.gradient(y, x))

    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work) for _ in range(4)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
    finally:
        sys.setswitchinterval(switching)
    assert len(found) == 4 * rounds
    assert sum(g is None for g in found) == 0


@pytest.fixture
def switching_often() -> Iterator[None]:
    """Python changes threads as often as it can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def looped(x: Any) -> Any:
    """A loop and a branch, which hand out what is inside once a derivative asks for it."""
    y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.sin(y) * x + tf.exp(-y)), [0, x])[
        1
    ]
    return tf.reduce_sum(tf.cond(tf.reduce_sum(y) > 0.0, lambda: tf.sin(y) * y, lambda: y * y))


@pytest.mark.parametrize("jit_compile", [False, True])
@pytest.mark.usefixtures("switching_often")
def test_one_thread_differentiates_what_others_run(jit_compile: bool) -> None:
    """Derivatives change the graph of a function: what a run of it began with is what it ends with."""
    x = tf.constant([0.3, 0.5])

    def by_order(f: Any, order: int) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = by_order(f, order - 1) if order else f(x)
        return tf.reduce_sum(tape.gradient(y, x))

    def pushed(f: Any) -> Any:
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as forward:
            y = f(x)
        return forward.jvp(y)

    works = [lambda f: by_order(f, 1), lambda f: by_order(f, 0), pushed, lambda f: f(x)] * 2
    expected = [float(work(looped)) for work in works]
    for once in range(12):
        f = tf.function(looped, jit_compile=jit_compile)
        if once % 2:
            f(x)
        found = in_threads(lambda i, f=f: float(works[i](f)))  # type: ignore[misc]
        np.testing.assert_allclose(found, expected, rtol=1e-5)
