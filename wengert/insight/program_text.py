"""The program as it is written: which names an expression has, and where a name was given its value."""

from __future__ import annotations

import ast
import functools
import linecache
import os
import tokenize
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from types import CodeType, FrameType, ModuleType
from typing import Any, Final, NamedTuple

from wengert.api.autograph.expressions import OURS
from wengert.host.syntax import expression, parsed
from wengert.insight.name_flow import NameFlow
from wengert.state.variable import Variable
from wengert.values.tensor import Tensor


class Assignment(NamedTuple):
    """A name was given a value."""

    name: str
    line: int
    value: ast.expr


_changed: Final[set[str]] = set()  # files whose text is not that of the program that runs


class Program:
    """The source of the function, or of the module, that a frame runs."""

    def __init__(self, frame: FrameType) -> None:
        self.file = frame.f_code.co_filename
        self.frame = frame
        text = "".join(linecache.getlines(self.file, frame.f_globals))
        try:
            tree: ast.AST = parsed(text)
        except (SyntaxError, ValueError):
            tree = ast.Module([], [])
        self.is_stale = bool(text) and not _is_of(text, frame.f_code)
        if self.is_stale:
            _changed.add(self.file)
            tree = ast.Module([], [])
        self.whole = tree
        self.tree = _of_code(tree, frame.f_code)

    def place(self, line: int) -> str:
        """A line as file:line."""
        return f"{self.file}:{line}"

    def arguments(self, methods: Sequence[str], parameters: Sequence[str]) -> list[str]:
        """These arguments of the call that the frame is in, as written; empty where none is found."""
        line = self.frame.f_lineno
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call) and node.lineno <= line <= (node.end_lineno or line):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
                name = node.func.id if isinstance(node.func, ast.Name) else name
                if name in methods:
                    written = dict(zip(parameters, map(ast.unparse, node.args), strict=False))
                    written |= {k.arg: ast.unparse(k.value) for k in node.keywords if k.arg}
                    return [written.get(p, "") for p in parameters]
        return [""] * len(parameters)

    def asked_by_optimizer(self) -> tuple[str, str]:
        """The loss and the variables of an optimizer's step, as written; a function of the loss is called."""
        loss, variables = self.arguments(("minimize", "compute_gradients"), ("loss", "var_list"))
        is_function = loss.isidentifier() and callable(
            {**self.frame.f_globals, **self.frame.f_locals}.get(loss)
        )
        if loss.startswith("lambda:"):
            return loss.removeprefix("lambda:").strip(), variables
        return f"{loss}()" if is_function else loss, variables

    @functools.cached_property
    def assigned(self) -> Assignments:
        """All that the function, or the module, gives names to."""
        return Assignments(self.tree)

    @functools.cached_property
    def assigned_in_file(self) -> Assignments:
        """The same of the whole file."""
        return Assignments(self.whole)

    @functools.cached_property
    def flow(self) -> NameFlow:
        """Which names of the file may have a part in the value of another."""
        return NameFlow(self.whole)

    def assignments(self, name: str) -> list[Assignment]:
        """Where a name was given a value, from the top down."""
        return self.assigned.of(name)

    def assigned_around(self, name: str) -> list[Assignment]:
        """The same in what shares the name with this function: the class of an attribute, or the file."""
        owner, _, last = name.rpartition(".")
        if not owner:
            return [a for tree in self._sharing(name) for a in Assignments(tree).of(name)]
        kinds = {kind.__name__ for kind in type(self._looked_up(owner)).__mro__}
        trees = [n for n in ast.walk(self.whole) if isinstance(n, ast.ClassDef) and n.name in kinds]
        return [a for tree in trees for a in Assignments(tree).of(f"self.{last}")]

    def _sharing(self, name: str) -> Iterator[ast.AST]:
        """The statements of the file in which a name means the module's, as in this function."""
        if self.tree is self.whole or name in self.frame.f_code.co_varnames:
            return
        for node in getattr(self.whole, "body", ()):
            if not isinstance(node, _FUNCTIONS):
                yield node
        for node in ast.walk(self.whole):
            if isinstance(node, _FUNCTIONS) and _declares(node, name):
                yield node

    def _looked_up(self, name: str) -> Any:
        """What a name such as `self.net` means; nothing of it is carried out."""
        first, *rest = name.split(".")
        found = self.values.get(first)
        for attribute in rest:
            found = getattr(found, "__dict__", {}).get(attribute)
        return found

    @functools.cached_property
    def values(self) -> dict[str, Any]:
        """What the names of the function, and of the module, mean: looked up once for all that an answer says."""
        own, others = self.frame.f_locals, self.frame.f_globals
        return {**own, **{name: value for name, value in others.items() if name not in own}}

    def look_again(self) -> None:
        """Forget what the names meant: the program has gone on."""
        for known in ("values", "_names", "_holders"):
            self.__dict__.pop(known, None)

    @functools.cached_property
    def _names(self) -> dict[Any, str]:
        """The first name of each value, by its identity, and by the key of what is ours."""
        found: dict[Any, str] = {}
        for name, value in self.values.items():
            found.setdefault(id(value), name)
            if isinstance(value, (Tensor, Variable)) and value._key is not None:
                found.setdefault(value._key, name)
        return found

    def name_of(self, value: Any) -> str:
        """What the program calls a value; empty if it has no name for it."""
        key = getattr(value, "_key", None)
        by_key = "" if key is None else self._names.get(key, "")
        return by_key or self._names.get(id(value), "")

    @functools.cached_property
    def _holders(self) -> dict[Any, str]:
        """The first name of a list, a dictionary or an object that holds a value of ours."""
        found: dict[Any, str] = {}
        for name, value in self.values.items():
            for held in () if name.startswith("__") else _held_by(value):
                if isinstance(held, (Tensor, Variable)):
                    found.setdefault(id(held) if held._key is None else held._key, name)
        return found

    def holder_of(self, value: Any) -> str:
        """The name of what holds a value, such as a cache; empty if nothing with a name does."""
        return self._holders.get(getattr(value, "_key", None) or id(value), "")

    @functools.cached_property
    def _with_blocks(self) -> list[tuple[ast.With, str]]:
        blocks = [node for node in ast.walk(self.tree) if isinstance(node, ast.With)]
        return [(b, " ".join(ast.unparse(i.context_expr) for i in b.items)) for b in blocks]

    def blocks(self, of: str) -> list[ast.With]:
        """The `with` blocks whose context is such a call, like GradientTape."""
        return [block for block, written in self._with_blocks if of in written]

    def assignment_around(self, expression: ast.expr) -> ast.Assign | None:
        """The assignment in which an expression stands; a line may have several statements."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Assign) and any(e is expression for e in ast.walk(node)):
                return node
        return None


def _held_by(value: Any) -> Iterable[Any]:
    if isinstance(value, (list, tuple)):
        return value
    if isinstance(value, dict):
        return list(value.values())
    is_theirs = not isinstance(value, (type, ModuleType)) and hasattr(value, "__dict__")
    return list(vars(value).values()) if is_theirs else ()


def _is_of(text: str, code: CodeType) -> bool:
    """Whether a text has the function that runs: one of its name at its line, with names that it knows.

    It may know more than are written, as tests do whose assertions are rewritten.
    """
    try:
        waiting = [compile(text, code.co_filename, "exec", dont_inherit=True)]
    except (SyntaxError, ValueError):
        return False
    known = {*code.co_names, *code.co_varnames, *code.co_freevars, *code.co_cellvars}
    while waiting:
        written = waiting.pop()
        if written.co_name == code.co_name and OURS in known:
            return True  # tf.function has written it anew
        at_its_line = (written.co_name, written.co_firstlineno) == (
            code.co_name,
            code.co_firstlineno,
        )
        if at_its_line and known.issuperset((*written.co_names, *written.co_varnames)):
            return True
        waiting += [c for c in written.co_consts if isinstance(c, CodeType)]
    return False


_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)


def _declares(function: ast.AST, name: str) -> bool:
    """Whether a function says that a name is that of the module, or of a function around it."""
    kinds = (ast.Global, ast.Nonlocal)
    return any(isinstance(n, kinds) and name in n.names for n in ast.walk(function))


class Assignments:
    """Where names, and attributes such as `self.w`, are given values: the tree is walked once."""

    def __init__(self, tree: ast.AST) -> None:
        self._of: dict[str, list[Assignment]] = {}
        for a in sorted(_assignments_in(tree), key=lambda a: a.line):
            self._of.setdefault(a.name, []).append(a)
        self.in_order = sorted(
            (a for found in self._of.values() for a in found), key=lambda a: a.line
        )

    def of(self, name: str) -> list[Assignment]:
        """From the top down."""
        return self._of.get(name, [])

    def of_parts(self, name: str) -> list[Assignment]:
        """The same of what a list or a dictionary holds, such as `ws[i]`."""
        return [a for a in self.in_order if a.name.startswith(f"{name}[")]

    @functools.cached_property
    def _reads(self) -> dict[str, list[tuple[int, frozenset[str]]]]:
        """For each name the lines that give it a value, with all names it may be made from by then."""
        found: dict[str, list[tuple[int, frozenset[str]]]] = {}
        for a in self.in_order:
            read = set(names_in(a.value))
            for name in list(read):
                read |= _last_before(found.get(name, ()), a.line)
            known = found.setdefault(a.name, [])
            so_far = known[-1][1] if known else frozenset()
            known.append((a.line, so_far if read <= so_far else so_far | read))
        return found

    def read_by(self, value: ast.expr, before: int) -> set[str]:
        """The names that an expression reads, and those that these were made from in earlier lines."""
        names = set(names_in(value))
        return names.union(*[_last_before(self._reads.get(name, ()), before) for name in names])


def _last_before(known: Sequence[tuple[int, frozenset[str]]], line: int) -> frozenset[str]:
    at = bisect_left(known, line, key=lambda entry: entry[0])
    return known[at - 1][1] if at else frozenset()


def _assignments_in(tree: ast.AST) -> Iterator[Assignment]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.For, ast.comprehension)):
            for name in names_in(node.target, stored=True):
                yield Assignment(name, node.iter.lineno, node.iter)
        value = getattr(node, "value", None)
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.NamedExpr)) and value:
            targets = [node.target]
        for target in targets:
            for name in _stored_by(target):
                yield Assignment(name, target.lineno, value)  # type: ignore[arg-type]


def _stored_by(target: ast.expr) -> list[str]:
    whole = [ast.unparse(target)] if isinstance(target, (ast.Attribute, ast.Subscript)) else []
    return list(dict.fromkeys([*names_in(target, stored=True), *whole]))


def _of_code(tree: ast.AST, code: object) -> ast.AST:
    name, first = code.co_name, code.co_firstlineno  # type: ignore[attr-defined]
    for node in ast.walk(tree):
        if isinstance(node, _FUNCTIONS) and node.name == name:
            begins = min([node.lineno, *[d.lineno for d in node.decorator_list]])
            if begins == first:
                return node
    return tree


def names_in(node: ast.AST, stored: bool = False) -> list[str]:
    """The names that an expression reads, or stores."""
    kind = ast.Store if stored else ast.Load
    return [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, kind)]


class Statement(NamedTuple):
    """A simple statement: its lines, its text in one line, and what stands before it."""

    first: int
    last: int
    text: str
    before: str


def line_text(place: str) -> str:
    """The text at a line that is named as file:line: of the whole statement, in one line."""
    found = statement_at(place)
    if found is not None:
        return found.text
    file, _, number = place.rpartition(":")
    known = number.isdigit() and file not in _changed
    return linecache.getline(file, int(number)).strip() if known else ""


def statement_at(place: str) -> Statement | None:
    """The simple statement at a line; None where there is none, or one that has others in it."""
    file, _, number = place.rpartition(":")
    if not number.isdigit() or file in _changed:
        return None
    found = [s for s in _statements(file) if s.first <= int(number) <= s.last]
    return _together(found) if found else None


def _together(found: list[Statement]) -> Statement:
    """Statements that share a line, such as `a = f(x); b = g(a)`: a place does not tell which is meant."""
    first = found[0]
    text = "; ".join(s.text for s in found)
    return Statement(first.first, max(s.last for s in found), text, first.before)


def _statements(file: str) -> list[Statement]:
    return _of_text("".join(linecache.getlines(file)))


@functools.lru_cache(maxsize=32)
def _of_text(text: str) -> list[Statement]:
    """The simple statements of a program, the innermost first."""
    lines = [line.encode() for line in text.split("\n")]  # columns are counted in bytes
    try:
        tree = parsed(text)
    except (SyntaxError, ValueError):
        return []
    return [
        _statement(node, lines)
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt) and not hasattr(node, "body")
    ]


def _statement(node: ast.stmt, lines: list[bytes]) -> Statement:
    first, last = node.lineno, node.end_lineno or node.lineno
    own = lines[first - 1 : last]
    own[-1] = own[-1][: node.end_col_offset]
    before = own[0][: node.col_offset].decode()
    own[0] = own[0][node.col_offset :]
    whole = " ".join(_without_ends([line.decode() for line in own]))
    return Statement(first, last, whole.replace("( ", "(").replace(" )", ")"), before)


def _without_ends(lines: list[str]) -> list[str]:
    """The lines of a statement without what only lines have: comments, and the sign that more follow."""
    text = [line.removesuffix("\\") for line in lines[:-1]] + lines[-1:]
    if any("#" in line for line in lines):
        for token in tokenize.generate_tokens(iter([f"{line}\n" for line in lines]).__next__):
            if token.type == tokenize.COMMENT:
                row, column = token.start
                text[row - 1] = lines[row - 1][:column]
    return [line.strip() for line in text if line.strip()]


def short(place: str) -> str:
    """The same with the name of the file alone."""
    return os.path.basename(place)


def name_of(source: Any) -> str:
    """What a source is called where the program does not write it: a variable has a name of its own."""
    name = getattr(source, "_handle_name", None) or getattr(getattr(source, "op", None), "name", "")
    return str(name).partition(":")[0] or "the source"


def names_of_sources(text: str, sources: Any, count: int) -> list[str]:
    """What the program calls each source, of which there are so many."""
    if not isinstance(sources, (list, tuple, dict)):
        return [text]
    try:
        tree: ast.expr = expression(text)
    except SyntaxError:
        tree = ast.Constant(0)
    if isinstance(tree, (ast.List, ast.Tuple)) and len(tree.elts) == count:
        return [ast.unparse(e) for e in tree.elts]
    keys = sorted(sources) if isinstance(sources, dict) and len(sources) == count else range(count)
    return [f"{text}[{key!r}]" for key in keys]


def name_in_frame(value: Any, frame: FrameType) -> str:
    """What the program calls a value: by a name of the function, or of the module; else the value's own name."""
    for names in (frame.f_locals, frame.f_globals):
        for name, other in list(names.items()):
            if other is value and not name.startswith("_"):
                return str(name)
    return name_of(value)
