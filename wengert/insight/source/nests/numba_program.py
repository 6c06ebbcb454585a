"""A program for numba: loops over NumPy's arrays, which it compiles."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np

from wengert.insight.source.derivation import Derivation
from wengert.insight.source.nests.control import Pile
from wengert.insight.source.nests.nest import INDENT
from wengert.insight.source.nests.nest_writer import MOST_WRITTEN, NestWriter
from wengert.insight.source.nests.numba_language import Numba
from wengert.insight.source.nests.numba_piles import NumbaPiles
from wengert.insight.source.result import Source, described, with_constants
from wengert.insight.source.text import array


class NumbaSource(Source):
    """A program for numba: `text`, and the function that it is, compiled at its first call."""

    target = "numba"

    def __init__(self, name: str, text: str, constants: dict[str, Any], kinds: list[str]) -> None:
        super().__init__(name, text)
        self.constants = constants
        self._kinds = kinds
        self._function: Any = None

    def whole(self) -> str:
        """The program with all its constants: a file that needs NumPy and numba."""
        return with_constants(self.text, self.constants)

    @property
    def function(self) -> Any:
        """The function, which numba compiles when it is called."""
        if self._function is None:
            if importlib.util.find_spec("numba") is None:
                raise ImportError("The program is for numba, which is not there: pip install numba")
            scope = dict(self.constants)
            exec(compile(self.text, f"<source of {self.name}>", "exec"), scope)
            self._function = scope[self.name]
        return self._function

    def __call__(self, *xs: Any) -> Any:
        """The value and the gradients."""
        function = self.function
        arrays = [np.asarray(x) for x in self.arrays(xs)]
        value, gradients = function(*[x if x.ndim else x[()] for x in arrays])
        several = gradients if isinstance(gradients, tuple) else (gradients,)
        typed = [_typed(y, kind) for y, kind in zip([value, *several], self._kinds, strict=True)]
        return typed[0], tuple(typed[1:]) if isinstance(gradients, tuple) else typed[1]


def _typed(y: Any, kind: str) -> Any:
    """A single number comes back from numba as one of Python."""
    return np.dtype(kind).type(y) if isinstance(y, (float, int)) and kind else y


def numba_program(d: Derivation, name: str) -> NumbaSource:
    """The program of a derivation."""
    w = NestWriter(d, Numba(), NumbaPiles())
    name = w.free(name)
    w.write()
    e = w.emission
    handed = {id(goal): goal.name for goal in w.goals if goal is not None}
    for goal, view in w.undelivered():
        if goal.shape:
            e.arrays.append(goal)
            e.copy(goal, view)
            continue
        nest = e.nest(())
        text = str(e.text(view, nest, ()))
        if "[" in text or nest.lines:
            nest.lines.append(f"{goal.name} = {text}")
            text = goal.name
        e.add(nest)
        handed[id(goal)] = text
    e.finish()
    lines = []
    for a in e.arrays:
        if a.role != "given":
            shape = a.shape[0] if len(a.shape) == 1 else a.shape
            lines.append(f"{a.name} = np.empty({shape}, {_dtype(a.kind)})")
    lines += [f"{p.name} = {_no_elements(w, p)}" for p in w.all_piles if p.is_handed_out]
    lines += w.body()
    value, *gradients = ["None" if g is None else handed[id(g)] for g in w.goals]
    result = gradients[0] if len(gradients) == 1 else f"({', '.join(gradients)})"
    lines.append(f"return {value}, {result}")
    return _assembled(d, w, name, lines)


def _assembled(d: Derivation, w: NestWriter, name: str, lines: list[str]) -> NumbaSource:
    body = "\n".join(lines)
    helpers = w.language.helpers_of(body)
    text = ["import math", ""] if "math." in body or helpers else []
    text += ["import numba", "import numpy as np", ""]
    text += ["f32 = np.float32", ""] if "f32(" in body else []
    tables = w.needed_tables()
    short = {n: v for n, v in tables.items() if v.size <= MOST_WRITTEN}
    text += [*[f"{n} = {array(v)}" for n, v in short.items()], ""] if short else []
    for helper in helpers:
        text += ["", *helper.strip().split("\n"), ""]
    text += ["", '@numba.njit(error_model="numpy")', f"def {name}({', '.join(w.names)}):"]
    text += [INDENT + line for line in [f'"""{described(d)}"""', *lines]]
    long = {n: v for n, v in tables.items() if n not in short}
    return NumbaSource(name, "\n".join(text) + "\n", long, [g.kind if g else "" for g in w.goals])


def _dtype(kind: str) -> str:
    dtype = np.dtype(bool if kind == "b1" else kind)
    return "np.bool_" if kind == "b1" else f"np.{dtype.name}"


def _no_elements(w: NestWriter, pile: Pile) -> str:
    """A list without elements, of which numba knows what they will be."""
    one = (
        f"np.empty({pile.shape}, {_dtype(pile.kind)})"
        if pile.shape
        else str(w.language.number(pile.kind, 0))
    )
    return f"[{one} for _ in range(0)]"
