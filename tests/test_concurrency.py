"""Threads, forks and interrupts at any moment lose nothing.

The tests that look for a long time run for two seconds each; with WENGERT_LONG_TESTS=1 for a minute.
"""

from __future__ import annotations

import gc
import itertools
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.core.context import thread as current
from wengert.host.locks import InOrder, new_lock
from wengert.values.sizes import inference_mode

pytestmark = pytest.mark.slow

v1 = tf.compat.v1
LONG = bool(os.environ.get("WENGERT_LONG_TESTS"))
SECONDS = 60.0 if LONG else 2.0


def together(*works: Callable[[], None]) -> None:
    """Carry out all of them at the same time; none may take longer than it could."""
    errors: list[BaseException] = []
    barrier = threading.Barrier(len(works))

    def run(work: Callable[[], None]) -> None:
        try:
            barrier.wait()
            work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(work,), daemon=True) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS + 60)
        assert not thread.is_alive(), "it hangs"
    if errors:
        raise errors[0]


def while_time_is_left(seconds: float = SECONDS) -> Iterator[int]:
    end = time.monotonic() + seconds
    return itertools.takewhile(lambda _: time.monotonic() < end, itertools.count())


# ---- no update is lost --------------------------------------------------------------------------


def eager(v: Any) -> Callable[[], Any]:
    return lambda: v.assign_add(tf.ones_like(v), use_locking=True)


def taken_away(v: Any) -> Callable[[], Any]:
    return lambda: v.assign_sub(-tf.ones_like(v))


def scattered(v: Any) -> Callable[[], Any]:
    rows = tf.IndexedSlices(tf.ones_like(v), tf.range(v.shape[0]))
    return lambda: v.scatter_add(rows)


def compiled(v: Any) -> Callable[[], Any]:
    return tf.function(lambda: v.assign_add(tf.ones_like(v)), jit_compile=True)


def compiled_by_hand(v: Any) -> Callable[[], Any]:
    return tf.function(lambda: v.assign(v * 1.0 + 1.0), jit_compile=True)


def interpreted(v: Any) -> Callable[[], Any]:
    return tf.function(lambda: v.assign_add(tf.ones_like(v)), jit_compile=False)


def scattered_in_a_function(v: Any) -> Callable[[], Any]:
    rows = tf.range(v.shape[0])

    def step() -> None:
        v.scatter_add(tf.IndexedSlices(tf.ones_like(v), rows))

    return tf.function(step, jit_compile=False)


def in_a_branch(v: Any) -> Callable[[], Any]:
    def step(x: Any) -> Any:
        return tf.cond(x > 0.0, lambda: [v.assign_add(tf.ones_like(v)), x][1], lambda: x)

    f = tf.function(step)
    return lambda: f(tf.constant(1.0))


WAYS = [eager, taken_away, scattered, compiled, compiled_by_hand, interpreted,
        scattered_in_a_function, in_a_branch]  # fmt: skip


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("size", [2, 40_000])
def test_no_update_is_lost(way: Any, size: int) -> None:
    """Four threads that count on one variable, in small and in arrays that take a while."""
    v = tf.Variable(np.zeros(size))
    step = way(v)
    step()
    each = 150 if size > 2 else 600

    def work() -> None:
        for _ in range(each):
            step()

    together(*[work] * 4)
    assert v.numpy().tolist() == [4.0 * each + 1] * size


@pytest.mark.parametrize("engine", ["numpy", "native"])
@pytest.mark.parametrize("use_locking", [True, False])
def test_no_update_is_lost_in_sessions(engine: str, use_locking: bool) -> None:
    """Runs of one session in four threads: additions, and rows that are added to."""
    tf.config.set_engine(engine)
    try:
        with tf.Graph().as_default(), v1.Session() as session:
            v, w = v1.Variable(np.zeros(50)), v1.Variable(np.zeros(50))
            add = v1.assign_add(v, np.ones(50), use_locking=use_locking)
            rows = v1.scatter_add(w, list(range(50)), np.ones(50), use_locking=use_locking)
            session.run(v1.global_variables_initializer())

            def work() -> None:
                for _ in range(300):
                    session.run([add.op, rows.op])

            together(*[work] * 4)
            found = session.run([v, w])
    finally:
        tf.config.set_engine(None)
    assert [x.tolist() for x in found] == [[1200.0] * 50] * 2


