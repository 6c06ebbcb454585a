"""Jumps: `return`, `break` and `continue` become flags, and what they skip becomes conditional.

`if a: return b` before other statements puts these into an `else`, which needs no flag. Elsewhere
what follows a statement that may jump runs only if no flag is set.
"""

from __future__ import annotations

import ast
from typing import Any, Final, NamedTuple

from wengert.api.autograph.expressions import OURS, Expressions, Facts, at, name, ours
from wengert.api.autograph.source_text import Node

RESULT: Final = f"{OURS}result"
_RETURNED: Final = f"{OURS}returned"
_JUMPS: Final[dict[type, str]] = {
    ast.Return: "return",
    ast.Break: "break",
    ast.Continue: "continue",
}
_LOOPS: Final = (ast.While, ast.For)
_SPLIT: Final = (ast.If, *_LOOPS)
_COMPOUND: Final = {ast.With, ast.Try, getattr(ast, "TryStar", ast.Try), ast.Match, *_SPLIT}


class Flags(NamedTuple):
    """The variables that say that a loop, or one round of it, was left."""

    broke: str
    continued: str


class Jumps:
    """The pass over the statements of one function."""

    def __init__(self, expressions: Expressions) -> None:
        self._facts = expressions.facts
        self._targets = expressions.targets
        self._options = expressions.options
        self.stops: dict[ast.stmt, list[str]] = {}  # of a loop, the flags that end it
        self._count = 0
        self._all_returns = False

    def function(self, body: list[Any]) -> list[Any]:
        """The body of a function without jumps out of what will be split from it."""
        self._all_returns = any("return" in self._from_split(s) for s in body)
        # Where every way ends with a value, one in a loop may be filled in for rounds without it.
        # None is no value: what cannot be filled in fails at once, where a `try` may catch it.
        start = "GUARDED" if _always_jumps(body) and not _is_none(body[-1]) else "ABSENT"
        made = self._block(body, None)
        if not self._all_returns:
            return made
        place = at(body[-1])
        returned = ast.Return(ours("returned", [name(RESULT, place)], place), **place)
        self._facts[returned] = Facts({RESULT}, set(), set())
        front = at(body[0])
        absent = ast.Attribute(name(OURS, front), start, ast.Load(), **front)
        return [
            self._set(RESULT, absent, front),
            self._flag(_RETURNED, False, front),
            *made,
            returned,
        ]

    def _from_split(self, node: Node) -> set[str]:
        """The jumps that leave a statement that will be split, or such a one within."""
        if isinstance(node, _SPLIT):
            return _jumps(node)
        return set().union(*[self._from_split(s) for block in blocks(node) for s in block])

    # ---- blocks ------------------------------------------------------------------------------

    def _block(self, statements: list[Node], loop: Flags | None) -> list[Any]:
        made: list[Any] = []
        for i, node in enumerate(statements):
            if self._is_lowered(node):
                return [*made, *self._jumped(node, loop)]
            jumps, rest = _jumps(node) & self._lowered(), statements[i + 1 :]
            if jumps and rest and isinstance(node, ast.If):
                if _always_jumps(node.body):
                    node.orelse, rest = [*node.orelse, *rest], []
                elif _always_jumps(node.orelse):
                    node.body, rest = [*node.body, *rest], []
            flags = [self._flag_of(jump, loop) for jump in sorted(jumps)]
            found, otherwise = self._inside(node, loop)
            made += found
            if otherwise:
                rest, flags = [*otherwise, *rest], flags
            if flags and rest:
                return [*made, *self._block_of_guard(flags, rest, loop)]
            if otherwise:
                return [*made, *self._block(rest, loop)]
            if jumps and not rest and i + 1 < len(statements):
                return made  # the rest is in a branch
        return made

    def _lowered(self) -> set[str]:
        return {"break", "continue", "return"} if self._all_returns else {"break", "continue"}

    def _is_lowered(self, node: Node) -> bool:
        return _JUMPS.get(type(node), "") in self._lowered()

    def _block_of_guard(self, flags: list[str], rest: list[Any], loop: Flags | None) -> list[Any]:
        return [self._if_none(flags, self._block(rest, loop), at(rest[0]))]

    def _if_none(self, flags: list[str], body: list[Any], place: dict[str, Any]) -> ast.If:
        test = ours("none_of", [name(flag, place) for flag in flags], place)
        guard = ast.If(test, body or [ast.Pass(**place)], [], **place)
        self._facts[guard] = Facts(set(flags), set(), set())
        return guard

    def _inside(self, node: Node, loop: Flags | None) -> tuple[list[Any], list[Any]]:
        """A statement with its blocks done, and what is left to do: the `else` of a loop."""
        if not isinstance(node, _LOOPS):
            for block in blocks(node):
                block[:] = self._block(block, loop) or block[:1]
            return [node], []
        self._count += 1
        own = Flags(f"{OURS}broke{self._count}", f"{OURS}continued{self._count}")
        jumps, place = set().union(*map(_jumps, node.body)), at(node)
        front = [self._flag(own.broke, False, place)] if "break" in jumps else []
        ends = [own.broke] if front else []
        node.body = self._block(node.body, own) or [ast.Pass(**place)]
        if "continue" in jumps:
            node.body.insert(0, self._flag(own.continued, False, place))
        self.stops[node] = [*ends, _RETURNED] if "return" in jumps else ends
        otherwise, node.orelse = node.orelse, []
        if otherwise and ends:
            otherwise = [self._if_none(ends, otherwise, at(otherwise[0]))]
        return [*front, node], otherwise

    # ---- jumps -------------------------------------------------------------------------------

    def _jumped(self, node: Node, loop: Flags | None) -> list[Any]:
        place = at(node)
        done = self._flag(self._flag_of(_JUMPS[type(node)], loop), True, place)
        if not isinstance(node, ast.Return):
            return [done]
        value = node.value or ast.Constant(None, **place)
        stored = self._set(RESULT, value, place)
        self._facts[stored].reads.update(self._facts[node].reads)
        return [stored, done]

    def _flag_of(self, jump: str, loop: Flags | None) -> str:
        if jump == "return" or loop is None:
            return _RETURNED
        return loop.broke if jump == "break" else loop.continued

    def _flag(self, flag: str, value: bool, place: dict[str, Any]) -> ast.Assign:
        return self._set(flag, ast.Constant(value, **place), place)

    def _set(self, variable: str, value: ast.expr, place: dict[str, Any]) -> ast.Assign:
        made = ast.Assign([name(variable, place, ast.Store())], value, **place)
        self._facts[made] = Facts(set(), {variable}, set())
        return made


