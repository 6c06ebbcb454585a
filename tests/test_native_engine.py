"""The native engine within the library: chosen, in sessions, with state, errors and threads."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from function_modes import compiled
from hypothesis import given, settings
from hypothesis import strategies as st

import wengert as tf
from wengert.engines.native.codegen.layout import _per_part
from wengert.engines.native.engine import NativePlan
from wengert.engines.native.runtime.runtime_ir import has_threads
from wengert.engines.numpy_engine import NumpyPlan
from wengert.host import threads

v1 = tf.compat.v1
ENGINES = {"native": True, "numpy": False}


@pytest.fixture(autouse=True)
def as_at_the_beginning() -> Iterator[None]:
    """What a test chooses is forgotten."""
    yield
    tf.config.set_engine(None)
    tf.config.set_threads(None)


def on_both(make: Callable[[Callable[..., Any]], list[Any]]) -> list[list[Any]]:
    """What a program gives that decorates its functions, with each engine."""
    found = []
    for chosen in ENGINES.values():
        results = make(lambda f, chosen=chosen: tf.function(f, jit_compile=chosen))
        found.append([np.array(x) for x in results])
    return found


def assert_same(make: Callable[[Callable[..., Any]], list[Any]], relative: float = 1e-12) -> None:
    """A program gives the same with both engines."""
    native, reference = on_both(make)
    assert len(native) == len(reference)
    for a, b in zip(native, reference, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=relative, atol=relative)


def normal(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(size=shape)


def in_python(code: str, **environment: str) -> str:
    """What a program prints that another process runs."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# ---- which engine -----------------------------------------------------------------------------


def engine_used(monkeypatch: Any, run: Callable[[], Any]) -> str:
    """The engine whose plans are called meanwhile."""
    used: list[str] = []
    for kind, name in ((NativePlan, "native"), (NumpyPlan, "numpy")):
        usual = kind.__call__

        def call(self: Any, values: Any, usual: Any = usual, name: str = name) -> Any:
            used.append(name)
            return usual(self, values)

        monkeypatch.setattr(kind, "__call__", call)
    run()
    monkeypatch.undo()
    assert used
    return used[0]


@pytest.mark.parametrize("chosen", [None, "numpy", "native"])
@pytest.mark.parametrize("own", [None, True, False])
def test_which_engine_computes_a_function(monkeypatch: Any, chosen: Any, own: Any) -> None:
    """What a function asks for goes first, then what the process does; else it is compiled."""
    tf.config.set_engine(chosen)
    assert tf.config.get_engine() == chosen
    f = tf.function(lambda x: tf.exp(x) * 2.0, jit_compile=own)
    want = chosen or "native" if own is None else "native" if own else "numpy"
    assert engine_used(monkeypatch, lambda: f(tf.constant([1.0, 2.0]))) == want


def test_a_function_follows_a_later_choice(monkeypatch: Any) -> None:
    """A trace that was computed by one engine is computed by the other from then on."""
    f = tf.function(lambda x: tf.exp(x) * 2.0)
    x = tf.constant([1.0, 2.0])
    for chosen in ("numpy", "native", "numpy", None):
        tf.config.set_engine(chosen)
        assert engine_used(monkeypatch, lambda: f(x)) == (chosen or "native")


@pytest.mark.parametrize(("chosen", "want"), [(None, "numpy"), ("numpy", "numpy"), ("native",) * 2])
def test_which_engine_computes_a_session(monkeypatch: Any, chosen: Any, want: str) -> None:
    """Sessions are interpreted unless it is said otherwise."""
    tf.config.set_engine(chosen)
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float64, [3])
        y = tf.exp(x) * 2.0
        assert engine_used(monkeypatch, lambda: session.run(y, {x: np.ones(3)})) == want


def test_a_choice_that_is_none() -> None:
    """An unknown engine and a number of threads that is none are errors that change nothing."""
    with pytest.raises(ValueError, match="no engine 'xyz': choose one of numpy, native"):
        tf.config.set_engine("xyz")
    count: Any
    for count in (0, -1, 1.5, "2", True):
        with pytest.raises(ValueError, match="must be a positive integer"):
            tf.config.set_threads(count)
    what: Any
    for what in ("yes", "native", [], 2):
        with pytest.raises(ValueError, match="jit_compile must be True, False or None, got"):
            tf.function(lambda x: x, jit_compile=what)
    assert tf.config.get_engine() is None
    assert threads._Asked.threads is None


# So that more threads than this machine has processors can be asked for.
MANY = "import wengert as tf; from wengert.host import threads; threads.available = lambda: 16"


@pytest.fixture
def many_processors(monkeypatch: Any) -> None:
    monkeypatch.setattr(threads, "available", lambda: 16)


