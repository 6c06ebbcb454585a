"""Loops and branches, as loops and branches.

A loop carries values, takes an element of each of its stacks in every iteration, and puts values onto
others: the gradient of a loop takes what the loop put there, from the last iteration to the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from wengert.graph.operation import Operation
from wengert.insight.source.text import Text
from wengert.ops.control.cond import Branches
from wengert.ops.control.while_op import Loop, Stack
from wengert.values.symbolic import SymbolicTensor

if TYPE_CHECKING:
    from wengert.insight.source.statements import Statements

INDENT: Final = "    "


def write_loop(w: Statements, op: Operation, loop: Loop) -> None:
    """A loop of a graph."""
    n, s = len(loop.carried), len(loop.taken)
    initial, stacks, constants = op.inputs[:n], op.inputs[n : n + s], op.inputs[n + s :]
    for inside, at in loop.same:
        w.stand_in(inside, constants[at])
    names = [w.free(w.name_of(y)) for y in op.outputs[:n]]
    first = [_first(w, x) for x in initial]
    w.add(op, f"{', '.join(names)} = {', '.join(first)}")
    emitted = [w.free("steps") for _ in loop.emitted]
    w.lines += [f"{name} = []" for name in emitted]
    for x, name in zip(loop.carried, names, strict=True):
        w.put(x, Text(name))
    head = _head(w, loop, [w.text(x) for x in stacks], constants)
    body = w.inner(loop.body, [*loop.results, *[e.inside for e in loop.emitted]])
    body += [
        f"{name}.append({w.text(e.inside)})" for name, e in zip(emitted, loop.emitted, strict=True)
    ]
    pairs = [(n, w.text(y)) for n, y in zip(names, loop.results, strict=True)]
    changed = [(n, t) for n, t in pairs if n != t]
    if changed:
        body.append(f"{', '.join(n for n, _ in changed)} = {', '.join(t for _, t in changed)}")
    w.lines += [*head, *[INDENT + line for line in body or ["pass"]]]
    w.lines += [
        f"{name}.reverse()" for name, e in zip(emitted, loop.emitted, strict=True) if e.backward
    ]
    for y, name in zip(op.outputs, [*names, *emitted], strict=True):
        w.put(y, Text(name))


def _first(w: Statements, x: SymbolicTensor) -> str:
    """What a loop begins with: a number has its dtype, as the results of the body will have."""
    text = w.text(x)
    try:
        float(str(text))
    except ValueError:
        return str(text)
    return f"np.{x.dtype.name}({text})"


def _head(w: Statements, loop: Loop, stacks: Sequence[str], constants: Sequence[Any]) -> list[str]:
    """The lines that begin a loop: over stacks, or while a condition holds."""
    if loop.condition is None:
        names = [w.free(w.name_of(t.inside)) for t in loop.taken]
        for t, name in zip(loop.taken, names, strict=True):
            w.put(t.inside, Text(name))
        parts = [_turned(t, stack) for t, stack in zip(loop.taken, stacks, strict=True)]
        if len(parts) == 1:
            return [f"for {names[0]} in {parts[0]}:"]
        return [f"for {', '.join(names)} in zip({', '.join(parts)}):"]
    given = [*loop.carried, *[constants[at] for at in loop.condition_places]]
    for inside, value in zip(loop.condition.all_inputs, given, strict=True):
        w.stand_in(inside, value)
    (go,) = loop.condition.outputs
    lines = w.inner(loop.condition, [go])
    if not lines:
        return [f"while {w.text(go)}:"]
    return [
        "while True:",
        *[INDENT + line for line in lines],
        f"{INDENT}if not ({w.text(go)}):",
        f"{INDENT * 2}break",
    ]


def _turned(taken: Stack, stack: str) -> str:
    return f"reversed({stack})" if taken.backward else stack


def write_branches(w: Statements, op: Operation, branches: Branches) -> None:
    """The branches of a graph, of which an index chooses one."""
    index, predicate = w.text(op.inputs[0]), _predicate(w, op.inputs[0])
    names = [w.free(w.name_of(y)) for y in op.outputs]
    w.add(op, "")
    w.lines.pop()
    last = len(branches.bodies) - 1
    for number, body in enumerate(branches.bodies):
        for inside, at in zip(body.graph.all_inputs, branches.places[number], strict=True):
            w.stand_in(inside, op.inputs[1 + at])
        lines = w.inner(body.graph, body.results)
        own = [w.text(y) for y in body.results[: branches.count]]
        own += [w.text(body.results[at]) if b == number else "None" for b, at in branches.more]
        if names:
            lines.append(f"{', '.join(names)} = {', '.join(own)}")
        word = f"{'elif' if number else 'if'} {predicate or f'{index} == {number}'}:"
        w.lines += [
            word if number < last else "else:",
            *[INDENT + line for line in lines or ["pass"]],
        ]
    for y, name in zip(op.outputs, names, strict=True):
        w.put(y, Text(name))


def _predicate(w: Statements, index: SymbolicTensor) -> str:
    """What chooses between two branches: the first is taken where it holds."""
    op = index.op
    if op.type == "Sub" and op.inputs[1].op.type == "Cast":
        asked = op.inputs[1].op.inputs[0]
        return w.text(asked) if asked.dtype.is_bool else ""
    return ""