def test_several_variables_at_once() -> None:
    """Functions that change the same variables in different orders neither wait for ever nor lose."""
    variables = [tf.Variable(0.0) for _ in range(20)]

    def changing(order: list[Any]) -> Any:
        def step() -> None:
            for v in order:
                v.assign_add(1.0)

        return tf.function(step)

    there, back = changing(variables), changing(variables[::-1])

    def work(step: Any) -> Callable[[], None]:
        return lambda: [step() for _ in range(300)] and None  # type: ignore[return-value]

    together(work(there), work(back), work(there), work(back))
    assert [float(v) for v in variables] == [1200.0] * 20


class Cell:
    def __init__(self) -> None:
        self._lock = new_lock()


@pytest.mark.parametrize("count", [1, 2, 8, 9, 1000])
def test_locks_of_any_number_of_variables(count: int) -> None:
    """All are held during the work, none after it, also if that fails; one may be there twice."""
    cells = [Cell() for _ in range(count)]
    cells.append(cells[0])

    def work(given: str) -> str:
        assert all(c._lock._is_owned() for c in cells)
        if given == "fail":
            raise ZeroDivisionError
        return given

    order = InOrder()
    assert order.holding(cells, work, "done") == "done"
    with pytest.raises(ZeroDivisionError):
        order.holding(cells, work, "fail")
    assert not any(c._lock._is_owned() for c in cells)


def test_the_order_of_locks_is_that_of_the_variables_asked_for() -> None:
    """It is kept for the next time, if that is about the same variables."""
    order, cells = InOrder(), [Cell() for _ in range(5)]

    def held(given: Any) -> list[bool]:
        return [c._lock._is_owned() for c in cells]

    for asked in ([0, 1, 2], [0, 1, 2], [2, 3], [4, 3, 2, 1]):
        found = order.holding([cells[i] for i in asked], held, None)
        assert found == [i in asked for i in range(5)]


# ---- what was handed out stays as it is ---------------------------------------------------------


@pytest.mark.parametrize("how", ["alone", "around", "eager"])
def test_readers_beside_an_update_in_place(how: str) -> None:
    """They see the old or the new value, whole, and what they hold never changes.

    All elements of the variable are equal. Its value takes turns with work of the same plan, for
    which Python's lock is let go of, or stands alone; or no function is around it.
    """
    v = tf.Variable(np.zeros(1_000_000, np.float32))
    x = tf.constant(np.ones(300_000, np.float32))
    done = threading.Event()
    held: list[tuple[Any, float]] = []

    def step(x: Any) -> Any:
        if how == "eager":
            return v.assign_add(ones)
        around = how == "around"
        before = tf.reduce_sum(tf.sin(x)) if around else x[0]
        v.assign(v * 1.0 + 1.0)
        return before + (tf.reduce_sum(tf.exp(x)) if around else x[1])

    ones = tf.ones_like(v)
    if how != "eager":
        step = tf.function(step, jit_compile=True)

    def write() -> None:
        for _ in while_time_is_left():
            step(x)
        done.set()

    def read() -> None:
        while not done.is_set():
            tensor = v.read_value()
            array = tensor.numpy()
            assert array.min() == array.max()
            held.append((tensor, float(array[0])))
            if len(held) > 20:
                old, number = held.pop(0)
                array = old.numpy()
                assert array.min() == array.max() == number
            del tensor, array

    step(x)
    together(write, read, read)
    assert float(v[0]) > 10
    for tensor, number in held:
        assert tensor.numpy().min() == tensor.numpy().max() == number


