"""LLVM: from IR to machine code for this processor."""

from __future__ import annotations

import atexit
import bisect
import contextlib
import ctypes
import functools
import os
import threading
from _thread import start_new_thread
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import Any, Final, NamedTuple

from wengert.engines.native.runtime import llvm_calls, processor
from wengert.engines.native.runtime.elf_loader import Image, Unloadable
from wengert.engines.native.runtime.pieces import has_loops, joined, objects_in, pieces_of
from wengert.host.locks import awaited_lock, load_module
from wengert.host.threads import get_threads

# Held while LLVM is initialized, and in llvmlite's own functions.
_LOCK: Final = awaited_lock()


@functools.cache
def _llvmlite() -> Any:
    """llvmlite, initialized, for what `llvm_calls` does not do."""
    binding = load_module("llvmlite.binding")
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding


def load_llvm() -> None:
    """Load LLVM, and have what compiling needs of it."""
    with _LOCK:
        if llvm_calls.calls() is None:
            _llvmlite()


def compile_text(text: str, quickly: bool = False) -> bytes:
    """Compile LLVM IR to an object file, or a long one to several: a thread for each."""
    pieces = pieces_of(text, get_threads())
    return joined(compile_each(pieces, quickly))


def compile_each(texts: Sequence[str], quickly: bool = False) -> list[bytes]:
    """Compile each of some modules to an object file, by several threads."""
    with Compilation() as compilation:
        for text in texts:
            compilation.add(text, STRAIGHT if quickly or not has_loops(text) else LOOPS)
        return compilation.results()


class Compilation:
    """Modules that other threads compile, also while further ones are written.

    Not the main thread: there a signal would raise an error in the middle of LLVM. What an interrupt
    leaves behind is a thread that goes on to the end of its module. Threads are started, and waited for,
    by single calls: in the middle of `Thread.start` or `join` an interrupt may leave a lock behind.
    """

    def __init__(self) -> None:
        self._texts: list[tuple[str, int]] = []
        self._found: list[Any] = []  # for each its object file, or the error
        # The longest last, which is taken first, so that all threads end at about the same time.
        # Changed by single operations of lists, which need no lock.
        self._waiting: list[tuple[int, int]] = []
        self._begun = 0  # threads
        self._ended: SimpleQueue[None] = SimpleQueue()  # one for each that has ended
        self._process = os.getpid()

    def __enter__(self) -> Compilation:
        return self

    def __exit__(self, *_: object) -> None:
        self.give_up()

    def give_up(self) -> None:
        """What waits is not compiled."""
        self._waiting.clear()

    def add(self, text: str, effort: int) -> None:
        """Compile a module, some time before the results are asked for."""
        at = len(self._texts)
        self._texts.append((text, effort))
        self._found.append(None)
        bisect.insort(self._waiting, (len(text), at))

    def begin(self) -> None:
        """Have what waits compiled by a thread beside this one, where there are processors for two."""
        if get_threads() > 1 and self._waiting:
            self._have_threads(1)

    def results(self) -> list[bytes]:
        """The object file of each; all threads have ended before it returns, or raises an error of theirs."""
        if self._process != os.getpid():  # a child, forked meanwhile, which has none of the threads
            self._begun, self._ended, self._process = 0, SimpleQueue(), os.getpid()
            self._wait_again()
        is_main = threading.current_thread() is threading.main_thread()
        self._have_threads(min(len(self._texts), get_threads()) - (not is_main))
        if not is_main:
            self._work()
        for _ in range(self._begun):
            self._ended.get()
        self._wait_again()  # if the system has no more threads
        self._work()
        for made in self._found:
            if isinstance(made, Exception):
                raise made
        return self._found

    def _wait_again(self) -> None:
        """What is not there yet waits."""
        self._waiting[:] = [(0, at) for at, made in enumerate(self._found) if made is None]

    def _have_threads(self, count: int) -> None:
        at_work = self._begun - self._ended.qsize()
        for _ in range(min(count - at_work, len(self._waiting))):
            try:
                start_new_thread(self._work_in_thread, ())
            except RuntimeError:  # the system has no more
                return
            self._begun += 1

    def _work_in_thread(self) -> None:
        try:
            self._work()
        finally:
            self._ended.put(None)

    def _work(self) -> None:
        with contextlib.suppress(IndexError):  # nothing waits
            while True:
                _, at = self._waiting.pop()
                try:
                    self._found[at] = _in_its_place(*self._texts[at])
                except Exception as error:  # noqa: BLE001  # raised by the thread that waits
                    self._found[at] = error


