"""The command line."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

import wengert as tf
from tools import tested
from wengert.cli import COMMANDS, bench, doctor, main
from wengert.core.table import row_of
from wengert.engines.native import coverage
from wengert.engines.native.runtime.processor import is_supported


def test_ops_prints_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    """One line an operation, with its rules and where it is declared."""
    assert main(["ops"]) == 0
    lines = capsys.readouterr().out.splitlines()
    columns = ["operation", "reverse", "forward", "batched", "native", "xla", "tested"]
    assert lines[0].split() == columns
    (exp,) = [line.split() for line in lines if line.startswith("Exp ")]
    assert exp[:5] == ["Exp", "rule", "diagonal", "aligned", "loop"]
    assert exp[5] == "compiled"
    assert exp[7] == "cases"
    (floor,) = [line.split() for line in lines if line.startswith("Floor ")]
    assert floor[1:3] == ["none", "none"]


def test_ops_of_one_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    """For programs."""
    assert main(["ops", "MatMul", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["operation"], row["forward"], row["batched"]) == ("MatMul", "linear", "rule")


@pytest.mark.parametrize(
    ("name", "computes", "gradient", "domain"),
    [
        ("Exp", "exp(x)", "g * f", "all numbers"),
        ("sqrt", "sqrt(x)", "g / (2 * f)", "0 <= x"),
        ("Log", "log(x)", "g / x", "0 < x"),
        ("Acos", "arccos(x)", "-g / sqrt((1 - (x * x)))", "-1 <= x <= 1"),
        ("Elu", "where((x > 0), x, expm1(x))", "where((f < 0), (g * (f + 1)), g)", "all numbers"),
        ("Digamma", "", "", "all numbers but 0, -1, -2, ..."),
    ],
)
def test_ops_of_one_in_words(
    name: str, computes: str, gradient: str, domain: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What it computes, its gradient and its domain are read off the row; capitals do not matter."""
    assert main(["ops", name]) == 0
    said = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert said.get("computes", "").strip() == computes
    if gradient:
        assert said["gradient"].removeprefix("of x").strip() == gradient
    assert said["domain"] == domain
    assert ":" in said["declared"]


def test_what_the_native_engine_computes_is_said_rightly() -> None:
    """The word is what a compiled function does with it."""
    said = {
        name: coverage.how(row_of(name))
        for name in ("Exp", "MatMul", "Cumsum", "FFT", "Svd", "Conv2D")
    }
    assert said == {
        "Exp": "loop",
        "MatMul": "product",
        "Cumsum": "routine",
        "FFT": "routine",
        "Svd": "NumPy",
        "Conv2D": "product or tiles",
    }
    f = tf.function(lambda x: tf.cumsum(tf.exp(x) + 1.0))
    kinds = [step["kind"] for step in f.plan(tf.ones([4])).steps]
    assert kinds == ["loop", "routine"] or not is_supported()


def test_the_counts_of_cases_are_those_of_the_table() -> None:
    """`python tools/tested.py` writes them."""
    assert json.loads(tested.FILE.read_text("utf-8")) == tested.counted()


@pytest.mark.slow
def test_a_table_that_nobody_reads_to_its_end() -> None:
    """`wengert ops | head` ends well."""
    done = subprocess.run(
        f"{sys.executable} -m wengert ops | head -1", shell=True, capture_output=True, text=True
    )
    assert done.stdout.startswith("operation")
    assert done.stderr == ""


