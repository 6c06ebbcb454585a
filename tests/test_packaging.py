"""What is built can be installed, and does what it says, without the repository."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tools.compile_machine import file_name
from tools.versions import find_python

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent
VERSIONS = [f"3.{minor}" for minor in range(10, 15)]
COMPILER = shutil.which((os.environ.get("CC") or "cc").split()[0])
PROGRAM = """
import sys
import tensorflow as tf
import wengert
assert "site-packages" in wengert.__file__, wengert.__file__
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = tf.function(lambda: x * x)()
print(tape.gradient(y, x).numpy(), sys.version_info[:2])
"""


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built("sdist", ROOT, tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def wheel(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """From the source distribution, as an installer without the wheel would make it; Python alone."""
    unpacked = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(sdist) as archive:
        options: Any = {"filter": "data"} if sys.version_info >= (3, 12) else {}
        archive.extractall(unpacked, **options)
    (source,) = unpacked.iterdir()
    return built("wheel", source, tmp_path_factory.mktemp("wheel"), WENGERT_MACHINE="python")


def built(what: str, source: Path, into: Path, **environment: str) -> Path:
    code = f"import sys, hatchling.build as b; print(b.build_{what}(sys.argv[1]))"
    run([sys.executable, "-c", code, str(into)], cwd=source, env=os.environ | environment)
    (made,) = into.iterdir()
    return made


def run(command: list[str], **more: object) -> str:
    done = subprocess.run(command, capture_output=True, text=True, **more)  # type: ignore[call-overload]
    assert done.returncode == 0, done.stdout + done.stderr
    return str(done.stdout)


def test_the_wheel_is_small_and_whole(wheel: Path) -> None:
    """About 2.9 MB, with its data and its types, and nothing that is for us alone.

    It was under 2.2 before graphs of version 1 were read from files, under 2.3 before networks were
    trained by a command, and XLA was an engine, under 2.4 before programs ran on several devices, and
    under 2.5 before TensorFlow's tests of datasets ran, and windows and gamma functions were compiled, and
    under 2.6 before large arrays were computed in blocks, and replicas by one program, and under 2.7
    before values were put aside in barriers, staging areas and handles, and under 2.75 before eager products had
    kernels, and dtypes could give way, and under 2.82 before cumulative sums and orders were computed outside of NumPy,
    and under 2.84 before complex numbers and Fourier transforms were compiled, and under 2.87 before gradient functions that
    were written for TensorFlow found its arguments, and under 2.9 before the lines that explanations propose were tried, and
    under 2.96 before functions made the operations that maps of gradients name, and under 2.98 before loops of small steps kept
    what they carry in registers.
    """
    assert wheel.stat().st_size < 3_500_000
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {
        "wengert/py.typed",
        "wengert/cli/tested.json",
        "wengert/compat/internal_names.json",
        "wengert/compat/raw_operations.txt",
        "wengert/bench/benchmarks/worker.py",
    } <= names
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"wengert"}
    assert not [name for name in names if name.endswith(".pyc") or "/results/" in name]


def test_every_module_is_in_the_wheel(wheel: Path) -> None:
    inside = {n for n in zipfile.ZipFile(wheel).namelist() if n.endswith(".py")}
    ours = {p.relative_to(ROOT).as_posix() for p in (ROOT / "wengert").rglob("*.py")}
    assert ours <= inside


@functools.cache
def environment(folder: Path, wheel: Path) -> Path:
    """A clean environment with the wheel alone; what it needs is found where the tests find it."""
    venv.create(folder, with_pip=False)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps"]
    run([*pip, "--no-index", "--disable-pip-version-check", str(wheel)])
    return python


def clean(python: Path, *arguments: str, without: Path | None = None) -> str:
    """Run Python there: this environment's packages behind its own."""
    paths = [str(without)] if without else []
    env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    env["PYTHONPATH"] = os.pathsep.join([*paths, sysconfig.get_paths()["purelib"]])
    return run([str(python), *arguments], env=env, cwd=python.parent)


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return environment(tmp_path_factory.mktemp("clean") / "venv", wheel)


