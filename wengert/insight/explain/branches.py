"""`tf.where` with safe arguments for what is computed in the branch that is not taken."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from wengert.host.syntax import parsed
from wengert.insight.explain.rewriting import called, expressions, filled, joined, new_name
from wengert.insight.program_text import Assignments, Program, line_text, names_in

# Functions, as they are written, that are not finite somewhere, and an argument for which they are.
_HARMLESS: Final = {
    "acos": "0.0", "asin": "0.0", "atanh": "0.0", "exp": "0.0", "expm1": "0.0", "sinh": "0.0", "cosh": "0.0",
    "acosh": "2.0", "log": "1.0", "log1p": "1.0", "sqrt": "1.0", "rsqrt": "1.0", "reciprocal": "1.0",
    "divide": "1.0", "truediv": "1.0", "/": "1.0", "pow": "1.0", "**": "1.0",
}  # fmt: skip
_SECOND: Final = ("divide", "truediv", "xdivy")  # these fail by their second argument
_SIGNS: Final = {ast.Div: "/", ast.Pow: "**"}
_UNNAMED: Final = (ast.Lambda, ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)

Lines = tuple[str, ...]


def safe_branches(
    program: Program, where_place: str, place: str, names: Collection[str]
) -> Iterator[Lines]:
    """Lines in which one call of these functions has a safe argument, or in which all that may fail have."""
    text, selecting = line_text(place), line_text(where_place)
    if scope_of(program, where_place) is not scope_of(program, place):
        return
    nodes = expressions(text)
    if any(isinstance(n, _UNNAMED) for n in nodes):  # its names mean nothing before the line
        return
    for where in expressions(selecting) if text != selecting else nodes:
        if not (isinstance(where, ast.Call) and called(where) == "where" and len(where.args) == 3):
            continue
        behind = _made_from(program, place, where_place)
        condition = where.args[0]
        if not _is_known(program, condition, place, behind):
            continue
        sides = {n: _side(where, node, behind) for n, node in enumerate(nodes)}
        meant = [n for n, node in enumerate(nodes) if sides[n] and _weak(node, names)]
        weak = [n for n, node in enumerate(nodes) if sides[n] and _weak(node, _HARMLESS)]
        for chosen in ([m] for m in meant):
            yield _guarded(place, text, condition, sides, chosen)
        if len(weak) > 1:
            yield _guarded(place, text, condition, sides, weak)


def safe_number(names: Collection[str]) -> str:
    """An argument for which the functions of these names are finite, as are their slopes."""
    return next((_HARMLESS[name] for name in names if name in _HARMLESS), "1.0")


def scope_of(program: Program, place: str) -> ast.AST | None:
    """The innermost function around a line, or the module."""
    file, _, number = place.rpartition(":")
    if file != program.file or not number.isdigit():
        return None
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    found: ast.AST = program.whole
    for node in ast.walk(program.whole):  # outer ones come first
        if isinstance(node, kinds) and node.lineno <= int(number) <= (node.end_lineno or 0):
            found = node
    return found


def _made_from(program: Program, place: str, until: str) -> set[str]:
    """The names that are made, down to a line, from what a line computes."""
    scope, first, last = scope_of(program, place), _line(place), _line(until)
    made: set[str] = set()
    kinds = (ast.Assign, ast.AnnAssign, ast.AugAssign)
    statements = [n for n in ast.walk(scope or program.whole) if isinstance(n, kinds)]
    for node in sorted(statements, key=lambda n: n.lineno):
        is_it = node.lineno <= first <= (node.end_lineno or first)
        is_later = first < node.lineno <= last and made & set(names_in(node))
        if is_it or is_later:
            made |= set(names_in(node, stored=True))
    return made


def _line(place: str) -> int:
    return int(place.rpartition(":")[2])


def _is_known(program: Program, condition: ast.expr, place: str, behind: set[str]) -> bool:
    """Whether the condition can be computed before a line."""
    names = set(names_in(condition))
    if names & behind:
        return False
    scope = scope_of(program, place) or program.whole
    assigned = Assignments(scope)
    made = [[a.line for a in assigned.of(name)] for name in names]
    return all(not lines or min(lines) < _line(place) for lines in made)


def _side(where: ast.Call, node: ast.AST, behind: set[str]) -> int:
    """The branch in which an expression is computed: the first, the second, or neither."""
    for side in (1, 2):
        if any(n is node for n in ast.walk(where.args[side])):
            return side
    if any(n is node for n in ast.walk(where)):
        return 0
    read = [side for side in (1, 2) if behind & set(names_in(where.args[side]))]
    return read[0] if len(read) == 1 else 0


def _weak(node: ast.AST, names: Collection[str]) -> ast.expr | None:
    """The argument by which one of these functions may fail; by which any may if none are named."""
    found: ast.expr | None = None
    if isinstance(node, ast.Call) and (not names or called(node) in names):
        at = int(called(node) in _SECOND)
        found = node.args[at] if len(node.args) > at else None
    elif isinstance(node, ast.BinOp) and (not names or _SIGNS.get(type(node.op)) in names):
        found = node.right if isinstance(node.op, ast.Div) else node.left
    return None if found is None or not names_in(found) else found


def _guarded(
    place: str, text: str, condition: ast.expr, sides: dict[int, int], chosen: Sequence[int]
) -> Lines:
    """The line with safe arguments in these expressions, behind the lines that make them."""
    tree = parsed(text)
    nodes = list(ast.walk(tree))
    guard = _Guard({id(nodes[n]): sides[n] for n in chosen}, condition, place)
    line = joined(guard.visit(tree))
    return (*guard.lines, line)


class _Guard(ast.NodeTransformer):
    """Gives expressions safe arguments, the innermost first."""

    def __init__(self, sides: dict[int, int], condition: ast.expr, place: str) -> None:
        self._sides = sides
        self._condition = condition
        self._place = place
        self._names: dict[str, str] = {}  # by what they are made of

    @property
    def lines(self) -> list[str]:
        return [f"{name} = {made}" for made, name in self._names.items()]

    def generic_visit(self, node: ast.AST) -> ast.AST:
        side = self._sides.get(id(node), 0)
        super().generic_visit(node)
        argument = _weak(node, ()) if side else None
        if argument is not None:
            _put(node, argument, ast.Name(self._name_for(node, argument, side), ast.Load()))
        return node

    def _name_for(self, node: ast.AST, argument: ast.expr, side: int) -> str:
        template = "tf.where(c, a, one)" if side == 1 else "tf.where(c, one, a)"
        one = ast.Constant(float(safe_number([called(node)])))
        made = ast.unparse(filled(template, c=self._condition, a=argument, one=one))
        if made not in self._names:
            self._names[made] = new_name(self._place, "safe", self._names.values())
        return self._names[made]


def _put(node: ast.AST, argument: ast.expr, new: ast.expr) -> None:
    """Put another argument in place of one."""
    for field, value in ast.iter_fields(node):
        if value is argument:
            setattr(node, field, new)
        elif isinstance(value, list):
            value[:] = [new if v is argument else v for v in value]