def blocks(node: Node) -> list[list[Any]]:
    """The blocks of a compound statement of the function; none of a definition's."""
    if type(node) not in _COMPOUND:
        return []
    own = [getattr(node, part, None) for part in ("body", "orelse", "finalbody")]
    inner = [*getattr(node, "handlers", ()), *getattr(node, "cases", ())]
    return [block for block in (*own, *[i.body for i in inner]) if block]


def _jumps(node: Node) -> set[str]:
    """The jumps that leave a statement."""
    own = _JUMPS.get(type(node))
    if own is not None:
        return {own}
    if type(node) not in _COMPOUND:
        return set()
    if not isinstance(node, _LOOPS):
        return set().union(*[_jumps(s) for block in blocks(node) for s in block])
    inside = set().union(*map(_jumps, node.body)) & {"return"}
    return inside.union(*map(_jumps, node.orelse))


def _is_none(node: Node) -> bool:
    """Whether a statement is `return` or `return None`, as at the end of a function without one."""
    if not isinstance(node, ast.Return):
        return False
    return node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None)


def _always_jumps(block: list[Any]) -> bool:
    last = block[-1] if block else None
    if isinstance(last, ast.If):
        return _always_jumps(last.body) and _always_jumps(last.orelse)
    if isinstance(last, ast.With):
        return _always_jumps(last.body)
    if isinstance(last, ast.While):  # `while True` is left by a jump, and a break leads behind it
        endless = isinstance(last.test, ast.Constant) and bool(last.test.value)
        return endless and not any("break" in _jumps(s) for s in last.body)
    return isinstance(last, (ast.Return, ast.Break, ast.Continue, ast.Raise))
