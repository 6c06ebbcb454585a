"""Prints how large the package is: lines and annotations by folder, its import, its wheel.

python tools/sizes.py
"""

from __future__ import annotations

import ast
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "wengert"
IMPORTS = 9  # of which the median is printed


class Counts(NamedTuple):
    files: int = 0
    lines: int = 0
    annotated: int = 0  # parameters and results of functions
    bare: int = 0  # those that say Any, and nothing else

    def __add__(self, other: Counts) -> Counts:  # type: ignore[override]
        return Counts(*[a + b for a, b in zip(self, other, strict=True)])


def counts_of(path: Path) -> Counts:
    text = path.read_text(encoding="utf-8")
    said = [ast.unparse(note) for note in _annotations(ast.parse(text))]
    return Counts(1, text.count("\n"), len(said), said.count("Any"))


def _annotations(tree: ast.AST) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found = [a.annotation for a in ast.walk(node.args) if isinstance(a, ast.arg)]
            yield from (note for note in [*found, node.returns] if note is not None)


def by_folder() -> dict[str, Counts]:
    found: dict[str, Counts] = defaultdict(Counts)
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).parts[:-1]
        found["/".join(parts[:2]) or "."] += counts_of(path)
    return found


def import_time() -> float:
    """Of Python with NumPy and Wengert, less that of Python with NumPy, in milliseconds."""

    def median(program: str) -> float:
        times = []
        for _ in range(IMPORTS):
            began = time.perf_counter()
            subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT)
            times.append(time.perf_counter() - began)
        return sorted(times)[IMPORTS // 2]

    return 1e3 * (median("import numpy, wengert") - median("import numpy"))


def wheel_size() -> int:
    """In bytes; without what is installed for building, -1."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
        done = subprocess.run(command, cwd=ROOT, capture_output=True)
        wheels = list(Path(folder).glob("*.whl"))
        return wheels[0].stat().st_size if done.returncode == 0 and wheels else -1


def main() -> None:
    folders = by_folder()
    print(f"{'folder':28} {'files':>6} {'lines':>8} {'bare Any':>9}")
    for name, found in [*folders.items(), ("all", sum(folders.values(), Counts()))]:
        share = f"{found.bare / found.annotated:.0%}" if found.annotated else ""
        print(f"{name:28} {found.files:6} {found.lines:8,} {share:>9}")
    print(f"import: {import_time():.0f} ms more than NumPy")
    print(f"wheel: {wheel_size() / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
