"""The examples, run as a user runs them, compute what they say they compute."""

from __future__ import annotations

import functools
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
# `what   computed = expected ✓`
LINE = re.compile(r"(.*\S) {2,}(\S.*?) [=≈] (.+) ([✓✗])")

# What each must print, by numbers that are known from elsewhere.
NUMBERS = {
    "custom_gradient": {
        "log(1 + exp(x)) by the chain rule, at 100": "nan",
        "with its own gradient, at 100": "1.",
        "x y at (2, 3): by x": "3.",
        "x y at (2, 3): by y": "2.",
    },
    "nested_custom_gradient": {
        "its second derivative": "0.",
        "the derivative in forward mode": "27.",
        "log(1 + exp(x)) at 1: derivative": "0.7310586",
    },
    "several_targets": {
        "[x², x³] at (1, 2): gradient of both": "[ 5., 16.]",
        "... Jacobian": "[[2., 1.], [1., 3.], [0., 4.]]",
        "... the sum of its rows is the gradient": "[3., 8.]",
        "... with weights 1, 0, 10 for its rows": "[ 2., 41.]",
    },
    "high_orders": {
        "x² at 3: second derivative": "2.",
        "sin at 0.7: sixth derivative": "-0.6442177",
        "log at 0.7: sixth derivative": "-1019.9831703",
        "log at 0.7: all orders in one pass, the sixth": "-1019.9831703",
    },
    "eager_and_lazy": {
        "x⁵ at 2, eagerly: value and derivatives": "[ 32., 80., 160.]",
        "in a session": "[ 32., 80., 160.]",
        "as a tf.function": "[ 32., 80., 160.]",
        "how often the function was traced": "1.",
        "a + b by their names": "[3., 7.]",
    },
    "forward_f_backward_g": {
        "floor forward, square backward: value": "2.",
        "rounding, straight through: sum of squares": "10.",
        "one factor of x² reversed: value": "10.",
    },
    "subgraph_gradient": {
        "by the rules": "[1., 3.]",
        "1. by a decorator": "[2.4000001, 5.4000001]",
        "2. by an override map: gradient": "[2.4000001, 5.4000001]",
        "3. by a name scope": "[2.4000001, 5.4000001]",
    },
    "guided_backprop": {
        "the gradient": "[ 0., 0., -3., 4.]",
        "guided, by the map of a graph": "[0., 0., 0., 4.]",
        "guided, by a map in eager mode": "[0., 0., 0., 4.]",
        "guided, after the fact": "[0., 0., 0., 4.]",
    },
    "own_operation": {
        "wrapped: mean of 1 and 2": "1.456791",
        "registered: its gradient": "[0.6052092, 0.4257909]",
    },
    "spectral_layer": {
        "sum of cubes of two equal eigenvalues": "[[3., 0.], [0., 3.]]",
        "the gradient of the first of them is refused": "True",
    },
    "how_to_differentiate": {
        "digits, by a forward difference": "6.",
        "digits, by a central difference": "7.",
        "by a complex step, at least 14": "True",
        "by a tape, at least 14": "True",
    },
    "linear_regression_v1": {"slope and offset, beside the exact solution": "[1.94, 1.15]"},
    "logistic_regression": {
        "weights and offset, beside Newton's method": "[ 1.5841624, -1.0521592, -1.4935633]"
    },
    "digits": {},
}


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "PYTHONWARNINGS": "error"},
    )


