"""Which names may have a part in the value of another, by the program's text: rather too many than too few.

The order of lines is left aside. A name is also the last part of `self.name`, and that of a function.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any, Final, NamedTuple

_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
_ROUNDS: Final = (ast.For, ast.AsyncFor, ast.While, ast.If)

_LOOKING: Final = ("print", "log", "info", "debug", "warn", "assert", "check", "watch", "write")


class _Lines(NamedTuple):
    """The lines of a statement: of one with others in it, its head."""

    first: int
    last: int
    written: set[str]
    read: set[str]
    is_around: bool


class NameFlow:
    """The names of a file, and from which others each may have its value."""

    def __init__(self, tree: ast.AST) -> None:
        self._from: dict[str, set[str]] = {}
        self._lines: list[_Lines] = []
        self._modules = set(_imported(tree))
        self._parameters = {
            f.name: _parameters(f) for f in ast.walk(tree) if isinstance(f, _FUNCTIONS)
        }
        self._called: set[str] = set()
        for node in ast.walk(tree):
            self._note(node)
        self._note_lines(getattr(tree, "body", ()), ())

    def behind(self, names: Iterable[str], values: Mapping[str, Any]) -> set[str]:
        """All names that may have a part in these; `values` are what the program's names mean."""
        found: set[str] = set()
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += [*self._from.get(name, ()), *_spoken(values.get(name))]
        return found

    def written_at(self, line: int) -> set[str] | None:
        """What the statements at a line give values to, or return from; None where there is none."""
        found = [s.written for s in self._lines if s.first <= line <= s.last]
        return set().union(*found) if found else None

    def last_filling(self, name: str, source: str, values: Mapping[str, Any]) -> int:
        """The last line that puts what is made from a source into what a name holds; 0 where there is none."""
        simple = [s for s in self._lines if not s.is_around and name in s.written]
        found = [s.first for s in simple if source in self.behind(s.read, values)]
        return max(found, default=0)

    def is_given(self, name: str) -> bool:
        """Whether a name is given its value here, and not by somebody who calls a function of the file."""
        uncalled = [p for f, p in self._parameters.items() if f not in self._called]
        return name in self._from and not any(name in p for p in uncalled)

    # ---- what is written, and from what --------------------------------------------------------------

    def _note(self, node: ast.AST) -> None:
        for targets, given in self._writings(node):
            read = set().union(*map(names_of, given))
            for name in targets:
                self._from.setdefault(name, set()).update(read)
        if isinstance(node, ast.Call):
            name = _last(node.func)
            self._called.add(name)
            for parameter in self._parameters.get(name, ()):
                self._from.setdefault(parameter, set()).update(names_of(node))

    def _writings(self, node: ast.AST) -> Iterator[tuple[set[str], list[ast.AST]]]:
        """What a statement or an expression gives values to, and what these come from."""
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            yield {node.name}, list(node.body)
        elif isinstance(node, ast.Assign):
            yield set().union(*map(self._owners, node.targets)), [node.value]
        elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.NamedExpr)) and node.value:
            yield self._owners(node.target), [node.value]
        elif isinstance(node, ast.comprehension):
            yield self._owners(node.target), [node.iter]
        elif isinstance(node, ast.withitem) and node.optional_vars:
            yield self._owners(node.optional_vars), [node.context_expr]
        elif isinstance(node, _ROUNDS):
            head = node.iter if isinstance(node, (ast.For, ast.AsyncFor)) else node.test
            own = self._owners(node.target) if isinstance(node, (ast.For, ast.AsyncFor)) else set()
            yield self._written_in(node) | own, [head]
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            if not _last(node.value.func).startswith(
                _LOOKING
            ):  # np.copyto(a, b), for what it changes
                given = _arguments(node.value)
                yield set().union(*map(self._owners, given)), given
        elif isinstance(node, ast.Call):
            yield from self._changed_by(node)

    def _changed_by(self, call: ast.Call) -> Iterator[tuple[set[str], list[ast.AST]]]:
        """A method may put what it is given into its object, and a function into what else it is given."""
        given = _arguments(call)
        if isinstance(call.func, ast.Attribute) and any(map(names_of, given)):
            yield self._owners(call.func.value), given
        if _last(call.func) in self._parameters or _last(call.func).startswith(
            ("assign", "scatter")
        ):
            yield set().union(*map(self._owners, given)), given

    def _owners(self, target: ast.AST) -> set[str]:
        """The names that hold what is written: `a` and `b` of `self.a[0].b`."""
        if isinstance(target, (ast.Tuple, ast.List)):
            return set().union(*map(self._owners, target.elts))
        found = set()
        while isinstance(target, (ast.Attribute, ast.Subscript, ast.Starred)):
            if isinstance(target, ast.Attribute):
                found.add(target.attr)
            target = target.value
        if isinstance(target, ast.Name):
            if target.id in self._modules:
                return set()
            if target.id != "self" or not found:
                found.add(target.id)
        return found

    def _written_in(self, node: ast.AST) -> set[str]:
        """All that a statement writes, with those within."""
        inner = [n for n in ast.walk(node) if n is not node and not isinstance(n, _ROUNDS)]
        return {name for n in inner for targets, _ in self._writings(n) for name in targets}

    def _note_lines(self, body: Iterable[ast.stmt], around: tuple[str, ...]) -> None:
        for node in body:
            within = (
                (*around, node.name) if isinstance(node, (*_FUNCTIONS, ast.ClassDef)) else around
            )
            blocks = [getattr(node, part, ()) for part in ("body", "orelse", "finalbody")]
            blocks += [handler.body for handler in getattr(node, "handlers", ())]
            blocks += [case.body for case in getattr(node, "cases", ())]
            for block in blocks:
                self._note_lines(block, within)
            first, last = node.lineno, node.end_lineno or node.lineno
            if blocks[0]:
                last = max(first, blocks[0][0].lineno - 1)
            written = self._written_in(node)
            if any(isinstance(n, (ast.Return, ast.Yield)) for n in ast.walk(node)):
                written.update(around)
            own = {name for targets, _ in self._writings(node) for name in targets}
            self._lines.append(_Lines(first, last, written | own, names_of(node), bool(blocks[0])))


def names_of(node: ast.AST) -> set[str]:
    """The names that an expression reads, and those of attributes."""
    found = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    return found | {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)}


def _arguments(call: ast.Call) -> list[ast.AST]:
    return [*call.args, *[k.value for k in call.keywords]]


def _last(function: ast.expr) -> str:
    """The last part of the name of a function."""
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                yield (alias.asname or alias.name).partition(".")[0]


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    given = function.args
    named = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    return {a.arg for a in named if a is not None} - {"self"}


def _spoken(value: Any) -> Set[str]:
    """What the text calls a function, or an object by its class."""
    names = {getattr(value, "__name__", ""), type(value).__name__}
    return {n for n in names if isinstance(n, str) and n.isidentifier()}
