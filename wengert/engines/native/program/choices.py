"""Branches of a graph as one function, which calls those of the branch that an index chooses."""

from __future__ import annotations

from collections.abc import Sequence

from wengert.engines.native.frontend.arrays import Base, Choice, Input
from wengert.engines.native.program.bodies import BodyWriter
from wengert.engines.native.program.steps import Call


class ChoiceWriter(BodyWriter):
    """Writes the function of branches, from the calls of each, and what each gives."""

    def __init__(
        self, choice: Choice, branches: Sequence[Sequence[Call]], given: Sequence[Sequence[Base]]
    ) -> None:
        super().__init__(choice, [call for calls in branches for call in calls])
        self.choice = choice
        self.branches = branches
        # For each branch the results that are copied to where they belong.
        self._copies: list[list[tuple[Base, Base]]] = []
        for part in choice.inside.parts:
            self._find_inputs(part)
        for views, bases in zip(choice.inside.given, given, strict=True):
            self._copies.append(self._placed(list(views), bases))
        self._lay_out([base for copies in self._copies for base, _ in copies])

    def _placed(self, outputs: Sequence[int], bases: Sequence[Base]) -> list[tuple[Base, Base]]:
        """Let a branch compute its results where they belong; those that are there are copied."""
        copies: list[tuple[Base, Base]] = []
        places = {at: k for k, at in enumerate(self.choice.inside.keys)}
        for at, base in zip(outputs, bases, strict=True):
            result = self.choice.results[places[at]]
            if type(base) is Input or base in self._where:
                copies.append((base, result))
            else:
                self._where[base] = result, 0
        return copies

    def call(self) -> Call:
        """The call of the branches, whose function has no name yet."""
        kind = {"b1": "i8", "i4": "i32", "i8": "i64"}[self.choice.index.kind]
        self._where[self.choice.index.base] = self.choice.index.base, 0
        index = self._address(self.choice.index.base, self.choice.index.offset)
        for result in self.choice.results:
            self._argument(result)
        last = len(self.branches) - 1
        cases = " ".join(f"{kind} {k}, label %branch{k}" for k in range(last))
        lines = [f"%index = load {kind}, ptr {index}"]
        lines.append(f"switch {kind} %index, label %branch{last} [ {cases} ]")
        for k, (calls, copies) in enumerate(zip(self.branches, self._copies, strict=True)):
            lines += [f"branch{k}:", *self._called(calls, f"b{k}.")]
            for base, target in copies:
                lines += self._copied(self._argument(target), self._address(base), base)
            lines.append("br label %done")
        return self._made([*lines, "done:", *self._ends_wrong(), "ret void"])

    def _read(self) -> set[Base]:
        return {self.choice.index.base}
