"""Whether a proposed line does what it is proposed for: the block of the tape is run with it, on the values at hand."""

from __future__ import annotations

import ast
import builtins
import copy
import linecache
import types
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

import numpy as np

from wengert.api.gradients.parts import pull_back_to
from wengert.core.context import activate, apply_overrides, current_graph, thread
from wengert.core.tape import Tape
from wengert.host.syntax import expression, parsed
from wengert.insight.explain.question import Question
from wengert.insight.explain.rewriting import Mend, edited, names_of_program, replacing
from wengert.insight.journal import Journal
from wengert.insight.program_text import names_in
from wengert.ops.math.elementwise import ones_like
from wengert.state.variable import Variable
from wengert.values.exits import exit_watchers
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.tensor import Tensor

_MOST: Final = 2000  # operations that are carried out anew for a trial
_LARGEST: Final = 10_000_000  # numbers that they may compute

_FILE: Final = "<trial>"  # where what is run again stands

# How well a mended block does.
BAD: Final = 0  # it fails, its value is another, or its gradient is no better
UNKNOWN: Final = 1  # it cannot be run again
BETTER: Final = 2  # its gradient has less trouble
GOOD: Final = 3  # its gradient is there, and finite

# How near the value of a mended line is.
EXACT: Final = 1e-3
CLAMPED: Final = 0.1  # an argument at an edge is moved a little
ANOTHER: Final = np.inf  # it stands in for a value that has no derivative


def proposed(
    q: Question,
    place: str,
    words: str,
    candidates: Sequence[str | tuple[str, ...]],
    digits: float = EXACT,
    otherwise: str = "",
    sure: bool | None = None,
) -> Mend:
    """The first of the lines that does best; in words alone where none is known to do well.

    `digits` says how near a mended line comes to the value, wherever that is finite. `sure` says that a line is right
    even if it cannot be tried: if nothing is said, a line is where it is the only candidate.
    """
    lines = [(c,) if isinstance(c, str) else c for c in dict.fromkeys(candidates)]
    mends = [replacing(place, words, *each) for each in lines]
    sure = len(mends) == 1 if sure is None else sure
    return best_of(q, place, mends, digits, sure) or Mend(otherwise or words)


def best_of(
    q: Question, place: str, mends: Sequence[Mend], digits: float, sure: bool
) -> Mend | None:
    """The first of the mends of a line that does best; None where none is known to do well."""
    trial = Trial(q, place)
    best: int = UNKNOWN - sure
    found = None
    for mend in mends:
        how = trial.of(mend, digits) if mend.lines else BAD
        if how > best:
            best, found = how, mend
    return found


class _Ran(NamedTuple):
    target: Any
    gradient: Any  # None if there is none


class Trial:
    """The block of a tape, to be run again with other lines in it."""

    def __init__(self, q: Question, place: str) -> None:
        self._q = q
        self._file = place.rpartition(":")[0]  # that of the lines
        self._text = "".join(linecache.getlines(self._file))
        self._before: _Ran | None = None
        self._is_ready: bool | None = None

    def of(self, mend: Mend, digits: float) -> int:
        """How well the program does with a mend."""
        try:
            tree = parsed(edited(self._text, mend.edits))
        except SyntaxError:
            return BAD
        if not self._knows_names(mend.lines):
            return BAD
        if not self._can_run():
            return UNKNOWN
        assert self._before is not None
        statements = _statements(self._q, tree)
        if statements is None:
            return UNKNOWN
        try:
            after = self._run(statements)
        except Exception:  # noqa: BLE001  # whatever it is, the line is not proposed
            return BAD
        return _compared(self._before, after, digits)

    def _knows_names(self, lines: Sequence[str]) -> bool:
        """Whether the program has the names that lines read, or they make them."""
        known = {*names_of_program(self._text), *dir(builtins)}
        made = {n for line in lines for n in names_in(parsed(line), stored=True)}
        return all(n in known | made for line in lines for n in names_in(parsed(line)))

    def _can_run(self) -> bool:
        """Whether the block as it is written gives what it gave."""
        if self._is_ready is None:
            is_here = self._file == self._q.program.file and not self._q.program.is_stale
            self._is_ready = is_here and _is_small(self._q) and self._reproduces()
        return self._is_ready

    def _reproduces(self) -> bool:
        statements = _statements(self._q, self._q.program.whole)
        if statements is None:
            return False
        try:
            self._before = self._run(statements)
        except Exception:  # noqa: BLE001  # it is an attempt
            return False
        given, found = _numbers(self._q.target), _numbers(self._before.target)
        if given is None or found is None or given.shape != found.shape:
            return False
        return bool(np.allclose(given, found, rtol=1e-5, equal_nan=True))

    def _run(self, statements: list[ast.stmt]) -> _Ran:
        q, frame = self._q, self._q.program.frame
        names = {**frame.f_globals, **frame.f_locals}
        module = ast.fix_missing_locations(ast.Module(statements, []))
        tape = Tape()
        tape.watch(q.source)
        with _unheard():
            with activate((tape,), None):
                exec(compile(module, _FILE, "exec"), names)
                target = eval(q.y, names)
            return _Ran(target, _gradient(q, tape, target))


