"""Conversion: a Python function with our operators in place of its branches, loops and calls.

The new code is compiled under the name of the user's file, with its lines, and runs in a function
that shares globals, defaults and closure cells with the old one. It is kept as long as the old code.
"""

from __future__ import annotations
import __future__

import ast
import dis
import functools
import os
import re
import sys
import weakref
from collections.abc import Callable, Iterator
from types import CellType, CodeType, FunctionType
from typing import Any, Final, NamedTuple

from wengert.api.autograph.expressions import OURS, Expressions, Facts, at, loaded, name
from wengert.api.autograph.jumps import Jumps
from wengert.api.autograph.liveness import Liveness
from wengert.api.autograph.source_text import FunctionNode, Node, NoSourceError, tree_of
from wengert.api.autograph.statements import Statements
from wengert.host.locks import new_lock

_FUTURE: Final = functools.reduce(
    int.__or__, [getattr(__future__, n).compiler_flag for n in __future__.all_feature_names]
)
_SUSPENDED: Final = 0x20 | 0x80 | 0x200  # generators, coroutines, asynchronous generators
# They look at the variables of the frame that calls them.
_OF_FRAMES: Final = frozenset({"locals", "vars", "dir", "eval", "exec"})


class Converted(NamedTuple):
    """The code that takes the place of another; None and the reason if there is none."""

    code: CodeType | None
    reason: str = ""


class _Verbosity:
    """Whether reasons are printed when a function is not converted."""

    def __init__(self) -> None:
        self.set(int(os.environ.get("AUTOGRAPH_VERBOSITY") or 0), False)

    def set(self, level: int, to_stdout: bool) -> None:
        """From level 1 on they are printed, to standard error by default."""
        self._level, self._to_stdout = level, to_stdout

    def tell(self, function: FunctionType, reason: str) -> None:
        """Print why a function is not converted, if that is wanted."""
        if self._level > 0:
            stream = sys.stdout if self._to_stdout else sys.stderr
            print(f"AutoGraph: {function!r} is not converted: {reason}", file=stream)


verbosity: Final = _Verbosity()


class _Kept:
    """Conversions by code: codes that are equal may be of different files, so by identity."""

    def __init__(self) -> None:
        self._made: dict[int, tuple[weakref.ref[CodeType], Converted]] = {}
        self._lock = new_lock()

    def reason(self, code: CodeType) -> str:
        """Why a code was not converted; empty if it was, or was not asked for."""
        found = self._made.get(id(code))
        return found[1].reason if found is not None and found[0]() is code else ""

    def of(self, function: FunctionType) -> Converted:
        """The conversion of a function's code, made if it is not there."""
        code = function.__code__
        found = self._made.get(id(code))
        if found is not None and found[0]() is code:
            return found[1]
        with self._lock:
            made = _converted(function)
            if made.code is None:
                verbosity.tell(function, made.reason)
            key = id(code)
            self._made[key] = weakref.ref(code, lambda _: self._made.pop(key, None)), made
            return made


kept: Final = _Kept()


def converted(function: FunctionType, operators: CellType) -> FunctionType:
    """The function, converted to call these operators; itself if it cannot be."""
    if OURS in function.__code__.co_freevars:
        return function
    code = kept.of(function).code
    if code is None:
        return function
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cells[OURS] = operators
    closure = tuple([cells[n] for n in code.co_freevars])
    made = FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, closure
    )
    made.__kwdefaults__ = function.__kwdefaults__
    made.__qualname__, made.__module__ = function.__qualname__, function.__module__
    made.__doc__ = function.__doc__
    made.__dict__.update(function.__dict__)
    return made


def _converted(function: FunctionType) -> Converted:
    code = function.__code__
    if code.co_flags & _SUSPENDED:
        return Converted(None, "it is a generator or a coroutine")
    try:
        tree = rewritten(function)
        return Converted(_compiled(tree, function))
    except NoSourceError as error:
        return Converted(None, str(error))
    except (SyntaxError, RecursionError) as error:
        return Converted(None, f"{type(error).__name__}: {error}")


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for inner in _codes(code):
        yield from _names(inner)


