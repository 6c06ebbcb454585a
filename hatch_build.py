"""Puts the benchmarks into a wheel, and builds the machine in C along with it, where there is a C compiler.

Without one, or with WENGERT_MACHINE=python, the package is Python alone, and does the same.
"""

from __future__ import annotations

import os
import runpy
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOM = Path("wengert/core")
MEASURED = ("results", "__pycache__")  # what a checkout holds besides the benchmarks themselves


class MachineBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Puts the compiled machine into a wheel, or beside its source where the package is editable."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and tell the builder."""
        root, editable = Path(self.root), version == "editable"
        # `wengert bench` measures with these where there is no checkout.
        if self.target_name == "wheel" and not editable:
            for path in (root / "benchmarks").iterdir():
                if path.name not in MEASURED:
                    build_data["force_include"][str(path)] = f"wengert/bench/benchmarks/{path.name}"
        if self.target_name != "wheel" or os.environ.get("WENGERT_MACHINE") == "python":
            return
        tool = runpy.run_path(str(root / "tools" / "compile_machine.py"))
        name = tool["file_name"]()
        folder = root / ROOM if editable else Path(tempfile.mkdtemp(prefix="wengert-"))
        complaint = tool["compile_machine"](root / ROOM / "machine.c", folder / name)
        if complaint:
            self.app.display_warning(f"The machine is Python alone: {complaint}")
        elif not editable:
            build_data["force_include"][str(folder / name)] = str(ROOM / name)
            build_data.update(pure_python=False, infer_tag=True)
