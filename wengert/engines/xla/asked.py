"""What kernels ask of arrays that are only traced: truth values, which become checks, or numbers, which there are not."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final


class NeedsNumbersError(TypeError):
    """A kernel asked for the numbers of an array that is only traced."""


class Asked(threading.local):
    """The check that kernels make in this thread: with it a truth value is noted, and taken as False."""

    check: Callable[[Any], None] | None = None
    truth = False


ASKED: Final = Asked()


@contextmanager
def checking(check: Callable[[Any], None]) -> Iterator[None]:
    """Within it the checks of kernels are noted by a function."""
    before, ASKED.check = ASKED.check, check
    try:
        yield
    finally:
        ASKED.check = before


@contextmanager
def answering(is_check: bool) -> Iterator[None]:
    """Within it kernels ask for truth values only to raise an error, or must not ask."""
    before, ASKED.truth = ASKED.truth, is_check
    try:
        yield
    finally:
        ASKED.truth = before


def refuse_if(failed: Any) -> None:
    """Note a truth value, or an array of them, that must not hold when the plan runs."""
    if ASKED.check is not None:
        ASKED.check(failed)