def test_no_more_threads_than_processors(monkeypatch: Any) -> None:
    """Whoever asks for more, here or in the environment, is told so once."""
    monkeypatch.setattr(threads, "available", lambda: 2)
    monkeypatch.setattr("wengert.host.warn_once._WARNED", set())
    with pytest.warns(RuntimeWarning, match="64 threads were requested, and 2 are used"):
        tf.config.set_threads(64)
    assert tf.config.get_threads() == 2
    tf.config.set_threads(None)
    monkeypatch.setenv("OMP_NUM_THREADS", "100000")
    with pytest.warns(RuntimeWarning, match="100000 threads were requested"):
        assert tf.config.get_threads() == 2
    assert tf.config.get_threads() == 2
    tf.config.set_threads(1)
    assert tf.config.get_threads() == 1


def test_threads_that_are_asked_for() -> None:
    """set_threads goes before OMP_NUM_THREADS, which goes before the number of processors."""
    code = (
        f"{MANY}; a = tf.config.get_threads(); tf.config.set_threads(5); "
        "b = tf.config.get_threads(); tf.config.set_threads(None); "
        "print(a, b, tf.config.get_threads())"
    )
    assert in_python(code, OMP_NUM_THREADS="3").split() == ["3", "5", "3"]
    assert in_python(code, OMP_NUM_THREADS="4,2").split() == ["4", "5", "4"]
    code = "import wengert as tf; print(tf.config.get_threads())"
    usual = in_python(code, OMP_NUM_THREADS="").strip()
    assert 1 <= int(usual) <= (os.cpu_count() or 1)
    for no_number in ("many", "0", "²"):
        assert in_python(code, OMP_NUM_THREADS=no_number).strip() == usual


def test_parts_are_about_even() -> None:
    """Threads are done at the same time: a power of two of parts, each of which is worth it."""
    r = np.random.default_rng(3)
    for _ in range(2_000):
        rows, worth = (int(2.0 ** r.uniform(0, 20)) for _ in range(2))
        most = int(r.choice([1, 16, 64]))
        each = _per_part(rows, worth, most)
        parts = -(-rows // each)
        assert 1 <= parts <= most
        assert parts == 1 or 2 * each >= worth
        assert rows < most * most or parts & (parts - 1) == 0, (rows, worth, most)
        assert (parts == 1) == (rows <= worth or most == 1 or rows == 1)
    assert _per_part(0, 5, 16) == 1


SLEEPY = """
import ctypes, time
import numpy as np
import wengert as tf
from wengert.host import threads
threads.available = lambda: 3
from wengert.engines.native.runtime.thread_pool import pool

def field(offset):
    return ctypes.c_int64.from_address(pool.address + offset).value

def alone(function, x, tries=60):
    "How often threads sleep on while the caller does all of a call."
    count = 0
    for _ in range(tries):
        still, end = 0, time.monotonic() + 5
        while still < 3 and time.monotonic() < end:  # one that just fell asleep may not have
            time.sleep(0.001)
            still = still + 1 if field(200) == 2 else 0
        assert still == 3
        function(x)
        count += field(232) > 0
    return count

plan = tf.function(lambda x: tf.exp(x) * x, engine="native", reduce_retracing=False)
few, many = [tf.constant(np.linspace(-1.0, 1.0, n, dtype=np.float32)) for n in (40_000, 4_000_000)]
for x in (few, many, few, many):
    plan(x)
print(alone(plan, few), alone(plan, many))
"""


@pytest.mark.skipif(not has_threads(), reason="plans use no threads here")
def test_threads_sleep_through_small_work() -> None:
    """To wake one takes longer than a small step, so that is left to the caller."""
    small = large = 0
    for _ in range(3):  # on a busy machine small work may look large
        small, large = map(int, in_python(SLEEPY, OMP_NUM_THREADS="3").split())
        if small > 0:
            break
    assert small > 0
    assert large == 0


# ---- sessions ---------------------------------------------------------------------------------


def test_training_in_a_session() -> None:
    """A graph with placeholders and variables gives the same numbers with both engines."""
    found = []
    for engine in ("native", "numpy"):
        tf.config.set_engine(engine)
        with tf.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder(tf.float64, [None, 4])
            w = v1.get_variable("w", initializer=tf.constant(normal(4, 3)))
            loss = tf.reduce_mean(tf.square(tf.tanh(x @ w) - 0.5))
            step = v1.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
            session.run(v1.global_variables_initializer())
            for seed in range(3):
                out = session.run([loss, step, w[1:]], {x: normal(8, 4, seed=seed)})
            found.append([out[0], out[2], session.run(w)])
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


def test_what_a_session_gives_may_be_changed() -> None:
    """Results are the caller's, though they are fetched twice or in two shapes."""
    tf.config.set_engine("native")
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float64, [2, 2])
        y = tf.exp(x)
        fed = np.ones((2, 2))
        out = session.run([y, y, tf.reshape(y, [4]), x, tf.transpose(x)], {x: fed})
        for a in out:
            a += 100.0
        np.testing.assert_allclose(out[0], np.exp(1) + 100.0)
        np.testing.assert_allclose(out[2], np.exp(1) + 100.0)
        np.testing.assert_array_equal(fed, 1.0)


