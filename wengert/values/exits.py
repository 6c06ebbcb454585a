"""Where values leave the library: as arrays, as Python's numbers. Nobody listens unless asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

# Each is called with the value and the way it left, such as ".numpy()".
exit_watchers: Final[list[Callable[[Any, str], None]]] = []
# Modules that take values on behalf of the program: values leave where these were called.
doors: Final[set[str]] = set()


def left(value: Any, way: str) -> None:
    """Tell those who listen."""
    for watcher in exit_watchers:
        watcher(value, way)
