"""Words that are spelled like another one, for messages. Python's difflib is loaded with the first."""

from __future__ import annotations

from collections.abc import Iterable

from wengert.host.locks import load_module


def words_near(word: str, words: Iterable[str], most: int = 3, likeness: float = 0.6) -> list[str]:
    """Those that are nearest, the likest first; 1 is equal, and 0 has nothing in common."""
    near: list[str] = load_module("difflib").get_close_matches(word, words, most, likeness)
    return near
