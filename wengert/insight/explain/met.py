"""The troubles that a whole program meets: `wengert run --explain` prints them at its end."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from wengert.api.session.session import Session
from wengert.core.context import current_graph
from wengert.host.user_frames import callers_frame, place_of
from wengert.insight.explain.entry import explain_tape, explained_in_graph
from wengert.insight.explain.explanation import Explanation
from wengert.insight.explain.numbers import is_sound
from wengert.insight.program_text import Program
from wengert.values import nest
from wengert.values.tensor import wrap


class Met:
    """Explanations, one for each line that asks for a gradient and each source."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, int], Explanation] = {}
        self._lock = threading.Lock()
        # For the gradients of a graph: what they are gradients of.
        self._of: weakref.WeakKeyDictionary[Any, tuple[Any, Any, Program, str, str]] = (
            weakref.WeakKeyDictionary()
        )

    @property
    def reports(self) -> list[Explanation]:
        """In the order in which they were met."""
        return list(self._found.values())

    def by_tape(self, tape: Any, target: Any, sources: Any, gradients: Sequence[Any]) -> None:
        """A tape gave these gradients."""
        frame = callers_frame()
        troubles = [n for n, g in enumerate(gradients) if is_trouble(g)]
        new = [n for n in troubles if (place_of(frame), n) not in self._found]
        if not new:
            return
        answers = nest.flatten(explain_tape(tape, target, sources, frame, "gradient"))
        for n in new:
            if n < len(answers) and not answers[n].right:
                self._keep(place_of(frame), n, answers[n])

    def in_graph(self, ys: Any, xs: Sequence[Any], gradients: Sequence[Any]) -> None:
        """tf.gradients gave these."""
        frame = callers_frame()
        program = Program(frame)
        written = program.arguments("gradients")
        y = written[0] if written else "the target"
        for n, (x, g) in enumerate(zip(xs, gradients, strict=True)):
            name = (
                f"{written[1]}[{n}]"
                if len(written) > 1 and len(xs) > 1
                else (written or ["", "x"])[-1]
            )
            if g is None and (place_of(frame), n) not in self._found:
                self._keep(place_of(frame), n, explained_in_graph(ys, x, y, name, program))
            elif g is not None:
                self._of[getattr(g, "values", g)] = (ys, x, program, y, name)

    def by_session(self, session: Session, fetched: Sequence[Any], feed_dict: Any) -> None:
        """A session ran: fetched are pairs of a tensor of the graph and its value."""
        for tensor, value in fetched:
            known = self._of.get(tensor)
            if known is None or not is_trouble(value):
                continue
            ys, x, program, y, name = known
            place = place_of(callers_frame())
            key = id(tensor)
            if (place, key) not in self._found:
                found = explained_in_graph(ys, x, y, name, program, feed_dict, session)
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
