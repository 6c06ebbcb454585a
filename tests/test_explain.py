"""Programs with a planted trouble: explained by the kind, the line, and a mend that works."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import wengert as tf
from wengert.insight.explain.explanation import Explanation
from wengert.insight.explain.met import Met
from wengert.insight.program_text import line_text

TROUBLES = sorted((Path(__file__).parent / "data" / "troubles").glob("*.py"))

# Where the mend is a decision of the author's, it is in words alone: what returned None, which of many
# starting points, what the numbers mean, how an index or a number that is too large can be done without.
IN_WORDS = {
    "nan_eigenvectors", "nan_exp_session", "none_argmax", "none_branch", "none_custom", "none_no_path_session",
    "none_numpy_function", "none_override", "none_session_argmax",
}  # fmt: skip


def run(path: Path) -> Any:
    return runpy.run_path(str(path))["report"]


@pytest.mark.parametrize("path", TROUBLES, ids=lambda p: p.stem)
def test_a_trouble_is_explained(path: Path, tmp_path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    report = run(path)
    assert report.kind == lines[0].strip('"')
    marked = next(n for n, line in enumerate(lines, 1) if line.endswith("#!"))
    assert report.line == f"{path}:{marked}"
    assert report.mend
    assert f"{path.name}:{marked}" in str(report)
    if path.stem in IN_WORDS or path.stem.startswith("zero"):
        return
    mended = tmp_path / path.name
    mended.write_text(report.mended(), encoding="utf-8")
    assert run(mended).kind in ("right", "zero"), report.mended()  # a norm has slope zero at zero


# ---- asked otherwise ----------------------------------------------------------------------------


def elsewhere(f: Any, *xs: Any, **options: Any) -> Any:
    with tf.GradientTape(**options) as tape:
        for x in xs:
            tape.watch(x)
        y = f(*xs)
    return tape, y


X = tf.constant([1.0, 2.0])


def test_a_tape_that_began_elsewhere() -> None:
    tape, y = elsewhere(lambda x: tf.reduce_sum(tf.round(x)), X)
    assert "source_lines=True" in str(tape.explain(y, X))
    tape, y = elsewhere(lambda x: tf.reduce_sum(tf.round(x)), X, source_lines=True)
    assert tape.explain(y, X).kind == "no-gradient"
    tape, y = elsewhere(lambda x: tf.reduce_sum(tf.exp(x)), X)
    other = tf.constant([5.0, 6.0])
    assert tape.explain(y, other).kind == "not-watched"
    assert tape.explain(y, X).right
    tape.gradient(y, X)
    assert tape.explain(y, X).kind == "used-up"


def test_several_sources_have_several_answers() -> None:
    v, w = tf.Variable(1.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        loss = tf.stop_gradient(v) * w
    first, second = tape.explain(loss, [v, w])
    assert (first.kind, second.kind) == ("stop-gradient", "right")
    assert "d loss / d v" in first.title


def test_asked_after_the_gradient() -> None:
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = tf.reduce_sum(tf.stop_gradient(X))
    assert tape.gradient(y, X) is None
    assert tape.explain(y, X).kind == "stop-gradient"


def test_gradients_of_gradients() -> None:
    with tf.GradientTape() as outer:
        outer.watch(X)
        with tf.GradientTape() as inner:
            inner.watch(X)
            y = tf.reduce_sum(X**1.5 - 3.0 * X)
        first = inner.gradient(y, X)
        total = tf.reduce_sum(tf.stop_gradient(first))
    report = outer.explain(total, X)
    assert report.kind == "stop-gradient"


def test_a_function_that_is_traced() -> None:
    reports = []

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.cast(tf.cast(x, tf.int32), tf.float32)
        reports.append(tape.explain(y, x))
        return y

    step(X)
    assert reports[0].kind == "integer"


def test_an_answer_in_all_its_forms(tmp_path: Path) -> None:
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = tf.reduce_sum(tf.math.log(X - 1.0))
    report = tape.explain(y, X)
    assert isinstance(report, Explanation)
    assert all(len(line) <= 110 for line in str(report).split("\n"))
    assert json.loads(json.dumps(report.to_dict()))["kind"] == "log"
    page = report.to_html(tmp_path / "answer.html")
    assert (tmp_path / "answer.html").read_text(encoding="utf-8") == page
    assert "http" not in page  # nothing is fetched
    assert "<h1>" in report._repr_html_()


PROGRAM = """
import tensorflow as tf
x, w = tf.Variable([0.0, 2.0]), tf.Variable(3.0)
@tf.function
def step():
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.where(x > 0, tf.math.log(x), 0.0))
        z = float(w) * y
    return tape.gradient(z, [x, w])
