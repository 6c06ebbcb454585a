"""Runs tests with the oldest and the newest of what is needed, and with each Python that can be had.

python tools/versions.py [NAME ...]

Each environment is made once, in build/versions; what a machine does not have is skipped, with a
line that says so. A Python is looked for on the PATH, among pyenv's, and asked of uv. The Python that
runs this, with what is installed for it, is not tried again: environments that differ from it in one
package are links to its files.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parent.parent
PLACE: Final = ROOT / "build" / "versions"
TESTING: Final = ("pytest>=8", "hypothesis>=6.100", "absl-py>=2")
NEWEST: Final = ("numpy", "scipy", "ml_dtypes", "rich", "llvmlite", "scipy-openblas32")
# The least that pyproject.toml allows; a test compares them.
OLDEST: Final = (
    *("numpy==2.0.0", "scipy==1.13.0", "ml_dtypes==0.4.0", "rich==13.0.0"),
    *("llvmlite==0.45.0", "scipy-openblas32==0.3.28.0.2"),
)
ENGINE: Final = (
    "native_engine", "native_plans", "native_registers", "concurrency", "large_kernels",
)  # fmt: skip
OTHERS: Final = ("function", "variable", "tape")
CUT: Final = ("native_engine", "native_registers", "concurrency", "function")


_OWN: Final = f"{sys.version_info[0]}.{sys.version_info[1]}"


class Environment(NamedTuple):
    name: str
    python: str | None  # None: this one, and what is installed for it
    packages: Sequence[str]
    tests: Sequence[str]
    without: str = ""  # a package that is taken away
    more: Sequence[str] = ()  # for pytest


ENVIRONMENTS: Final = (
    Environment("oldest", "3.10", OLDEST, (*ENGINE, *OTHERS)),
    Environment("newest", "3.13", NEWEST, (*ENGINE, *OTHERS)),
    # numba pins this llvmlite, whose LLVM is the oldest.
    Environment("beside numba", None, ("llvmlite==0.47.0",), CUT),
    Environment("Python 3.11", "3.11", NEWEST, CUT),
    Environment("Python 3.12", "3.12", NEWEST, CUT),
    Environment("Python 3.14", "3.14", NEWEST, CUT),
    Environment("without OpenBLAS", None, (), CUT, without="scipy-openblas32"),
    Environment("without llvmlite", None, (), OTHERS, without="llvmlite",
                more=("-W", "ignore:The native engine needs llvmlite")),
)  # fmt: skip


def main(names: Sequence[str]) -> int:
    chosen = [e for e in ENVIRONMENTS if e.name in (names or [e.name]) and e.python != _OWN]
    with ThreadPoolExecutor(max(os.cpu_count() or 1, 1)) as pool:
        return int(not all(pool.map(_passes, chosen)))


def _passes(environment: Environment) -> bool:
    """Whether the tests pass, or cannot be run here; a line says what happened."""
    began = time.monotonic()
    python = sys.executable if environment.python is None else find_python(environment.python)
    if python is None:
        print(f"{environment.name}: skipped, there is no Python {environment.python} here.")
        return True
    found = _installed(environment, python)
    if isinstance(found, str):
        print(f"{environment.name}: skipped, its packages cannot be had: {found}")
        return True
    tests = [f"tests/test_{name}.py" for name in environment.tests]
    command = [str(found), "-m", "pytest", "-p", "no:cacheprovider", *environment.more]
    around = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "WENGERT_CACHE_DIR": str(found.parent / "kept"),
    }
    done = _run([*command, *tests], around)
    last = (done.stdout.strip().splitlines() or [done.stderr.strip()[-200:]])[-1]
    print(
        f"{environment.name} ({python}): {last.strip()} ({time.monotonic() - began:.0f} s)",
        flush=True,
    )
    if done.returncode:
        print(done.stdout[-6000:], done.stderr[-2000:], sep="\n")
    return done.returncode == 0


def _run(
    command: Sequence[str], around: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=ROOT, env=around, capture_output=True, text=True)


# ---- what is there ------------------------------------------------------------------------------


def find_python(version: str) -> str | None:
    return next((p for p in _pythons(version) if _is(p, version)), None)


def _pythons(version: str) -> Iterator[str]:
    """Where it may be."""
    yield sys.executable
    yield from filter(None, [shutil.which(f"python{version}")])
    pyenv = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser() / "versions"
    yield from map(str, sorted(pyenv.glob(f"{version}.*/bin/python")))
    if uv := shutil.which("uv"):
        yield _run([uv, "python", "find", version]).stdout.strip() or "none"


def _is(python: str, version: str) -> bool:
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        return _run([python, "-c", code]).stdout.strip() == version
    except OSError:
        return False


def _installed(environment: Environment, python: str) -> Path | str:
    """The environment's Python; what went wrong if it could not be made."""
    place = PLACE / environment.name.replace(" ", "-")
    packages = [*environment.packages, *(TESTING if environment.python else ())]
    wanted = "\n".join([python, *packages, "without", environment.without])
    inside, stamp = place / "bin" / "python", place / "installed"
    if stamp.exists() and stamp.read_text() == wanted:
        return inside
    shutil.rmtree(place, ignore_errors=True)
    # Its own pip: an old one cannot serve a newer Python.
    pip = [str(inside), "-m", "pip", "--disable-pip-version-check", "-q"]
    own = ["--without-pip"] if environment.python is None else []  # linked with the other files
    install = [*pip, "install", "--no-compile", "--only-binary", ":all:", *packages]
    try:
        _done([python, "-m", "venv", *own, str(place)])
        if environment.python is None:
            _link(
                Path(sysconfig.get_path("purelib")), next(place.glob("lib/python*/site-packages"))
            )
        if packages:
            _done(install)
        if environment.without:
            _done([*pip, "uninstall", "-y", environment.without])
    except OSError as error:
        return str(error)
    stamp.write_text(wanted)
    return inside


def _link(from_here: Path, to_here: Path) -> None:
    """The same files, which pip may replace or remove there and not here."""
    ignored = shutil.ignore_patterns("__pycache__", "*.pth")
    shutil.copytree(from_here, to_here, copy_function=_linked, ignore=ignored, dirs_exist_ok=True)


def _linked(file: str, other: str) -> None:
    try:
        os.link(file, other)
    except OSError:  # another disk
        shutil.copy2(file, other)


def _done(command: Sequence[str]) -> None:
    done = _run(command, {k: v for k, v in os.environ.items() if k != "PYTHONPATH"})
    if done.returncode:
        raise OSError((done.stderr.strip() or done.stdout.strip()).splitlines()[-1])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
