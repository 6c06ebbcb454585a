"""Loads and stores of the first elements of a vector, as those of a vector that is as short.

With a mask they are one instruction each. But LLVM keeps no array in registers that is accessed with one,
as three numbers are that a loop carries from step to step: each step would wait for memory.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from typing import Final

_SCALAR: Final = r"(?P<scalar>float|double|i32|i64)"  # of 4 or 8 bytes
_NAME: Final = r"%[\w.]+"
_PLACE: Final = rf"ptr (?P<place>{_NAME}), i32 (?P<align>\d+)"
_MASK: Final = r"<(?P<width>\d+) x i1> <(?P<mask>i1 true[^>]*)>"
_LOAD: Final = re.compile(
    rf"^(?P<name>{_NAME}) = call <\d+ x {_SCALAR}> @llvm\.masked\.load\.\w+\.p0\({_PLACE}, {_MASK}, "
    r"<\d+ x \w+> zeroinitializer\)$",
    re.MULTILINE,
)
_STORE: Final = re.compile(
    rf"^call void @llvm\.masked\.store\.\w+\.p0\(<\d+ x {_SCALAR}> (?P<value>{_NAME}), {_PLACE}, {_MASK}\)$",
    re.MULTILINE,
)


def with_short_accesses(text: str) -> str:
    """The code of a function with such accesses instead of those with masks that are written out."""
    numbers = itertools.count()
    return _STORE.sub(lambda found: _stored(found, next(numbers)), _LOAD.sub(_loaded, text))


def _loaded(found: re.Match[str]) -> str:
    count = _count(found["mask"])
    if count is None:
        return found[0]
    name, short, width = found["name"], f"<{count} x {found['scalar']}>", int(found["width"])
    order = _places([min(k, count) for k in range(width)])  # what is left over is zero
    return (
        f"{name}.short = load {short}, ptr {found['place']}, align {found['align']}\n"
        f"{name} = shufflevector {short} {name}.short, {short} zeroinitializer, {order}"
    )


def _stored(found: re.Match[str], number: int) -> str:
    count = _count(found["mask"])
    if count is None:
        return found[0]
    short, whole = (f"<{n} x {found['scalar']}>" for n in (count, found["width"]))
    value = f"{whole} {found['value']}, {whole} poison, {_places(range(count))}"
    return (
        f"%short{number} = shufflevector {value}\n"
        f"store {short} %short{number}, ptr {found['place']}, align {found['align']}"
    )


def _count(mask: str) -> int | None:
    """How many elements a mask takes, if these are the first ones."""
    count = mask.count("true")
    return count if mask.startswith(", ".join(["i1 true"] * count)) else None


def _places(places: Iterable[int]) -> str:
    """The places of elements, as LLVM's operations take them."""
    found = [f"i32 {place}" for place in places]
    return f"<{len(found)} x i32> <{', '.join(found)}>"
