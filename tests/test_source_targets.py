"""tf.source in C and for numba: programs that compute what the tape does, but for rounding."""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fuzz.programs import Program, drawn, text_of
from fuzz.steps import LINES
from test_source import FUNCTIONS, X, branch, by_tape, is_narrow, layers, power

import wengert as tf
from wengert.insight.source.kernels import NotWritableError
from wengert.insight.source.nests.c_language import C
from wengert.insight.source.nests.c_piles import HELPERS

STRICT = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-O1", "-fPIC", "-shared"]
c_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
numba = pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="no numba")
TARGETS = [pytest.param("c", marks=c_compiler), pytest.param("numba", marks=numba)]


def check(program: Any, f: Any, xs: Any, zeros_for_none: bool = False) -> None:
    """The program computes what the tape does, in the same dtypes.

    Of a branch that is not taken, a tape knows that nothing depends on an argument; a program has zeros.
    """
    value, gradients = program(*xs)
    y, expected = by_tape(f, list(xs))
    found = [value, *(gradients if len(xs) > 1 else [gradients])]
    for got, want in zip(found, [y, *expected], strict=True):
        if want is None and zeros_for_none:
            assert got is None or not np.any(got), program.text
            continue
        assert (got is None) == (want is None), program.text
        if want is not None:
            array = np.asarray(tf.convert_to_tensor(want))
            assert np.asarray(got).dtype == array.dtype, program.text
            near = 1e-4 if array.dtype == np.float32 else 1e-10
            np.testing.assert_allclose(got, array, near, near, err_msg=program.text)


# What one program in the file needs, others do not: it may not be static there.
_HELPERS = [HELPERS, *C.helpers.values()]
_SHARED = "\n".join(
    [
        *[f"#include <{name}.h>" for name in ("math", "stdbool", "stdint", "stdlib", "string")],
        *[helper.replace("static ", "", 1) for helper in _HELPERS],
    ]
)


def compiled_together(programs: list[Any], folder: Path) -> None:
    """One compiler for all, and without a warning."""
    texts = [_SHARED]
    for number, program in enumerate(programs):
        text = program.whole().replace(program.name, f"p{number}")
        assert is_narrow(program.whole()), program.whole()
        for helper in _HELPERS:
            text = text.replace(helper.strip(), "")
        texts.append(text)
    file, library = folder / "all.c", folder / "all.so"
    file.write_text("\n".join(texts))
    command = ["cc", *STRICT, str(file), "-o", str(library), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:4000]
    loaded = ctypes.CDLL(str(library))
    for number, program in enumerate(programs):
        program._function = getattr(loaded, f"p{number}")


