"""Names within a graph: unique, and nested in scopes."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache, partial

from wengert.core.scope import Scope, entered
from wengert.host.context_manager import context_manager

_VALID = re.compile(r"[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*")
_VALID_INSIDE = re.compile(r"[A-Za-z0-9_.\\/>-]*")


class Names:
    """Gives out unique names, and takes them back when a piece of graph is discarded."""

    def __init__(self) -> None:
        self.scope = ""  # with a slash at its end, unless it is empty
        self.entry: Scope | None = None  # the innermost that the program entered
        self.root = ""  # where the graph stands: the entry, as text, around all others
        self._entries: dict[str, Scope | None] = {}  # the last one by the scope's name here
        self._used: dict[str, int] = {}  # upper and lower case are one, as in TensorFlow
        self._journal: list[tuple[str, int | None]] = []

    def unique(self, name: str, mark_as_used: bool = True) -> str:
        """The name within the current scope; with a number behind it if it is taken."""
        name = self.scope + name
        key = name.lower()
        count = self._used.get(key, 0)
        if mark_as_used:
            self._take(key, count + 1)
        if not count:
            return name
        base = key
        while key in self._used:
            key = f"{base}_{count}"
            count += 1
        if mark_as_used:
            self._take(key, 1)
        return f"{name}_{count - 1}"

    def _take(self, key: str, count: int) -> None:
        self._journal.append((key, self._used.get(key)))
        self._used[key] = count

    def mark(self) -> int:
        """How many names there are, so that later ones can be taken back."""
        return len(self._journal)

    def give_back(self, mark: int) -> None:
        """All names handed out since the mark."""
        while len(self._journal) > mark:
            key, before = self._journal.pop()
            if before is None:
                self._used.pop(key, None)
            else:
                self._used[key] = before

    def keep(self, name: str) -> None:
        """A whole name that stays in use, although others of its time were given back."""
        key = name.lower()
        self._take(key, max(self._used.get(key, 0), 1))

    @context_manager
    def scoped(self, name: str | None) -> tuple[str, Callable[[], None]]:
        """Names inside begin with the scope. A slash at the end enters a scope again."""
        before = self.scope, self.entry
        if not name or name.endswith("/"):
            self.entry = self._entries.get(name or "")
        self.scope = self._entered(name)
        return self.scope, partial(self.go_on_in, *before)

    @context_manager
    def opened(self, name: str | None, anew: bool = False) -> tuple[str, Callable[[], None]]:
        """The same, by the program: operations made inside know the entry."""
        before = self.scope, self.entry
        entry = entered(self.entry, name, anew)
        if entry is not None and entry.goes_on:
            entry = self._entries.get(entry, entry)
        self.go_on_in(self._entered(name), entry)
        if entry is not None:
            self._entries[self.scope] = entry
        return self.scope, partial(self.go_on_in, *before)

    @context_manager
    def read(self, name: str) -> tuple[str, Callable[[], None]]:
        """The same, by a file, in which scopes are known by their whole names."""
        before, entry, at = (self.scope, self.entry), None, ""
        for part in name.split("/"):
            at += f"{part}/"
            entry = self._entries.setdefault(at, entered(entry, part))
        self.go_on_in(at, entry)
        return at, partial(self.go_on_in, *before)

    def go_on_in(self, scope: str, entry: Scope | None) -> None:
        """Be in a scope that is open."""
        self.scope, self.entry = scope, entry

    def _entered(self, name: str | None) -> str:
        if not name:
            return ""
        valid = _VALID_INSIDE if self.scope else _VALID
        if not valid.fullmatch(name):
            raise ValueError(
                f"'{name}' is not a valid scope name. A scope name has to match the following "
                f"pattern: ^{valid.pattern}$"
            )
        return name if name.endswith("/") else f"{self.unique(name)}/"


@lru_cache(maxsize=1024)
def valid(name: str) -> str:
    """The name of a Python function as one that an operation may have."""
    return re.sub(r"[^A-Za-z0-9_.\\/-]", "", name.replace(" ", "_")).lstrip("_\\/-") or "x"


def checked_name(name: str) -> str:
    """A name that may be given to an operation."""
    if not _VALID.fullmatch(name):
        raise ValueError(
            f"'{name}' is not a valid node name. Accepted names conform to the pattern "
            f"^{_VALID.pattern}$"
        )
    return name
