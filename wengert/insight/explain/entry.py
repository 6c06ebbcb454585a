"""tape.explain and tf.explain_gradient."""

from __future__ import annotations

from types import FrameType
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.api.gradients.graph_gradients import element_of, graph_of, source_of
from wengert.api.gradients.parts import pull_back_to
from wengert.api.session.session import Session, get_default_session
from wengert.core.context import activate, apply_overrides, current_graph
from wengert.core.tape import Tape
from wengert.errors import OpError
from wengert.execution.derived_graphs import GradientGraph
from wengert.host.collector import uncollected
from wengert.host.user_frames import callers_frame, line_of
from wengert.insight.explain.explanation import NOT_FINITE, Explanation
from wengert.insight.explain.history import History
from wengert.insight.explain.missing import explain_missing
from wengert.insight.explain.numbers import explain_numbers, is_sound
from wengert.insight.explain.question import Question, chain
from wengert.insight.explain.unjournaled import explain_unjournaled, explain_used_up
from wengert.insight.journal import Journal, Step, step_of
from wengert.insight.program_text import Program, name_in_frame, names_of_sources, short
from wengert.ops.arrays.identity import identity
from wengert.ops.math.arithmetic import add_n
from wengert.ops.math.elementwise import ones_like
from wengert.overrides.override import Overrides
from wengert.overrides.switches import switches_around, with_switches
from wengert.state.variable import Variable
from wengert.values import nest
from wengert.values.tensor import Tensor, dims, key_of, wrap

if TYPE_CHECKING:
    from wengert.values.typing import Tensors


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
    is_nested = isinstance(target, (list, tuple, dict)) or nest.is_composite(target)
    targets = nest.differentiated(target) if is_nested else [target]
    seeds = [None] * len(targets) if seeds is None else seeds
    found = []
    for x, name in zip(flat, names, strict=True):
        asked = [
            _question(
                tape, t, _checked(x), y or _name_of(t, program) or "the target", name, program
            )._replace(rules=rules, seed=seed, tape_name=_name_of(tape, program) or "tape")
            for t, seed in zip(targets, seeds, strict=True)
        ]
        answer = _of_several([uncollected(_explain, tape, q) for q in asked])
        if program.is_stale:
            answer.note(
                f"{short(program.file)} is another text than the program that runs: it has changed since, and its lines are not shown."
            )
        found.append(answer)
    return nest.pack_sequence_as(sources, found) if nest.is_nested(sources) else found[0]


def _name_of(value: Any, program: Program) -> str:
    """What the program calls a value, or a tape; empty if it has no name for it."""
    names = {**program.frame.f_globals, **program.frame.f_locals}
    return next((n for n, v in names.items() if v is value), "")


def _checked(source: Any) -> Any:
    if isinstance(source, (Tensor, Variable)):
        return source
    raise TypeError(
        f"A source of explain is a tensor or a variable, as of gradient; got {type(source).__name__}."
    )


def _of_several(answers: list[Explanation]) -> Explanation:
    """The answer for several targets, whose gradients are added: one that is not finite spoils the sum."""
    for answer in answers:
        if answer.kind in NOT_FINITE:
            return answer
    for answer in answers:
        if answer.right:
            return answer
    return next((a for a in answers if a.kind != "no-path"), answers[0])


def _question(tape: Any, target: Any, source: Any, y: str, x: str, program: Program) -> Question:
    key_of(source)
    journal = tape._journal
    if journal is None:
        return Question(
            target, source, y, x, History([]), program, "", tape._tape,
            watches_variables=tape._watch_accessed_variables,
        )  # fmt: skip
    followed = [t for t, _ in journal.tapes]
    return Question(
        target,
        source,
        y,
        x,
        History(list(journal.steps)),  # asked in the block, the answer's own steps would follow
        program,
        journal.began,
        followed[-1] if followed else None,
        tuple(followed[:-1]),
        journal,
        tape._watch_accessed_variables,
    )


def _explain(tape: Any, q: Question) -> Explanation:
    live = tape._tape
    if tape._journal is not None:
        return _answer(q, live)
    if live is None:
        return explain_used_up(q, line_of(tape._used_at))
    return explain_unjournaled(q, _gradient(live, q))


def _gradient(tape: Tape, q: Question) -> Any:
    """The gradient itself, with the tape left as it is."""
    if not isinstance(q.target, (Tensor, Variable)) or not q.target.dtype.is_differentiable:
        return None
    seed = ones_like(q.target) if q.seed is None else q.seed
    with activate((), current_graph()), apply_overrides(q.rules, must=False):
        return pull_back_to(tape, [q.target], [seed], [q.source], drain=False)[0]


def _right(q: Question) -> Explanation:
    is_empty = 0 in dims(q.source)
    how = "is there, and has no elements" if is_empty else "is there: finite, and not zero"
    return Explanation("right", f"{q.title} {how}.")


def _answer(q: Question, live: Tape | None) -> Explanation:
    graph = current_graph()
    if graph is None:
        right = _right(q)
        gradient = None if live is None else _gradient(live, q)
        if gradient is None:
            return explain_missing(q) or explain_numbers(q) or right
        return right if is_sound(gradient) and is_sound(q.target) else explain_numbers(q) or right
    with activate((), GradientGraph("explanation", graph)):
        found = explain_missing(q)
    return found or Explanation("right", f"{q.title} is there; a run tells its numbers.")


