"""The features of this processor, and the fingerprint that compiled code depends on.

They are read from the system where possible: loading LLVM to ask it takes longer than loading a
cached plan.
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
    """The features of the processor, by LLVM's names."""
    found = frozenset(_flags())
    return found or frozenset(f[1:] for f in asked()[1].split(",") if f.startswith("+"))


def _flags() -> Iterator[str]:
    if platform.machine() != "x86_64":
        return
    for key, value in _cpuinfo():
        if key == "flags":
            yield from value.split()
            return


def _cpuinfo() -> Iterator[tuple[str, str]]:
    """The entries of /proc/cpuinfo for the first processor.

    Read as bytes: for an encoding other than UTF-8 Python would import a module, and a child that
    is forked meanwhile would wait forever for the import lock.
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
def asked() -> tuple[str, str]:
    """The name and the features, from LLVM."""
    calls = load_module("wengert.engines.native.runtime.llvm_calls").calls()
    if calls is not None:
        return calls.host()  # type: ignore[no-any-return]
    llvm = load_module("llvmlite.binding")
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


@functools.cache
def vector_bytes() -> int:
    """The size of a vector register."""
    return 64 if "avx512f" in features() else 32 if "avx" in features() else 16


def is_arm() -> bool:
    return platform.machine() in ("aarch64", "arm64")


@functools.cache
def sums_at_once() -> int:
    """The number of accumulators that fit into registers beside the factors.

    x86-64 multiplies by a number in memory. ARM loads it into a register first, and LLVM loads
    several ahead: with more than 24 accumulators in its 32 registers some were spilled to the
    stack.
    """
    if is_arm():
        return 24
    return 28 if vector_bytes() == 64 else 12


def most_vectors() -> int:
    """The most vectors of a row of a panel: the sums of several rows of it must fit into registers."""
    return 2 if sums_at_once() < 24 else 4


def rows_at_once(vectors: int) -> int:
    """The rows of a block so many vectors wide, whose sums fit into registers beside these and a factor."""
    registers = 32 if most_vectors() == 4 else 16
    return min(sums_at_once(), registers - vectors - 1) // vectors


def converts_halves() -> bool:
    """Whether it has instructions that convert float16."""
    return is_arm() or "f16c" in features()


def is_supported() -> bool:
    """Whether the engine supports this system and this processor."""
    return platform.system() in ("Linux", "Darwin") and multiplies_and_adds()


def multiplies_and_adds() -> bool:
    """Whether it has a fused multiply-add, on which all of `mathematics` is built."""
    return is_arm() or "fma" in features()


# The fields of /proc/cpuinfo that identify a processor, on x86-64 and on ARM; LLVM uses them, too.
_NAMES: Final = (
    *("model name", "cpu family", "model", "stepping"),
    *("CPU implementer", "CPU variant", "CPU part", "CPU revision"),
)


@functools.cache
def fingerprint() -> str:
    """What compiled code depends on besides its source: the processor and the version of LLVM."""
    parts: list[Any] = [platform.system(), platform.machine(), *sorted(features())]
    parts += [v for k, v in _cpuinfo() if k in _NAMES]
    return "\0".join([*map(str, parts), _version()])


def _version() -> str:
    """The version of llvmlite, without importing it."""
    found = importlib.util.find_spec("llvmlite")
    if found is None or found.origin is None:
        raise ImportError("No module named 'llvmlite'")
    file = os.path.join(os.path.dirname(found.origin), "_version.py")
    try:
        with open(file, encoding="utf-8") as text:
            return text.read()
    except OSError:
        return str(load_module("llvmlite").__version__)