for _ in range(3):
    step()
v1 = tf.compat.v1
with tf.Graph().as_default():
    p = v1.placeholder(tf.float32, [2])
    g, = tf.gradients(tf.reduce_sum(tf.sqrt(p)), p)
    tf.gradients(tf.argmax(p), p)
    print(v1.Session().run(g, {p: [0.0, 1.0]}))
"""


def test_a_whole_program(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    run = subprocess.run(
        [sys.executable, "-m", "wengert", "run", "--explain", "program.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout == "[inf 0.5]\n"
    assert "4 gradients explained" in run.stderr
    for said in (
        "z = w * y",
        "tf.math.log(safe)",
        "ArgMax (program.py:16) gives integers",
        "1e-12",
    ):
        assert said in run.stderr


@pytest.mark.timing
def test_a_long_tape_is_explained_soon() -> None:
    """In less time than it took to run with notes of its operations: half of it, where it is quiet."""

    def ratio() -> float:
        start = time.perf_counter()
        with tf.GradientTape() as tape:
            tape.watch(X)
            y = X
            for _ in range(50_000):
                y = y * 0.9999 + 0.0001
            y = tf.round(y)
        recorded = time.perf_counter()
        assert tape.explain(y, X).kind == "no-gradient"
        return (time.perf_counter() - recorded) / (recorded - start)

    assert any(ratio() < 1 for _ in range(4))


# ---- what users compose -------------------------------------------------------------------------


def test_nested_sources_and_targets() -> None:
    x = {"a": tf.Variable(1.0), "b": tf.Variable(2.0)}
    with tf.GradientTape() as tape:
        y = [x["a"] * 2.0, tf.stop_gradient(x["b"])]
    answers = tape.explain(y, x)
    assert {k: v.kind for k, v in answers.items()} == {"a": "right", "b": "stop-gradient"}
    assert "x['b']" in answers["b"].title
    with pytest.raises(TypeError, match="a tensor or a variable"):
        tape.explain(y, 5.0)


def test_loops_and_inner_functions() -> None:
    def loop(x: Any, step: Any) -> Any:
        return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, step(y)), [0, x])[1]

    with tf.GradientTape() as tape:
        tape.watch(X)
        y = tf.function(lambda x: loop(x, tf.round))(X)
    assert tape.explain(y, X).kind == "no-gradient"
    with tf.Graph().as_default():
        p = tf.compat.v1.placeholder(tf.float32, [])
        y = loop(p, lambda y: y**0.5)
        report = tf.explain_gradient(y, p, {p: 0.0}, tf.compat.v1.Session())
    assert report.kind == "pow"
    assert "y**0.5" in line_text(report.line)
    inner = tf.recompute_grad(lambda x: tf.math.log(x - 1.0))
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = tf.reduce_sum(inner(X))
    assert tape.explain(y, X).kind == "log"


def test_answers_in_threads() -> None:
    kinds = []

    def work() -> None:
        x = tf.Variable(1.0)
        with tf.GradientTape() as tape:
            y = tf.stop_gradient(x)
        kinds.append(tape.explain(y, x).kind)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert kinds == ["stop-gradient"] * 8


STABLE = "tf.GradientTape(stabilize=True)"


@pytest.mark.parametrize("path", TROUBLES, ids=lambda p: p.stem)
def test_what_stabilize_is_said_to_mend_it_mends(path: Path, tmp_path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    if STABLE not in run(path).mend:
        return
    mended = tmp_path / path.name
    mended.write_text(text.replace("tf.GradientTape(", "tf.GradientTape(stabilize=True, "), "utf-8")
    assert run(mended).kind == "right"


def test_stabilize_is_named_where_it_helps() -> None:
    """In these: formulas, which have another form."""
    named = {path.stem for path in TROUBLES if STABLE in run(path).mend}
    assert named == {
        "nan_cross_entropy", "nan_entropy", "nan_entropy_function", "nan_logsumexp",
        "nan_softmax_by_hand", "nan_softmax_in_one", "nan_softplus",
    }  # fmt: skip


def test_a_program_may_ask_for_a_tuple_of_gradients() -> None:
    v, w = tf.Variable(1.0), tf.Variable(2.0)
    with tf.GradientTape(source_lines=True, persistent=True) as tape:
        y = tf.stop_gradient(v) * w
    met = Met()
    met.by_tape(tape.gradient(y, (v, w)), sys._getframe(), lambda: tape.explain(y, (v, w)))
    assert [report.kind for report in met.reports] == ["stop-gradient"]


# ---- overrides, weights and conventions of one gradient ------------------------------------------


def cut(op: Any, g: Any) -> None:
    """A rule that gives nothing."""


def scoped() -> tuple[Any, Any]:
    with tf.GradientTape(persistent=True, source_lines=True) as tape:
        tape.watch(X)
        with tf.name_scope("inner"):
            h = tf.nn.relu(X)
            k = tf.sin(h)
        y = tf.reduce_sum(k * 2.0)
    return tape, y


@pytest.mark.parametrize("what", ["Relu", "inner/", ("type", "Sin"), lambda op: op.type == "Sin"])
def test_an_override_of_one_gradient_is_named(what: Any) -> None:
    tape, y = scoped()
    assert tape.gradient(y, X, overrides={what: cut}) is None
    answer = tape.explain(y, X, overrides={what: cut})
    assert answer.kind == "override-none"
    line = cut.__code__.co_firstlineno
    assert f"the rule of test_explain.py:{line}" in str(answer)
    assert tape.explain(y, X).right


def test_an_override_in_a_function_and_in_a_graph_is_named() -> None:
    f = tf.function(lambda x: tf.reduce_sum(tf.nn.relu(x) * 3.0))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(X)
        y = f(X)
    assert tape.explain(y, X, overrides={"Relu": cut}).kind == "override-none"
    with tf.Graph().as_default():
        x = tf.constant([1.0, 2.0])
        y = tf.reduce_sum(tf.nn.relu(x, name="rectified"))
        assert tf.gradients(y, x, overrides={"rectified": cut}) == [None]
        assert tf.explain_gradient(y, x, overrides={"rectified": cut}).kind == "override-none"


def test_weights_of_zeros_are_named() -> None:
    tape, y = scoped()
    answer = tape.explain(y, X, output_gradients=tf.constant(0.0))
    assert answer.kind == "zero"
    assert "output_gradients weighs y with zeros" in str(answer)


def test_the_conventions_of_the_tape_hold_in_its_answers() -> None:
    x = tf.constant([0.0, 2.0])
    kinds = []
    for strong_zero in (False, True):
        with tf.GradientTape(strong_zero=strong_zero) as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.where(x > 0.0, tf.math.log(x), 0.0))
        kinds.append(tape.explain(target=y, sources=x).kind)
    assert kinds == ["where", "right"]


def test_the_line_within_a_gradient_function_is_named() -> None:
    @tf.custom_gradient
    def root(x: Any) -> Any:
        y = tf.sqrt(x)

        def grad(dy: Any) -> Any:
            return dy * 0.5 / y

        return y, grad

    x = tf.constant([0.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(root(x))
    answer = tape.explain(sources=x, target=y)
    assert answer.kind == "division"
    assert line_text(answer.line) == "return dy * 0.5 / y"
    assert str(answer).startswith("1 of 2 numbers in d y / d x is infinite, x[0]")


# ---- gradients that nobody fetches ---------------------------------------------------------------

MINIMIZED = """
import tensorflow as tf
w = tf.get_variable("w", initializer=[0.0, 1.0])
loss = tf.reduce_mean(tf.where(w > 0.0, tf.log(w), tf.zeros_like(w)) * tf.random_uniform([2], 1, 1, seed=1))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    s.run(train)
    print(s.run(w))
"""


def test_a_training_step_of_a_session_is_explained(tmp_path: Path) -> None:
    """Before the step, whose numbers would be NaN afterwards; the program goes on as it would."""
    (tmp_path / "program.py").write_text(MINIMIZED)
    outputs = []
    for options in (["--v1"], ["--v1", "--explain"]):
        done = subprocess.run(
            [sys.executable, "-m", "wengert", "run", *options, "program.py"],
            cwd=tmp_path, capture_output=True, text=True, check=True,
        )  # fmt: skip
        outputs.append(done.stdout)
    assert outputs[0] == outputs[1]
    assert "1 gradient explained" in done.stderr
    assert "d loss / d w is NaN" in done.stderr
    assert "safe = tf.where(w > 0.0, w, 1.0)" in done.stderr
