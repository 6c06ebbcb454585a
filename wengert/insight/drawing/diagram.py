"""What is drawn: operations, and what flows between them; scopes can be drawn as one box."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from wengert.insight.journal import operations_behind
from wengert.insight.program_text import line_text, short
from wengert.insight.source.derivation import Derivation
from wengert.values.tensor import dims

_LONGEST: Final = 44  # characters of a label


class Box(NamedTuple):
    """An operation, an input, or several operations that are drawn as one."""

    label: str
    note: str  # what stands below the label: a name, a shape
    side: str  # "input", "forward", "backward" or "result"
    facts: dict[str, str]  # what a click shows
    scope: tuple[str, ...] = ()

    @property
    def is_troubled(self) -> bool:
        """Whether NaN or an infinite number is among its numbers."""
        return any("not finite" in key for key in self.facts)


class Diagram(NamedTuple):
    """Boxes, and the pairs of them between which values flow, with what flows."""

    boxes: list[Box]
    arrows: list[tuple[int, int, str]]

    def merged(self, key: Callable[[Box], tuple[Any, str] | None]) -> Diagram:
        """Boxes with equal keys as one, which is called as the key says; those without a key stay."""
        places: dict[Any, int] = {}
        at = []
        members: list[list[Box]] = []
        for number, box in enumerate(self.boxes):
            own = key(box)
            place = places.setdefault(("alone", number) if own is None else own, len(members))
            if place == len(members):
                members.append([])
            members[place].append(box)
            at.append(place)
        pairs = Counter((at[a], at[b]) for a, b, _ in self.arrows if at[a] != at[b])
        said = {(at[a], at[b]): text for a, b, text in self.arrows}
        arrows = [(a, b, said[a, b] if n == 1 else f"{n} values") for (a, b), n in pairs.items()]
        return Diagram([_joined(m, key(m[0])) for m in members], _without_circles(arrows))


def _joined(boxes: list[Box], key: tuple[Any, str] | None) -> Box:
    if len(boxes) == 1 or key is None:
        return boxes[0]
    first = boxes[0]
    kinds = Counter(b.label for b in boxes)
    listed = ", ".join(k if n == 1 else f"{n} {k}" for k, n in kinds.most_common(6))
    name = key[1] if len(key[1]) <= _LONGEST else f"{key[1][: _LONGEST - 3]}..."
    facts = {
        "operations": listed,
        "line": first.facts.get("line", ""),
        "code": first.facts.get("code", ""),
    }
    bad = sum(box.is_troubled for box in boxes)
    if bad:
        facts["not finite"] = f"in {bad} of {len(boxes)} operations"
    return Box(name, f"{len(boxes)} operations", first.side, facts, first.scope[:-1])


def _without_circles(arrows: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Of two boxes that feed each other, as scopes may, the flow of the first."""
    seen = {(a, b) for a, b, _ in arrows}
    return [(a, b, t) for a, b, t in arrows if not ((b, a) in seen and b < a)]


def diagram_of(d: Derivation, numbers: Mapping[int, dict[str, str]]) -> Diagram:
    """The operations that compute the value and the gradients; what is known of numbers, by the ids of tensors."""
    ends = d.results()
    reached = operations_behind(y for _, y in ends)
    backward = {id(op) for op in d.graph.operations[d.forward :]}
    names = d.outside()
    at: dict[int, int] = {}
    boxes: list[Box] = []
    arrows: list[tuple[int, int, str]] = []
    for op in d.graph.operations:
        if id(op) not in reached or (op.type == "Const" and not op.outputs[0]._array.shape):
            continue
        at[id(op)] = len(boxes)
        boxes.append(_box(d, op, names, id(op) in backward, numbers))
        arrows += [(at[id(x.op)], at[id(op)], _shape(x)) for x in op.inputs if id(x.op) in at]
    for name, y in ends:
        facts = {"dtype": y.dtype.name, "shape": _shape(y), **numbers.get(id(y), {})}
        if id(y.op) in at:
            arrows.append((at[id(y.op)], len(boxes), _shape(y)))
        boxes.append(Box(name, _shape(y), "result", facts))
    return Diagram(boxes, arrows)


def _box(
    d: Derivation,
    op: Any,
    names: dict[int, str],
    is_backward: bool,
    numbers: Mapping[int, dict[str, str]],
) -> Box:
    y = op.outputs[0] if op.outputs else None
    line = d.lines.get(id(op), op.place)
    facts = {
        "operation": op.type,
        "name": op.name,
        "dtype": "" if y is None else y.dtype.name,
        "shape": "" if y is None else _shape(y),
        "rule": op.row.declared.rpartition("/")[2],
        "line": short(line),
        "code": line_text(line),
        **numbers.get(id(y), {}),
    }
    if id(y) in names:
        return Box(names[id(y)], _shape(y), "input", facts)
    named = d.called.get(y._key, "") if y is not None else ""
    note = f"{named} {facts['shape']}".strip()
    scope = tuple(op.name.split("/")[:-1]) or (facts["line"],)
    side = "backward" if is_backward else "input" if op.type == "Const" else "forward"
    return Box(op.row.name, note, side, facts, ("gradient", *scope) if is_backward else scope)


def _shape(x: Any) -> str:
    shape = dims(x)
    try:
        return f"[{', '.join('?' if not isinstance(n, int) else str(n) for n in shape)}]"
    except (TypeError, ValueError):
        return "[...]"
