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


def add_to(commands: Any, purpose: str) -> None:
    """Declare the arguments of the command."""
    parser = commands.add_parser(
        "doctor",
        help=purpose,
        description="Show which engines, kernels and optional packages there are, and what a missing "
        "one would add. Example: wengert doctor --json",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command; returns its exit status."""
    found = findings()
    if options.json:
        as_json(found)
        return 0
    for section, entries in found.items():
        heading(section)
        pairs(entries, "  ")
    return 0


def findings() -> dict[str, dict[str, Any]]:
    """The findings, by section."""
    return {
        "versions": {
            "wengert": wengert.__version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "system": f"{platform.system()} {platform.machine()}",
        },
        "native engine": _native(),
        "optional packages": {name: _package(name, use) for name, use in OPTIONAL.items()},
    }


def _native() -> dict[str, Any]:
    try:
        importlib.import_module("wengert.engines.native.program.build")
        processor = importlib.import_module("wengert.engines.native.runtime.processor")
        if not processor.is_supported():
            return {"works": "no: this system or processor was never tried; NumPy does it all"}
        return {"works": "yes", **_parts()}
    except ImportError as error:
        return {"works": f"no: {error}"}


def _parts() -> dict[str, Any]:
    openblas, cache, processor, runtime = (
        importlib.import_module(f"wengert.engines.native.runtime.{name}")
        for name in ("openblas", "cache", "processor", "runtime_ir")
    )
    matmul = importlib.import_module("wengert.engines.native.kernels.matmul")
    kept = cache.about()
    return {
        "chosen": wengert.config.get_engine() or "native for functions, numpy for sessions",
        "threads": wengert.config.get_threads() if runtime.has_threads() else 1,
        "vectors": f"{8 * processor.vector_bytes()} bits",
        "kernels of its OpenBLAS": openblas.core(),
        "kernels of NumPy's OpenBLAS": matmul.numpys_core() or "another BLAS",
        "cache": f"{kept['folder']}: {kept['files']} files, {kept['bytes'] / 1e6:.1f} MB",
    }


def _package(name: str, use: str) -> str:
    there = importlib.util.find_spec(name) is not None
    return f"{'installed' if there else 'not installed'}, for {use}"
