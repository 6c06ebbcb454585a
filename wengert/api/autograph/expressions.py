"""Expressions: calls, conditions and lazy operators become calls of ours; names are noted.

One pass over the tree does both. What a statement reads and writes is kept beside it; of a compound
statement, what its head does.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple

from wengert.api.autograph.source_text import Node, parameters

OURS: Final = "ag__"  # the variable behind which the operators stand
# (name, step, ...): a variable, or a part of one. A step is (".", attribute), ("[", key), ("[]", the
# variable that has the key) or ("[*]", None): an item, which only the program knows when it runs.
Place = tuple[Any, ...]


class Facts(NamedTuple):
    """What a statement, or the head of a compound one, does to variables."""

    reads: set[str]
    writes: set[str]
    parts: set[Place]  # attributes and items that are stored


def at(node: Node) -> dict[str, Any]:
    """The place of a node, for nodes that are made from it."""
    return {
        "lineno": node.lineno,
        "col_offset": node.col_offset,
        "end_lineno": node.end_lineno,
        "end_col_offset": node.end_col_offset,
    }


def name(text: str, place: dict[str, Any], ctx: ast.expr_context | None = None) -> ast.Name:
    """A variable."""
    return ast.Name(text, ctx or ast.Load(), **place)


def constant(value: Any, place: dict[str, Any]) -> ast.Constant:
    """A value; tuples of values are constants, too."""
    return ast.Constant(value, **place)


def ours(operator: str, args: list[Any], place: dict[str, Any]) -> ast.Call:
    """A call of one of our operators."""
    found = ast.Attribute(name(OURS, place), operator, ast.Load(), **place)
    return ast.Call(found, args, [], **place)


def later(value: ast.expr, place: dict[str, Any]) -> ast.Lambda:
    """An expression that is computed only if it is asked for."""
    mark = ast.arg(f"{OURS}later", None, **place)
    return ast.Lambda(ast.arguments([], [], mark, [], [], None, []), value, **place)


class Expressions:
    """The pass over the expressions of one function."""

    def __init__(self, node: Node, nested: Callable[[Any], Facts]) -> None:
        self.facts: dict[ast.stmt, Facts] = {}
        self.targets: dict[ast.stmt, Facts] = {}  # of a `for`, what its target does
        self.options: dict[ast.stmt, list[ast.keyword]] = {}  # of a loop, by set_loop_options
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()
        self.closures: dict[str, Facts] = {}  # by the name of a function within
        self.has_functions = False  # within, or classes
        self.parameters = parameters(node.args)
        self._nested = nested
        self._now = Facts(set(), set(), set())
        self._named: set[str] = set()  # by :=
        self._bindings = 0  # how many := were met: what binds cannot be moved into a function

    def alone(self, node: ast.Lambda) -> None:
        """Rewrite a lambda's body."""
        node.body = self.visit(node.body)

    # ---- statements --------------------------------------------------------------------------

    def block(self, statements: list[Node]) -> None:
        """Rewrite the expressions of a block, in place."""
        statements[:] = map(self._statement, statements)

    def _statement(self, node: Node) -> Node:
        self._now, self._named = Facts(set(), set(), set()), set()
        handler = _STATEMENTS.get(type(node))
        made = handler(self, node) if handler else self._children(node)
        self._note(made)
        for part in _BLOCKS.get(type(node), ()):
            self.block(getattr(node, part))
        for handled in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
            self.block(handled.body)
        return made

    def _note(self, node: Node, into: dict[ast.stmt, Facts] | None = None) -> None:
        found = self._now
        found.writes.update(self._named)
        for inner in found.reads & self.closures.keys():
            found.reads.update(self.closures[inner].reads)
            found.writes.update(self.closures[inner].writes)
        (self.facts if into is None else into)[node] = found
        self._now, self._named = Facts(set(), set(), set()), set()

    def _branch(self, node: ast.If | ast.While) -> ast.stmt:
        node.test = self.visit(node.test)
        return self._looped(node)

    def _for(self, node: ast.For) -> ast.stmt:
        node.target = self.visit(node.target)
        self._note(node, self.targets)
        node.iter = self.visit(node.iter)
        return self._looped(node)

    def _looped(self, node: Node) -> ast.stmt:
        """Takes the options that the body sets for its loop."""
        if not isinstance(node, ast.If):
            self.options[node] = _taken_options(node)
        return node  # type: ignore[no-any-return]

    def _handled(self, node: Node) -> ast.stmt:
        """A try: the types of exceptions and the names that they are given."""
        for handler in node.handlers:
            if handler.type is not None:
                handler.type = self.visit(handler.type)
            if handler.name:
                self._now.writes.add(handler.name)
        return node  # type: ignore[no-any-return]

    def _with(self, node: ast.With) -> ast.stmt:
        for item in node.items:
            self._children(item)
        return node

    def _match(self, node: Node) -> ast.stmt:
        node.subject = self.visit(node.subject)
        for case in node.cases:
            case.pattern = self.visit(case.pattern)
            for inner in ast.walk(case.pattern):
                bound = getattr(inner, "name", None) or getattr(inner, "rest", None)
                self._now.writes.update([bound] if isinstance(bound, str) else [])
            if case.guard is not None:
                case.guard = self.visit(case.guard)
        return node  # type: ignore[no-any-return]

    def _aug_assign(self, node: ast.AugAssign) -> ast.stmt:
        self._children(node)
        if isinstance(node.target, ast.Name):
            self._now.reads.add(node.target.id)
        return node

    def _ann_assign(self, node: ast.AnnAssign) -> ast.stmt:
        """Annotations of variables in functions are not evaluated."""
        if node.value is None:
            return ast.Pass(**at(node))
        made = ast.Assign([node.target], node.value, **at(node))
        return self._children(made)  # type: ignore[no-any-return]

    def _assert(self, node: ast.Assert) -> ast.stmt:
        place = at(node.test)
        message = node.msg or ast.Constant(None, **place)
        said = self.visit(message)
        node.test = ours("asserted", [self.visit(node.test), later(said, place)], place)
        return node

    def _assign(self, node: ast.Assign) -> ast.stmt:
        self._children(node)
        if isinstance(node.value, ast.Lambda) and isinstance(node.targets[0], ast.Name):
            self.closures[node.targets[0].id] = Facts(set(self._now.reads), set(), set())
        return node

    def _declared(self, node: ast.Global | ast.Nonlocal) -> ast.stmt:
        """Declarations are made again at the top of the function, and where it is split."""
        kept = self.globals if isinstance(node, ast.Global) else self.nonlocals
        kept.update(node.names)
        return ast.Pass(**at(node))

    def _import(self, node: ast.Import | ast.ImportFrom) -> ast.stmt:
        for alias in node.names:
            self._now.writes.add((alias.asname or alias.name).partition(".")[0])
        return node

    def _function(self, node: Node) -> ast.stmt:
        """A function within: converted with the one around it, unless it is decorated."""
        self.has_functions = True
        found = self._nested(node)
        self.closures[node.name] = found
        self._now.reads.update(found.reads)
        self._now.writes.add(node.name)
        return node  # type: ignore[no-any-return]

    def _class(self, node: ast.ClassDef) -> ast.stmt:
        self.has_functions = True
        self._now.reads.update(loaded(node))
        self._now.writes.add(node.name)
        return node

    # ---- expressions -------------------------------------------------------------------------

    def visit(self, node: Node) -> Node:
        """An expression, rewritten."""
        handler = _EXPRESSIONS.get(type(node))
        return handler(self, node) if handler else self._children(node)

    def _children(self, node: Node) -> Node:
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, ast.expr):
                setattr(node, field, self.visit(value))
            elif type(value) is list and field not in _WITH_BLOCKS:
                value[:] = [self.visit(v) if isinstance(v, ast.AST) else v for v in value]
            elif isinstance(value, (ast.arguments, ast.pattern)):
                self._children(value)
        return node

    def _leaf(self, node: Node) -> Node:
        return node

    def _name(self, node: ast.Name) -> ast.expr:
        (self._now.reads if type(node.ctx) is ast.Load else self._now.writes).add(node.id)
        return node

    def _part(self, node: ast.Attribute | ast.Subscript) -> ast.expr:
        if type(node.ctx) is ast.Store:
            self._now.parts.update(_place_of(node))
        return self._children(node)  # type: ignore[no-any-return]

    def _call(self, node: ast.Call) -> ast.expr:
        place = at(node.func)
        bare = isinstance(node.func, ast.Name) and node.func.id == "super"
        if bare and not node.args and self.parameters:
            node.args = [name("__class__", place), name(self.parameters[0], place)]
        self._children(node)
        if not bare:
            node.func = ours("call", [node.func], place)
        return node

    def _binds(self, node: ast.expr) -> bool:
        """Rewrite the parts of an expression; whether it binds a name where it stands."""
        before = self._bindings
        self._children(node)
        return self._bindings > before

    def _lazy(self, node: ast.BoolOp) -> ast.expr:
        if self._binds(node):
            return node
        operator = "all_of" if isinstance(node.op, ast.And) else "any_of"
        place = at(node)
        return ours(operator, [node.values[0], *[later(v, place) for v in node.values[1:]]], place)

    def _unary(self, node: ast.UnaryOp) -> ast.expr:
        self._children(node)
        return ours("negated", [node.operand], at(node)) if type(node.op) is ast.Not else node

    def _chosen(self, node: ast.IfExp) -> ast.expr:
        if self._binds(node):
            return node
        place = at(node)
        return ours(
            "chosen", [node.test, later(node.body, place), later(node.orelse, place)], place
        )

    def _compare(self, node: ast.Compare) -> ast.expr:
        if self._binds(node) or len(node.ops) < 2:
            return node
        place = at(node)
        signs = constant(tuple(type(op).__name__ for op in node.ops), place)
        rest = [later(c, place) for c in node.comparators]
        return ours("compared", [signs, node.left, *rest], place)

    def _walrus(self, node: ast.NamedExpr) -> ast.expr:
        node.value = self.visit(node.value)
        self._named.add(node.target.id)
        self._bindings += 1
        return node

    def _scope(self, node: Node) -> ast.expr:
        """A comprehension: what its targets bind is its own."""
        around = self._now
        self._now = Facts(set(), set(), around.parts)
        self._children(node)
        around.reads.update(self._now.reads - self._now.writes)
        self._now = around
        return node  # type: ignore[no-any-return]

    def _lambda(self, node: ast.Lambda) -> ast.expr:
        self.has_functions = True
        args = node.args
        args.defaults = [self.visit(d) for d in args.defaults]
        args.kw_defaults = [d and self.visit(d) for d in args.kw_defaults]
        around, named, own = self._now, self._named, self.parameters
        self._now, self._named = Facts(set(), set(), set()), set()
        self.parameters = parameters(args)
        node.body = self.visit(node.body)
        around.reads.update(self._now.reads - self._named - set(self.parameters))
        self._now, self._named, self.parameters = around, named, own
        return node


