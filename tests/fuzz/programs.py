"""A program: inputs, and lines of text that make tensors of them.

It is text, so that two libraries run the same one and what fails can be pasted. A line calls the
library `tf` and the dtype of the program `DTYPE`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

LARGEST = 50.0  # of any number: an exponential of an exponential tells nothing
MOST_ELEMENTS = 3000
LONGEST = 7  # steps
SIZES = (1, 2, 2, 3, 3, 4, 5, 6, 8)
NAME = re.compile(r"\b[xv]\d+\b")


class Step(NamedTuple):
    name: str
    text: str

    def uses(self) -> set[str]:
        return set(NAME.findall(self.text))


class Program(NamedTuple):
    """`values` are the inputs in float64; they are cast to `dtype` when the program runs."""

    seed: int
    dtype: str
    values: Mapping[str, Any]
    steps: tuple[Step, ...]
    result: str

    def inputs(self) -> dict[str, Any]:
        return {name: np.asarray(value, self.dtype) for name, value in self.values.items()}

    def reached(self) -> Program:
        """Without the steps and the inputs that the result does not need."""
        needed, kept = {self.result}, []
        for step in reversed(self.steps):
            if step.name in needed:
                needed |= step.uses()
                kept.append(step)
        values = {name: value for name, value in self.values.items() if name in needed}
        return self._replace(values=values, steps=tuple(reversed(kept)))

    def lines(self) -> list[str]:
        dtype = f"tf.{self.dtype}"
        return [f"{step.name} = {step.text.replace('DTYPE', dtype)}" for step in self.steps]


def environment(program: Program, tf: Any, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Every value of a program by its name."""
    values = {"tf": tf, **inputs}
    for line in program.lines():
        exec(line, values)
    return values


def text_of(program: Program) -> str:
    """The program as a function of its inputs."""
    body = "\n".join(f"    {line}" for line in program.lines())
    return f"def program({', '.join(program.values)}):\n{body}\n    return {program.result}\n"


def text_of_inputs(program: Program) -> str:
    return "\n".join(
        f"{name} = np.array({value.tolist()}, {str(value.dtype)!r}).reshape({list(value.shape)})"
        for name, value in program.inputs().items()
    )


# ---- drawing ------------------------------------------------------------------------------------


class NoOperandError(Exception):
    """There is no value that a line could take."""


class Drawing:
    """What a line is drawn from: numbers, and the values that there are so far."""

    def __init__(self, rng: random.Random, values: Mapping[str, Any]) -> None:
        self.rng, self.values = rng, dict(values)
        self.pick, self.number = rng.choice, rng.randint

    def some(self, kind: str, wanted: Callable[[Any], bool]) -> str:
        """The name of a value of a kind (NumPy's letter), the newest most often."""
        names = [n for n, v in self.values.items() if v.dtype.kind == kind and wanted(v)]
        if not names:
            raise NoOperandError
        return names[-1] if self.rng.random() < 0.6 else self.rng.choice(names)

    def real(self, least: int = 0, most: int = 9) -> str:
        """A value of floating dtype, of so many axes."""
        return self.some("f", lambda v: least <= v.ndim <= most)

    def like(self, name: str) -> str:
        """One that can be broadcast with another."""
        return self.some("f", lambda v: self.broadcast(v.shape, self.shape(name)))

    def broadcast(self, a: tuple[int, ...], b: tuple[int, ...]) -> bool:
        return all(p == q or 1 in (p, q) for p, q in zip(a[::-1], b[::-1], strict=False))

    def shape(self, name: str) -> tuple[int, ...]:
        return tuple(self.values[name].shape)

    def rank(self, name: str) -> int:
        return len(self.shape(name))

    def axis(self, name: str) -> int:
        """An axis, from the front or from the back."""
        rank = self.rank(name)
        return self.rng.randrange(-rank, rank)

    def size(self, name: str, axis: int) -> int:
        return self.shape(name)[axis]

    def indices(self, below: int, count: int) -> list[int]:
        if below < 1:
            raise NoOperandError
        return [self.rng.randrange(below) for _ in range(count)]

    def weights(self, shape: Sequence[int]) -> str:
        """A constant: numbers that nobody would choose, made by a line's own text."""
        first = self.rng.randint(1, 9)
        total = int(np.prod(shape))
        return f"tf.reshape(tf.sin({first}.0 + tf.range({total}.0, dtype=DTYPE)), {list(shape)})"


Line = Callable[[Drawing], str]


def drawn(seed: int, lines: Sequence[Line], peer: Any) -> Program:
    """The program of a seed. `peer` is the library that says which values a line may take."""
    rng = random.Random(seed)
    dtype = rng.choice(["float64", "float64", "float32"])
    values = {f"x{i}": _input(rng) for i in range(rng.choice([1, 1, 2, 2, 3]))}
    program = Program(seed, dtype, values, (), "x0")
    drawing = Drawing(rng, program.inputs())
    tensors = {name: peer.constant(value) for name, value in drawing.values.items()}
    for _ in range(rng.randint(1, LONGEST)):
        program = _longer(program, drawing, tensors, rng.choice(lines), peer)
    return program._replace(result=_result(drawing)).reached()


def _longer(program: Program, drawing: Drawing, tensors: Any, line: Line, peer: Any) -> Program:
    """The program with one more line, unless its numbers grow too large."""
    try:
        step = Step(f"v{len(program.steps)}", line(drawing))
    except NoOperandError:
        return program
    one = program._replace(steps=(step,))
    try:
        value = environment(one, peer, tensors)[step.name]
        array = value.numpy()
    except Exception:  # what refuses is no line: test_drawn_sizes.py is about refusals
        return program
    if not _is_tame(array):
        return program
    drawing.values[step.name], tensors[step.name] = array, value
    return program._replace(steps=(*program.steps, step))


def _is_tame(array: Any) -> bool:
    if array.size > MOST_ELEMENTS:
        return False
    return array.dtype.kind not in "fc" or bool(np.all(np.abs(array) <= LARGEST))


def _input(rng: random.Random) -> Any:
    rank = rng.choice([0, 1, 1, 2, 2, 2, 3, 3, 4])
    shape = [0 if rng.random() < 0.01 else rng.choice(SIZES) for _ in range(rank)]
    return np.random.default_rng(rng.randrange(1 << 30)).normal(size=shape).round(3)


def _result(drawing: Drawing) -> str:
    """The newest value that can be differentiated."""
    return [name for name, value in drawing.values.items() if value.dtype.kind == "f"][-1]
