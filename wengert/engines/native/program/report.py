"""A plan in words: its loops and products, what they move and compute, and the lines they come from."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from wengert.engines.native.codegen.loop_emitter import Launch
from wengert.engines.native.frontend.arrays import Base, Product, Step


class Description:
    """What a plan does, step by step. Printing it shows it; `steps` has it as dictionaries."""

    def __init__(self, name: str, engine: str, steps: list[dict[str, Any]], memory: int) -> None:
        self.name = name
        self.engine = engine
        self.steps = steps
        self.memory = memory  # bytes that the plan keeps for itself while it runs

    def __str__(self) -> str:
        moved = sum(s["bytes"] for s in self.steps)
        flops = sum(s["flops"] for s in self.steps)
        head = (
            f"{self.name}: {len(self.steps)} steps of the {self.engine} engine, "
            f"{_amount(moved)}B moved, {_amount(flops)}flop, {_amount(self.memory)}B of its own"
        )
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
    """A number with a unit's prefix."""
    for prefix in ("", "k", "M", "G"):
        if abs(number) < 1000:
            return f"{number:.3g} {prefix}"
        number /= 1000
    return f"{number:.3g} T"


def described(native: Any, name: str) -> Description:
    steps: list[dict[str, Any]] = []
    for segment in native.segments:
        if isinstance(segment, Step):
            steps.append(_numpy_step(segment.op))
        else:
            steps += [_native_step(call) for call in segment if call.name not in ("", "@copy")]
    return Description(name, "native", steps, native.memory_of_its_own)


def described_by_numpy(plan: Any, name: str) -> Description:
    return Description(name, "numpy", [_numpy_step(op) for op in plan.steps], 0)


def _native_step(call: Any) -> dict[str, Any]:
    if isinstance(call.what, Launch):
        return _loop(call)
    return _product(call)


def _loop(call: Any) -> dict[str, Any]:
    launch = call.what
    group = launch.group
    size = [group.size] if not group.columns else [group.size // group.columns, group.columns]
    return {
        "kind": "loop",
        "size": size,
        "parts": call.parts,
        "bytes": sum(_touched(b, group.size) for b, _ in launch.arrays),
        "flops": launch.flops,
        "made of": _origins(group.members),
    }


def _touched(base: Base, size: int) -> int:
    return min(base.size, size) * int(base.kind[1])


def _product(call: Any) -> dict[str, Any]:
    item: Product = call.what
    a, b = item.views
    inner = a.shape[-1]
    moved = sum(math.prod(v.shape) * int(v.kind[1]) for v in (a, b))
    flops = 2 * item.size * inner
    if call.finish is None or call.finish.in_memory:
        moved += item.bytes
    if call.finish is not None:
        others = [base for base, _ in call.finish.arrays if base is not item]
        moved += sum(_touched(base, item.size) for base in others)
        flops += call.finish.flops()
    return {
        "kind": "product",
        "size": [*item.written.shape[:-1], inner, item.written.shape[-1]],
        "parts": call.parts,
        "bytes": moved,
        "flops": flops,
        "made of": _origins(
            [*item.before, *([item] if call.finish is None else call.finish.group.members)]
        ),
    }


def _numpy_step(op: Any) -> dict[str, Any]:
    return {
        "kind": "NumPy",
        "size": [op.name],
        "parts": 1,
        "bytes": 0,
        "flops": 0,
        "made of": [f"{op.type} at {op.place}"],
    }


def _origins(members: Iterable[Base]) -> list[str]:
    """The operations and the user's lines that a step computes, each once."""
    places = [m.place for m in members if m.place is not None]
    return list(dict.fromkeys(f"{op.type} at {op.place}" for op in places))