# Places where a thread compiles, each with target machines of its own. A fork waits until all are free: a
# child would wait forever for a thread that it does not have.
_PLACES: Final = [awaited_lock() for _ in range(8)]


@atexit.register
def _wait() -> None:
    """Let threads come out of LLVM before the process ends."""
    for place in _PLACES:
        with place:
            pass


def _in_its_place(text: str, effort: int) -> bytes:
    """Compile where no other thread does."""
    places = _PLACES[: get_threads()]
    for at, place in enumerate(places):
        if place.acquire(blocking=False):
            try:
                return _compiled(text, effort, at)
            finally:
                place.release()
    at = threading.get_ident() // 64 % len(places)
    with places[at]:
        return _compiled(text, effort, at)


def _compiled(text: str, effort: int, at: int = 0) -> bytes:
    """The object file of a module. LLVM is initialized by one thread alone."""
    with _LOCK:
        calls = llvm_calls.calls()
        target = _target(effort, at)
    if calls is None:
        return _by_llvmlite(target.head + text, target.machine)
    return calls.object_of(target.head + text, target.machine)


def _by_llvmlite(text: str, machine: Any) -> bytes:
    """Compile by llvmlite's own functions, and free its objects, the module before its context.

    If an exception kept them alive, the garbage collector would free them in any order, and LLVM
    may have reused the memory of a module whose context is gone.
    """
    llvm = _llvmlite()
    with llvm.create_context() as context, llvm.parse_assembly(text, context) as module:
        module.verify()  # raises for invalid IR; compiling that would abort the process
        found: bytes = machine.emit_object(module)
        return found


class LoadedObject:
    """Object files loaded into memory."""

    def __init__(self, data: bytes) -> None:
        self._addresses = [_loaded(content) for content in objects_in(data)]

    def address(self, name: str) -> int:
        """Where a function begins."""
        for address in self._addresses[:-1]:
            with contextlib.suppress(KeyError):
                return address(name)
        return self._addresses[-1](name)


def _loaded(data: bytes) -> Callable[[str], int]:
    try:
        return Image(data).address
    except Unloadable:
        return _by_llvm(data)


# LLVM's optimization level. Code without loops compiles five times as fast at level 0; measured, a
# chain of 1,000 operations runs as fast.
LOOPS: Final = 2
STRAIGHT: Final = 0


# The magic numbers of ELF and Mach-O. LLVM aborts the process on some files without one.
_MAGIC: Final = (b"\x7fELF", b"\xcf\xfa\xed\xfe")


def _by_llvm(data: bytes) -> Callable[[str], int]:
    if not data.startswith(_MAGIC):
        raise ValueError("This is no object file.")
    with _LOCK:
        llvm = _llvmlite()
        # In the global context, which is never freed: an engine may outlive a context of its own.
        empty = llvm.parse_assembly("")
        engine = llvm.create_mcjit_compiler(empty, _llvmlites_machine(LOOPS))
        engine.add_object_file(llvm.ObjectFileRef.from_data(data))
        engine.finalize_object()

    def address(name: str) -> int:
        found: int = engine.get_function_address(name)
        if not found:
            raise KeyError(name)
        return found

    return address


class _Target(NamedTuple):
    """A target machine, or its address, and what a module says of it."""

    machine: Any
    head: str


@functools.cache
def _target(effort: int, at: int = 0) -> _Target:
    """What the thread in a place compiles for."""
    calls = llvm_calls.calls()
    if calls is None:
        machine = _llvmlites_machine(effort)
        triple, data = machine.triple, machine.target_data
    else:
        triple = calls.triple()
        machine, data = calls.machine(triple, *processor.asked(), effort)
    return _Target(machine, f'target datalayout = "{data}"\ntarget triple = "{triple}"\n')


def _llvmlites_machine(effort: int) -> Any:
    """A target machine as an object of llvmlite's."""
    name, features = processor.asked()
    target = _llvmlite().Target.from_default_triple()
    return target.create_target_machine(
        cpu=name, features=features, opt=effort, reloc="pic", codemodel="small", jit=True
    )


def elementwise(text: str, name: str, count: int) -> Any:
    """A compiled function of `count` pointers and a length, callable by `ctypes`."""
    loaded = LoadedObject(compile_text(text))
    kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * count, ctypes.c_int64)
    function: Any = kind(loaded.address(name))
    function.loaded = loaded
    return function