@c_compiler
def test_a_program_with_helpers_compiles_by_itself(tmp_path: Path) -> None:
    for f in (power, tf.math.lgamma):
        file = tmp_path / "one.c"
        file.write_text(tf.source(f, X, target="c").whole())
        command = ["cc", *STRICT, str(file), "-o", str(tmp_path / "one.so"), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


# ---- all operations -----------------------------------------------------------------------------


@c_compiler
def test_operations_in_c(tmp_path: Path) -> None:
    found = []
    for case, (f, given) in FUNCTIONS:
        with contextlib.suppress(NotWritableError):
            found.append((case.line.type, f, given, tf.source(f, *given, target="c")))
    compiled_together([program for *_, program in found], tmp_path)
    for _, f, given, program in found:
        check(program, f, given)
    there = {name for name, *_ in found}
    assert len(there) >= 198, sorted(there)


@numba
@pytest.mark.slow
def test_operations_for_numba() -> None:
    counts: Counter[str] = Counter()
    for case, (f, given) in FUNCTIONS:
        if counts[case.line.type] < 2:
            with contextlib.suppress(NotWritableError):
                check(tf.source(f, *given, target="numba"), f, given)
                counts[case.line.type] += 1
    assert len(counts) >= 198, sorted(counts)


def test_what_c_can_say_numba_can() -> None:
    for case, (f, given) in FUNCTIONS[::7]:
        there = []
        for target in ("c", "numba"):
            with contextlib.suppress(NotWritableError):
                tf.source(f, *given, target=target)
                there.append(target)
        assert len(there) != 1, (case.name, there)


# ---- random programs -----------------------------------------------------------------------------


def in_python(program: Program) -> Any:
    values: dict[str, Any] = {"tf": tf}
    exec(text_of(program).replace("DTYPE", f"tf.{program.dtype}"), values)
    return values["program"]


@c_compiler
def test_random_programs(tmp_path: Path) -> None:
    """In NumPy bit by bit, in C but for rounding."""
    found, counts = [], Counter[str]()
    for seed in range(60):
        drawing = drawn(seed, LINES, tf).reached()._replace(dtype="float64")
        f, xs = in_python(drawing), [tf.constant(x) for x in drawing.inputs().values()]
        with contextlib.suppress(NotWritableError):
            text = tf.source(f, *xs)
            y, _ = by_tape(f, xs)
            np.testing.assert_array_equal(text(*xs)[0], y, err_msg=text.text)
            counts["numpy"] += 1
        with contextlib.suppress(NotWritableError):
            found.append((f, xs, tf.source(f, *xs, target="c")))
    compiled_together([program for *_, program in found], tmp_path)
    for f, xs, program in found:
        check(program, f, xs, zeros_for_none=True)
    assert len(found) >= 20
    assert counts["numpy"] >= 20


# ---- loops, branches, shapes, dtypes ---------------------------------------------------------------


def both(x: Any) -> Any:
    def body(i: Any, a: Any) -> Any:
        big = tf.reduce_sum(a) > 1.0
        return i + 1, tf.cond(big, lambda: a * 0.5, lambda: tf.sin(a) + x)

    _, acc = tf.while_loop(lambda i, a: i < 5, body, [tf.constant(0), x])
    return tf.reduce_sum(acc * acc)


def within(x: Any) -> Any:
    def yes() -> Any:
        start = [tf.constant(0), x]
        _, r = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x), start)
        return tf.reduce_sum(r)

    return tf.cond(tf.reduce_sum(x) > 0.0, yes, lambda: tf.reduce_sum(tf.exp(x)))


def swapped(x: Any) -> Any:
    start = [tf.constant(0), x, x + 1.0]
    _, a, b = tf.while_loop(lambda i, a, b: i < 3, lambda i, a, b: (i + 1, b, a * b), start)
    return tf.reduce_sum(a * b)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("f", [power, branch, both, within, swapped], ids=lambda f: f.__name__)
def test_loops_and_branches(f: Any, target: str) -> None:
    program = tf.source(f, X, target=target)
    assert ("while " in program.text) == (f is not branch)
    for x in (X, -X, 3.0 * X):
        check(program, tf.function(f), [x])


def spread(x: Any, b: Any, s: Any) -> Any:
    return tf.reduce_sum(tf.tanh(x + b) * s, axis=0)