@contextmanager
def _unheard() -> Iterator[None]:
    """No warnings are shown, and no journal keeps what left for Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        journals = [getattr(watcher, "__self__", None) for watcher in list(exit_watchers)]
        for journal in journals:
            if isinstance(journal, Journal):
                journal.exits[:] = [e for e in journal.exits if not e.line.startswith(_FILE)]


def _gradient(q: Question, tape: Tape, target: Any) -> Any:
    if not isinstance(target, (Tensor, Variable)) or not target.dtype.is_differentiable:
        return None
    with activate((), None), apply_overrides(q.rules, must=False):
        seed = ones_like(target) if q.seed is None else q.seed
        found = pull_back_to(tape, [target], [seed], [q.source], drain=False)[0]
    return _numbers(found)


def _numbers(value: Any) -> Any:
    """The numbers of a value, at high precision; None if it is none."""
    if value is None:
        return None
    if isinstance(value, IndexedSlices):
        value = value.values
    try:
        array = np.asarray(getattr(value, "_array", value))
        kind = np.complex128 if array.dtype.kind == "c" else np.float64
        return array.astype(kind)
    except (TypeError, ValueError):
        return None


def _agree(a: Any, b: Any, digits: float) -> bool:
    """Whether numbers are the same where the first are finite."""
    if a.shape != b.shape:
        return False
    known = np.isfinite(a)
    return bool(np.allclose(a[known], b[known], rtol=digits, atol=digits / 50))


def _compared(before: _Ran, after: _Ran, digits: float) -> int:
    """How much better the block does than it did."""
    now = _numbers(after.target)
    if now is None or after.gradient is None or not _keeps(before, after, digits):
        return BAD
    bad = _trouble(after.gradient)
    if not bad:
        return BETTER if _trouble(now) else GOOD
    return BETTER if before.gradient is not None and bad < _trouble(before.gradient) else BAD


def _keeps(before: _Ran, after: _Ran, digits: float) -> bool:
    """Whether the value is the same, and the gradient where it was finite."""
    if digits == ANOTHER:
        return True
    is_half = getattr(getattr(after.target, "dtype", None), "size", 4) == 2
    digits = max(digits, CLAMPED) if is_half else digits
    was = _numbers(before.target)
    if not _agree(was, _numbers(after.target), digits):
        return False
    if before.gradient is None or not np.isfinite(was).all():
        return True
    return _agree(before.gradient, after.gradient, max(digits, 1e-2))


def _trouble(array: Any) -> int:
    """How many numbers are not finite."""
    return int((~np.isfinite(array)).sum())


def _is_small(q: Question) -> bool:
    """Whether the block can be run again in a moment, here and now."""
    if q.journal is None or current_graph() is not None or thread.context.interpreter is not None:
        return False
    steps = q.history.steps
    sizes = [getattr(y, "_array", None) for s in steps[:_MOST] for y in s.results]
    return len(steps) <= _MOST and sum(int(np.size(a)) for a in sizes if a is not None) <= _LARGEST


# ---- what is run again --------------------------------------------------------------------------


def _statements(q: Question, tree: ast.AST) -> list[ast.stmt] | None:
    """The block of the tape, with the functions of the program that it calls; None if that may change anything."""
    block = q.block()
    if block is None or not isinstance(tree, ast.Module):
        return None
    found = _same_block(q.program.whole, tree, block)
    if found is None:
        return None
    functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    names = {**q.program.frame.f_globals, **q.program.frame.f_locals}
    reader = _Reader(names, functions)
    body = [part for s in found.body for part in _computing(s, found.body, reader)]
    try:
        asked = ast.Expr(expression(q.y))
    except SyntaxError:  # it has no name
        return None
    if q.x.partition("[")[0] in names_in(found, stored=True):  # the source is made within
        return None
    if not all(reader.is_harmless(s) for s in (*body, asked)):
        return None
    return [*reader.needed.values(), *body]


def _same_block(old: ast.AST, new: ast.AST, block: ast.With) -> ast.With | None:
    """The block in the changed program."""
    before = [n for n in ast.walk(old) if isinstance(n, ast.With)]
    after = [n for n in ast.walk(new) if isinstance(n, ast.With)]
    at = next((n for n, b in enumerate(before) if b.lineno == block.lineno), -1)
    return after[at] if at >= 0 and len(before) == len(after) else None


def _computing(statement: ast.stmt, body: Sequence[ast.stmt], reader: _Reader) -> list[ast.stmt]:
    """What a statement computes for the block: of one that prints, watches or counts, what it is given."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        return _given(statement, statement.value, body, reader)
    if isinstance(statement, ast.Assign):
        kept = [_owner(target) for target in statement.targets]
        others = [ast.unparse(s) for s in body if s is not statement]
        if all(owner and not any(owner in other for other in others) for owner in kept):
            return [ast.Expr(statement.value)]  # it is kept for others than the block
    return [statement]


