"""The tables of measurements are those of one run: what benchmarks/results/ has."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tools"))

if TYPE_CHECKING:
    from tools import measured
else:
    import measured


def test_pages_say_what_was_measured() -> None:
    """Written anew, every table is as it is; `python tools/measured.py` writes them."""
    for path, text in measured.written().items():
        assert path.read_text("utf-8") == text, path


def test_every_table_is_somewhere() -> None:
    texts = "".join(page.read_text("utf-8") for page in measured.pages())
    assert all(f"<!-- measured: {name} -->" in texts for name in measured.TABLES)


def test_another_number_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison itself sees a planted difference."""
    for file in measured.RESULTS.glob("*.json"):
        shutil.copy(file, tmp_path)
    found = json.loads((tmp_path / "native.json").read_text("utf-8"))
    found["rows"][0]["times"]["wengert"]["median"] *= 1.1
    (tmp_path / "native.json").write_text(json.dumps(found), "utf-8")
    monkeypatch.setattr(measured, "RESULTS", tmp_path)
    readme = ROOT / "README.md"
    assert measured.filled(readme.read_text("utf-8")) != readme.read_text("utf-8")