# ---- functions within functions, branches and loops -------------------------------------------------


def test_functions_within_functions() -> None:
    """A function that calls others, of either engine, and is called by one."""

    def make(function: Any) -> list[Any]:
        @tf.function(jit_compile=False)
        def inner(x: Any) -> Any:
            return tf.sin(x) * x

        @function
        def middle(x: Any) -> Any:
            return inner(x) + inner(2.0 * x)

        outer = tf.function(lambda x: middle(x) * tf.exp(x))
        x = tf.constant(normal(7))
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = outer(x)
        return [y, tape.gradient(y, x)]

    assert_same(make)


def test_branches_and_loops() -> None:
    """tf.cond, tf.while_loop, tf.TensorArray and Python's own if inside of a function."""

    def make(function: Any) -> list[Any]:
        @function
        def f(x: Any, n: Any) -> Any:
            def body(i: Any, total: Any, kept: Any) -> Any:
                total = tf.tanh(total + x) * 0.9
                return i + 1, total, kept.write(i, tf.reduce_sum(total))

            kept = tf.TensorArray(tf.float64, 0, dynamic_size=True)
            _, total, kept = tf.while_loop(lambda i, *_: i < n, body, (0, x, kept))
            total = tf.cond(tf.reduce_sum(total) > 0.0, lambda: total * 2.0, lambda: total - x)
            return total, kept.stack()

        found = []
        for sign in (1.0, -1.0):
            x = tf.constant(sign * np.abs(normal(5, 3)))
            with tf.GradientTape() as tape:
                tape.watch(x)
                total, kept = f(x, tf.constant(4))
                loss = tf.reduce_sum(total) + tf.reduce_sum(kept)
            found += [total, kept, tape.gradient(loss, x)]
        return found

    assert_same(make)


def test_python_between() -> None:
    """A function of Python's is called once in each call, with what was computed before it."""
    seen: list[Any] = []

    def shown(a: Any) -> Any:
        seen.append(a.copy())
        return a[::-1] * 2.0

    def make(function: Any) -> list[Any]:
        @function
        def f(x: Any) -> Any:
            y = tf.numpy_function(shown, [tf.exp(x)], tf.float64)
            return tf.sin(tf.ensure_shape(y, x.shape)) + x

        x = tf.constant(normal(6))
        seen.clear()
        f(x)
        result = f(x)
        assert len(seen) == 2
        np.testing.assert_allclose(seen[1], np.exp(x))
        return [result]

    assert_same(make)


def test_random_numbers_are_drawn_anew() -> None:
    """In each call; and what is drawn once is the same wherever it is used."""

    @compiled
    def f(x: Any) -> Any:
        noise = tf.random.normal([5], dtype=tf.float64)
        return x + noise, noise * 1.0

    x = tf.constant(np.ones(5))
    first, second = f(x), f(x)
    for y, noise in (first, second):
        np.testing.assert_allclose(y.numpy() - 1.0, noise, rtol=1e-12, atol=1e-12)
    assert not np.array_equal(first[0], second[0])


# ---- errors -----------------------------------------------------------------------------------

X = np.arange(6.0).reshape(2, 3)


def _labels(x: Any, i: Any) -> Any:
    return tf.exp(tf.nn.sparse_softmax_cross_entropy_with_logits(i, x * 2.0))


def _assertion(x: Any, i: Any) -> Any:
    y = x * 2.0
    tf.debugging.assert_less(y, 5.0, message="planted")
    return y + 1.0


def _both_wrong(x: Any, i: Any) -> Any:
    loss = tf.reduce_sum(tf.nn.sparse_softmax_cross_entropy_with_logits(i, x))
    return tf.debugging.check_numerics(loss / 0.0, "a consequence")


FAILING: dict[str, Callable[[Any, Any], Any]] = {
    "labels": _labels,
    "gather": lambda x, i: tf.exp(tf.gather(x * 2.0, i)),
    "numerics": lambda x, i: tf.debugging.check_numerics(tf.math.log(x - 1.0), "planted") + 1.0,
    "assert": _assertion,
    "division": lambda x, i: (i + 1) // (i - 3),
    "singular": lambda x, i: tf.linalg.inv(tf.matmul(x, x, transpose_a=True) * 0.0) + 1.0,
    "labels first": _both_wrong,
}


