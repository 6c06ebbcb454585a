"""LLVM: from IR to machine code for this processor."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Any, Final

from wengert.engines.native.runtime.elf_loader import Image, Unloadable
from wengert.host.locks import awaited_lock, load_module

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
    """Compile LLVM IR to an object file."""
    effort = _STRAIGHT if quickly or " phi " not in text else _LOOPS
    with _LOCK:
        return _compiled(text, effort)


def _compiled(text: str, effort: int) -> bytes:
    """Compile, and free llvmlite's objects while the lock is held, the module before its context.

    If an exception kept them alive, the garbage collector would free them in any order, and LLVM
    may have reused the memory of a module whose context is gone.
    """
    llvm, machine = _llvm(), _target_machine(effort)
    with llvm.create_context() as context, llvm.parse_assembly(text, context) as module:
        module.triple = machine.triple
        module.data_layout = str(machine.target_data)
        module.verify()  # raises for invalid IR; compiling that would abort the process
        found: bytes = machine.emit_object(module)
    return found


class LoadedObject:
    """An object file loaded into memory."""

    def __init__(self, data: bytes) -> None:
        self._address: Callable[[str], int]
        try:
            self._address = Image(data).address
        except Unloadable:
            self._address = _by_llvm(data)

    def address(self, name: str) -> int:
        return self._address(name)


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
def _target_machine(effort: int) -> Any:
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
