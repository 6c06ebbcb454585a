"""The report: which gradients are right, and what is wrong with the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wengert.insight.check.findings import INNOCENT, Aspect, InputFinding
from wengert.insight.reports.blocks import Block, Table, Words
from wengert.insight.reports.report import Report

_BASIC = frozenset({"mutates", "state", "not-linear"})  # with them nothing else means much


class CheckReport(Report):
    """Whether gradients are right: `right`, the kind of the `fault`, and the same for each of `inputs`.

    Its text is the verdict at length; `aspects` say what was looked at beside the numbers.

    The kinds: factor, sign, transposed, conjugate, missing-term, missing-sum, elements (wrong for some only), none, shape,
    dtype, not-finite, not-linear, state, mutates, forward, batch, modes, second-order. Two are no fault: kink and
    ill-conditioned. Where there is nothing to say, it is an empty string.
    """

    def __init__(
        self,
        subject: str,
        inputs: Sequence[InputFinding],
        aspects: Sequence[Aspect],
        notes: Sequence[str] = (),
    ) -> None:
        self.subject = subject
        self.inputs = list(inputs)
        self.aspects = list(aspects)
        self.notes = list(notes)
        basic = [a.fault for a in aspects if a.fault in _BASIC]
        self.fault = _worst([*basic, *[x.fault for x in inputs], *[a.fault for a in aspects]])
        self.right = self.fault in INNOCENT
        self.title = self._verdict()

    def _verdict(self) -> str:
        wrong = [x for x in self.inputs if not x.right]
        count = f"{len(self.inputs)} input{'' if len(self.inputs) == 1 else 's'}"
        if self.right:
            return f"The gradient of {self.subject} is right for {count}."
        if wrong:
            return f"The gradient of {self.subject} is wrong for {len(wrong)} of {count}: {self.fault}."
        aspect = next(a for a in self.aspects if a.fault == self.fault)
        return (
            f"The gradient of {self.subject} is wrong in one aspect, {aspect.name}: {self.fault}."
        )

    def assert_right(self) -> None:
        """Raise an AssertionError with this text if a gradient is wrong."""
        if not self.right:
            raise AssertionError(str(self))

    def blocks(self) -> list[Block]:
        """The inputs, then the aspects, then what is to be noted."""
        made: list[Block] = [Table(("", "", "", ""), tuple(_rows(self.inputs)))]
        if self.aspects:
            made.append(
                Table(("", "", ""), tuple([(a.name, a.status, a.words) for a in self.aspects]))
            )
        made += [Words(note) for note in self.notes]
        return made

    def to_dict(self) -> dict[str, Any]:
        """The verdict, the inputs and the aspects."""
        return {
            "subject": self.subject,
            "right": self.right,
            "fault": self.fault,
            "title": self.title,
            "inputs": [x.to_dict() for x in self.inputs],
            "aspects": [a._asdict() for a in self.aspects],
            "notes": self.notes,
        }


def _worst(kinds: Sequence[str]) -> str:
    """The first kind that is a fault; else the first that is worth a word."""
    faults = [k for k in kinds if k not in INNOCENT]
    return next(iter([*faults, *[k for k in kinds if k]]), "")


def _rows(inputs: Sequence[InputFinding]) -> list[tuple[str, str, str, str]]:
    rows = []
    for x in inputs:
        first, *rest = x.words or ("",)
        rows.append((f"input {x.number}", x.label, "ok" if x.right else "WRONG", first))
        rows += [("", "", "", words) for words in rest]
    return rows
