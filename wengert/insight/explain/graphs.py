"""tf.explain_gradient: the same of a graph."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from wengert.api.gradients.graph_gradients import element_of, graph_of, source_of
from wengert.api.session.session import Session, get_default_session
from wengert.core.context import activate
from wengert.errors import OpError
from wengert.execution.derived_graphs import GradientGraph
from wengert.execution.replay import Replay
from wengert.host.collector import uncollected
from wengert.host.user_frames import callers_frame, replay_at, replayed_place
from wengert.insight.explain.explanation import Explanation
from wengert.insight.explain.history import History
from wengert.insight.explain.missing import explain_cut_within, explain_missing
from wengert.insight.explain.numbers import (
    explain_numbers,
    explain_sound,
    is_right,
    with_what_is_recomputed,
)
from wengert.insight.explain.question import Question, chain, step_text
from wengert.insight.journal import Journal, Step, step_of
from wengert.insight.program_text import Program, names_of_sources
from wengert.ops.arrays.identity import identity
from wengert.ops.math.arithmetic import add_n
from wengert.overrides.override import Overrides
from wengert.overrides.switches import switches_around, with_switches
from wengert.values import nest
from wengert.values.symbolic import SymbolicTensor
from wengert.values.tensor import Tensor, wrap

if TYPE_CHECKING:
    from wengert.values.typing import Tensors


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
    found = uncollected(
        explained_in_graph,
        ys,
        sources,
        y or "the target",
        names,
        program,
        feed_dict,
        session,
        rules,
    )
    return nest.pack_sequence_as(xs, found) if nest.is_nested(xs) else found[0]


def explained_in_graph(
    ys: Any,
    xs: Sequence[Any],
    y_name: str,
    x_names: Sequence[str],
    program: Program,
    feed_dict: Any = None,
    session: Session | None = None,
    rules: Overrides | None = None,
) -> list[Explanation]:
    """The answer for each source, with the names that the program gives them."""
    targets = ys if isinstance(ys, (list, tuple)) else [ys]
    graph = graph_of([*targets, *xs])
    history = History([step_of(op) for op in graph.operations])
    with activate((), GradientGraph("explanation", graph)):  # its operations are for nobody else
        target = element_of(graph, targets[0] if len(targets) == 1 else add_n(targets))
        about = Question(target, None, y_name, "", history, program, rules=rules)
        asked = [
            about._replace(source=source_of(graph, x), x=name)
            for x, name in zip(xs, x_names, strict=True)
        ]
        missing = [explain_missing(q) for q in asked]
    ran = None if all(missing) else _run(about, feed_dict, session)
    return [found or _by_run(q, ran) for q, found in zip(asked, missing, strict=True)]


class _Run(NamedTuple):
    """What a run told: the operations with their values."""

    history: History
    values: dict[int, Any]
    failure: str = ""  # why there are none


def _by_run(q: Question, ran: _Run | None) -> Explanation:
    """The answer by the numbers of a run."""
    if ran is None or ran.failure:
        there = Explanation("right", f"{q.title} is there; a run tells its numbers.")
        if ran is not None:
            there.note(ran.failure)
        return there
    with activate((), None):
        seen = q._replace(
            target=ran.values.get(id(q.target), q.target),
            source=ran.values.get(id(q.source), q.source),
            history=ran.history,
        )
        found = explain_numbers(seen)
        if found is None and not seen.between()[0]:
            found = _not_taken(q)
        elif found is None and not is_right(seen):
            found = explain_cut_within(with_what_is_recomputed(seen))
    return found or explain_sound(seen)


def _run(q: Question, feed_dict: Any, session: Session | None) -> _Run | None:
    """Run the graph up to the target; None where it cannot be."""
    graph = q.target.graph
    chosen = (
        session or get_default_session() or (None if graph.is_function else Session(graph=graph))
    )
    if chosen is None:
        return None
    _, used = q.history.up({q.target._key})
    fed = {id(x) for x in feed_dict or ()}
    asked = [x for x in _values(q.history, used) if id(x) not in fed]
    try:
        ran = chosen.run(asked, feed_dict)
    except (OpError, ValueError) as error:
        if not feed_dict:
            return None  # nothing was fed, or the variables have no values yet
        if not isinstance(error, OpError):
            raise  # what was fed does not fit
        return _Run(q.history, {}, f"The run failed: {str(error).splitlines()[0]}")
    feeds = {
        x: _as_tensor(np.asarray(v, x.dtype.as_numpy_dtype), x)
        for x, v in (feed_dict or {}).items()
    }
    values = [_as_tensor(v, x) for x, v in zip(asked, ran, strict=True)]
    held = next((s for n in sorted(used) if _holds_state(s := q.history.steps[n])), None)
    if held is not None:
        return _Run(q.history, {}, f"{step_text(held)} holds a state, and does not run again.")
    with activate((), None):
        again = Replay([*asked, *feeds], [*values, *feeds.values()])
        steps = [s for n in sorted(used) for s in _concrete(q.history.steps[n], again)]
    return _Run(History(steps), again.known)


def _holds_state(step: Step) -> bool:
    """Whether a loop or a branch draws, looks up, or changes a variable: again it would do so once more."""
    return bool(step.row.graphs) and (step.row.effects or any(map(_is_resource, step.inputs)))


def _is_resource(x: Any) -> bool:
    return isinstance(x, SymbolicTensor) and x.dtype.name == "resource"


def _values(history: History, used: Iterable[int]) -> list[Any]:
    """What operations use and give, without the cells of variables."""
    found: dict[int, Any] = {}
    for number in used:
        for x in (*history.steps[number].inputs, *history.steps[number].results):
            if x.dtype.name not in ("resource", "variant"):
                found.setdefault(id(x), x)
    return list(found.values())


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


def _concrete(step: Step, again: Replay) -> list[Step]:
    """An operation with the values of a run; of a loop or a branch, and of lists, the operations within."""
    inputs = [again.known.get(id(x), x) for x in step.inputs]
    if step.results and ((step.row.graphs and step.row.inline is not None) or _is_of_lists(step)):
        return _within(step, inputs, again)
    results = [again.known.get(id(x), x) for x in step.results]
    row = again.row_of(step.results[0].op) if step.results else step.row
    return [step._replace(row=row, inputs=tuple(inputs), results=tuple(results))]


def _is_of_lists(step: Step) -> bool:
    """Whether an operation takes or gives lists, which a run does not hand out."""
    return any(x.dtype.name == "variant" for x in (*step.inputs, *step.results))


def _within(step: Step, inputs: list[Any], again: Replay) -> list[Step]:
    journal = Journal()
    before = replayed_place()
    replay_at(step.line)
    with journal.listening():
        made = again.made_again(step.results[0].op, inputs)
        made = [identity(y) if isinstance(y, Tensor) else y for y in made]
    replay_at(before)
    for y, symbol in zip(made, step.results, strict=False):
        again.known.setdefault(id(symbol), y)
        if isinstance(y, Tensor):
            y._key = symbol._key
    return journal.steps


def _as_tensor(value: Any, like: Any) -> Any:
    tensor = wrap(np.asarray(value))
    tensor._key = like._key
    return tensor
