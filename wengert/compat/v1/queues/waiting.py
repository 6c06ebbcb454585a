"""What a session keeps of a queue: its elements, and who waits for more or for room."""

from __future__ import annotations

import heapq
import itertools
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from wengert.errors import CancelledError, OutOfRangeError
from wengert.ops.random.samplers import Draws
from wengert.ops.random.seeds import Seeds, stream_for
from wengert.state.cell import Resource

Element = tuple[Any, ...]


class Order:
    """The order in which elements leave: that in which they came."""

    def __init__(self, seeds: Seeds = (None, None)) -> None:
        self.elements: Any = deque()

    def put(self, element: Element) -> None:
        """One more."""
        self.elements.append(element)

    def take(self) -> Element:
        """The one whose turn it is."""
        taken: Element = self.elements.popleft()
        return taken


class ByPriority(Order):
    """The one with the smallest first component; of equal ones that which came first."""

    def __init__(self, seeds: Seeds = (None, None)) -> None:
        self.elements = []
        self._numbers = itertools.count()

    def put(self, element: Element) -> None:
        """One more."""
        heapq.heappush(self.elements, (int(element[0]), next(self._numbers), element))

    def take(self) -> Element:
        """The one whose turn it is."""
        taken: Element = heapq.heappop(self.elements)[2]
        return taken


class Shuffled(Order):
    """Any of them, by TensorFlow's numbers."""

    def __init__(self, seeds: Seeds) -> None:
        self.elements = []
        self._draws = Draws(stream_for(*seeds).kept())

    def take(self) -> Element:
        """The one that chance takes."""
        at = self._draws.word() % len(self.elements)
        self.elements[at], self.elements[-1] = self.elements[-1], self.elements[at]
        taken: Element = self.elements.pop()
        return taken


class Waiting(Resource):
    """The elements, guarded by a condition for which threads wait."""

    what = "queue"

    def __init__(self, kind: str, name: str, capacity: int, least: int, order: Order) -> None:
        self._title = f"{kind} '{name}'"
        self._capacity = capacity if capacity >= 0 else None
        self._least = least  # elements that must remain, so that chance has a choice
        self._order = order
        self._changed = threading.Condition()
        self._closed = self._cancelled = False

    def put(self, elements: list[Element]) -> None:
        """Add elements, one by one, as soon as there is room."""
        with self._changed:
            if self._closed:
                raise CancelledError(f"{self._title} is closed.")
            for element in elements:
                self._wait(lambda: self._cancelled or self._has_room())
                if self._cancelled:
                    raise CancelledError(f"{self._title} is closed: the enqueue was cancelled.")
                self._order.put(element)
                self._changed.notify_all()

    def take(self, count: int, *, fewer: bool) -> list[Element]:
        """Remove so many elements as soon as they are there; of a closed queue perhaps fewer."""
        with self._changed:
            self._wait(lambda: self._closed or self.size() >= count + self._least)
            there = self.size()
            if there < count and not (fewer and there):
                raise OutOfRangeError(
                    f"{self._title} is closed and has insufficient elements (requested {count}, "
                    f"current size {there})"
                )
            taken = [self._order.take() for _ in range(min(count, there))]
            self._changed.notify_all()
            return taken

    def _has_room(self) -> bool:
        return self._capacity is None or self.size() < self._capacity

    def _wait(self, reached: Callable[[], bool]) -> None:
        """Wait in turns, so that an interrupt of the program is seen."""
        while not reached():
            self._changed.wait(0.5)

    def close(self, *, cancel: bool) -> None:
        """Nothing more comes; what waits for room may still, unless it is cancelled."""
        with self._changed:
            self._closed = True
            self._cancelled = self._cancelled or cancel
            self._changed.notify_all()

    @property
    def closed(self) -> bool:
        """Whether it is closed."""
        return self._closed

    def size(self) -> int:
        """How many elements there are."""
        return len(self._order.elements)