def test_the_installed_package_runs_programs(python: Path, tmp_path: Path) -> None:
    """`wengert run`, from the wheel that the source distribution made."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    assert clean(python, "-m", "wengert", "run", str(program)).startswith("6.0")
    command = shutil.which("wengert", path=str(python.parent))
    assert command is not None
    assert clean(Path(command), "ops", "Relu").startswith("operation      Relu")


def test_the_installed_benchmarks(python: Path) -> None:
    assert "chain, eager" in clean(python, "-m", "wengert", "bench", "--list")


def test_without_the_optional_parts(python: Path, tmp_path: Path) -> None:
    """No llvmlite, no OpenBLAS of our own: functions run on NumPy, and one warning says so."""
    for name in ("llvmlite", "scipy_openblas32", "matplotlib", "jax"):
        (tmp_path / f"{name}.py").write_text(f"raise ImportError('no {name} here')\n")
    code = (
        "import warnings\n"
        "import wengert as tf\n"
        "f = tf.function(lambda x: tf.reduce_sum(tf.exp(x) * x))\n"
        "x = tf.constant([1.0, 2.0])\n"
        "with warnings.catch_warnings(record=True) as said, tf.GradientTape() as tape:\n"
        "    warnings.simplefilter('always')\n"
        "    tape.watch(x); y = f(x)\n"
        "print([round(float(g), 3) for g in tape.gradient(y, x)], len(said), said[0].message)"
    )
    out = clean(python, "-c", code, without=tmp_path)
    assert out.startswith("[5.437, 22.167] 1 ")
    assert "no llvmlite here" in out


@pytest.mark.parametrize("version", VERSIONS)
def test_on_every_python_that_is_there(version: str, sdist: Path, tmp_path: Path) -> None:
    """Built and installed with what it needs, a program and its gradient run, on the machine in C."""
    python = find_python(version)
    if python is None:
        pytest.skip(f"Python {version} is not there")
    if sys.version_info[:2] == tuple(map(int, version.split("."))):
        pytest.skip(f"Python {version} runs these tests")
    run([str(python), "-m", "venv", str(tmp_path / "venv")])
    own = tmp_path / "venv" / "bin" / "python"
    pip = [str(own), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(sdist)]
    installed = subprocess.run(pip, capture_output=True, text=True)
    if installed.returncode:
        pytest.skip(f"nothing to install from: {installed.stderr.strip().splitlines()[-1]}")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    out = run([str(own), "-m", "wengert", "run", str(program)], cwd=tmp_path)
    assert out.split(maxsplit=1)[0] == "6.0"
    if COMPILER is not None:
        assert "in C" in run([str(own), "-m", "wengert", "doctor"], cwd=tmp_path)


@pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")
def test_a_wheel_with_the_machine_in_c_is_for_this_python(tmp_path: Path) -> None:
    made = built("wheel", ROOT, tmp_path / "made")
    assert sysconfig.get_config_var("py_version_nodot") in made.name.split("-")[2]
    inside = {n for n in zipfile.ZipFile(made).namelist() if n.startswith("wengert/core/_machine")}
    assert inside == {f"wengert/core/{file_name()}"}
    python = environment(tmp_path / "venv", made)
    assert "in C" in clean(python, "-m", "wengert", "doctor")


def test_without_a_compiler_the_package_is_python_alone(sdist: Path, tmp_path: Path) -> None:
    with tarfile.open(sdist) as archive:
        options: Any = {"filter": "data"} if sys.version_info >= (3, 12) else {}
        archive.extractall(tmp_path / "unpacked", **options)
    (source,) = (tmp_path / "unpacked").iterdir()
    made = built("wheel", source, tmp_path / "made", CC="no-such-compiler")
    assert made.name.endswith("-py3-none-any.whl")
