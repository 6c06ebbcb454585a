"""tensorflow.python.eager.monitoring: what a program counts of itself."""

from __future__ import annotations

import bisect
import time
from collections.abc import Callable, Sequence
from typing import Any

from wengert.errors import AlreadyExistsError

_NAMES: set[str] = set()


class Metric:
    """Cells by their labels; a name stands for one metric."""

    _cell: Callable[..., Any]

    def __init__(self, name: str, description: str, *labels: str) -> None:
        if name in _NAMES:
            raise _taken(name)
        _NAMES.add(name)
        self._name, self._description, self._labels = name, description, labels
        self._cells: dict[tuple[str, ...], Any] = {}

    def get_cell(self, *labels: str) -> Any:
        """The cell of these labels."""
        if len(labels) != len(self._labels):
            raise ValueError(
                f"The {self._name} expects taking {len(self._labels)} labels, got {len(labels)}"
            )
        if labels not in self._cells:
            self._cells[labels] = self._new()
        return self._cells[labels]

    def _new(self) -> Any:
        return type(self)._cell()

    def __del__(self) -> None:
        """Free the name."""
        if hasattr(self, "_name"):
            _NAMES.discard(self._name)


def _taken(name: str) -> AlreadyExistsError:
    return AlreadyExistsError(f"Another metric with the same name already exists: {name}")


class CounterCell:
    """A number that grows."""

    def __init__(self) -> None:
        self._value = 0

    def increase_by(self, value: int) -> None:
        """Add to it."""
        self._value += value

    def value(self) -> int:
        """The number."""
        return self._value


class GaugeCell:
    """A value that is set."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def set(self, value: Any) -> None:
        """Set it."""
        self._value = type(self._value)(value)

    def value(self) -> Any:
        """The value."""
        return self._value


class IntGaugeCell(GaugeCell):
    """A whole number."""

    def __init__(self) -> None:
        super().__init__(0)


class StringGaugeCell(GaugeCell):
    """A text."""

    def __init__(self) -> None:
        super().__init__("")


class BoolGaugeCell(GaugeCell):
    """A truth."""

    def __init__(self) -> None:
        super().__init__(False)


class Histogram:
    """How many numbers there were, their sum, and how many in each bucket."""

    def __init__(self, limits: Sequence[float]) -> None:
        self.bucket_limit = list(limits)
        self.bucket = [0.0] * len(self.bucket_limit)
        self.num = self.sum = self.sum_squares = 0.0
        self.min, self.max = float("inf"), float("-inf")

    def add(self, value: float) -> None:
        """One more number."""
        self.bucket[min(bisect.bisect_right(self.bucket_limit, value), len(self.bucket) - 1)] += 1
        self.num, self.sum = self.num + 1, self.sum + value
        self.sum_squares += value * value
        self.min, self.max = min(self.min, value), max(self.max, value)


class SamplerCell:
    """Numbers, by their size."""

    def __init__(self, limits: Sequence[float]) -> None:
        self._histogram = Histogram(limits)

    def add(self, value: float) -> None:
        """One more number."""
        self._histogram.add(float(value))

    def value(self) -> Histogram:
        """What is known of the numbers."""
        return self._histogram


class Counter(Metric):
    """Numbers that grow."""

    _cell = CounterCell


class IntGauge(Metric):
    """Whole numbers that are set."""

    _cell = IntGaugeCell


class StringGauge(Metric):
    """Texts that are set."""

    _cell = StringGaugeCell


class BoolGauge(Metric):
    """Truths that are set."""

    _cell = BoolGaugeCell


class Buckets:
    """The limits of buckets."""

    def __init__(self, limits: Sequence[float]) -> None:
        self.limits = [*limits, float("inf")]


class ExponentialBuckets(Buckets):
    """Buckets whose limits grow by a factor."""

    def __init__(self, scale: float, growth_factor: float, bucket_count: int) -> None:
        super().__init__([scale * growth_factor**i for i in range(bucket_count)])


class Sampler(Metric):
    """Numbers by their size."""

    def __init__(self, name: str, buckets: Buckets, description: str, *labels: str) -> None:
        super().__init__(name, description, *labels)
        self._buckets = buckets

    def _new(self) -> SamplerCell:
        return SamplerCell(self._buckets.limits)


class MonitoredTimer:
    """The milliseconds that a block takes, added to a cell."""

    def __init__(
        self, cell: Any, monitored_section_name: Any = None, avoid_repetitive_counting: bool = False
    ) -> None:
        self.cell = cell

    def __enter__(self) -> MonitoredTimer:
        self._begin = time.perf_counter()
        return self

    def __exit__(self, *error: object) -> None:
        spent = int((time.perf_counter() - self._begin) * 1e3)
        (self.cell.add if hasattr(self.cell, "add") else self.cell.increase_by)(spent)


def monitored_timer(cell: Any) -> Callable[..., Any]:
    """A decorator: the milliseconds of each call, added to a cell."""

    def decorated(function: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            with MonitoredTimer(cell):
                return function(*args, **kwargs)

        return wrapper

    return decorated
