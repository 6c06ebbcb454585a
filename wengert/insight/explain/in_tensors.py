"""A line that computes with NumPy's or Python's numbers, in operations of tensors."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

import numpy as np

from wengert.api.numpy.counterparts import FUNCTIONS, UFUNCS
from wengert.host.syntax import expression, parsed
from wengert.insight.explain.branches import scope_of
from wengert.insight.explain.rewriting import Edit, Mend, filled, instead_of, joined, read_names
from wengert.insight.program_text import Program, line_text, names_in, statement_at

# The names of elementwise functions in tf, of as many arguments.
_ELEMENTWISE: Final = {
    "exp": ("exp", 1), "sin": ("sin", 1), "cos": ("cos", 1), "tan": ("tan", 1), "tanh": ("tanh", 1),
    "sinh": ("sinh", 1), "cosh": ("cosh", 1), "sqrt": ("sqrt", 1), "square": ("square", 1), "abs": ("abs", 1),
    "sign": ("sign", 1), "floor": ("floor", 1), "round": ("round", 1), "log": ("math.log", 1),
    "log1p": ("math.log1p", 1), "maximum": ("maximum", 2), "minimum": ("minimum", 2), "power": ("pow", 2),
    "where": ("where", 3), "clip": ("clip_by_value", 3), "linalg.norm": ("norm", 1), "linalg.inv": ("linalg.inv", 1),
    "transpose": ("transpose", 1), "stack": ("stack", 1),
}  # fmt: skip
_REDUCTIONS: Final = ("sum", "mean", "max", "min", "prod", "std", "var")
_REDUCED: Final = {"std": "math.reduce_std", "var": "math.reduce_variance"}
_OF_MATH: Final = {
    "exp": "tf.exp(x)", "sqrt": "tf.sqrt(x)", "sin": "tf.sin(x)", "cos": "tf.cos(x)", "tan": "tf.tan(x)",
    "asin": "tf.asin(x)", "acos": "tf.acos(x)", "atan": "tf.atan(x)", "sinh": "tf.sinh(x)", "cosh": "tf.cosh(x)",
    "tanh": "tf.tanh(x)", "asinh": "tf.asinh(x)", "acosh": "tf.acosh(x)", "atanh": "tf.atanh(x)",
    "expm1": "tf.math.expm1(x)", "log1p": "tf.math.log1p(x)", "erf": "tf.math.erf(x)", "erfc": "tf.math.erfc(x)",
    "lgamma": "tf.math.lgamma(x)", "fabs": "tf.abs(x)", "log": "tf.math.log(x)", "atan2": "tf.atan2(x, y)",
    "log2": "tf.math.log(x) / math.log(2.0)", "log10": "tf.math.log(x) / math.log(10.0)", "pow": "tf.pow(x, y)",
    "hypot": "tf.sqrt(x * x + y * y)", "degrees": "x * (180.0 / math.pi)", "radians": "x * (math.pi / 180.0)",
    "gamma": "tf.exp(tf.math.lgamma(x))", "fsum": "tf.reduce_sum(x)", "prod": "tf.reduce_prod(x)",
}  # fmt: skip
_OF_TWO: Final = ("atan2", "pow", "hypot")
_NUMPY: Final = ("np", "numpy")
_TAKING: Final = (
    "float", "tf.constant", "tf.convert_to_tensor", "tf.Variable",
    *[f"{np}.{name}" for np in _NUMPY for name in ("asarray", "array", "float32", "float64")],
)  # fmt: skip
_BINARY: Final = (ast.BinOp, ast.UnaryOp, ast.Subscript, ast.IfExp)


class _Unclear(Exception):  # noqa: N818  # it is no error
    """There is no line that surely computes the same."""


def in_tf(text: str) -> str:
    """The line with operations of tensors in place of those of NumPy and Python; empty if unsure."""
    try:
        new, _ = _changed(text, set())
    except (SyntaxError, _Unclear):
        return ""
    return "" if new == joined(parsed(text)) else new


def all_in_tf(program: Program, place: str) -> list[Mend]:
    """The same alone, and with the lines behind it that compute with what it gives."""
    scope, first = scope_of(program, place), statement_at(place)
    if scope is None or first is None:  # in a line that has others in it, such as an `if`
        return []
    made: set[str] = set()
    lines: list[str] = []
    edits: list[Edit] = []
    mends: list[Mend] = []
    for at in _statements_of(scope, first.first, program.frame.f_lineno):
        where = program.place(at)
        text = line_text(where)
        if at != first.first and (not made & set(read_names(text)) or text.startswith("print(")):
            made = made - set(names_in(parsed(text), stored=True))
            continue
        try:
            new, made = _changed(text, made)
        except (SyntaxError, _Unclear):
            return mends
        if new != joined(parsed(text)):
            lines.append(new)
            edits.append(instead_of(where, (new,)))
        if at == first.first and lines:
            mends.append(Mend("", tuple(lines), tuple(edits)))
    return [*mends, Mend("", tuple(lines), tuple(edits))]


def _statements_of(scope: ast.AST, first: int, asked: int) -> list[int]:
    """The lines of simple statements from a line on, down to the question."""
    nodes = [n for n in _within(scope) if isinstance(n, ast.stmt) and not hasattr(n, "body")]
    behind = {n.lineno for n in nodes if first <= (n.end_lineno or n.lineno)}
    is_asked_here = any(at <= asked for at in behind) and first < asked
    return sorted(at for at in behind if at < asked or not is_asked_here)


def _within(scope: ast.AST) -> Iterator[ast.AST]:
    """What is in a function, or a module, without what is in functions within."""
    for node in ast.iter_child_nodes(scope):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            yield node
            yield from _within(node)


def _changed(text: str, made: set[str]) -> tuple[str, set[str]]:
    """A line in operations of tensors, and the names that tensors have behind it where arrays had them."""
    tree = parsed(text)
    changer = _InTf(made)
    for statement in tree.body:
        changer.generic_visit(statement)
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                made = _bound(changer, target, statement.value, made)
            changer.names = made
    return joined(tree), made


def _bound(changer: _InTf, target: ast.expr, value: ast.expr, made: set[str]) -> set[str]:
    """The names of tensors, when a value has been given to a target."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for one, its in zip(target.elts, value.elts, strict=False):
            made = _bound(changer, one, its, made)
        return made
    names = set(names_in(target, stored=True))
    return made | names if changer.is_tensor(value) else made - names


