"""The Levenshtein distance of pairs of sequences: a row of the table of distances after the other."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from wengert.engines.native.codegen.kernel_writer import KernelWriter, kernel

PART: Final = 1 << 16  # elements of the tables, about


def distances(said: Any, said_ends: Any, meant: Any, meant_ends: Any) -> Any:
    """For each pair how many elements must be inserted, deleted and exchanged.

    The sequences of all pairs follow each other; the ends begin with the first one's beginning.
    """
    count = len(said_ends) - 1
    found = np.empty(count, np.int64)
    if not count:
        return found
    longest = int(np.diff(meant_ends).max()) + 1
    mean = max(len(said) // count, 1) * max(len(meant) // count, 1)
    each = max(PART // mean, 1)
    arrays = (said, said_ends, meant, meant_ends, found)
    _distances()(-(-count // each), (count, each, longest), *arrays)
    return found


@kernel
def _distances() -> str:
    """The kernel: an item is a pair."""
    w = KernelWriter(5, 3)
    (said, said_ends, meant, meant_ends, found), (count, each, longest) = w.arrays, w.numbers
    row = w.room("i8", longest)  # how far the elements so far are from each beginning of the other

    def pair(k: str) -> None:
        begins, ends = (
            [w.read("i8", x, w.add(k, at), 1) for x in (said_ends, meant_ends)] for at in (0, 1)
        )
        lengths = [w.sub(end, begin) for begin, end in zip(begins, ends, strict=True)]
        ours, theirs = (w.place("i8", x, at) for x, at in zip((said, meant), begins, strict=True))
        w.loop(0, w.add(lengths[1], 1), 1, lambda j, _: w.write("i8", row, j, j, 1))

        def element(i: str, _: list[str]) -> None:
            one, first = w.read("i8", ours, i, 1), w.add(i, 1)
            w.write("i8", row, 0, first, 1)

            def compare(j: str, now: list[str]) -> list[str]:
                corner, left = now
                there = w.add(j, 1)
                above = w.read("i8", row, there, 1)
                is_other = w.set(f"icmp ne i64 {one}, {w.read('i8', theirs, j, 1)}")
                exchanged = w.add(corner, w.set(f"zext i1 {is_other} to i64"))
                best = w.least(w.least(w.add(above, 1), exchanged), w.add(left, 1))
                w.write("i8", row, there, best, 1)
                return [above, best]

            w.loop(0, lengths[1], 1, compare, [("i64", i), ("i64", first)])

        w.loop(0, lengths[0], 1, element)
        w.write("i8", found, k, w.read("i8", row, lengths[1], 1), 1)

    w.share(each, count, pair)
    return w.text()