@pytest.mark.parametrize("f", FAILING.values(), ids=list(FAILING))
def test_errors_are_those_of_the_reference(f: Callable[[Any, Any], Any]) -> None:
    """The same type, message, operation and line; the next call is as right as before."""
    said = []
    for chosen in ENGINES.values():
        function = tf.function(f, jit_compile=chosen)
        with pytest.raises(tf.errors.OpError) as caught:
            function(tf.constant(X), tf.constant([0, 3]))
        said.append((caught.type, str(caught.value), caught.value.op.name))
    assert said[0] == said[1]
    assert __file__ in said[0][1]


def test_a_shape_that_is_not_true() -> None:
    """Memory beyond an array is never read, whatever set_shape was told."""

    def f(x: Any) -> Any:
        y = tf.numpy_function(lambda a: a[:3], [x], tf.float64)
        y.set_shape([1000])
        return y + 1.0

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[3\].*\[1000\]"):
        compiled(f)(tf.constant(np.arange(5.0)))


def test_after_an_error() -> None:
    """Variables are as the reference leaves them, and later calls are right."""

    def make(function: Any) -> list[Any]:
        v = tf.Variable(np.zeros(2))

        @function
        def f(x: Any, i: Any) -> Any:
            y = tf.nn.sparse_softmax_cross_entropy_with_logits(i, x)
            v.assign_add(y)
            return y + 0.0

        f(tf.constant(X), tf.constant([0, 1]))
        with pytest.raises(tf.errors.InvalidArgumentError, match="label value of 9"):
            f(tf.constant(X), tf.constant([0, 9]))
        return [f(tf.constant(X), tf.constant([2, 1])), v]

    assert_same(make)


def _checked_before(v: Any, x: Any) -> Any:
    y = tf.debugging.check_numerics(tf.math.log(x), "planted")
    v.assign_add(x)
    return y


def _checked_after(v: Any, x: Any) -> Any:
    v.assign(tf.reverse(v, [0]) + x)
    return tf.debugging.check_numerics(tf.math.log(x), "planted")


def _checked_between(v: Any, x: Any) -> Any:
    v.assign_add(x)
    tf.debugging.assert_positive(x)
    v.assign_add(x)
    return x + v


@pytest.mark.parametrize("f", [_checked_before, _checked_after, _checked_between])
def test_variables_after_an_error(f: Callable[[Any, Any], Any]) -> None:
    """What stands before a failing check has happened, what stands after it has not."""

    def make(function: Any) -> list[Any]:
        v = tf.Variable(np.zeros(4))
        step = function(lambda x: f(v, x))
        for _ in range(2):
            step(tf.ones([4], tf.float64))
        with pytest.raises(tf.errors.InvalidArgumentError):
            step(tf.constant([1.0, 2.0, 3.0, 0.0], tf.float64))
        return [v]

    assert_same(make)


# ---- variables --------------------------------------------------------------------------------


def test_reading_and_assigning() -> None:
    """Each read sees what was assigned before it, none what is assigned after it."""

    def make(function: Any) -> list[Any]:
        v = tf.Variable(np.arange(6.0).reshape(2, 3))

        @function
        def f(x: Any) -> Any:
            old = v.read_value()
            turned = tf.transpose(v)
            v.assign_add(x)
            new = v.read_value()
            v.assign_sub(new * 0.5)
            v.assign(v * v + 1.0)
            v.assign_add(tf.ones_like(v))
            return old, turned, old[1:], new, v.read_value(), tf.reduce_sum(v * x)

        found = [*f(tf.constant(X)), *f(tf.constant(-X))]
        return [*found, v]

    assert_same(make)


@pytest.mark.parametrize("size", [5, 300, 700])
def test_updates_that_read_what_they_replace(size: int) -> None:
    """A product with the variable itself, its transpose, its mean, its neighbours."""

    def make(function: Any) -> list[Any]:
        v, w = tf.Variable(normal(size, size) / size), tf.constant(normal(size, size) / size)

        @function
        def f() -> None:
            v.assign_add(w @ v)
            v.assign_sub(v @ w)
            v.assign_add(0.5 * tf.transpose(v))
            v.assign_sub(tf.reduce_mean(v, 0, keepdims=True) + tf.zeros_like(v))
            v.assign(tf.concat([v[1:], v[:1] * 2.0], 0))
            v.assign(tf.reverse(v, [1]) * 0.9)

        f()
        f()
        return [v]

    assert_same(make)


