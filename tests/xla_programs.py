"""Programs for the XLA engine, each compared with NumPy's; run as a program, it prints what came of each.

It is a program of its own, since JAX has threads, which a process that forks must not have.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import io
import json
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np
import pytest
from test_forward_functions import tanh_of_a_multiple

import wengert as tf
from wengert import extend
from wengert.values import on_device

PROGRAMS: Final[dict[str, Callable[[], None]]] = {}


def program(function: Callable[[], None]) -> Callable[[], None]:
    PROGRAMS[function.__name__] = function
    return function


def outcome(make: Callable[[], Any], engine: str, xs: Any, differentiate: bool) -> list[Any]:
    """Values and gradients, or the type and the first line of an error."""
    tf.random.set_seed(3)
    f = tf.function(make(), engine=engine)
    given = [tf.constant(x) for x in xs]
    moving = [x for x in given if x.dtype.is_floating] if differentiate else []
    try:
        with tf.GradientTape() as tape:
            tape.watch(moving)
            y = f(*given)
        gs = tape.gradient(y, moving) if moving else []
        return [np.asarray(v) for v in tf.nest.flatten([y, gs]) if v is not None]
    except tf.errors.OpError as error:
        return [type(error).__name__, error.message.splitlines()[0]]


def same(
    make: Callable[[], Any], *xs: Any, differentiate: bool = True, tolerance: float = 1e-5
) -> None:
    want = outcome(make, "numpy", xs, differentiate)
    got = outcome(make, "xla", xs, differentiate)
    if want and isinstance(want[0], str):
        assert got == want, (got, want)
        return
    assert len(got) == len(want), (got, want)
    for a, b in zip(got, want, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


def floats(*values: Any) -> Any:
    return np.array(values, np.float32)


def refused(f: Any, *xs: Any) -> str:
    with pytest.raises(tf.errors.UnimplementedError) as caught:
        f(*xs)
    return str(caught.value)


# ---- loops and branches -------------------------------------------------------------------------


@program
def loops() -> None:
    def counted() -> Any:
        def f(x: Any) -> Any:
            body = lambda i, x: (i + 1, tf.sin(x) * x)  # noqa: E731
            return tf.while_loop(lambda i, x: i < 5, body, (0, x))[1]

        return f

    def nested() -> Any:
        def f(x: Any) -> Any:
            s = tf.zeros([2])
            for i in tf.range(3):
                for j in tf.range(2):
                    s = s * x + tf.cast(i + j, tf.float32)
            return s

        return f

    def until() -> Any:
        return lambda x: tf.while_loop(lambda v: tf.reduce_sum(v) < 100.0, lambda v: v * 1.5, [x])

    def once() -> Any:
        return lambda x: tf.while_loop(lambda i, x: i < 1, lambda i, x: (i + 2, x * 0.5), (0, x))

    same(counted, floats(1, 2))
    same(once, floats(1, 2), differentiate=False)
    same(nested, floats(1, 2))
    same(until, floats(1, 2), differentiate=False)


def until_large(x: Any) -> Any:
    step = lambda v: (v * 1.5 * tf.cos(v * 0.1),)  # noqa: E731
    return tf.while_loop(lambda v: tf.reduce_sum(v * v) < 50.0, step, [x], maximum_iterations=6)[0]


def until_a_break(x: Any) -> Any:
    written = tf.TensorArray(tf.float32, 7)
    s = x
    for i in tf.range(7):
        s = tf.sin(s) * x + s
        written = written.write(i, s * s)
        if tf.reduce_sum(s) > 4.0:
            break
    return tf.reduce_sum(written.stack(), 0)


def until_small(x: Any) -> Any:
    """A loop of no iterations in each of one that ends when it runs."""

    def step(v: Any) -> Any:
        _, v = tf.while_loop(lambda i, _: i < 0, lambda i, v: (i + 1, tf.sin(v)), (0, v))
        return (0.5 * v * tf.cos(v),)

    return tf.while_loop(lambda v: tf.reduce_sum(v * v) > 0.1, step, [x], maximum_iterations=6)[0]


def slope_of(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(f(x) ** 2)
        return tape.gradient(y, x)

    return slope


@program
def loops_that_end_when_they_run_have_gradients_within_a_bound() -> None:
    """For no iteration, some, and as many as there may be."""
    for f in (until_large, until_a_break, until_small):
        for x in (floats(50, 60), floats(0.01, 0.02)):
            same(partial(identity, slope_of(f)), x, tolerance=1e-3)
        for g in (f, along(f), slope_of(f), along(slope_of(f))):
            same(partial(identity, g), floats(1.5, 1.2), tolerance=1e-3)
        same(partial(identity, rows_of(f)), floats(1.5, 1.2), differentiate=False)


@program
def branches() -> None:
    def choice() -> Any:
        return lambda x: tf.cond(tf.reduce_sum(x) > 0.0, lambda: x * 2.0, lambda: tf.sin(x))

    def within() -> Any:
        def f(x: Any) -> Any:
            s = x
            for _ in tf.range(4):
                if tf.reduce_sum(s) > 1.0:
                    s = s * 0.3
                else:
                    s = s * x + 1.0
            return s

        return f

    def cases() -> Any:
        ways = [lambda: 1.0, lambda: 2.0, lambda: 3.0]
        return lambda i, x: tf.switch_case(i, [lambda w=w: x * w() for w in ways])

    for sign in (1.0, -1.0):
        same(choice, floats(1, 2) * np.float32(sign))
        same(within, floats(1, 2) * np.float32(sign))
    for i in (0, 2, 7):
        same(cases, np.int32(i), floats(1, 2))


@program
def branches_that_give_slices() -> None:
    """Sizes that all branches give are known outside of them."""

    def choice() -> Any:
        def f(x: Any, i: Any) -> Any:
            shape = tf.stack([tf.shape(x)[0] + 3, 2])
            ways = [
                lambda: tf.IndexedSlices(x * x, i, shape),
                lambda: tf.IndexedSlices(x, i, shape),
            ]
            return tf.convert_to_tensor(tf.cond(tf.reduce_sum(x) > 0.0, ways[0], ways[1]))

        spec = [tf.TensorSpec([None, 2]), tf.TensorSpec([None], tf.int32)]
        return tf.function(f, input_signature=spec)

    for sign in (1.0, -1.0):
        same(choice, floats([1, 2], [3, 4]) * np.float32(sign), np.int32([0, 3]))


@program
def lists() -> None:
    def written() -> Any:
        def f(x: Any) -> Any:
            ta = tf.TensorArray(tf.float32, size=5)
            for i in tf.range(5):
                x = tf.tanh(x) * 1.1
                ta = ta.write(i, x)
            return ta.stack()

        return f

    same(written, floats(1, 2))
    same(lambda: lambda x: tf.map_fn(lambda r: tf.reduce_sum(r * r), x), floats([1, 2], [3, 4]))
    same(lambda: lambda x: tf.scan(lambda a, r: a * r + 1.0, x), floats([1, 2], [3, 4], [5, 6]))
    same(lambda: lambda x: tf.foldl(lambda a, r: a * r, x), floats(1, 2, 3))


def identity(value: Any) -> Any:
    return value


def rows_of(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def jacobian(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.jacobian(y, x)

    return jacobian


def along(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def product(x: Any) -> Any:
        with tf.autodiff.ForwardAccumulator(x, tf.cos(x)) as accumulator:
            y = f(x)
        return accumulator.jvp(y)

    return product


def over_rows(x: Any) -> Any:
    t = tf.zeros([3])
    for row in x:
        t = t * 0.5 + tf.square(row)
    return t


def over_elements(x: Any) -> Any:
    """An index that the loop counts, from the front and from the end."""
    t = tf.zeros([])
    for i in tf.range(2):
        for j in range(2):
            t = t * x[i, j] + tf.sin(x[-1 - i, j])
    return tf.stack([t, t * t])


def over_rows_of_rows(x: Any) -> Any:
    return tf.map_fn(lambda row: tf.map_fn(lambda e: e * tf.reduce_sum(row * row), row), x)


def one_after_another(x: Any) -> Any:
    return tf.scan(lambda a, row: a * row + tf.sin(a), x)


def by_python(x: Any) -> Any:
    """Lists whose places are known, and whose elements are not."""
    written = tf.TensorArray(tf.float32, 2)
    grown = tf.TensorArray(tf.float32, 0, dynamic_size=True)
    for i in range(2):
        written = written.write(i, tf.sin(x[i]) * x[1 - i])
        grown = grown.write(i, x[i] * x[0])
    return written.stack() * grown.stack() + written.read(0)


def in_examples(x: Any) -> Any:
    def one(row: Any) -> Any:
        written = tf.TensorArray(tf.float32, 3)
        for i in tf.range(3):
            written = written.write(i, row[i] * tf.sin(row))
        return written.stack()

    return tf.vectorized_map(one, x)


@program
def derivatives_of_branches() -> None:
    """Of the values that a gradient uses of one branch, the others have no tangents."""

    def f(x: Any) -> Any:
        half = tf.math.segment_sum(x, [0, 1, 1])
        branches = [lambda: tf.atan2(tf.nn.gelu(half), 1.5 + half), lambda: tf.sin(half) * half]
        return tf.switch_case(tf.cast(tf.reduce_sum(x) > 0.0, tf.int32), branches)

    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(f(x) * [1.0, 2.0])
        return tape.gradient(y, x)

    for x in (floats(0.3, -0.1, 1.1), floats(0.3, -0.1, -1.1)):
        for g in (along(gradient), along(along(gradient))):
            same(partial(identity, g), x)


@program
def branches_of_several_shapes_are_refused() -> None:
    f = tf.function(
        lambda x: tf.cond(x[0] > 0.0, lambda: tf.constant(0.0), lambda: x * 2.0), engine="xla"
    )
    assert "its branches give values of several shapes, [] and [2]" in refused(f, tf.ones([2]))


@program
def derivatives_of_lists() -> None:
    x = floats([0.3, -0.8, 1.1], [0.2, 0.5, -0.4])
    for f in (
        over_rows,
        over_elements,
        over_rows_of_rows,
        one_after_another,
        by_python,
        in_examples,
    ):
        for g in (f, rows_of(f), along(f), rows_of(along(f)), along(rows_of(f))):
            same(partial(identity, g), x)


def in_uneven_parts(x: Any) -> Any:
    parts = tf.TensorArray(tf.float32, 3, infer_shape=False, clear_after_read=False)
    parts = parts.split(tf.sin(x) * x, [1, 2, 2])
    return tf.reduce_sum(parts.read(0)) * parts.read(1) ** 2 + parts.concat()[3:]


@program
def lists_of_several_shapes() -> None:
    """Where places are known a list stays one, as in Python; in a loop it must be an array."""
    x = floats(1, 2, 3, -1, 0.5)
    f = in_uneven_parts
    for g in (f, along(f)):
        same(partial(identity, g), x)
    for g in (rows_of(f), rows_of(along(f)), along(rows_of(f))):
        same(partial(identity, g), x, differentiate=False)

    def loop(x: Any) -> Any:
        parts = tf.TensorArray(tf.float32, 2, infer_shape=False).split(x, [1, 2])
        return tf.while_loop(lambda i, _: i < 2, lambda i, p: (i + 1, p), (0, parts))[1].concat()

    text = refused(tf.function(loop, engine="xla"), tf.constant([1.0, 2.0, 3.0]))
    assert "lists whose elements have several shapes: [1] and [2]" in text


# ---- variables ----------------------------------------------------------------------------------


@program
def variables() -> None:
    def changed() -> Any:
        v = tf.Variable([1.0, 2.0])

        def f(x: Any) -> Any:
            v.assign_add(x)
            tf.cond(tf.reduce_sum(v) > 2.0, lambda: v.assign(v * 0.5).read_value(), v.read_value)
            for _ in tf.range(3):
                v.assign_sub(0.1 * x)
            return v * x

        return f

    same(changed, floats(1, 2))


@program
def gathering_from_variables_with_another_gradient() -> None:
    def rule(op: Any, g: Any) -> Any:
        rows = tf.scatter_nd(tf.reshape(op.inputs[1], [-1, 1]), 3.0 * g, [3, 2])
        return [rows, None]

    def make(function: Any, places: Any) -> Callable[[], Any]:
        v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])

        def gradient() -> Any:
            rules = {"ResourceGather": rule, "ResourceGatherNd": rule}
            with tf.GradientTape() as tape, tf.gradient_override_map(rules):
                y = function(v, places)
            return y, tape.gradient(y, v)

        return gradient

    for function, places in ((tf.gather, [2, 0, 2]), (tf.gather_nd, [[1], [0]])):
        same(functools.partial(make, function, places))


@program
def variables_stay_on_the_device() -> None:
    v = tf.Variable([1.0, 2.0])

    @tf.function(engine="xla")
    def step(x: Any) -> Any:
        v.assign_add(x)
        return v.read_value()

    x = tf.constant([1.0, 1.0])
    first, kept = step(x), v.read_value()
    held = v.__dict__["_on_device"].array
    step(x)
    assert v.__dict__["_on_device"].host is None  # nothing has asked for it
    assert v.__dict__["_on_device"].array is not held
    assert (first.numpy().tolist(), kept.numpy().tolist()) == ([2.0, 3.0], [2.0, 3.0])
    assert v.numpy().tolist() == [3.0, 4.0]
    v.assign([5.0, 5.0])
    assert step(x).numpy().tolist() == [6.0, 6.0]
    assert tf.function(lambda: v + 1.0)().numpy().tolist() == [7.0, 7.0]  # another engine
    assert (v + 1.0).numpy().tolist() == [7.0, 7.0]


@program
def a_failed_check_leaves_variables_as_numpy_does() -> None:
    v = tf.Variable([1.0, 2.0])

    @tf.function(engine="xla")
    def step(i: Any) -> Any:
        v.assign_add([1.0, 1.0])
        return tf.gather(v, i)

    assert step(1).numpy() == 3.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="indices = 7 is not in"):
        step(7)
    assert v.numpy().tolist() == [3.0, 4.0]  # what was assigned before


def address(variable: Any) -> int:
    found: int = variable.__dict__["_on_device"].array.unsafe_buffer_pointer()
    return found


@program
def a_step_has_the_memory_of_the_old_values() -> None:
    """With checks, too; what was handed out before, and by the step, stays what it was."""
    for checked in (False, True):
        v, rate = tf.Variable(tf.zeros([1000])), tf.Variable(1.0)

        @tf.function(engine="xla")
        def step(i: Any, v: Any = v, rate: Any = rate, checked: bool = checked) -> Any:
            v.assign_add(tf.fill([1000], rate))
            return tf.gather(v, i) if checked else v[3]

        everything = tf.function(lambda v=v: v.read_value(), engine="xla")
        for _ in range(2):
            step(3)  # it was just compiled
        assert [address(v) for _ in range(3) if step(3) is not None] == [address(v)] * 3
        one, all_, array = v.read_value(), everything(), v.numpy()
        assert step(3).numpy() == 6.0
        for before in (one.numpy(), all_.numpy(), array):
            assert before.tolist() == [5.0] * 1000
        if checked:
            with pytest.raises(tf.errors.InvalidArgumentError, match="is not in"):
                step(1000)
            assert v.numpy().tolist() == [7.0] * 1000  # as NumPy leaves it
            assert step(3).numpy() == 8.0


@program
def an_error_in_python_leaves_values() -> None:
    v = tf.Variable([1.0, 2.0])
    fails: list[bool] = []

    def python(x: Any) -> Any:
        if fails:
            raise ValueError("mine")
        return x + v.numpy()[0]  # which this step is about to replace

    @tf.function(engine="xla")
    def step(x: Any) -> Any:
        y = tf.numpy_function(python, [x], tf.float32)
        y.set_shape([2])
        v.assign_add(y)

    step(tf.ones([2]))
    step(tf.ones([2]))
    assert v.numpy().tolist() == [7.0, 8.0]
    fails.append(True)
    with pytest.raises(tf.errors.OpError, match="mine"):
        step(tf.ones([2]))
    assert v.numpy().tolist() == [7.0, 8.0]


@program
def steps_and_readers_in_threads() -> None:
    """Two variables, each replaced by a function that reads the other one; readers of all kinds."""
    v, w = tf.Variable(tf.zeros([100])), tf.Variable(tf.ones([100]))
    add: Any = tf.function(lambda x: v.assign_add(x * w, read_value=False), engine="xla")
    keep: Any = tf.function(lambda x: w.assign(w * x + 0.0 * v, read_value=False), engine="xla")
    look: Any = tf.function(lambda: v + 0.0, engine="xla")
    one = tf.ones([100])
    found: list[Any] = []
    ended = threading.Event()

    def read(get: Callable[[], Any]) -> None:
        last = 0.0
        while not ended.is_set():
            try:
                values = get().numpy()
            except Exception as error:
                found.append(error)
                return
            if len(set(values.tolist())) > 1 or values[0] < last:
                found.append((values, last))
            last = values[0]

    def write(f: Any) -> None:
        for _ in range(300):
            f(one)

    readers = [threading.Thread(target=read, args=(g,)) for g in (look, v.read_value, lambda: v)]
    writers = [threading.Thread(target=write, args=(f,)) for f in (add, add, keep)]
    for thread in [*readers, *writers]:
        thread.start()
    for thread in writers:
        thread.join()
    ended.set()
    for thread in readers:
        thread.join()
    assert not found
    assert v.numpy().tolist() == [600.0] * 100


@program
def steps_that_are_interrupted() -> None:
    """At any moment: a variable has the value before the step or after it."""
    v = tf.Variable(tf.zeros([100]))
    step: Any = tf.function(lambda x: v.assign_add(x, read_value=False), engine="xla")
    one = tf.ones([100])
    step(one)

    class StoppedError(Exception):
        pass

    def stop(*_: Any) -> None:
        raise StoppedError

    before = signal.signal(signal.SIGALRM, stop)
    last, stopped = 1.0, 0
    for n in range(300):
        try:
            signal.setitimer(signal.ITIMER_REAL, 1e-6 + 0.7e-6 * n)
            for _ in range(6):
                step(one)
            time.sleep(0.001)
        except StoppedError:
            stopped += 1
        now = v.numpy()
        assert len(set(now.tolist())) == 1
        assert last <= now[0] <= last + 6
        last = now[0]
    signal.signal(signal.SIGALRM, before)
    assert stopped == 300


@program
def results_stay_on_the_device() -> None:
    """Nothing is fetched until NumPy asks: not for the next function, nor for a gradient."""
    fetched = []

    def fetch(array: Any) -> Any:
        fetched.append(array)
        return np.asarray(array)

    v = tf.Variable([1.0, 2.0])
    f: Any = tf.function(lambda x: tf.sin(x) * x, engine="xla")
    total: Any = tf.function(lambda x: tf.reduce_sum(x * v), engine="xla")
    x = tf.constant([0.5, -0.5])
    before, on_device.Settings.fetch = on_device.Settings.fetch, fetch
    try:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = total(f(f(x)))
        gradients = tape.gradient(y, [x, v])
        assert (y.shape, y.dtype, gradients[0].shape) == ((), tf.float32, (2,))
        assert not fetched
        want = tf.GradientTape(persistent=True)
        with want:
            want.watch(x)
            y = tf.sin(x) * x
            z = tf.reduce_sum(tf.sin(y) * y * v)
        fetched.clear()
        for g, w in zip(gradients, want.gradient(z, [x, v]), strict=True):
            np.testing.assert_allclose(g, w, rtol=1e-5)
            assert g.numpy() is not None
        assert len(fetched) == 2
    finally:
        on_device.Settings.fetch = before


@program
def what_a_loop_leaves_alone_is_not_handed_back() -> None:
    """Variables that it only reads stay, and where nothing is checked nothing is asked for."""
    v = tf.Variable([1.0, 2.0])

    @tf.function(engine="xla")
    def f(x: Any) -> Any:
        for _ in tf.range(3):
            if x[0] > 0.0:
                x = x * v
            else:
                x = x - v
        return x

    f(tf.ones([2]))
    held = v.__dict__["_on_device"]
    np.testing.assert_allclose(f(tf.ones([2])), [1.0, 8.0])
    assert v.__dict__["_on_device"] is held


@program
def sessions() -> None:
    v1 = tf.compat.v1
    tf.config.set_engine("xla")
    try:
        with tf.Graph().as_default(), v1.Session() as session:
            p, v = v1.placeholder(tf.float32, [None]), v1.Variable([1.0, 2.0])
            y = tf.reduce_sum(p * v * v)
            change = v1.assign_sub(v, tf.gradients(y, [v])[0])
            with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value"):
                session.run(y, {p: [1.0, 2.0]})
            session.run(v1.global_variables_initializer())
            assert session.run(y, {p: [1.0, 2.0]}) == 9.0
            session.run(change, {p: [1.0, 2.0]})
            assert session.run(v).tolist() == [-1.0, -6.0]
            cell = session.cell(v.handle.op)
            assert cell.held is not None  # it lives there, and a step has its memory
            places = []
            for _ in range(4):
                session.run(change.op, {p: [0.0, 0.0]})
                places.append(cell.held.array.unsafe_buffer_pointer())
            assert places[2] == places[3]
            assert session.run(v).tolist() == [-1.0, -6.0]
    finally:
        tf.config.set_engine(None)


# ---- random numbers -----------------------------------------------------------------------------


@program
def random_numbers() -> None:
    def drawn(*draws: Callable[[], Any]) -> Callable[[], Any]:
        return lambda: lambda: [draw() for draw in draws for _ in range(2)]

    bits = drawn(
        lambda: tf.random.uniform([5]),
        lambda: tf.random.uniform([3], dtype=tf.float64),
        lambda: tf.random.uniform([9], 0, 10, dtype=tf.int32),
        lambda: tf.random.shuffle(tf.range(9)),
        lambda: tf.random.poisson([3], [1.0, 2.0]),
        lambda: tf.random.categorical([[1.0, 2.0]], 4),
        lambda: tf.random.stateless_uniform([7], [1, 2], dtype=tf.float64),
    )
    same(bits, tolerance=0.0)
    rounded = drawn(
        lambda: tf.random.normal([21]),
        lambda: tf.random.normal([3], dtype=tf.float64),
        lambda: tf.random.truncated_normal([50]),
        lambda: tf.random.gamma([3], [1.0, 2.0]),
        lambda: tf.random.stateless_normal([7], [1, 2]),
    )
    same(rounded, tolerance=1e-6)

    def in_a_loop() -> Any:
        def f() -> Any:
            s = tf.zeros([3])
            for _ in tf.range(4):
                s += tf.random.uniform([3])
            return s

        return f

    same(in_a_loop)


@program
def draws_of_sizes_that_only_a_call_knows() -> None:
    """Batches of several sizes: one function draws what NumPy would, and goes on where it stood."""
    draws: dict[str, Callable[[Any], Any]] = {
        "normal": lambda x: tf.random.normal(tf.shape(x)),
        "uniform": lambda x: tf.random.uniform(tf.shape(x)),
        "integers": lambda x: tf.random.uniform(tf.shape(x), 0, 7, dtype=tf.int32),
        "truncated": lambda x: tf.random.truncated_normal(tf.shape(x)),
        "gamma": lambda x: tf.random.gamma(tf.shape(x), x[0, 0]),
        "poisson": lambda x: tf.random.poisson(tf.shape(x)[:1], x),
        "dropout": lambda x: tf.nn.dropout(x, 0.4),
    }

    def batches(draw: Callable[[Any], Any], engine: str) -> list[Any]:
        tf.random.set_seed(3)
        spec = [tf.TensorSpec([None, None])]
        f = tf.function(draw, engine=engine, input_signature=spec)
        return [f(tf.fill([n, 3], 0.7)).numpy() for n in (2, 4, 2)]

    for name, draw in draws.items():
        for got, want in zip(batches(draw, "xla"), batches(draw, "numpy"), strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-6, err_msg=name)

    said = refused(
        tf.function(lambda x: tf.random.normal([tf.cast(x, tf.int32)]), engine="xla"),
        tf.constant(2.0),
    )
    assert "XLA cannot compute RandomStandardNormal: the sizes" in said


@program
def candidates() -> None:
    """Classes that a loss is sampled with; a sampler that learns would begin anew at each call."""

    def drawn(sampler: Callable[..., Any]) -> Callable[[], Any]:
        return lambda: lambda classes: [sampler(classes, 1, 5, True, 9) for _ in range(2)]

    def loss() -> Any:
        rows, bias = tf.reshape(tf.range(60.0), [20, 3]) / 60.0, tf.zeros([20])

        def f(x: Any, classes: Any) -> Any:
            return tf.nn.nce_loss(rows, bias, classes, x, num_sampled=5, num_classes=20)

        return f

    classes = np.array([[1], [8]])
    same(drawn(tf.random.log_uniform_candidate_sampler), classes)
    same(drawn(tf.random.uniform_candidate_sampler), classes)
    same(loss, floats([1, 2, 3], [4, 5, 6]), classes)
    learning = drawn(tf.random.learned_unigram_candidate_sampler)()
    said = refused(tf.function(learning, engine="xla"), tf.constant(classes))
    assert "LearnedUnigramCandidateSampler: it learns from run to run" in said


@program
def draws_in_branches_in_loops() -> None:
    """To the second order: what is drawn is kept for the gradient, a list of lists of it."""

    def slopes(order: int) -> Any:
        def f(x: Any) -> Any:
            for _ in tf.range(3):
                for k in tf.range(4):
                    if tf.equal(k % 2, 0):
                        x = tf.nn.dropout(tf.sin(x) * 1.5, 0.3)
            return tf.reduce_sum(x**2)

        def slope(x: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = f(x)
            return tf.reduce_sum(tape.gradient(y, x) ** 2)

        return (f, slope)[order]

    for order in range(2):
        same(functools.partial(slopes, order), floats(1, 2, 3, 4))


@program
def a_stream_goes_on() -> None:
    def pairs(engine: str) -> Any:
        tf.random.set_seed(5)
        f = tf.function(lambda: tf.random.uniform([2]), engine=engine)
        return [f().numpy().tolist() for _ in range(3)]

    assert pairs("xla") == pairs("numpy")


# ---- errors, callbacks, sizes -------------------------------------------------------------------


@program
def nothing_to_go_through() -> None:
    """Loops over no elements that may be left, lists of none, and what would be wrong if it were reached."""

    def until_large() -> Any:
        def f(x: Any) -> Any:
            total = tf.reduce_sum(x) * 0.0
            for element in x:
                total += tf.sin(element)
                if total > 1.0:
                    break
            return total

        return f

    def first_if_any() -> Any:
        def f(x: Any) -> Any:
            doubled = tf.TensorArray(tf.float32, tf.size(x))
            for i in tf.range(tf.size(x)):
                doubled = doubled.write(i, x[i] * 2.0)
            return tf.cond(tf.size(x) > 0, lambda: doubled.read(0), lambda: tf.constant(7.0))

        return f

    def first_if_positive() -> Any:
        def f(x: Any) -> Any:
            there = tf.TensorArray(tf.float32, tf.size(x)).unstack(x)
            return tf.cond(tf.reduce_sum(x) > 0.0, lambda: there.read(0), lambda: tf.constant(7.0))

        return f

    def written_if_positive() -> Any:
        def f(x: Any) -> Any:
            there = tf.TensorArray(tf.float32, tf.size(x)).unstack(x)
            return tf.cond(
                tf.reduce_sum(x) > 0.0,
                lambda: there.write(0, tf.reduce_sum(x)).stack(),
                lambda: x * 3.0,
            )

        return f

    def first_where_negative() -> Any:
        return lambda x: tf.cond(tf.reduce_sum(x) < 0.0, lambda: x[0], lambda: tf.constant(1.0))

    def of_any_length(make: Callable[[], Any]) -> Callable[[], Any]:
        spec = [tf.TensorSpec([None])]
        return lambda: tf.function(make(), input_signature=spec)

    for make in (
        until_large, first_if_any, first_if_positive, written_if_positive, first_where_negative,
    ):  # fmt: skip
        for x in (floats(), floats(1, 2, 3), floats(-1)):
            same(of_any_length(make), x)


@program
def errors_are_numpys() -> None:
    same(lambda: lambda x, i: tf.gather(x, i), floats(1, 2), np.int32([0, 7]))
    same(lambda: lambda x, y: x // y, np.int32([1, 2]), np.int32([1, 0]))
    same(lambda: lambda x: tf.debugging.check_numerics(tf.math.log(x), "m"), floats(0))
    same(lambda: lambda x: tf.linalg.inv(x), np.zeros((2, 2)))

    def asserted() -> Any:
        def f(x: Any) -> Any:
            tf.debugging.assert_positive(x)
            return x * 2.0

        return f

    same(asserted, floats(1, -2))
    same(asserted, floats(1, 2))


@program
def python_is_called() -> None:
    out = io.StringIO()

    def shaped(x: Any) -> Any:
        tf.print("x is", x, output_stream="stdout")
        y = tf.py_function(lambda a: a * a, [x], tf.float32)
        y.set_shape(x.shape)
        return y

    with contextlib.redirect_stdout(out):
        got = tf.function(shaped, engine="xla")(tf.constant([0.0, 2.0]))
    assert got.numpy().tolist() == [0.0, 4.0]
    assert out.getvalue() == "x is [0 2]\n"


@program
def python_is_given_all_bits_in_any_thread() -> None:
    """XLA's threads may be the ones that call: JAX has no 64-bit types there."""
    given: set[tuple[bool, str]] = set()
    caller = threading.get_ident()

    def seen(x: Any) -> Any:
        given.add((threading.get_ident() == caller, x.dtype.name))
        return x

    def passed(x: Any) -> Any:
        y = tf.numpy_function(seen, [x], x.dtype)
        y.set_shape(x.shape)
        return y

    def f(x: Any, y: Any) -> Any:
        total, count = x * 0.5, tf.constant(0)
        while count < 2 and tf.reduce_sum(total * total) < 2.0:
            last = x * 0.5
            for _ in tf.range(tf.cast(tf.reduce_sum(tf.abs(total)) + 1.0, tf.int32) % 4):
                last = last * 0.7 + tf.reduce_mean(passed(tf.math.igamma(tf.abs(y) + 1.0, y * y)))
            total = last
            count += 1
        return passed(total)

    def curvature(x: Any, y: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                z = tf.reduce_sum(tf.tanh(f(x, y)))
            slope = tape.gradient(z, x, unconnected_gradients="zero")
        return z, slope, outer.gradient(slope, x, unconnected_gradients="zero")

    compiled, chance = tf.function(curvature, engine="xla"), np.random.default_rng(0)
    for _ in range(20):
        xs = [tf.constant(chance.normal(size=n)) for n in (3, 4)]
        for got, want in zip(compiled(*xs), curvature(*xs), strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-12)
    assert {name for _, name in given} == {"float64"}

    wide = (
        np.int64(-(2**40)),
        np.uint64(2**63 + 1),
        np.float64(np.pi),
        np.complex128(1.1 + 1e300j),
    )
    for value in (*wide, np.float32(1.5), np.complex64(1 - 2j), np.bool_(True), np.float16(0.1)):
        for shape in ((), (0,), (2, 3)):
            x = tf.constant(np.full(shape, value))
            y = tf.function(passed, engine="xla")(x)
            assert y.dtype is x.dtype
            np.testing.assert_array_equal(y, x)


@program
def python_whose_shapes_nobody_stated() -> None:
    """The graph is cut there: what comes before and after is compiled, and all of it happens once, in order."""

    def with_variables() -> Any:
        v = tf.Variable(2.0)

        def f(x: Any) -> Any:
            y = tf.sin(x) * v
            v.assign_add(1.0)
            z = tf.py_function(lambda a: a * a + 1.0, [y], tf.float32)
            w = tf.numpy_function(lambda a: np.tile(a, 2), [tf.stop_gradient(z) * v], tf.float32)
            v.assign_add(tf.reduce_mean(w) * 0.1)
            return (
                tf.cond(tf.reduce_sum(w) > 1.0, lambda: w * v, lambda: w),
                z,
                tf.random.uniform([2]),
            )

        return f

    def slope() -> Any:
        return slope_of(lambda x: tf.py_function(lambda a: a**3, [tf.cos(x)], tf.float32) * x)

    same(with_variables, floats(1, 2))
    same(slope, floats(1, 2, 3), differentiate=False)

    def failing() -> Any:
        def fail(a: Any) -> Any:
            raise ValueError("not so")

        return lambda x: tf.py_function(fail, [x * 2.0], tf.float32) + 1.0

    same(failing, floats(1), differentiate=False)

    def within(x: Any) -> Any:
        return tf.cond(x > 0.0, lambda: tf.py_function(lambda a: a, [x], tf.float32), lambda: x)

    said = refused(tf.function(within, engine="xla"), tf.constant(1.0))
    assert "the shape of its result, <unknown>, is known only when it runs" in said


@program
def sizes() -> None:
    same(lambda: lambda x: tf.reshape(x, [tf.shape(x)[0] * 2, -1]), floats([3, 4]))
    same(lambda: lambda x, s: tf.reshape(x, s), floats(1, 2, 3, 4), np.int32([2, 2]))
    same(lambda: lambda x, i: tf.math.segment_sum(x, i), floats(1, 2, 3), np.int32([0, 0, 2]))
    same(lambda: lambda x, m: tf.boolean_mask(x, m), floats(1, 2, 3), np.array([True, False, True]))
    spec = [tf.TensorSpec([None, None])]
    f = tf.function(lambda x: tf.reshape(x, [tf.size(x)])[::2], input_signature=spec, engine="xla")
    assert [f(tf.ones([n, 3])).shape[0] for n in (2, 4)] == [3, 6]


@program
def what_is_not_taken_is_named() -> None:
    """What is no number lives outside of the compiled program: iterators, datasets, tables."""
    numbers = tf.data.Dataset.range(4)
    items = iter(numbers)
    table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, -1)

    def summed() -> Any:
        total = tf.constant(0, tf.int64)
        for number in numbers:
            total += number
        return total

    for function, what in (
        (lambda: next(items) + 1, "iterator of a dataset"),
        (summed, "dataset"),
        (lambda: table.lookup(tf.constant([1], tf.int64)), "table"),
    ):
        assert f"and no {what}: <tf.Tensor" in refused(tf.function(function, engine="xla"))


