"""Python's parser, from one thread at a time."""

from __future__ import annotations

import ast
import threading
from typing import Final

# The parser of Python 3.11 is not safe with threads.
_parsing: Final = threading.Lock()


def parsed(text: str) -> ast.Module:
    """The tree of a program."""
    with _parsing:
        return ast.parse(text)


def expression(text: str) -> ast.expr:
    """The tree of an expression."""
    with _parsing:
        return ast.parse(text, mode="eval").body
