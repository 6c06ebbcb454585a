"""What higher rooms answer about a tape: declared here, bound by the package, loaded when asked.

A program that asks is one that says so: by `GradientTape(source_lines=True)`, by
`wengert run --explain`, or by naming `explain` or `source` in the function in which the tape begins. Its tapes
have a journal from their beginning. Other programs pay for one look at the names of that function.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import CodeType
from typing import Any, Final


class Answers:
    """The functions that answer, and whether every tape keeps a journal."""

    def __init__(self) -> None:
        self.always = False
        self._load: Callable[[], Any] = lambda: None

    def given_by(self, load: Callable[[], Any]) -> None:
        """`load` gives the module that has the answers."""
        self._load = load

    def explain_all(self) -> None:
        """Let every tape keep a journal, and every trouble be explained."""
        self.always = True

    def explain(self, *args: Any) -> Any:
        """Why a gradient is None, zero or not finite."""
        return self._load().explain_tape(*args)

    def source(self, *args: Any) -> Any:
        """The value and the gradient as a program of NumPy."""
        return self._load().source_of_tape(*args)

    def draw(self, *args: Any) -> Any:
        """The graph of what was computed, and of its gradient."""
        return self._load().draw_of_tape(*args)

    @property
    def met(self) -> Any:
        """What a program met, where all is to be explained at its end."""
        return self._load().met

    def new_journal(self) -> Any:
        """What notes everything that happens in the block of a tape."""
        return self._load().Journal()


answers: Final = Answers()

_NAMES: Final = ("explain", "source")
_ASKS: Final[
    dict[int, tuple[CodeType, bool]]
] = {}  # the code is kept, so that its id stays its own
_MOST: Final = 10_000


def is_asked_in(depth: int) -> bool:
    """Whether the code that many frames above names a method that answers."""
    code = sys._getframe(depth + 1).f_code
    known = _ASKS.get(id(code))
    if known is None:
        if len(_ASKS) >= _MOST:
            _ASKS.clear()
        known = _ASKS[id(code)] = (code, any(name in code.co_names for name in _NAMES))
    return known[1]
