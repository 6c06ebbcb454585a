"""What this processor can do, and what compiled code depends on.

Read from the system where that is possible: loading LLVM to ask it takes longer than loading a plan
that was compiled before.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import platform
from collections.abc import Iterator
from typing import Any, Final

from wengert.host.locks import load_module


@functools.cache
def features() -> frozenset[str]:
    """The names of what the processor can do, as LLVM calls them."""
    found = frozenset(_flags())
    return found or frozenset(f[1:] for f in _asked()[1].split(",") if f.startswith("+"))


def _flags() -> Iterator[str]:
    if platform.machine() != "x86_64":
        return
    for key, value in _cpuinfo():
        if key == "flags":
            yield from value.split()
            return


def _cpuinfo() -> Iterator[tuple[str, str]]:
    """What Linux says of the first processor.

    Read as bytes: Python would load a module for another encoding than UTF-8, and a child that is
    made meanwhile would wait for it for ever.
    """
    try:
        with open("/proc/cpuinfo", "rb") as file:
            for line in file:
                key, _, value = line.decode("utf-8", "replace").partition(":")
                if not line.strip():
                    return
                yield key.strip(), value.strip()
    except OSError:
        return


@functools.cache
def _asked() -> tuple[str, str]:
    """The name and the features, from LLVM."""
    llvm = load_module("llvmlite.binding")
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


@functools.cache
def vector_bytes() -> int:
    """How much one register holds."""
    return 64 if "avx512f" in features() else 32 if "avx" in features() else 16


def is_arm() -> bool:
    return platform.machine() in ("aarch64", "arm64")


@functools.cache
def sums_at_once() -> int:
    """How many sums of products stay in registers, beside what is multiplied.

    x86-64 multiplies by a number in memory. ARM reads it into a register first, and LLVM reads several
    ahead: with more than 24 sums in its 32 registers some were put on the stack.
    """
    if is_arm():
        return 24
    return 28 if vector_bytes() == 64 else 12


def is_supported() -> bool:
    """Whether the engine is good for this system and this processor."""
    return platform.system() in ("Linux", "Darwin") and multiplies_and_adds()


def multiplies_and_adds() -> bool:
    """Whether it computes x y + z and rounds once, of which all mathematics is made."""
    return is_arm() or "fma" in features()


# What Linux calls a kind of processor, on x86-64 and on ARM: LLVM knows it by that, too.
_NAMES: Final = (
    *("model name", "cpu family", "model", "stepping"),
    *("CPU implementer", "CPU variant", "CPU part", "CPU revision"),
)


@functools.cache
def fingerprint() -> str:
    """What compiled code depends on besides its text: the processor and the version of LLVM."""
    parts: list[Any] = [platform.system(), platform.machine(), *sorted(features())]
    parts += [v for k, v in _cpuinfo() if k in _NAMES]
    return "\0".join([*map(str, parts), _version()])


def _version() -> str:
    """The version of llvmlite, without loading it."""
    found = importlib.util.find_spec("llvmlite")
    if found is None or found.origin is None:
        raise ImportError("No module named 'llvmlite'")
    file = os.path.join(os.path.dirname(found.origin), "_version.py")
    try:
        with open(file, encoding="utf-8") as text:
            return text.read()
    except OSError:
        return str(load_module("llvmlite").__version__)