SHAPES: dict[str, tuple[Any, Any]] = {
    "broadcast": (spread, [(3, 4), (4,), ()]),
    "ones": (spread, [(1, 1), (1,), (1, 1)]),
    "column": (spread, [(3, 1), (1, 4), (1,)]),
    "empty": (spread, [(0, 4), (4,), ()]),
    "scalar": (lambda x: x * tf.sin(x), [()]),
    "itself": (lambda x: x, [(2, 3)]),
    "none": (lambda x, y: tf.reduce_sum(x * x), [(3,), (2,)]),
    "same": (lambda x, y: x + y, [(3,), (3,)]),
    "large": (lambda x: tf.reduce_sum(tf.exp(x @ x) * x), [(80, 80)]),
    "parts": (lambda x: tf.concat([x[:, 1:], tf.reverse(x, [0])], 1) * 2.0, [(3, 4)]),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", SHAPES)
def test_shapes_and_dtypes(name: str, dtype: str, target: str) -> None:
    f, shapes = SHAPES[name]
    rng = np.random.default_rng(0)
    xs = [tf.constant(rng.normal(size=s) / 10, dtype) for s in shapes]
    check(tf.source(f, *xs, target=target), f, xs)


@pytest.mark.parametrize("target", TARGETS)
def test_integers_and_constants(target: str) -> None:
    table = tf.Variable(np.random.default_rng(0).normal(size=(40, 3)))

    def f(x: Any, i: Any) -> Any:
        return tf.reduce_sum(tf.gather(table * 2.0, i) * x) + tf.cast(i[0] // 2, tf.float64)

    x, i = tf.constant([[0.5, 1.0, 2.0]], tf.float64), tf.constant([7, 3, 3])
    program = tf.source(f, x, i, target=target)
    value, dx = program(x, i)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, i)
    np.testing.assert_allclose(value, y, 1e-12)
    np.testing.assert_allclose(dx, tape.gradient(y, x), 1e-12)
    assert len(program.text) < 2500 < len(program.whole())


@pytest.mark.parametrize("target", TARGETS)
def test_the_program_of_a_tape(target: str) -> None:
    w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        h = tf.nn.relu(w - 2.0)
        loss = tf.reduce_sum(h**2.0)
    program = tape.source(loss, w, target=target)
    value, dw = program(w)
    np.testing.assert_allclose(value, loss)
    np.testing.assert_allclose(dw, tape.gradient(loss, w))


# ---- what is read --------------------------------------------------------------------------------


def test_c_is_written_as_one_would() -> None:
    x, w = tf.ones([4, 3]), tf.ones([3, 2])
    text = tf.source(layers, x, w, target="c").text
    for line in (
        "    const float x[restrict 4 * 3],",
        "    /* h = tf.tanh(x @ w) */",
        "                total += x[3 * i + k] * w[2 * k + j];",
        "            /* back through: h = tf.tanh(x @ w) */",
    ):
        assert line in text.split("\n"), text


def test_loops_over_the_same_elements_are_one() -> None:
    def f(x: Any) -> Any:
        y = tf.sin(x)
        z = y * x
        return tf.exp(z) + y

    text = tf.source(f, tf.ones([5]), target="c").text
    assert text.count("for (") == 1, text
    assert "const float y = sinf(x[i]);" in text
    assert "float y[" not in text


def test_a_prototype_and_a_header(tmp_path: Path) -> None:
    program = tf.source(lambda x: tf.reduce_sum(x @ x + tf.exp(x)), tf.ones([90, 90]), target="c")
    assert program.prototype.endswith(");")
    assert program.prototype in program.text
    assert "struct value_and_gradient_memory {" in program.header
    assert program.prototype in program.header


def test_comments_end_where_they_should() -> None:
    def f(x: Any) -> Any:
        return x * tf.constant(len("*/ /* ??/ \\"), tf.float32)

    text = tf.source(f, tf.ones([2]), target="c").text
    assert "* /" in text
    assert text.count("*/") == text.count("/*")


def test_names_that_c_has_taken() -> None:
    def f(double: Any, exp: Any, i: Any) -> Any:
        return tf.exp(double) * exp * i

    text = tf.source(f, tf.ones([2]), tf.ones([2]), tf.ones([2]), target="c").prototype
    assert "double_2[" in text
    assert "exp_2[" in text
    assert " i[" in text


# ---- what does not go ------------------------------------------------------------------------------


def test_an_unknown_target() -> None:
    with pytest.raises(
        ValueError, match=r"target of tf\.source is one of numpy, numba, c, got 'rust'"
    ):
        tf.source(layers, X, X, target="rust")
    with tf.GradientTape(source_lines=True) as tape:
        tape.watch(X)
        y = X * X
    with pytest.raises(ValueError, match=r"target of tape\.source is one of"):
        tape.source(y, X, target="rust")


def test_an_operation_that_a_target_lacks() -> None:
    with pytest.raises(
        NotWritableError,
        match=r"no text of C for MatrixInverse .*test_source_targets.py.*With target='numpy' there is",
    ):
        tf.source(lambda a: tf.linalg.inv(a), tf.eye(2), target="c")


def test_arguments_of_another_shape() -> None:
    program = tf.source(power, X, target="c")
    with pytest.raises(ValueError, match=r"for an argument of shape \(2,\), got \(3,\)"):
        program([1.0, 2.0, 3.0])


def test_without_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    program = tf.source(power, X, target="c")
    with pytest.raises(RuntimeError, match="no C compiler"):
        program(X)


def test_without_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    program = tf.source(power, X, target="numba")
    assert "@numba.njit" in program.text
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match="pip install numba"):
        program(X)
