"""tf.source: the value and the gradient of a function as a program of NumPy."""

from __future__ import annotations

from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np

from wengert.derivatives.arguments import check_function
from wengert.insight.program_text import Program
from wengert.insight.reports.blocks import Block, Code
from wengert.insight.reports.report import Report
from wengert.insight.source.derivation import Derivation, derived, derived_of_tape
from wengert.insight.source.statements import Statements
from wengert.insight.source.text import array
from wengert.values.convert import convert
from wengert.values.value import Value


class Source(Report):
    """A program: its `text`, and the function that it is, which can be called.

    It takes what the function took, as arrays, and returns the value and the gradients, in a tuple where
    there are several.
    """

    def __init__(self, name: str, text: str, constants: dict[str, Any]) -> None:
        self.title = ""
        self.name = name
        self.text = text
        self.constants = constants  # arrays too long to be read, by their names
        scope: dict[str, Any] = {}
        exec(compile(self.whole(), f"<source of {name}>", "exec"), scope)
        self.function: Callable[..., Any] = scope[name]

    def whole(self) -> str:
        """The program with all its constants: a file that needs nothing but NumPy."""
        head = [f"{name} = {array(value)}" for name, value in self.constants.items()]
        return self.text.replace(
            "import numpy as np\n", "\n".join(["import numpy as np\n", *head, ""]), 1
        )

    def __call__(self, *xs: Any) -> Any:
        """The value and the gradients."""
        return self.function(*[_plain(x) for x in xs])

    def blocks(self) -> list[Block]:
        """The text."""
        return [Code(tuple(self.text.rstrip().split("\n")))]

    def to_dict(self) -> dict[str, Any]:
        """The text, and the name of the function in it."""
        return {"name": self.name, "text": self.text, "whole": self.whole()}

    def __str__(self) -> str:
        return self.text.rstrip()


def source(f: Callable[..., Any], *xs: Any) -> Source:
    """The value and the gradient of a function at such arguments, as one function that needs NumPy alone.

    It has the names and the lines of the program, and computes bit for bit what the tape does. The
    arguments say shapes and dtypes; the gradient is by all that are floats, as `tape.gradient` gives it.

    >>> def loss(x):
    ...     h = tf.sin(x)
    ...     return tf.reduce_sum(h * h)
    >>> program = tf.source(loss, tf.constant([1.0, 2.0]))
    >>> value, dx = program([1.0, 2.0])
    >>> np.round(dx, 3)
    array([ 0.909, -0.757], dtype=float32)
    """
    check_function(f, "source")
    return written(derived(f, xs), _name_of(f))


def source_of_tape(tape: Any, target: Any, sources: Any, frame: FrameType) -> Source:
    """The same for what happened in the block of a tape."""
    found = derived_of_tape(tape, target, sources, frame, "source")
    (y,) = Program(frame).arguments(("source",), ("target",))
    name = y if y.isidentifier() else "value"
    return written(found, f"{name}_and_gradient")


def written(d: Derivation, name: str) -> Source:
    """The program of a derivation."""
    statements = Statements(d)
    statements.write()
    gradients = [
        statements.text(g) if g is not None else "None"
        for g, x in zip(d.gradients, d.inputs, strict=True)
        if x.dtype.is_differentiable
    ]
    result = gradients[0] if len(gradients) == 1 else f"({', '.join(gradients)})"
    lines = ["import numpy as np", ""]
    for helper in statements.helpers.values():
        lines += [*helper.rstrip().split("\n"), ""]
    lines += ["", f"def {name}({', '.join(d.names)}):"]
    lines.append(f'    """{_described(d)}"""')
    lines += [f"    {line}" for line in statements.lines]
    lines.append(f"    return {statements.text(d.value)}, {result}")
    return Source(name, "\n".join(lines) + "\n", statements.constants)


def _described(d: Derivation) -> str:
    kinds = ", ".join(
        f"{n}: {x.dtype.name}{list(x.shape)}" for n, x in zip(d.names, d.inputs, strict=True)
    )
    return f"The value and its gradient. {kinds}."


def _name_of(f: Callable[..., Any]) -> str:
    name = getattr(f, "__name__", "f")
    return f"{name}_and_gradient" if name.isidentifier() else "value_and_gradient"


def _plain(x: Any) -> Any:
    if isinstance(x, Value):
        return np.asarray(x)
    return convert(x)._array if isinstance(x, (float, int, list, tuple)) else x
