"""What is seen of a run while it goes on: a curve and a bar in a terminal, or lines for a log."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from typing import Final

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from wengert.training.curve import lines_of
from wengert.training.run_folder import Record

_LINES: Final = 20  # of a log, for a whole run
_ROWS: Final = 6  # of the curve
_MARGIN: Final = 12
_AT_LAST: Final = 30  # steps that say how fast it is
_PICTURES: Final = 8  # a second


class Screen:
    """Lines, one now and then."""

    def __init__(self, console: Console, with_accuracy: bool = False) -> None:
        self._console = console
        self.with_accuracy = with_accuracy
        self._first = self._last = 0
        self._times: deque[tuple[int, float]] = deque(maxlen=_AT_LAST)
        self._losses: list[float] = []

    def begin(self, first: int, last: int, before: Sequence[Record]) -> None:
        """Steps from here to there, after these."""
        self._first, self._last = first, last
        self._times.clear()
        self._losses = [record.loss for record in before]

    def say(self, text: str) -> None:
        """A line that stays."""
        self._console.print(Text(text))

    def step(self, record: Record) -> None:
        """What came of a step."""
        self._note(record)
        every = max(1, (self._last - self._first) // _LINES)
        if record.step % every == 0 or record.step == self._last:
            self._console.print(Text(self._line(record)))

    def tested(self, record: Record) -> None:
        """What came of a test."""
        self.say(f"test after step {record.step}: {self._numbers(record)}")

    def end(self) -> None:
        """There are no more steps: the whole curve."""
        if len(self._losses) > 1:
            self._console.print(*self._curve(), sep="\n")

    def _note(self, record: Record) -> None:
        self._times.append((record.step, time.perf_counter()))
        self._losses.append(record.loss)

    def _curve(self) -> list[Text]:
        """The losses so far, where the terminal or the file can show it."""
        if not self._console.encoding.startswith("utf"):
            return []
        width = max(20, min(self._console.width, 100) - _MARGIN)
        return [Text(line, "cyan") for line in lines_of(list(self._losses), width, _ROWS)]

    def _line(self, record: Record) -> str:
        return (
            f"step {record.step}/{self._last}  {self._numbers(record)}  {self._pace(record.step)}"
        )

    def _numbers(self, record: Record) -> str:
        accuracy = f" accuracy {record.accuracy:6.1%}" if self.with_accuracy else ""
        return f"loss {record.loss:<9.4g}{accuracy}"

    def _pace(self, step: int) -> str:
        """How fast it is, and how much time remains."""
        (first, start), (last, end) = self._times[0], self._times[-1]
        if last == first or end == start:
            return ""
        rate = (last - first) / (end - start)
        return f"{rate_text(rate)} steps/s  {spoken((self._last - step) / rate)} left"


class LiveScreen(Screen):
    """A curve of the loss, a bar, and numbers, in place."""

    def begin(self, first: int, last: int, before: Sequence[Record]) -> None:
        """Steps from here to there, after these."""
        super().begin(first, last, before)
        self._now = Record(first, 0.0, 0.0)
        self._live = Live(
            get_renderable=self._picture,
            console=self._console,
            refresh_per_second=_PICTURES,
            transient=False,
        )
        self._live.start()

    def step(self, record: Record) -> None:
        """What came of a step."""
        self._note(record)
        self._now = record

    def end(self) -> None:
        """There are no more steps."""
        self._live.stop()

    def _picture(self) -> Group:
        bar = Table.grid(padding=(0, 1))
        bar.add_row(
            Text(f"{self._now.step}/{self._last}"),
            ProgressBar(total=max(1, self._last), completed=self._now.step, width=24),
            Text(self._numbers(self._now), "bold") if self._times else Text("compiling ..."),
            Text(self._pace(self._now.step) if self._times else "", "dim"),
        )
        return Group(*self._curve(), bar)


def rate_text(rate: float) -> str:
    """A number of steps a second: three digits or more."""
    return f"{rate:.0f}" if rate >= 100 else f"{rate:.3g}"


def spoken(seconds: float) -> str:
    """A length of time, as people write it."""
    whole = round(seconds)
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02d}:{whole % 60:02d}" if hours else f"{minutes}:{whole % 60:02d}"
