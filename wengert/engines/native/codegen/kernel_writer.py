"""Kernels whose sizes are arguments: compiled once, for arrays of any size.

Plans are compiled for fixed sizes. Outside of plans sizes change from call to call, so these
kernels read theirs from memory. Like a step of a plan, a kernel is a function of a table of arrays,
the last of which holds its integer arguments ("numbers"), and of a part; the thread pool
distributes the parts. How the work is cut depends on sizes alone, not on the threads, and so do the
results.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any, Final, TypeVar

import numpy as np

from wengert.engines.native.codegen.function_writer import FunctionWriter
from wengert.engines.native.codegen.math_functions import functions_text
from wengert.engines.native.codegen.panel_columns import mask_of
from wengert.engines.native.frontend.scalar import NotLowered
from wengert.engines.native.runtime.cache import load_or_store
from wengert.engines.native.runtime.llvm import LoadedObject, compile_text
from wengert.engines.native.runtime.processor import multiplies_and_adds
from wengert.engines.native.runtime.thread_pool import functions, one_at_a_time
from wengert.engines.native.runtime.trampoline import entry_of
from wengert.host.warn_once import warn_once

Found = TypeVar("Found")


def prepare() -> None:
    """Load what every kernel needs; raises where kernels are not supported."""
    if not multiplies_and_adds():
        raise NotLowered("no fused multiply-add")
    functions()


def careful(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, but returning None where it fails, so that NumPy takes over."""

    def run(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except (NotLowered, MemoryError, ImportError, OSError):
            return None
        except Exception as error:  # noqa: BLE001  # warned of once, and NumPy computes it
            warn_once(
                f"A large array is computed by NumPy instead of machine code "
                f"({type(error).__name__}: {error}). This is a mistake in Wengert: please report it."
            )
            return None

    return run


# ---- running ----------------------------------------------------------------------------------


class Kernel:
    """A compiled kernel, which can be called."""

    def __init__(self, text: str) -> None:
        self._loaded = LoadedObject(load_or_store("kernel", text, lambda: compile_text(text)))
        self.address = self._loaded.address("kernel")
        self.bound = functools.lru_cache(maxsize=256)(self._bind)

    def __call__(self, parts: int, numbers: tuple[int, ...], *arrays: Any) -> None:
        """Run all parts, on contiguous arrays."""
        # A NumPy scalar looks like an array, but has its data elsewhere in the object.
        given = [a if type(a) is np.ndarray else np.asarray(a) for a in arrays]
        self.bound(parts, numbers, len(arrays))(*given)

    def _bind(
        self,
        parts: int,
        numbers: tuple[int, ...],
        count: int,
        over: tuple[tuple[int, int], ...] = (),
    ) -> _Bound:
        """A built-in function of the arrays, for these sizes.

        It lets other threads of Python run, unless it writes over what a variable holds.
        """
        held = np.array([*numbers, 0], np.int64)
        table = [self.address, parts, count + 1, 0]
        table += itertools.chain(*[(k, 0) for k in range(count)])
        table += [-1, held.ctypes.data]
        kept = [held]
        return _Bound(entry_of(table, 1, count, count + 1, not over, kept, over), held, kept)


class _Bound:
    """A kernel bound to some sizes: a built-in function, and the memory that it reads."""

    __slots__ = ("_held", "_kept", "entry")

    def __init__(self, entry: Callable[..., Any], held: Any, kept: list[Any]) -> None:
        self.entry = entry
        self._held = held
        self._kept = kept

    def __call__(self, *arrays: Any) -> None:
        if self.entry(*arrays) is not None:
            raise NotLowered("an array with gaps")
        if self._held[-1]:  # not cleared: another thread may be about to read it
            raise MemoryError


def kernel(write: Callable[..., str]) -> Callable[..., Kernel]:
    """Decorates a function that writes a kernel: compile it, once for each set of arguments."""

    @functools.cache
    def made(*kinds: Any) -> Kernel:
        return Kernel(write(*kinds))

    def found(*kinds: Any) -> Kernel:
        with one_at_a_time():  # else two threads compile it, and one drops code that still runs
            return made(*kinds)

    return found


def memory_of(x: Any) -> Any:
    """All that lies between the first and the last element of an array whose steps go forward."""
    if x.flags.c_contiguous:
        return x
    steps = zip(x.strides, x.shape, strict=True)
    size = sum(step * (count - 1) for step, count in steps) // x.itemsize + 1
    return np.lib.stride_tricks.as_strided(x, (size,), (x.itemsize,))


MOST: Final = 1 << 10  # ways for arrays to lie in memory, of which a kernel remembers what it does


def remembered(known: dict[Any, Found], lying: Any, found: Found) -> Found:
    """What was found out about arrays that lie in such a way, which is kept for the next ones."""
    if len(known) >= MOST:
        known.clear()
    known[lying] = found
    return found


# ---- writing ----------------------------------------------------------------------------------


class KernelWriter(FunctionWriter):
    """Writes a kernel: its numbers are loaded at its start."""

    def __init__(self, arrays: int, numbers: int) -> None:
        super().__init__(arrays)
        self.table = self.loaded("ptr", "%b", arrays)
        self.numbers = [self.loaded("i64", self.table, k) for k in range(numbers)]
        self._failed = self.set(f"getelementptr i64, ptr {self.table}, i64 {numbers}")
        self._rooms: list[str] = []

    def along_row(self, count: str, short: int, width: int, body: Callable[..., None]) -> None:
        """The elements of a row: as one vector if all rows are `short`, of so many elements."""
        if short:
            body(0, mask_of(short, width), [])
        else:
            self.along(count, width, body)

    def text(self) -> str:
        """The complete LLVM IR of the kernel."""
        more = functions_text(self.calls, self.declarations)
        lines = [*sorted(self.declarations), *more]
        lines += ["define void @kernel(ptr %b, i64 %part) nounwind {", *self.lines]
        lines += [f"call void @free(ptr {p})" for p in self._rooms]
        return "\n".join([*lines, "ret void", "}"])

    def room(self, kind: str, count: Any) -> str:
        """Allocate memory for so many elements while the kernel runs; the pointer to it.

        If that fails, the kernel sets the last of its numbers, and returns.
        """
        self.declarations |= {"declare ptr @malloc(i64)", "declare void @free(ptr)"}
        found = self.set(f"call ptr @malloc(i64 {self.mul(count, kind[1])})")
        none = self.set(f"icmp eq ptr {found}, null")
        name = f"m{next(self._labels)}"
        self.do(f"br i1 {none}, label %{name}.none, label %{name}.some")
        self.label(f"{name}.none")
        self.do(f"store i64 1, ptr {self._failed}")
        self.do("ret void")
        self.label(f"{name}.some")
        self._rooms.append(found)
        return found
