"""Builds the machine in C along with the package, where there is a C compiler.

Without one, or with WENGERT_MACHINE=python, the package is Python alone, and does the same.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import subprocess
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOM = Path("wengert/core")
SOURCE = ROOM / "machine.c"
MODULE = f"_machine{sysconfig.get_config_var('EXT_SUFFIX') or '.so'}"


class MachineBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Puts the compiled machine into a wheel, or beside its source where the package is editable."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and say so to the builder."""
        if self.target_name != "wheel" or os.environ.get("WENGERT_MACHINE") == "python":
            return
        root = Path(self.root)
        editable = version == "editable"
        folder = root / ROOM if editable else Path(tempfile.mkdtemp(prefix="wengert-"))
        complaint = compile_machine(root / SOURCE, folder / MODULE)
        if complaint:
            self.app.display_warning(f"The machine is Python alone: {complaint}")
        elif not editable:
            build_data["force_include"][str(folder / MODULE)] = str(ROOM / MODULE)
            build_data.update(pure_python=False, infer_tag=True)


def compile_machine(source: Path, target: Path) -> str:
    """Compile for this Python; what went wrong, or ''."""
    linker = shlex.split(sysconfig.get_config_var("LDSHARED") or "")
    if not linker:
        return "this Python does not say how it was compiled."
    compiler = shlex.split(os.environ.get("CC", "")) or linker[:1]
    include = sorted({sysconfig.get_path(name) for name in ("include", "platinclude")})
    made = target.with_suffix(".new")  # a process may have the old one loaded
    command = [
        *compiler,
        *linker[1:],
        *("-O2", "-fPIC", f'-DSOURCE="{hashlib.sha256(source.read_bytes()).hexdigest()}"'),
        *(f"-I{folder}" for folder in include),
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
