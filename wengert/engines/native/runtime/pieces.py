"""A module of LLVM IR in pieces that can be compiled side by side.

Each piece is some of the functions that no other one calls, with all that these call. What stands outside
of functions goes with every piece. Functions without loops are in pieces of their own: they need less
effort.
"""

from __future__ import annotations

import re
from typing import Final

# Lines of a piece at least: compiling 1,000 takes 0.06 s, a thread nearly nothing.
LEAST: Final = 1000

_FUNCTION: Final = re.compile(r"^define .*?^}$", re.MULTILINE | re.DOTALL)
_NAME: Final = re.compile(r"@([\w.$]+)\(")
_CALLED: Final = re.compile(r"@([\w.$]+)")


def pieces_of(text: str, most: int) -> list[str]:
    """At most so many pieces of about the same length of each kind; the text alone where it is short."""
    if text.count("\n") < 2 * LEAST:
        return [text]
    by_name, common = functions_of(text)
    if _has_state(common):
        return [text]
    names = list(by_name)
    called = {name: _CALLED.findall(function) for name, function in by_name.items()}
    helpers = {other for name, others in called.items() for other in others if other != name}
    needed = {name: with_helpers([name], called) for name in names if name not in helpers}
    lengths = {name: by_name[name].count("\n") for name in needed}
    loops = [n for n in needed if any(has_loops(by_name[other]) for other in needed[n])]
    straight = [n for n in needed if n not in set(loops)]
    if min(sum(lengths[n] for n in kind) for kind in (loops, straight)) < LEAST // 10:
        loops, straight = [*loops, *straight], []
    parts = []
    for kind in (loops, straight):
        own = {name: lengths[name] for name in kind}
        count = max(min(most, sum(own.values()) // LEAST), 1)
        parts += [part for part in _parted(own, count) if part]
    if len(parts) < 2:
        return [text]
    return [
        "\n".join([common, *(by_name[name] for name in names if name in there)])
        for there in [with_helpers(part, called) for part in parts]
    ]


def functions_of(text: str) -> tuple[dict[str, str], str]:
    """The functions of a module by their names, and what stands outside of them."""
    found = _FUNCTION.findall(text)
    return {_NAME.findall(f)[0]: f for f in found}, _FUNCTION.sub("", text)


def has_loops(text: str) -> bool:
    """Whether any function goes back to where it was."""
    return " phi " in text


def _has_state(common: str) -> bool:
    """Whether there are variables, of which each piece would have its own."""
    return re.search(r"^@[\w.$]+ = .*\bglobal\b", common, re.MULTILINE) is not None


def _parted(lengths: dict[str, int], count: int) -> list[list[str]]:
    """Names in parts of about the same length: each, the longest first, to the part that is shortest."""
    parts: list[list[str]] = [[] for _ in range(count)]
    sums = [0] * count
    for name in sorted(lengths, key=lambda n: -lengths[n]):
        shortest = sums.index(min(sums))
        parts[shortest].append(name)
        sums[shortest] += lengths[name]
    return parts


def with_helpers(part: list[str], called: dict[str, list[str]]) -> set[str]:
    """The names, and those of all functions of the module that they call."""
    found: set[str] = set()
    left = list(part)
    while left:
        name = left.pop()
        if name in called and name not in found:
            found.add(name)
            left += called[name]
    return found


# ---- object files of several pieces ---------------------------------------------------------------

_HEAD: Final = b"object files\n"


def joined(objects: list[bytes]) -> bytes:
    """Several object files as one content; one is left as it is."""
    if len(objects) == 1:
        return objects[0]
    sizes = b" ".join(b"%d" % len(content) for content in objects)
    return _HEAD + sizes + b"\n" + b"".join(objects)


def objects_in(content: bytes) -> list[bytes]:
    """The object files of a content."""
    if not content.startswith(_HEAD):
        return [content]
    sizes, _, rest = content[len(_HEAD) :].partition(b"\n")
    found, at = [], 0
    for size in map(int, sizes.split()):
        found.append(rest[at : at + size])
        at += size
    return found
