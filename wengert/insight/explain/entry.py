"""tape.explain and tf.explain_gradient."""

from __future__ import annotations

import ast
from types import FrameType
from typing import Any

from wengert.insight.explain.explanation import Explanation
from wengert.insight.explain.history import History
from wengert.insight.explain.missing import explain_missing
from wengert.insight.explain.question import Question
from wengert.insight.program_text import Program


def explain_tape(tape: Any, target: Any, sources: Any, frame: FrameType) -> Any:
    """Why the gradients of a target are what they are: one answer, or one for each source."""
    program = Program(frame)
    written = program.arguments("explain")
    y = written[0] if written else "the target"
    several = isinstance(sources, (list, tuple))
    names = _names(written[1] if len(written) > 1 else "the source", sources)
    found = [
        _explain(tape, target, source, y, x, program)
        for source, x in zip(sources if several else [sources], names, strict=True)
    ]
    return found if several else found[0]


def _names(text: str, sources: Any) -> list[str]:
    """What the program calls each source."""
    if not isinstance(sources, (list, tuple)):
        return [text]
    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError:
        tree = ast.Constant(0)
    if isinstance(tree, (ast.List, ast.Tuple)) and len(tree.elts) == len(sources):
        return [ast.unparse(e) for e in tree.elts]
    return [f"{text}[{i}]" for i in range(len(sources))]


def _explain(tape: Any, target: Any, source: Any, y: str, x: str, program: Program) -> Explanation:
    journal = tape._journal
    if journal is None:
        return _without_journal(tape, target, source, y, x, program)
    followed = [t for t, _ in journal.tapes]
    question = Question(
        target,
        source,
        y,
        x,
        History(journal.steps),
        program,
        journal.began,
        followed[-1] if followed else None,
        tuple(followed[:-1]),
        journal,
        tape._watch_accessed_variables,
    )
    return explain_missing(question) or Explanation("right", f"{question.title} is there.")


def _without_journal(
    tape: Any, target: Any, source: Any, y: str, x: str, program: Program
) -> Explanation:
    return Explanation("unknown", f"d {y} / d {x}: the tape kept no journal.")
