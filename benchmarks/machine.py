"""What was measured on: the processor, its vectors and caches, the memory, and the packages."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from benchmarks.peers import find

PACKAGES: Final = ("numpy", "tensorflow", "tensorflow-cpu", "jax", "torch")
CACHES: Final = Path("/sys/devices/system/cpu/cpu0/cache")
VECTORS: Final = {"avx512f": 512, "avx2": 256, "asimd": 128, "sse2": 128}  # bits, by a flag


def machine() -> dict[str, Any]:
    """What is known of it; what the system does not tell is left out."""
    found = {
        "python": platform.python_version(),
        "processor": platform.machine(),
        "model": _said_of_processor("model name"),
        "vectors": _vectors(),
        "caches": dict(_caches()),
        "memory": _memory(),
        "cores": os.cpu_count(),
        "packages": versions(),
    }
    return {key: value for key, value in found.items() if value}


def _said_of_processor(key: str) -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return ""
    entries = (line.partition(":") for line in lines)
    return next((value.strip() for name, _, value in entries if name.strip() == key), "")


def _vectors() -> int | None:
    """Bits of a vector."""
    flags = (_said_of_processor("flags") or _said_of_processor("Features")).split()
    return next((bits for flag, bits in VECTORS.items() if flag in flags), None)


def _caches() -> Iterator[tuple[str, str]]:
    """The size of each level that holds data."""
    for folder in sorted(CACHES.glob("index*")):
        if (folder / "type").read_text().strip() != "Instruction":
            yield (
                f"L{(folder / 'level').read_text().strip()}",
                (folder / "size").read_text().strip(),
            )


def _memory() -> str:
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return ""
    return f"{size / 2**30:.0f} GiB"


def versions() -> dict[str, str]:
    found = {}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def about(found: Mapping[str, Any]) -> str:
    """The same in a line."""
    packages = ", ".join(f"{name} {version}" for name, version in found["packages"].items())
    caches = ", ".join(f"{level} {size}" for level, size in found.get("caches", {}).items())
    hardware = [
        found.get("model", found["processor"]),
        f"{found['cores']} cores" if "cores" in found else "",
        f"vectors of {found['vectors']} bits" if "vectors" in found else "",
        f"caches {caches}" if caches else "",
        f"{found['memory']} of memory" if "memory" in found else "",
    ]
    return f"Python {found['python']}, {packages}; {', '.join(filter(None, hardware))}."


def peak_megabytes() -> float:
    """The largest memory of this process up to now; 0 where the system does not tell."""
    resource = find("resource")
    if resource is None:
        return 0.0
    unit = 1 if sys.platform == "darwin" else 1024
    peak: float = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6
    return peak
