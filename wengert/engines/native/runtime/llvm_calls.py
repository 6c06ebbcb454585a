"""LLVM's functions, called past llvmlite's Python.

To import that takes 30 ms, of a first call of 100; its library alone takes 5. llvmlite lets one thread at a time into LLVM, which does not mind several if each has a context and a
machine of its own. And it lets go of Python's lock for every call: a thread that compiles while another
one runs Python may wait for that lock after each of twenty calls, 5 ms each time. Here only the two
that take long let go of it.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib.util
import os
import sys
from typing import Any, Final, NamedTuple

from wengert.host.locks import load_module

_POINTER: Final = ctypes.c_void_p
_SIZE: Final = ctypes.c_size_t
_MESSAGE: Final = ctypes.POINTER(ctypes.c_char_p)

# What each function returns, and takes.
_LONG: Final[dict[str, Any]] = {
    "ParseAssembly": (_POINTER, _POINTER, ctypes.c_char_p, _MESSAGE),
    "TargetMachineEmitToMemory": (_POINTER, _POINTER, _POINTER, ctypes.c_int, _MESSAGE),
}
_SHORT: Final[dict[str, Any]] = {
    "ContextCreate": (_POINTER,),
    "ContextDispose": (None, _POINTER),
    "VerifyModule": (ctypes.c_int, _POINTER, _MESSAGE),
    "DisposeModule": (None, _POINTER),
    "GetBufferStart": (_POINTER, _POINTER),
    "GetBufferSize": (_SIZE, _POINTER),
    "DisposeMemoryBuffer": (None, _POINTER),
    "DisposeString": (None, ctypes.c_char_p),
    "InitializeNativeTarget": (ctypes.c_int,),
    "InitializeNativeAsmPrinter": (ctypes.c_int,),
    "GetHostCPUName": (None, _MESSAGE),
    "GetHostCPUFeatures": (ctypes.c_int, _MESSAGE),
    "GetDefaultTargetTriple": (None, _MESSAGE),
    "GetTargetFromTriple": (_POINTER, ctypes.c_char_p, _MESSAGE),
    "CreateTargetMachine": (
        _POINTER, _POINTER, *[ctypes.c_char_p] * 3, ctypes.c_int, *[ctypes.c_char_p] * 2,
        ctypes.c_int, ctypes.c_int, ctypes.c_char_p,
    ),
    "CreateTargetMachineData": (_POINTER, _POINTER),
    "CopyStringRepOfTargetData": (None, _POINTER, _MESSAGE),
    "DisposeTargetData": (None, _POINTER),
}  # fmt: skip
# Passes, which not every version has by these names: then functions stay calls, and arrays in memory.
_PASSES: Final[dict[str, Any]] = {
    "CreatePipelineTuningOptions": (_POINTER,),
    "CreatePassBuilder": (_POINTER, _POINTER, _POINTER),
    "CreateNewModulePassManager": (_POINTER,),
    "module_AddAlwaysInlinerPass": (None, _POINTER),
    "module_AddSROAPass": (None, _POINTER),
    "module_AddInstCombinePass": (None, _POINTER),
    "RunNewModulePassManager": (None, _POINTER, _POINTER, _POINTER),
    "DisposeNewModulePassManger": (None, _POINTER),
    "DisposePassBuilder": (None, _POINTER),
    "DisposePipelineTuningOptions": (None, _POINTER),
}

# The attribute of functions that become parts of those that call them.
INLINED: Final = "alwaysinline"


class Calls(NamedTuple):
    """The functions by their names in LLVM."""

    functions: dict[str, Any]

    def host(self) -> tuple[str, str]:
        """The name of this processor, and its features."""
        name, features = (self._said(f"GetHostCPU{what}") for what in ("Name", "Features"))
        return name, ",".join(sorted(filter(None, features.split(",")), key=lambda f: f[1:]))

    def triple(self) -> str:
        """What LLVM compiles for by default."""
        return self._said("GetDefaultTargetTriple")

    def machine(self, triple: str, name: str, features: str, effort: int) -> tuple[int, str]:
        """A new target machine, and how data lie in its memory."""
        call, message = self.functions, ctypes.c_char_p()
        target = call["GetTargetFromTriple"](triple.encode(), ctypes.byref(message))
        if not target:
            raise RuntimeError(self._taken(message))
        texts = (text.encode() for text in (triple, name, features))
        machine = call["CreateTargetMachine"](target, *texts, effort, b"pic", b"small", 0, 1, b"")
        if not machine:
            raise RuntimeError("LLVM makes no code for this processor.")
        data = call["CreateTargetMachineData"](machine)
        try:
            return machine, self._said("CopyStringRepOfTargetData", data)
        finally:
            call["DisposeTargetData"](data)

    def _said(self, name: str, *arguments: Any) -> str:
        """What a function puts into a string."""
        text = ctypes.c_char_p()
        self.functions[name](*arguments, ctypes.byref(text))
        return self._taken(text)

    def object_of(self, text: str, machine: int) -> bytes:
        """Compile LLVM IR to an object file, for the target machine at an address."""
        context = self.functions["ContextCreate"]()
        try:
            if INLINED in text and _PASSES.keys() <= self.functions.keys():
                # LLVM 22 makes invalid code of some arrays: then they stay in memory.
                with contextlib.suppress(RuntimeError):
                    return self._compiled(text, context, machine, inlines=True)
            return self._compiled(text, context, machine)
        finally:
            self.functions["ContextDispose"](context)

    def _compiled(self, text: str, context: int, machine: int, inlines: bool = False) -> bytes:
        message = ctypes.c_char_p()
        module = self.functions["ParseAssembly"](context, text.encode(), ctypes.byref(message))
        try:
            if message or not module:
                raise RuntimeError(f"LLVM IR parsing error\n{self._taken(message)}")
            self._verify(module)
            if inlines:
                self._inline(module, machine)
                self._verify(module)
            return self._emitted(module, machine)
        finally:
            if module:
                self.functions["DisposeModule"](module)

    def _verify(self, module: int) -> None:
        """Raise an error if a module is invalid: compiling it would end the process."""
        message = ctypes.c_char_p()
        if self.functions["VerifyModule"](module, ctypes.byref(message)):
            raise RuntimeError(self._taken(message))

    def _inline(self, module: int, machine: int) -> None:
        """Put functions into those that call them, and what these keep in arrays into registers."""
        call = self.functions
        options = call["CreatePipelineTuningOptions"]()
        builder = call["CreatePassBuilder"](machine, options)
        passes = call["CreateNewModulePassManager"]()
        call["module_AddAlwaysInlinerPass"](passes)
        call["module_AddSROAPass"](passes)  # tables of numbers,
        call["module_AddSROAPass"](passes)  # and the arrays whose places these say
        call["module_AddInstCombinePass"](passes)
        call["RunNewModulePassManager"](passes, module, builder)
        call["DisposePassBuilder"](builder)
        call["DisposeNewModulePassManger"](passes)
        call["DisposePipelineTuningOptions"](options)

    def _emitted(self, module: int, machine: int) -> bytes:
        message = ctypes.c_char_p()
        buffer = self.functions["TargetMachineEmitToMemory"](
            machine, module, 1, ctypes.byref(message)
        )
        if not buffer:
            raise RuntimeError(self._taken(message))
        try:
            start = self.functions["GetBufferStart"](buffer)
            return ctypes.string_at(start, self.functions["GetBufferSize"](buffer))
        finally:
            self.functions["DisposeMemoryBuffer"](buffer)

    def _taken(self, message: Any) -> str:
        """A message, whose memory is given back."""
        said = (message.value or b"").decode(errors="replace")
        self.functions["DisposeString"](message)
        return said


@functools.cache
def calls() -> Calls | None:
    """The functions of llvmlite's library, initialized; None if this version has other ones."""
    try:
        name, handle = _library()
        long, short = ctypes.CDLL(name, handle=handle), ctypes.PyDLL(name, handle=handle)
        found = _functions(long, _LONG) | _functions(short, _SHORT)
    except AttributeError:
        return None
    with contextlib.suppress(AttributeError):
        found |= _functions(short, _PASSES)
    found["InitializeNativeTarget"]()
    found["InitializeNativeAsmPrinter"]()
    return Calls(found)


_FILE: Final = "libllvmlite.dylib" if sys.platform == "darwin" else "libllvmlite.so"


def _library() -> tuple[str, int]:
    """The name and the handle of llvmlite's library; where it is not in its place, llvmlite finds it, or says why not."""
    package = importlib.util.find_spec("llvmlite")
    for folder in (package and package.submodule_search_locations) or ():
        name = os.path.join(folder, "binding", _FILE)
        with contextlib.suppress(OSError):
            return name, ctypes.CDLL(name)._handle
    library = load_module("llvmlite.binding.ffi").lib
    return library._name, library._handle


def _functions(library: Any, forms: dict[str, Any]) -> dict[str, Any]:
    found = {}
    for name, (result, *arguments) in forms.items():
        function = getattr(library, f"LLVMPY_{name}")
        function.restype, function.argtypes = result, arguments
        found[name] = function
    return found