def loaded(node: ast.AST) -> set[str]:
    """The names that are read anywhere within."""
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and type(n.ctx) is ast.Load}


def _place_of(node: Node) -> Iterable[Place]:
    """The variable and the steps to a part of it, if they are written down: `self.a["b"]`."""
    steps: list[Any] = []
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Attribute):
            steps.append((".", node.attr))
        elif isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
            steps.append(_item_of(node.slice))
        else:
            return []
        node = node.value
    return [(node.id, *reversed(steps))]


def _item_of(node: Node) -> tuple[str, Any]:
    """The step to an item, by its subscript."""
    if isinstance(node, ast.Name):
        return "[]", node.id
    try:
        return "[", ast.literal_eval(node)
    except ValueError:  # not written down
        return "[*]", None


def _taken_options(node: Node) -> list[ast.keyword]:
    """Takes out of a block what sets options of its loop, also where that stands in a `with`."""
    taken = []
    for statement in node.body:
        if _sets_options(statement):
            taken += statement.value.keywords
        elif isinstance(statement, ast.With):
            taken += _taken_options(statement)
    node.body = [s for s in node.body if not _sets_options(s)] or [ast.Pass(**at(node))]
    return taken


def _sets_options(node: Node) -> bool:
    call = node.value if isinstance(node, ast.Expr) else None
    called = call.func if isinstance(call, ast.Call) else None
    return getattr(called, "attr", getattr(called, "id", "")) == "set_loop_options"


