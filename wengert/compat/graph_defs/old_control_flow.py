"""Branches and loops of graphs of version 1, of Switch, Merge, Enter and Exit, as tf.cond and tf.while_loop.

There a branch is made of the nodes behind an output of a Switch; a Merge takes the value of the branch that was
run. A loop is made of those behind an Enter; its values go round from a NextIteration to a Merge, and leave by an
Exit. Each node is within some of them: its *place* says of which, the outermost first. What is within one is added
when the Merge or the Exit behind it is, in the function of a branch or of a round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import wengert
from wengert.ops.control.cond import cond
from wengert.ops.control.while_loop import while_loop
from wengert.values.convert import convert

_SWITCH: Final = ("Switch", "RefSwitch")
_MERGE: Final = ("Merge", "RefMerge")
_ENTER: Final = ("Enter", "RefEnter")
_EXIT: Final = ("Exit", "RefExit")
_ROUND: Final = ("NextIteration", "RefNextIteration")
ENDS: Final = frozenset((*_MERGE, *_EXIT))
KINDS: Final = frozenset((*_SWITCH, *_MERGE, *_ENTER, *_EXIT, *_ROUND, "LoopCond"))

# Of a branch: the tensor that decides, and which side; of a loop: its name, and None.
Step = tuple[str, "int | None"]
Place = tuple[Step, ...]


class _Variable(NamedTuple):
    """A value that goes round in a loop: the names of its nodes."""

    enter: Any
    merge: str
    switch: str | None
    onwards: Any  # the NextIteration


def _parsed(text: str) -> tuple[str, int]:
    name, _, index = text.removeprefix("^").partition(":")
    return name, int(index or 0)


def _frame(enter: Any) -> str:
    return str(enter.attr["frame_name"].s.decode())


class OldControlFlow:
    """The branches and loops of a graph."""

    def __init__(self, nodes: Mapping[str, Any]) -> None:
        self._nodes = nodes
        self._places: dict[str, Place] = {}
        self._uses: dict[str, list[Any]] = {}
        for node in nodes.values():
            for text in node.input:
                self._uses.setdefault(_parsed(text)[0], []).append(node)
        for name in nodes:
            self._find_place(name)

    # ---- where nodes are ---------------------------------------------------------------------

    def is_within(self, name: str) -> bool:
        """Whether a node is within a branch or a loop, and is not added by itself."""
        node = self._nodes[name]
        return bool(self._places[name]) or node.op in (*_SWITCH, *_ENTER)

    def _find_place(self, name: str) -> None:
        waiting = [name]
        while waiting:
            top = waiting[-1]
            missing = [n for n in self._before(self._nodes[top]) if n not in self._places]
            if top in self._places:
                waiting.pop()
            elif missing:
                if len(waiting) > len(self._nodes) + len(missing):
                    raise ValueError(f"Node {top!r} is in a circle of nodes that is no loop.")
                waiting += missing
            else:
                self._places[top] = self._place_of(self._nodes[top])
                waiting.pop()

    def _before(self, node: Any) -> Iterator[str]:
        """The nodes whose places say where a node is."""
        for text in node.input:
            name = _parsed(text)[0]
            goes_round = node.op in _MERGE and self._nodes[name].op in _ROUND
            if not goes_round:
                yield name

    def _place_of(self, node: Any) -> Place:
        """The place of a node; of a Switch or an Enter, that around it."""
        inner: Place = ()
        for text in node.input:
            name = _parsed(text)[0]
            if name in self._places:
                found = self.place_of_value(text)
                inner = found if len(found) > len(inner) else inner
        return inner[:-1] if node.op in (*_MERGE, *_EXIT) and not self.goes_round(node) else inner

    def place_of_value(self, text: str) -> Place:
        """The place of what takes an output, or comes after a node."""
        name, index = _parsed(text)
        node, place = self._nodes[name], self._places[name]
        if node.op in _SWITCH and not self._of_loop(node):
            return (*place, (self._decides(node.input[1]), index))
        if node.op in _ENTER:
            return (*place, (_frame(node), None))
        return place

    def _decides(self, text: str) -> str:
        """The tensor that a Switch is told by, behind the names that it has in a branch."""
        while (node := self._nodes[_parsed(text)[0]]).op == "Identity":
            text = node.input[0]
        return text

    def goes_round(self, node: Any) -> bool:
        """Whether a Merge is that of a loop."""
        return node.op in _MERGE and any(
            self._nodes[_parsed(t)[0]].op in _ROUND for t in node.input
        )

    def _of_loop(self, switch: Any) -> bool:
        return bool(self._nodes[_parsed(switch.input[1])[0]].op == "LoopCond")

    # ---- what is added for a Merge or an Exit ------------------------------------------------

    def needed(self, node: Any) -> set[str]:
        """The nodes around the branch or loop that it needs."""
        if node.op in _MERGE:
            pred, group = self._branch_of(node)
            starts = [pred, *[text for merge in group for text in merge.input]]
        else:
            frame = self._frame_of(node)
            starts = [t for e in self._enters(frame) for t in e.input]
            starts += [v.onwards.input[0] for v in self._variables(frame)]
            starts.append(self._condition(frame))
        return self._around(starts, self._places[node.name])

    def _around(self, starts: Sequence[str], place: Place) -> set[str]:
        found: set[str] = set()
        seen: set[str] = set()
        waiting = list(starts)
        while waiting:
            text = waiting.pop()
            if text in seen:
                continue
            seen.add(text)
            name, there = _parsed(text)[0], self.place_of_value(text)
            if there == place[: len(there)]:
                found.add(name)
            else:
                waiting += self._nodes[name].input
        return found

    def add(self, importer: Any, node: Any) -> None:
        """Add the branches or the loop that end in a node."""
        if node.op in _MERGE:
            self._add_branches(importer, node)
        else:
            self._add_loop(importer, node)

    # ---- branches ----------------------------------------------------------------------------

    def _branch_of(self, merge: Any) -> tuple[str, list[Any]]:
        """The tensor that decides, and all Merge nodes of the same call, which has a scope of its own."""
        pred = self._inner_step(merge)[0]
        place, scope = self._places[merge.name], merge.name.rpartition("/")[0]
        group = [
            node
            for node in self._nodes.values()
            if node.op in _MERGE
            and not self.goes_round(node)
            and node.name.rpartition("/")[0] == scope
            and self._places[node.name] == place
            and self._inner_step(node)[0] == pred
        ]
        return pred, group

    def _inner_step(self, merge: Any) -> Step:
        depth = len(self._places[merge.name])
        return next(p[depth] for t in merge.input if len(p := self.place_of_value(t)) > depth)

    def _add_branches(self, importer: Any, merge: Any) -> None:
        pred, group = self._branch_of(merge)
        depth = len(self._places[merge.name])

        def branch(wanted: int) -> Callable[[], list[Any]]:
            def run() -> list[Any]:
                inner = importer.within(self)
                return [
                    value for node in group for value in self._merged(inner, node, depth, wanted)
                ]

            return run

        results = cond(importer.value(pred), branch(1), branch(0), name="cond")
        for n, node in enumerate(group):
            importer.values[node.name] = results[2 * n : 2 * n + 2]

    def _merged(self, inner: Any, merge: Any, depth: int, side: int) -> list[Any]:
        """The value of a Merge on one side, and which of its inputs that is."""
        for n, text in enumerate(merge.input):
            place = self.place_of_value(text)
            if len(place) > depth and place[depth][1] == side:
                return [inner.demanded(text), convert(n)]
        raise ValueError(f"Node {merge.name!r} has no value where the other branch is run.")

    # ---- loops -------------------------------------------------------------------------------

    def _frame_of(self, exit_: Any) -> str:
        return self._places[_parsed(exit_.input[0])[0]][-1][0]

    def _enters(self, frame: str) -> list[Any]:
        return [n for n in self._nodes.values() if n.op in _ENTER and _frame(n) == frame]

    def _variables(self, frame: str) -> list[_Variable]:
        found = []
        for enter in self._enters(frame):
            for merge in self._uses.get(enter.name, ()):
                if self.goes_round(merge):
                    onwards = next(
                        n for t in merge.input if (n := self._nodes[_parsed(t)[0]]).op in _ROUND
                    )
                    switches = [n for n in self._uses.get(merge.name, ()) if n.op in _SWITCH]
                    switch = next((n.name for n in switches if self._of_loop(n)), None)
                    found.append(_Variable(enter, merge.name, switch, onwards))
        return found

    def _condition(self, frame: str) -> str:
        for node in self._nodes.values():
            place = self._places[node.name]
            if node.op == "LoopCond" and place and place[-1] == (frame, None):
                return str(node.input[0])
        raise ValueError(f"The loop {frame!r} has no node LoopCond: the graph is damaged.")

    def _add_loop(self, importer: Any, exit_: Any) -> None:
        frame = self._frame_of(exit_)
        variables = self._variables(frame)
        going = {v.enter.name for v in variables}
        fixed = {
            e.name: [importer.value(e.input[0])] for e in self._enters(frame) if e.name not in going
        }
        condition = self._condition(frame)

        def inner(xs: Sequence[Any]) -> Any:
            values = dict(fixed)
            for v, x in zip(variables, xs, strict=True):
                values[v.merge] = [x, convert(0)]
                if v.switch is not None:
                    values[v.switch] = [x, x]
            return importer.within(self, values)

        def once(*xs: Any) -> list[Any]:
            made = inner(xs)
            return [made.demanded(v.onwards.input[0]) for v in variables]

        results = while_loop(
            lambda *xs: wengert.cast(inner(xs).demanded(condition), wengert.bool),
            once,
            [importer.value(v.enter.input[0]) for v in variables],
        )
        self._leave(importer, variables, results)

    def _leave(self, importer: Any, variables: list[_Variable], results: Sequence[Any]) -> None:
        for v, result in zip(variables, results, strict=True):
            for node in self._uses.get(v.switch or "", ()):
                if node.op in _EXIT:
                    importer.values[node.name] = [result]