# ---- graphs -------------------------------------------------------------------------------------


def explain_gradient(
    ys: Tensors,
    xs: Tensors,
    feed_dict: Any = None,
    session: Session | None = None,
    overrides: Any = None,
) -> Any:
    """Why the gradients of `ys` with respect to `xs`, in a graph, are what they are: print the answer.

    Whether they are None is known without a run. To see whether they are zero or not finite, the graph is
    run with what is fed, in the session, or in the default one. For a list of sources there is a list of answers.
    `overrides` are those that `tf.gradients` was given.

    >>> with tf.Graph().as_default():
    ...     x = tf.constant(3.0)
    ...     y = tf.sqrt(tf.stop_gradient(x))
    ...     tf.explain_gradient(y, x).kind
    'stop-gradient'
    """
    program = Program(callers_frame())
    rules = with_switches(overrides, switches_around())
    y, written = program.arguments(("explain_gradient",), ("ys", "xs"))
    sources = nest.flatten(xs)
    names = names_of_sources(written or "the source", xs, len(sources))
    found = [
        uncollected(
            explained_in_graph, ys, x, y or "the target", name, program, feed_dict, session, rules
        )
        for x, name in zip(sources, names, strict=True)
    ]
    return nest.pack_sequence_as(xs, found) if nest.is_nested(xs) else found[0]


def explained_in_graph(
    ys: Any,
    x: Any,
    y_name: str,
    x_name: str,
    program: Program,
    feed_dict: Any = None,
    session: Session | None = None,
    rules: Overrides | None = None,
) -> Explanation:
    """The same for one source, with the names that the program gives them."""
    targets = ys if isinstance(ys, (list, tuple)) else [ys]
    graph = graph_of([*targets, x])
    history = History([step_of(op) for op in graph.operations])
    with activate((), GradientGraph("explanation", graph)):  # its operations are for nobody else
        target = element_of(graph, targets[0] if len(targets) == 1 else add_n(targets))
        q = Question(target, source_of(graph, x), y_name, x_name, history, program)
        q = q._replace(rules=rules)
        missing = explain_missing(q)
    return missing or _by_run(q, feed_dict, session)


def _by_run(q: Question, feed_dict: Any, session: Session | None) -> Explanation:
    """Run the graph, and look at the numbers."""
    there = Explanation("right", f"{q.title} is there; a run tells its numbers.")
    graph = q.target.graph
    chosen = (
        session or get_default_session() or (None if graph.is_function else Session(graph=graph))
    )
    if chosen is None:
        return there
    _, used = q.history.up({q.target._key})
    values: dict[int, Any] = {}
    for number in used:
        for x in (*q.history.steps[number].inputs, *q.history.steps[number].results):
            if x.dtype.name not in ("resource", "variant"):
                values.setdefault(id(x), x)
    fed = {id(x) for x in feed_dict or ()}
    asked = [x for x in values.values() if id(x) not in fed]
    try:
        ran = chosen.run(asked, feed_dict)
    except (OpError, ValueError):
        return there  # nothing was fed, or the variables have no values yet
    known = {id(x): _as_tensor(v, x) for x, v in zip(asked, ran, strict=True)}
    known |= {
        id(x): _as_tensor(np.asarray(v, x.dtype.as_numpy_dtype), x)
        for x, v in (feed_dict or {}).items()
    }
    with activate((), None):
        steps = [s for n in sorted(used) for s in _concrete(q.history.steps[n], known)]
        seen = q._replace(
            target=known.get(id(q.target), q.target),
            source=known.get(id(q.source), q.source),
            history=History(steps),
        )
        found = explain_numbers(seen)
        if found is None and not seen.between()[0]:
            found = _not_taken(q)
    return found or _right(q)


def _not_taken(q: Question) -> Explanation:
    """The graph has a way, and the run did not take it."""
    path = q.history.shortest(q.between()[0], q.source._key, q.target._key)
    chosen = next((n for n in path if q.history.steps[n].row.graphs), -1)
    line = q.history.steps[chosen].line if chosen >= 0 else q.program.place(0)
    title = f"{q.title} is zero: the branch or the loop that uses {q.x} did not run."
    words = "Feed what chooses the other branch, or let both use it."
    return Explanation(
        "branch", title, line, words, [chain(q, path, chosen, {chosen: "not taken"})]
    )


def _concrete(step: Step, known: dict[int, Any]) -> list[Step]:
    """An operation with the values of a run; of a loop or a branch the operations within."""
    inputs = [known.get(id(x), x) for x in step.inputs]
    if step.row.graphs and step.row.inline is not None:
        return _within(step, inputs)
    results = tuple([known.get(id(x), x) for x in step.results])
    return [step._replace(inputs=tuple(inputs), results=results)]


def _within(step: Step, inputs: list[Any]) -> list[Step]:
    journal = Journal()
    with journal.listening():
        assert step.row.inline is not None
        made = step.row.inline(inputs, step.attrs)
        made = [identity(y) if isinstance(y, Tensor) else y for y in made]
    for y, symbol in zip(made, step.results, strict=False):
        if isinstance(y, Tensor):
            y._key = symbol._key
    return journal.steps


def _as_tensor(value: Any, like: Any) -> Any:
    tensor = wrap(np.asarray(value))
    tensor._key = like._key
    return tensor
