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
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from wengert.engines.native.codegen.math_functions import functions_text
from wengert.engines.native.codegen.vectors import Body, llvm_type, memory_type
from wengert.engines.native.frontend.scalar import NotLowered
from wengert.engines.native.runtime.cache import load_or_store
from wengert.engines.native.runtime.llvm import LoadedObject, compile_text
from wengert.engines.native.runtime.processor import multiplies_and_adds
from wengert.engines.native.runtime.thread_pool import functions, one_at_a_time
from wengert.engines.native.runtime.trampoline import entry_of
from wengert.host.warn_once import warn_once

Step = Callable[[str, list[str]], Sequence[str] | None]  # None where no values are carried


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
        self._bound = functools.lru_cache(maxsize=256)(self._bind)

    def __call__(self, parts: int, numbers: tuple[int, ...], *arrays: Any) -> None:
        """Run all parts, on contiguous arrays."""
        # A NumPy scalar looks like an array, but has its data elsewhere in the object.
        given = [a if type(a) is np.ndarray else np.asarray(a) for a in arrays]
        self._bound(parts, numbers, len(arrays))(*given)

    def _bind(self, parts: int, numbers: tuple[int, ...], count: int) -> Callable[..., Any]:
        """A built-in function of the arrays, for these sizes."""
        held = np.array([*numbers, 0], np.int64)
        table = [self.address, parts, count + 1]
        table += itertools.chain(*[(k, 0) for k in range(count)])
        table += [-1, held.ctypes.data]
        return _Bound(entry_of(table, 1, count, count + 1, True, kept := [held]), held, kept)


class _Bound:
    """A kernel bound to some sizes: a built-in function, and the memory that it reads."""

    __slots__ = ("_entry", "_held", "_kept")

    def __init__(self, entry: Callable[..., Any], held: Any, kept: list[Any]) -> None:
        self._entry = entry
        self._held = held
        self._kept = kept

    def __call__(self, *arrays: Any) -> None:
        if self._entry(*arrays) is not None:
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


# ---- writing ----------------------------------------------------------------------------------


