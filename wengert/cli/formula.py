"""Formulas of operations and of their derivatives, and their domains.

They are derived from the row: its kernel is called with symbols in place of arrays, and its
gradient is built as a graph, which is then formatted. Nothing is written twice.
"""

from __future__ import annotations

import inspect
import math
from typing import Any, Final

import numpy as np

import wengert as tf
from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.graph.graph import Graph
from wengert.values.symbolic import SymbolicTensor

LETTERS: Final = "xyzw"
_INFIX: Final = {
    "AddV2": "+", "Sub": "-", "Mul": "*", "RealDiv": "/", "Greater": ">", "GreaterEqual": ">=",
    "Less": "<", "LessEqual": "<=", "Equal": "==", "NotEqual": "!=", "LogicalAnd": "and",
    "LogicalOr": "or",
}  # fmt: skip
_CALLED: Final = {"SelectV2": "where", "LogicalNot": "not"}
_WRITTEN: Final = {
    "Neg": "-{0}",
    "OnesLike": "1",
    "ReluGrad": "where({1} > 0, {0}, 0)",
    "RsqrtGrad": "(-{1} * {0} * {0} * {0} / 2)",
    "SigmoidGrad": "({1} * {0} * (1 - {0}))",
    "SqrtGrad": "({1} / (2 * {0}))",
    "ZerosLike": "0",
}
_PASSED_ON: Final = frozenset(("Identity", "Cast", "BroadcastTo", "StopGradient"))
# Longer formulas are less readable than the line that declares the operation.
_LONGEST: Final = 140


def inputs_of(row: Row) -> int:
    """The number of inputs of an elementwise operation."""
    if row.ufunc is not None:
        return int(row.ufunc.nin)
    taken = list(inspect.signature(row.kernel).parameters.values())[1:]
    return sum(p.kind is p.POSITIONAL_OR_KEYWORD for p in taken) or (
        len(row.vjp) if isinstance(row.vjp, tuple) else 1
    )


def formula(row: Row) -> str:
    """The formula of an elementwise operation; '' if its kernel cannot be traced."""
    if row.ufunc is not None:
        return f"{row.ufunc.__name__}({', '.join(LETTERS[: inputs_of(row)])})"
    try:
        written = str(row.kernel(_Names(), *map(_Written, LETTERS[: inputs_of(row)])))
    except Exception:  # noqa: BLE001  # a kernel that inspects its arrays
        return ""
    bare = written[1:-1] if written.startswith("(") and _matches(written) else written
    return bare if len(bare) <= _LONGEST else ""


def _matches(text: str) -> bool:
    """Whether the first parenthesis is closed by the last."""
    depth = 0
    for i, letter in enumerate(text):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if depth == 0:
            return i == len(text) - 1
    return False


def derivatives(row: Row) -> list[str]:
    """The cotangents of an elementwise operation's inputs, from g, that of the result."""
    if not row.differentiable:
        return []
    try:
        with Graph().as_default():
            xs = [tf.compat.v1.placeholder(tf.float64, [2]) for _ in range(inputs_of(row))]
            y = apply(row, tuple(xs), {})
            g = tf.compat.v1.placeholder(tf.float64, [2])
            found = tf.gradients(y, xs, g)
    except Exception:  # noqa: BLE001  # its inputs are of other kinds
        return []
    names = {id(g): "g", id(y): "f"} | {id(x): n for x, n in zip(xs, LETTERS, strict=False)}
    return ["none" if d is None else _read(d, names) for d in found]


def _read(x: SymbolicTensor, names: dict[int, str], inner: bool = False) -> str:
    """The formula of a tensor of a graph."""
    if id(x) in names:
        return names[id(x)]
    op = x.op
    if op.type == "Const":
        return _number(tf.get_static_value(x))
    parts = [_read(v, names, True) for v in op.inputs]
    if op.type in _PASSED_ON:
        return parts[0]
    if op.type in _WRITTEN:
        text = _WRITTEN[op.type].format(*parts)
        return text if inner or not text.startswith("(") else text[1:-1]
    if op.type in _INFIX:
        text = f" {_INFIX[op.type]} ".join(parts)
        return f"({text})" if inner else text
    return f"{_CALLED.get(op.type, op.type.lower())}({', '.join(parts)})"


