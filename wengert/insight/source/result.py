"""What tf.source gives: a program, which can be read, kept and called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wengert.insight.layout import PYTHON, within_width
from wengert.insight.reports.blocks import Block, Code
from wengert.insight.reports.report import Report
from wengert.insight.source.derivation import Derivation
from wengert.insight.source.text import array
from wengert.values.convert import convert
from wengert.values.dtypes import DType
from wengert.values.value import Value


class Source(Report):
    """A program: its `text`, and the function that it is, which can be called.

    It takes what the function took, as arrays, and returns the value and the gradients, in a tuple where
    there are several.
    """

    target = ""
    style = PYTHON  # of lines that are too long

    def __init__(self, name: str, text: str) -> None:
        self.title = ""
        self.name = name
        self.text = within_width(text, self.style)
        self.dtypes: list[DType] = []  # of the arguments

    def whole(self) -> str:
        """The program with all its constants."""
        return self.text

    def __call__(self, *xs: Any) -> Any:
        """The value and the gradients."""
        raise NotImplementedError

    def arrays(self, xs: Sequence[Any]) -> list[Any]:
        """The arguments as arrays; lists and numbers of Python's have the dtypes that the program is for."""
        dtypes = [*self.dtypes, *[None] * len(xs)]
        return [_plain(x, dtype) for x, dtype in zip(xs, dtypes, strict=False)]

    def blocks(self) -> list[Block]:
        """The text."""
        return [Code(tuple(self.text.rstrip().split("\n")))]

    def to_dict(self) -> dict[str, Any]:
        """The text, and the name of the function in it."""
        return {"name": self.name, "target": self.target, "text": self.text, "whole": self.whole()}

    def __str__(self) -> str:
        return self.text.rstrip()


def with_constants(text: str, constants: dict[str, Any]) -> str:
    """A text of Python with arrays that are too long to be read in it."""
    head = [f"{name} = {array(value)}" for name, value in constants.items()]
    lines = within_width("\n".join(["import numpy as np\n", *head, ""]))
    return text.replace("import numpy as np\n", lines, 1)


def described(d: Derivation) -> str:
    """What a program computes, and of what."""
    kinds = ", ".join(
        f"{n}: {x.dtype.name}{list(x.shape)}" for n, x in zip(d.names, d.inputs, strict=True)
    )
    return f"The value and its gradient. {kinds}."


def _plain(x: Any, dtype: DType | None) -> Any:
    if isinstance(x, Value):
        return np.asarray(x)
    return convert(x, hint=dtype)._array if isinstance(x, (float, int, list, tuple)) else x