# Of a variable, another one, a matrix and an argument; what the last three give is handed out.
ASSIGNMENTS: list[Callable[[Any, Any, Any, Any], Any]] = [
    lambda v, u, c, x: v.assign_add(x * 0.1),
    lambda v, u, c, x: v.assign_sub(u * 0.5),
    lambda v, u, c, x: v.assign(tf.transpose(v) + 0.1),
    lambda v, u, c, x: v.assign(c @ v),
    lambda v, u, c, x: v.assign_add(c @ u),
    lambda v, u, c, x: v.assign_add(0.1 * (v @ c)),
    lambda v, u, c, x: v.assign(tf.reverse(v, [0]) * 0.9),
    lambda v, u, c, x: v.assign(v - tf.reduce_max(v, 1, keepdims=True)),
    lambda v, u, c, x: v.assign(u),
    lambda v, u, c, x: v.assign(tf.nn.softmax(v)),
    lambda v, u, c, x: tf.cumsum(v, 0) * 0.1,
    lambda v, u, c, x: tf.tanh(v + x),
    lambda v, u, c, x: v.read_value(),
]
READS = 10


def _random_steps(seed: int) -> Callable[..., list[Any]]:
    """A function of two variables that reads and assigns them in a random order."""
    rng = np.random.default_rng(seed)
    plan = [
        (int(rng.integers(len(ASSIGNMENTS))), int(rng.integers(2)))
        for _ in range(rng.integers(1, 9))
    ]

    def f(variables: list[Any], c: Any, x: Any) -> list[Any]:
        found = []
        for what, which in plan:
            v, u = variables[which], variables[1 - which]
            result = ASSIGNMENTS[what](v, u, c, x)
            if what >= READS:
                found.append(result)
        return [tf.reduce_sum(x * v) for v in variables] + found

    return f


@pytest.mark.slow
@settings(max_examples=40)
@given(st.integers(0, 2**40), st.sampled_from([3, 40]))
def test_random_assignments(seed: int, size: int) -> None:
    """Any order of reads and assignments; what was handed out after each call stays."""
    f = _random_steps(seed)

    def make(function: Any) -> list[Any]:
        variables = [tf.Variable(normal(size, size, seed=i) / size) for i in range(2)]
        c = tf.constant(normal(size, size, seed=2) / size)
        step = function(lambda x: f(variables, c, x))
        held: list[Any] = []
        for k in range(3):
            held += step(c * float(k))
            held += [x for v in variables for x in (v.numpy(), v.read_value())]
            if k == 0:
                kept = [np.array(x) for x in held]
        for x, want in zip(held, kept, strict=False):
            np.testing.assert_array_equal(x, want)
        return held

    assert_same(make, 1e-9)


def test_what_was_read_before_an_update_stays() -> None:
    """Tensors, views of them and arrays that were handed out before a step in place."""
    v = tf.Variable(np.arange(4.0))

    @compiled
    def step() -> Any:
        v.assign_add(tf.ones([4], tf.float64))
        return v.read_value()

    step()
    held = [v.numpy(), v.read_value(), tf.reshape(v, [2, 2]), v.value()[1:], v + 0.0, step()]
    kept = [np.array(x) for x in held]
    for _ in range(3):
        step()
    for x, want in zip(held, kept, strict=True):
        np.testing.assert_array_equal(x, want)
    assert v.numpy().tolist() == [5.0, 6.0, 7.0, 8.0]


def test_variables_in_any_order_of_memory() -> None:
    """What a variable begins with may be transposed, for reading only, or a part of an array."""
    a = np.arange(12.0).reshape(3, 4)

    def make(function: Any) -> list[Any]:
        starts = [
            tf.exp(tf.transpose(tf.constant(a))),
            np.asfortranarray(a),
            tf.constant(a)[:, ::2],
            tf.broadcast_to(tf.constant(1.0, tf.float64), [3, 2]),
            np.broadcast_to(1.5, (2, 2)),
            np.float64(2.0),
        ]
        variables = [tf.Variable(x) for x in starts]

        @function
        def step() -> None:
            for v in variables:
                v.assign_add(tf.ones_like(v) * 0.5)

        for _ in range(3):
            step()
        return variables

    assert_same(make)


def test_a_variable_that_comes_in_two_ways() -> None:
    """As an argument and captured, and captured by a function within."""

    def make(function: Any) -> list[Any]:
        v = tf.Variable([1.0, 2.0])
        inner = tf.function(lambda: v.assign_add([1.0, 1.0]))

        @function
        def f(u: Any) -> Any:
            v.assign_add([1.0, 1.0])
            first = u + 0.0
            u.assign(first * 10.0)
            inner()
            return first, v + 0.0, u + 0.0

        return [*f(v), *f(v), v]

    assert_same(make)


OPTIMIZERS = {
    "sgd": lambda: tf.optimizers.SGD(0.1),
    "momentum": lambda: tf.optimizers.SGD(0.1, momentum=0.9),
    "nesterov": lambda: tf.optimizers.SGD(0.1, momentum=0.9, nesterov=True),
    "adam": lambda: tf.optimizers.Adam(0.05),
    "rmsprop": lambda: tf.optimizers.RMSprop(0.05),
}