class KernelWriter(Body):
    """Writes a kernel: its arrays are pointers, its numbers are loaded at its start."""

    def __init__(self, arrays: int, numbers: int) -> None:
        super().__init__(set())
        self._calls: dict[tuple[str, str, int], None] = {}
        self._labels = itertools.count()
        self.label("entry")
        pointers = [self._at("ptr", "%b", k) for k in range(arrays + 1)]
        self.arrays, self.table = pointers[:-1], pointers[-1]
        self.numbers = [self._at("i64", self.table, k) for k in range(numbers)]
        self._failed = self.set(f"getelementptr i64, ptr {self.table}, i64 {numbers}")
        self._rooms: list[str] = []

    def _at(self, kind: str, pointer: str, k: int | str) -> str:
        return self.set(
            f"load {kind}, ptr {self.set(f'getelementptr i64, ptr {pointer}, i64 {k}')}"
        )

    def text(self) -> str:
        """The complete LLVM IR of the kernel."""
        more = functions_text(self._calls, self.declarations)
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

    def called(self, name: str, kind: str, width: int) -> str:
        """The symbol of a function of `mathematics` that scalar code calls."""
        self._calls[name, kind, width] = None
        return f"@{name}.{kind}.{width}"

    # ---- integers ------------------------------------------------------------------------------

    def add(self, *xs: Any) -> str:
        return functools.reduce(lambda a, b: self.set(f"add i64 {a}, {b}"), map(str, xs))

    def sub(self, x: Any, y: Any) -> str:
        return self.set(f"sub i64 {x}, {y}")

    def mul(self, *xs: Any) -> str:
        return functools.reduce(lambda a, b: self.set(f"mul i64 {a}, {b}"), map(str, xs))

    def div(self, x: Any, y: Any) -> tuple[str, str]:
        """The quotient and remainder of nonnegative integers."""
        return self.set(f"udiv i64 {x}, {y}"), self.set(f"urem i64 {x}, {y}")

    def least(self, x: Any, y: Any) -> str:
        return self._of_two("smin", x, y)

    def most(self, x: Any, y: Any) -> str:
        return self._of_two("smax", x, y)

    def _of_two(self, name: str, x: Any, y: Any) -> str:
        self.declarations.add(f"declare i64 @llvm.{name}.i64(i64, i64)")
        return self.set(f"call i64 @llvm.{name}.i64(i64 {x}, i64 {y})")

    # ---- loops ---------------------------------------------------------------------------------

    def loop(
        self,
        begin: Any,
        end: Any,
        step: Any,
        body: Step,
        carried: Sequence[tuple[str, str]] = (),
    ) -> list[str]:
        """A loop over i: `body(i, values)` gets the values that it returned in the last iteration.

        `carried` lists the types and initial values; the result is the final values.
        """
        name = f"l{next(self._labels)}"
        self.do(f"br label %{name}.before")
        self.label(f"{name}.before")
        some = self.set(f"icmp slt i64 {begin}, {end}")
        self.do(f"br i1 {some}, label %{name}.loop, label %{name}.end")
        self.label(f"{name}.loop")
        at = len(self.lines)
        found = body(f"%{name}.i", [f"%{name}.c{k}" for k in range(len(carried))]) or ()
        phis = [f"%{name}.i = phi i64 [ {begin}, %{name}.before ], [ %{name}.n, %{name}.next ]"]
        ends = []
        for k, ((kind, start), then) in enumerate(zip(carried, found, strict=True)):
            ways = f"phi {kind} [ {start}, %{name}.before ], [ {then}, %{name}.next ]"
            phis.append(f"%{name}.c{k} = {ways}")
            ends.append(f"%{name}.e{k} = {ways}")
        self.lines[at:at] = phis
        self.do(f"br label %{name}.next")
        self.label(f"{name}.next")
        self.do(f"%{name}.n = add i64 %{name}.i, {step}")
        more = self.set(f"icmp slt i64 %{name}.n, {end}")
        self.do(f"br i1 {more}, label %{name}.loop, label %{name}.end")
        self.label(f"{name}.end")
        self.lines += ends
        return [f"%{name}.e{k}" for k in range(len(carried))]

    def share(self, each: str, count: str, body: Callable[[str], None]) -> None:
        """`body(k)` for the part's share of `count` items: `each` of them per part."""
        begin = self.mul("%part", each)
        self.loop(begin, self.least(self.add(begin, each), count), 1, lambda k, _: body(k))

    def when(
        self,
        condition: str,
        then: Callable[[], Sequence[str] | None],
        otherwise: Sequence[tuple[str, str]] = (),
    ) -> list[str]:
        """A branch: the values of `then` if the condition holds, else those of `otherwise`."""
        name = f"w{next(self._labels)}"
        self.do(f"br label %{name}.before")
        self.label(f"{name}.before")
        self.do(f"br i1 {condition}, label %{name}.then, label %{name}.end")
        self.label(f"{name}.then")
        found = then() or ()
        self.do(f"br label %{name}.last")
        self.label(f"{name}.last")
        self.do(f"br label %{name}.end")
        self.label(f"{name}.end")
        pairs = zip(found, otherwise, strict=True)
        return [
            self.set(f"phi {kind} [ {value}, %{name}.before ], [ {new}, %{name}.last ]")
            for new, (kind, value) in pairs
        ]

    def along(
        self,
        count: str,
        width: int,
        body: Callable[[str, str | None, list[str]], Sequence[str] | None],
        carried: Sequence[tuple[str, str]] = (),
    ) -> list[str]:
        """A vectorized loop, `body(j, mask, values)`; only the remainder at the end has a mask."""
        whole = self.set(f"and i64 {count}, {-width}")
        now = self.loop(0, whole, width, lambda j, values: body(j, None, values), carried)
        kinds = [kind for kind, _ in carried]
        left = self.set(f"icmp ne i64 {whole}, {count}")

        def rest() -> Sequence[str] | None:
            places = f"<{width} x i64>"
            steps = ", ".join(f"i64 {k}" for k in range(width))
            here = self.set(f"add {places} {self.spread('i64', whole, width)}, <{steps}>")
            edge = self.spread("i64", count, width)
            return body(whole, self.set(f"icmp slt {places} {here}, {edge}"), now)

        return self.when(left, rest, list(zip(kinds, now, strict=True)))

    # ---- vectors -------------------------------------------------------------------------------

    def spread(self, scalar: str, name: str, width: int) -> str:
        """Broadcast a scalar to a vector; the type is given by its LLVM name."""
        if width == 1:
            return name
        kinds = f"<{width} x {scalar}>"
        one = self.set(f"insertelement {kinds} poison, {scalar} {name}, i32 0")
        zeros = f"<{width} x i32> zeroinitializer"
        return self.set(f"shufflevector {kinds} {one}, {kinds} poison, {zeros}")

    def place(self, kind: str, pointer: str, at: Any) -> str:
        """The address of an element."""
        return self.set(f"getelementptr {memory_type(kind, 1)}, ptr {pointer}, i64 {at}")

    def read(self, kind: str, pointer: str, at: Any, width: int, mask: str | None = None) -> str:
        """Load adjacent elements; zeros where the mask is off."""
        place, memory = self.place(kind, pointer, at), memory_type(kind, width)
        if mask is None:
            found = self.set(f"load {memory}, ptr {place}, align {kind[1]}")
        else:
            name = f"@llvm.masked.load.{_mangled(kind, width)}.p0"
            truth = f"<{width} x i1>"
            self.declarations.add(f"declare {memory} {name}(ptr, i32, {truth}, {memory})")
            given = f"ptr {place}, i32 {kind[1]}, {truth} {mask}, {memory} zeroinitializer"
            found = self.set(f"call {memory} {name}({given})")
        if kind != "b1":
            return found
        return self.set(f"icmp ne {memory} {found}, {'0' if width == 1 else 'zeroinitializer'}")

    def write(
        self, kind: str, pointer: str, at: Any, value: str, width: int, mask: str | None = None
    ) -> None:
        place, memory = self.place(kind, pointer, at), memory_type(kind, width)
        if kind == "b1":
            value = self.set(f"zext {llvm_type(kind, width)} {value} to {memory}")
        if mask is None:
            self.do(f"store {memory} {value}, ptr {place}, align {kind[1]}")
            return
        name = f"@llvm.masked.store.{_mangled(kind, width)}.p0"
        truth = f"<{width} x i1>"
        self.declarations.add(f"declare void {name}({memory}, ptr, i32, {truth})")
        self.do(f"call void {name}({memory} {value}, ptr {place}, i32 {kind[1]}, {truth} {mask})")


_LETTERS: Final = {"float": "f32", "double": "f64"}


def _mangled(kind: str, width: int) -> str:
    scalar = memory_type(kind, 1)
    return f"v{width}{_LETTERS.get(scalar, scalar)}"