@functools.cache
def printed(name: str, folder: Path) -> str:
    extra = ["curve.png"] if name == "digits" else []
    done = run("-m", "wengert", "run", str(EXAMPLES / f"{name}.py"), *extra, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Somewhere else than where the examples are."""
    return tmp_path_factory.mktemp("elsewhere")


@pytest.mark.parametrize("name", NUMBERS)
def test_what_an_example_computes(name: str, folder: Path) -> None:
    """Every line agrees with what stands beside it, and the numbers are those known from elsewhere."""
    lines = [m.groups() for m in map(LINE.fullmatch, printed(name, folder).splitlines()) if m]
    assert lines
    assert [what for what, _, _, mark in lines if mark != "✓"] == []
    computed = {what: text for what, text, _, _ in lines}
    assert {what: computed[what] for what in NUMBERS[name]} == NUMBERS[name]


def test_the_network_learns(folder: Path) -> None:
    """The loss falls, and new digits are read."""
    text = printed("digits", folder)
    first, last = map(float, re.findall(r"loss at first (.*), at last (.*)", text)[0])
    assert first == pytest.approx(2.3, abs=0.1)
    assert last < 0.15
    (share,) = re.findall(r"that it reads +(\S+) ", text)
    assert 0.95 < float(share) <= 1.0


def test_ways_of_differentiating_side_by_side(folder: Path) -> None:
    """The truth is known in fractions; a row for each way, and what is missing says so."""
    text = printed("how_to_differentiate", folder)
    assert "In fractions it is 418.386534518085." in text
    rows = re.findall(r"^  (\w+ \w+) +418\.3865", text, re.M)
    assert {"forward difference", "central difference", "forward mode", "reverse mode"} <= {*rows}
    if importlib.util.find_spec("sympy") is None:
        assert "pip install wengert[insight]" in " ".join(text.split())
    else:
        assert "formula of 766 operations" in " ".join(text.split())


def test_the_loss_is_drawn_where_one_says(folder: Path) -> None:
    """Arguments reach the program; without matplotlib it says what is missing."""
    text = printed("digits", folder)
    if importlib.util.find_spec("matplotlib") is None:
        assert "no loss curve: pip install matplotlib" in text
    else:
        assert (folder / "curve.png").read_bytes().startswith(b"\x89PNG")


def test_every_example_is_tested_and_listed() -> None:
    """The folder, its index, the demo and this file agree on what there is."""
    there = {p.stem for p in EXAMPLES.glob("*.py")} - {"demo", "showing"}
    index = (EXAMPLES / "README.md").read_text("utf-8")
    assert set(NUMBERS) == there
    assert set(re.findall(r"\]\((\w+)\.py\)", index)) == there
    demo = (EXAMPLES / "demo.py").read_text("utf-8")
    assert set(re.findall(r'^    "(\w+)",$', demo, re.M)) == there


def test_an_example_asks_its_question() -> None:
    """The question in the index is the first line of the program."""
    index = (EXAMPLES / "README.md").read_text("utf-8")
    for question, name in re.findall(r"^\| (.*\?) \| \[(\w+)\.py\]", index, re.M):
        first = (EXAMPLES / f"{name}.py").read_text("utf-8").splitlines()[0].removeprefix('"""')
        assert first.startswith(question.removesuffix("?")), name


def test_the_demo_runs_from_anywhere(tmp_path: Path) -> None:
    """It ends with success, and prints without colour into a pipe."""
    done = run(str(EXAMPLES / "demo.py"), "several_targets", "eager_and_lazy", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("Everything is as expected.\n")
    assert "[ 32., 80., 160.] = [ 32., 80., 160.] ✓" in done.stdout
    assert "\x1b[" not in done.stdout


@pytest.mark.parametrize(
    "program",
    [
        "show('planted', 1.0, 1.001)",
        "show('planted', float('nan'), 1.0)",
        "show('fine', 1.0, 1.0); raise SystemExit(3)",
        "pass",
    ],
)
def test_the_demo_sees_what_differs(program: str, tmp_path: Path) -> None:
    """A wrong number, a NaN, a failure, and a program that shows nothing."""
    path = tmp_path / "wrong.py"
    path.write_text(
        f"import sys\nsys.path.insert(0, {str(EXAMPLES)!r})\nfrom showing import show\n{program}\n"
    )
    done = run(str(EXAMPLES / "demo.py"), str(path), cwd=tmp_path)
    assert done.returncode == 1
    assert "Something differs in" in done.stderr
