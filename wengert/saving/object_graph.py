"""The objects of a program as a checkpoint keeps them: TrackableObjectGraph."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from wengert.formats.bundles import BundleReader
from wengert.formats.wire import Fields, Message
from wengert.saving.trackables.parts import parts_of, saved_of

KEY: Final = "_CHECKPOINTABLE_OBJECT_GRAPH"
_ATTRIBUTES: Final = ".ATTRIBUTES"
_SLOT: Final = ".OPTIMIZER_SLOT"
# Fields of TrackableObject and of what it holds.
_CHILDREN, _VALUES, _SLOTS, _SAVER, _HAS_VALUES = range(1, 6)


class Saved(NamedTuple):
    """Something saved of an object: the name the object has for it, and its key in the bundle."""

    name: str
    full_name: str
    key: str


class Slot(NamedTuple):
    """A variable that an optimizer keeps beside another."""

    original: int
    name: str
    slot: int


@dataclass
class Node:
    """An object: its parts by name, what is saved of it, and its slots."""

    children: dict[str, int] = field(default_factory=dict)
    saved: list[Saved] = field(default_factory=list)
    slots: list[Slot] = field(default_factory=list)


def escaped(name: str) -> str:
    """A name as a part of a path.

    >>> escaped("a/b.c")
    'a.Sb..c'
    """
    return name.replace(".", "..").replace("/", ".S")


def unescaped(name: str) -> str:
    """The name that `escaped` was given."""
    return re.sub(r"\.\.|\.S", lambda found: "." if found[0] == ".." else "/", name)


def in_message(nodes: list[Node]) -> bytes:
    """The graph as TrackableObjectGraph."""
    made = Message()
    values = _with_values(nodes)
    for n, node in enumerate(nodes):
        made.message(1, _node_message(node, n in values))
    return made.done()


def _with_values(nodes: list[Node]) -> set[int]:
    """The objects of which something is saved, and those that have such a part."""
    users: dict[int, list[int]] = {}
    for n, node in enumerate(nodes):
        for child in node.children.values():
            users.setdefault(child, []).append(n)
    waiting = [n for n, node in enumerate(nodes) if node.saved]
    found: set[int] = set()
    while waiting:
        n = waiting.pop()
        if n not in found:
            found.add(n)
            waiting += users.get(n, [])
    return found


def _node_message(node: Node, has_values: bool) -> Message:
    made = Message()
    for name, n in node.children.items():
        made.message(_CHILDREN, Message().integer(1, n).text(2, name))
    for saved in node.saved:
        part = Message().text(1, saved.name)
        if saved.full_name:
            part.text(2, saved.full_name)
        made.message(_VALUES, part.text(3, saved.key))
    for slot in node.slots:
        part = Message().integer(1, slot.original).text(2, slot.name).integer(3, slot.slot)
        made.message(_SLOTS, part)
    flag = Message().integer(1, 1) if has_values else Message()
    return made.message(_HAS_VALUES, flag)


def of_message(data: bytes) -> list[Node]:
    """The graph of a TrackableObjectGraph."""
    return [_node_of(part) for part in Fields(data).messages(1)]


def _node_of(fields: Fields) -> Node:
    return Node(
        {part.text(2): part.integer(1) for part in fields.messages(_CHILDREN)},
        [Saved(part.text(1), part.text(2), part.text(3)) for part in fields.messages(_VALUES)],
        [Slot(part.integer(1), part.text(2), part.integer(3)) for part in fields.messages(_SLOTS)],
    )


# ---- of live objects ----------------------------------------------------------------------------


class View:
    """The objects that can be reached from one, each once, the nearest first."""

    def __init__(self, root: Any, attached: Mapping[str, Any] | None = None) -> None:
        self._attached = dict(attached or {})
        self.objects: list[Any] = [root]
        self.children: list[dict[str, int]] = []
        self.paths: list[str] = [""]
        self._numbers = {id(root): 0}
        waiting = deque([0])
        while waiting:
            n = waiting.popleft()
            named = self.parts(self.objects[n], n)
            self.children.append({})
            for name, part in named.items():
                if id(part) not in self._numbers:
                    self._numbers[id(part)] = len(self.objects)
                    waiting.append(len(self.objects))
                    self.objects.append(part)
                    self.paths.append(f"{self.paths[n]}/{escaped(name)}".lstrip("/"))
                self.children[n][name] = self._numbers[id(part)]

    def parts(self, value: Any, n: int) -> dict[str, Any]:
        """The parts of an object; those of the root with what is attached to it."""
        return parts_of(value) | self._attached if n == 0 else parts_of(value)

    def number(self, value: Any) -> int | None:
        """The number of an object; None if it is not reached."""
        return self._numbers.get(id(value))

    def graph(self, with_slots: bool = True) -> tuple[list[Node], dict[str, Any]]:
        """The graph to be saved, and what is to be saved by its keys."""
        nodes = [Node(children) for children in self.children]
        if with_slots:
            self._add_slots(nodes)
        values: dict[str, Any] = {}
        for node, value, path in zip(nodes, self.objects, self.paths, strict=True):
            for under in getattr(type(value), "_saved_under", ())[:1]:  # several tensors, one name
                key = f"{path}/{_ATTRIBUTES}/{under}"
                node.saved.append(Saved(under, "", key))
                values |= {f"{key}-{name}": x for name, x in saved_of(value).items()}
            single = not hasattr(type(value), "_saved_under")
            for name, tensor in saved_of(value).items() if single else ():
                key = f"{path}/{_ATTRIBUTES}/{escaped(name)}"
                full = str(getattr(value, "name", "")) if name == "VARIABLE_VALUE" else ""
                node.saved.append(Saved(escaped(name), full.rpartition(":")[0] or full, key))
                values[key] = tensor
        return nodes, values

    def _add_slots(self, nodes: list[Node]) -> None:
        """The slots of optimizers, which are found by the variables that they stand beside."""
        for at, optimizer in enumerate(list(self.objects)):
            slots = getattr(type(optimizer), "_slots_for_checkpoint", None)
            for variable, name, slot in slots(optimizer) if slots is not None else ():
                original = self.number(variable)
                if original is None:
                    continue
                number = self.number(slot)
                if number is None:
                    number = self._numbers[id(slot)] = len(self.objects)
                    self.objects.append(slot)
                    base = f"{self.paths[original]}/{_SLOT}/{self.paths[at]}"
                    self.paths.append(f"{base}/{escaped(name)}".lstrip("/"))
                    nodes.append(Node())
                nodes[at].slots.append(Slot(original, name, number))


def full_names(bundle: BundleReader) -> dict[str, str]:
    """The keys of a checkpoint of objects, by the names that its variables had."""
    if KEY not in bundle:
        return {}
    nodes = of_message(bundle.tensor(KEY).item())
    return {
        saved.full_name: saved.key
        for node in nodes
        for saved in node.saved
        if saved.full_name and saved.full_name not in bundle
    }
