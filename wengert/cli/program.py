"""Gradients of operations of whole arrays, as tf.source writes them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

import wengert as tf
from wengert.cli.check import raw_operation
from wengert.core.row import Row
from wengert.insight.check.drawing import drawn_arguments
from wengert.insight.source.kernels import NotWritableError

_LETTERS: Final = "xyz"
_LONGEST: Final = 100
_TEMPORARY: Final = re.compile(r"\bt\d+\b")
_CALL: Final = re.compile(r"[\w.]+(\([^()]*\))?(\.T)?")


def gradients(row: Row) -> dict[str, str]:
    """The gradient of each input, where it is a line; `g` is what comes back. Of an example of fitting sizes."""
    if row.many or row.users or not isinstance(row.vjp, tuple) or len(row.vjp) > len(_LETTERS):
        return {}
    count = len(row.vjp)
    operation = raw_operation(row.name)
    xs = None if operation is None else drawn_arguments(operation)
    if operation is None or xs is None or len(xs) != count:
        return {}
    weights = tf.ones_like(operation(*xs))

    def weighed(*given: Any) -> Any:
        return tf.reduce_sum(given[-1] * operation(*given[:-1]))

    named: dict[int, Callable[..., Any]] = {
        1: lambda x, g: weighed(x, g),
        2: lambda x, y, g: weighed(x, y, g),
        3: lambda x, y, z, g: weighed(x, y, z, g),
    }
    try:
        text = tf.source(named[count], *xs, weights).text
    except NotWritableError:
        return {}
    lines = [line.strip() for line in text.splitlines()]
    found = dict(line.split(" = ", 1) for line in lines if " = " in line)
    texts = {x: _inlined(found[f"d{x}"], found) for x in _LETTERS[:count] if f"d{x}" in found}
    return {x: text for x, text in texts.items() if len(text) <= _LONGEST}


def _inlined(text: str, known: dict[str, str]) -> str:
    """A text with what its names stand for in their places."""
    for _ in known:
        text, count = _TEMPORARY.subn(lambda m: _bracketed(known[m[0]]), text)
        if not count or len(text) > _LONGEST:
            break
    return text


def _bracketed(text: str) -> str:
    return text if _CALL.fullmatch(text) else f"({text})"
