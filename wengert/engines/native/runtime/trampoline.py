"""From Python into machine code: a built-in function whose arguments are NumPy arrays."""

from __future__ import annotations

import ctypes
import functools
import sys
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, Final

import numpy as np

from wengert.engines.native.runtime.thread_pool import functions, pool
from wengert.host.lifetime import keep_for_ever

_FASTCALL: Final = 0x80


class _MethodDef(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    ]


@functools.cache
def _method() -> _MethodDef:
    """The PyMethodDef of all plans, which differ in `self`; it must outlive all functions."""
    return keep_for_ever(_MethodDef(b"native", functions().address("entry"), _FASTCALL, None))


@functools.cache
def _is_readable() -> bool:
    """Whether NumPy's array objects have the memory layout that the compiled entry expects."""
    if sys.implementation.name != "cpython" or np.dtype(np.intp).itemsize != 8:
        return False
    array = np.zeros((3, 5))
    data = ctypes.c_void_p.from_address(id(array) + 16).value
    axes = ctypes.c_int.from_address(id(array) + 24).value
    flags = [ctypes.c_int.from_address(id(a) + 64).value & 0x101 for a in (array, array[:, ::2])]
    return data == array.ctypes.data and axes == 2 and flags == [0x101, 0x100]


def _address_of(name: str) -> int:
    return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0


def entry_of(
    table: list[int],
    steps: int,
    arguments: int,
    room: int,
    letting_go: bool,
    kept: list[Any],
    over: Sequence[tuple[int, int]] = (),
    most: int | None = None,
) -> Callable[..., Any]:
    """A built-in function of arrays that runs the steps of a table.

    Of each pair of arguments in `over` the first is the value of a variable and the second is
    written. If they are the same array and it has other references, nothing is run and `...`
    returned.
    """
    numbers = np.array(table, np.int64)
    if not _is_readable():
        return _by_ctypes(numbers, steps, room, kept, over)
    pairs = np.array([*over, (0, 0)], np.int64)
    most = (_most_references() if over else 0) if most is None else most
    plan = np.array(
        [arguments, steps, numbers.ctypes.data, pool.address, letting_go,
         _address_of("PyEval_SaveThread"), _address_of("PyEval_RestoreThread"), room,
         id(None), id(False), _address_of("Py_IncRef"), id(True), id(...),
         len(over), pairs.ctypes.data, most],
        np.int64,
    )  # fmt: skip
    kept += [numbers, plan, pairs]
    new = ctypes.pythonapi.PyCFunction_NewEx
    new.restype = ctypes.py_object
    new.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    entry: Callable[..., Any] = new(ctypes.addressof(_method()), plan, None)
    return entry


@functools.cache
def _most_references() -> int:
    """The reference count, seen by the entry, of an array that only a variable and a plan have.

    It depends on Python's version, and is measured with a function of the same form.
    """
    source = "def run(v):\n a = v.held\n b = a if own(a) else None\n s = n(a, b)\n return s"
    for most in range(1, 32):
        kept: list[Any] = []
        entry = entry_of([0] * 4, 0, 2, 1, False, kept, [(0, 1)], most)
        names: dict[str, Any] = {"own": lambda a: True, "n": entry}
        exec(source, names)
        if names["run"](SimpleNamespace(held=np.zeros(3))) is None:
            return most
    return 0  # nothing is ever overwritten


def _by_ctypes(
    numbers: Any, steps: int, room: int, kept: list[Any], over: Sequence[tuple[int, int]]
) -> Callable[..., Any]:
    """The same where the entry cannot read NumPy's objects, nor their reference counts."""
    kind = ctypes.CFUNCTYPE(
        ctypes.c_int64,
        ctypes.c_void_p,
        ctypes.c_int64,
        ctypes.c_void_p,
        ctypes.c_void_p,
        ctypes.c_void_p,
    )
    run = kind(functions().address("steps"))
    kept.append(numbers)

    def entry(*arrays: Any) -> Any:
        if not all(a.flags.c_contiguous and a.flags.aligned for a in arrays):
            return False
        if any(arrays[old] is arrays[new] for old, new in over):
            return ...
        slots = np.array([a.ctypes.data for a in arrays], np.int64)
        places = np.empty(room, np.int64)
        found = run(numbers.ctypes.data, steps, slots.ctypes.data, places.ctypes.data, pool.address)
        return True if found else None

    return entry


def is_wrong(entry: Callable[..., Any], status: Any, *arrays: Any) -> bool:
    """Whether a call that did not return None failed a check.

    If it refused arrays because they are not contiguous, it is repeated with copies of them.
    """
    if status is False:
        dense = [np.require(a, requirements=("C", "A")) for a in arrays]
        status = entry(*dense)
    return status is True