def test_the_update_is_in_place_if_nobody_reads() -> None:
    """The guard costs no copy: the array stays where it is."""
    v = tf.Variable(np.zeros(100_000, np.float32))
    step = tf.function(lambda: v.assign(v * 1.0 + 1.0), jit_compile=True)
    step()
    places = {v._array.ctypes.data for _ in range(10) if step() is not None}
    assert len(places) == 1


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_an_eager_update_is_in_place_if_nobody_reads(dtype: str) -> None:
    """What was handed out before stays as it is, whoever has it."""
    start = np.arange(60_001).astype(dtype)
    v, ones = tf.Variable(start), tf.ones(60_001, dtype)

    def place() -> int:
        return int(v._array.ctypes.data)

    v.assign_sub(ones)
    before = place()
    v.assign_add(ones)
    v.assign_sub(ones)
    assert place() == before
    assert (v.numpy() == start - 1).all()
    assert (start == np.arange(60_001)).all()
    for held in (v.read_value(), v.numpy(), v.numpy()[3:], memoryview(v.numpy()), tf.identity(v)):
        copied = np.array(held)
        v.assign_add(ones)
        assert (np.asarray(held) == copied).all()
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(v * v)
    now = v.numpy().copy()
    v.assign_add(v)
    v.assign_add(ones)
    assert (tape.gradient(y, v).numpy() == 2 * now).all()
    assert (v.numpy() == 2 * now + 1).all()


@pytest.mark.parametrize("beside", [False, True])
def test_a_reader_that_comes_between_look_and_call(monkeypatch: Any, beside: bool) -> None:
    """Who takes the array after it was looked at still keeps the value that he took."""
    from wengert.engines.native.program import program

    taken: list[Any] = []
    usual = program.is_only_ours

    def look(array: Any) -> bool:
        found = usual(array) or True  # as it was when nobody else had it
        if beside:
            taken.append(v.read_value())
        return found

    monkeypatch.setattr(program, "is_only_ours", look)
    v = tf.Variable(np.zeros(1000))
    step = tf.function(lambda: v.assign(v * 1.0 + 1.0), jit_compile=True)
    for _ in range(3):
        step()
    assert v.numpy().tolist() == [3.0] * 1000
    assert [t.numpy()[0] for t in taken] == ([0.0, 1.0, 2.0] if beside else [])


# ---- threads of the pool ------------------------------------------------------------------------

FEWER = """
import os, time, numpy as np, wengert as tf
from wengert.host import threads
threads.available = lambda: 4
def ticks():
    # of each thread of the system
    found = {}
    for task in os.listdir("/proc/self/task"):
        fields = open(f"/proc/self/task/{task}/stat").read().rpartition(")")[2].split()
        found[task] = int(fields[11]) + int(fields[12])
    return found
x = tf.constant(np.ones(2_000_000, np.float32))
f = tf.function(lambda x: tf.sin(tf.exp(tf.sin(x))), jit_compile=True)
def at_work(seconds):
    before, end = ticks(), time.monotonic() + seconds
    while time.monotonic() < end:
        f(x)
    return sum(now - before.get(task, 0) > 1 for task, now in ticks().items())
others = len(os.listdir("/proc/self/task"))
for count in (4, 2, 1, 3):
    tf.config.set_threads(count)
    f(x)
    print(at_work(1.0))
"""


@pytest.mark.timing
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks Linux who is at work")
def test_fewer_threads_than_before() -> None:
    """set_threads counts downwards, too, and up again."""
    found = [int(n) for n in in_python(FEWER).split()]
    assert found[0] >= 3, "this test does not see threads at work"
    assert found[1] <= 2
    assert found[2] == 1
    assert 1 < found[3] <= 3


