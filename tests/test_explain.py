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
