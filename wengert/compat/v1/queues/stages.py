"""Staging areas: values put aside for a later step, in order or by their keys."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from wengert.compat.v1.queues.rows import components, count, effect, handle_of, handle_row, run
from wengert.core.context import current_graph
from wengert.errors import InvalidArgumentError, ResourceExhaustedError
from wengert.state.cell import Resource
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype, int32, int64
from wengert.values.shapes import TensorShape
from wengert.values.tensor import Tensor

# ---- what a session holds -----------------------------------------------------------------------


class Shelf(Resource):
    """What is there, within limits of number and memory, for whose change threads wait."""

    what = "staging area"

    def __init__(self, capacity: int, memory: int, parts: int, ordered: bool) -> None:
        self._capacity, self._memory = capacity, memory
        self._parts, self._ordered = parts, ordered
        self._changed = threading.Condition()
        self.clear()

    def clear(self) -> None:
        """Remove everything."""
        with self._changed:
            self._rows: list[dict[int, Any]] = []
            self._complete: dict[int, dict[int, Any]] = {}
            self._begun: dict[int, dict[int, Any]] = {}
            self._changed.notify_all()

    def sizes(self) -> tuple[int, int]:
        """How many tuples are complete, and how many are not."""
        return len(self._rows) + len(self._complete), len(self._begun)

    def _wait(self, reached: Callable[[], bool]) -> None:
        """Wait in turns, so that an interrupt of the program is seen."""
        while not reached():
            self._changed.wait(0.5)

    def _bytes(self) -> int:
        tuples = [*self._rows, *self._complete.values(), *self._begun.values()]
        return sum(array.nbytes for row in tuples for array in row.values())

    def _await_room(self, values: dict[int, Any]) -> None:
        size = sum(array.nbytes for array in values.values())
        if self._memory and size > self._memory:
            raise ResourceExhaustedError(
                f"Attempted to insert tensors with combined size of '{size}' bytes into Staging Area "
                f"with a memory limit of '{self._memory}'."
            )
        self._wait(
            lambda: (
                (not self._capacity or sum(self.sizes()) < self._capacity)
                and (not self._memory or self._bytes() + size <= self._memory)
            )
        )

    # ---- in order --------------------------------------------------------------------------

    def put(self, values: dict[int, Any]) -> None:
        """One more tuple, behind the others."""
        with self._changed:
            self._await_room(values)
            self._rows.append(values)
            self._changed.notify_all()

    def get(self) -> dict[int, Any]:
        """The first tuple, which is removed."""
        with self._changed:
            self._wait(lambda: bool(self._rows))
            found = self._rows.pop(0)
            self._changed.notify_all()
            return found

    def peek(self, at: int) -> dict[int, Any]:
        """The tuple of that number, once it is there."""
        with self._changed:
            self._wait(lambda: at < len(self._rows))
            return self._rows[at]

    # ---- by keys ---------------------------------------------------------------------------

    def put_at(self, key: int, values: dict[int, Any]) -> None:
        """Some of the values of the tuple with this key, or all."""
        with self._changed:
            for i in values:
                if key in self._begun and i in self._begun[key]:
                    raise InvalidArgumentError(
                        f"The tensor for index '{i}' for key '{key}' was already initialized "
                        f"'{len(self._begun[key])}'."
                    )
            if key not in self._begun:
                self._await_room(values)
            row = {**self._begun.pop(key, {}), **values}
            (self._complete if len(row) == self._parts else self._begun)[key] = row
            self._changed.notify_all()

    def get_at(self, key: int, which: Sequence[int]) -> dict[int, Any]:
        """These values of the tuple with this key, which are removed."""
        with self._changed:
            self._wait(lambda: key in self._complete)
            return self._removed(key, which)

    def get_any(self, which: Sequence[int]) -> tuple[int, dict[int, Any]]:
        """The same for any key: the smallest, in an area that is ordered."""
        with self._changed:
            self._wait(lambda: bool(self._complete))
            key = min(self._complete) if self._ordered else next(iter(self._complete))
            return key, self._removed(key, which)

    def _removed(self, key: int, which: Sequence[int]) -> dict[int, Any]:
        row = self._complete[key]
        _check_there(key, row, which)
        found = {i: row.pop(i) for i in which}
        if not row:
            del self._complete[key]
        self._changed.notify_all()
        return found

    def peek_at(self, key: int, which: Sequence[int]) -> dict[int, Any]:
        """These values of the tuple with this key."""
        with self._changed:
            self._wait(lambda: key in self._complete)
            _check_there(key, self._complete[key], which)
            return self._complete[key]


def _check_there(key: int, row: dict[int, Any], which: Sequence[int]) -> None:
    for i in which:
        if i not in row:
            raise InvalidArgumentError(
                f"Tensor at index '{i}' for key '{key}' has already been removed."
            )


# ---- rows ---------------------------------------------------------------------------------------


def _held(which: Sequence[int], values: Sequence[Any]) -> dict[int, Any]:
    return {i: np.array(value) for i, value in zip(which, values, strict=True)}


def _listed(row: dict[int, Any], which: Sequence[int]) -> list[Any]:
    return [row[i] for i in which]


def _put(_: Any, shelf: Shelf, *values: Any, which: Sequence[int]) -> list[Any]:
    shelf.put(_held(which, values))
    return []


def _put_at(_: Any, shelf: Shelf, key: Any, *values: Any, which: Sequence[int]) -> list[Any]:
    shelf.put_at(int(key), _held(which, values))
    return []


def _get_any(_: Any, shelf: Shelf, *, which: Sequence[int], dtypes: Any) -> list[Any]:
    key, row = shelf.get_any(which)
    return [np.int64(key), *_listed(row, which)]


def _clear(_: Any, shelf: Shelf) -> list[Any]:
    shelf.clear()
    return []


def _read(row: str, take: Callable[..., dict[int, Any]]) -> Any:
    """The row of an operation that gives values of a tuple."""

    def kernel(_: Any, shelf: Shelf, *at: Any, which: Sequence[int], dtypes: Any) -> list[Any]:
        return _listed(take(shelf, [int(i) for i in at], which), which)

    return effect(row, kernel, components)


HANDLE = handle_row("StagingArea", lambda op: Shelf(**op.attrs))
PUT = effect("Stage", _put)
GET = _read("Unstage", lambda shelf, at, which: shelf.get())
PEEK = _read("StagePeek", lambda shelf, at, which: shelf.peek(*at))
PUT_AT = effect("MapStage", _put_at)
GET_AT = _read("MapUnstage", lambda shelf, at, which: shelf.get_at(*at, which))
PEEK_AT = _read("MapPeek", lambda shelf, at, which: shelf.peek_at(*at, which))
GET_ANY = effect(
    "MapUnstageNoKey",
    _get_any,
    lambda xs, attrs: [((), int64.numpy_dtype), *components(xs, attrs)],
)
CLEAR = effect("StageClear", _clear)
SIZE = effect("StageSize", lambda _, shelf: [np.array(shelf.sizes()[0], np.int32)], count)
INCOMPLETE = effect(
    "MapIncompleteSize", lambda _, shelf: [np.array(shelf.sizes()[1], np.int32)], count
)


# ---- areas --------------------------------------------------------------------------------------


class BaseStagingArea:
    """What both areas have."""

    _ordered = False

    def __init__(
        self,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        capacity: int = 0,
        memory_limit: int = 0,
    ) -> None:
        self._dtypes = [as_dtype(d) for d in dtypes]
        self._names = None if names is None else list(names)
        self._capacity, self._memory_limit = capacity, memory_limit
        number = len(self._dtypes)
        self._shapes = [TensorShape(s) for s in ([None] * number if shapes is None else shapes)]
        if len(self._shapes) != number:
            raise ValueError("StagingArea shapes must be the same length as dtypes")
        if names is not None and len(names) != number:
            raise ValueError("StagingArea names must be the same length as dtypes")
        if capacity < 0 or memory_limit < 0:
            raise ValueError("Neither capacity nor memory_limit may be negative")
        attrs: dict[str, Any] = {
            "capacity": capacity,
            "memory": memory_limit,
            "parts": number,
            "ordered": self._ordered,
        }
        called = type(self).__name__
        self._handle = handle_of(HANDLE, attrs, shared_name or called, lambda: Shelf(**attrs))
        self._name = called if current_graph() is None else self._handle.op.name

    @property
    def name(self) -> str:
        """The name of the area."""
        return self._name

    @property
    def dtypes(self) -> list[Any]:
        """The dtypes of the values."""
        return self._dtypes

    @property
    def shapes(self) -> list[TensorShape]:
        """The shapes of the values."""
        return self._shapes

    @property
    def names(self) -> Any:
        """The names of the values, if they have some."""
        return self._names

    @property
    def capacity(self) -> int:
        """How many tuples there may be; 0 for any number."""
        return self._capacity

    @property
    def memory_limit(self) -> int:
        """How many bytes there may be; 0 for any number."""
        return self._memory_limit

    def _run(self, row: Any, inputs: Any, attrs: Any, what: str, name: str | None) -> Any:
        return run(row, self._handle, inputs, attrs, name or f"{self._name}_{what}")

    def _given(self, vals: Any, indices: Any) -> tuple[list[Tensor], tuple[int, ...]]:
        """The values to put, and which they are."""
        if isinstance(vals, dict):
            names = self._names_of(vals)
            indices, vals = [self._names_index(n) for n in names], [vals[n] for n in names]
        elif self._names:
            raise ValueError("You must enqueue a dictionary in a staging area with names")
        elif indices is None:
            raise ValueError("Indices must be supplied when inserting a list of tensors")
        if not isinstance(vals, (list, tuple)):
            vals, indices = [vals], [0]
        if len(indices) != len(vals):
            raise ValueError(
                f"Number of indices {len(indices)} doesn't match number of values {len(vals)}"
            )
        if len(vals) > len(self._dtypes):
            raise ValueError(f"Unexpected number of inputs {len(vals)} vs {len(self._dtypes)}")
        return [self._checked(v, i) for v, i in zip(vals, indices, strict=True)], tuple(indices)

    def _names_of(self, vals: dict[str, Any]) -> list[str]:
        if not self._names:
            raise ValueError("Staging areas must have names to enqueue a dictionary")
        if not set(vals) <= set(self._names):
            raise ValueError(
                "Keys in dictionary to put do not match names of staging area. Dictionary: "
                f"{sorted(vals)}Queue: {sorted(self._names)}"
            )
        return [name for name in self._names if name in vals]

    def _names_index(self, name: str) -> int:
        return list(self._names or ()).index(name)

    def _checked(self, value: Any, i: int) -> Tensor:
        wanted = self._dtypes[i]
        if isinstance(value, Tensor) and value.dtype != wanted:
            raise ValueError(
                f"Datatypes do not match. Received val.dtype {value.dtype} and dtype {wanted}"
            )
        found = convert(value, wanted)
        found.shape.assert_is_compatible_with(self._shapes[i])
        return found

    def _returned(self, tensors: Sequence[Any], which: Sequence[int]) -> Any:
        """What is handed out: a dictionary, if the values have names."""
        for tensor, i in zip(tensors, which, strict=True):
            if current_graph() is not None:
                tensor.set_shape(self._shapes[i])
        if self._names:
            return {self._names[i]: t for t, i in zip(tensors, which, strict=True)}
        return list(tensors)

    def _reading(self, which: Sequence[int]) -> dict[str, Any]:
        return {"which": tuple(which), "dtypes": tuple(self._dtypes[i] for i in which)}

    def size(self, name: str | None = None) -> Any:
        """How many complete tuples there are."""
        return self._run(SIZE, [], {}, "size", name)[0]

    def clear(self, name: str | None = None) -> Any:
        """An operation that removes everything."""
        return self._run(CLEAR, [], {}, "clear", name)


class StagingArea(BaseStagingArea):
    """An area from which tuples leave in the order in which they came."""

    def put(self, values: Any, name: str | None = None) -> Any:
        """An operation that puts a tuple there, as soon as there is room."""
        listed = values if isinstance(values, (dict, list, tuple)) else [values]
        given, which = self._given(listed, list(range(len(listed))))
        if len(given) != len(self._dtypes):
            raise ValueError(f"Unexpected number of inputs {len(given)} vs {len(self._dtypes)}")
        return self._run(PUT, given, {"which": which}, "put", name)

    def get(self, name: str | None = None) -> Any:
        """The tuple that has been there longest, which leaves."""
        which = range(len(self._dtypes))
        return self._returned(self._run(GET, [], self._reading(which), "get", name), which)

    def peek(self, index: Any, name: str | None = None) -> Any:
        """The tuple of that number, which stays."""
        which = range(len(self._dtypes))
        at = [convert(index, int32)]
        return self._returned(self._run(PEEK, at, self._reading(which), "peek", name), which)


class MapStagingArea(BaseStagingArea):
    """An area with a key for each tuple, whose values may come and leave one by one."""

    def __init__(
        self,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        ordered: bool = False,
        capacity: int = 0,
        memory_limit: int = 0,
    ) -> None:
        self._ordered = ordered
        super().__init__(dtypes, shapes, names, shared_name, capacity, memory_limit)

    def put(self, key: Any, vals: Any, indices: Any = None, name: str | None = None) -> Any:
        """An operation that puts values of the tuple with a key there."""
        given, which = self._given(vals, indices)
        at = convert(key, int64)
        return self._run(PUT_AT, [at, *given], {"which": which}, "put", name)

    def get(self, key: Any = None, indices: Any = None, name: str | None = None) -> Any:
        """A key, and values of its tuple, which leave; without a key, those of any."""
        which = self._which(indices)
        attrs = self._reading(which)
        if key is None:
            found, *values = self._run(GET_ANY, [], attrs, "get_nokey", name)
            return found, self._returned(values, which)
        found = convert(key, int64)
        return found, self._returned(self._run(GET_AT, [found], attrs, "get", name), which)

    def peek(self, key: Any, indices: Any = None, name: str | None = None) -> Any:
        """Values of the tuple with a key, which stay."""
        which = self._which(indices)
        at = [convert(key, int64)]
        return self._returned(self._run(PEEK_AT, at, self._reading(which), "peek", name), which)

    def _which(self, indices: Any) -> list[int]:
        if indices is None:
            return list(range(len(self._dtypes)))
        if not isinstance(indices, (list, tuple)):
            raise TypeError(f"Invalid indices type {type(indices)}")
        if not indices:
            raise ValueError("Empty indices")
        if all(isinstance(i, str) for i in indices):
            return [self._named(i) for i in indices]
        if all(isinstance(i, int) for i in indices):
            return list(indices)
        raise TypeError(f"Mixed types in indices {indices}. May only be str or int")

    def _named(self, name: str) -> int:
        if self._names is None:
            raise ValueError(
                f"String indices provided {name}, but this Staging Area was not created with names."
            )
        if name not in self._names:
            raise ValueError(f"Named index not in Staging Area names {self._names}")
        return self._names_index(name)

    def incomplete_size(self, name: str | None = None) -> Any:
        """How many tuples wait for values."""
        return self._run(INCOMPLETE, [], {}, "incomplete_size", name)[0]
