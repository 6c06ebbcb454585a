"""Barriers: elements whose components come one by one, and leave by their keys once they are complete."""

from __future__ import annotations

import heapq
import itertools
import threading
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from wengert.compat.v1.queues.rows import (
    check_shared,
    count,
    effect,
    handle_of,
    handle_row,
    run,
    shown_shapes,
    shown_types,
)
from wengert.core.context import current_graph
from wengert.errors import CancelledError, InvalidArgumentError, OutOfRangeError
from wengert.graph.operation import Operation
from wengert.state.cell import Resource
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype, int32, int64, string
from wengert.values.shapes import TensorShape, shape_text

# ---- what a session holds -----------------------------------------------------------------------

FIRST = -(2**63)  # the number of the first insertion


class Gathering(Resource):
    """The elements that are complete, and those that wait for components."""

    what = "barrier"

    def __init__(self, name: str, shapes: Sequence[TensorShape]) -> None:
        self._name, self._shapes = name, shapes
        self._changed = threading.Condition()
        self._begun: dict[bytes, tuple[int, list[Any]]] = {}
        self._ready: list[Any] = []
        self._insertions = itertools.count(FIRST)
        self._order = itertools.count()
        self._closed = self._cancelled = False

    def sizes(self) -> tuple[int, int]:
        """How many elements are complete, and how many are not."""
        return len(self._ready), len(self._begun)

    def insert(self, at: int, keys: Any, values: Any) -> None:
        """Give each of the elements with these keys a component."""
        with self._changed:
            self._check(at, keys, values)
            number = next(self._insertions)
            for key, value in zip(keys, values, strict=True):
                self._insert(at, key, np.array(value), number)
            self._changed.notify_all()

    def _check(self, at: int, keys: Any, values: Any) -> None:
        if not 0 <= at < len(self._shapes):
            raise InvalidArgumentError(
                f"The component ID is out of range {at} > num_components ( = {len(self._shapes)})"
            )
        if not self._shapes[at].is_compatible_with(values.shape[1:]):
            raise InvalidArgumentError(
                f"Shape mismatch in tuple component {at}. Expected {self._shapes[at]}, got "
                f"{shape_text(values.shape[1:])}"
            )
        new = [key for key in keys if key not in self._begun]
        if self._cancelled or (self._closed and new):
            raise CancelledError(
                f"Barrier {self._name} is closed.  Pending enqueues cancelled: {self._cancelled}.  "
                f"Number of new insertions: {len(new)}.  Number of incomplete keys: "
                f"{len(self._begun)}."
            )

    def _insert(self, at: int, key: bytes, value: Any, number: int) -> None:
        first, parts = self._begun.setdefault(key, (number, [None] * len(self._shapes)))
        if parts[at] is not None:
            raise InvalidArgumentError(
                f"Key {key.decode()} already has a value for component {at} in barrier {self._name}"
            )
        parts[at] = value
        if all(part is not None for part in parts):
            del self._begun[key]
            heapq.heappush(self._ready, (first, next(self._order), key, parts))

    def take(self, wanted: int, *, fewer: bool) -> list[Any]:
        """Wait for so many complete elements; of a closed barrier perhaps fewer."""
        with self._changed:
            while len(self._ready) < wanted and not self._ended():
                self._changed.wait(0.5)
            there = len(self._ready)
            if there < wanted and not (fewer and there):
                raise OutOfRangeError(
                    f"Barrier '{self._name}' is closed and has insufficient elements (requested "
                    f"{wanted}, total size {there})"
                )
            return [heapq.heappop(self._ready) for _ in range(min(wanted, there))]

    def _ended(self) -> bool:
        return self._cancelled or (self._closed and not self._begun)

    def close(self, *, cancel: bool) -> None:
        """No new keys; with cancel, no components either."""
        with self._changed:
            if self._closed and (self._cancelled or not cancel):
                raise CancelledError(f"Barrier '{self._name}' is already closed.")
            self._closed, self._cancelled = True, self._cancelled or cancel
            if cancel:
                self._begun.clear()
            self._changed.notify_all()


# ---- rows ---------------------------------------------------------------------------------------


def _insert(_: Any, barrier: Gathering, keys: Any, values: Any, *, at: int) -> list[Any]:
    barrier.insert(at, keys.tolist(), values)
    return []


def _take(_: Any, barrier: Gathering, wanted: Any, *, fewer: bool, **attrs: Any) -> list[Any]:
    found = barrier.take(int(wanted), fewer=fewer)
    numbers = np.array([number for number, *_ in found], np.int64)
    keys = np.array([key for _, _, key, _ in found], object)
    return [
        numbers,
        keys,
        *[np.stack(p) for p in zip(*[parts for *_, parts in found], strict=True)],
    ]