@pytest.mark.parametrize("optimizer", OPTIMIZERS.values(), ids=list(OPTIMIZERS))
def test_five_steps_of_training(optimizer: Callable[[], Any]) -> None:
    """A small network after five steps, its losses, and the arrays that were handed out."""
    x, labels = tf.constant(normal(16, 5, seed=1)), tf.constant(np.arange(16) % 3)

    def make(function: Any) -> list[Any]:
        sizes = [(5, 8), (8,), (8, 3), (3,)]
        weights = [tf.Variable(normal(*s, seed=i) * 0.5) for i, s in enumerate(sizes)]
        chosen = optimizer()

        @function
        def step() -> Any:
            with tf.GradientTape() as tape:
                hidden = tf.nn.relu(x @ weights[0] + weights[1])
                logits = hidden @ weights[2] + weights[3]
                f = tf.nn.sparse_softmax_cross_entropy_with_logits
                loss = tf.reduce_mean(f(labels=labels, logits=logits))
            chosen.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
            return loss

        losses = [step()]
        handed_out = [w.numpy() for w in weights]
        kept = [a.copy() for a in handed_out]
        losses += [step() for _ in range(4)]
        for a, b in zip(handed_out, kept, strict=True):
            np.testing.assert_array_equal(a, b)
        return [*losses, *weights]

    assert_same(make, 1e-10)


# ---- derivatives from outside -----------------------------------------------------------------------


def test_derivatives_of_a_compiled_function() -> None:
    """First and second order by tapes, and forward mode, from outside of the function."""

    def make(function: Any) -> list[Any]:
        f = function(lambda x, w: tf.reduce_sum(tf.tanh(x @ w) * tf.exp(-x @ w), 1))
        x, w = tf.constant(normal(4, 3)), tf.constant(normal(3, 5, seed=1))
        with tf.GradientTape() as outer:
            outer.watch([x, w])
            with tf.GradientTape() as inner:
                inner.watch([x, w])
                y = f(x, w)
            first = inner.gradient(y, [x, w])
            total = tf.reduce_sum(first[0] ** 2) + tf.reduce_sum(first[1] ** 3)
        second = outer.gradient(total, [x, w])
        with tf.autodiff.ForwardAccumulator([x, w], [tf.ones_like(x), tf.sin(w)]) as forward:
            z = f(x, w)
        return [y, *first, *second, z, forward.jvp(z)]

    assert_same(make, 1e-10)


# ---- the same again -----------------------------------------------------------------------------

# NumPy's products, where there are no better ones, have fewer threads on a busy machine.
PROGRAM = f"""
import hashlib, numpy as np
from wengert.host import parallel
parallel._is_busy = lambda: False
{MANY}"""
PROGRAM += """
tf.config.set_threads(4)
rng = np.random.default_rng(0)
x, w = (tf.constant(rng.normal(size=s).astype("float32")) for s in ((700, 300), (300, 257)))
@tf.function(jit_compile=True)
def f(x, w):
    with tf.GradientTape() as tape:
        tape.watch([x, w])
        y = tf.nn.softmax(tf.tanh(x @ w))
        loss = tf.reduce_sum(y * y) + tf.reduce_mean(x * x) + tf.reduce_sum(tf.exp(x), 0)[3]
    return [loss, tf.reduce_sum(x, 0), tf.reduce_sum(x), *tape.gradient(loss, [x, w])]
found = {hashlib.sha256(b"".join(y.numpy().tobytes() for y in f(x, w))).hexdigest()
         for _ in range(20)}
print(*found)
"""


def test_the_same_bytes_again() -> None:
    """20 calls with busy threads give the same bytes, and so does another process."""
    first, second = in_python(PROGRAM).split(), in_python(PROGRAM).split()
    assert len(first) == 1
    assert first == second


@pytest.mark.usefixtures("many_processors")
def test_any_number_of_threads() -> None:
    """1, 2 and 4 threads agree, for functions compiled before and after the choice."""
    x, w = tf.constant(normal(400, 500)), tf.constant(normal(500, 300, seed=1))

    def f(x: Any, w: Any) -> list[Any]:
        return [tf.tanh(x @ w), tf.reduce_sum(tf.exp(x)), tf.reduce_sum(x * x, 0)]

    want = [y.numpy() for y in tf.function(f, jit_compile=False)(x, w)]
    before = compiled(f)
    for count in (1, 2, 4, 1, 3):
        tf.config.set_threads(count)
        for function in (before, compiled(f)):
            for a, b in zip(function(x, w), want, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-11)


