"""Ways that lead from a source to a target through what keeps numbers alone: a dataset, a cache, an index, a count."""

from __future__ import annotations

import ast
from collections.abc import Set
from typing import Any

from wengert.insight.explain.explanation import Explanation
from wengert.insight.explain.question import Question
from wengert.insight.explain.rewriting import expressions, read_names
from wengert.insight.journal import Step
from wengert.insight.program_text import line_text, short
from wengert.insight.reports.blocks import Words
from wengert.state.variable import Variable


def by_dataset(q: Question, down: Set[Any], up: Set[Any], used: Set[int]) -> Explanation | None:
    """The elements of a dataset are new tensors."""
    for step in q.steps_after():
        if step.row.name.endswith("Dataset") and q.may_come_from(step.line):
            title = f"{q.title} is None: the way from {q.x} to {q.y} leads through a dataset."
            text = f"{short(step.line)}   {line_text(step.line)}\n✂ a dataset holds arrays, without their history."
            words = "Take the elements of the tensor itself: for x in tf.unstack(values)."
            return Explanation("left-tape", title, step.line, words, [Words(text)])
    return None


def by_keeping(q: Question, down: Set[Any], up: Set[Any], used: Set[int]) -> Explanation | None:
    """A list, a dictionary or an object has kept something on the way since before the tape began."""
    leaves = [
        x for x in q.history.leaves(used) if not isinstance(x, Variable) and x is not q.source
    ]
    holders = dict.fromkeys(q.program.holder_of(x) for x in leaves if not q.name(x))
    return next(filter(None, (_kept_by(q, holder) for holder in holders if holder)), None)


def _kept_by(q: Question, holder: str) -> Explanation | None:
    at = q.program.flow.last_filling(holder, q.owner, q.program.values)
    if not at:
        return None
    line = q.program.place(at)
    title = f"{q.title} is None: what {holder} holds was computed before the tape began."
    text = f"{short(line)}   {line_text(line)}\n✂ the tape begins at {short(q.began)} and knows it as a number only."
    words = (
        f"Compute it in the block each time: what is kept does not follow {q.x}, nor its changes."
    )
    return Explanation("before-tape", title, line, words, [Words(text)])


def by_choice(q: Question, down: Set[Any], up: Set[Any], used: Set[int]) -> Explanation | None:
    """What is computed from the source became an index, or the number of rounds of a loop."""
    turned = [(step, y) for step in q.steps_after() for y in step.results if _is_whole(y)]
    names = {q.name(y) for _, y in turned}
    lines = {step.line for step, _ in turned}
    for number in sorted(used) if turned else ():
        line = q.history.steps[number].line
        text = line_text(line)
        if line in lines or not names.isdisjoint(read_names(text)):
            return _chosen(q, turned[0][0], line, text)
    return None


def _is_whole(y: Any) -> bool:
    dtype = getattr(y, "dtype", None)
    return dtype is not None and (dtype.is_integer or dtype.is_bool)


def _chosen(q: Question, turn: Step, line: str, text: str) -> Explanation:
    nodes = expressions(text)
    if any(isinstance(n, ast.Subscript) for n in nodes):
        what = "which element is taken"
        words = "Ask for the gradient by what is chosen from, or weigh all of it: tf.nn.softmax(scores) @ table."
    elif "loop" in text or "range" in text:
        what = "how many rounds a loop takes"
        words = "Ask for the gradient by what the rounds compute, or let each round count by a smooth weight."
    else:
        what = "what is computed"
        words = "Let the value itself be computed with, and not only decide."
    dtype = next(y.dtype.name for y in turn.results if not y.dtype.is_differentiable)
    title = (
        f"{q.title} is None: {q.x} decides {what} ({short(line)}), and a choice has no derivative."
    )
    shown = f"{short(turn.line)}   {line_text(turn.line)}\n✂ {turn.row.name} gives {dtype} here."
    return Explanation("integer", title, turn.line, words, [Words(shown)])
