"""What the same operations compute on several devices, as replicas do: one program that all devices run at once.

A strategy's replicas write their operations one after the other, each for its device. Where those of all replicas
are the same but for what they are given, they are evaluated once, for a part of arrays that lie in parts on the
devices; XLA puts in what the devices tell each other where the values meet. Each replica draws from generators of its own, and
its loops and branches go their own ways. Otherwise, as where replicas change variables, call Python, or have batches of several
sizes, they are evaluated one after the other, as they were written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from wengert.engines.xla.alike import same_array
from wengert.engines.xla.asked import checking
from wengert.engines.xla.backend import jax, jnp, load
from wengert.engines.xla.groups import AXIS, Group, groups_of, uses
from wengert.engines.xla.rooms import Rooms
from wengert.engines.xla.stand_ins import TracedCell, TracedStream
from wengert.engines.xla.tracing import Trace, is_known
from wengert.execution.plan import Plan
from wengert.graph.operation import Operation
from wengert.values.tensor import TensorList


class _NotTogetherError(Exception):
    """The replicas are evaluated one after the other."""


# ---- evaluated together -----------------------------------------------------------------------------


class ReplicaTrace(Trace):
    """A trace of a plan in which replicas have groups of operations."""

    def __init__(
        self,
        cells: Sequence[Any],
        errors: list[Exception],
        rooms: Rooms,
        held: dict[int, Any],
    ) -> None:
        super().__init__(cells, errors, rooms, held)
        # Of arrays of all replicas the part of each: the part, the array, the replica; by the part's id.
        self.parts: dict[int, tuple[Any, Any, int]] = {}
        self.together = 0  # how many groups all devices compute at once

    def evaluate(self, plan: Plan, found: dict[int, Any]) -> None:
        """Put the results of all steps among what is found; groups all at once."""
        used = uses(plan)
        at = 0
        for start, group in groups_of(plan).items():
            self.take(plan.steps[at:start], found)
            at = start + group.size
            if not self._took(group, found, used):
                self.take(plan.steps[start:at], found)
        self.take(plan.steps[at:], found)

    def _took(self, group: Group, found: dict[int, Any], used: dict[int, int]) -> bool:
        """Whether the results of a group could be put among what is found."""
        state = self.state
        try:
            _Together(self, group, found, used).compute()
        except Exception:  # noqa: BLE001  # what is wrong, if anything is, one after the other says
            self.state = state
            return False
        self.together += 1
        return True

    def step(self, op: Operation, inputs: Sequence[Any]) -> list[Any]:
        """The results of one operation; the sum of what all replicas have is taken at once."""
        found = self._total(*inputs) if op.row.name == "AddV2" else None
        return super().step(op, inputs) if found is None else [found]

    def _total(self, a: Any, b: Any) -> Any:
        """The sum of all parts, where an addition adds the last one to those before it."""
        if id(a) not in self.parts or id(b) not in self.parts:
            return None
        _, stacked, before = self.parts[id(a)]
        _, other, at = self.parts[id(b)]
        if stacked is not other or at != before + 1:
            return None
        if at + 1 == stacked.shape[0]:
            return jnp.sum(stacked, 0, dtype=stacked.dtype)
        partial = a + b
        self.parts[id(partial)] = partial, stacked, at
        return partial


class _Together:
    """A group while it is traced."""

    def __init__(
        self, trace: ReplicaTrace, group: Group, found: dict[int, Any], uses: dict[int, int]
    ) -> None:
        self._trace, self._group = trace, group
        own = Counter([id(x) for run in group.runs for op in run for x in op.inputs])
        self._used = {x for x, times in uses.items() if times > own[x]}  # outside of the group
        self._found = found
        self._new: dict[int, Any] = {}  # what all replicas have in common
        self._shared: list[Any] = []
        self._apart: list[Any] = []
        self._places: dict[int, tuple[bool, int]] = {}  # of inputs of the first replica
        self._rest: list[Operation] = []  # of the first replica
        self._streams: list[list[TracedStream]] = []  # the generators of all replicas
        self._stream_of: dict[int, int] = {}  # of inputs of the first replica

    def compute(self) -> None:
        """The results of all replicas."""
        inside: set[int] = set()  # what depends on the replica
        for column in self._group.columns:
            inputs = list(zip(*[op.inputs for op in column], strict=True))
            is_theirs = any(id(xs[0]) in inside or self._is_drawn_from(xs[0]) for xs in inputs)
            if not is_theirs and all(map(self._in_common, inputs)):
                self._once(column)
                continue
            for xs in inputs:
                if id(xs[0]) not in inside:
                    self._given(xs)
            self._rest.append(column[0])
            inside |= {id(y) for y in column[0].outputs}
        outputs = self._outputs()
        values = self._evaluated([ys[0] for ys in outputs]) if self._rest else []
        self._found |= self._new
        for ys, value in zip(outputs, values, strict=True):
            for at, y in enumerate(ys):
                self._found[id(y)] = value if is_known(value) else self._part(value, at)

    def _value(self, x: Any) -> Any:
        return self._new[id(x)] if id(x) in self._new else self._found[id(x)]

    def _is_drawn_from(self, x: Any) -> bool:
        return isinstance(self._found.get(id(x)), TracedStream)

    def _in_common(self, xs: Sequence[Any]) -> bool:
        first, *others = map(self._value, xs)
        return all(
            v is first or (is_known(v) and is_known(first) and _alike(v, first)) for v in others
        )

    def _once(self, column: Sequence[Operation]) -> None:
        """What is given the same in all replicas, such as the value of a variable."""
        results = self._trace.step(column[0], [self._value(x) for x in column[0].inputs])
        for op in column:
            self._new |= {id(y): v for y, v in zip(op.outputs, results, strict=True)}

    def _given(self, xs: Sequence[Any]) -> None:
        """Note what the replicas are given, all the same or each its own."""
        if id(xs[0]) in self._places or id(xs[0]) in self._stream_of:
            return
        values = [self._value(x) for x in xs]
        if all(isinstance(v, TracedStream) for v in values):
            self._draws_from(xs[0], values)
            return
        if self._in_common(xs):
            self._places[id(xs[0])] = False, len(self._shared)
            self._shared.append(values[0])
            return
        if any(isinstance(v, (TracedStream, TracedCell)) for v in values):
            raise _NotTogetherError
        self._places[id(xs[0])] = True, len(self._apart)
        self._apart.append(self._of_all(values))

    def _of_all(self, values: Sequence[Any]) -> Any:
        """The values of all replicas, as a part of one array for each: as they lay before, if they came so."""
        parts = [self._trace.parts.get(id(v), (None, None, -1)) for v in values]
        stacked = parts[0][1]
        if stacked is not None and all(
            p[1] is stacked and p[2] == at for at, p in enumerate(parts)
        ):
            return stacked
        if len(set(map(_form_of, values))) > 1:
            raise _NotTogetherError
        return jax.tree.map(lambda *arrays: jnp.stack(list(map(jnp.asarray, arrays))), *values)

    def _draws_from(self, x: Any, streams: list[TracedStream]) -> None:
        """Note the generators of the replicas; of one that they share, each takes up where the last one left it."""
        if len(set(map(id, streams))) < len(streams):
            raise _NotTogetherError
        self._stream_of[id(x)] = len(self._streams)
        self._streams.append(streams)

    def _outputs(self) -> list[Any]:
        """The tensors, of all replicas, that are used outside of the group."""
        rest = {id(op) for op in self._rest}
        columns = [c for c in self._group.columns if id(c[0]) in rest]
        found = [ys for c in columns for ys in zip(*[op.outputs for op in c], strict=True)]
        return [ys for ys in found if any(id(y) in self._used for y in ys)]

    def _evaluated(self, outputs: Sequence[Any]) -> list[Any]:
        """What the replicas find: NumPy's values, and arrays of an axis more, of all replicas."""
        is_cell = [isinstance(v, TracedCell) for v in self._shared]
        given = [None if is_known(v) else _array(v) for v in self._shared]
        known: list[Any] = [None] * len(outputs)
        streams = [_joined([s.parts for s in column]) for column in self._streams]
        if not any(map(np.size, jax.tree.leaves((self._apart, streams)))):
            raise _NotTogetherError  # XLA must see an element that is a replica's own

        def replica(shared: Any, apart: Any, streams: Any, lost: Any) -> Any:
            values = [v if s is None else s for v, s in zip(self._shared, shared, strict=True)]
            cells = [TracedCell(v) if c else v for v, c in zip(values, is_cell, strict=True)]
            own = [TracedStream(*_first(parts)) for parts in streams]
            inner = self._inner(cells, own, lost)
            results = self._replica(inner, cells, [_first(a) for a in apart], own, outputs)
            for at, value in enumerate(results):
                known[at] = value if is_known(value) else None
            found = [v for v in results if not is_known(v)]
            lacking = [] if is_known(inner.lacking) else [inner.lacking]
            more = inner.failed, lacking, [s.taken for s in own]
            return jax.tree.map(lambda v: jnp.asarray(v)[None], (found, more))

        whole, parts = jax.sharding.PartitionSpec(), jax.sharding.PartitionSpec(AXIS)
        mapped = _mapped(replica, self._group.mesh, (whole, parts, parts, whole), parts)
        arrays, (failed, lacking, taken) = mapped(given, self._apart, streams, self._trace.lost)
        self._trace.check(failed)
        if lacking:
            self._trace.note_lacking(jnp.max(lacking[0], 0))
        for column, counts in zip(self._streams, taken, strict=True):
            for at, stream in enumerate(column):
                stream.taken = counts[at]
        rest = iter(arrays)
        return [next(rest) if v is None else v for v in known]

    def _inner(self, shared: Sequence[Any], streams: Sequence[TracedStream], lost: Any) -> Trace:
        """What traces one replica."""
        cells = [c for c in shared if isinstance(c, TracedCell)]
        inner = Trace([*cells, *streams], [], self._trace.rooms)
        inner.lost = lost
        inner.within(self._trace)
        return inner

    def _replica(
        self,
        inner: Trace,
        shared: Sequence[Any],
        apart: Sequence[Any],
        streams: Sequence[TracedStream],
        outputs: Sequence[Any],
    ) -> list[Any]:
        """What one replica finds."""
        found = dict(self._new)
        for x, (is_apart, at) in self._places.items():
            found[x] = (apart if is_apart else shared)[at]
        found |= {x: streams[at] for x, at in self._stream_of.items()}
        with checking(inner.check):
            inner.take(self._rest, found)
        if inner.calls_back:
            raise _NotTogetherError
        return [found[id(y)] for y in outputs]

    def _part(self, stacked: Any, at: int) -> Any:
        part = jax.tree.map(itemgetter(at), stacked)
        self._trace.parts[id(part)] = part, stacked, at
        return part


