"""wengert doctor: engine, processor, and optional packages that are missing."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import platform
from typing import Any

import numpy as np

import wengert
from wengert.cli.output import as_json, heading, pairs
from wengert.core.compiled import machine
from wengert.host import numpy_openblas
from wengert.host.kept_memory import about_kept_memory
from wengert.host.memory_size import written

# Optional packages, and what they are for.
OPTIONAL = {
    "llvmlite": "the native engine: functions compiled to machine code",
    "scipy_openblas32": "matrix products inside of compiled functions",
    "matplotlib": "plots",
    "absl": "tf.flags, the flags of programs",
    "jax": "a peer of `wengert bench`",
    "torch": "a peer of `wengert bench`",
    "tensorflow": "a peer of `wengert bench`",
}
PACKAGES = {
    "absl": "absl-py",
    "scipy_openblas32": "scipy-openblas32",
}  # where pip's name is another


_WITHOUT_C = (
    "Python alone, eager operations take twice the time: built without a C compiler, or for another "
    "Python; with one, pip install --force-reinstall --no-deps"
)


def add_to(commands: Any, purpose: str) -> None:
    """Declare the arguments of the command."""
    parser = commands.add_parser(
        "doctor",
        help=purpose,
        description="Show which engines, kernels and optional packages there are, and what a missing "
        "one would add. The exit status is 1 if the native engine does not work. Example: wengert doctor --json",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command; returns its exit status."""
    found = findings()
    if options.json:
        as_json(found)
    else:
        for section, entries in found.items():
            heading(section)
            pairs({key: _in_words(key, value) for key, value in entries.items()}, "  ")
    return 0 if found["native engine"]["works"] or found["native engine"].get("unknown") else 1


def _in_words(key: str, value: Any) -> str:
    """A finding as a person reads it."""
    if key == "cache":
        how = "wengert cache clear" if value["files"] else "empty"
        return f"{value['folder']}: {value['files']} files, {value['bytes'] / 1e6:.1f} MB ({how})"
    if key == "memory of freed arrays":
        return _of_memory(value)
    if key in OPTIONAL:
        there = "installed" if value else f"not installed: pip install {PACKAGES.get(key, key)}"
        return f"{there}; for {OPTIONAL[key]}"
    return {True: "yes", False: "no"}.get(value, str(value))


def _of_memory(found: dict[str, Any]) -> str:
    """What is kept of freed arrays, as a person reads it."""
    if not found["limit"]:
        return "none is kept (WENGERT_KEEP_MEMORY)"
    if not found["works"]:
        return "blocks above 32 MiB go back to the system at once"
    now = f"{written(found['kept'])} in {found['blocks']} blocks now"
    return f"up to {written(found['limit'])} are kept for the next ones, {now}"


def findings() -> dict[str, dict[str, Any]]:
    """The findings, by section."""
    return {
        "versions": {
            "wengert": wengert.__version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "system": f"{platform.system()} {platform.machine()}",
            "machine": "in C" if machine is not None else _WITHOUT_C,
        },
        "native engine": _native(),
        "optional packages": {n: importlib.util.find_spec(n) is not None for n in OPTIONAL},
    }


def _native() -> dict[str, Any]:
    try:
        importlib.import_module("wengert.engines.native.program.build")
        processor = importlib.import_module("wengert.engines.native.runtime.processor")
        if not processor.is_supported():
            why = "this system or processor was never tried; NumPy does it all"
            return {"works": False, "unknown": True, "because": why}
        return {"works": True, **_parts()}
    except ImportError as error:
        return {"works": False, "because": str(error)}


def _parts() -> dict[str, Any]:
    openblas, cache, processor, runtime = (
        importlib.import_module(f"wengert.engines.native.runtime.{name}")
        for name in ("openblas", "cache", "processor", "runtime_ir")
    )
    kept = cache.about()
    return {
        "chosen": wengert.config.get_engine() or "native for functions, numpy for sessions",
        "threads": wengert.config.get_threads() if runtime.has_threads() else 1,
        "bits of vectors": 8 * processor.vector_bytes(),
        "kernels of its OpenBLAS": openblas.core(),
        "kernels of NumPy's OpenBLAS": numpy_openblas.numpys_core() or "another BLAS",
        "cache": kept,
        "memory of freed arrays": about_kept_memory(),
    }
