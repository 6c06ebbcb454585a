"""Sets of columns, of which elements that depend on the same columns share one."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

IndexArray = Any  # for each element of a tensor the number of its set
EMPTY: Final = 0
_FEW: Final = 64  # members

# Beyond this many members in one step, everything is taken to depend on everything.
LIMIT: Final = 50_000_000


class IndexSets:
    """Numbered sets of columns. Number 0 is the empty set, number k + 1 begins as column k alone.

    The members of all sets lie one after the other in one array, sorted within each set.
    """

    def __init__(self, columns: int) -> None:
        self.columns = columns
        self._bits = columns.bit_length()  # of a member, in a key of group and member
        self._starts = _Growing(np.concatenate([[0], np.arange(columns + 1)]))
        self._members = _Growing(np.arange(columns, dtype=np.int32))
        self._all = -1  # the set of all columns, once it is needed

    def sizes(self, numbers: IndexArray) -> Any:
        """How many members each of the sets has."""
        starts = self._starts.array
        return starts[numbers + 1] - starts[numbers]

    def members(self, numbers: IndexArray) -> tuple[Any, Any]:
        """For a vector of numbers: the place in that vector and the column of every member."""
        sizes = self.sizes(numbers)
        columns = self._columns_of(numbers, sizes).astype(np.int64)
        return np.repeat(np.arange(len(numbers)), sizes), columns

    def _columns_of(self, numbers: IndexArray, sizes: Any) -> Any:
        shifts = self._starts.array[numbers] - (np.cumsum(sizes) - sizes)
        places = np.repeat(shifts, sizes)
        places += np.arange(len(places))
        return self._members.array[places]

    def everything(self) -> int:
        """The set of all columns."""
        if self._all < 0:
            columns = np.arange(self.columns, dtype=np.int32)
            (self._all,) = self._add(np.array([self.columns]), columns)
        return self._all

    def union(self, a: IndexArray, b: IndexArray) -> IndexArray:
        """Element by element the union of two sets; the arrays have one shape."""
        if a is b or np.array_equal(a, b):
            return a
        found = np.where(a == EMPTY, b, a)
        both = (a != b) & (a != EMPTY) & (b != EMPTY)
        if both.any():
            found[both] = self._of_pairs(a[both], b[both])
        return found

    def _of_pairs(self, a: Any, b: Any) -> Any:
        bits = self._starts.size.bit_length()
        keys, places = np.unique((np.minimum(a, b) << bits) | np.maximum(a, b), return_inverse=True)
        pairs = np.stack([keys >> bits, keys & ((1 << bits) - 1)], 1)
        groups = np.repeat(np.arange(len(pairs)), 2)
        return self._of_groups(pairs.ravel(), groups, len(pairs))[places]

    def union_of_groups(self, numbers: IndexArray, groups: Any, count: int) -> IndexArray:
        """For each of `count` groups the union of the sets that belong to it, both as vectors."""
        bits = self._starts.size.bit_length()
        there = numbers != EMPTY
        keys = _distinct((groups[there] << bits) | numbers[there])
        return self._of_groups(keys & ((1 << bits) - 1), keys >> bits, count)

    def _of_groups(self, numbers: Any, groups: Any, count: int) -> Any:
        """The same, for pairs that are sorted by group and differ from one another."""
        found = np.zeros(count, np.int64)
        several = np.bincount(groups, minlength=count) > 1
        alone = ~several[groups]
        found[groups[alone]] = numbers[alone]
        if not several.any():
            return found
        if alone.any():
            numbers, groups = numbers[~alone], groups[~alone]
        own = self.sizes(numbers)
        if int(own.sum()) > LIMIT:
            found[several] = self.everything()
            return found
        sizes, of_members, members = self._merged(numbers, groups, own, count)
        # A set that contains the others is their union: it keeps its number.
        whole = own == sizes[groups]
        found[groups[whole]] = numbers[whole]
        new = several & (found == EMPTY)
        if new.all():
            return self._add(sizes, members)
        if new.any():
            found[new] = self._add(sizes[new], members[new[of_members]])
        return found

    def _merged(self, numbers: Any, groups: Any, own: Any, count: int) -> tuple[Any, Any, Any]:
        """How many different columns each group has, and for each of these its group and itself."""
        in_groups = np.bincount(groups, own, count).astype(np.int64)
        width = int(in_groups[0])
        if (
            width <= _FEW and (in_groups == width).all()
        ):  # short lines sort faster than one long one
            lines = np.sort(self._columns_of(numbers, own).reshape(count, width), 1)
            is_first = np.ones(lines.shape, bool)
            np.not_equal(lines[:, 1:], lines[:, :-1], out=is_first[:, 1:])
            sizes = np.count_nonzero(is_first, 1)
            return sizes, np.repeat(np.arange(count), sizes), lines[is_first]
        owners, members = self.members(numbers)
        keys = _distinct((groups[owners] << self._bits) | members)
        of_members = keys >> self._bits
        return np.bincount(of_members, minlength=count), of_members, keys & ((1 << self._bits) - 1)

    def _add(self, sizes: Any, members: Any) -> Any:
        first = self._starts.size - 1
        self._starts.extend(self._members.size + np.cumsum(sizes))
        self._members.extend(members)
        return np.arange(first, first + len(sizes))


def _distinct(keys: Any) -> Any:
    keys = np.sort(keys)
    if not len(keys):
        return keys
    return keys[np.concatenate([[True], keys[1:] != keys[:-1]])]


class _Growing:
    """An array that grows at its end; its memory doubles when it is full."""

    def __init__(self, array: Any) -> None:
        self._all = array
        self.size = len(array)

    @property
    def array(self) -> Any:
        return self._all[: self.size]

    def extend(self, more: Any) -> None:
        size = self.size + len(more)
        if size > len(self._all):
            larger = np.empty(2 * size, self._all.dtype)
            larger[: self.size] = self._all[: self.size]
            self._all = larger
        self._all[self.size : size] = more
        self.size = size
