"""The one door: what goes through it, who hears of it, and what it costs nobody."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import warnings
from collections.abc import Sequence
from typing import Any, ClassVar, Final

import numpy as np
import pytest

import wengert as tf
from wengert.core.context import also_listening, listening, start, stop, thread
from wengert.host import fp_errors

X = tf.constant([1.0, 2.0])


class Listener:
    """Notes the names of the operations it hears."""

    computes: ClassVar[bool] = False

    def __init__(self) -> None:
        self.heard: list[str] = []

    def record(self, row: Any, inputs: Sequence[Any], attrs: Any, result: Any) -> None:
        self.heard.append(row.name)

    def accessed(self, variable: Any) -> None:
        self.heard.append(variable.name)


class Computing(Listener):
    """A listener that carries out an operation of its own for each it hears."""

    computes: ClassVar[bool] = True

    def record(self, row: Any, inputs: Sequence[Any], attrs: Any, result: Any) -> None:
        super().record(row, inputs, attrs, result)
        at = thread.context.recorders.index(self)
        with listening(*thread.context.recorders[:at]):
            tf.negative(result)


def test_a_recorder_is_a_plug_in() -> None:
    """Twenty lines hear every operation and every variable."""
    listener: Any = Listener()
    v = tf.Variable(2.0)
    with also_listening(listener):
        tf.reduce_sum(tf.exp(X) * v)
    assert listener.heard == ["Exp", "Variable:0", "ReadVariableOp", "Mul", "Sum"]


def test_recorders_that_compute_come_last_and_are_heard_by_those_before() -> None:
    """In whatever order they began to listen."""
    notes: Any = Listener()
    first: Any = Computing()
    second: Any = Computing()
    with also_listening(first), also_listening(second), also_listening(notes):
        assert thread.context.recorders == (notes, first, second)
        tf.exp(X)
    assert notes.heard == ["Exp", "Neg", "Neg", "Neg"]
    assert first.heard == ["Exp", "Neg"]
    assert second.heard == ["Exp"]


def test_listening_restores_after_an_error() -> None:
    """And when nested."""
    a: Any = Listener()
    b: Any = Listener()
    start(a)
    with pytest.raises(ZeroDivisionError), listening(b), listening(a, b):
        assert thread.context.recorders == (a, b)
        raise ZeroDivisionError
    assert thread.context.recorders == (a,)
    stop(a)


@pytest.mark.parametrize("f", [tf.divide, tf.multiply, tf.add, tf.subtract, tf.pow])
def test_floating_point_errors_are_values(f: Any) -> None:
    """No warning, whatever the user's settings, which are as before afterwards."""
    big, zero = tf.constant([3e38, 0.0]), tf.constant([0.0, 0.0])
    with np.errstate(all="raise"), warnings.catch_warnings():
        warnings.simplefilter("error")
        f(big * 10.0, zero)
        tf.math.log(zero - 1.0)
        with pytest.raises(FloatingPointError):
            np.float32(1.0) / np.float32(0.0)


def test_without_the_context_variable_errors_are_still_quiet(monkeypatch: Any) -> None:
    """The slow way, should NumPy keep its settings elsewhere one day."""
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(fp_errors.contextvars, "copy_context", dict)  # type: ignore[attr-defined]
        assert fp_errors._find() == (None, None)
    monkeypatch.setattr(fp_errors, "_CALL", fp_errors._call_slowly)
    with np.errstate(all="raise"):
        assert np.isinf(fp_errors.quietly(np.divide, np.float32(1.0), np.float32(0.0)))
        with pytest.raises(FloatingPointError):
            np.float32(1.0) / np.float32(0.0)


def test_a_call_within_a_call_takes_the_general_door() -> None:
    """The quiet context can be entered once: a finalizer that runs an operation must still work."""

    def within() -> None:
        assert (X * X).numpy().tolist() == [1.0, 4.0]
        with tf.GradientTape() as tape:
            tape.watch(X)
            y = X * X
        assert tape.gradient(y, X).numpy().tolist() == [2.0, 4.0]

    thread.context.quiet_context.run(within)


class Computes:
    """Takes a gradient when the garbage collector finds it, wherever that is."""

    failed: ClassVar[list[BaseException]] = []
    done: ClassVar[list[int]] = []

    def __init__(self) -> None:
        self.itself = self

    def __del__(self) -> None:
        self.done.append(id(self))
        try:
            with tf.GradientTape() as tape:
                tape.watch(X)
                y = 2.0 * X * X + 1.0
            assert tape.gradient(y, X).numpy().tolist() == [4.0, 8.0]
        except BaseException as error:
            self.failed.append(error)


