"""Functions for all sizes: open sizes are read from a table, the last argument of a function."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from wengert.values.open_size import PREFIX, number_of

_NAME: Final = re.compile(rf"{PREFIX}m?\d+(?:\.\d+)?")
_ENTRY: Final = "entry:\n"


def reading_sizes(text: str, slot: int) -> tuple[str, bytes | None]:
    """A function that reads the open sizes of its text from the table at a slot, and the table.

    They are numbered in the order of their first use, so that functions that differ in nothing but
    what their sizes are have the same text.
    """
    if PREFIX not in text:
        return text, None
    found: dict[str, str] = {}

    def numbered(name: re.Match[str]) -> str:
        return found.setdefault(name[0], f"%size{len(found)}")

    head, entry, rest = _NAME.sub(numbered, text).partition(_ENTRY)
    lines = [f"%sizes.p = getelementptr ptr, ptr %b, i64 {slot}", "%sizes = load ptr, ptr %sizes.p"]
    for k, name in enumerate(found.values()):
        lines.append(f"{name}.p = getelementptr i64, ptr %sizes, i64 {k}")
        lines.append(f"{name} = load i64, ptr {name}.p")
    table = np.array([number_of(name) for name in found], np.int64)
    return f"{head}{entry}{chr(10).join(lines)}\n{rest}", table.tobytes()
