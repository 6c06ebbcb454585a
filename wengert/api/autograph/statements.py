"""Statements: branches and loops become calls of our operators with functions as their blocks.

    if c:            def ag__body():
        x = 1            nonlocal x
    else:                x = 1
        x = 2        def ag__orelse(): ...
                     ag__.branch(c, ag__body, ag__orelse, (("x",),), ())

The functions share the variables of the function around them, so nothing is passed. The operators
find the variables in the closures of these functions.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from wengert.api.autograph.expressions import (
    OURS,
    Expressions,
    Place,
    at,
    constant,
    later,
    name,
    ours,
)
from wengert.api.autograph.jumps import blocks
from wengert.api.autograph.liveness import Liveness
from wengert.api.autograph.source_text import Node

_BODY: Final = f"{OURS}body"
_ORELSE: Final = f"{OURS}orelse"
_TEST: Final = f"{OURS}test"
_MORE: Final = f"{OURS}more"
_ITEM: Final = f"{OURS}item"


class Statements:
    """The pass over the statements of one function."""

    def __init__(
        self,
        expressions: Expressions,
        stops: dict[ast.stmt, list[str]],
        liveness: Liveness,
        mangle: Any,
        body: list[Any],
    ) -> None:
        self._expressions = expressions
        self._stops = stops
        self._liveness = liveness
        self._mangle = mangle
        self._captures = _captures(body) if expressions.has_functions else Counter[str]()
        self.shared: set[str] = set()  # variables that functions of blocks write

    def block(self, statements: list[Node]) -> list[Any]:
        """The statements of a block, with calls of operators in place of branches and loops."""
        made: list[Any] = []
        for node in statements:
            split = _SPLIT.get(type(node))
            if split is not None:
                made += split(self, node)
                continue
            for inner in blocks(node):
                inner[:] = self.block(inner)
            made.append(node)
        return made

    def _branch(self, node: ast.If) -> list[Any]:
        place = at(node.test)
        body, orelse = self._own(node)
        own = body | orelse
        if own:
            own -= self._shared_of(node.body, body) | self._shared_of(node.orelse, orelse)
        return [
            self._function(_BODY, node.body, [node], place, own=body),
            self._function(_ORELSE, node.orelse, [node], place, own=orelse),
            self._called(
                "branch", [node.test, name(_BODY, place), name(_ORELSE, place)], node, own
            ),
        ]

    def _own(self, node: ast.If) -> list[set[str]]:
        """What each block has for itself: variables that nobody else reads, but functions made there.

        A gradient calls such a function when the other block has been traced, too.
        """
        if not self._captures:
            return [set(), set()]
        others = self._liveness.live[node] | self._expressions.globals | self._expressions.nonlocals
        within = _captures([*node.body, *node.orelse])
        others |= {n for n, count in self._captures.items() if within[n] < count}
        pairs = zip((node.body, node.orelse), self._liveness.entered[node], strict=True)
        written = [self._liveness.all_written(block)[0] - entered for block, entered in pairs]
        return [(names - others) & within.keys() for names in written]

    def _shared_of(self, block: list[Any], own: set[str]) -> set[str]:
        return self._liveness.all_written(block)[0] - own

    def _while(self, node: ast.While) -> list[Any]:
        place = at(node.test)
        stops = self._stops.get(node)
        test = node.test
        if stops:
            test = ours("all_of", [self._none_of(stops, place), later(test, place)], place)
        returned = ast.Return(test, **place)
        return [
            self._function(_TEST, [returned], [node], place),
            self._function(_BODY, node.body, [node], place),
            self._called("while_loop", [name(_TEST, place), name(_BODY, place)], node),
        ]

    def _for(self, node: ast.For) -> list[Any]:
        place = at(node.target)
        taken = ast.Assign([node.target], name(_ITEM, place), **place)
        body = self._function(
            _BODY, [taken, *node.body], [node], place, [ast.arg(_ITEM, None, **place)]
        )
        stops = self._stops.get(node)
        more: ast.expr = constant(None, place)
        made: list[Any] = [body]
        if stops:
            returned = ast.Return(self._none_of(stops, place), **place)
            made.append(self._function(_MORE, [returned], [], place))
            more = name(_MORE, place)
        return [*made, self._called("for_loop", [node.iter, more, name(_BODY, place)], node)]

    def _none_of(self, flags: list[str], place: dict[str, Any]) -> ast.expr:
        return ours("none_of", [name(flag, place) for flag in flags], place)

    # ---- parts -------------------------------------------------------------------------------

    def _function(
        self,
        called: str,
        body: list[Any],
        of: list[Any],
        place: dict[str, Any],
        args: Any = (),
        own: Iterable[str] = (),
    ) -> ast.FunctionDef:
        """The function of a block. It shares all variables that the statement writes, but its own."""
        written = set().union(*[self._liveness.written(n)[0] for n in of])
        declared = self._declarations(written.difference(own), place)
        taken = ast.arguments([], list(args), None, [], [], None, [])
        statements = [*declared, *self.block(body)] or [ast.Pass(**place)]
        made = ast.FunctionDef(called, taken, statements, [], None, None, **place)
        made.type_params = []  # type: ignore[attr-defined]
        return made

    def _declarations(self, written: Iterable[str], place: dict[str, Any]) -> list[Any]:
        theirs = self._expressions.globals
        shared = sorted(set(written) - theirs)
        self.shared.update(shared)
        own: list[Any] = [ast.Nonlocal(shared, **place)] if shared else []
        globals_ = sorted(set(written) & theirs)
        return [*own, ast.Global(globals_, **place)] if globals_ else own

    def _called(
        self, operator: str, args: list[Any], node: ast.stmt, own: Iterable[str] = ()
    ) -> ast.Expr:
        place = at(getattr(node, "test", getattr(node, "iter", node)))
        args += [constant(places, place) for places in self._state(node, own)]
        options = self._expressions.options.get(node)
        if options:
            made = ast.Call(name("dict", place), [], options, **place)
            args.append(later(made, place))
        return ast.Expr(ours(operator, args, place), **place)

    def _state(
        self, node: ast.stmt, own: Iterable[str]
    ) -> tuple[tuple[Place, ...], tuple[Place, ...]]:
        """What the statement writes: what others read, variables and parts of objects; the rest."""
        written, parts = self._liveness.written(node)
        live = self._liveness.live[node] | self._expressions.globals | self._expressions.nonlocals
        kept, local = (
            sorted((self._mangle(n),) for n in s)
            for s in (written & live, (written - live).difference(own))
        )
        inner = {tuple(self._mangled(p, written)) for p in parts if p[0] not in written}
        return (*kept, *sorted(inner, key=repr)), tuple(local)

    def _mangled(self, place: Place, written: set[str]) -> Iterable[Any]:
        """A place by the names that variables have; a key that the statement changes may be any."""
        yield self._mangle(place[0])
        for kind, key in place[1:]:
            if kind == "[]" and key in written:
                yield "[*]", None
            else:
                yield kind, self._mangle(key) if kind in (".", "[]") else key


_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def _captures(statements: list[Any]) -> Counter[str]:
    """How many functions within statements name a variable."""
    nodes = [n for s in statements for n in ast.walk(s)]
    functions = [n for n in nodes if isinstance(n, _FUNCTIONS)]
    return Counter(v for f in functions for v in {n.id for n in ast.walk(f) if type(n) is ast.Name})


_SPLIT: Final[dict[type, Any]] = {
    ast.If: Statements._branch,
    ast.While: Statements._while,
    ast.For: Statements._for,
}
