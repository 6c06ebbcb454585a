"""tf.source: programs of NumPy that compute bit for bit what the tape does."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from optable import CASES
from samples import Case

import wengert as tf
from wengert.insight.source.kernels import NotWritableError


def by_tape(f: Any, xs: Any) -> tuple[Any, Any]:
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = f(*xs)
    return y, tape.gradient(y, xs)


def same_bits(f: Any, *xs: Any) -> str:
    """The text, if it computes what the tape does."""
    program = tf.source(f, *xs)
    value, gradients = program(*xs)
    y, expected = by_tape(f, list(xs))
    np.testing.assert_array_equal(value, y, err_msg=program.text)
    for g, e in zip(gradients if len(xs) > 1 else [gradients], expected, strict=True):
        assert (g is None) == (e is None), program.text
        if e is not None:
            np.testing.assert_array_equal(
                np.broadcast_to(g, e.shape), tf.convert_to_tensor(e), err_msg=program.text
            )
    text: str = program.text
    return text


# ---- all operations -----------------------------------------------------------------------------


def function_of(case: Case) -> tuple[Any, list[Any]] | None:
    """A case as a function of what varies in it, and where; None if it has no float for a result."""
    xs = [tf.convert_to_tensor(x) for x in case.inputs()]
    varied = case.varied

    def f(*given: Any) -> Any:
        full = list(xs)
        for i, x in zip(varied, given, strict=True):
            full[i] = x
        y = case.call(*full)
        return (
            tf.add_n([tf.reduce_sum(t) for t in y if t.dtype.is_floating])
            if isinstance(y, (list, tuple))
            else y
        )

    given = [xs[i] for i in varied]
    if not given or not all(x.dtype.is_floating for x in given):
        return None
    y = f(*given)
    return (f, given) if isinstance(y, tf.Tensor) and y.dtype.is_floating else None


FUNCTIONS = [
    (case, found)
    for case in CASES
    if not (case.is_stateful or case.line.type == "OrthogonalBasis")
    and (found := function_of(case)) is not None
]


def test_operations_have_texts_that_compute_the_same_bits() -> None:
    there: set[str] = set()
    for case, (f, given) in FUNCTIONS:
        with contextlib.suppress(NotWritableError):
            same_bits(f, *given)
            there.add(case.line.type)
    assert len(there) >= 178, sorted(there)


# ---- what is read -------------------------------------------------------------------------------

X = tf.constant([0.3, 0.7])


def power(x: Any) -> Any:
    i = tf.constant(0)
    acc = tf.ones_like(x)
    i, acc = tf.while_loop(
        lambda i, acc: i < 4, lambda i, acc: (i + 1, acc * tf.sin(x) + 0.5), [i, acc]
    )
    return tf.reduce_sum(acc)


def branch(x: Any) -> Any:
    big = tf.reduce_sum(x) > 0.0
    return tf.cond(big, lambda: tf.reduce_sum(x * x), lambda: tf.reduce_sum(tf.sin(x)))


def layers(x: Any, w: Any) -> Any:
    h = tf.tanh(x @ w)
    p = tf.nn.softmax(h)
    return tf.reduce_mean(tf.square(p - 1.0) * x[:, :1])


def traced(f: Any) -> Any:
    return lambda *xs: tf.function(f)(*xs)


def test_a_loop_stays_a_loop() -> None:
    text = tf.source(power, X).text
    assert text.count("while i < 4:") == 1, text
    assert "for " in text
    assert "reversed(" in text
    for run in (tf.source(power, X), tf.source(traced(power), X)):
        value, dx = run(X)
        y, (expected,) = by_tape(tf.function(power), [X])
        np.testing.assert_array_equal(value, y)
        np.testing.assert_array_equal(dx, expected)


def test_a_branch_stays_a_branch() -> None:
    program = tf.source(branch, X)
    assert program.text.count("else:") == 2
    for x in (X, -X):
        value, dx = program(x)
        y, (expected,) = by_tape(tf.function(branch), [x])
        np.testing.assert_array_equal(value, y)
        np.testing.assert_array_equal(dx, expected)


def test_a_program_has_the_names_and_lines_of_the_user() -> None:
    rng = np.random.default_rng(0)
    x, w = (tf.constant(rng.normal(size=s).astype(np.float32)) for s in ((4, 3), (3, 2)))
    text = same_bits(layers, x, w)
    for line in (
        "def layers_and_gradient(x, w):",
        "    # h = tf.tanh(x @ w)",
        "    h = np.tanh(x @ w)",
        "    # back through: h = tf.tanh(x @ w)",
        "    dw = x.T @ dt1",
    ):
        assert line in text.split("\n"), text


def test_common_terms_are_computed_once_and_unused_ones_never() -> None:
    def f(x: Any) -> Any:
        _ = tf.exp(x)
        return tf.reduce_sum(tf.sin(x) * tf.sin(x))

    text = same_bits(f, X)
    assert text.count("np.sin(x)") == 1
    assert "np.exp" not in text


def test_captured_arrays_come_along(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    w = tf.Variable(rng.normal(size=(2, 100)))

    def loss(x: Any) -> Any:
        return tf.reduce_sum(tf.tanh(x[None] @ w))

    x = tf.constant([0.3, 0.7], tf.float64)
    program = tf.source(loss, x)
    same_bits(loss, x)
    assert len(program.text) < 1000
    (tmp_path / "kept.py").write_text(program.whole())
    code = "import numpy as np, kept; print(repr(kept.loss_and_gradient(np.array([0.3, 0.7]))[1].tolist()))"
    out = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert eval(out.stdout) == program(x)[1].tolist()


def test_the_program_of_a_tape() -> None:
    w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        h = tf.nn.relu(w - 2.0)
        loss = tf.reduce_sum(h**2.0)
    program = tape.source(loss, w)
    assert "h = np.maximum(w - 2.0, 0" in program.text
    value, dw = program(w)
    np.testing.assert_array_equal(value, loss)
    np.testing.assert_array_equal(dw, tape.gradient(loss, w))


def test_bad_input() -> None:
    with pytest.raises(TypeError, match="takes a function"):
        tf.source(3.0, X)  # type: ignore[call-overload]
    with pytest.raises(NotWritableError, match=r"no text of NumPy for Lgamma \(.*test_source.py"):
        tf.source(lambda x: tf.math.lgamma(x), X)

    def elsewhere() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(X)
            y = X * X
        return tape, y

    tape, y = elsewhere()
    with pytest.raises(tf.errors.TapeError, match="source_lines=True"):
        tape.source(y, X)


# ---- what an outsider found ----------------------------------------------------------------------


def test_a_number_that_a_loop_counts_has_its_dtype() -> None:
    def counted(x: Any) -> Any:
        _, s = tf.while_loop(
            lambda i, s: i < 5, lambda i, s: (i + 1, tf.tanh(s * x + tf.cast(i, x.dtype))), (0, x)
        )
        return tf.reduce_sum(s)

    program = tf.source(counted, tf.constant([0.3, 0.2], tf.float64))
    value, _ = program([0.3, 0.2])
    np.testing.assert_array_equal(value, counted(tf.constant([0.3, 0.2], tf.float64)))


def test_a_single_number_of_higher_rank_stays_reshaped() -> None:
    text = same_bits(
        lambda x: tf.reduce_sum(tf.sin(x) ** 2.0) + tf.tensordot(x, x, 1),
        tf.constant([0.3, 0.2], tf.float64),
    )
    assert "np.reshape(" in text


@pytest.mark.parametrize("target", ["numpy", "c"])
def test_names_that_mean_something_else(target: Any) -> None:
    """The language's own, and letters that it does not have."""

    def f(np: Any, größe: Any, _x: Any) -> Any:
        return tf.reduce_sum(np * größe * _x)

    x = tf.constant([0.3, 0.2], tf.float64)
    program = tf.source(f, x, x, x, target=target)
    value, gradients = program(x, x, x)
    np.testing.assert_allclose(value, 0.3**3 + 0.2**3)
    np.testing.assert_allclose(gradients[1], [0.09, 0.04])
    assert tf.draw(f, x, x, x).svg()


def test_numbers_of_python_are_part_of_the_program() -> None:
    def power(x: Any, n: int, kind: str) -> Any:
        return tf.reduce_sum(x**n) if kind == "sum" else x

    program = tf.source(power, tf.constant([2.0, 3.0]), 3, "sum")
    value, gradient = program([2.0, 3.0])
    assert value == 35.0
    np.testing.assert_array_equal(gradient, [12.0, 27.0])


def test_what_is_no_function_of_arrays_is_said() -> None:
    x = tf.constant([1.0, 2.0])
    with pytest.raises(TypeError, match="p is a dict of several"):
        tf.source(lambda p: p["a"], {"a": x})
    with pytest.raises(TypeError, match="p is a list of several"):
        tf.source(lambda p: p[0] + p[1], [x, x])
    with pytest.raises(TypeError, match="returned 2 values"):
        tf.source(lambda x: (x, x * 2.0), x)
    with pytest.raises(TypeError, match="returned no values"):
        tf.source(lambda x: None, x)