def _given(
    statement: ast.Expr, call: ast.Call, body: Sequence[ast.stmt], reader: _Reader
) -> list[ast.stmt]:
    """The arguments of a call whose result nobody takes, unless it changes what the block has made."""
    made = {name for s in body for name in names_in(s, stored=True)}
    if reader.is_harmless(statement) or made & set(names_in(call.func)):
        return [statement]
    arguments = [*call.args, *[k.value for k in call.keywords]]
    given = ast.Expr(ast.Tuple(arguments, ast.Load()))
    if reader.is_harmless(given):
        return [given]
    return [statement] if made & set(names_in(given)) else []


def _owner(target: ast.expr) -> str:
    """What an assignment to an attribute or an element changes, as written; empty for a name."""
    if isinstance(target, ast.Subscript):
        return ast.unparse(target.value)
    return ast.unparse(target) if isinstance(target, ast.Attribute) else ""


_MODULES: Final = ("wengert", "tensorflow", "numpy", "math", "scipy")
_CHANGING: Final = (
    "random", "Variable", "variable", "GradientTape", "function", "print", "summary", "io", "config", "assign",
    "dropout", "shuffle", "Session", "custom_gradient", "Register", "save", "load", "write", "seed", "_",
    "train", "optimizers", "keras", "data", "queue", "placeholder", "layers", "Graph", "tofile", "py_func",
    "numpy_function", "wrap", "scatter_", "recompute_grad", "enable", "disable", "set_", "register", "reset", "put",
    "copyto", "place", "fill_diagonal",
)  # fmt: skip
_BUILTINS: Final = frozenset({
    "float", "int", "abs", "max", "min", "sum", "len", "round", "pow", "range", "zip", "enumerate", "list", "tuple",
    "bool", "map", "reversed", "sorted", "complex", "isinstance", "str",
})  # fmt: skip
_METHODS: Final = frozenset({
    "numpy", "item", "sum", "mean", "max", "min", "std", "var", "prod", "dot", "clip", "reshape", "astype", "tolist",
    "copy", "flatten", "ravel", "squeeze", "transpose", "read_value", "value", "round", "cumsum", "format", "argmax",
    "argmin", "get_shape", "set_shape", "as_list", "with_values", "to_tensor", "any", "all",
})  # fmt: skip
_STATEMENTS: Final = (
    ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.If, ast.For, ast.With, ast.Pass, ast.Return, ast.Assert,
)  # fmt: skip
_MUTABLE: Final = (list, dict, set, np.ndarray)
_FUNCTIONS: Final = (types.FunctionType, types.BuiltinFunctionType, type, np.ufunc)
_REFUSED: Final = (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr, ast.Delete)


