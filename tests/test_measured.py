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
    from tools import installed, measured
else:
    import installed
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


# ---- sizes ---------------------------------------------------------------------------------------


def sizes() -> dict[str, float]:
    found: dict[str, float] = json.loads(installed.RESULTS.read_text("utf-8"))
    return found


@pytest.mark.parametrize("page", installed.SENTENCES)
def test_pages_say_the_sizes_that_were_measured(page: str) -> None:
    """`python tools/installed.py` measures, and writes them."""
    text = (ROOT / page).read_text("utf-8")
    assert installed.said(page, text, sizes()) == text
    larger = {who: size + 100 for who, size in sizes().items()}
    assert installed.said(page, text, larger) != text


def test_the_package_is_as_large_as_it_was_measured() -> None:
    """It was said to be of 2 MB long after it had grown."""
    now = installed.size_of(installed.PACKAGE) / installed.MB
    compiled = sum(p.stat().st_size for p in installed.PACKAGE.rglob("*.so")) / installed.MB
    assert abs(now - compiled - sizes()["wengert"]) < 1.0


def test_a_sentence_that_is_gone_is_named() -> None:
    with pytest.raises(ValueError, match=r"docs/index\.md says 0 times"):
        installed.said("docs/index.md", "Small.", sizes())
