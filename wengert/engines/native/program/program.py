"""A plan that runs as machine code, created from its serialized program.

Compiled code and NumPy alternate: a segment is a run of native steps, which one call executes;
between segments are NumPy's steps. Python is entered once for each. Nothing here needs the
compiler: a process that finds a plan in the cache loads this module alone.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, Final, NamedTuple, Protocol

import numpy as np

from wengert.engines.native.frontend.scalar import dtype_of, part_of
from wengert.engines.native.program import arena, rows
from wengert.engines.native.runtime import openblas
from wengert.engines.native.runtime.named_kernels import KERNELS, kernel_address
from wengert.engines.native.runtime.thread_pool import functions, pool
from wengert.engines.native.runtime.trampoline import entry_of, is_wrong
from wengert.engines.native.runtime.units import PREFIX
from wengert.engines.numpy_engine import NumpyPlan, _function_of, in_operation
from wengert.errors import InvalidArgumentError
from wengert.execution.plan import Plan
from wengert.host.fp_errors import quietly
from wengert.host.locks import load_module
from wengert.host.malloc import keep_blocks
from wengert.ops.random.seeds import Stream
from wengert.values.shapes import shape_text
from wengert.values.tensor import wrap

KEEPING: Final = "keep_blocks()"  # the line ahead of a large array

# A native step: the name of a function, the number of parts, a slot and an offset in it for each
# array, and the tables of numbers that the function reads after its arrays.
Settings = tuple[str, Any, Any]
NativeStep = tuple[str, int, tuple[tuple[int, int], ...], tuple[Settings, ...]]


class Program(NamedTuple):
    """The serialized form of a compiled plan: text and numbers, which another process can load."""

    source: str  # of the Python function `run(values)`
    names: tuple[tuple[str, str, Any], ...]  # that it uses: name, kind, and which of that kind
    fresh: tuple[bool, ...]  # for each fetch, whether nothing else refers to its array
    is_one_call: bool  # so that it can be run again after it failed
    machine_code: tuple[str, ...]  # its names in the cache


class Code(Protocol):
    """Loaded machine code."""

    def address(self, name: str) -> int:
        """Where a function begins."""


class RunnableProgram:
    """A plan that can be called: `running.run(values of plan.given)` gives the fetches."""

    def __init__(self, plan: Plan, program: Program, code: Code | None, was_kept: bool) -> None:
        self.plan = plan
        self.program = program
        self.fresh = list(program.fresh)
        self.was_kept = was_kept
        self.is_one_call = program.is_one_call
        self._reference: NumpyPlan | None = None
        self._used = list(plan.used().values())
        self._code = code
        self._kept: list[Any] = []  # keeps alive what the tables point to
        self._names: dict[str, Any] = {
            "empty": np.empty,
            "ndarray": np.ndarray,
            "as_numbers": _as_numbers,
            "misfit": _misfit,
            "own": is_only_ours,
            "otherwise": self.otherwise,
            "as_rows": rows.as_rows,
            "check_lengths": rows.check_lengths,
            "as_list": rows.as_list,
            "listed": rows.listed,
            "more": rows.more,
            "keep_blocks": keep_blocks,
        }
        for name, kind, which in program.names:
            self._names[name] = getattr(self, f"_{kind}")(which)
        exec(compile(program.source, "<native plan>", "exec"), self._names)
        self.run: Callable[[Sequence[Any]], list[Any]] = self._names["run"]

    def reference(self) -> NumpyPlan:
        """The same plan for NumPy, which raises the error."""
        if self._reference is None:
            self._reference = NumpyPlan(self.plan)
        return self._reference

    def otherwise(self, values: Sequence[Any]) -> list[Any]:
        """Run the reference engine instead, after a check failed."""
        return self.reference()(values)

    def rebuild(self) -> Any:
        """How the plan was built: built again for inspection, as it takes 40 times the memory."""
        return load_module("wengert.engines.native.program.build").build(self.plan)

    # ---- what the function uses, by kind -------------------------------------------------------

    def _dtype(self, kind: str) -> Any:
        return dtype_of(kind)

    def _known(self, at: int) -> Any:
        return self._used[at]

    def _constant(self, at: int) -> Any:
        return np.asarray(self._used[at], order="C")

    def _part(self, place: tuple[int, int]) -> Any:
        """The real or the imaginary part of a constant."""
        at, which = place
        return part_of(self._used[at], which)

    def _array(self, said: tuple[str, tuple[int, ...], bytes]) -> Any:
        kind, shape, data = said
        return np.frombuffer(data, kind).reshape(shape).copy()  # a kernel says there that it failed

    def _step(self, at: int) -> Callable[..., Any]:
        return _by_numpy(self.plan.steps[at])

    def _reserved(self, blocks: int) -> Callable[..., Any]:
        return functools.partial(_state_for, blocks)

    def _iterations(self, pause: int | None) -> rows.Iterations:
        return rows.Iterations(pause)

    def _arenas(self, _: None) -> list[Any]:
        return []

    def _arena(self, size: int) -> Callable[[], Any]:
        return functools.partial(arena.new_arena, size)

    def _entry(self, segment: tuple[Any, ...]) -> Callable[..., Any]:
        steps, arguments, letting_go, over = segment
        return new_entry(steps, arguments, letting_go, self._kept, self._address, over)

    def _again(self, entry: str) -> Callable[..., bool]:
        return functools.partial(is_wrong, self._names[entry])

    def _address(self, name: str) -> int:
        if not name.startswith(f"@{PREFIX}"):
            return runtime_address(name)
        assert self._code is not None
        return self._code.address(name[1:])


# ---- native steps -------------------------------------------------------------------------------


def runtime_address(name: str) -> int:
    if name.startswith(KERNELS):
        return kernel_address(name)
    return functions().address(name[1:])


def new_entry(
    steps: Sequence[NativeStep],
    arguments: int,
    letting_go: bool,
    kept: list[Any],
    address: Callable[[str], int] = runtime_address,
    over: Sequence[tuple[int, int]] = (),
) -> Callable[..., Any]:
    """A built-in function of arrays that runs native steps. The caller must keep `kept` alive.

    `over` are pairs of arguments: the value of a variable, and the array for its new value.
    """
    table: list[int] = []
    room = 1
    for name, parts, arrays, settings in steps:
        count = len(arrays) + len(settings)
        room = max(room, count)
        table += [address(name) if name else 0, parts, count, 0]
        for place in arrays:
            table += place
        for numbers in settings:
            table += [-1, _in_place(numbers, kept)]
    return entry_of(table, len(steps), arguments, room, letting_go, kept, over)


def _in_place(settings: Settings, kept: list[Any]) -> int:
    """The address of the numbers that a function reads; a product's include two addresses."""
    kind, data, places = settings
    if kind == "loop":  # what the function of a loop calls, and the numbers that those read
        inner = [runtime_address(name) for name in data], [_in_place(s, kept) for s in places]
        numbers = np.array([pool.address, *inner[0], *inner[1]], np.int64)
        kept.append(numbers)
        return int(numbers.ctypes.data)
    fields, offsets = np.frombuffer(data, np.int64).copy(), np.frombuffer(places, np.int64)
    kept += [fields, offsets]
    if kind:
        function = openblas.address(kind)
        if function is None:
            raise LookupError("OpenBLAS was there when the plan was made, and is not any more.")
        fields[0], fields[13] = function, offsets.ctypes.data
    here: int = fields.ctypes.data
    return here


