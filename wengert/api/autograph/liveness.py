"""Liveness: which variables are read after a statement, before they are written again.

A branch hands out what is live behind it, a loop carries what is live at its head. The pass goes
backwards; there are no jumps any more.
"""

from __future__ import annotations

import ast
from typing import Any

from wengert.api.autograph.expressions import Expressions, Facts, Place
from wengert.api.autograph.jumps import blocks
from wengert.api.autograph.source_text import Node

_NOTHING = Facts(set(), set(), set())


class Liveness:
    """The pass over the statements of one function."""

    def __init__(self, expressions: Expressions, stops: dict[ast.stmt, list[str]]) -> None:
        self._facts = expressions.facts
        self._targets = expressions.targets
        self._stops = stops
        self._written: dict[ast.stmt, tuple[set[str], set[Place]]] = {}
        self._caught: set[str] = set()  # what handlers around read
        self.live: dict[ast.stmt, set[str]] = {}  # behind a branch, at the head of a loop
        self.entered: dict[
            ast.stmt, tuple[set[str], set[str]]
        ] = {}  # where a branch's blocks begin

    def before(self, statements: list[Node], after: set[str]) -> set[str]:
        """What is live before a block, given what is behind it."""
        for node in reversed(statements):
            after = self._before(node, after | self._caught)
        return after

    def _before(self, node: Node, after: set[str]) -> set[str]:
        facts = self._facts.get(node, _NOTHING)
        kind = type(node)
        if kind is ast.If:
            self.live[node] = after
            body, orelse = self.before(node.body, after), self.before(node.orelse, after)
            self.entered[node] = body, orelse
            return body | orelse | facts.reads
        if kind is ast.While or kind is ast.For:
            return self._before_loop(node, facts, after)
        if hasattr(node, "handlers"):
            return self._before_try(node, facts, after)
        if kind is ast.Match:
            return facts.reads.union(after, *[self.before(c.body, after) for c in node.cases])
        if kind is ast.With:
            return facts.reads | (self.before(node.body, after) - facts.writes)
        if kind is ast.AugAssign or kind is ast.Delete:
            return after | facts.reads | facts.writes
        return (after - facts.writes) | facts.reads

    def _before_loop(self, node: Node, facts: Facts, after: set[str]) -> set[str]:
        head = after | set(self._stops.get(node, ()))
        if isinstance(node, ast.While):
            head = head | facts.reads
        target = self._targets.get(node, _NOTHING)
        for _ in range(2):  # the second time sees what the first found at the head
            head = head | (self.before(node.body, head) - target.writes) | target.reads
        self.live[node] = head
        return head | facts.reads

    def _before_try(self, node: Node, facts: Facts, after: set[str]) -> set[str]:
        last = self.before(node.finalbody, after)
        handled = last.union(*[self.before(h.body, last) for h in node.handlers])
        around, self._caught = self._caught, self._caught | handled | facts.reads
        found = self.before([*node.body, *node.orelse], last)
        self._caught = around
        return found | handled | facts.reads

    # ---- what is written ---------------------------------------------------------------------

    def written(self, node: Node) -> tuple[set[str], set[Place]]:
        """The variables and parts of variables that a statement writes, in its blocks too."""
        if node not in self._written:
            found = [self._facts.get(node, _NOTHING), self._targets.get(node, _NOTHING)]
            names, parts = set[str](), set[Place]()
            for facts in found:
                names |= facts.writes
                parts |= facts.parts
            for block in blocks(node):
                inner = self.all_written(block)
                names, parts = names | inner[0], parts | inner[1]
            self._written[node] = names, parts
        return self._written[node]

    def all_written(self, block: list[Any]) -> tuple[set[str], set[Place]]:
        """The same of all statements of a block."""
        found = [self.written(s) for s in block]
        return set().union(*[n for n, _ in found]), set().union(*[p for _, p in found])
