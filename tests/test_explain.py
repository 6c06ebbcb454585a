"""Programs with a planted trouble: explained by the kind, the line, and a mend that works."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

TROUBLES = sorted((Path(__file__).parent / "data" / "troubles").glob("*.py"))

# Where the mend is a decision of the author's, it is in words alone: what returned None, which of many
# starting points, what the numbers mean.
IN_WORDS = {
    "nan_eigenvectors", "none_branch", "none_custom", "none_no_path_session", "none_numpy_function", "none_override",
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
