"""tf.source: the value and the gradient of a function as a program of NumPy."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import FrameType
from typing import Any, Final, Literal, overload

from wengert.derivatives.arguments import check_function
from wengert.execution.plan import effects
from wengert.insight.program_text import Program, short
from wengert.insight.source.derivation import Derivation, derived, derived_of_tape
from wengert.insight.source.kernels import NotWritableError
from wengert.insight.source.nests.c_program import CSource, c_program
from wengert.insight.source.nests.numba_program import numba_program
from wengert.insight.source.result import Source, described, with_constants
from wengert.insight.source.statements import Statements


class NumpySource(Source):
    """A program of NumPy: `text`, and the `function` that it is."""

    target = "numpy"

    def __init__(self, name: str, text: str, constants: dict[str, Any]) -> None:
        super().__init__(name, text)
        self.constants = constants  # arrays too long to be read, by their names
        scope = dict(constants)  # long ones need not be written and read again
        exec(compile(self.text, f"<source of {name}>", "exec"), scope)
        self.function: Callable[..., Any] = scope[name]

    def whole(self) -> str:
        """The program with all its constants: a file that needs nothing but NumPy."""
        return with_constants(self.text, self.constants)

    def __call__(self, *xs: Any) -> Any:
        """The value and the gradients."""
        return self.function(*self.arrays(xs))


@overload
def source(f: Callable[..., Any], *xs: Any, target: Literal["numpy"] = "numpy") -> NumpySource: ...
@overload
def source(f: Callable[..., Any], *xs: Any, target: Literal["c"]) -> CSource: ...
@overload
def source(f: Callable[..., Any], *xs: Any, target: str) -> Source: ...
def source(f: Callable[..., Any], *xs: Any, target: str = "numpy") -> Source:
    """The value and the gradient of a function at such arguments, as one function that needs NumPy alone.

    It has the names and the lines of the program, and computes bit for bit what the tape does, but for the
    last digit of convolutions and the like (docs/answers.md). Special functions are SciPy's there. The arguments say shapes and dtypes; the gradient is by all that are floats, as `tape.gradient` gives it.

    With `target="c"` it is a function of C99, with `target="numba"` one of loops that numba compiles: for
    arguments of these shapes, and equal to what the tape computes but for rounding. Sums of float32 are added
    up in float64 there, and an index beyond an array is not noticed.

    >>> def loss(x):
    ...     h = tf.sin(x)
    ...     return tf.reduce_sum(h * h)
    >>> program = tf.source(loss, tf.constant([1.0, 2.0]))
    >>> value, dx = program([1.0, 2.0])
    >>> np.round(dx, 3)
    array([ 0.909, -0.757], dtype=float32)
    """
    check_function(f, "source")
    _check_target(target, "tf.source")
    return written(lambda: derived(f, xs), _name_of(f), target)


def source_of_tape(
    tape: Any, y: Any, sources: Any, frame: FrameType, target: str = "numpy"
) -> Source:
    """The same for what happened in the block of a tape."""
    _check_target(target, "tape.source")
    (asked,) = Program(frame).arguments(("source",), ("y",))
    name = asked if asked.isidentifier() else "value"
    return written(
        lambda: derived_of_tape(tape, y, sources, frame, "source"), f"{name}_and_gradient", target
    )


def numpy_program(d: Derivation, name: str) -> NumpySource:
    """The program of a derivation."""
    statements = Statements(d)
    statements.write()
    gradients = [
        statements.result(g) if g is not None else "None"
        for g, x in zip(d.gradients, d.inputs, strict=True)
        if x.dtype.is_differentiable
    ]
    result = gradients[0] if len(gradients) == 1 else f"({', '.join(gradients)})"
    lines = [*_imports(statements), ""]
    for helper in statements.helpers.values():
        lines += [*helper.rstrip().split("\n"), ""]
    lines += ["", f"def {name}({', '.join(statements.names)}):"]
    lines.append(f'    """{described(d)}"""')
    lines += [f"    {line}" for line in statements.lines]
    lines.append(f"    return {statements.result(d.value)}, {result}")
    return NumpySource(name, "\n".join(lines) + "\n", statements.constants)


def _imports(statements: Statements) -> list[str]:
    """NumPy, and what of SciPy the program names."""
    lines = [line for line in statements.lines if not line.lstrip().startswith("#")]
    text = "\n".join([*statements.helpers.values(), *lines])
    more = sorted(set(re.findall(r"\bscipy\.[a-z]+(?=\.)", text)))
    return ["import numpy as np", *[f"import {name}" for name in more]]


TARGETS: Final[dict[str, Callable[[Derivation, str], Source]]] = {
    "numpy": numpy_program,
    "numba": numba_program,
    "c": c_program,
}


def written(derive: Callable[[], Derivation], name: str, target: str) -> Source:
    """The program of a derivation in a language; where that cannot write it, the error names those that can."""
    try:
        derivation = derive()
        _check_unchanged(derivation)
        program = TARGETS[target](derivation, name)
        program.dtypes = [x.dtype for x in derivation.inputs]
        return program
    except NotWritableError as error:
        others = [t for t in TARGETS if t != target and _can_write(t, derive, name)]
        way = f"With target={' or '.join(map(repr, others))} there is" if others else WAY_OUT
        raise NotWritableError(f"There is no text {_OF[target]} for {error}. {way}.") from error


def _check_unchanged(derivation: Derivation) -> None:
    """An error if a variable is assigned: a program of arrays has none that it could change."""
    for op in effects(derivation.graph):
        if "Assign" in op.type or "Scatter" in op.type:
            line = derivation.lines.get(id(op), op.place)
            raise ValueError(
                f"{op.type} ({short(line)}) changes a variable, and a program of arrays cannot: let the function "
                "return the new value."
            )


def _can_write(target: str, derive: Callable[[], Derivation], name: str) -> bool:
    try:
        TARGETS[target](derive(), name)
    except NotWritableError:
        return False
    return True


WAY_OUT: Final = "Write it with operations that have one, or let the function take what it computes as an argument"
_OF: Final = {"numpy": "of NumPy", "numba": "for numba", "c": "of C"}


def _check_target(target: str, who: str) -> None:
    if target not in TARGETS:
        raise ValueError(f"target of {who} is one of {', '.join(TARGETS)}, got {target!r}.")


def _name_of(f: Callable[..., Any]) -> str:
    name = getattr(f, "__name__", "f")
    return f"{name}_and_gradient" if name.isidentifier() else "value_and_gradient"
