"""What can be said of a tape that kept no journal: from what it recorded, and from the program's text."""

from __future__ import annotations

import ast
from typing import Any, Final

import numpy as np

from wengert.insight.explain.arrays import array_of, finite
from wengert.insight.explain.cuts import changed_at
from wengert.insight.explain.explanation import Explanation
from wengert.insight.explain.in_tensors import in_tf
from wengert.insight.explain.missing import explain_unconnected, explain_unwatched
from wengert.insight.explain.question import Question
from wengert.insight.explain.rewriting import called
from wengert.insight.explain.trial import proposed
from wengert.insight.explain.without_way import REASONS
from wengert.insight.program_text import line_text, names_in, short
from wengert.insight.reports.blocks import Words

_JOURNAL: Final = (
    "This tape noted no lines: it began in a function that does not name `explain`. "
    "GradientTape(source_lines=True), or `wengert run --explain`, makes it note them."
)


def explain_used_up(q: Question, used_at: str) -> Explanation:
    """The tape is empty."""
    words = "Ask for the answer before the gradient, or make the tape with persistent=True."
    title = f"{q.title}: the tape is used up."
    block = Words(f"{short(used_at)} took a gradient by it, and it forgot all. {_JOURNAL}")
    return Explanation("used-up", title, used_at, words, [block])


def explain_unjournaled(q: Question, gradient: Any) -> Explanation:
    """The reason, as far as the tape itself and the text tell it."""
    assert q.tape is not None
    if gradient is not None:
        return _of_numbers(q, gradient)
    if not q.is_followed(q.source._key):
        for reason in REASONS:
            found = reason(q, {q.source._key}, set(), set())
            if found is not None and found.kind != "branch":
                return found
        return explain_unwatched(q)
    found = _by_reading(q)
    if found is not None:
        return found
    return explain_unconnected(q, _JOURNAL)


def _of_numbers(q: Question, gradient: Any) -> Explanation:
    array = array_of(gradient)
    if not finite(array).all():
        title = f"{q.title} is not finite."
        return Explanation("overflow", title, q.began, "", [Words(_JOURNAL)])
    if not np.any(array):
        return Explanation("zero", f"{q.title} is zero.", q.began, "", [Words(_JOURNAL)])
    return Explanation("right", f"{q.title} is there: finite, and not zero.")


# Calls that end a way, as they are written, and the kind of their reports.
_ENDS: Final = {
    "numpy": "left-tape", "float": "left-tape", "int": "left-tape", "item": "left-tape",
    "asarray": "left-tape", "numpy_function": "left-tape", "stop_gradient": "stop-gradient",
    "argmax": "no-gradient", "argmin": "no-gradient", "round": "no-gradient", "one_hot": "no-gradient",
    "to_int32": "integer", "assign": "overwritten",
}  # fmt: skip


def _by_reading(q: Question) -> Explanation | None:
    """A line between the source and the target that ends the way, found in the text."""
    for place, node in _on_the_way(q):
        for call in ast.walk(node):
            kind = _ENDS.get(called(call), "")
            if isinstance(call, ast.Call) and called(call) == "cast":
                kind = "integer" if "int" in ast.unparse(call.args[-1]) else ""
            if kind:
                text = line_text(place)
                new = in_tf(text) if kind == "left-tape" else changed_at(place, kind)
                found = [new] if new else []
                mend = proposed(q, place, "In its place:", found, otherwise=_JOURNAL)
                title = f"{q.title} is None: the way ends at {short(place)}, {text}"
                return Explanation(kind, title, place, mend, [Words(_JOURNAL)])
    return None


def _on_the_way(q: Question) -> list[tuple[str, ast.AST]]:
    """The assignments on which the target depends and that depend on the source."""
    wanted = {q.y}
    found: list[tuple[str, ast.AST]] = []
    for a in sorted(q.program.assigned.in_order, key=lambda a: -a.line):
        if a.line <= q.program.frame.f_lineno and a.name in wanted:
            wanted |= set(names_in(a.value))
            if q.x.partition(".")[0] in q.reads(a.value, a.line + 1):
                found.append((q.program.place(a.line), a.value))
    return found
