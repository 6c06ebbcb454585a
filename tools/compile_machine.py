"""Compiles the machine in C for the Python that runs this: python tools/compile_machine.py SOURCE TARGET.

Building the package does so (hatch_build.py), and a test, for each Python that there is.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path


def file_name() -> str:
    """What Python calls the compiled module."""
    return f"_machine{sysconfig.get_config_var('EXT_SUFFIX') or '.so'}"


def compile_machine(source: Path, target: Path, *more: str) -> str:
    """Compile, with these arguments of the compiler, too; what went wrong, or ''."""
    linker = shlex.split(sysconfig.get_config_var("LDSHARED") or "")
    if not linker:
        return "this Python does not say how it was compiled."
    compiler = shlex.split(os.environ.get("CC", "")) or linker[:1]
    folders = sorted({sysconfig.get_path(name) for name in ("include", "platinclude")})
    made = target.with_suffix(".new")  # a process may have the old one loaded
    command = [
        *compiler,
        *linker[1:],
        *("-O2", "-fPIC", f'-DSOURCE="{fingerprint(source)}"'),
        *(f"-I{folder}" for folder in folders),
        *more,
        *(str(source), "-o", str(made)),
    ]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        return f"{compiler[0]} cannot be started ({error})."
    if done.returncode != 0:
        return f"{compiler[0]} failed:\n{done.stderr}"
    made.replace(target)
    return ""


def fingerprint(source: Path) -> str:
    """By which a compiled module says what it was made of."""
    return hashlib.sha256(source.read_bytes()).hexdigest()


if __name__ == "__main__":
    complaint = compile_machine(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:])
    sys.exit(complaint or 0)
