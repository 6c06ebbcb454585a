"""Mends are lines of the program: they run, keep the value, and give the gradient that is wanted."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wengert as tf

HEAD = "import math\nimport numpy as np\nimport wengert as tf\n"


def program(setup: str, lines: str) -> str:
    block = "\n    ".join(lines.split("\n"))
    return f"""{HEAD}{setup}
with tf.GradientTape() as tape:
    {block}
gradient = tape.gradient(y, x)
answer = tape.explain(y, x)
"""


def run(folder: Path, text: str) -> dict[str, Any]:
    folder.mkdir(exist_ok=True)
    file = folder / f"program_{len(list(folder.iterdir()))}.py"
    file.write_text(text, encoding="utf-8")
    return runpy.run_path(str(file))


def asked(folder: Path, setup: str, lines: str) -> tuple[Any, dict[str, Any]]:
    """The answer, and what the mended program has when it has run."""
    answer = run(folder, program(setup, lines))["answer"]
    return answer, run(folder, answer.mended())


def said(answer: Any) -> str:
    return " ".join(str(answer).split())


# What a program begins with, its lines, what the mended line has in it, its gradient, its value.
MENDED: list[tuple[str, str, str, Any, Any]] = [
    # An expression in another keeps its brackets.
    ("x = tf.Variable([0.0, 8.0])", "y = tf.reduce_sum(x ** (1.0 / 3.0))",
     "tf.maximum(x, 1e-12) ** (1.0 / 3.0)", [0.0, 1 / 12], 2.0),
    ("x = tf.Variable([3.3, 8.8]); a, b = 2.0, 1.0", "y = tf.reduce_sum((x + 1.0) // (a + b))",
     "(x + 1.0) / (a + b)", [1 / 3, 1 / 3], 4.7),
    ("x = tf.Variable([3.3, 8.8]); a = 2.0", "y = tf.reduce_sum(tf.round(x - a))",
     "x - a + tf.stop_gradient(tf.round(x - a) - (x - a))", [1.0, 1.0], 8.0),
    ("x = tf.Variable(0.3); a, b = 0.9, 0.4", "y = tf.cast(x > a - b, tf.float32)",
     "tf.sigmoid(10.0 * (x - (a - b)))", None, 0.1192),
    ("x = tf.Variable(0.3); a, b = 0.9, 0.4", "y = tf.cast(a - b < x, tf.float32)",
     "tf.sigmoid(10.0 * (x - (a - b)))", None, 0.1192),
    ("x = tf.Variable(0.3); a, b = 0.9, 0.4", "y = tf.cast(tf.equal(x, a - b), tf.float32)",
     "tf.exp(-(x - (a - b)) ** 2)", None, 0.9608),
    ("x = tf.Variable([1.0, 0.0])", "y = tf.reduce_sum(3.0 / x / 2.0)",
     "tf.math.divide_no_nan(3.0, x) / 2.0", [-1.5, 0.0], 1.5),
    ("x = tf.Variable([1.0, 0.0])", "y = tf.reduce_sum(1.0 / (x * 2.0) - 1.0 / (x + 1.0))",
     "tf.math.divide_no_nan(1.0, x * 2.0) - 1.0 / (x + 1.0)", [-0.25, 1.0], -1.0),
    # The same function, where it was finite.
    ("x = tf.Variable([0.0, 2.0]); safe = tf.constant(10.0)",
     "y = tf.reduce_sum(tf.where(x > 0.0, tf.math.log(x), 0.0)) * safe",
     "safe_2 = tf.where(x > 0.0, x, 1.0)", [0.0, 5.0], 6.9315),
    ("x = tf.Variable([[100.0, 30.0], [60.0, 2.0]])",
     "e = tf.exp(x)\np = e / tf.reduce_sum(e, axis=0)\ny = tf.reduce_sum(p * [[1.0, 2.0], [3.0, 4.0]])",
     "tf.reduce_max(x, 0, keepdims=True)", [[0.0, 0.0], [0.0, 0.0]], 3.0),
    ("x = tf.Variable([[100.0, 100.0], [60.0, 2.0]])",
     "e = tf.exp(x)\np = e / tf.reduce_sum(e)\ny = tf.reduce_sum(p * [[1.0, 2.0], [3.0, 4.0]])",
     "tf.exp(x - tf.reduce_max(x))", [[-0.25, 0.25], [0.0, 0.0]], 1.5),
    ("x = tf.Variable([-1.0, -0.5])", "y = tf.reduce_sum(tf.math.log1p(x))",
     "tf.math.log1p(tf.maximum(x, -1.0 + 1e-06))", [0.0, 2.0], None),
    ("x = tf.Variable([0.0, -2.0])", "y = tf.reduce_sum(x ** -2)",
     "tf.math.divide_no_nan(1.0, x ** 2)", [0.0, 0.25], 0.25),
    ("x = tf.Variable([100.0, 1.0])", "y = tf.math.log(tf.reduce_sum([0.3, 0.7] * tf.exp(x)))",
     "tf.reduce_logsumexp(x + tf.math.log([0.3, 0.7]))", [1.0, 0.0], 98.796),
    ("x = tf.Variable([100.0, 1.0])", "y = tf.math.log(tf.reduce_mean(tf.exp(x)))",
     "tf.reduce_logsumexp(x) - ", [1.0, 0.0], 99.3069),
    ("x = tf.Variable([100.0, 1.0])", "y = tf.reduce_sum(tf.math.log(2.0 + tf.exp(x)))",
     "tf.nn.softplus(x - 0.693", [1.0, 0.5761], 101.5514),
    ("x = tf.Variable([200.0, 3.0])", "y = tf.reduce_sum(tf.exp(x) / (1.0 + tf.exp(x)))",
     "tf.sigmoid(x)", [0.0, 0.0452], 1.9526),
    ("x = tf.Variable([1.0, 2.0])", "v = np.array([x[0], x[1]]) * 2\ny = tf.reduce_sum(tf.constant(v) ** 2)",
     "tf.stack([x[0], x[1]]) * 2", [8.0, 16.0], 20.0),
    # Names, and what is put where.
    ("x = tf.Variable([1.0, 200.0])", "y = tf.reduce_sum(tf.where(x < 10.0, tf.exp(x), x))",
     "tf.exp(safe)", [2.7183, 1.0], 202.7183),
    ("a = x = tf.Variable([0.0, 2.0])", "y = tf.reduce_sum(tf.where(a > 0.0, tf.math.log(a), 0.0))",
     "tf.math.log(safe)", [0.0, 0.5], 0.6931),
    ("t = x = tf.Variable([0.0, 2.0])", "y = tf.reduce_sum(tf.where(t > 0.0, tf.divide(t, t), 0.0))",
     "tf.divide(t, safe)", [0.0, 0.0], 1.0),
    ("x = tf.Variable([-1.0, 1.0])",
     "y = tf.reduce_sum(tf.where(x < 0.0, 1.0 / (1.0 - x), tf.math.log(x + 1.0)))",
     "tf.where(x < 0.0, 1.0 / safe, tf.math.log(safe_2))", [0.25, 0.5], 1.1931),
    ("x = tf.Variable([0.2, 0.9, 0.0])",
     "y = tf.reduce_sum(tf.one_hot(tf.argmax(x), 3) * [1.0, 2.0, 3.0])",
     "tf.nn.softmax(x) * [1.0, 2.0, 3.0]", None, None),
    ("x = tf.Variable([1.5, 2.5])",
     "k = tf.map_fn(lambda v: tf.cast(v, tf.int32), x, fn_output_signature=tf.int32)\n"
     "y = tf.reduce_sum(tf.cast(k, tf.float32))",
     "k = tf.map_fn(lambda v: v, x)", [1.0, 1.0], 4.0),
    ("x = tf.Variable(tf.constant([0.0, 0.0], tf.float16))", "y = tf.norm(x)",
     "1e-06", [0.0, 0.0], None),
    ("x = tf.Variable([0.0, 4.0])", "y = tf.reduce_sum(tf.math.rsqrt(x))",
     "tf.math.rsqrt(x + 1e-12)", [-5e17, -1 / 16], None),
    ("x = tf.Variable([0.0, 2.0])", "y = tf.reduce_sum(3.0 * tf.math.log(x))",
     "3.0 * tf.math.log(tf.maximum(x, 1e-12))", [0.0, 1.5], None),
    ("x = tf.Variable([100.0, 1.0])",
     "y = tf.reduce_sum(tf.where(x >= 2.0, x, tf.exp(x) / tf.reduce_sum(tf.exp(x))))",
     "tf.where(x >= 2.0, x, tf.nn.softmax(x))", None, 100.0),
    # In a function of the program.
    ("def loss(v):\n    return tf.reduce_sum(3.0 / v / 2.0)\nx = tf.Variable([1.0, 0.0])", "y = loss(x)",
     "return tf.reduce_sum(tf.math.divide_no_nan(3.0, v) / 2.0)", [-1.5, 0.0], 1.5),
]  # fmt: skip


@pytest.mark.parametrize(("setup", "lines", "line", "gradient", "value"), MENDED)
def test_a_mended_program_is_right(
    setup: str, lines: str, line: str, gradient: Any, value: Any, tmp_path: Path
) -> None:
    answer, mended = asked(tmp_path, setup, lines)
    assert line in answer.mended(), answer.mended()
    assert mended["answer"].kind in ("right", "zero")
    if gradient is not None:
        np.testing.assert_allclose(mended["gradient"], gradient, rtol=1e-3, atol=1e-3)
    if value is not None:
        np.testing.assert_allclose(mended["y"], value, rtol=1e-3)


# Where no line is right, the words say what to do.
IN_WORDS = [
    ("x = tf.Variable([0.0, 2.0])", "r = 1.0 / x\ny = tf.reduce_sum(tf.where(tf.math.is_finite(r), r, 0.0))",
     "tf.where(condition, x, 1.0) in place of its argument x"),
    ("x = tf.Variable([[1.0, 2.0], [3.0, 1.0]])",
     "k = tf.argmax(x, axis=1)\ny = tf.reduce_mean(tf.cast(tf.not_equal(k, [0, 1]), tf.float32))",
     "tf.nn.softmax(scores) weighs all"),
    ("x = tf.Variable([[1.0, 2.0], [3.0, 1.0]])", "y = tf.reduce_sum(tf.one_hot(tf.argmax(x), 2))",
     "tf.nn.softmax(scores) weighs all"),
    ("x = tf.Variable(0.5)", "y = tf.constant(float('%f' % (x * 2.0)))", "compute with operations of tf."),
    ("x = tf.Variable([0.0 + 0.0j, 1.0 + 1.0j])", "y = tf.reduce_sum(tf.math.real(tf.math.log(x)))",
     "Keep its argument away from zero."),
    ("x = tf.Variable(tf.constant([30.0, 2.0], tf.float16))",
     "y = tf.reduce_sum(x * x) * tf.constant(32768.0, tf.float16)", "Compute this part in float32"),
    ("x = tf.Variable([100.0, 1.0])", "y = tf.reduce_sum(tf.exp(x))", "in logarithms"),
    ("x = tf.Variable([2.0, 3.0])", "y = tf.constant(math.copysign(x[0], -1.0))", "compute with operations of tf."),
    ("x = tf.Variable([0.0, -2.0]); p = tf.constant([0.5, 2.0])", "y = tf.reduce_sum(x ** p)",
     "Keep the base away from zero."),
]  # fmt: skip


@pytest.mark.parametrize(("setup", "lines", "words"), IN_WORDS)
def test_no_line_is_better_than_a_wrong_one(
    setup: str, lines: str, words: str, tmp_path: Path
) -> None:
    text = program(setup, lines)
    answer = run(tmp_path, text)["answer"]
    assert not answer.right
    assert words in said(answer)
    assert not answer.edits
    assert answer.mended().split() == text.split()


def test_a_block_is_not_emptied(tmp_path: Path) -> None:
    text = f"""{HEAD}x = tf.Variable(3.0)