def _number(value: Any) -> str:
    array = np.asarray(value)
    return f"{array.flat[0]:g}" if array.size and np.all(array == array.flat[0]) else "..."


# ---- kernels -----------------------------------------------------------------------------------


class _Written:
    """A symbolic array, which has only a formula."""

    dtype = np.dtype(np.float64)
    shape: tuple[int, ...] = ()
    ndim = 0

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text

    def astype(self, *_: Any, **__: Any) -> _Written:
        return self

    def __neg__(self) -> _Written:
        return _Written(f"-{self.text}")

    def __invert__(self) -> _Written:
        return _Written(f"not {self.text}")


def _operator(sign: str, turned: bool = False) -> Any:
    def combined(self: _Written, other: Any) -> _Written:
        a, b = (other, self) if turned else (self, other)
        return _Written(f"({a} {sign} {b})")

    return combined


for _method, _sign in {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "pow": "**", "and": "and", "or": "or",
    "floordiv": "//", "mod": "%",
}.items():  # fmt: skip
    setattr(_Written, f"__{_method}__", _operator(_sign))
    setattr(_Written, f"__r{_method}__", _operator(_sign, True))
for _method, _sign in {
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "eq": "==",
    "ne": "!=",
}.items():
    setattr(_Written, f"__{_method}__", _operator(_sign))


class _Names:
    """A namespace whose functions record their calls as formulas."""

    pi = math.pi
    inf = math.inf
    nan = math.nan

    def __getattr__(self, name: str) -> Any:
        if name in ("float32", "float64", "int32", "int64", "bool_"):
            return getattr(np, name)
        return lambda *args, **_: _Written(f"{name}({', '.join(map(str, args))})")


# ---- domains -----------------------------------------------------------------------------------

# Halves and numbers next to them, where the domains of the usual functions end.
_GRID: Final = sorted({s * v for v in (*np.arange(0, 8.5, 0.5), 1e-9, 1 - 1e-9, 1 + 1e-9) for s in (1, -1)})  # fmt: skip


_FEW: Final = 3


def domain(row: Row) -> str:
    """The domain of an elementwise function of one number, found by trial."""
    if not row.elementwise or row.many or inputs_of(row) != 1:
        return ""
    grid = np.array(_GRID)
    try:
        with np.errstate(all="ignore"):
            values = np.asarray(row.kernel(np, grid))
    except Exception:  # noqa: BLE001  # not a function of real numbers alone
        return ""
    if values.dtype.kind != "f":
        return "all numbers"
    there = np.isfinite(values)
    ranges = _ranges(grid, there)
    if len(ranges) < _FEW:
        return "all numbers" if there.all() else " and ".join(ranges)
    gaps = sorted({f"{round(2 * x) / 2:g}" for x in grid[~there]}, key=float, reverse=True)
    return f"all numbers but {', '.join(gaps[:_FEW])}, ..."


def _ranges(grid: Any, there: Any) -> list[str]:
    """Intervals of a grid, by their ends: `x > 0`, `-1 <= x <= 1`."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], there.astype(int), [0]])))
    found = []
    for first, last in zip(edges[::2], edges[1::2] - 1, strict=True):
        low = "" if first == 0 else _end(grid, first, first - 1, "<")
        high = "" if last == len(grid) - 1 else _end(grid, last, last + 1, ">")
        found.append(f"{low}x{high}")
    return found


def _end(grid: Any, inside: int, outside: int, side: str) -> str:
    """An end of an interval: the nearest half, and whether it is included."""
    at = round(2 * grid[inside]) / 2
    closed = grid[inside] == at
    shown = f"{at:g}"
    if side == "<":
        return f"{shown} {'<=' if closed else '<'} "
    return f" {'<=' if closed else '<'} {shown}"