def _codes(code: CodeType) -> list[CodeType]:
    return [c for c in code.co_consts if isinstance(c, CodeType)]


# ---- the tree ----------------------------------------------------------------------------------


def rewritten(function: FunctionType) -> FunctionNode:
    """The syntax tree of a function, converted."""
    _check_frames(function)
    node = tree_of(function)
    mangle = functools.partial(_mangled, _class_of(function))
    if isinstance(node, ast.Lambda):
        Expressions(node, functools.partial(_nested, mangle)).alone(node)
    else:
        _rewrite(node, mangle)
        node.decorator_list = []
    return node


def _rewrite(node: Node, mangle: Callable[[str], str]) -> Facts:
    """Convert a function in place; returns what it reads and writes of those around it."""
    expressions = Expressions(node, functools.partial(_nested, mangle))
    expressions.block(node.body)
    jumps = Jumps(expressions)
    body = jumps.function(node.body)
    liveness = Liveness(expressions, jumps.stops)
    theirs = expressions.globals | expressions.nonlocals
    liveness.before(body, set(theirs))
    statements = Statements(expressions, jumps.stops, liveness, mangle, body)
    made = statements.block(body)
    place = at(node.body[0])
    own = sorted(statements.shared - theirs - set(expressions.parameters))
    node.body = [*_declarations(expressions, own, place), *made]
    facts = [*expressions.facts.values(), *expressions.targets.values()]
    written = set().union(*[f.writes for f in facts]) | set(expressions.parameters)
    reads = set().union(*[f.reads for f in facts]) - (written - theirs)
    return Facts(reads, set(expressions.nonlocals), set())


def _check_frames(function: FunctionType) -> None:
    """Python's functions of frames; not variables, parameters or functions that are called alike."""
    code = function.__code__
    asked = _OF_FRAMES.intersection(_names(code)) - function.__globals__.keys()
    if asked and not asked.isdisjoint(_of_module(code)):
        raise NoSourceError("it looks at its own variables (locals, vars, dir, eval or exec)")


def _of_module(code: CodeType) -> Iterator[str]:
    """The names that a code, and those within, look for in the module and in Python."""
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield instruction.argval
    for inner in _codes(code):
        yield from _of_module(inner)


def _declarations(expressions: Expressions, own: list[str], place: dict[str, Any]) -> list[Any]:
    """What is global or of a function around; and, never run, what is the function's own."""
    made: list[Any] = []
    if expressions.globals:
        made.append(ast.Global(sorted(expressions.globals), **place))
    if expressions.nonlocals:
        made.append(ast.Nonlocal(sorted(expressions.nonlocals), **place))
    if own:
        targets: list[ast.expr] = [name(n, place, ast.Store()) for n in own]
        never = ast.Assign(targets, ast.Constant(None, **place), **place)
        made.append(ast.If(ast.Constant(0, **place), [never], [], **place))
    return made


def _nested(mangle: Callable[[str], str], node: Node) -> Facts:
    """A function within. What decorators make of it, they decide when it is called."""
    plain = isinstance(node, ast.FunctionDef) and not node.decorator_list
    outside = loaded(node.args).union(*map(loaded, node.decorator_list))
    if plain and not any(map(_suspends, node.body)):
        found = _rewrite(node, mangle)
        return Facts(found.reads | outside, found.writes, set())
    declared = [n.names for n in ast.walk(node) if isinstance(n, ast.Nonlocal)]
    return Facts(loaded(node), set().union(*declared), set())


def _suspends(node: ast.AST) -> bool:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
        return False
    if isinstance(node, (ast.Yield, ast.YieldFrom)):
        return True
    return any(map(_suspends, ast.iter_child_nodes(node)))


# ---- the code ----------------------------------------------------------------------------------


