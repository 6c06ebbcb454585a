"""LLVM: from its language to machine code for this processor."""

from __future__ import annotations

import ctypes
import functools
import importlib
import threading
from typing import Any, Final

_LOCK: Final = threading.RLock()


@functools.cache
def _llvm() -> Any:
    """LLVM, set up; loading it takes a tenth of a second."""
    binding = importlib.import_module("llvmlite.binding")
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    binding.initialize_native_asmparser()
    return binding


@functools.cache
def processor() -> tuple[str, str]:
    """The name and the features of this processor, as LLVM calls them."""
    llvm = _llvm()
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


@functools.cache
def fingerprint() -> str:
    """What compiled code depends on besides its text."""
    version = ".".join(map(str, _llvm().llvm_version_info))
    return "\0".join((version, _llvm().get_default_triple(), *processor()))


@functools.cache
def vector_bytes() -> int:
    """How much one register holds."""
    features = processor()[1].split(",")
    return 64 if "+avx512f" in features else 32 if "+avx" in features else 16


@functools.cache
def _target_machine() -> Any:
    llvm = _llvm()
    name, features = processor()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(
        cpu=name, features=features, opt=2, reloc="pic", codemodel="small", jit=True
    )


def compiled(text: str) -> bytes:
    """An object file of functions written in LLVM's language."""
    with _LOCK:
        llvm = _llvm()
        context = llvm.create_context()
        module = llvm.parse_assembly(text, context)
        machine = _target_machine()
        module.triple = machine.triple
        module.data_layout = str(machine.target_data)
        found: bytes = machine.emit_object(module)
    return found


class Loaded:
    """An object file in memory."""

    def __init__(self, data: bytes) -> None:
        with _LOCK:
            llvm = _llvm()
            # In the context that is never given up: an engine may be collected after its own.
            empty = llvm.parse_assembly("")
            self._engine = llvm.create_mcjit_compiler(empty, _new_machine())
            self._engine.add_object_file(llvm.ObjectFileRef.from_data(data))
            self._engine.finalize_object()

    def address(self, name: str) -> int:
        found: int = self._engine.get_function_address(name)
        return found


def _new_machine() -> Any:
    llvm = _llvm()
    name, features = processor()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=name, features=features, opt=2, reloc="pic", codemodel="small", jit=True
    )


def elementwise(text: str, name: str, count: int) -> Any:
    """A compiled function of pointers and a length, for `ctypes`."""
    loaded = Loaded(compiled(text))
    kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * count, ctypes.c_int64)
    function: Any = kind(loaded.address(name))
    function.loaded = loaded
    return function