# ---- helpers that a plan's function calls -------------------------------------------------------


def is_only_ours(array: Any) -> bool:
    """Whether only a variable and the calling function refer to an array, and it is contiguous."""
    return sys.getrefcount(array) <= _ours() and array.base is None and array.flags.carray


@functools.cache
def _ours() -> int:
    """The reference count of an array that only a variable and a plan's function refer to.

    It depends on Python's version, and is measured in a function of the same form.
    """
    found: list[int] = []

    def own(array: Any) -> bool:
        found.append(sys.getrefcount(array))
        return True

    names: dict[str, Any] = {"own": own}
    exec("def run(v):\n a = v.held\n b = a if own(a) else None\n return b", names)
    names["run"](SimpleNamespace(held=np.zeros(3)))
    return found[0]


def _misfit(array: Any, shape: tuple[int, ...], dtype: Any) -> None:
    raise InvalidArgumentError(
        f"A value of shape {shape_text(array.shape)} and dtype {array.dtype} came where the graph "
        f"was built for {shape_text(shape)} and {dtype}: what was given to set_shape is not true."
    )


def _as_numbers(value: Any) -> Any:
    """A NumPy scalar, or another kind of array, as an array; raises for anything but numbers."""
    found = np.asarray(value)
    if found.dtype.hasobject:
        raise TypeError(f"A value is missing, or is no array of numbers: {value!r}.")
    return found


def _state_for(blocks: int, stream: Stream) -> Any:
    """The key and the counter with which so many blocks begin."""
    return stream.reserve(blocks).words


def _by_numpy(op: Any) -> Callable[..., Any]:
    """An operation computed by NumPy, whose errors name the user's line."""
    function = _function_of(op)

    def run(*arrays: Any) -> Any:
        try:
            return quietly(function, *arrays)
        except Exception as error:
            given = [wrap(v) for v in arrays if hasattr(v, "dtype") and hasattr(v, "shape")]
            raise in_operation(op, error, given) from error

    return run