_BLOCKS: Final[dict[type, tuple[str, ...]]] = {
    ast.If: ("body", "orelse"),
    ast.While: ("body", "orelse"),
    ast.For: ("body", "orelse"),
    ast.With: ("body",),
    ast.Try: ("body", "orelse", "finalbody"),
    getattr(ast, "TryStar", ast.Try): ("body", "orelse", "finalbody"),
}
_WITH_BLOCKS: Final = ("body", "orelse", "finalbody", "handlers", "cases", "ops")
_STATEMENTS: Final[dict[type, Any]] = {
    ast.If: Expressions._branch,
    ast.While: Expressions._branch,
    ast.For: Expressions._for,
    ast.Try: Expressions._handled,
    getattr(ast, "TryStar", ast.Try): Expressions._handled,
    ast.With: Expressions._with,
    ast.Match: Expressions._match,
    ast.Assign: Expressions._assign,
    ast.AugAssign: Expressions._aug_assign,
    ast.AnnAssign: Expressions._ann_assign,
    ast.Assert: Expressions._assert,
    ast.Global: Expressions._declared,
    ast.Nonlocal: Expressions._declared,
    ast.Import: Expressions._import,
    ast.ImportFrom: Expressions._import,
    ast.FunctionDef: Expressions._function,
    ast.AsyncFunctionDef: Expressions._function,
    ast.ClassDef: Expressions._class,
}
_EXPRESSIONS: Final[dict[type, Any]] = {
    ast.Constant: Expressions._leaf,
    ast.Name: Expressions._name,
    ast.Attribute: Expressions._part,
    ast.Subscript: Expressions._part,
    ast.Call: Expressions._call,
    ast.BoolOp: Expressions._lazy,
    ast.UnaryOp: Expressions._unary,
    ast.IfExp: Expressions._chosen,
    ast.Compare: Expressions._compare,
    ast.NamedExpr: Expressions._walrus,
    ast.ListComp: Expressions._scope,
    ast.SetComp: Expressions._scope,
    ast.DictComp: Expressions._scope,
    ast.GeneratorExp: Expressions._scope,
    ast.Lambda: Expressions._lambda,
}