class _Reader:
    """Tells what may be run again: whatever computes values, and changes nothing but names of its own."""

    def __init__(self, names: dict[str, Any], functions: dict[str, ast.FunctionDef]) -> None:
        self._names = names
        self._functions = functions
        self.needed: dict[str, ast.FunctionDef] = {}
        self._refused: set[str] = set()

    def is_harmless(self, statement: ast.AST) -> bool:
        """Whether a statement may be run again."""
        return all(self._is_allowed(node) for node in ast.walk(statement))

    def _is_allowed(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Call):
            return self._may_be_called(node.func) and self._may_be_given(node)
        if isinstance(node, (ast.Attribute, ast.Subscript)):
            return isinstance(node.ctx, ast.Load)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            return self._is_value(self._names.get(node.id)) or self._is_own(node.id)
        if isinstance(node, ast.AugAssign):  # a list or an array would be changed in its place
            is_name = isinstance(node.target, ast.Name)
            return is_name and not isinstance(self._names.get(ast.unparse(node.target)), _MUTABLE)
        if isinstance(node, ast.stmt):
            return isinstance(node, _STATEMENTS)
        return not isinstance(node, _REFUSED)

    def _is_value(self, value: Any) -> bool:
        """Whether a value cannot be called, or is a function that changes nothing."""
        if not callable(value):
            return True
        home = (getattr(value, "__module__", None) or "").partition(".")[0]
        is_function = isinstance(value, _FUNCTIONS) and home in (*_MODULES, "builtins")
        return is_function and not value.__name__.startswith(_CHANGING)

    def _may_be_given(self, call: ast.Call) -> bool:
        """Whether a call is given nothing to write to, and no method to call."""
        if any(k.arg == "out" for k in call.keywords):
            return False
        methods = [a for a in call.args if isinstance(a, ast.Attribute)]
        return all(self._is_value(self._found(a)) for a in methods)

    def _found(self, node: ast.expr) -> Any:
        """What a name with its attributes stands for; None if that is not known yet."""
        root, *path = ast.unparse(node).split(".")
        value = self._names.get(root)
        for part in path:
            value = getattr(value, part, None)
        return value

    def _may_be_called(self, function: ast.expr) -> bool:
        if isinstance(function, ast.Name):
            value = self._names.get(function.id)
            is_ours = value is not None and self._is_value(value)
            return function.id in _BUILTINS or is_ours or self._is_own(function.id)
        if not isinstance(function, ast.Attribute):
            return False
        root, *path = ast.unparse(function).split(".")
        module = self._names.get(root)
        if isinstance(module, types.ModuleType):
            is_known = module.__name__.partition(".")[0] in _MODULES
            return is_known and path[-1] != "at" and not any(p.startswith(_CHANGING) for p in path)
        return function.attr in _METHODS

    def _is_own(self, name: str) -> bool:
        """Whether a name is that of a function of the program that may be run again."""
        if name in self.needed:
            return True
        function = self._functions.get(name)
        if function is None or name in self._refused or not _is_plain(function):
            return False
        self.needed[name] = copy.copy(function)
        self.needed[name].decorator_list = []
        if all(self.is_harmless(s) for s in function.body):
            return True
        del self.needed[name]
        self._refused.add(name)
        return False


def _is_plain(function: ast.FunctionDef) -> bool:
    """Whether a function does what its body says."""
    return all(ast.unparse(d) in ("tf.function",) for d in function.decorator_list)
