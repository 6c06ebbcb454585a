"""The machine in C does what the Python beside it does, loses no reference, and is compiled where it can be."""

from __future__ import annotations

import gc
import importlib.machinery
import inspect
import os
import pickle
import re
import shutil
import subprocess
import sys
import sysconfig
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wengert as tf
from tools.compile_machine import compile_machine, file_name, fingerprint
from tools.versions import find_python
from wengert.core import dispatch
from wengert.core.compiled import machine
from wengert.core.context import also_listening, thread
from wengert.core.dispatch import apply
from wengert.core.row import NO_ATTRS, Row
from wengert.core.table import row_of
from wengert.core.tape import MANY, ONE, WIDTH, Tape
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.tensor import Tensor, wrap

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "wengert" / "core" / "machine.c"
COMPILER = shutil.which((os.environ.get("CC") or "cc").split()[0])
in_c = pytest.mark.skipif(machine is None, reason="the machine is Python alone here")


# ---- that it is there -----------------------------------------------------------------------------


@pytest.mark.skipif(
    COMPILER is None or os.environ.get("WENGERT_MACHINE") == "python",
    reason="there is no C compiler, or the machine is to be Python",
)
def test_it_was_compiled_from_this_source(tmp_path: Path) -> None:
    """Where the package was installed for another Python, at least this one could compile it."""
    if machine is None:
        assert not compile_machine(SOURCE, tmp_path / file_name())
    else:
        assert fingerprint(SOURCE) == machine.SOURCE, "machine.c is newer: run make"


@pytest.mark.slow
@pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")
@pytest.mark.parametrize("version", [f"3.{minor}" for minor in range(10, 15)])
def test_it_compiles_without_a_warning_for_every_python(version: str, tmp_path: Path) -> None:
    python = find_python(version)
    if python is None:
        pytest.skip(f"there is no Python {version}")
    target = tmp_path / "_machine.so"
    warnings = ["-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-Wno-cast-function-type"]
    more = [*warnings, "-Wno-missing-field-initializers"]
    tool = ROOT / "tools" / "compile_machine.py"
    done = subprocess.run([python, tool, SOURCE, target, *more], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    code = (
        "import importlib.util as u, sys; s = u.spec_from_file_location('_machine', sys.argv[1]); "
        "m = u.module_from_spec(s); s.loader.exec_module(m); print(m.SOURCE, m.Door.__name__)"
    )
    shown = subprocess.run([python, "-c", code, target], capture_output=True, text=True)
    assert shown.stdout.split() == [fingerprint(SOURCE), "Door"], shown.stderr


def test_it_stays_short_enough_to_be_read() -> None:
    code = re.sub(r"/\*.*?\*/", "", SOURCE.read_text(), flags=re.DOTALL)
    assert 300 < sum(bool(line.strip()) for line in code.splitlines()) < 600


def test_what_cannot_be_compiled_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "m.so"
    if COMPILER is not None:
        broken = tmp_path / "broken.c"
        broken.write_text("int main(void) { return }")
        assert "failed:\n" in compile_machine(broken, target)
    monkeypatch.setenv("CC", "no-such-compiler -x")
    assert compile_machine(SOURCE, target).startswith("no-such-compiler cannot be started")
    monkeypatch.setattr(sysconfig, "get_config_var", lambda name: None)
    assert "does not say how it was compiled" in compile_machine(SOURCE, target)
    assert not target.exists()


@pytest.mark.slow
def test_the_machine_in_python_passes_the_same_tests() -> None:
    """Those of the door, the tape and the sweep, in a process that has no other."""
    if os.environ.get("WENGERT_MACHINE") == "python":
        pytest.skip("this is that process")
    names = ("door", "tape", "gradients", "custom_gradient", "overrides", "variable", "hooks")
    files = [str(ROOT / "tests" / f"test_{name}.py") for name in names]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files],
        env={**os.environ, "WENGERT_MACHINE": "python"},
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-3000:]


# ---- that it does the same ------------------------------------------------------------------------


