"""The command line."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

from wengert.cli import doctor, main


def test_ops_prints_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    """One line an operation, with its rules and where it is declared."""
    assert main(["ops"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["operation", "reverse", "forward", "batched", "declared"]
    (exp,) = [line.split() for line in lines if line.startswith("Exp ")]
    assert exp[:4] == ["Exp", "rule", "diagonal", "aligned"]
    assert "elementwise.py:" in exp[4]
    (floor,) = [line.split() for line in lines if line.startswith("Floor ")]
    assert floor[1:3] == ["none", "none"]


def test_ops_of_one_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    """For programs."""
    assert main(["ops", "MatMul", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["operation"], row["forward"], row["batched"]) == ("MatMul", "linear", "rule")


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


def test_doctor_says_what_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    """In words and as JSON, which has the same in it."""
    assert main(["doctor"]) == 0
    words = capsys.readouterr().out
    assert main(["doctor", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["versions"]["numpy"] == np.__version__
    assert found["native engine"]["works"].startswith(("yes", "no: "))
    for entries in found.values():
        for key, value in entries.items():
            assert key in words
            assert str(value) in words


def test_doctor_without_the_native_engine(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is missing is named, and what it is for."""
    monkeypatch.setitem(sys.modules, "wengert.engines.native.engine", None)
    monkeypatch.setitem(doctor.OPTIONAL, "no_such_package", "nothing at all")
    assert main(["doctor"]) == 0
    words = capsys.readouterr().out
    assert "works  no: " in words
    assert "missing, for nothing at all" in words
