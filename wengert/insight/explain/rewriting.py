"""Lines of the program with the trouble taken out: the mend, as one would type it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Sequence
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
    if before and len(lines) == 1:  # such as `def f(x): return x`
        lines = (f"{before} {lines[0]}",)
    return Edit(found.first, lines, last=found.last)


Change = Callable[[ast.expr], ast.expr | None]


def rewritten(place: str, change: Change) -> str:
    """The statement at a place with the first fitting expression changed; empty if none fits."""
    text = line_text(place)
    try:
        tree = parsed(text)
    except SyntaxError:
        return ""
    changer = _Changer(change)
    new = changer.visit(tree)
    return ast.unparse(new) if changer.found else ""


class _Changer(ast.NodeTransformer):
    def __init__(self, change: Change) -> None:
        self._change = change
        self.found = False

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, (ast.Call, ast.BinOp, ast.Compare)) and not self.found:
            new = self._change(node)
            if new is not None:
                self.found = True
                return new
        return super().generic_visit(node)


def called(node: ast.AST) -> str:
    """The last part of the name that an expression calls."""
    return ast.unparse(node.func).rpartition(".")[2] if isinstance(node, ast.Call) else ""


def safe_branch(where_place: str, place: str, names: tuple[str, ...], one: str) -> list[str]:
    """`tf.where` with a safe argument for the function in the branch that is not taken."""
    where = _first(line_text(where_place), lambda n: called(n) == "where")
    if not isinstance(where, ast.Call) or len(where.args) != 3:
        return []
    condition = ast.unparse(where.args[0])
    text = line_text(place)
    call = _first(text, lambda n: called(n) in names or _is_operator(n, names))
    if call is None:
        return []
    argument = call.args[0] if isinstance(call, ast.Call) else _base(call, names)
    branch = _branch(where, call, text)
    inner = ast.unparse(argument)
    safe = (
        f"tf.where({condition}, {inner}, {one})"
        if branch
        else f"tf.where({condition}, {one}, {inner})"
    )
    new = ast.unparse(call).replace(inner, "safe", 1) if isinstance(call, ast.Call) else ""
    if isinstance(call, ast.BinOp):
        parts = [ast.unparse(call.left), ast.unparse(call.right)]
        parts["/" in names] = "safe"
        new = f"{parts[0]} {'/' if '/' in names else '**'} {parts[1]}"
    if any(
        isinstance(n, ast.Lambda) for n in expressions(text)
    ):  # its names mean nothing before it
        return []
    line = ast.unparse(parsed(text))
    return [f"safe = {safe}", line.replace(ast.unparse(call), new, 1)]


def _is_operator(node: ast.AST, names: tuple[str, ...]) -> bool:
    if not isinstance(node, ast.BinOp):
        return False
    return ("/" in names and isinstance(node.op, ast.Div)) or (
        "**" in names and isinstance(node.op, ast.Pow)
    )


def _base(node: ast.BinOp, names: tuple[str, ...]) -> ast.expr:
    return node.right if "/" in names else node.left


def _branch(where: ast.Call, call: ast.AST, text: str) -> bool:
    """Whether the function is computed for the first branch: of True."""
    name = ""
    try:
        statement = parsed(text).body[0]
        if isinstance(statement, ast.Assign):
            name = ast.unparse(statement.targets[0])
    except (SyntaxError, IndexError):
        pass
    second = ast.unparse(where.args[2])
    written = ast.unparse(call)
    return not (
        written in second or (name and name in second.replace("(", " ").split()) or second == name
    )


def _first(text: str, fits: Callable[[ast.AST], bool]) -> ast.Call | ast.BinOp | None:
    kinds = (ast.Call, ast.BinOp)
    return next((n for n in expressions(text) if isinstance(n, kinds) and fits(n)), None)


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


def in_single(text: str, names: Collection[str]) -> str:
    """A statement that computes with these names in float32."""

    class Cast(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.AST:
            is_read = isinstance(node.ctx, ast.Load) and node.id in names
            return expression(f"tf.cast({node.id}, tf.float32)") if is_read else node

    return ast.unparse(Cast().visit(parsed(text)))
