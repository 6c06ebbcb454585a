"""Lines of the program with the trouble taken out: the mend, as one would type it."""

from __future__ import annotations

import ast
import copy
import itertools
import linecache
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

from wengert.host.syntax import expression, parsed
from wengert.insight.program_text import line_text, statement_at


class Edit(NamedTuple):
    """Lines in place of a line of the program, or before it; in place of one, no lines take it out."""

    line: int
    lines: tuple[str, ...]
    replaces: bool = True
    like: int = 0  # the line whose indentation they get: the same one, unless another is named
    last: int = 0  # the last line that is replaced: the same one, unless another is named


def edited(text: str, edits: Sequence[Edit]) -> str:
    """A program with its edits."""
    old = text.split("\n")
    lines = list(old)
    for edit in sorted(edits, key=lambda e: (-e.line, not e.replaces)):
        model = old[(edit.like or edit.line) - 1]
        indentation = model[: len(model) - len(model.lstrip())]
        new = [indentation + line.lstrip() for line in edit.lines]
        end = (edit.last or edit.line) if edit.replaces else edit.line - 1
        lines[edit.line - 1 : end] = new
    return "\n".join(lines)


def is_program(text: str) -> bool:
    """Whether a text can be read as a program."""
    try:
        parsed(text)
    except (SyntaxError, ValueError):
        return False
    return True


class Mend(NamedTuple):
    """What to do, in words and in lines."""

    words: str
    lines: tuple[str, ...] = ()
    edits: tuple[Edit, ...] = ()


def replacing(place: str, words: str, *lines: str) -> Mend:
    """A mend that puts lines in place of one line of the program."""
    number = place.rpartition(":")[2]
    lines = tuple([line for line in lines if line])
    if not lines or not number.isdigit():
        return Mend(words)
    return Mend(words, lines, (instead_of(place, lines),))


def instead_of(place: str, lines: tuple[str, ...] = ()) -> Edit:
    """Lines in place of the statement at a place."""
    found = statement_at(place)
    if found is None:
        return Edit(int(place.rpartition(":")[2]), lines)
    before = found.before.strip()
    if before and lines:  # such as `def f(x): return x`
        lines = (f"{before} {'; '.join(lines)}",)
    return Edit(found.first, lines, last=found.last)


Change = Callable[[ast.expr], ast.expr | None]


def rewritten(place: str, change: Change) -> str:
    """The statement at a place with the first fitting expression changed; empty if none fits."""
    return next(iter(rewritings(place, change)), "")


def rewritings(place: str, change: Change) -> list[str]:
    """The statement at a place, with each fitting expression changed in turn."""
    text = line_text(place)
    found: list[str] = []
    while True:
        changer = _Changer(change, len(found))
        try:
            new = changer.visit(parsed(text))
        except SyntaxError:
            return found
        if not changer.done:
            return found
        found.append(joined(new))


def joined(tree: ast.Module) -> str:
    """The statements of a line as they are written in one."""
    return "; ".join(map(ast.unparse, tree.body))


class _Changer(ast.NodeTransformer):
    def __init__(self, change: Change, passed: int) -> None:
        self._change = change
        self._left = passed  # fitting expressions that stay as they are
        self.done = False

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, (ast.Call, ast.BinOp, ast.Compare)) and not self.done:
            new = self._change(node)
            if new is not None and not self._left:
                self.done = True
                return new
            self._left -= new is not None
        return super().generic_visit(node)


def filled(template: str, **parts: ast.expr) -> ast.expr:
    """An expression with others in the places of its names: as a tree, which has the brackets that it needs."""
    return _Filled(parts).visit(expression(template))  # type: ignore[no-any-return]


class _Filled(ast.NodeTransformer):
    def __init__(self, parts: dict[str, ast.expr]) -> None:
        self._parts = parts

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return copy.deepcopy(self._parts.get(node.id, node))


def called_with(node: ast.Call, *first: ast.expr) -> ast.Call:
    """The same call with other arguments in the first places."""
    rest = node.args[len(first) :]
    return copy.deepcopy(ast.Call(node.func, [*first, *rest], node.keywords))


def called(node: ast.AST) -> str:
    """The last part of the name that an expression calls."""
    return ast.unparse(node.func).rpartition(".")[2] if isinstance(node, ast.Call) else ""


def new_name(place: str, wish: str, taken: Collection[str] = ()) -> str:
    """A name that the program does not use."""
    used = {*taken, *names_of_program("".join(linecache.getlines(place.rpartition(":")[0])))}
    numbered = (f"{wish}_{n}" for n in itertools.count(2))
    return next(name for name in itertools.chain([wish], numbered) if name not in used)


def names_of_program(text: str) -> Iterator[str]:
    """All names of a program: those of values, of arguments, of functions and of modules."""
    for node in expressions(text):
        for field in ("id", "arg", "name", "asname"):
            name = getattr(node, field, None)
            if isinstance(name, str):
                yield name


def expressions(text: str) -> list[ast.AST]:
    """All expressions of a statement, from the outermost inward."""
    try:
        return list(ast.walk(parsed(text)))
    except SyntaxError:
        return []


def read_names(text: str) -> list[str]:
    """The names that a statement reads."""
    return [
        n.id for n in expressions(text) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
    ]


def in_single(text: str, names: Collection[str], dtype: str) -> str:
    """A statement that computes with these names in float32, and with constants that had the dtype."""

    class Cast(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.AST:
            is_read = isinstance(node.ctx, ast.Load) and node.id in names
            return filled("tf.cast(x, tf.float32)", x=node) if is_read else node

        def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
            if node.attr == dtype:
                return filled("tf.float32")
            return self.generic_visit(node)

    return joined(Cast().visit(parsed(text)))