def _class_of(function: FunctionType) -> str:
    """The class in which a function is written, for `__names`; empty if there is none."""
    parts = function.__qualname__.split(".")[:-1]
    while parts and parts[-1] == "<locals>":
        parts = parts[:-2]
    return parts[-1].lstrip("_") if parts else ""


def _mangled(owner: str, variable: str) -> str:
    private = variable.startswith("__") and not variable.endswith("__")
    return f"_{owner}{variable}" if private and owner else variable


def _compiled(node: FunctionNode, function: FunctionType) -> CodeType:
    """The code of a converted function, compiled where its free variables are those it had."""
    place = at(node)
    _without_values(node.args)
    if isinstance(node, ast.FunctionDef):
        node.returns, node.name = None, f"{OURS}function"  # its own name means what it meant
    inner: Any = ast.Expr(node, **place) if isinstance(node, ast.Lambda) else node
    free = function.__code__.co_freevars
    owner = _class_of(function) if _needs_class(function) else ""
    statements = [inner]
    if owner:
        made = ast.ClassDef(owner, [], [], [inner], [], **place)
        made.type_params = []  # type: ignore[attr-defined]
        outside = [] if owner in free else [ast.Global([owner], **place)]
        statements = [*outside, made]
    args = [ast.arg(n, None, **place) for n in (OURS, *free) if n != "__class__"]
    taken = ast.arguments([], args, None, [], [], None, [])
    factory = ast.FunctionDef(f"{OURS}factory", taken, statements, [], None, None, **place)
    factory.type_params = []  # type: ignore[attr-defined]
    flags = function.__code__.co_flags & _FUTURE
    module = ast.Module([factory], [])
    code = compile(module, function.__code__.co_filename, "exec", flags, dont_inherit=True)
    for _ in range(3 if owner else 2):
        code = _codes(code)[0]
    return _called_as(code, function.__name__, function.__qualname__)


def _needs_class(function: FunctionType) -> bool:
    """Whether it says `super()`, or names that only its class may say."""
    code = function.__code__
    private = f"_{_class_of(function)}__"
    inner = [c.co_varnames for c in _codes(code)]
    names = {*code.co_freevars, *code.co_cellvars, *code.co_varnames, *_names(code)}.union(*inner)
    return "__class__" in names or any(n.startswith(private) for n in names)


def _without_values(args: ast.arguments) -> None:
    """The function that is made takes defaults from the old one; annotations are not evaluated."""
    args.defaults, args.kw_defaults = [], [None] * len(args.kwonlyargs)
    for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg):
        if arg is not None:
            arg.annotation = None


# A name within the factory: what is in front of the function, then the functions of blocks.
_FACTORY: Final = re.compile(rf"{OURS}factory\.<locals>\.(\w+\.)?{OURS}function")
_BLOCKS: Final = re.compile(rf"\.<locals>\.{OURS}\w+")


def _called_as(code: CodeType, called: str, qualified: str) -> CodeType:
    """The code, and those within, under the names that they have in the program.

    The code of a block has the name of the function that the block is in.
    """
    inner = [_plainly_called(c, called, qualified) for c in code.co_consts]
    names: dict[str, Any] = {"co_name": called}
    if hasattr(code, "co_qualname"):
        names["co_qualname"] = _plain(code.co_qualname, qualified)
    return code.replace(co_consts=tuple(inner), **names)


def _plainly_called(constant: Any, called: str, qualified: str) -> Any:
    if isinstance(constant, str) and constant.startswith(f"{OURS}factory"):
        return _plain(constant, qualified)
    if not isinstance(constant, CodeType):
        return constant
    ours = constant.co_name.startswith(OURS) or f"{OURS}later" in constant.co_varnames[:1]
    return _called_as(constant, called if ours else constant.co_name, qualified)


def _plain(name: str, qualified: str) -> str:
    return _BLOCKS.sub("", _FACTORY.sub(lambda _: qualified, name))
