"""tape.explain."""

from __future__ import annotations

from collections.abc import Sequence
from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple

from wengert.api.gradients.parts import pull_back_to, whole_of
from wengert.core.context import activate, apply_overrides, current_graph
from wengert.core.tape import Tape
from wengert.errors import OpError
from wengert.execution.derived_graphs import GradientGraph
from wengert.host.collector import uncollected
from wengert.host.user_frames import line_of
from wengert.insight.explain.arrays import is_sound
from wengert.insight.explain.explanation import NOT_FINITE, Explanation
from wengert.insight.explain.history import History
from wengert.insight.explain.missing import (
    explain_cut_within,
    explain_missing,
    explain_unconnected,
)
from wengert.insight.explain.numbers import (
    explain_numbers,
    explain_sound,
    with_what_is_recomputed,
)
from wengert.insight.explain.question import Question
from wengert.insight.explain.rewriting import Mend
from wengert.insight.explain.unjournaled import explain_unjournaled, explain_used_up
from wengert.insight.explain.without_way import explain_not_run
from wengert.insight.program_text import Program, name_in_frame, names_of_sources, short
from wengert.insight.reports.blocks import Words
from wengert.ops.math.elementwise import ones_like
from wengert.state.variable import Variable
from wengert.values import nest
from wengert.values.tensor import Tensor, dims, key_of

if TYPE_CHECKING:
    pass


def explain_tape(
    tape: Any, target: Any, sources: Any, frame: FrameType, rules: Any, seeds: Any
) -> Any:
    """Why the gradients of a target are what they are: one answer, or one for each source.

    `rules` are the overrides and the conventions of the gradient, `seeds` the weights of its targets.
    """
    program = Program(frame)
    y, written = program.arguments(("explain", "gradient"), ("target", "sources"))
    if not y:  # not asked by the program itself
        y, written = program.asked_by_optimizer()
    flat = nest.differentiated(sources)
    names = [name_in_frame(x, frame) for x in flat]
    if written:
        names = names_of_sources(written, sources, len(flat))
    for x in flat:
        _checked(x)
    is_nested = isinstance(target, (list, tuple, dict)) or nest.is_composite(target)
    targets = nest.differentiated(target) if is_nested else [target]
    if not targets:
        raise ValueError(f"explain was given no target: {y or 'the first argument'} is empty.")
    seeds = [None] * len(targets) if seeds is None else seeds
    about = _about(tape, program)._replace(rules=rules)
    asked = [
        about._replace(target=t, y=y or _name_of(t, program) or "the target", seed=seed)
        for t, seed in zip(targets, seeds, strict=True)
    ]
    found = [
        _of_several(answers)
        for answers in zip(*uncollected(_explained, tape, asked, flat, names), strict=True)
    ]
    if program.is_stale:
        for answer in found:
            answer.note(
                f"{short(program.file)} is another text than the program that runs: it has changed since, and its lines are not shown."
            )
    return nest.pack_sequence_as(sources, found) if nest.is_nested(sources) else found[0]


def _name_of(value: Any, program: Program) -> str:
    """What the program calls a value, or a tape; empty if it has no name for it."""
    return next((n for n, v in program.values.items() if v is value), "")


def _checked(source: Any) -> None:
    if not isinstance(source, (Tensor, Variable)):
        raise TypeError(
            f"A source of explain is a tensor or a variable, as of gradient; got {type(source).__name__}."
        )
    key_of(source)


def _of_several(answers: Sequence[_Answer]) -> Explanation:
    """The answer for several targets, whose gradients are added: one that is not finite spoils the sum."""
    found = [a.explanation for a in answers]
    spoiled = [e for e in found if e.kind in NOT_FINITE]
    right = [e for e in found if e.right]
    there = [a.explanation for a in answers if a.gradient is not None]
    with_reason = [e for e in found if e.kind != "no-path"]
    return next(iter([*spoiled, *right, *there, *with_reason, *found]))


def _about(tape: Any, program: Program) -> Question:
    """What is known of a tape, before it is asked for the gradient of a target by a source."""
    journal = tape._journal
    known = Question(
        None,
        None,
        "",
        "",
        # Asked in the block, the answer's own steps would follow.
        History([] if journal is None else list(journal.steps)),
        program,
        tape=tape._tape,
        watches_variables=tape._watch_accessed_variables,
        tape_name=_name_of(tape, program) or "tape",
    )
    if journal is None:
        return known
    followed = [t for t, _ in journal.tapes]
    return known._replace(
        began=journal.began,
        tape=followed[-1] if followed else None,
        before=tuple(followed[:-1]),
        journal=journal,
    )


