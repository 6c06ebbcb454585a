"""LLVM: from IR to machine code for this processor."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import threading
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import Any, Final

from wengert.engines.native.runtime.elf_loader import Image, Unloadable
from wengert.engines.native.runtime.pieces import has_loops, joined, objects_in, pieces_of
from wengert.host.locks import awaited_lock, load_module
from wengert.host.threads import get_threads

# After a fork a child would wait forever for a thread that it does not have.
_LOCK: Final = awaited_lock()


@functools.cache
def _llvm() -> Any:
    """llvmlite, initialized; loading it takes a tenth of a second."""
    binding = load_module("llvmlite.binding")
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding


def compile_text(text: str, quickly: bool = False) -> bytes:
    """Compile LLVM IR to an object file, or a long one to several: a thread for each."""
    pieces = pieces_of(text, get_threads())
    return joined(compile_each(pieces, quickly))


def compile_each(texts: Sequence[str], quickly: bool = False) -> list[bytes]:
    """Compile each of some modules to an object file, by several threads."""
    if not texts:
        return []
    efforts = [_STRAIGHT if quickly or not has_loops(text) else _LOOPS for text in texts]

    def work() -> list[bytes]:
        with _LOCK:
            return _side_by_side(texts, efforts)

    return _undisturbed(work)


def _undisturbed(work: Callable[[], list[bytes]]) -> list[bytes]:
    """The result, computed in a thread of its own if this is the main one.

    There a signal would raise an error in the middle of LLVM, or of llvmlite with its lock. In its own
    thread the work goes on to its end, and the next one waits for the lock.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    outcome: SimpleQueue[Any] = SimpleQueue()

    def run() -> None:
        try:
            outcome.put(work())
        except BaseException as error:  # noqa: BLE001  # raised by the thread that waits
            outcome.put(error)

    if not _has_started(threading.Thread(target=run)):
        return work()
    found = outcome.get()
    if isinstance(found, BaseException):
        raise found
    return found  # type: ignore[no-any-return]


def _side_by_side(pieces: Sequence[str], efforts: Sequence[int]) -> list[bytes]:
    """The object file of each piece; all threads have ended before it returns, or raises."""
    found: list[Any] = [None] * len(pieces)
    # The longest first, so that all threads end at about the same time.
    waiting = iter(sorted(range(len(pieces)), key=lambda at: -len(pieces[at])))
    count = min(len(pieces), get_threads())

    def work(number: int) -> None:
        for at in waiting:
            try:
                found[at] = _compiled(pieces[at], efforts[at], number)
            except Exception as error:  # noqa: BLE001  # raised by the thread that waits
                found[at] = error

    for number in range(count):  # LLVM is initialized by one thread alone
        for effort in set(efforts):
            _target_machine(effort, number)
    others = [threading.Thread(target=work, args=(number,)) for number in range(1, count)]
    started = [thread for thread in others if _has_started(thread)]
    try:
        work(0)
    finally:
        for thread in started:
            thread.join()
    for made in found:
        if isinstance(made, Exception):
            raise made
    return found


def _has_started(thread: threading.Thread) -> bool:
    try:
        thread.start()
    except RuntimeError:  # the system has no more
        return False
    return True


def _compiled(text: str, effort: int, at: int = 0) -> bytes:
    """Compile, and free llvmlite's objects while the lock is held, the module before its context.

    If an exception kept them alive, the garbage collector would free them in any order, and LLVM
    may have reused the memory of a module whose context is gone.
    """
    llvm, machine = _llvm(), _target_machine(effort, at)
    with llvm.create_context() as context, llvm.parse_assembly(text, context) as module:
        module.triple = machine.triple
        module.data_layout = str(machine.target_data)
        module.verify()  # raises for invalid IR; compiling that would abort the process
        return _emitted(machine, module)


def _emitted(machine: Any, module: Any) -> bytes:
    """The object file of a module.

    llvmlite lets one thread at a time into LLVM, which does not mind several if each has a context
    and a machine of its own. So it is called behind llvmlite's lock, where this version has one.
    """
    ffi = load_module("llvmlite.binding.ffi")
    emit = getattr(ffi.lib.LLVMPY_TargetMachineEmitToMemory, "_cfn", None)
    if emit is None:
        found: bytes = machine.emit_object(module)
        return found
    with ffi.OutputString() as complaint:
        buffer = emit(machine, module, 1, complaint)
        if not buffer:
            raise RuntimeError(str(complaint))
    try:
        start, size = ffi.lib.LLVMPY_GetBufferStart(buffer), ffi.lib.LLVMPY_GetBufferSize(buffer)
        return ctypes.string_at(start, size)
    finally:
        ffi.lib.LLVMPY_DisposeMemoryBuffer(buffer)


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
_LOOPS: Final = 2
_STRAIGHT: Final = 0


# The magic numbers of ELF and Mach-O. LLVM aborts the process on some files without one.
_MAGIC: Final = (b"\x7fELF", b"\xcf\xfa\xed\xfe")


def _by_llvm(data: bytes) -> Callable[[str], int]:
    if not data.startswith(_MAGIC):
        raise ValueError("This is no object file.")
    with _LOCK:
        llvm = _llvm()
        # In the global context, which is never freed: an engine may outlive a context of its own.
        empty = llvm.parse_assembly("")
        engine = llvm.create_mcjit_compiler(empty, _new_machine())
        engine.add_object_file(llvm.ObjectFileRef.from_data(data))
        engine.finalize_object()

    def address(name: str) -> int:
        found: int = engine.get_function_address(name)
        if not found:
            raise KeyError(name)
        return found

    return address


@functools.cache
def _target_machine(effort: int, at: int = 0) -> Any:
    """The machine that the thread of this number compiles for."""
    return _new_machine(effort)


def _new_machine(effort: int = _LOOPS) -> Any:
    llvm = _llvm()
    name, features = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=name, features=features, opt=effort, reloc="pic", codemodel="small", jit=True
    )


def elementwise(text: str, name: str, count: int) -> Any:
    """A compiled function of `count` pointers and a length, callable by `ctypes`."""
    loaded = LoadedObject(compile_text(text))
    kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * count, ctypes.c_int64)
    function: Any = kind(loaded.address(name))
    function.loaded = loaded
    return function
