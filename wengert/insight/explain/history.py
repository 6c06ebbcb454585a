"""Which operations lead from a source to a target, whether or not they have gradients."""

from __future__ import annotations

import copy
from collections.abc import Sequence, Set
from typing import Any

from wengert.insight.journal import Step
from wengert.values.value import Key


class History:
    """Operations in their order, and the ways of values through them."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = steps
        self.made_by: dict[Key, int] = {
            y._key: n for n, step in enumerate(steps) for y in step.results
        }
        # Of a target there are answers for many sources.
        self._behind: dict[frozenset[Key], tuple[frozenset[Key], frozenset[int]]] = {}
        self._leaves: dict[frozenset[int], list[Any]] = {}

    def with_steps(self, steps: Sequence[Step]) -> History:
        """The same ways, with other operations on them."""
        found = copy.copy(self)
        found.steps = steps
        return found

    def down(self, keys: Set[Key]) -> tuple[set[Key], set[int]]:
        """All values that were computed from these, and the operations that did it."""
        values, numbers, made_by = set(keys), set(), self.made_by
        for number, step in enumerate(self.steps):  # what uses a value comes after what made it
            if any(getattr(x, "_key", None) in values for x in step.inputs):
                numbers.add(number)
                values.update(y._key for y in step.results if made_by[y._key] == number)
        return values, numbers

    def up(self, keys: Set[Key]) -> tuple[frozenset[Key], frozenset[int]]:
        """All values from which these were computed, and the operations."""
        given = frozenset(keys)
        if given not in self._behind:
            self._behind[given] = self._up(given)
        return self._behind[given]

    def _up(self, keys: frozenset[Key]) -> tuple[frozenset[Key], frozenset[int]]:
        values, numbers = set(keys), set()
        waiting = list(keys)
        while waiting:
            number = self.made_by.get(waiting.pop(), -1)
            if number >= 0 and number not in numbers:
                numbers.add(number)
                new = [key for key in keys_of(self.steps[number].inputs) if key not in values]
                values.update(new)
                waiting += new
        return frozenset(values), frozenset(numbers)

    def leaves(self, numbers: Set[int]) -> list[Any]:
        """What these operations use that none of the history computed, in the order of its use."""
        given = frozenset(numbers)
        if given not in self._leaves:
            self._leaves[given] = self._leaves_of(given)
        return self._leaves[given]

    def _leaves_of(self, numbers: Set[int]) -> list[Any]:
        found: dict[Key, Any] = {}
        for number in sorted(numbers):
            for x in self.steps[number].inputs:
                key = getattr(x, "_key", None)
                if key is not None and key not in self.made_by:
                    found.setdefault(key, x)
        return list(found.values())

    def shortest(self, numbers: Set[int], source: Key, target: Key) -> list[int]:
        """The fewest operations that lead from one value to another, among these."""
        before: dict[Key, tuple[Key, int] | None] = {source: None}
        for number in sorted(numbers):
            step = self.steps[number]
            way = next((key for key in keys_of(step.inputs) if key in before), None)
            if way is not None:
                for y in step.results:
                    before.setdefault(y._key, (way, number))
        found, at = [], before.get(target)
        while at is not None:
            found.append(at[1])
            at = before[at[0]]
        return found[::-1]


def keys_of(values: Sequence[Any]) -> list[Key]:
    """The identities of values that have one."""
    return [key for key in [getattr(x, "_key", None) for x in values] if key is not None]