class _InTf(ast.NodeTransformer):
    """What was an array or a number becomes a tensor, and what is done with it is what a tensor can do."""

    def __init__(self, names: set[str]) -> None:
        self.names = names  # of what was an array or a number
        self._tensors: list[ast.AST] = []  # expressions that were

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        raise _Unclear  # text, not a number

    def visit(self, node: ast.AST) -> ast.AST:
        new: ast.AST = super().visit(node)
        parts = ast.iter_child_nodes(new)
        if isinstance(new, _BINARY) and any(map(self.is_tensor, parts)):
            self._tensors.append(new)
        if isinstance(new, ast.BinOp) and _is_text(new.left):  # it is filled in
            raise _Unclear
        return new

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if self.is_tensor(node.value):
            if node.attr in ("shape", "dtype"):
                return node
            if node.attr != "T":
                raise _Unclear
            return self._tensor(filled("tf.transpose(x)", x=node.value))
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Attribute):
            self.generic_visit(node.func)
        self._visit_all(node.args)
        for keyword in node.keywords:
            self.generic_visit(keyword)
        name = ast.unparse(node.func)
        head, _, function = name.partition(".")
        is_of_module = head in (*_NUMPY, "math", "tf") and name.replace(".", "").isidentifier()
        if isinstance(node.func, ast.Attribute) and not is_of_module:
            return self._method(node, node.func)
        if name in _TAKING or name.endswith(".Variable"):
            return self._taken(node)
        if not any(names_in(a) for a in node.args):
            return node
        if head in _NUMPY:
            return self._tensor(_of_numpy(node, head, function))
        if head == "math":
            return self._tensor(_of_math(node, function))
        return node

    def _visit_all(self, nodes: list[ast.expr]) -> None:
        self.generic_visit(ast.Tuple(nodes, ast.Load()))

    def _tensor(self, node: ast.expr) -> ast.expr:
        self._tensors.append(node)
        return node

    def is_tensor(self, node: ast.AST) -> bool:
        """Whether an expression was an array, or a number."""
        if isinstance(node, ast.Name) and node.id in self.names:
            return True
        return any(t is node for t in self._tensors)

    def _taken(self, node: ast.Call) -> ast.expr:
        """What makes an array, a number or a constant of its argument."""
        if not node.args or not names_in(node.args[0]):
            return node
        value = node.args[0]
        if isinstance(value, (ast.List, ast.Tuple, ast.ListComp)):
            value = filled("tf.stack(x)", x=value)
        dtype = [*node.args[1:], *[k.value for k in node.keywords if k.arg == "dtype"]]
        if len(node.args) + len(node.keywords) - 1 != len(dtype) or len(dtype) > 1:
            raise _Unclear
        return self._tensor(_cast(value, dtype[0]) if dtype else value)

    def _method(self, node: ast.Call, function: ast.Attribute) -> ast.expr:
        x, name = function.value, function.attr
        if name == "numpy":
            return self._tensor(x)
        if name == "item" and not node.args:
            return self._tensor(x)
        if not self.is_tensor(x) and name not in ("item", "tolist"):
            return node
        return self._tensor(_of_method(node, x, name))


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _of_method(node: ast.Call, x: ast.expr, name: str) -> ast.expr:
    """A method of an array, of a tensor."""
    if name in _REDUCTIONS:
        return _reduced(name, [x, *node.args], node.keywords)
    if name in ("copy", "flatten", "ravel", "squeeze", "transpose") and not node.args:
        if name == "copy":
            return x
        flat = "tf.reshape(x, [-1])"
        return filled(
            {"squeeze": "tf.squeeze(x)", "transpose": "tf.transpose(x)"}.get(name, flat), x=x
        )
    if name == "item":
        return filled("tf.reshape(x, [-1])[i]", x=x, i=node.args[0])
    if name == "astype" and len(node.args) == 1:
        return _cast(x, node.args[0])
    if name == "reshape" and node.args and not node.keywords:
        shape = node.args[0] if _is_shape(node.args) else ast.List(node.args, ast.Load())
        return filled("tf.reshape(x, s)", x=x, s=shape)
    if name == "clip" and len(node.args) == 2:
        return filled("tf.clip_by_value(x, a, b)", x=x, a=node.args[0], b=node.args[1])
    if name == "dot" and len(node.args) == 1:
        return filled("np.dot(x, y)", x=x, y=node.args[0])
    raise _Unclear