def test_finalizers_compute_at_any_moment() -> None:
    """Also in the first operation of a thread, and in the middle of another one."""

    def work() -> None:
        for i in range(100):
            Computes()
            with tf.GradientTape() as tape:
                tape.watch(X)
                y = tf.reduce_sum(tf.sin(X) * i + 3) / 2.0
            np.testing.assert_allclose(tape.gradient(y, X), np.cos(X) * i / 2, rtol=1e-5)

    before = gc.get_threshold()
    gc.set_threshold(11)
    try:
        for _ in range(4):
            threads = [threading.Thread(target=work) for _ in range(3)]
            for one in threads:
                one.start()
            for one in threads:
                one.join()
    finally:
        gc.set_threshold(*before)
    gc.collect()
    assert not Computes.failed
    assert len(Computes.done) == 1200


IN_THE_MIDDLE_OF_AN_IMPORT: Final = """
import gc, sys
import wengert as tf

class Computes:
    def __init__(self):
        self.itself = self

    def __del__(self):
        try:
            said.append(float(tf.linalg.det([[2.0, 0.0], [0.0, 3.0]])))
        except Exception as error:
            said.append(repr(error))

class LeavesGarbage:
    def find_spec(self, name, path, target=None):
        if name.startswith("wengert.ops.linalg."):
            Computes()
            left = [[] for _ in range(1000)]  # a collector that is on comes by here

said = []
gc.set_threshold(1)
sys.meta_path.insert(0, LeavesGarbage())
tf.linalg.svd
sys.meta_path.pop(0)
gc.collect()
print(*said)
"""


def test_a_finalizer_finds_no_module_half_made() -> None:
    """One that the collector calls while a namespace is loaded, which it needs itself."""
    found = subprocess.run(
        [sys.executable, "-c", IN_THE_MIDDLE_OF_AN_IMPORT],
        capture_output=True,
        text=True,
        check=True,
    )
    assert set(found.stdout.split()) == {"6.0"}, found.stdout


SETS_VARIABLES: Final = """
import contextvars, gc
import wengert as tf

X = tf.constant([1.0, 2.0])
variables = [contextvars.ContextVar(str(i), default=None) for i in range(4)]
kept = []

class Computes:
    def __init__(self):
        self.itself = self

    def __del__(self):
        for _ in range(3):
            assert tf.cast(tf.reduce_sum(X * [1.0, 1.0]), tf.int32).numpy() == 3
            kept.append([object() for _ in range(64)])  # where the memory was that is free now

for _ in range(100):
    for ahead in range(6):
        for variable in variables:
            Computes()
            value = object()
            gc.set_threshold(gc.get_count()[0] + ahead)
            variable.set(value)
            gc.set_threshold(1000)
"""


@pytest.mark.parametrize("machine", ["c", "python"])
def test_finalizers_leave_the_context_of_the_interrupted_code_alone(machine: str) -> None:
    """The collector may run in the middle of setting a context variable.

    There Python reads what a set by the finalizer would take away; its debugging allocator makes
    sure that this is noticed.
    """
    settings = {"PYTHONMALLOC": "debug", "WENGERT_MACHINE": machine}
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-c", SETS_VARIABLES],
            env=os.environ | settings,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr


def test_a_new_thread_starts_with_nobody_listening() -> None:
    """The state belongs to the thread."""
    seen: list[Any] = []
    listener: Any = Listener()
    with also_listening(listener):
        other = threading.Thread(target=lambda: seen.append(thread.context.recorders))
        other.start()
        other.join()
    assert seen == [()]


def test_the_fast_door_and_the_general_one_agree() -> None:
    """Also for scalars, empty arrays, broadcasting, and every dtype of NumPy's own."""
    from wengert.core.dispatch import apply
    from wengert.core.table import TABLE

    shapes = [((), ()), ((3,), ()), ((0, 2), (2,)), ((2, 1), (1, 3))]
    for name, f in {"Mul": tf.multiply, "AddV2": tf.add, "Sub": tf.subtract}.items():
        for code in "efdFDbBhHiIlLqQ":
            for a, b in shapes:
                x, y = tf.constant(np.ones(a, code)), tf.constant(np.full(b, 2, code))
                fast, general = f(x, y), apply(TABLE[name], (x, y))
                assert fast.dtype is general.dtype
                np.testing.assert_array_equal(fast, general)