def draw(seed: int) -> tuple[Callable[[], Any], list[Any]]:
    """A program of a dozen operations on values of many forms, and its sources."""
    random = np.random.default_rng(seed)
    dtype = random.choice([np.float32, np.float64])
    shapes = [(), (3,), (1, 3), (2, 3), (2, 1), (0, 3)]
    values: list[Any] = [
        tf.constant(random.normal(size=shapes[random.integers(len(shapes))]).astype(dtype))
        for _ in range(3)
    ]
    values += [tf.Variable(random.normal(size=(3,)).astype(dtype))]
    two: list[Any] = [
        *(lambda x, y: x + y, lambda x, y: x - y, lambda x, y: x * y, lambda x, y: x / y),
        *(tf.maximum, tf.multiply, tf.math.atan2, tf.subtract),
    ]
    one: list[Any] = [
        *(tf.sin, tf.exp, tf.nn.relu, tf.identity, lambda x: -x, lambda x: x[..., :2]),
        *(tf.reduce_sum, lambda x: tf.reduce_mean(x, 0), tf.stop_gradient, lambda x: x * 2.0),
        *(lambda x: 3 - x, lambda x: tf.where(x > 0, x, x * x), lambda x: tf.concat([x, x, x], 0)),
        *(lambda x: tf.unstack(x[None] + x[None])[0], lambda x: tf.gather(x, [0, 0])),
    ]
    steps = random.integers(0, 1 << 30, size=(12, 4))

    def program() -> Any:
        there = list(values)
        for which, at, a, b in steps:
            x, y = there[a % len(there)], there[b % len(there)]
            try:
                made = two[at % len(two)](x, y) if which % 2 else one[at % len(one)](x)
            except (tf.errors.InvalidArgumentError, ValueError, IndexError) as error:
                made = tf.constant(dtype(len(type(error).__name__)))
            there.append(made)
        return sum(tf.reduce_sum(v) for v in there[len(values) :])

    return program, values


def outcome(program: Callable[[], Any], sources: list[Any]) -> Any:
    """The value, the gradient, and what the tape held: all that can be compared."""
    with tf.GradientTape() as tape:
        for source in sources:
            tape.watch(source)
        y = program()
        records = in_words(tape._tape)
    gradients = tape.gradient(y, sources)
    return [bits(y), [bits(g) for g in gradients], records]


def in_words(tape: Any) -> list[Any]:
    """The records, with positions in place of keys."""
    words, places = [], tape.positions
    for at in range(0, len(tape.records), WIDTH):
        row, attrs, key_a, key_b, a, b, out, y = tape.records[at : at + WIDTH]
        keys = [places.get(k, "?") for k in (key_a if key_b is MANY else (key_a, key_b))]
        kind = {id(ONE): "one", id(MANY): "many"}.get(id(key_b), "two")
        made = [places[k] for k in (out if row.many else (out,))]
        kept = [bits(v) for v in (a if key_b is MANY else (a, b))]
        words.append([row.name, sorted(attrs), kind, keys, kept, made, bits(y)])
    return words


def bits(value: Any) -> Any:
    if isinstance(value, IndexedSlices):
        return [bits(value.values), bits(value.indices)]
    if isinstance(value, (list, tuple)):
        return [bits(v) for v in value]
    if isinstance(value, tf.Variable):
        return "variable"
    if isinstance(value, Tensor):
        array = np.asarray(value)
        return (array.dtype.str, array.shape, array.tobytes())
    return value


def outcomes() -> list[str]:
    """Of many drawn programs, as texts."""
    with np.errstate(all="ignore"):
        return [repr(outcome(*draw(seed))) for seed in range(150)]