def _is_shape(args: list[ast.expr]) -> bool:
    return len(args) == 1 and isinstance(args[0], (ast.List, ast.Tuple))


def _cast(x: ast.expr, dtype: ast.expr) -> ast.expr:
    if not any(kind in ast.unparse(dtype) for kind in ("float16", "float32", "float64")):
        raise _Unclear
    return filled("tf.cast(x, d)", x=x, d=dtype)


def _reduced(name: str, args: list[ast.expr], keywords: list[ast.keyword]) -> ast.expr:
    if len(args) > 2 or any(k.arg not in ("axis", "keepdims") for k in keywords):
        raise _Unclear
    function = expression(f"tf.{_REDUCED.get(name, f'reduce_{name}')}")
    return ast.Call(function, args, keywords)


def _of_numpy(node: ast.Call, module: str, name: str) -> ast.expr:
    """A function of NumPy's: by its name in tf where that means the same, or as it is, where tensors follow it."""
    name_in_tf, count = _ELEMENTWISE.get(name, ("", 0))
    if len(node.args) == count and not node.keywords:
        return ast.Call(expression(f"tf.{name_in_tf}"), node.args, [])
    is_plain = len(node.args) <= 2 and all(k.arg in ("axis", "keepdims") for k in node.keywords)
    if name in _REDUCTIONS and is_plain:
        return _reduced(name, node.args, node.keywords)
    found: object = np
    for part in name.split("."):
        found = getattr(found, part, None)
    if not isinstance(found, np.ufunc) and found not in FUNCTIONS:
        raise _Unclear
    if isinstance(found, np.ufunc) and found not in UFUNCS:
        raise _Unclear
    return node


def _of_math(node: ast.Call, name: str) -> ast.expr:
    """A function of Python's module math, in operations of tf."""
    template = _OF_MATH.get(name)
    if template is None or node.keywords:
        raise _Unclear
    if name == "log" and len(node.args) == 2:
        return filled("tf.math.log(x) / math.log(b)", x=node.args[0], b=node.args[1])
    if len(node.args) != 1 + (name in _OF_TWO):
        raise _Unclear
    return filled(template, **dict(zip("xy", node.args, strict=False)))