def _taken_forms(xs: Any, attrs: Any) -> list[Any]:
    rows = attrs["rows"]
    parts = [
        (None if s.rank is None else (rows, *s.as_list()), d.numpy_dtype)
        for s, d in zip(attrs["shapes"], attrs["dtypes"], strict=True)
    ]
    return [((rows,), int64.numpy_dtype), ((rows,), string.numpy_dtype), *parts]


def _close(_: Any, barrier: Gathering, *, cancel: bool) -> list[Any]:
    barrier.close(cancel=cancel)
    return []


def _size(which: int) -> Any:
    return lambda _, barrier: [np.array(barrier.sizes()[which], np.int32)]


def _made_of(op: Operation) -> dict[str, Any]:
    """What barriers of one shared name must have in common."""
    return {
        "component types": shown_types(op.attrs["component_types"]),
        "component shapes": shown_shapes(op.attrs["shapes"]),
    }


HANDLE = handle_row(
    "Barrier",
    lambda op: Gathering(op.name, op.attrs["shapes"]),
    lambda op, other: check_shared(
        "barrier", str(op.attrs["shared_name"]), _made_of(op), _made_of(other)
    ),
)
INSERT = effect("BarrierInsertMany", _insert)
TAKE = effect("BarrierTakeMany", _take, _taken_forms)
CLOSE = effect("BarrierClose", _close)
READY = effect("BarrierReadySize", _size(0), count)
INCOMPLETE = effect("BarrierIncompleteSize", _size(1), count)


# ---- barriers -----------------------------------------------------------------------------------


class BarrierTakeMany(NamedTuple):
    """What was taken: the numbers of the insertions, the keys, and the components."""

    indices: Any
    keys: Any
    values: list[Any]


class Barrier:
    """Elements of several components, which leave once all of their components are there."""

    def __init__(
        self, types: Any, shapes: Any = None, shared_name: str | None = None, name: str = "barrier"
    ) -> None:
        if current_graph() is None:
            raise ValueError("Barriers are not supported when eager execution is enabled.")
        self._types = [
            as_dtype(t) for t in (types if isinstance(types, (list, tuple)) else [types])
        ]
        self._shapes = _shapes(shapes, len(self._types))
        attrs = {
            "shapes": tuple(self._shapes),
            "component_types": tuple(self._types),
            "shared_name": shared_name or "",
        }
        self._ref = handle_of(HANDLE, attrs, name, lambda: None)
        self._name = str(self._ref.op.name)

    @property
    def barrier_ref(self) -> Any:
        """What stands for the barrier in its graph."""
        return self._ref

    @property
    def name(self) -> str:
        """The name of the barrier."""
        return self._name

    def _run(self, row: Any, inputs: Any, attrs: dict[str, Any], name: str | None) -> Any:
        called = row.name if row.name.startswith("Barrier") else f"Barrier{row.name}"
        return run(row, self._ref, inputs, attrs, name or f"{self._name}_{called}")

    def insert_many(
        self, component_index: int, keys: Any, values: Any, name: str | None = None
    ) -> Any:
        """An operation that gives the elements with these keys one of their components."""
        named, parts = convert(keys, string), convert(values, self._types[component_index])
        named.shape[:1].assert_is_compatible_with(parts.shape[:1])
        return self._run(INSERT, [named, parts], {"at": component_index}, name)

    def take_many(
        self,
        num_elements: Any,
        allow_small_batch: bool = False,
        timeout: int | None = None,
        name: str | None = None,
    ) -> BarrierTakeMany:
        """Numbers, keys and components of so many elements, as soon as they are complete."""
        wanted = convert(num_elements, int32)
        known = None if allow_small_batch else getattr(wanted, "_known", None)
        attrs = {
            "fewer": allow_small_batch,
            "rows": None if known is None else int(known),
            "shapes": tuple(self._shapes),
            "dtypes": tuple(self._types),
        }
        numbers, keys, *values = self._run(TAKE, [wanted], attrs, name)
        return BarrierTakeMany(numbers, keys, values)

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Any:
        """An operation after which there are no new keys."""
        return self._run(CLOSE, [], {"cancel": cancel_pending_enqueues}, name)

    def ready_size(self, name: str | None = None) -> Any:
        """How many elements are complete."""
        return self._run(READY, [], {}, name)[0]

    def incomplete_size(self, name: str | None = None) -> Any:
        """How many elements wait for components."""
        return self._run(INCOMPLETE, [], {}, name)[0]


def _shapes(shapes: Any, number: int) -> list[TensorShape]:
    if shapes is None:
        return [TensorShape(None)] * number
    found = [TensorShape(s) for s in (shapes if isinstance(shapes, (list, tuple)) else [shapes])]
    if not all(shape.is_fully_defined() for shape in found):
        raise ValueError(f"All shapes must be fully defined: {found}")
    for i, shape in enumerate(found):
        if shape.num_elements() == 0:
            raise ValueError(
                f"Empty tensors are not supported, but received shape '{shape}' at index {i}"
            )
    return found