@in_c
def test_drawn_programs_give_the_same_bits_and_records() -> None:
    """Values, gradients, and what the tape holds, beside a process whose machine is Python."""
    code = "import tests.test_compiled_machine as t; assert t.machine is None; print(*t.outcomes(), sep='\\n')"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        env={**os.environ, "WENGERT_MACHINE": "python", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    compiled = outcomes()
    assert sum(text.count("[[") for text in compiled) > 100
    assert done.stdout.splitlines() == compiled


@in_c
@pytest.mark.parametrize(
    ("x", "y"),
    [
        (tf.constant([1.0, 2.0]), 2.0),
        (3, tf.constant([1.0, 2.0])),
        (tf.constant(1.5), 2),
        (tf.constant([1, 2]), 2),
        (tf.constant(7), 2),
        (tf.constant([1.0], tf.float64), tf.constant(3.0, tf.float64)),
        (tf.constant([1.0, 2.0], tf.float16), 1e5),
        (tf.constant([1.0 + 2j]), 2.0),
        (tf.constant(1.0), 1e60),
        (tf.Variable(2.0), tf.Variable(3.0)),
        (tf.Variable([2.0]), 3.0),
    ],
    ids=str,
)
@pytest.mark.parametrize("name", ["AddV2", "Sub", "Mul", "RealDiv", "Maximum"])
def test_a_door_gives_what_the_general_one_gives(name: str, x: Any, y: Any) -> None:
    row = row_of(name)
    takes = frozenset(np.dtype(c) for c in "fdilD")
    door = machine.Door(row, takes, 2)
    swapped = machine.Door(row, takes, 2, None, True)
    straight = dispatch._straight_for_two(row, takes)(
        *(v.read_value() if isinstance(v, tf.Variable) else v for v in (x, y))
    )
    if straight is None:
        assert door(x, y) is None
        return
    found = door(x, y)
    assert bits(found) == bits(straight) == bits(swapped(y, x))
    assert type(found._array) is type(straight._array)


@in_c
def test_a_door_leaves_to_others_what_is_not_plain() -> None:
    seen: list[Any] = []
    takes = frozenset([np.dtype("f")])
    door = machine.Door(row_of("Mul"), takes, 2, lambda *a, **k: seen.append((a, k)))
    x = tf.constant([1.0])
    for arguments in [
        (x,),
        (x, True),
        (x, "a"),
        (x, np.ones(1)),
        (x, tf.constant([1.0], tf.float64)),
    ]:
        door(*arguments)
    door(x, 10**400)
    door(x, y=x)
    with tf.Graph().as_default():
        door(x, x)
    assert len(seen) == 8
    assert seen[-2] == ((x,), {"y": x})
    assert machine.Door(row_of("Mul"), takes, 2)(x, None) is None
    for wrong in [(1, takes, 2), (row_of("Mul"), [], 2), (row_of("Mul"), takes, 3)]:
        with pytest.raises(TypeError):
            machine.Door(*wrong)


def test_an_operator_is_a_method_that_says_what_it_is() -> None:
    x = tf.constant([1.0, 2.0])
    assert x.__mul__(2.0).numpy().tolist() == [2.0, 4.0]
    assert x.__rsub__(3.0).numpy().tolist() == [2.0, 1.0]
    assert tf.Tensor.__add__(x, x).numpy().tolist() == [2.0, 4.0]
    assert list(inspect.signature(tf.Tensor.__add__).parameters) == ["x", "y", "name"]
    assert tf.Tensor.__add__.__name__ == "add"

    class Own:
        __radd__ = tf.Tensor.__radd__

        def __tf_tensor__(self, dtype: Any, name: Any) -> Any:
            return x

    made: Any = 1.0 + Own()  # type: ignore[operator]
    assert made.numpy().tolist() == [2.0, 3.0]


class Unit:
    """No tensor; it takes its turn as a right operand of some operators."""

    def __radd__(self, other: Any) -> str:
        return "radd"

    __rmatmul__ = __rand__ = __rpow__ = __rfloordiv__ = __radd__


@pytest.mark.parametrize("of", [tf.constant, tf.Variable], ids=["tensor", "variable"])
def test_a_right_operand_that_is_no_tensor_has_its_turn(of: Any) -> None:
    x, i = of([1.0]), of([1, 3])
    made: list[Any] = [x + Unit(), x @ Unit(), x ** Unit(), x // Unit(), i & Unit()]
    assert made == ["radd"] * 5
    with pytest.raises(ValueError, match="Attempt to convert a value"):
        x * Unit()
    with pytest.raises(TypeError, match="Cannot convert 'a'"):
        x + "a"


def test_a_truth_on_the_left_becomes_what_the_tensor_is() -> None:
    """As on the right: 1 and 0 beside integers, and no truth of what they are."""
    i = tf.constant([1, 3])
    for found, wanted in (
        (True ^ i, [0, 2]),
        (True & i, [1, 1]),
        (False | i, [1, 3]),
        (np.array([True, False]) ^ i, [0, 3]),
        (np.True_ ^ tf.constant([True, False]), [False, True]),
    ):
        assert found.numpy().tolist() == wanted
    with pytest.raises(tf.errors.InvalidArgumentError):
        True ^ tf.constant([1.0])


@pytest.mark.parametrize("name", ["__add__", "__radd__", "__rand__", "__matmul__"])
def test_operators_are_pickled_by_their_names(name: str) -> None:
    operator = getattr(tf.Tensor, name)
    assert pickle.loads(pickle.dumps(operator)) is operator


# ---- errors -----------------------------------------------------------------------------------------


def raising(error: BaseException) -> Row:
    def kernel(xp: Any, x: Any) -> Any:
        raise error

    return Row("Raising", kernel, users=True)


@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt(), SystemExit(3)])
def test_an_error_of_a_kernel_passes_and_the_settings_are_as_before(error: BaseException) -> None:
    x = tf.constant([1.0])
    with np.errstate(all="raise"):
        with pytest.raises(type(error)):
            apply(raising(error), (x,))
        with pytest.raises(FloatingPointError):
            np.float32(1.0) / np.float32(0.0)


