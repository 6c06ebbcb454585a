"""Operations in an order in which they can run."""

from __future__ import annotations

from wengert.graph.operation import Operation


def in_order(needed: list[Operation]) -> list[Operation]:
    """The operations in the order of creation, unless an older one got a newer input."""
    if not needed:
        return []
    wanted = {id(op) for op in needed}
    order = [op for op in needed[0].graph.operations if id(op) in wanted]
    at = {id(op): i for i, op in enumerate(order)}
    if any(at.get(id(b), 0) > i for i, op in enumerate(order) for b in _before(op)):
        return _sorted(order, wanted)
    return order


def _before(op: Operation) -> list[Operation]:
    """The operations whose results an operation takes, or for which it waits."""
    return [x.op for x in op.inputs] + op.control_inputs


def _sorted(order: list[Operation], wanted: set[int]) -> list[Operation]:
    """A stable topological sort: each operation after those that it depends on."""
    done: dict[int, Operation] = {}
    for first in order:
        stack = [first]
        while stack:
            op = stack[-1]
            open_ = [b for b in _before(op) if id(b) in wanted and id(b) not in done]
            if id(op) in done or not open_:
                done.setdefault(id(op), stack.pop())
            elif any(any(b is s for s in stack) for b in open_):
                raise ValueError(f"Control inputs form a cycle through {op!r}.")
            else:
                stack += open_[:1]
    return list(done.values())
