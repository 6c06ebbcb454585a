"""A plan in words: its steps, what they move and compute, and their source lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from wengert.graph.operation import Operation


class Description:
    """What a plan does, step by step, as text when printed; `steps` has it as dictionaries."""

    def __init__(
        self,
        name: str,
        engine: str,
        steps: list[dict[str, Any]],
        memory: int,
        peak: int = 0,
        reached: int = 0,
    ) -> None:
        self.name = name
        self.engine = engine
        self.steps = steps
        self.memory = memory  # bytes of the plan's working memory
        self.peak = peak  # with the results that it allocates
        self.reached = reached  # the number of the step that needs the last of the working memory

    def __str__(self) -> str:
        moved = sum(s["bytes"] for s in self.steps)
        flops = sum(s["flops"] for s in self.steps)
        head = (
            f"{self.name}: {len(self.steps)} steps of the {self.engine} engine, "
            f"{_amount(moved)}B moved, {_amount(flops)}flop, {_amount(self.memory)}B of its own"
        )
        if self.memory:
            head += f" by step {self.reached}"
        if self.peak > self.memory:
            head += f", {_amount(self.peak)}B with results"
        return "\n".join([head, *_lines(self.steps)])

    __repr__ = __str__


def _lines(steps: Iterable[dict[str, Any]]) -> Iterator[str]:
    for number, step in enumerate(steps, 1):
        size = " x ".join(map(str, step["size"]))
        parts = f" in {step['parts']} parts" if step["parts"] > 1 else ""
        yield (
            f"{number:4d}  {step['kind']} {size}{parts}: "
            f"{_amount(step['bytes'])}B, {_amount(step['flops'])}flop"
        )
        for made in step["made of"]:
            yield f"        {made}"


def _amount(number: float) -> str:
    """A number with an SI prefix."""
    for prefix in ("", "k", "M", "G"):
        if abs(number) < 1000:
            return f"{number:.3g} {prefix}"
        number /= 1000
    return f"{number:.3g} T"


def origin(op: Operation) -> str:
    """An operation, and the user's line that made it."""
    return f"{op.type} at {op.place}"


def numpy_step(op: Operation) -> dict[str, Any]:
    """A step that NumPy computes."""
    return {
        "kind": "NumPy",
        "size": [op.name],
        "parts": 1,
        "bytes": 0,
        "flops": 0,
        "made of": [origin(op)],
    }