@program
def what_is_refused_is_named() -> None:
    said = refused(tf.function(tf.strings.as_string, engine="xla"), tf.constant([1.0]))
    assert said.startswith("XLA cannot compute AsString: its result is of dtype string")
    said = refused(tf.function(lambda x: tf.unique(x)[0], engine="xla"), tf.constant([1.0]))
    assert said.startswith("XLA cannot compute Unique: the shape of its result")


# ---- rules, rows, and JAX in the same process ---------------------------------------------------


@program
def derivatives_of_higher_order_and_overrides() -> None:
    @tf.custom_gradient
    def odd(x: Any) -> Any:
        return x * x, lambda g: g * 100.0

    def f(x: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.sin(x) * odd(x)
            g = tape.gradient(y, x)
        return outer.gradient(g, x)

    x = tf.constant(1.5, tf.float64)
    np.testing.assert_allclose(tf.function(f, engine="xla")(x), f(x), rtol=1e-12)


@program
def custom_gradients_that_read_variables() -> None:
    """What stands around them passes values on: there is nothing to call back for."""
    scale = tf.Variable(0.5)

    custom = tanh_of_a_multiple(scale)

    def loop(x: Any) -> Any:
        return tf.while_loop(lambda i, x: i < 2, lambda i, x: (i + 1, custom(x)), (0, x))[1]

    def gradient(f: Any, x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(f(x) ** 2)
        return tape.gradient(y, [x, scale])

    x = tf.constant([0.3, -0.8])
    again = tf.recompute_grad(lambda x: tf.tanh(x * scale))
    for f in (custom, again, loop):
        first = lambda x, f=f: gradient(f, x)  # noqa: E731
        for g in (f, first, lambda x, first=first: gradient(lambda x: first(x)[0], x)):
            found = tf.nest.flatten(tf.function(g, engine="xla")(x))
            for y, z in zip(found, tf.nest.flatten(g(x)), strict=True):
                np.testing.assert_allclose(y, z, rtol=1e-5)


@program
def custom_rows() -> None:
    cube = extend.op("XlaCube", lambda xp, x: x * x * x, vjp=(lambda g, y, x: g * 3.0 * x * x,))
    sorts = extend.op("XlaSorted", lambda _, x: np.array(sorted(x.tolist()), x.dtype),
                      shape=lambda x: x)  # fmt: skip
    f = tf.function(lambda x: extend.apply(sorts, (x,)), engine="xla")
    called: list[int] = []

    def seen(x: Any) -> Any:
        called.append(1)
        return __import__("jax").numpy.sort(x)

    x = tf.constant([3.0, 1.0, 2.0])
    assert f(x).numpy().tolist() == [1.0, 2.0, 3.0]
    extend.xla_version("XlaSorted")(seen)
    assert f(x).numpy().tolist() == [1.0, 2.0, 3.0]
    assert called == [1]  # traced once; the function was compiled again for it
    same(lambda: lambda x: extend.apply(cube, (x,)), floats(1, 2))
    same(lambda: lambda x: extend.apply(sorts, (x,)), floats(3, 1, 2), differentiate=False)


@program
def devices_are_named() -> None:
    """There are two, both this processor: see the end."""
    jax = __import__("jax")
    assert len(jax.devices("cpu")) == 2
    v = tf.Variable([1.0])

    @tf.function(engine="xla")
    def step(x: Any) -> None:
        with tf.device("/CPU:1"):
            v.assign_add(x * 2.0)

    step(tf.constant([1.0]))
    assert v.__dict__["_on_device"].array.devices() == {jax.devices("cpu")[1]}
    assert v.numpy().tolist() == [3.0]
    assert [d.device_type for d in tf.config.list_physical_devices()] == ["CPU"]


@program
def jax_keeps_its_settings() -> None:
    jax = __import__("jax")
    f = tf.function(lambda x: x * 2.0, engine="xla")
    assert f(tf.constant(1.0, tf.float64)).dtype is tf.float64
    assert jax.numpy.asarray(np.ones(2)).dtype == np.float32
    assert not jax.config.jax_enable_x64


@program
def functions_are_let_go() -> None:
    f: Any = tf.function(lambda x: x * 2.0, engine="xla")
    f(tf.constant(1.0))
    kept = [type(o).__name__ for o in gc.get_objects()].count("XlaPlan")
    del f
    gc.collect()
    left = [type(o).__name__ for o in gc.get_objects()].count("XlaPlan")
    assert left < kept


def results() -> dict[str, str]:
    found = {}
    for name, run in PROGRAMS.items():
        try:
            run()
            found[name] = ""
        except BaseException:
            found[name] = traceback.format_exc()
    return found


if __name__ == "__main__":
    os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
    print(json.dumps(results()))