def _alike(a: Any, b: Any) -> bool:
    if isinstance(a, TensorList) or isinstance(b, TensorList):
        return _form_of(a) == _form_of(b) and not jax.tree.leaves(a)
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype.hasobject and b.dtype.hasobject:
        return True  # what a check would say, and NumPy's run will
    return same_array(a, b)


def _first(parts: Any) -> Any:
    """The only one in what a replica is given of arrays of all."""
    return jax.tree.map(itemgetter(0), parts)


def _form_of(value: Any) -> Any:
    """What must be the same for values to be parts of one array, or lists for which each of their arrays is."""
    leaves, structure = jax.tree.flatten(value)
    return structure, tuple([(np.shape(v), np.dtype(v.dtype)) for v in leaves])


def _joined(parts: Sequence[Sequence[Any]]) -> list[Any]:
    """The parts of all replicas behind one another."""
    return [jnp.stack(list(map(jnp.asarray, column))) for column in zip(*parts, strict=True)]


def _array(value: Any) -> Any:
    return value._array if isinstance(value, TracedCell) else value


def _mapped(function: Any, mesh: Any, given: Any, results: Any) -> Any:
    """The function that each device of the mesh computes for its part."""
    try:
        shard_map = jax.shard_map
    except AttributeError:  # an older version of JAX
        shard_map = load("jax.experimental.shard_map").shard_map
        return shard_map(function, mesh=mesh, in_specs=given, out_specs=results, check_rep=False)
    return shard_map(function, mesh=mesh, in_specs=given, out_specs=results, check_vma=False)
