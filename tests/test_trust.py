"""The cache gives only what the user of this process wrote himself."""

from __future__ import annotations

import os
import shutil
import stat
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from wengert.cli import main
from wengert.engines.native.runtime import cache, llvm

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="this system has no owners")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: Any) -> Path:
    """Where the cache would be; the folder is not there yet."""
    monkeypatch.setenv("WENGERT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr("wengert.host.warn_once._WARNED", set())
    monkeypatch.setattr(cache, "_TRUSTED", {})
    return tmp_path / "cache"


NAME = "0" * 40 + ".o"


def said(run: Callable[[], Any]) -> list[str]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        run()
    return [str(w.message) for w in found]


def keeps() -> bool:
    """Whether what is put there comes back."""
    cache.keep(NAME, b"code")
    return cache.read_file(NAME) == b"code"


@pytest.mark.parametrize("umask", [0o000, 0o002, 0o022, 0o077])
def test_folder_and_files_are_closed_whatever_the_umask(place: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        assert keeps()
    finally:
        os.umask(before)
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert stat.S_IMODE((place / NAME).stat().st_mode) == 0o600


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702, 0o720])
def test_a_folder_into_which_others_may_write(place: Path, mode: int) -> None:
    """No cache, and one warning, which says what can be done."""
    place.mkdir()
    place.chmod(mode)
    (message,) = said(lambda: [keeps() for _ in range(3)])
    assert str(place) in message
    assert "chmod go-w" in message
    assert list(place.iterdir()) == []


def test_a_folder_of_somebody_else(place: Path, monkeypatch: Any) -> None:
    place.mkdir(0o700)
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    (message,) = said(keeps)
    assert "belongs to somebody else" in message
    assert list(place.iterdir()) == []


def test_a_folder_that_is_a_link(place: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(0o700)
    place.symlink_to(tmp_path / "elsewhere")
    (message,) = said(keeps)
    assert "it is a link" in message
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("where", ["cache", "./cache", "../cache", ""])
def test_a_folder_below_the_current_one_is_none(
    tmp_path: Path, monkeypatch: Any, where: str
) -> None:
    """Neither as WENGERT_CACHE_DIR nor, as XDG says, as XDG_CACHE_HOME."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WENGERT_CACHE_DIR", where)
    assert cache.folder() is None
    monkeypatch.delenv("WENGERT_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", where)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(cache.sys, "platform", "linux")  # type: ignore[attr-defined]
    assert cache.folder() == str(tmp_path / "home" / ".cache" / "wengert")


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_may_write(place: Path, mode: int) -> None:
    """It is as good as none: made anew, and then ours."""
    assert keeps()
    (place / NAME).chmod(mode)
    (message,) = said(lambda: [cache.read_file(NAME) for _ in range(2)])
    assert "others may write it" in message
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert cache.read_file(NAME) is None
    assert keeps()
    assert stat.S_IMODE((place / NAME).stat().st_mode) == 0o600


def test_a_file_that_is_a_link(place: Path, tmp_path: Path) -> None:
    """It is not followed, also if what it leads to would be right."""
    assert keeps()
    os.rename(place / NAME, tmp_path / NAME)
    (place / NAME).symlink_to(tmp_path / NAME)
    assert cache.read_file(NAME) is None
    assert keeps()
    assert not (place / NAME).is_symlink()


def test_a_pipe_under_the_name_of_a_file(place: Path) -> None:
    """Nobody waits for what nobody writes."""
    place.mkdir(0o700)
    os.mkfifo(place / NAME, 0o600)
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(cache.read_file(NAME)), daemon=True)
    thread.start()
    thread.join(20)
    assert found == [None]
    assert keeps()


def test_two_files_that_were_exchanged(place: Path) -> None:
    """A name belongs to a content."""
    other = "1" * 40 + ".o"
    cache.keep(NAME, b"sine")
    cache.keep(other, b"exponential")
    shutil.move(place / NAME, place / "third")
    shutil.move(place / other, place / NAME)
    shutil.move(place / "third", place / other)
    assert (cache.read_file(NAME), cache.read_file(other)) == (None, None)


@pytest.mark.parametrize("data", [b"", bytes(400), b"MZ" + bytes(400), b"\x7fEL"])
def test_what_is_no_object_file_does_not_reach_llvm(data: bytes) -> None:
    """Which would end the process."""
    with pytest.raises(ValueError, match="no object file"):
        llvm.LoadedObject(data)


def test_wengert_cache(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Shows, and clears what is ours alone."""
    assert keeps()
    (place / "mine.txt").write_text("mine")
    assert main(["cache"]) == 0
    out = capsys.readouterr().out
    assert f"folder  {place}\nfiles   1\n" in out
    assert main(["cache", "--clear", "--json"]) == 0
    assert '"removed": 1' in capsys.readouterr().out
    assert [file.name for file in place.iterdir()] == ["mine.txt"]