with tf.GradientTape() as t1:
    y = x ** 3
with tf.GradientTape() as t2:
    dy = t1.gradient(y, x)
answer = t2.explain(dy, x)
"""
    answer = run(tmp_path, text)["answer"]
    compile(answer.mended(), "mended", "exec")


# ---- a line of NumPy or of Python ----------------------------------------------------------------

LEFT = [
    "math.log(x[0], 2)", "math.log10(x[0])", "math.log2(x[0])", "math.atan2(x[0], x[1])", "math.fabs(x[0])",
    "math.gamma(x[0])", "math.lgamma(x[0])", "math.erf(x[0])", "math.hypot(x[0], x[1])", "math.pow(x[0], 3)",
    "math.degrees(x[0])", "math.fsum([x[0], x[1]])", "math.cosh(x[0])", "math.expm1(x[0])", "math.log1p(x[0])",
    "np.std(x.numpy(), 0)", "np.dot(x.numpy(), x.numpy())", "np.linalg.norm(x.numpy(), np.inf)",
    "np.cumsum(x.numpy())[1]", "np.arctan2(x.numpy(), 2.0)[0]", "np.sort(x.numpy())[0]", "np.median(x.numpy())",
    "np.outer(x.numpy(), x.numpy())[0, 1]", "np.matmul(x.numpy(), x.numpy())", "np.float64(x[0])",
    "np.exp(x.numpy(), dtype=np.float32)[0]", "x.numpy().astype(np.float64).sum()", "x.numpy().max()",
    "x.numpy().reshape(-1)[0] * 2", "x.numpy().dot([1.0, 2.0])", "x.numpy().clip(0, 2).sum()", "x.numpy().T[0]",
    "np.array(x).mean()", "np.array([x[0], x[1]]) @ np.array([1.0, 2.0])", "np.array([x[0], x[1]]) + 1.0",
    "np.array([x[0], x[1]]).sum()", "x.numpy()[x.numpy() > 2].sum()", "x.numpy().item(1)", "x[0].numpy().item()",
]  # fmt: skip


def value_of(text: str, x: Any) -> float:
    space = {"x": tf.constant(x), "tf": tf, "np": np}
    exec("import math", space)
    return float(np.sum(eval(text, space)))


@pytest.mark.parametrize("text", LEFT)
def test_what_left_for_numpy_or_python_stays(text: str, tmp_path: Path) -> None:
    lines = f"y = tf.reduce_sum(tf.cast(tf.constant({text}), tf.float32) * 1.0)"
    answer, mended = asked(tmp_path, "x = tf.Variable([1.5, 2.5])", lines)
    assert answer.kind == "left-tape"
    assert mended["answer"].right, answer.mended()
    np.testing.assert_allclose(mended["y"], value_of(text, [1.5, 2.5]), rtol=1e-5)
    by_differences = [
        (value_of(text, [1.5 + a, 2.5 + b]) - value_of(text, [1.5 - a, 2.5 - b])) / 2e-2
        for a, b in ((1e-2, 0.0), (0.0, 1e-2))
    ]
    np.testing.assert_allclose(mended["gradient"], by_differences, atol=1e-2, rtol=1e-2)


FURTHER = [
    ("x = tf.Variable([1.0, 2.0, 4.0])", "h = x.numpy() * 2.0\nk = h.sum() / 3.0\ny = tf.constant(k * h.max())",
     ["h = x * 2.0", "k = tf.reduce_sum(h) / 3.0", "y = k * tf.reduce_max(h)"], [16 / 3, 16 / 3, 44 / 3]),
    ("def loss(v):\n    h = v.numpy()\n    return tf.constant(h.mean()), 1.0\nx = tf.Variable([1.0, 2.0])",
     "y, z = loss(x)", ["h = v", "return (tf.reduce_mean(h), 1.0)"], [0.5, 0.5]),
    ("x = tf.Variable([1.0, 2.0])", "h = np.array(x)\nh = h.reshape(2, 1)\ny = tf.reduce_sum(tf.constant(h.T) ** 2)",
     ["h = x", "h = tf.reshape(h, [2, 1])", "y = tf.reduce_sum(tf.transpose(h) ** 2)"], [2.0, 4.0]),
]  # fmt: skip


CHANGING = [
    ("buffer = np.zeros(2, np.float32)\n", "buffer += x.numpy()\ny = tf.reduce_sum(tf.sqrt(x))", "buffer"),
    ("class Layer:\n    n = 0\n    def __call__(self, v):\n        Layer.n += 1\n        return v\n"
     "layer = Layer()\n", "y = tf.reduce_sum(tf.sqrt(tf.map_fn(layer, x)))", "Layer.n"),
    ("n = [0]\nclass Layer:\n    def call(self, v):\n        n[0] += 1\n        return v\nlayer = Layer()\n",
     "y = tf.reduce_sum(tf.sqrt(tf.map_fn(layer.call, x)))", "n[0]"),
    ("kept = np.zeros(2, np.float32)\n", "np.add.at(kept, 0, 1.0)\ny = tf.reduce_sum(tf.sqrt(x))", "kept"),
    ("kept = np.zeros(2, np.float32)\n", "np.add(kept, 1.0, out=kept)\ny = tf.reduce_sum(tf.sqrt(x))", "kept"),
]  # fmt: skip


@pytest.mark.parametrize(("setup", "lines", "what"), CHANGING)
def test_a_trial_leaves_objects_alone(setup: str, lines: str, what: str, tmp_path: Path) -> None:
    text = program(f"{setup}x = tf.Variable([0.0, 4.0])", lines)
    text = text.replace("answer =", f"before = np.array({what})\nanswer =")
    ran = run(tmp_path, f"{text}after = np.array({what})\n")
    assert not ran["answer"].right
    np.testing.assert_array_equal(ran["before"], ran["after"])


def test_lines_that_do_not_depend_on_it_stay(tmp_path: Path) -> None:
    lines = "h = x.numpy()\nother = tf.constant(k)\ny = tf.constant(h.sum()) * other\nprint(f'{h}')"
    answer, mended = asked(tmp_path, "x = tf.Variable([1.0, 2.0]); k = 3.0", lines)
    assert "other = tf.constant(k)" in answer.mended()
    assert "y = tf.reduce_sum(h) * other" in answer.mend
    np.testing.assert_allclose(mended["gradient"], [3.0, 3.0])


@pytest.mark.parametrize(("setup", "lines", "new", "gradient"), FURTHER)
def test_the_lines_behind_are_mended_with_it(
    setup: str, lines: str, new: list[str], gradient: Any, tmp_path: Path
) -> None:
    answer, mended = asked(tmp_path, setup, lines)
    for line in new:
        assert line in answer.mended()
        assert line in answer.mend
    np.testing.assert_allclose(mended["gradient"], gradient, rtol=1e-5)


def test_a_line_whose_result_is_an_array_for_others_is_left(tmp_path: Path) -> None:
    lines = "h = x.numpy()\nh.sort()\ny = tf.reduce_sum(tf.constant(h))"
    text = program("x = tf.Variable([2.0, 1.0])", lines)
    assert run(tmp_path, text)["answer"].mended().split() == text.split()


# ---- the trial of a line ---------------------------------------------------------------------------


def test_a_trial_changes_nothing(tmp_path: Path) -> None:
    """What the block does beside computing is not done again: then a line stands for itself, or is left."""
    text = program(
        "calls, state = [], tf.Variable(0.0)\n"
        "def noted(v):\n    calls.append(1)\n    state.assign_add(1.0)\n    return v\n"
        "x = tf.Variable([0.0, 4.0])",
        "y = tf.reduce_sum(tf.sqrt(noted(x)))",
    )
    ran = run(tmp_path, text)
    assert "tf.sqrt(noted(x) + 1e-12)" in ran["answer"].mend
    assert (ran["calls"], float(ran["state"])) == ([1], 1.0)


def test_in_what_cannot_be_tried_both_branches_are_made_safe(tmp_path: Path) -> None:
    setup = (
        "calls = []\ndef noted(v):\n    calls.append(1)\n    return v\nx = tf.Variable([-1.0, 1.0])"
    )
    line = "tf.where(x < 0.0, tf.math.log(1.0 - x), tf.math.log(x + 1.0))"
    lines = f"y = noted(tf.reduce_sum({line}))"
    _, mended = asked(tmp_path, setup, lines)
    np.testing.assert_allclose(mended["gradient"], [-0.5, 0.5])


def test_what_a_block_keeps_beside_does_not_hinder_a_trial(tmp_path: Path) -> None:
    setup = "kept, steps = {}, tf.Variable(0)\nx = tf.Variable([0.0, 4.0]); k = 2.0"
    lines = (
        "steps.assign_add(1)\n"
        "with tf.name_scope('part'):\n        y = tf.reduce_sum(1.0 / x / k)\n"
        "kept['loss'] = y\nprint(y)"
    )
    _, mended = asked(tmp_path, setup, lines)
    np.testing.assert_allclose(mended["gradient"], [0.0, -1 / 32])
    assert int(mended["steps"]) == 1


def test_a_trial_is_told_to_no_journal() -> None:
    x = tf.Variable([0.0, 4.0])
    with tf.GradientTape(persistent=True, source_lines=True) as tape:
        y = tf.reduce_sum(tf.sqrt(x) * float(x[1]))
        answers = [str(tape.explain(y, x)) for _ in range(2)]
    assert answers[0] == answers[1]
    assert tape._journal is not None
    assert len(tape._journal.exits) == 1


def test_a_trial_draws_no_random_numbers(tmp_path: Path) -> None:
    drawn = []
    for last in ("answer = tape.explain(y, x)", "answer = 0"):
        text = program("tf.random.set_seed(1); x = tf.Variable([0.0, 4.0])",
                       "y = tf.reduce_sum(tf.sqrt(x) * tf.random.uniform([2]))")  # fmt: skip
        text = text.replace(
            "answer = tape.explain(y, x)", f"{last}\ndrawn = tf.random.uniform([2])"
        )
        drawn.append(run(tmp_path, text)["drawn"].numpy())
    np.testing.assert_array_equal(*drawn)


def test_names_of_modules_that_the_program_lacks_are_not_written(tmp_path: Path) -> None:
    text = (
        "import wengert\nx = wengert.Variable([0.0, 4.0])\n"
        "with wengert.GradientTape() as tape:\n    y = wengert.reduce_sum(1.0 / x)\n"
        "answer = tape.explain(y, x)\n"
    )
    answer = run(tmp_path, text)["answer"]
    assert not answer.edits
    assert "tf.math.divide_no_nan gives zero." in said(answer)


def test_several_lines_go_behind_the_head_of_a_line(tmp_path: Path) -> None:
    lines = "if True: y = tf.reduce_sum(tf.where(x > 0.0, tf.math.log(x), 0.0))"
    _, mended = asked(tmp_path, "x = tf.Variable([0.0, 2.0])", lines)
    np.testing.assert_allclose(mended["gradient"], [0.0, 0.5])


def test_no_more_lines_are_changed_than_need_be(tmp_path: Path) -> None:
    lines = "err = x.numpy() - 1.0\ny = tf.reduce_mean(tf.constant(err))"
    answer, mended = asked(tmp_path, "x = tf.Variable([1.0, 2.0])", lines)
    assert answer.mend.endswith("Otherwise:\nerr = x - 1.0")
    assert mended["answer"].right
    lines = "if (k := x.numpy()).sum() > 0:\n    y = tf.reduce_sum(tf.constant(k))"
    assert not run(tmp_path, program("x = tf.Variable([1.0, 2.0])", lines))["answer"].edits