@pytest.mark.usefixtures("many_processors")
def test_many_threads_of_python() -> None:
    """Eight at once, in the same function and in their own, with arrays that the pool shares."""
    tf.config.set_threads(4)
    arrays = [normal(300, 400, seed=i) for i in range(8)]
    f: Any = lambda x, k: [tf.tanh(x) * k, tf.reduce_sum(x * k), tf.transpose(x) @ x]  # noqa: E731
    shared = compiled(f)
    own = [compiled(lambda x, k, i=i: f(x + float(i), k)) for i in range(8)]

    def work(i: int) -> None:
        for n in range(5):
            k = float(n)
            at = own[i](tf.constant(arrays[i]), tf.constant(k, tf.float64))
            both = shared(tf.constant(arrays[i]), tf.constant(k, tf.float64))
            for got, a in ((both, arrays[i]), (at, arrays[i] + i)):
                want = [np.tanh(a) * k, np.sum(a * k), a.T @ a]
                for y, z in zip(got, want, strict=True):
                    np.testing.assert_allclose(y, z, rtol=1e-9, atol=1e-8)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))


def test_training_in_many_threads() -> None:
    """Each thread with its own variables, one function for all shapes."""

    def work(i: int) -> float:
        v = tf.Variable(np.zeros(20_000 + i))

        @compiled
        def step() -> None:
            v.assign_add(tf.ones_like(v))

        for _ in range(30):
            step()
        return float(v.numpy().min()) + float(v.numpy().max())

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(8))) == [60.0] * 8


FORKING = f"""
import os, numpy as np
{MANY}"""
FORKING += """
tf.config.set_threads(3)
x = tf.constant(np.arange(300_000.0))
f = tf.function(lambda x: [tf.sqrt(x) + 1.0, tf.reduce_sum(x)], jit_compile=True)
def right():
    y, total = f(x)
    return bool((y.numpy() == np.sqrt(x.numpy()) + 1.0).all()) and float(total) == 44999850000.0
assert right()
child = os.fork()
if child == 0:
    try:
        good = right() and right()
        g = tf.function(lambda x: tf.exp(-x) @ tf.transpose(x), jit_compile=True)
        a = np.random.default_rng(0).normal(size=(200, 200))
        good &= bool(np.allclose(g(tf.constant(a)), np.exp(-a) @ a.T))
        os._exit(0 if good else 1)
    finally:
        os._exit(2)
status = os.waitpid(child, 0)[1]
assert right()
print(os.waitstatus_to_exitcode(status))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_after_a_fork() -> None:
    """The child has threads of its own, and compiles; the parent goes on."""
    code = f"import warnings; warnings.simplefilter('ignore', DeprecationWarning)\n{FORKING}"
    assert in_python(code).split() == ["0"]


FORKING_MEANWHILE = """
import gc, os, threading, time, numpy as np, wengert as tf
def compile_one(k):
    f = tf.function(lambda x: tf.tanh(x * k) + tf.reduce_sum(tf.exp(x - k)), jit_compile=True)
    return bool(np.isfinite(f(tf.ones([40, 5]))).all())
compile_one(0.1)
going_on = True
def compile_many():
    k = 0.2
    while going_on:
        k += 0.01
        compile_one(k)
thread = threading.Thread(target=compile_many)
thread.start()
children = []
for i in range(8):
    time.sleep(0.03)
    children.append(os.fork())
    if children[-1] == 0:
        os._exit(0 if compile_one(-0.01 * i) and gc.isenabled() else 1)
deadline = time.time() + 20.0
while children and time.time() < deadline:
    for child in list(children):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            children.remove(child)
            print(os.waitstatus_to_exitcode(status))
    time.sleep(0.01)
going_on = False
thread.join()
for child in children:
    os.kill(child, 9)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_fork_while_another_thread_compiles() -> None:
    """The child compiles, too, and collects garbage: nothing waits for a thread it does not have."""
    head = "import warnings; warnings.simplefilter('ignore', DeprecationWarning)\n"
    assert in_python(head + FORKING_MEANWHILE, WENGERT_CACHE_DIR="").split() == ["0"] * 8


# ---- special numbers ------------------------------------------------------------------------------

SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 5e-324, -1e-310, 2.5e-308, 1e308]


def _special(x: Any, y: Any) -> list[Any]:
    return [  # first those where the sign of zero is nobody's promise
        tf.maximum(x, y),
        tf.minimum(x, y),
        tf.nn.relu(x),
        tf.nn.relu6(x),
        tf.clip_by_value(x, -0.5, 0.5),
        tf.sign(x),
        tf.abs(x),
        -x,
        x + y,
        x * y,
        x - x,
        1.0 / x,
        tf.where(x > y, x, y),
        tf.cast(x < y, tf.int32) + tf.cast(tf.math.is_nan(x), tf.int32),
        tf.stack([x, x]) / tf.constant([[0.0], [-0.0]], x.dtype),
    ]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_special_numbers(dtype: str) -> None:
    """NaN, infinities, zeros of both signs and denormals, bit by bit but for the NaN's."""
    with np.errstate(over="ignore", under="ignore"):
        values = np.array([*SPECIAL, float(np.finfo(dtype).smallest_subnormal)]).astype(dtype)
    x = tf.constant(np.repeat(values, len(values)))
    y = tf.constant(np.tile(values, len(values)))
    native = compiled(_special)(x, y)
    reference = tf.function(_special, jit_compile=False)(x, y)
    for k, (a, b) in enumerate(zip(native, reference, strict=True)):
        np.testing.assert_array_equal(a, b, err_msg=str(k))
        if a.dtype.is_floating and k > 5:
            number = ~np.isnan(b)
            signs = [np.signbit(v.numpy())[number] for v in (a, b)]
            np.testing.assert_array_equal(*signs, err_msg=f"a sign of result {k}")


