"""Measures what an installation takes on the disk, and writes it into the pages that say so.

python tools/installed.py

Wengert and what it needs are installed into an empty folder, which takes the network. The numbers are kept in
benchmarks/results/installed.json; `said` writes them into README.md and docs/, as a test asserts.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
RESULTS: Final = ROOT / "benchmarks" / "results" / "installed.json"
PACKAGE: Final = ROOT / "wengert"
MB: Final = 2**20

# Who is named on the pages, and the folders of each; everything else is the rest.
FOLDERS: Final = {
    "wengert": ("wengert",),
    "numpy": ("numpy", "numpy.libs"),
    "scipy": ("scipy", "scipy.libs"),
    "llvmlite": ("llvmlite",),
    "openblas": ("scipy_openblas32",),
}

# The sentences that say a size: what stands before the number and after it, and whose it is.
SENTENCES: Final = {
    "README.md": (
        ("to import, Wengert ", " MB and", "all"),
        ("with dependencies | ", " MB", "all"),
        ("the package itself | ", " MB", "wengert"),
        ("Of Wengert's ", " MB", "all"),
        ("the compiler, is\n", ", SciPy", "llvmlite"),
        (", SciPy ", ", NumPy", "scipy"),
        (", NumPy ", ", and OpenBLAS", "numpy"),
        (", and OpenBLAS ", ".", "openblas"),
    ),
    "docs/compare.md": (
        ("to run from ", " MB", "all"),
        ("size, MB; import, s | ", ";", "all"),
    ),
    "docs/index.md": (("**Small**: ", " MB", "all"),),
    "docs/install.md": (
        ("| wengert | | ", " |", "wengert"),
        ("| arrays | ", " |", "numpy"),
        ("special functions, decompositions | ", " |", "scipy"),
        ("functions and large arrays | ", " |", "llvmlite"),
        ("products in compiled functions | ", " |", "openblas"),
        ("the command's tables | ", " |", "rest"),
        ("Altogether ", " MB", "all"),
        ("leaves ", " MB", "without"),
    ),
}


def size_of(folder: Path) -> int:
    """Bytes of the files in a folder, without bytecode and what was compiled."""
    files = (p for p in folder.rglob("*") if p.is_file() and "__pycache__" not in p.parts)
    return sum(p.stat().st_size for p in files)


def measure() -> dict[str, float]:
    """MB of each that is named, of the rest, of all, and of all without compiler and OpenBLAS."""
    with tempfile.TemporaryDirectory() as target:
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-compile", "--target"]
        subprocess.run([*command, target, str(ROOT)], check=True)
        folders = {p.name: size_of(p) / MB for p in Path(target).iterdir()}
    found = {who: sum(folders[name] for name in names) for who, names in FOLDERS.items()}
    everything = sum(folders.values())
    found["rest"] = everything - sum(found.values())
    found["all"] = everything
    found["without"] = everything - found["llvmlite"] - found["openblas"]
    return {who: round(size, 1) for who, size in found.items()}


def said(page: str, text: str, sizes: Mapping[str, float]) -> str:
    """A page with the sizes in its sentences, each of which is there once."""
    for before, after, whose in SENTENCES[page]:
        pattern = f"(?<={re.escape(before)})[0-9,]+(?={re.escape(after)})"
        text, found = re.subn(pattern, f"{sizes[whose]:,.0f}", text)
        if found != 1:
            raise ValueError(f"{page} says {found} times: {before}... {after}")
    return text


def main() -> None:
    sizes = measure()
    RESULTS.write_text(json.dumps(sizes, indent=2) + "\n", "utf-8")
    for page in SENTENCES:
        path = ROOT / page
        path.write_text(said(page, path.read_text("utf-8"), sizes), "utf-8")


if __name__ == "__main__":
    main()