def test_an_error_of_a_recorder_passes() -> None:
    class Failing:
        computes = False

        def record(self, *_: Any) -> None:
            raise ZeroDivisionError

        def accessed(self, variable: Any) -> None:
            raise ZeroDivisionError

    x, failing = tf.constant([1.0]), Failing()
    for program in (lambda: x * x, lambda: tf.exp(x), lambda: tf.reduce_sum(x)):
        with also_listening(failing), pytest.raises(ZeroDivisionError):  # type: ignore[arg-type]
            program()
    v = tf.Variable([1.0])
    with also_listening(failing), pytest.raises(ZeroDivisionError):  # type: ignore[arg-type]
        v * 2.0


def test_an_error_of_a_rule_passes() -> None:
    def rule(g: Any, y: Any, x: Any) -> Any:
        raise ZeroDivisionError

    row = Row("Wrong", lambda _, x: x, vjp=(rule,))
    x = tf.constant([1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = apply(row, (x,))
    with pytest.raises(ZeroDivisionError):
        tape.gradient(y, x)


def test_messages_name_what_was_wrong() -> None:
    x = tf.constant([1.0, 2.0])
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"Incompatible shapes: \[2\] vs. \[3\]"
    ):
        x * tf.constant([1.0, 2.0, 3.0])
    with pytest.raises(TypeError):
        apply()  # type: ignore[call-arg]
    with pytest.raises((TypeError, AttributeError)):
        apply(3, (x,))  # type: ignore[arg-type]


@in_c
def test_records_that_change_while_they_are_swept_are_an_error() -> None:
    records: list[Any] = []
    x = tf.constant([1.0])

    def rule(g: Any, y: Any, x: Any) -> Any:
        records.clear()
        return g

    tape = Tape()
    tape.watch(x)
    row = Row("Clearing", lambda _, x: x, vjp=(rule,))
    with also_listening(tape):
        y = apply(row, (apply(row, (apply(row, (x,)),)),))
    records = tape.records
    with pytest.raises(RuntimeError, match="changed while they were swept"):
        machine.sweep(records, False, {y._key: x}, tape.positions, {x._key}, False)


# ---- references and threads -------------------------------------------------------------------------


@in_c
def test_no_reference_is_lost_or_kept() -> None:
    x, v = tf.constant([1.0, 2.0]), tf.Variable([1.0, 2.0])
    big = tf.constant([10**9, 1])

    def work() -> None:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.sin(x * v + 2.0) / x, 0) - 3
            z = tf.concat([x, y[None], y[None]], 0)
        tape.gradient(z, [x, v])
        big * 3
        for wrong in (lambda: x * tf.ones(3), lambda: apply(raising(ValueError()), (x,))):
            with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
                wrong()

    objects = (
        None,
        True,
        x,
        v,
        row_of("Mul"),
        row_of("Sin"),
        np.dtype("f"),
        ONE,
        MANY,
        NO_ATTRS,
    )
    for _ in range(3):
        work()
    gc.collect()
    before, blocks = [sys.getrefcount(o) for o in objects], sys.getallocatedblocks()
    for _ in range(300):
        work()
    gc.collect()
    after = [sys.getrefcount(o) for o in objects]
    assert all(abs(b - a) < 30 for a, b in zip(before, after, strict=True)), (before, after)
    assert sys.getallocatedblocks() - blocks < 1000


def test_each_thread_has_its_own_state_and_ends_with_it() -> None:
    x = tf.constant([1.0, 2.0])
    seen: list[Any] = []
    contexts: list[Any] = []

    def work() -> None:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        seen.append(tape.gradient(y, x).numpy().tolist())
        contexts.append(weakref.ref(thread.context.quiet_context))

    with tf.GradientTape() as outer:
        for _ in range(20):
            other = threading.Thread(target=work)
            other.start()
            other.join()
    assert seen == [[2.0, 4.0]] * 20
    gc.collect()
    assert [c() for c in contexts] == [None] * 20
    assert not outer._tape.records  # type: ignore[union-attr]


def test_tensors_without_a_value_are_refused_not_read() -> None:
    """What `object.__new__` makes has no array: an error, and no crash."""
    blank = object.__new__(Tensor)
    for program in (lambda: blank * 2.0, lambda: blank + blank, lambda: tf.sin(blank)):
        with pytest.raises(AttributeError):
            program()
    assert isinstance(wrap(np.float32(1.0)) + 1.0, Tensor)


def test_the_suffix_is_one_that_python_loads() -> None:
    assert any(file_name().endswith(s) for s in importlib.machinery.EXTENSION_SUFFIXES)
