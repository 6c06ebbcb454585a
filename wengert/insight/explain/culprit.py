"""The operation that made the first number that is not finite, and lines with another argument for it."""

from __future__ import annotations

import ast
from typing import Any, Final, NamedTuple

import numpy as np

from wengert.insight.explain.forms import TINY
from wengert.insight.explain.question import Question
from wengert.insight.explain.rewriting import (
    Mend,
    called,
    called_with,
    filled,
    in_single,
    read_names,
    rewritings,
)
from wengert.insight.explain.trial import CLAMPED, proposed
from wengert.insight.journal import Step
from wengert.insight.program_text import line_text
from wengert.values.value import Key


class Culprit(NamedTuple):
    """The operation that made the first number that is not finite."""

    number: int
    step: Step
    forward: bool  # its result, or else what its rule gave
    at: Any  # the element
    came: Any  # the cotangent there
    made: Any  # the number
    key: Key | None = None  # the input whose cotangent it is


Verdict = tuple[str, str, Mend]

FUNCTIONS: Final = {
    "Log": ("log",), "Log1p": ("log1p",), "Sqrt": ("sqrt",), "Rsqrt": ("rsqrt",), "Exp": ("exp",),
    "Reciprocal": ("reciprocal",), "Acos": ("acos",), "Asin": ("asin",), "Acosh": ("acosh",),
    "Atanh": ("atanh",), "RealDiv": ("divide", "/"), "Div": ("divide", "/"), "Pow": ("pow", "**"),
    "Xdivy": ("xdivy",), "Digamma": ("digamma",), "Lgamma": ("lgamma",), "Expm1": ("expm1",),
    "Sinh": ("sinh",), "Cosh": ("cosh",), "Atan2": ("atan2",), "EuclideanNorm": ("norm",),
    "Erfinv": ("erfinv",),
}  # fmt: skip


def operand(c: Culprit) -> Any:
    """The number that it is given there."""
    return value_at(c.step.inputs[0], c.at)


def value_at(x: Any, at: Any) -> Any:
    """An element of what an operation is given; None if that is not known."""
    array = np.asarray(getattr(x, "_array", x))
    if array.dtype.kind not in "fiu":
        return None
    if array.ndim == 0:
        return array[()]
    fits = array.ndim == len(at) and all(i < n for i, n in zip(at, array.shape, strict=True))
    return array[at] if fits else None


def text_of(value: Any) -> str:
    """A number, as sentences have it."""
    return "there" if value is None else f"{value:.6g}"


def with_argument(
    q: Question, c: Culprit, names: tuple[str, ...], template: str, words: str
) -> Mend:
    """The line with another argument for the function: the template, with `x` for the argument that it has."""

    def change(node: ast.expr) -> ast.expr | None:
        if called(node) not in names or not isinstance(node, ast.Call) or not node.args:
            return None
        return called_with(node, filled(template, x=node.args[0]))

    if c.step.results[0].dtype.is_complex:  # has no order, and no edge
        return Mend(words)
    return proposed(q, c.step.line, words, rewritings(c.step.line, change), CLAMPED)


def tiny(c: Culprit) -> str:
    """What keeps a number away from zero in the dtype of an operation: one by it is a number."""
    return "1e-4" if c.step.results[0].dtype.name == "float16" else TINY


def summand(c: Culprit) -> str:
    """The same for what a root is taken of: one by its root is a number."""
    return "1e-6" if c.step.results[0].dtype.name == "float16" else TINY


def is_half(step: Step) -> bool:
    """Whether an operation computes in half precision."""
    return any(getattr(y, "dtype", None) is not None and y.dtype.size == 2 for y in step.results)


def of_half(q: Question, c: Culprit) -> Verdict:
    """A number that is too large for half precision alone."""
    dtype = c.step.results[0].dtype.name
    why = f"{dtype} holds no number above {'65504' if dtype == 'float16' else '3.4e38'}."
    words = (
        "Compute this part in float32, or scale the loss down before the sweep and the gradient up after it "
        "(loss scaling):"
    )
    names = {n for n in q.names_of_dtype(dtype) if n in read_names(line_text(c.step.line))}
    new = in_single(line_text(c.step.line), names, dtype) if names else ""
    return "overflow", why, proposed(q, c.step.line, words, [new])