def test_exp_where_it_is_subnormal() -> None:
    """The nearest number, or its neighbour, and 0 as NumPy's; what is no number stays none, whatever its bits."""
    x = np.linspace(-105.0, -86.0, 200_001).astype(np.float32)
    wanted = np.exp(x.astype(np.float64)).astype(np.float32)
    assert np.count_nonzero(wanted < np.finfo(np.float32).tiny) > 100_000
    found = compiled(tf.exp)(tf.constant(x)).numpy()
    assert np.abs(found.view(np.int32) - wanted.view(np.int32)).max() <= 1
    assert np.mean(found == wanted) > 0.9
    bits = np.array([0x7FC00000, 0x7FC00001, 0x7F800001, 0x7FFFFFFF, 0xFFC00081], np.uint32)
    assert np.isnan(compiled(tf.exp)(tf.constant(bits.view(np.float32))).numpy()).all()


@pytest.mark.timing
@pytest.mark.parametrize("far", [-95.0, -1e9])
def test_exp_of_far_negative_numbers_takes_no_longer(far: float) -> None:
    """As in masks and Gaussians; a product that underflows takes a processor a hundred times as long."""
    run = compiled(lambda x: tf.reduce_sum(tf.exp(x)))

    def seconds(value: float) -> float:
        x = tf.constant(np.full(16_384, value, np.float32))
        times = []
        for _ in range(40):
            start = time.perf_counter()
            run(x)
            times.append(time.perf_counter() - start)
        return min(times)

    assert min(seconds(far) / seconds(-1.0) for _ in range(3)) < 2.0


@pytest.mark.parametrize("size", [3, 40, 9000, 70_000])
def test_special_numbers_in_sums(size: int) -> None:
    """Wherever a NaN or an infinity stands, sums and extremes say so."""

    def f(x: Any) -> list[Any]:
        reduced = [tf.reduce_sum, tf.reduce_max, tf.reduce_min, tf.reduce_mean]
        return [r(x, axis) for r in reduced for axis in (None, 0, 1)]

    native, reference = compiled(f), tf.function(f, jit_compile=False)
    for value in (np.nan, np.inf, -np.inf):
        for place in (0, size // 2, size - 1):
            a = normal(2, size)
            a[1, place] = value
            for got, want in zip(native(a), reference(a), strict=True):
                np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9)


def test_a_long_sum_is_accurate() -> None:
    """Ten million times 0.1 in 24 bits, as a whole and in columns."""
    tenth = float(np.float32(0.1))
    f = compiled(lambda x: [tf.reduce_sum(x), tf.reduce_mean(x)])
    total, mean = f(tf.constant(np.full(10_000_000, 0.1, np.float32)))
    assert abs(float(total) / (1e7 * tenth) - 1.0) < 1e-6
    assert abs(float(mean) / tenth - 1.0) < 1e-6
    g = compiled(lambda x: tf.reduce_sum(x, 0))
    columns = g(tf.constant(np.full((1_000_000, 3), 0.1, np.float32))).numpy()
    assert (np.abs(columns / (1e6 * tenth) - 1.0) < 1e-3).all(), columns  # NumPy: 1e-2


@pytest.mark.parametrize(
    ("shape", "axis"), [((2, 3_000_000), 1), ((300, 2, 3001), (0, 2)), ((4, 40_001), 1)]
)
def test_sums_of_long_rows_are_accurate(shape: tuple[int, ...], axis: Any) -> None:
    """However many elements a row has, and on however many axes, its sum keeps its digits."""
    tenth = float(np.float32(0.1))
    count = np.prod(shape) // (shape[1] if axis == (0, 2) else shape[0])
    x = tf.constant(np.full(shape, 0.1, np.float32))
    f = compiled(
        lambda x: [tf.reduce_sum(x, axis), tf.reduce_mean(x, axis), tf.reduce_max(x, axis)]
    )
    total, mean, largest = (y.numpy().astype(float) for y in f(x))
    np.testing.assert_allclose(total, count * tenth, rtol=3e-6)
    np.testing.assert_allclose(mean, tenth, rtol=3e-6)
    np.testing.assert_array_equal(largest, tenth)
