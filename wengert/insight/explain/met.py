"""The troubles that a whole program meets: `wengert run --explain` prints them at its end."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any, Final

import numpy as np

from wengert.api.session.session import Session
from wengert.core.context import current_graph
from wengert.host.user_frames import callers_frame, place_of
from wengert.insight.explain.arrays import is_sound
from wengert.insight.explain.explanation import Explanation
from wengert.insight.explain.graphs import explained_in_graph
from wengert.insight.journal import operations_behind
from wengert.insight.program_text import Program, name_of, names_of_sources
from wengert.values import nest
from wengert.values.symbolic import SymbolicTensor
from wengert.values.tensor import wrap


class Met:
    """Explanations, one for each line that asks for a gradient and each source."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, int], Explanation] = {}
        self._lock = threading.Lock()
        # For the gradients of a graph: what they are gradients of.
        self._of: weakref.WeakKeyDictionary[Any, tuple[Any, Any, Program, str, str, Any]] = (
            weakref.WeakKeyDictionary()
        )

    @property
    def reports(self) -> list[Explanation]:
        """In the order in which they were met."""
        return list(self._found.values())

    def by_tape(
        self, gradients: Sequence[Any], frame: FrameType, explained: Callable[[], Any]
    ) -> None:
        """A tape gave these gradients in a frame of the program."""
        troubles = [n for n, g in enumerate(gradients) if is_trouble(g)]
        new = [n for n in troubles if (place_of(frame), n) not in self._found]
        if not new:
            return
        answers = nest.flatten(explained())
        for n in new:
            if n < len(answers) and not answers[n].right:
                self._keep(place_of(frame), n, answers[n])

    def in_graph(self, ys: Any, xs: Sequence[Any], gradients: Sequence[Any], rules: Any) -> None:
        """tf.gradients gave these."""
        frame = callers_frame()
        program = Program(frame)
        y, written = program.arguments(("gradients",), ("ys", "xs"))
        y = y or program.asked_by_optimizer()[0]
        names = names_of_sources(written, xs, len(xs)) if written else [name_of(x) for x in xs]
        for n, (x, name, g) in enumerate(zip(xs, names, gradients, strict=True)):
            if g is None and (place_of(frame), n) not in self._found:
                (found,) = explained_in_graph(
                    ys, [x], y or "the target", [name], program, rules=rules
                )
                self._keep(place_of(frame), n, found)
            elif g is not None:
                self._of[getattr(g, "values", g)] = (ys, x, program, y or "the target", name, rules)

    def gradients_behind(self, fetched: Sequence[Any]) -> list[Any]:
        """The gradients by which fetched operations are computed, such as those of a training step."""
        operations = [f.op if isinstance(f, SymbolicTensor) else f for f in fetched]
        tensors = [x for op in operations for x in getattr(op, "inputs", ())]
        behind = operations_behind(tensors)
        for op in operations:
            behind |= operations_behind(
                [y for c in getattr(op, "control_inputs", ()) for y in c.inputs]
            )
        return [g for g in self._of if g.op is not None and id(g.op) in behind]

    def by_session(self, session: Session, fetched: Sequence[Any], feed_dict: Any) -> None:
        """A session ran: fetched are pairs of a tensor of the graph and its value."""
        for tensor, value in fetched:
            known = self._of.get(tensor)
            if known is None or not is_trouble(value):
                continue
            ys, x, program, y, name, rules = known
            program.look_again()
            place = place_of(callers_frame())
            key = id(tensor)
            if (place, key) not in self._found:
                (found,) = explained_in_graph(
                    ys, [x], y, [name], program, feed_dict, session, rules
                )
                if not found.right:
                    self._keep(place, key, found)

    def _keep(self, place: str, which: int, found: Explanation) -> None:
        with self._lock:
            self._found.setdefault((place, which), found)


met: Final = Met()


def is_trouble(gradient: Any) -> bool:
    """Whether a gradient is None, zero, or not finite."""
    if gradient is None:
        return True
    is_array = isinstance(gradient, (np.ndarray, np.generic))
    if current_graph() is not None and not is_array:
        return False  # a run will tell
    return not is_sound(wrap(np.asarray(gradient)) if is_array else gradient)
