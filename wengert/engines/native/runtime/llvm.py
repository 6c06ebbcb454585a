"""LLVM: from its language to machine code for this processor."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Any, Final

from wengert.engines.native.runtime.elf_loader import Image, Unloadable
from wengert.host.locks import awaited_lock, load_module

# A child would wait for ever for a thread that it does not have.
_LOCK: Final = awaited_lock()


@functools.cache
def _llvm() -> Any:
    """LLVM, set up; loading it takes a tenth of a second."""
    binding = load_module("llvmlite.binding")
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding


def compile_text(text: str, quickly: bool = False) -> bytes:
    """An object file of functions written in LLVM's language."""
    effort = _STRAIGHT if quickly or " phi " not in text else _LOOPS
    with _LOCK:
        return _compiled(text, effort)


def _compiled(text: str, effort: int) -> bytes:
    """What llvmlite needs for it is given up before the lock is, and the module before its context.

    If an error kept them, the garbage collector would do it in any order: a module whose context is
    gone is memory that LLVM uses again.
    """
    llvm, machine = _llvm(), _target_machine(effort)
    with llvm.create_context() as context, llvm.parse_assembly(text, context) as module:
        module.triple = machine.triple
        module.data_layout = str(machine.target_data)
        module.verify()  # what this version refuses is an error; compiled, it ends the process
        found: bytes = machine.emit_object(module)
    return found


class LoadedObject:
    """An object file in memory."""

    def __init__(self, data: bytes) -> None:
        self._address: Callable[[str], int]
        try:
            self._address = Image(data).address
        except Unloadable:
            self._address = _by_llvm(data)

    def address(self, name: str) -> int:
        return self._address(name)


# How hard LLVM tries. Code without loops runs once, and compiles five times as fast with less effort;
# measured, a chain of 1,000 operations runs as fast.
_LOOPS: Final = 2
_STRAIGHT: Final = 0


# How object files begin, of ELF and of Mach-O. LLVM ends the process over some that do not.
_MAGIC: Final = (b"\x7fELF", b"\xcf\xfa\xed\xfe")


def _by_llvm(data: bytes) -> Callable[[str], int]:
    if not data.startswith(_MAGIC):
        raise ValueError("This is no object file.")
    with _LOCK:
        llvm = _llvm()
        # In the context that is never given up: an engine may be collected after its own.
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
    """A compiled function of pointers and a length, for `ctypes`."""
    loaded = LoadedObject(compile_text(text))
    kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * count, ctypes.c_int64)
    function: Any = kind(loaded.address(name))
    function.loaded = loaded
    return function
