"""The examples compute what they say they compute."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from examples import demo
from examples.showing import Line

ROOT = Path(demo.__file__).resolve().parent.parent
LINES = [
    pytest.param(line, id=f"{example.__name__}: {line.what}")
    for example in demo.EXAMPLES
    for line in example.lines()
]


@pytest.mark.parametrize("line", LINES)
def test_computed_is_expected(line: Line) -> None:
    """Every line of every example agrees with the number written beside it."""
    assert line.agrees, line


def test_a_wrong_number_is_seen() -> None:
    """The comparison that the demo prints can fail."""
    assert not Line("planted", 1.0, 1.001).agrees
    assert not Line("planted", float("nan"), 1.0).agrees


def test_the_demo_runs_from_anywhere(tmp_path: Path) -> None:
    """It ends with success, and prints without colour into a pipe."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "demo.py")],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={"PATH": "", "PYTHONIOENCODING": "utf-8"},
    )
    assert done.returncode == 0, done.stderr
    assert "Everything is as expected." in done.stdout
    assert "\x1b[" not in done.stdout
