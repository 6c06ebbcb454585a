"""tf.check: planted faults are caught and named, and rules that are right raise no alarm.

Both in a cut; tools/checked.py counts the whole.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.linalg
from optable import CASES
from planted_faults import PLANTS, Plant, drawn, plantings, smooth_at

import wengert as tf
from wengert.cli import main

A, B = np.linspace(-0.7, 1.1, 6).reshape(2, 3), np.linspace(0.3, 1.7, 9).reshape(3, 3) ** 2


@pytest.fixture(autouse=True)
def what_the_command_leaves_is_undone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As a process of its own it redirects imports, and puts the folder of a file on the path."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    was_installed = tf.compat.is_installed()
    yield
    if not was_installed:
        tf.compat.uninstall()


@tf.custom_gradient
def matmul_like(x: Any, w: Any) -> Any:
    def grad(dy: Any) -> Any:
        return dy @ w, tf.transpose(x) @ dy

    return x @ w, grad


@tf.custom_gradient
def halved_square(x: Any) -> Any:
    return x * x, lambda dy: dy * x


# ---- planted faults ---------------------------------------------------------------------------


@pytest.mark.parametrize("plant", PLANTS, ids=lambda p: p.name)
def test_a_planted_fault_is_caught_and_named(plant: Plant) -> None:
    ((_, f, xs),) = plantings(plant, 1)
    report = tf.check(f, *xs)
    assert not report.right
    assert report.fault in plant.kinds


# ---- no false alarms --------------------------------------------------------------------------


def test_no_false_alarm_in_some_draws() -> None:
    """One of 60 of all operations and numbers; the native engine compiles for some of them."""
    for s in drawn(1, step=60):
        report = tf.check(s.f, *s.xs)
        assert report.right, report


def test_what_is_left_of_numbers_that_cancel_is_not_wrong() -> None:
    """The adjugate of one number is 1: its gradient is zero but for rounding, which is not linear."""
    (case,) = [c for c in CASES if c.name == "Adjugate-6"]
    for draw in range(6):
        s = smooth_at(case, draw)
        assert tf.check(s.f, *s.xs).right


@pytest.mark.parametrize("size", [3, 6, 8, 10])
@pytest.mark.parametrize(
    "f", [tf.linalg.inv, tf.linalg.det, tf.linalg.eigvalsh], ids=lambda f: f.__name__
)
def test_ill_conditioned_is_not_wrong(f: Any, size: int) -> None:
    """Hilbert matrices, of which differences see nothing."""
    x = scipy.linalg.hilbert(size)
    assert tf.check(f, x).right, tf.check(f, x)


def test_a_condition_is_estimated() -> None:
    x = scipy.linalg.hilbert(8)
    report = tf.check(tf.linalg.inv, x)
    assert report.fault == "ill-conditioned"
    assert 0.1 < report.inputs[0].condition / np.linalg.cond(x) < 10


def test_a_fault_beside_cancellation_is_found() -> None:
    """Rounding explains what it can explain, and no more."""

    @tf.custom_gradient
    def f(x: Any) -> Any:
        def grad(dy: Any) -> Any:
            return dy * 1.001 * (tf.exp(x) - tf.exp(x + 1e-3))

        return tf.exp(x) - tf.exp(x + 1e-3), grad

    assert tf.check(f, np.array([0.3, 0.7])).fault == "factor"
    assert tf.check(lambda x: tf.exp(x) - tf.exp(x + 1e-9), np.array([0.3, 0.7])).right


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (tf.nn.relu, [0.0, 1.0]),
        (tf.abs, [0.0, 0.0]),
        (tf.reduce_max, [1.0, 1.0, 0.5]),
        (lambda x: tf.clip_by_value(x, 0.0, 1.0), [0.0, 1.0]),
    ],
)
def test_a_kink_is_not_wrong(f: Any, x: Any) -> None:
    report = tf.check(f, x)
    assert (report.right, report.fault) == (True, "kink")


def test_a_kink_where_the_rule_gives_no_number() -> None:
    of_norm, of_abs = tf.check(tf.norm, np.zeros(2)), tf.check(tf.abs, np.array([0.0, 1.0]))
    assert "the rule gives no number" in str(of_norm.inputs[0].words)
    assert "a slope of one side, or one between" in str(of_abs.inputs[0].words)


def test_what_is_flat_is_said_to_be() -> None:
    report = tf.check(tf.grad_pass_through(tf.round), np.array([0.3, 1.2]))
    assert report.fault == "missing-term"
    assert "the function is flat, and the rule gives a slope" in str(report.inputs[0].words)


def test_a_slope_outside_of_a_kink_is_wrong() -> None:
    @tf.custom_gradient
    def f(x: Any) -> Any:
        return tf.abs(x), lambda dy: dy * tf.where(x == 0, 3.0 * tf.ones_like(x), tf.sign(x))

    assert tf.check(f, np.array([0.0, 1.0])).fault == "elements"


# ---- what a report says -----------------------------------------------------------------------


def in_one_line(report: object) -> str:
    return " ".join(str(report).split())


def test_the_text_names_place_numbers_and_the_product_that_fits() -> None:
    text = in_one_line(tf.check(matmul_like, A, B))
    line = matmul_like._function.__code__.co_firstlineno
    assert f"matmul_like (test_check.py:{line}) is wrong for 1 of 2 inputs: transposed" in text
    assert "the same numbers in other places" in text
    assert "the rule gives dy @ w; dy @ tf.transpose(w) fits" in text
    assert "input 1 w float64[3,3] ok" in text
    assert "second order" in text
    assert "not tried" in text


def test_attributes_and_dictionary() -> None:
    report = tf.check(matmul_like, A, B)
    assert [x.right for x in report.inputs] == [False, True]
    assert [x.fault for x in report.inputs] == ["transposed", ""]
    assert json.loads(json.dumps(report.to_dict()))["fault"] == "transposed"
    assert "<table>" in report.to_html()


def test_assert_right() -> None:
    tf.assert_right(tf.sin, 1.0)
    with pytest.raises(AssertionError) as caught:
        tf.assert_right(halved_square, [1.0, 2.0])
    assert "what it should be, times 1/2" in in_one_line(caught.value)
    with pytest.raises(AssertionError, match="factor"):
        tf.check(halved_square, 3.0).assert_right()


def test_a_report_can_be_repeated() -> None:
    first, second = (tf.check(matmul_like, A, B).to_dict()["inputs"] for _ in range(2))
    assert first == second


def test_what_is_tried_can_be_chosen() -> None:
    report = tf.check(tf.sin, 1.0, order=1, modes="forward")
    names = {a.name for a in report.aspects}
    assert "forward mode" in names
    assert not names & {"batches", "tf.function", "compiled", "second order"}
    with pytest.raises(ValueError, match=r"order of tf.check is 1 or 2, got 3"):
        tf.check(tf.sin, 1.0, order=3)
    with pytest.raises(ValueError, match=r'modes of tf.check are "all" or some of'):
        tf.check(tf.sin, 1.0, modes=["backward"])


# ---- inputs -----------------------------------------------------------------------------------


def test_nested_inputs_variables_numbers_and_integers() -> None:
    inputs = {"a": tf.Variable([1.0, 2.0]), "b": [np.array([0.5, 1.5]), 3]}
    report = tf.check(lambda p, k: k * p["a"] * p["b"][0] + p["b"][1], inputs, 2)
    assert report.right
    assert [x.name for x in report.inputs] == ["p[0]", "p[1]"]


def test_float32_is_looked_at_in_float64_where_that_is_allowed() -> None:
    assert "looked at in float64" in in_one_line(tf.check(tf.sin, tf.constant([1.0, 2.0])))
    narrow = tf.check(lambda x: x * tf.constant([2.0, 3.0]), tf.constant([1.0, 2.0]))
    assert narrow.right
    assert "does not allow float64" in in_one_line(narrow)


@pytest.mark.parametrize(
    ("dtype", "seen"), [(tf.float32, 1.01), (tf.float16, 2.0), (tf.bfloat16, 4.0)]
)
def test_in_low_precision_a_fault_is_seen_as_far_as_there_are_digits(
    dtype: Any, seen: float
) -> None:
    def f(factor: float) -> Any:
        @tf.custom_gradient
        def planted(x: Any) -> Any:
            y = tf.sin(tf.ensure_shape(x, [2])) * tf.constant(2.0, dtype)
            return y, lambda dy: dy * tf.cast(2.0 * factor, x.dtype) * tf.cos(x)

        return planted

    x = tf.constant([0.5, 1.0], dtype)
    assert tf.check(f(1.0), x).right
    assert not tf.check(f(seen), x).right


def test_a_dtype_that_is_wrong_only_as_it_was_given() -> None:
    @tf.custom_gradient
    def f(x: Any) -> Any:
        return 2.0 * x, lambda dy: tf.cast(2.0 * dy, tf.float64)

    assert tf.check(f, tf.constant([1.0, 2.0])).fault == "dtype"


def test_large_inputs_are_sampled() -> None:
    x = np.linspace(0.1, 1.0, 200 * 200).reshape(200, 200)
    assert tf.check(lambda x: tf.nn.softmax(x), x, modes="forward").right
    assert tf.check(halved_square, x, modes="forward").fault == "factor"


# ---- bad inputs -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "kind", "words"),
    [
        ((3.0, 1.0), TypeError, r"takes a function of tensors and its inputs, got 3.0"),
        ((tf.sin,), ValueError, r"needs the inputs near which"),
        ((tf.sin, 2), TypeError, r"none of sin is one: 2. Write 2.0"),
        ((lambda x: None, 1.0), TypeError, r"returned None: is there a `return`"),
        ((lambda x: tf.cast(x, tf.int32), 1.0), TypeError, r"gives int32, which has no derivative"),
        ((lambda x: x @ x, 1.0), ValueError, r"it raised InvalidArgumentError: .* Give inputs for which"),
        ((tf.sparse.reduce_sum, tf.sparse.from_dense([1.0])), TypeError, r"got SparseTensor: give its values"),
    ],
)  # fmt: skip
def test_bad_inputs(given: Any, kind: Any, words: str) -> None:
    with pytest.raises(kind, match=words):
        tf.check(*given)


def test_a_rule_that_raises() -> None:
    @tf.custom_gradient
    def f(x: Any) -> Any:
        return 2.0 * x, lambda dy: dy @ dy

    with pytest.raises(
        ValueError, match=r"the gradient of .*f .* raised InvalidArgumentError: .* Mend that first"
    ):
        tf.check(f, 1.0)


# ---- rules of one's own -----------------------------------------------------------------------


def test_registered_operations() -> None:
    @tf.register_op("CheckedCube")
    def cube(x: Any) -> Any:
        return x**3

    @tf.RegisterGradient("CheckedCube")
    def grad(op: Any, dy: Any) -> Any:
        return -3.0 * dy * op.inputs[0] ** 2

    for rule in ("CheckedCube", cube, grad):
        report = tf.check_rule(rule, [1.0, 2.0])
        assert report.fault == "sign"
    assert "CheckedCube (" in str(tf.check_rule("CheckedCube", [1.0, 2.0]))
    with pytest.raises(ValueError, match="There is no type of operations 'CheckedCubes'"):
        tf.check_rule("CheckedCubes", 1.0)


def test_a_gradient_for_overrides_is_checked_where_it_is_used() -> None:
    @tf.RegisterGradient("CheckedRelu")
    def grad(op: Any, dy: Any) -> Any:
        return 2.0 * dy * tf.cast(op.inputs[0] > 0, dy.dtype)

    with pytest.raises(ValueError, match="is a gradient for overrides, and no operation"):
        tf.check_rule("CheckedRelu", [1.0])

    def f(x: Any) -> Any:
        with tf.gradient_override_map({"Relu": "CheckedRelu"}):
            return tf.nn.relu(x)

    assert tf.check_rule(f, np.array([1.0, 2.0, -1.0])).fault == "factor"


def test_wrapped_functions() -> None:
    right = tf.wrap(np.sin, vjp=lambda args, y, g: g * tf.cos(args[0]))
    wrong = tf.wrap(np.sin, vjp=lambda args, y, g: -g * tf.cos(args[0]))
    assert tf.check_rule(right, np.array([0.5, 1.0])).right
    assert tf.check_rule(wrong, np.array([0.5, 1.0])).fault == "sign"


def test_special_values_are_noted() -> None:
    @tf.custom_gradient
    def log1pexp(x: Any) -> Any:
        e = tf.exp(x)
        return tf.nn.softplus(x), lambda dy: dy * e / (1.0 + e)

    report = tf.check_rule(log1pexp, np.array([0.5, 1.0]))
    assert report.right
    assert "Where x is inf: the result is finite, and the gradient is NaN." not in report.notes
    assert (
        "Where x is 1000: the result is finite with the slope 2, and the gradient is NaN."
        in report.notes
    )


def test_a_nan_at_infinity_is_noted() -> None:
    @tf.custom_gradient
    def bounded(x: Any) -> Any:
        return tf.tanh(x), lambda dy: dy / tf.cosh(x) ** 2 * (x / x)

    assert (
        "Where x is inf: the result is finite, and the gradient is NaN."
        in tf.check_rule(bounded, np.array([0.5])).notes
    )


# ---- the command ------------------------------------------------------------------------------

RULES = """
import numpy as np
import tensorflow as tf

