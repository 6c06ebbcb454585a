"""Source text: the syntax tree of a function, at the lines and columns of its file."""

from __future__ import annotations

import ast
import functools
import linecache
from collections.abc import Iterable, Iterator
from types import CodeType, FunctionType
from typing import Any, TypeAlias

from wengert.host.syntax import parsed

FunctionNode: TypeAlias = ast.FunctionDef | ast.Lambda
Node: TypeAlias = Any  # of a syntax tree: its fields depend on its kind


class NoSourceError(Exception):
    """Why a function is not converted: there is no text of it, or it looks at its own frame."""


def tree_of(function: FunctionType) -> FunctionNode:
    """The syntax tree of a function; its places are those of the file."""
    code = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__)
    if not lines:
        raise NoSourceError(f"its source is not at hand ({code.co_filename})")
    first, last = code.co_firstlineno, _last_line(code)
    kind: type[FunctionNode] = ast.FunctionDef
    if code.co_name == "<lambda>":
        kind = ast.Lambda
        found = _candidates(_one_statement(_parsed(lines, first, last)), code, kind)
    else:
        found = _candidates(_block(lines, first), code, kind)
    # What is not a statement of its own is looked for in the one around it, then in the whole file.
    found = found or _candidates(_statement_around(lines, first, last), code, kind)
    found = found or _candidates(_parsed(lines, 1, len(lines)), code, kind)
    found = [node for node in found if _holds(node, code)] if len(found) > 1 else found
    if not found:
        raise NoSourceError(f"it is not at line {first} of {code.co_filename}")
    if len({ast.dump(node) for node in found} if len(found) > 1 else found) > 1:
        raise NoSourceError(f"several like it are at line {first} of {code.co_filename}")
    return found[0]


def _parsed(lines: list[str], first: int, last: int) -> ast.Module | None:
    """The lines as a tree. Empty lines in front, and a header for what is indented, keep places."""
    text = "".join(lines[first - 1 : last])
    indented = text[:1] in (" ", "\t")
    if indented and first == 1:
        return None
    front = "\n" * (first - 2) + "if 1:\n" if indented else "\n" * (first - 1)
    try:
        return parsed(front + text)
    except (SyntaxError, ValueError):
        return None


def _one_statement(tree: ast.Module | None) -> ast.Module | None:
    """The tree, if it is one statement.

    If it is more, a lambda goes on where the first one ends: the lines are in brackets, which begin
    above, and the next line begins with what may begin a statement, such as `+ x`.
    """
    body = [] if tree is None else tree.body
    if len(body) == 1 and isinstance(body[0], ast.If):
        body = body[0].body
    return tree if len(body) == 1 else None


def _block(lines: list[str], first: int) -> ast.Module | None:
    """The statement that begins at a line: up to a line that is not indented, and can be parsed."""
    start = _indent(lines[first - 1]) if first <= len(lines) else 0
    for last in range(first, len(lines) + 1):
        following = lines[last].strip() if last < len(lines) else ""
        ends = last == len(lines) or (following and _indent(lines[last]) <= start)
        if ends and not following.startswith("#"):
            found = _parsed(lines, first, last)
            if found is not None and not isinstance(found.body[-1], ast.Expr):
                return found
    return None


def _statement_around(lines: list[str], first: int, last: int) -> ast.Module | None:
    """The shortest statement that holds some lines, which is parsed faster than a file is."""
    around = [(a, b) for a, b in _statements("".join(lines)) if a <= first and last <= b]
    return _parsed(lines, *min(around, key=lambda ends: ends[1] - ends[0])) if around else None


@functools.lru_cache(16)
def _statements(text: str) -> list[tuple[int, int]]:
    """The first and the last line of each statement of a file."""
    try:
        tree = parsed(text)
    except (SyntaxError, ValueError):
        return []
    return [(_begins(node), node.end_lineno or 0) for node in _statements_in(tree)]


def _statements_in(node: Node) -> Iterator[Node]:
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        inner = getattr(node, field, None)
        for part in inner if isinstance(inner, list) else []:
            if isinstance(part, ast.stmt):
                yield part
            yield from _statements_in(part)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _last_line(code: CodeType) -> int:
    return max([code.co_firstlineno, *[line for _, _, line in code.co_lines() if line]])


def _candidates(
    tree: ast.Module | None, code: CodeType, kind: type[FunctionNode]
) -> list[FunctionNode]:
    """The functions of a tree that begin where the code does, and have its name and parameters."""
    if tree is None:
        return []
    alone = tree.body[-1].body[0] if isinstance(tree.body[-1], ast.If) else tree.body[-1]
    # A statement of its own is the function; what is elsewhere is looked for.
    single = isinstance(alone, kind) and len(tree.body) == 1
    nodes: Iterable[Any] = [alone] if single else ast.walk(tree)
    return [
        node
        for node in nodes
        if isinstance(node, kind)
        and _begins(node) == code.co_firstlineno
        and getattr(node, "name", "<lambda>") == code.co_name
        and _same_parameters(node.args, code)
    ]


def _begins(node: Node) -> int:
    lines: list[int] = [node.lineno, *[d.lineno for d in getattr(node, "decorator_list", ())]]
    return min(lines)


def parameters(args: ast.arguments) -> list[str]:
    """The names of the parameters, in the order of the code's variables."""
    stars = [a.arg for a in (args.vararg, args.kwarg) if a is not None]
    return [*[a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)], *stars]


def _same_parameters(args: ast.arguments, code: CodeType) -> bool:
    names = parameters(args)
    given = code.co_varnames[: len(names)]
    count = code.co_argcount + code.co_kwonlyargcount
    same = len(args.posonlyargs) + len(args.args) + len(args.kwonlyargs) == count
    return same and all(a == b or b.endswith(a) for a, b in zip(names, given, strict=False))


def _holds(node: FunctionNode, code: CodeType) -> bool:
    """Whether the columns of a code's instructions are in the body of a lambda."""
    if not isinstance(node, ast.Lambda):
        return True
    if not hasattr(code, "co_positions"):  # Python 3.10
        made = compile(ast.Expression(node), code.co_filename, "eval").co_consts[0]
        return (made.co_code, made.co_consts) == (code.co_code, code.co_consts)
    body = node.body
    begin = body.lineno, body.col_offset
    end = body.end_lineno or 0, body.end_col_offset or 0
    return all(
        begin <= (line, column) and (last, until) <= end
        for line, last, column, until in code.co_positions()
        if None not in (line, last, column, until) and (column, until) != (0, 0)
        if not (line == node.lineno and column == node.col_offset)
    )
