"""Name scopes as a program enters them.

A graph numbers the names of its scopes, `layer`, `layer_1`, and puts scopes of its own around the
bodies of loops; eager operations have neither. What is overridden by name scope is the same in both:
an operation knows the entry that it was made in, with the names that the program wrote.
"""

from __future__ import annotations

from collections.abc import Iterator


class Scope(str):
    """One entry of a name scope: its name and those around it, as written, each with a slash behind it.

    That of a module is its name alone, wherever it is entered.
    """

    __slots__ = ("around", "goes_on", "is_whole")

    around: Scope | None
    goes_on: bool  # whether it goes on with a scope that was open before, given by its name
    is_whole: bool  # whether what is around it in the program is no part of the name

    def made_again(self, place: str, around: Scope | None) -> Scope:
        """An entry of the same scope, in what was made again in another place."""
        name = self if self.is_whole else f"{place}{self}"
        return _scope(name, around, self.goes_on, self.is_whole)

    def lies_in(self, name: str, place: str) -> bool:
        """Whether the entry, or one around it, is a scope of that name or inside of one."""
        return any(entry._path(place).startswith(name) for entry in self._outward())

    def called(self, name: str, place: str) -> Scope | None:
        """The entry, this one or one around it, that has a name."""
        return next((entry for entry in self._outward() if entry._path(place) == name), None)

    def _path(self, place: str) -> str:
        return self if self.is_whole else f"{place}{self}"

    def _outward(self) -> Iterator[Scope]:
        entry: Scope | None = self
        while entry is not None:
            yield entry
            entry = entry.around


def entered(around: Scope | None, name: str | None, anew: bool = False) -> Scope | None:
    """The entry of a name scope within another; a slash at the end makes the name a whole one.

    Such a scope goes on, unless it is entered `anew`.
    """
    if not name:
        return None
    if not name.endswith("/"):
        return _scope(
            f"{around or ''}{name}/", around, False, around is not None and around.is_whole
        )
    return _scope(name, around if anew else None, not anew, True)


def _scope(name: str, around: Scope | None, goes_on: bool, is_whole: bool) -> Scope:
    made = Scope(name)
    made.around, made.goes_on, made.is_whole = around, goes_on, is_whole
    return made