def in_python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("tells", [True, False])
@pytest.mark.parametrize(
    "compute",
    [lambda a: tf.matmul(a, a), tf.linalg.svd, lambda a: tf.linalg.expm(tf.eye(3))],
    ids=["product", "NumPy's", "SciPy's"],
)
def test_products_have_one_thread_while_the_machine_is_busy(
    compute: Any, tells: bool, monkeypatch: Any
) -> None:
    """By the seconds that others left us, or by the load; and as many as before when it is not any more."""
    from wengert.host import parallel

    functions = parallel._openblas()
    if functions is None:
        pytest.skip("NumPy has another BLAS")
    get, put = functions
    usual = get()
    seconds = [0.0, 0.0, 0.0]  # passed, idle, our own
    monkeypatch.setattr(parallel, "_seconds_so_far", lambda: (*seconds,) if tells else None)
    a = tf.constant(np.ones((100, 100), np.complex64))  # products of real numbers are our own
    tf.linalg.expm(tf.eye(2))  # by SciPy, whose copy has threads of its own
    copies = [functions, *parallel._Load.others.values()]
    assert len(copies) == 2
    try:
        for _, start in copies:
            start(2)
        for busy in (True, True, False, False):
            load = 1000.0 if busy is not tells else 0.0
            monkeypatch.setattr(os, "getloadavg", lambda load=load: (load, 0.0, 0.0))
            monkeypatch.setattr(parallel._Load, "seen", None)
            for passed in (0.1, 9.0, 0.1):  # begun, too late, and measured
                seconds[0] += passed
                seconds[1] += 0.0 if busy or passed > 1.0 else 1000.0
                monkeypatch.setattr(parallel._Load, "again", 0.0)
                compute(a)
            assert [count() for count, _ in copies] == [1 if busy else 2] * 2
            put(1) if busy else None
            compute(a)  # it was looked at just now
            assert get() == (1 if busy else 2)
    finally:
        for _, start in copies:
            start(usual)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems tell nothing")
def test_seconds_that_the_system_tells() -> None:
    from wengert.host import parallel

    first, until = parallel._seconds_so_far(), time.monotonic() + 0.1
    while time.monotonic() < until:
        pass
    last = parallel._seconds_so_far()
    assert first is not None
    assert last is not None
    assert last[0] - first[0] >= 0.1
    assert last[1] >= first[1]
    assert 0.0 < last[2] - first[2] < 10.0


# ---- interrupts ---------------------------------------------------------------------------------


def interrupted_at(line: int, work: Callable[[], Any], *files: str) -> bool:
    """Carry out work, interrupted before the nth line of some files; whether there were so many."""
    seen = itertools.count()

    def trace(frame: Any, event: str, _: Any) -> Any:
        if not frame.f_code.co_filename.endswith(files):
            return None
        if event == "line" and next(seen) == line:
            raise KeyboardInterrupt
        return trace

    sys.settrace(trace)
    try:
        work()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(None)
    return False


def test_the_collector_is_on_again_after_an_interrupt() -> None:
    """Wherever that comes while a plan is made."""
    from wengert.host.collector import _Collector, uncollected

    def made(_: Any) -> bool:
        assert not gc.isenabled()
        return True

    lines = 0
    while interrupted_at(lines, lambda: uncollected(made, None), "host/collector.py"):
        assert gc.isenabled(), f"off after an interrupt before line {lines}"
        assert not _Collector.waits
        lines += 1
    assert lines > 6
    gc.disable()
    try:
        assert uncollected(made, None)
        assert not gc.isenabled()  # the user's choice stays
    finally:
        gc.enable()