class _Answer(NamedTuple):
    gradient: Any  # what `gradient` gives; None where nothing is recorded any more, too
    explanation: Explanation


def _explained(
    tape: Any, asked: Sequence[Question], sources: Sequence[Any], names: Sequence[str]
) -> list[list[_Answer]]:
    """For each target the answers for all sources."""
    try:
        gradients = _gradients(asked, sources)
    except OpError as error:  # as gradient raises it, which does not say at which line
        named = list(zip(sources, names, strict=True))
        return [
            [_Answer(None, _failed(q._replace(source=x, x=name), error)) for x, name in named]
            for q in asked
        ]
    found = []
    for q, of_target in zip(asked, gradients, strict=True):
        of_sources = zip(sources, names, of_target, strict=True)
        each = [(q._replace(source=x, x=name), g) for x, name, g in of_sources]
        found.append([_Answer(g, _explain(tape, q, g)) for q, g in each])
    return found


def _failed(q: Question, error: OpError) -> Explanation:
    """The rule of an operation refuses what it is given."""
    title = f"{q.title} cannot be computed: a rule raises an error."
    found = Explanation("failed", title, q.began, "", [Words(str(error))])
    return found if q.journal is None else explain_numbers(q) or found


def _explain(tape: Any, q: Question, gradient: Any) -> Explanation:
    if q.tape is None:
        return explain_used_up(q, line_of(tape._used_at)) if tape._used_at else _never_entered(q)
    if tape._journal is None:
        return explain_unjournaled(q, gradient)
    return _answer(q, gradient)


def _never_entered(q: Question) -> Explanation:
    line = q.place_of_name(q.tape_name)
    title = f"{q.title}: the tape has recorded nothing, because it was never entered."
    mend = Mend("Compute in its block:", (f"with {q.tape_name}:", f"    {q.y} = ..."))
    return Explanation("used-up", title, line, mend)


def _gradients(asked: Sequence[Question], sources: Sequence[Any]) -> list[list[Any]]:
    """What the tape gives for each target and all sources; it is left as it is."""
    tape, rules = asked[0].tape, asked[0].rules
    if tape is None:
        return [[None] * len(sources) for _ in asked]
    tape.name_late()
    if rules is not None:
        tape.restore_all()
    with _aside(), apply_overrides(rules, must=False):
        found = [_gradients_of(tape, q, sources) for q in asked]
    if rules is not None and any(g is not None for of_one in found for g in of_one):
        rules.check()
    return found


def _aside() -> activate:
    """What is computed inside is for nobody else: neither for recorders nor in a graph."""
    graph = current_graph()
    return activate((), None if graph is None else GradientGraph("explanation", graph))


def _gradients_of(tape: Tape, q: Question, sources: Sequence[Any]) -> list[Any]:
    if not isinstance(q.target, (Tensor, Variable)) or not q.target.dtype.is_differentiable:
        return [None] * len(sources)
    seed = ones_like(q.target) if q.seed is None else q.seed
    found = pull_back_to(tape, [q.target], [seed], sources, drain=False)
    return [g if x.dtype.is_differentiable else None for g, x in zip(found, sources, strict=True)]


def _answer(q: Question, gradient: Any) -> Explanation:
    if current_graph() is not None:
        return _answer_in_graph(q, gradient)
    if gradient is None:
        return explain_missing(q) or explain_unconnected(q)
    if is_sound(gradient) and is_sound(q.target):
        return explain_sound(q)
    return explain_numbers(q) or _of_part(q) or _without_way(q, gradient)


def _answer_in_graph(q: Question, gradient: Any) -> Explanation:
    with _aside():
        found = explain_missing(q) or explain_unconnected(q) if gradient is None else None
    return found or Explanation("right", f"{q.title} is there; a run tells its numbers.")


def _of_part(q: Question) -> Explanation | None:
    """The answer for the whole of which the source is a part, such as x[:2] that is written anew."""
    whole = None if q.tape is None else whole_of(q.tape, q.source)
    return (
        None if whole is None else explain_numbers(q._replace(source=whole, x=q.name(whole) or q.x))
    )


def _without_way(q: Question, gradient: Any) -> Explanation:
    """The gradient is a number, though no operation that was carried out leads from the source."""
    is_right = 0 in dims(q.source) or is_sound(gradient)
    if is_right:
        return explain_sound(q)
    return explain_cut_within(with_what_is_recomputed(q)) or explain_not_run(q)
