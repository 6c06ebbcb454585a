"""What a table holds while a program runs: values by their keys."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np

from wengert.errors import FailedPreconditionError, InvalidArgumentError
from wengert.host.locks import new_lock
from wengert.state.cell import Resource


class Form(NamedTuple):
    """What a table is made for."""

    kind: str  # the operation that makes it
    key_dtype: Any  # those of NumPy
    value_dtype: Any
    key_shape: tuple[int, ...] = ()
    value_shape: tuple[int, ...] = ()
    once: bool = False  # whether it is filled once, and then stays
    reserved: tuple[
        Any, ...
    ] = ()  # keys that no entry may have: the empty one, that of deleted entries


class Contents(Resource):
    """The entries of a table. Threads may share it."""

    what = "table"

    def __init__(self, form: Form, name: str) -> None:
        self.form = form
        self.name = name
        self.filled = not form.once
        self._lock = new_lock()
        self._entries: dict[Any, Any] = {}

    # ---- what is in it -----------------------------------------------------------------------

    def size(self) -> int:
        """How many entries there are."""
        self._check_filled()
        return len(self._entries)

    def found(self, keys: Any, default: Any) -> Any:
        """The values of keys; the default for those that are not there, or a default for each."""
        self._check_filled()
        flat = self._plain_keys(keys)
        self._refuse_reserved(flat)
        shape = keys.shape[: keys.ndim - len(self.form.key_shape)]
        each = default.ndim > len(self.form.value_shape)
        instead = self._plain_values(default) if each else repeat(self._plain_default(default))
        with self._lock:
            values = list(map(self._entries.get, flat, instead))
        return self._array(values, self.form.value_dtype, (*shape, *self.form.value_shape))

    def exported(self) -> tuple[Any, Any]:
        """All keys and all values."""
        with self._lock:
            keys, values = list(self._entries), list(self._entries.values())
        form, count = self.form, len(keys)
        return (
            self._array(keys, form.key_dtype, (count, *form.key_shape)),
            self._array(values, form.value_dtype, (count, *form.value_shape)),
        )

    # ---- what changes it ---------------------------------------------------------------------

    def insert(self, keys: Any, values: Any) -> None:
        """Add entries, or replace their values."""
        flat = self._plain_keys(keys)
        self._refuse_reserved(flat)
        with self._lock:
            self._entries.update(zip(flat, self._plain_values(values), strict=True))

    def remove(self, keys: Any) -> None:
        """Take out entries; those that are not there do not matter."""
        flat = self._plain_keys(keys)
        self._refuse_reserved(flat)
        with self._lock:
            for key in flat:
                self._entries.pop(key, None)

    def replace(self, keys: Any, values: Any) -> None:
        """Hold these entries alone."""
        with self._lock:
            self._entries.clear()
        self.insert(keys, values)

    def fill(self, keys: Any, values: Any) -> None:
        """Fill a table that is filled once; again does nothing."""
        self.fill_with(zip(self._plain_keys(keys), self._plain_values(values), strict=True))

    def fill_with(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        """Fill a table that is filled once with pairs of Python's values."""
        if self.filled:
            return
        entries: dict[Any, Any] = {}
        for key, value in pairs:
            before = entries.setdefault(key, value)
            if before != value:
                raise FailedPreconditionError(
                    f"HashTable has different value for same key. Key {_text(key)} has "
                    f"{_text(before)} and trying to add value {_text(value)}"
                )
        with self._lock:
            self._entries, self.filled = entries, True

    def _refuse_reserved(self, keys: list[Any]) -> None:
        for key, which in zip(self.form.reserved, ("empty_key", "deleted_key"), strict=False):
            if key in keys:
                raise InvalidArgumentError(f"Using the {which} as a table key is not allowed")

    def _check_filled(self) -> None:
        if not self.filled:
            raise FailedPreconditionError(
                f"Table not initialized: {self.name}. In a session, run "
                "tf.compat.v1.tables_initializer() first."
            )

    # ---- between arrays and entries ----------------------------------------------------------

    def _plain_keys(self, keys: Any) -> list[Any]:
        return plain(keys, self.form.key_shape)

    def _plain_values(self, values: Any) -> list[Any]:
        return plain(values, self.form.value_shape)

    def _plain_default(self, default: Any) -> Any:
        return self._plain_values(np.asarray(default)[None])[0]

    @staticmethod
    def _array(entries: list[Any], dtype: Any, shape: tuple[int, ...]) -> Any:
        if dtype.kind != "O":
            return np.array(entries, dtype).reshape(shape)
        flat = (
            [text for row in entries for text in row]
            if len(shape) > 1 and _rows(entries)
            else entries
        )
        made = np.empty(len(flat), object)
        made[:] = flat
        return made.reshape(shape)

    # ---- for checkpoints ---------------------------------------------------------------------

    def kept(self) -> Any:
        """What it holds, to be put back."""
        return self.exported()

    def put_back(self, kept: Any) -> None:
        """Hold again what it held."""
        self.replace(*kept)

    def __repr__(self) -> str:
        return f"<table {self.name} of {len(self._entries)} entries>"


def plain(array: Any, shape: tuple[int, ...]) -> list[Any]:
    """The entries of an array as Python has them: scalars, or tuples of those of a longer entry."""
    found = np.asarray(array)
    if not shape:
        listed: list[Any] = found.reshape(-1).tolist()
        return listed
    rows = found.reshape(-1, int(np.prod(shape)))
    return [tuple(row) for row in rows.tolist()]


def _rows(entries: list[Any]) -> bool:
    return bool(entries) and isinstance(entries[0], tuple)


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