@pytest.mark.usefixtures("collected_afresh")
def test_an_interrupt_while_tracing_leaves_nothing_active() -> None:
    """Also one that comes just as a context ends, which then cannot put anything back."""
    contexts = "context_manager.py", "contextlib.py"
    x, known = tf.constant(np.arange(5.0)), tf.function(lambda x: tf.reduce_sum(x) * 2.0)

    def step(x: Any) -> Any:
        with tf.name_scope("step"), tf.GradientTape() as tape:
            tape.watch(x)
            with tf.gradient_override_map({"Tanh": "Identity"}):
                head = tf.tanh(x[: tf.size(x) // 2])
            y = tf.concat([head, tf.zeros([10 - tf.size(head)], x.dtype)], 0)
            z = tf.vectorized_map(tf.sin, tf.boolean_mask(y, y > 0.0))
        return tape.gradient(z, x)

    def interrupted(line: int) -> bool:
        traced = tf.function(step, input_signature=[tf.TensorSpec([None], tf.float64)])
        return interrupted_at(line, lambda: traced.get_concrete_function(), *contexts)

    line, each = 0, 1 if LONG else 7
    while interrupted(line):
        gc.collect()  # what is collected now puts nothing back
        context = current.context
        active = (
            context.interpreter,
            context.recorders,
            context.overrides,
            context.scope,
            inference_mode.now,
        )
        assert active == (None, (), {}, None, False), f"after an interrupt before line {line}"
        assert known(x) == 20.0
        line += each
    assert line > 100


# ---- tracing ------------------------------------------------------------------------------------


def test_functions_that_call_each_other_are_traced_by_two_threads() -> None:
    """Neither waits for the other, however often."""

    def pair() -> tuple[Any, Any]:
        @tf.function
        def f(x: Any, depth: int) -> Any:
            time.sleep(0.002)
            return x * 2.0 if depth == 0 else g(x, depth - 1)

        @tf.function
        def g(x: Any, depth: int) -> Any:
            time.sleep(0.002)
            return x * 3.0 if depth == 0 else f(x, depth - 1)

        return f, g

    for _ in range(20):
        f, g = pair()
        found: dict[str, float] = {}
        together(
            lambda f=f, found=found: found.update(f=float(f(tf.constant(1.0), 1))),  # type: ignore[misc]
            lambda g=g, found=found: found.update(g=float(g(tf.constant(1.0), 1))),  # type: ignore[misc]
        )
        assert found == {"f": 3.0, "g": 2.0}


def test_a_function_is_traced_by_one_of_many_threads() -> None:
    """And makes its variables once; one that makes variables is traced again, without making them."""
    made: list[Any] = []

    @tf.function
    def f(x: Any) -> Any:
        time.sleep(0.01)
        if not made:
            made.append(tf.Variable(1.0))
        return made[0] * x

    together(*[lambda: f(tf.constant(2.0)) and None] * 8)
    assert (f.experimental_get_tracing_count(), len(made)) == (2, 1)


FORKING = """
import os, signal, threading, time, warnings, numpy as np, wengert as tf
warnings.simplefilter("ignore", DeprecationWarning)
going_on = True
v = tf.Variable(np.zeros(100_000))
add = tf.function(lambda: v.assign_add(tf.ones_like(v)))
def traced(k):
    def inner(x):
        time.sleep(0.002)
        return tf.sin(x) * k + tf.reduce_sum(tf.exp(x))
    return float(tf.function(inner)(tf.constant([0.0]))[0])
def busy(k):
    while going_on:
        k += 1.0
        traced(k)
        v.assign_add(tf.ones_like(v))
        add()
threads = [threading.Thread(target=busy, args=(1000.0 * i,)) for i in range(3)]
for thread in threads:
    thread.start()
codes, end = [], time.monotonic() + SECONDS
while time.monotonic() < end or len(codes) < 4:
    time.sleep(0.013)
    child = os.fork()
    if child == 0:
        signal.alarm(40)
        good = traced(3.0) == 1.0
        before = v.numpy()
        v.assign_add(tf.ones_like(v))
        add()
        after = v.numpy()
        good = good and (before == before[0]).all() and (after == before + 2.0).all()
        os._exit(0 if good else 1)
    codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
going_on = False
for thread in threads:
    thread.join()
print(len(codes), sum(code != 0 for code in codes))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_fork_at_any_moment() -> None:
    """While others trace, compile, and change variables: the child does all of it, too."""
    forks, failed = map(int, in_python(FORKING.replace("SECONDS", str(SECONDS))).split())
    assert forks >= 4
    assert failed == 0
