"""tensorflow.python.framework.memory_checker: checks for memory leaks."""

from __future__ import annotations

import gc
from collections import Counter
from typing import Any


class MemoryChecker:
    """Counts Python objects by their type on entry, at each snapshot, and on exit."""

    def __enter__(self) -> MemoryChecker:
        self._snapshots = [_count()]
        return self

    def __exit__(self, *error: Any) -> None:
        self.record_snapshot()

    def record_snapshot(self) -> None:
        """Count the objects now."""
        self._snapshots.append(_count())

    def _new(self) -> Counter[str]:
        return self._snapshots[-1] - self._snapshots[0]

    def report(self) -> None:
        """Print the types whose number of objects grew."""
        for name, count in self._new().most_common(20):
            print(f"{count:6d} more {name}")

    def assert_no_leak_if_all_possibly_except_one(self) -> None:
        """Fail if the number of objects of a type grew with every snapshot."""
        steps = list(zip(self._snapshots, self._snapshots[1:], strict=False))
        growing = [n for n in self._snapshots[-1] if all(b[n] > a[n] for a, b in steps)]
        if len(steps) > 2 and growing:
            raise AssertionError(f"More with every snapshot: {growing[:10]}")

    def assert_no_new_python_objects(self, threshold: Any = None) -> None:
        """Fail if there are more objects of a type than allowed."""
        new = {n: c for n, c in self._new().items() if c > (threshold or {}).get(n, 0)}
        if new:
            raise AssertionError(f"New objects: {new}")


def _count() -> Counter[str]:
    gc.collect()
    return Counter(type(x).__name__ for x in gc.get_objects())
