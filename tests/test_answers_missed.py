"""Questions that explain, check and anomaly once answered wrong: each by its cause."""

from __future__ import annotations

import importlib
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.cli import main

# ---- explain ------------------------------------------------------------------------------------


def test_several_statements_on_a_line_are_read_and_mended_together() -> None:
    w = tf.Variable([1.0, 4.0])
    with tf.GradientTape() as tape:
        h = tf.sin(w); z = tf.constant(np.square(h.numpy())); loss = tf.reduce_sum(z)  # noqa: E702  # fmt: skip
    answer = tape.explain(loss, w)
    assert answer.kind == "left-tape"
    assert "h = tf.sin(w); z = tf.square(h); loss = tf.reduce_sum(z)" in answer.mend
    assert "h = tf.sin(w); z = tf.square(h)" in answer.mended()


_MODULE = """import numpy as np
import wengert as tf


def ask():
    w = tf.Variable([1.0, 4.0])
    with tf.GradientTape() as tape:
        h = tf.sin(w)
        loss = tf.reduce_sum(tf.constant(h.numpy()))
    return tape.explain(loss, w)
"""


def test_lines_of_a_file_that_has_changed_are_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "changed_since.py"
    file.write_text(_MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    module = importlib.import_module("changed_since")
    file.write_text("# another\n# head\n" + _MODULE)
    answer = module.ask()
    del sys.modules["changed_since"]
    assert answer.kind == "left-tape"
    assert answer.line.endswith("changed_since.py:9")
    assert "with tf.GradientTape" not in str(answer)  # what stands at line 9 now
    assert "it has changed since" in " ".join(str(answer).split())


def test_what_another_thread_computed_is_told_apart() -> None:
    w = tf.Variable([1.0, 4.0])
    made: list[Any] = []

    def work() -> None:
        made.append(tf.sin(w))

    with tf.GradientTape() as tape:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        loss = tf.reduce_sum(made[0])
    answer = tape.explain(loss, w)
    assert answer.kind == "after-tape"
    assert "work runs in another thread" in answer.title


def test_the_derivative_of_what_is_linear_is_a_constant() -> None:
    x = tf.Variable([1.0, 4.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.reduce_sum(3.0 * x)
        g = inner.gradient(y, x)
    answer = outer.explain(g, x)
    assert answer.kind == "no-path"
    assert "g is the same whatever x is" in answer.title
    assert "unconnected_gradients='zero'" in answer.mend


class Model:
    def __init__(self) -> None:
        self.w: Any = tf.Variable([1.0, 2.0])

    def train(self) -> Any:
        for step in range(2):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(self.w * self.w)
            if step:
                return tape.explain(loss, self.w)
            g = tape.gradient(loss, self.w)
            self.w = self.w - 0.1 * g
        return None


def test_an_attribute_that_was_overwritten() -> None:
    answer = Model().train()
    assert answer.kind == "overwritten"
    assert "self.w.assign_sub(0.1 * g)" in answer.mend


def test_a_step_of_an_optimizer_names_its_loss(tmp_path: Path) -> None:
    file = tmp_path / "steps.py"
    file.write_text(
        "import wengert as tf\n"
        "w, v = tf.Variable([1.0]), tf.Variable(1.0)\n"
        "def cost():\n"
        "    return tf.reduce_sum(w * w)\n"
        "tf.optimizers.SGD(0.1).minimize(cost, [w, v])\n"
    )
    command = [sys.executable, "-m", "wengert", "run", "--explain", str(file)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    assert "d cost() / d v is None: cost() does not depend on v." in said
    assert "var_list" in said
    assert "the target" not in said


@pytest.mark.parametrize("axes", ["[:, None]", "[:, tf.newaxis]"])
def test_a_softmax_whose_axis_is_put_back(axes: str, tmp_path: Path) -> None:
    file = tmp_path / f"soft{len(axes)}.py"
    file.write_text(
        "import wengert as tf\n"
        "x = tf.Variable([[1000.0, 1.0], [2.0, 3.0]])\n"
        "with tf.GradientTape() as tape:\n"
        f"    p = tf.exp(x) / tf.reduce_sum(tf.exp(x), 1){axes}\n"
        "    loss = tf.reduce_sum(p[:, 0])\n"
        "answer = tape.explain(loss, x)\n"
    )
    space: dict[str, Any] = {}
    exec(compile(file.read_text(), str(file), "exec"), space)
    assert space["answer"].kind == "softmax"
    assert "p = tf.nn.softmax(x, 1)" in space["answer"].mend


@pytest.mark.parametrize(
    "spread",
    [lambda s: s[:, None], lambda s: tf.expand_dims(s, 1), lambda s: tf.reshape(s, [2, 1])],
)
def test_that_softmax_is_stabilized(spread: Any) -> None:
    x = tf.constant([[1000.0, 1.0], [2.0, 3.0]])

    def soft(x: Any) -> Any:
        e = tf.exp(x)
        return e / spread(tf.reduce_sum(e, 1))

    with tf.debugging.stabilize():
        np.testing.assert_allclose(soft(x), tf.nn.softmax(x), 1e-6)
    # along the other axis it is no softmax
    with tf.debugging.stabilize():
        e = tf.exp(x[1:] * 0.1 + tf.zeros([2, 2]))
        np.testing.assert_array_equal(
            e / tf.reduce_sum(e, 0)[:, None], np.asarray(e) / np.sum(e, 0)[:, None]
        )


def test_stable_forms_in_taylor_mode() -> None:
    def f(x: Any) -> Any:
        return tf.reduce_sum(tf.math.log(1.0 + tf.exp(x)))

    x = tf.constant([1000.0, 0.5])
    with tf.debugging.stabilize():
        curved, summed = tf.hessian_diag(f)(x), tf.laplacian(f)(x)
    s = 1 / (1 + np.exp(-0.5))
    np.testing.assert_allclose(curved, [0.0, s * (1 - s)], 1e-6)
    np.testing.assert_allclose(summed, s * (1 - s), 1e-6)


# ---- anomaly ------------------------------------------------------------------------------------


def test_an_anomaly_that_is_given() -> None:
    x = tf.constant([1.0, 2.0])
    nan = tf.constant([np.nan, 1.0], tf.float32)
    with tf.debugging.anomaly():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        with pytest.raises(
            tf.errors.AnomalyError, match=r"output_gradients\[0\] .* test_answers_missed"
        ):
            tape.gradient(y, x, output_gradients=nan)
        with pytest.raises(tf.errors.AnomalyError, match="A tangent of"):
            tf.autodiff.ForwardAccumulator(x, nan)


def test_an_anomaly_in_forward_mode() -> None:
    x = tf.constant([0.0, 1.0])
    with (
        tf.debugging.anomaly(),
        tf.autodiff.ForwardAccumulator(x, tf.ones(2)),
        pytest.raises(tf.errors.AnomalyError, match=r"infinite in the rule of Sqrt"),
    ):
        tf.sqrt(x)


def test_an_anomaly_that_a_session_is_given() -> None:
    with tf.Graph().as_default():
        x = tf.constant([1.0, 2.0])
        with tf.debugging.anomaly():
            (g,) = tf.gradients(x * x, x, grad_ys=tf.constant([np.nan, 1.0], tf.float32))
        with (
            tf.compat.v1.Session() as session,
            pytest.raises(tf.errors.OpError, match=r"grad_ys\[0\]"),
        ):
            session.run(g)


# ---- check --------------------------------------------------------------------------------------


def scaled_at(places: list[int]) -> Any:
    @tf.custom_gradient
    def f(x: Any) -> Any:
        factors = np.ones(6)
        factors[places] = 1.5
        return tf.sin(x), lambda g: g * tf.cos(x) * factors

    return f


@pytest.mark.parametrize("places", [[1], [0, 3], [2, 4], [5]])
def test_a_fault_by_position_has_no_condition(places: list[int]) -> None:
    for seed in range(6):
        x = tf.constant(np.random.default_rng(seed).normal(size=6))
        report = tf.check(scaled_at(places), x, order=1)
        assert report.fault == "elements"
        assert "where" not in report.inputs[0].words[1], (seed, report)
        assert f"x[{places[0]}]" in report.inputs[0].words[1]


@pytest.mark.parametrize("x", [[1.0, -1.0, 2.0, 0.5], [-0.3, -1.0, 2.0, 0.5]])
def test_a_fault_by_value_keeps_its_condition(x: list[float]) -> None:
    @tf.custom_gradient
    def f(x: Any) -> Any:
        return tf.sin(x), lambda g: g * tf.cos(x) * np.where(x < 0, 1.5, 1.0)

    report = tf.check(f, tf.constant(x, tf.float64), order=1)
    assert "where x is negative" in report.inputs[0].words[1]


RIGHT: list[tuple[Any, Any]] = [
    (lambda x: tf.cast(tf.sin(tf.cast(x, tf.float32)), tf.float64), np.array([0.3, -1.2, 2.0])),
    (lambda x: tf.cast(tf.tanh(tf.cast(x, tf.float16)), tf.float32), np.array([0.3, -1.2], "f")),
    (lambda x: x * x, np.array([1e-310, 3e-320])),
    (tf.exp, np.array([-740.0])),
    (tf.linalg.cholesky, np.array([[4.0, 1.0, 0.5], [1.0, 5.0, -1.0], [0.5, -1.0, 6.0]])),
    (tf.norm, np.zeros(2)),
    (lambda x: tf.norm(x, axis=1), np.array([[0.0, 0.0], [1.0, 2.0]])),
]


@pytest.mark.parametrize("number", range(len(RIGHT)))
def test_no_false_alarm(number: int) -> None:
    f, x = RIGHT[number]
    tf.check(f, tf.constant(x)).assert_right()


def test_a_fault_within_casts_is_still_found() -> None:
    @tf.custom_gradient
    def f(x: Any) -> Any:
        y = tf.cast(tf.sin(tf.cast(x, tf.float32)), tf.float64)
        return y, lambda g: 1.05 * g * tf.cos(x)

    assert not tf.check(f, tf.constant([0.3, -1.2], tf.float64)).right


def test_half_of_a_matrix_rule_is_no_convention() -> None:
    @tf.custom_gradient
    def f(a: Any) -> Any:
        return tf.reduce_sum(tf.linalg.cholesky(a)), lambda g: g * tf.linalg.band_part(a, -1, 0)

    assert not tf.check(f, tf.constant(RIGHT[4][1])).right


_CLASSES = """import wengert as tf


class Losses:
    @staticmethod
    def check_square(x):
        return x * x

    @staticmethod
    @tf.custom_gradient
    def wrong(x):
        return x * x, lambda g: 3.0 * g * x
"""


def test_static_methods_of_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "losses.py"
    file.write_text(_CLASSES)
    assert main(["check", str(file)]) == 1
    said = capsys.readouterr().out
    assert "The gradient of check_square (losses.py:5) is right" in said
    assert "The gradient of wrong (losses.py:9) is wrong" in said
    assert main(["check", f"{file}:Losses.check_square"]) == 0


@pytest.mark.parametrize(
    "name", ["Cholesky", "Conv2D", "GatherV2", "MaxPool", "SegmentSum", "TopKV2", "Qr"]
)
def test_an_operation_without_arguments(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--op", name]) == 0
    assert f"The gradient of {name} is right" in capsys.readouterr().out


# ---- drawings -----------------------------------------------------------------------------------


def test_a_model_of_bfloat16_is_not_called_complete() -> None:
    x = tf.constant([1.0, 2.0], tf.bfloat16)
    model = tf.draw(lambda x: tf.sin(x) * x, x).onnx()
    assert not model.complete
    assert [lost.type for lost in model.without] == ["Sin", "Mul"]
    with pytest.raises(NotImplementedError, match="cast to float32"):
        tf.draw(tf.sin, x).onnx(strict=True)
    assert tf.draw(lambda x: tf.sin(tf.cast(x, tf.float32)), x).onnx().complete


# ---- what a stranger tried -----------------------------------------------------------------------


def test_comments_and_continued_lines_within_a_statement_are_no_part_of_its_text() -> None:
    w = tf.Variable([1.0, 4.0])
    with tf.GradientTape() as tape:
        h = tf.constant(
            np.square(  # by hand # twice
                w.numpy()
            )
        )
        z = \
            tf.reduce_sum(h)  # fmt: skip
    answer = tape.explain(z, w)
    assert answer.kind == "left-tape"
    assert "+ h = tf.square(w)" in str(answer)
    assert "by hand" not in str(answer)
    assert answer.mended().count("h = tf.square(w)") >= 1


def test_a_mend_names_the_tape_as_the_program_does() -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as second:
        y = tf.reduce_sum(x**3)
    assert "+ second.watch(x)" in str(second.explain(y, x))


def test_lines_of_a_mend_fit_into_a_terminal() -> None:
    weights_of_the_first_layer = tf.Variable([0.5, 1.0])
    with tf.GradientTape() as tape:
        loss_of_everything = tf.reduce_sum(tf.acos(weights_of_the_first_layer * 2.0) + weights_of_the_first_layer)  # fmt: skip
    answer = tape.explain(loss_of_everything, weights_of_the_first_layer)
    assert max(map(len, str(answer).split("\n"))) <= 80
    assert answer.mend.split("\n")[-1].startswith("loss_of_everything = tf.reduce_sum(tf.acos(")


def test_one_target_that_is_not_finite_spoils_the_sum_of_several() -> None:
    w = tf.Variable([0.0, 2.0])
    with tf.GradientTape() as tape:
        right = tf.reduce_sum(w * 2.0)
        wrong = tf.reduce_sum(tf.math.log(w) * w)
    assert tape.explain([right, wrong], w).kind == "log"


def test_weights_that_are_not_finite_are_named() -> None:
    w = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = w * 2.0
    answer = tape.explain(y, w, output_gradients=tf.constant([np.nan, 1.0]))
    assert "It came with output_gradients." in str(answer)


def test_the_gradient_of_nothing_is_not_called_finite() -> None:
    w = tf.Variable(tf.zeros([0, 3]))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(w)
    assert str(tape.explain(y, w)) == "d y / d w is there, and has no elements."


@tf.function
def within(v: Any) -> Any:
    return tf.stop_gradient(v)


@tf.function
def around(v: Any) -> Any:
    h = within(v)
    return tf.reduce_sum(h * 2.0)


def test_a_function_within_a_function_has_its_own_lines() -> None:
    w = tf.Variable([0.0, 2.0])
    with tf.GradientTape() as tape:
        loss = around(w)
    answer = tape.explain(loss, w)
    first = within.python_function.__code__.co_firstlineno
    assert answer.line.endswith(f":{first + 2}")
    assert "+ return v" in str(answer)


def test_a_program_without_text_is_asked_by_names(tmp_path: Path) -> None:
    """As in a session of Python: its lines are not kept, but its names are."""
    code = (
        "import wengert as tf\nw = tf.Variable([1.0])\nwith tf.GradientTape(source_lines=True) as tape:\n"
        "    loss = tf.constant(w.numpy())\nprint(tape.explain(loss, w))\n"
    )
    done = subprocess.run(
        [sys.executable, "-"], input=code, capture_output=True, text=True, check=True
    )
    assert "d loss / d w is None" in done.stdout


def test_a_rule_that_reads_what_the_function_changes_is_no_rule() -> None:
    calls = [0]

    @tf.custom_gradient
    def square(x: Any) -> Any:
        calls[0] += 1
        return x * x, lambda dy: dy * 2.0 * x * (1.0 if calls[0] % 2 else 1.1)

    report = tf.check(square, np.array([1.0, 2.0]))
    assert not report.right
    assert "it depends on a state" in " ".join(str(report).split())