@pytest.mark.slow
def test_colour_is_for_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    """None in a pipe, and none where NO_COLOR asks for none."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[" in _printed()
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[3" not in _printed()
    monkeypatch.delenv("FORCE_COLOR")
    assert "\x1b[" not in _printed()


def _printed() -> str:
    command = [sys.executable, "-m", "wengert", "ops", "Exp"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_no_command_and_a_wrong_one(capsys: pytest.CaptureFixture[str]) -> None:
    """Help; and an error that lists what there is."""
    assert main([]) == 0
    assert "run a program that imports tensorflow" in capsys.readouterr().out
    with pytest.raises(SystemExit) as ended:
        main(["rnu"])
    assert ended.value.code == 2
    assert "'rnu'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["rnu"], "Did you mean run?"),
        (["ops", "--jsn"], "usage: wengert ops"),
        (["ops", "--jsn"], "there is no option --jsn. Did you mean --json?"),
        (["run", "--v2", "x.py"], "there is no option --v2. Did you mean --v1?"),
        (["cache", "cler"], "invalid choice: 'cler'"),
        (["doctor", "all"], "too many arguments: all"),
    ],
)
def test_what_was_meant(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "same"),
    [(["help"], ["--help"]), (["help", "ops"], ["ops", "--help"]), (["version"], ["-V"])],
)
def test_words_for_help_and_version(
    arguments: list[str], same: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    said = []
    for given in (arguments, same):
        with pytest.raises(SystemExit) as ended:
            main(given)
        assert ended.value.code == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1] != ""


@pytest.mark.parametrize(
    ("name", "operations"),
    [
        ("tf.nn.relu", ["Relu"]),
        ("nn.relu", ["Relu"]),
        ("tf.math.log", ["Log"]),
        ("tf.reduce_sum", ["Sum"]),
        ("tf.nn.conv2d", ["Conv2D"]),
        ("relu", ["Relu"]),
        ("Spars*Segment*", ["SparseSegmentMean", "SparseSegmentSqrtN", "SparseSegmentSum"]),
    ],
)
def test_operations_by_what_users_call_them(
    name: str, operations: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    status = main(["ops", name, "--json"])
    out = capsys.readouterr().out
    assert status == (0 if operations else 2)
    assert [row["operation"] for row in json.loads(out or "[]")] == operations


def test_operations_that_lack_a_rule(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ops", "--without", "gradient", "--file", "nn/pool", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found
    assert all(row["reverse"] == "none" for row in found)


def test_the_gradient_of_a_product_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ops", "MatMul", "MatrixInverse"]) == 0
    words = capsys.readouterr().out
    assert "gradient of x  g @ y.T" in words
    assert "gradient of y  x.T @ g" in words
    assert "np.linalg.inv(x)" in words


@pytest.mark.parametrize(
    ("arguments", "said", "status"),
    [
        (["tf.nn.relu"], "there", 0),
        (["check_pinned"], "missing (", 0),
        (["tf.lite.Interpreter"], "Nothing is converted", 0),
        (["tf.math"], "131 of 131 names", 0),
        ([], "tf.linalg", 0),
        (["tf.matmull"], "Did you mean tf.matmul?", 2),
    ],
)
def test_names(
    arguments: list[str], said: str, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["names", *arguments]) == status
    assert said in "".join(capsys.readouterr())


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_commands_and_options(
    shell: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["completion", shell]) == 0
    text = capsys.readouterr().out
    assert all(name in text for name in COMMANDS)
    assert "explain" in text
    if shell == "bash":
        subprocess.run(["bash", "-n"], input=text, text=True, check=True)


def test_an_interrupted_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C ends it with a word, and the exit code that shells expect."""

    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(doctor, "findings", interrupt)
    assert main(["doctor"]) == 130
    assert capsys.readouterr().err == "wengert: interrupted\n"


@pytest.mark.slow
def test_bench_measures_beside_what_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    """The chain of eager operations; a ratio for each library that can be imported."""
    assert main(["bench", "chain, eager", "--rounds", "1", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert 0.1 < row["wengert"] < 1000  # microseconds an operation
    for name, ratio in row["ratios"].items():
        assert ratio == pytest.approx(row["wengert"] / row["others"][name])


def test_bench_lists_and_refuses(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["bench", "--list", "lstm"]) == 0
    assert capsys.readouterr().out.startswith("LSTM")
    assert main(["bench", "nothing like it"]) == 2
    assert (
        "no workload has 'nothing like it' in its name. There are:\n  chain, eager\n"
        in capsys.readouterr().err
    )
    monkeypatch.setattr(bench, "_PLACES", ())
    assert main(["bench"]) == 2
    assert "not part of this installation" in capsys.readouterr().err


def test_a_wrong_name(capsys: pytest.CaptureFixture[str]) -> None:
    """The nearest names, on standard error, with another exit code."""
    assert main(["ops", "Rleu"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "there is no operation 'Rleu'. Near it: Relu" in captured.err


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["ops", "--help"]])
def test_help_and_version_end_well(arguments: list[str]) -> None:
    """By `python -m wengert`, as a user would."""
    done = subprocess.run(
        [sys.executable, "-m", "wengert", *arguments], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "wengert" in done.stdout


def test_doctor_says_what_is_there(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In words and as JSON, which has the same in it."""
    monkeypatch.setenv("WENGERT_CACHE_DIR", "")  # others may be writing in the usual one
    assert main(["doctor"]) == 0
    words = capsys.readouterr().out
    assert main(["doctor", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["versions"]["numpy"] == np.__version__
    assert found["native engine"]["works"] in (True, False)
    assert set(found["optional packages"].values()) <= {True, False}
    assert {"folder", "files", "bytes", "limit"} <= found["native engine"]["cache"].keys()
    for entries in found.values():
        for key, value in entries.items():
            assert key in words
            assert isinstance(value, (bool, dict)) or str(value) in words


def test_doctor_without_the_native_engine(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is missing is named, and what it is for."""
    monkeypatch.setitem(sys.modules, "wengert.engines.native.program.build", None)
    monkeypatch.setitem(doctor.OPTIONAL, "no_such_package", "nothing at all")
    assert main(["doctor"]) == 1  # of no use to scripts otherwise
    words = capsys.readouterr().out
    assert "works    no" in words
    assert "because" in words
    assert "not installed: pip install no_such_package; for nothing at all" in words
