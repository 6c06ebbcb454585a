"""The shortest program that still fails: steps left out, inputs made small and round."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .programs import Program, Step

Fails = Callable[[Program], bool]


def minimised(program: Program, fails: Fails, most: int = 150) -> Program:
    """Take whatever smaller program fails, too, until none does or `most` were tried."""
    tried, program = 0, program.reached()
    found = True
    while found:
        found = False
        for smaller in _smaller(program):
            if tried == most:
                return program
            tried += 1
            if fails(smaller):
                program, found = smaller, True
                break
    return program


def _smaller(program: Program) -> Iterator[Program]:
    yield from _shorter(program)
    yield from _of_smaller_inputs(program)
    yield from _of_rounder_inputs(program)


# ---- steps --------------------------------------------------------------------------------------


def _shorter(program: Program) -> Iterator[Program]:
    """An earlier result; an operand in place of a step."""
    for step in program.steps[:-1]:
        yield program._replace(result=step.name).reached()
    for step in program.steps:
        for operand in sorted({*step.uses(), *program.values}):
            if len(program.steps) > 1 or operand in step.uses():
                shorter = _without(program, step, operand)
                if shorter.steps:
                    yield shorter


def _without(program: Program, step: Step, operand: str) -> Program:
    name = re.compile(rf"\b{step.name}\b")
    steps = tuple(
        Step(other.name, name.sub(operand, other.text)) for other in program.steps if other != step
    )
    result = operand if program.result == step.name else program.result
    return program._replace(steps=steps, result=result).reached()


# ---- inputs -------------------------------------------------------------------------------------


def _of_smaller_inputs(program: Program) -> Iterator[Program]:
    for name, value in program.values.items():
        for axis, size in enumerate(np.shape(value)):
            for fewer in sorted({1, size // 2, size - 1} - {0, size}):
                if fewer < size:
                    yield _with(program, name, np.take(value, range(fewer), axis))


def _of_rounder_inputs(program: Program) -> Iterator[Program]:
    for name, value in program.values.items():
        for simple in (np.ones_like(value), np.round(value), np.round(value, 1)):
            if _complexity(simple) < _complexity(value):
                yield _with(program, name, simple)


def _complexity(value: Any) -> int:
    """How many characters its numbers take, ones and zeros least."""
    return sum(0 if n in (0.0, 1.0) else len(f"{n:g}") for n in np.ravel(value).tolist())


def _with(program: Program, name: str, value: Any) -> Program:
    return program._replace(values={**program.values, name: value})
