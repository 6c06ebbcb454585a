"""tf.draw: the graph of a function and of its gradient, to look at."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Any, Final

from wengert.api.gradients.graph_gradients import element_of, graph_of, source_of
from wengert.core.context import activate
from wengert.host.user_frames import callers_frame
from wengert.insight.drawing.diagram import Box, Diagram, diagram_of
from wengert.insight.drawing.events import write_events
from wengert.insight.drawing.formats import as_dot, as_mermaid
from wengert.insight.drawing.numbers import numbers_of
from wengert.insight.drawing.svg import as_svg
from wengert.insight.drawing.viewer import as_page
from wengert.insight.journal import step_of
from wengert.insight.onnx.export import OnnxModel, onnx_model
from wengert.insight.program_text import Program, names_of_sources
from wengert.insight.reports.blocks import Block, Picture, Table
from wengert.insight.reports.report import Report
from wengert.insight.source.derivation import Derivation, derived, derived_of_tape, rederived
from wengert.values.symbolic import SymbolicTensor
from wengert.values.value import Value

_DEEPEST: Final = 4  # scopes
_MANY: Final = 150  # operations, of which the page shows scopes first


class Drawing(Report):
    """The forward graph and the backward graph: blue and orange boxes.

    In a notebook it is a picture. `svg()`, `dot()` and `mermaid()` give texts, `to_html(path)` a page to pan, zoom and
    click in, with the operations, or each line or each scope of the program as one box.
    """

    def __init__(self, name: str, derivation: Derivation, numbers: bool = False) -> None:
        self.title = f"{name} and its gradient"
        self._name = name
        self.diagram = diagram_of(derivation, numbers_of(derivation) if numbers else {})
        self._derivation = derivation

    def svg(self, path: str | Path | None = None) -> str:
        """The picture, written to a file if one is named."""
        return _kept(as_svg(self.diagram), path)

    def dot(self, path: str | Path | None = None) -> str:
        """For Graphviz."""
        return _kept(as_dot(self.diagram), path)

    def mermaid(self, path: str | Path | None = None) -> str:
        """For Markdown that knows Mermaid."""
        return _kept(as_mermaid(self.diagram), path)

    def events(self, folder: str | Path) -> Path:
        """A new file of events in the folder, of which `tensorboard --logdir` shows the graph; the file."""
        return write_events(self._derivation, folder)

    def onnx(self, path: str | Path | None = None, strict: bool = False) -> OnnxModel:
        """The forward graph as ONNX, written to a file if one is named; a report says what ONNX lacks.

        With `strict` an operation without a counterpart is an error.
        """
        name = "".join(c if c.isidentifier() else "_" for c in self._name)
        model = onnx_model(self._derivation, name, strict)
        if path is not None:
            Path(path).write_bytes(model.data)
        return model

    def to_html(self, path: str | Path | None = None) -> str:
        """The page, written to a file if one is named."""
        views = self._views()
        first = 1 if len(self.diagram.boxes) > _MANY and len(views) > 1 else 0
        return _kept(as_page(self.title, views, first), path)

    def _views(self) -> list[tuple[str, Diagram]]:
        """All operations, and fewer boxes for more of them."""
        whole = self.diagram
        deepest = min(max((len(b.scope) for b in whole.boxes), default=0), _DEEPEST)
        views = [("operations", whole), ("lines", whole.merged(_line))]
        for depth in range(1, deepest):
            name = f"scopes {depth}" if deepest > 2 else "scopes"
            views.append((name, whole.merged(functools.partial(_scope, depth))))
        sizes = [len(diagram.boxes) for _, diagram in views]
        return [v for n, v in enumerate(views) if sizes.index(sizes[n]) == n]

    def blocks(self) -> list[Block]:
        """The picture; in a terminal the operations as a table."""
        counts: dict[tuple[str, str], int] = {}
        for box in self.diagram.boxes:
            counts[box.side, box.label] = counts.get((box.side, box.label), 0) + 1
        rows = tuple(
            (side, label, str(n)) for (side, label), n in counts.items() if side != "result"
        )
        text = "to_html(path), svg(path), dot() and mermaid() show it."
        return [
            Table(("", "operation", "times"), rows, frozenset([2])),
            Picture(as_svg(self.diagram), text),
        ]

    def _repr_html_(self) -> str:
        return self.svg()

    def to_dict(self) -> dict[str, Any]:
        """The boxes and the arrows."""
        boxes = [b._asdict() | {"scope": list(b.scope)} for b in self.diagram.boxes]
        return {
            "title": self.title,
            "boxes": boxes,
            "arrows": [list(a) for a in self.diagram.arrows],
        }


def _kept(text: str, path: str | Path | None) -> str:
    if path is not None:
        Path(path).write_text(text, encoding="utf-8")
    return text


def _line(box: Box) -> tuple[Any, str] | None:
    if box.side in ("input", "result"):
        return None
    return (box.side, box.facts["line"]), box.facts["code"] or box.facts["line"]


def _scope(depth: int, box: Box) -> tuple[Any, str] | None:
    if box.side in ("input", "result") or not box.scope:
        return None
    return (box.side, box.scope[:depth]), box.scope[:depth][-1]


def draw(target: Any, *sources: Any, numbers: bool = False) -> Drawing:
    """The graph of a function and of its gradient, to look at.

    Args:
        target: A function; or a tensor of a graph.
        *sources: The arguments of the function, which say shapes and dtypes; or what the tensor is differentiated by,
            as one list or several arguments.
        numbers: Whether to run the function, too, and to say of each operation what it gave and what came back to it:
            the page shows it, with a red border around what is not finite.

    >>> picture = tf.draw(lambda x: tf.reduce_sum(tf.sin(x)), tf.constant([1.0, 2.0]))
    >>> [box.label for box in picture.diagram.boxes if box.side == "forward"]
    ['Sin', 'Sum']
    """
    if callable(target) and not isinstance(target, Value):
        name = getattr(target, "__name__", "function")
        return Drawing(name, derived(target, sources), numbers)
    listed = (
        list(sources[0])
        if len(sources) == 1 and isinstance(sources[0], (list, tuple))
        else list(sources)
    )
    if not isinstance(target, SymbolicTensor):
        raise TypeError(
            f"tf.draw takes a function and its arguments, or a tensor of a graph and sources; got {type(target).__name__}."
        )
    _, written = Program(callers_frame()).arguments(("draw",), ("target", "sources"))
    names = names_of_sources(written, sources[0], len(listed)) if written else []
    return Drawing("The graph", _of_graph(target, listed, names), numbers)


def draw_of_tape(tape: Any, target: Any, sources: Any, frame: FrameType, numbers: bool) -> Drawing:
    """The same for what happened in the block of a tape."""
    found = derived_of_tape(tape, target, sources, frame, "draw")
    return Drawing("The block of the tape", found, numbers)


def _of_graph(target: Any, sources: Sequence[Any], names: Sequence[str]) -> Derivation:
    graph = graph_of([target, *sources])
    with activate((), graph):
        y = element_of(graph, target)
        xs = [source_of(graph, x) for x in sources]
    steps = [step_of(op) for op in graph.operations]
    return rederived(steps, y, xs, names)
