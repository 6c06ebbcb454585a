"""What a loop takes or emits, an element for each iteration: the rows of one array, or a list."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from wengert.errors import InvalidArgumentError
from wengert.values.tensor import TensorList

FIRST: Final = 64  # rows for which there is room when a loop runs for the first time


class Iterations:
    """For how many iterations there is room, or how many there are between two looks at signals.

    There is room for as many rows as a loop emitted when it ran last.
    """

    def __init__(self, pause: int | None) -> None:
        self._pause = pause
        self._count = pause or FIRST

    def tally(self) -> Any:
        """The number of iterations, none yet, and of those that may follow."""
        return np.array([0, self._count], np.int64)

    def add_to(self, tally: Any) -> None:
        """Let more iterations follow."""
        tally[1] += self._pause or tally[1]

    def note(self, tally: Any) -> None:
        """Remember how many there were."""
        self._count = max(int(tally[0]), 1)


def more(rows: Any, tally: Any) -> Any:
    """The rows in an array with more room."""
    found = np.empty((int(tally[1]), *rows.shape[1:]), rows.dtype)
    found[: len(rows)] = rows
    return found


def listed(rows: Any, tally: Any) -> TensorList:
    """The rows as a list, which other operations take."""
    count = int(tally[0])
    there = rows[:count] if 2 * count > len(rows) else rows[:count].copy()
    return TensorList(there).of_dense(there)


def as_list(rows: Any, depth: int) -> TensorList:
    """All rows as a list, or as a list of lists, and so on."""
    if depth == 1:
        return TensorList(rows).of_dense(rows)
    return TensorList([as_list(row, depth - 1) for row in rows])


def as_rows(values: Any, shape: tuple[int, ...], dtype: Any) -> tuple[Any, Any]:
    """The elements of a list as rows, and their number; None if they are of another form."""
    if not isinstance(values, TensorList):
        return None, None
    tally = np.array([len(values), len(values)], np.int64)
    dense = values.dense
    if dense is None:
        dense = _stacked(values, shape, dtype)
    if dense is None or dense.shape[1:] != shape or dense.dtype != dtype:
        return None, None
    return dense, tally


def check_lengths(*tallies: Any) -> None:
    """Check that lists have as many elements."""
    counts = [int(tally[0]) for tally in tallies]
    if len(set(counts)) > 1:
        raise InvalidArgumentError(
            f"A loop takes an element of each of several lists in every iteration, and they have {counts} elements."
        )


def _stacked(values: TensorList, shape: tuple[int, ...], dtype: Any) -> Any:
    """The elements as an array, zeros where there are none; None if they are of another form."""
    found = np.zeros((len(values), *shape), dtype)
    for row, value in zip(range(len(values)), values, strict=True):
        if value is None:
            continue
        array = np.asarray(value)
        if array.shape != shape or array.dtype != dtype:
            return None
        found[row] = array
    return found
