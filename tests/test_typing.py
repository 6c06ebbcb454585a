"""What type checkers say of a user's program, with strict rules."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import wengert as tf

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))

if TYPE_CHECKING:
    from tools import sizes
else:
    import sizes

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "tests" / "data"
RIGHT, WRONG = DATA / "typed_program.py", DATA / "mistyped_program.py"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mypy")


def by_mypy(program: Path, cache: Path) -> str:
    """What mypy prints of a program, which it checks as that of a user: without our settings."""
    pytest.importorskip("mypy")
    options = ["--strict", "--follow-imports=silent", "--no-error-summary", "--hide-error-context"]
    command = [sys.executable, "-m", "mypy", *options, "--config-file=", f"--cache-dir={cache}"]
    environment = {**os.environ, "MYPYPATH": str(ROOT)}
    done = subprocess.run(
        [*command, str(program)], cwd=cache, env=environment, capture_output=True, text=True
    )
    assert not done.stderr
    return done.stdout


def test_a_right_program_has_no_errors(cache: Path) -> None:
    assert by_mypy(RIGHT, cache) == ""


def test_each_mistake_is_found(cache: Path) -> None:
    """Exactly those lines have errors that say so, and of the kind that they say."""
    lines = WRONG.read_text(encoding="utf-8").splitlines()
    said = {i: line.rpartition("  # ")[2] for i, line in enumerate(lines, 1) if "  # " in line}
    found = re.findall(r":(\d+): error: .*\[([a-z-]+)\]$", by_mypy(WRONG, cache), re.MULTILINE)
    assert {int(line): kind for line, kind in found} == said


def test_pyright_agrees() -> None:
    checker = shutil.which("pyright") or shutil.which("basedpyright")
    if checker is None:
        pytest.skip("pyright is not installed")
    done = subprocess.run(
        [checker, "--level", "error", str(RIGHT)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout


def test_the_right_program_runs() -> None:
    """What is right by its types is right when it runs, too."""
    command = [sys.executable, "-W", "error", str(RIGHT)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run(command, check=True, env=environment, capture_output=True)


def test_names_that_are_loaded_later_have_types() -> None:
    """Each stands where type checkers read, which look into no `__getattr__`."""
    text = (ROOT / "wengert" / "__init__.py").read_text(encoding="utf-8")
    _, _, typed = text.partition("\nif _typing.TYPE_CHECKING:\n")
    typed, _, _ = typed.partition("\n# What is loaded")
    later = [*tf._LATER, *tf._ELSEWHERE]
    assert later
    assert [
        name for name in later if not re.search(rf"\b{name}( =|$|,)", typed, re.MULTILINE)
    ] == []


@pytest.mark.parametrize("room", ["ops", "api"])
def test_few_annotations_say_nothing(room: str) -> None:
    """At most 15 % of parameters and results are the bare word Any."""
    counts = [sizes.counts_of(path) for path in (sizes.PACKAGE / room).rglob("*.py")]
    assert sum(c.bare for c in counts) <= 0.15 * sum(c.annotated for c in counts)