@tf.custom_gradient
def squared(x):
    return x * x, lambda dy: {factor} * dy * x

def check_product(x=2.0, y=3.0):
    return x * y

@tf.register_op("CommandCube")
def cube(x):
    return x ** 3

@tf.RegisterGradient("CommandCube")
def _(op, dy):
    return 3.0 * dy * op.inputs[0] ** 2

EXAMPLES = {{"squared": (np.array([1.0, 2.0]),)}}
"""


PICKY = """
import tensorflow as tf

def picky(x):
    return tf.ensure_shape(x, [7]) ** 2
"""


def written(folder: Path, factor: float) -> Path:
    file = folder / "rules.py"
    file.write_text(RULES.format(factor=factor), encoding="utf-8")
    return file


def test_the_command_checks_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(written(tmp_path, 2.0))]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in ("squared", "check_product", "CommandCube"))
    assert "x float64[2]" in out
    assert out.count("is right") == 3


def test_the_command_says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--json", f"{written(tmp_path, -2.0)}:squared"]) == 1
    (report,) = json.loads(capsys.readouterr().out)
    assert report["fault"] == "sign"


def test_the_command_checks_an_operation(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--op", "MatMul"]) == 0
    assert "The gradient of MatMul is right for 2 inputs." in capsys.readouterr().out


def test_the_command_says_what_it_needs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "picky.py"
    file.write_text(PICKY, encoding="utf-8")
    for given, words in (
        ([f"{file}:picky"], 'EXAMPLES = {"picky": (np.array([1.0, 2.0]),)}'),
        ([f"{file}:other"], "there is no function 'other'"),
        ([str(file)], "there is nothing to check"),
        ([str(tmp_path / "none.py")], "there is no file"),
        (["--op", "MatMuls"], "Near it: MatMul"),
        (["--op", "Sum"], "write a function check_Sum"),
        ([], "give a file, or an operation"),
    ):
        assert main(["check", *given]) == 2
        assert words in capsys.readouterr().err.replace("\n", "")


def test_variables_are_put_back() -> None:
    """Of a closure, of a module, of a method; the function is called many times."""
    steps = tf.Variable(0.0)

    class Counting(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.calls = tf.Variable(0.0)

        def __call__(self, x: Any) -> Any:
            self.calls.assign_add(1.0)
            return x * x

    def counted(x: Any) -> Any:
        steps.assign_add(1.0)
        return tf.reduce_sum(x * x)

    module = Counting()
    assert tf.check(counted, [1.0, 2.0]).right
    assert tf.check(module, [1.0, 2.0]).right
    assert tf.check_rule(module.__call__, [1.0, 2.0]).right
    assert steps.numpy() == module.calls.numpy() == 0.0
