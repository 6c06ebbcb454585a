"""A plan in words: its loops and products, what they move and compute, and their source lines."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from wengert.engines.native.codegen.loop_emitter import Launch
from wengert.engines.native.frontend.arrays import (
    Base,
    Choice,
    Known,
    Product,
    Repeat,
    Routine,
    RowSet,
    Step,
    Tiled,
)
from wengert.engines.native.optimize.block_body import BlockLoop
from wengert.engines.native.program.build import Built
from wengert.execution.description import Description, numpy_step, origin


def describe(built: Built, name: str) -> Description:
    steps: list[dict[str, Any]] = []
    reached = 0
    for segment in built.segments.items:
        if isinstance(segment, Step):
            steps.append(_stream(segment) if segment.reserves else numpy_step(segment.op))
        else:
            for call in segment:
                if _is_step(call):
                    steps.append(_native_step(call))
                if call is built.fullest:
                    reached = max(len(steps), 1)
    return Description(name, "native", steps, built.memory, built.peak, reached)


def _is_step(call: Any) -> bool:
    return call.name not in ("", "@copy")


def _stream(step: Step) -> dict[str, Any]:
    """A draw begins: its samples are computed where they are used."""
    return {"kind": "stream", "size": [1], "parts": 1, "bytes": 0, "flops": 0, "made of": [origin(step.op)]}  # fmt: skip


def _native_step(call: Any) -> dict[str, Any]:
    if isinstance(call.what, Launch):
        return _loop(call)
    if isinstance(call.what, Repeat) and isinstance(call.what.inside, BlockLoop):
        return _blocks(call)
    if isinstance(call.what, (Repeat, Choice)):
        return _bodies(call.what)
    if isinstance(call.what, Routine):
        return _routine(call.what)
    if isinstance(call.what, RowSet):
        return _row(call.what)
    if isinstance(call.what, Tiled):
        return _tiles(call)
    return _product(call)


def _bodies(what: Repeat | Choice) -> dict[str, Any]:
    """A loop or branches of the graph: what they move is not known before they run."""
    kind, size = ("while", what.count or "n") if isinstance(what, Repeat) else ("branch", 1)
    made = [origin(what.place)]
    return {"kind": kind, "size": [size], "parts": 1, "bytes": 0, "flops": 0, "made of": made}


def _blocks(call: Any) -> dict[str, Any]:
    """A loop over blocks: what its steps do for all of them."""
    steps, count = [_native_step(c) for c in call.inside if _is_step(c)], call.what.count
    return {
        "kind": "blocks",
        "size": [count],
        "parts": max(step["parts"] for step in steps),
        "bytes": count * sum(step["bytes"] for step in steps),
        "flops": count * sum(step["flops"] for step in steps),
        "made of": list(dict.fromkeys(origin for step in steps for origin in step["made of"])),
    }


def _routine(item: Routine) -> dict[str, Any]:
    """A function of its own: what it moves, at least."""
    moved = sum(b.bytes for b in (*[v.base for v in item.operands], *item.results))
    size = item.results[0].shape or [1]
    return {"kind": "routine", "size": size, "parts": item.parts, "bytes": moved, "flops": 0, "made of": [origin(item.place)]}  # fmt: skip


def _tiles(call: Any) -> dict[str, Any]:
    """A kernel, and what is done with each of its tiles."""
    item: Tiled = call.what
    moved = sum(base.bytes for base in {base for base, _ in call.arrays if type(base) is not Known})
    flops, members = item.tiles.flops, [item]
    if call.finish is not None:
        flops, members = flops + call.finish.flops(), call.finish.group.members
    return {"kind": "tiles", "size": item.shape, "parts": call.parts, "bytes": moved, "flops": flops, "made of": _origins(members)}  # fmt: skip


def _row(item: RowSet) -> dict[str, Any]:
    """An element of a list, written over a row."""
    moved, made = 2 * item.bytes // item.shape[0], _origins([item])
    return {"kind": "row", "size": item.shape[1:] or [1], "parts": 1, "bytes": moved, "flops": 0, "made of": made}  # fmt: skip


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


def _origins(members: Iterable[Base]) -> list[str]:
    """The operations that a step computes, with the user's lines, without duplicates."""
    return list(dict.fromkeys(origin(m.place) for m in members if m.place is not None))
