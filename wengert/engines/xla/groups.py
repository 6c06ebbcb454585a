"""The operations of a strategy's replicas in a plan: a list for each device, alike, between two points where they meet."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from wengert.engines.xla.alike import are_alike
from wengert.engines.xla.backend import jax
from wengert.engines.xla.placement import device_named
from wengert.engines.xla.rooms import inner_operations
from wengert.execution.plan import Plan
from wengert.graph.function_graph import FunctionGraph
from wengert.graph.operation import Operation

AXIS: Final = "replica"
LEAST: Final = 2  # replicas, and operations of each


class Group:
    """The operations of replicas, each a list for its device."""

    def __init__(self, runs: Sequence[Sequence[Operation]], mesh: Any) -> None:
        self.runs = runs
        self.columns = list(zip(*runs, strict=True))
        self.size = sum(map(len, runs))
        self.mesh = mesh


def groups_of(plan: Plan) -> dict[int, Group]:
    """The groups of a plan, by the places of their first steps."""
    if not _has_several_devices(plan.steps):
        return {}
    found: dict[int, Group] = {}
    used = set(uses(plan))
    runs: list[list[Operation]] = []
    start = at = 0
    for device, same in itertools.groupby(plan.steps, key=lambda op: op.device):
        run = list(same)
        if not device or device in {r[0].device for r in runs}:
            _add(found, start, runs, used)
            runs = []
        if device:
            start = at if not runs else start
            runs.append(run)
        at += len(run)
    _add(found, start, runs, used)
    return found


def uses(plan: Plan) -> dict[int, int]:
    """For each tensor how often steps and fetches use it, by its id."""
    return Counter([id(x) for op in plan.steps for x in op.inputs] + list(map(id, plan.fetches)))


def mesh_of(plan: Plan) -> Any:
    """The mesh of the devices whose replicas have groups in a plan, or in the bodies that it runs; None if none has."""
    graphs = [graph for op in inner_operations(plan) for graph in op.row.graphs]
    bodies = [_whole(graph) for graph in graphs if _has_several_devices(graph.operations)]
    groups = [group for part in (plan, *bodies) for group in groups_of(part).values()]
    return groups[0].mesh if groups else None


def _whole(graph: FunctionGraph) -> Plan:
    """All that is computed in a body."""
    given = {id(x.op) for x in graph.all_inputs}
    return Plan([], graph.all_inputs, [op for op in graph.operations if id(op) not in given])


def _has_several_devices(steps: Sequence[Operation]) -> bool:
    return len({op.device for op in steps if op.device}) >= LEAST


def _add(found: dict[int, Group], start: int, runs: list[list[Operation]], used: set[int]) -> None:
    if len(runs) < LEAST or len(runs[0]) < LEAST:
        return
    if not all(are_alike(runs[0], r) and _used_alike(runs[0], r, used) for r in runs[1:]):
        return
    mesh = _mesh_named([run[0].device for run in runs])
    if mesh is not None:
        found[start] = Group(runs, mesh)


def _used_alike(first: Sequence[Operation], other: Sequence[Operation], used: set[int]) -> bool:
    """Whether the same results of loops are used: the others are not computed."""
    return all(
        [id(y) in used for y in a.outputs] == [id(y) in used for y in b.outputs]
        for a, b in zip(first, other, strict=True)
        if a.row.bodies is not None
    )


def _mesh_named(names: Sequence[str]) -> Any:
    """The mesh of devices that have these names; None where one is not there."""
    devices = [device_named(name) for name in names]
    if None in devices or len(set(devices)) < len(devices):
        return None
    return jax.sharding.Mesh(np.array(devices, object), (AXIS,))


def everywhere(mesh: Any) -> Any:
    """The layout of what is whole on each device of a mesh."""
    return jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec())
