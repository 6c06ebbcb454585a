"""The same numbers on other machines: other vectors, one core or many, little memory, no place for a cache."""

from __future__ import annotations

import functools
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

HERE = Path(__file__).parent
pytest.importorskip("llvmlite")
needs_x86 = pytest.mark.skipif(platform.machine() != "x86_64", reason="another processor")
needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="another system")


def results(machine: str, cache: str) -> Mapping[str, Any]:
    """What the programs give on a machine, in a process of its own."""
    with tempfile.TemporaryDirectory() as place:
        file = os.path.join(place, "results.npz")
        run = subprocess.run(
            [sys.executable, str(HERE / "machine_programs.py"), machine, file],
            env={**os.environ, "PYTHONPATH": str(HERE.parent), "WENGERT_CACHE_DIR": cache},
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert run.returncode == 0, run.stderr[-2000:]
        assert not run.stderr, run.stderr[-2000:]
        with np.load(file) as found:
            return dict(found)


@functools.cache
def interpreted() -> Mapping[str, Any]:
    return results("interpreted", "")


def assert_same(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Up to rounding, by the largest number of each array; integers and draws bit for bit."""
    assert sorted(found) == sorted(wanted)
    for name, array in wanted.items():
        assert found[name].dtype == array.dtype
        if array.dtype.kind != "f" or name.startswith("drawn"):
            np.testing.assert_array_equal(found[name], array, name)
            continue
        tolerance = {4: 4e-6, 8: 1e-13}[array.itemsize] * np.abs(array).max()
        np.testing.assert_allclose(found[name], array, rtol=0, atol=tolerance, err_msg=name)


@pytest.mark.parametrize(
    "machine",
    [
        "as it is",
        pytest.param("vectors of 32 bytes", marks=needs_x86),
        pytest.param("vectors of 16 bytes", marks=needs_x86),
        pytest.param("one core", marks=needs_linux),
        "one thread",
        "64 threads",
        pytest.param("1 GB", marks=needs_linux),
    ],
)
def test_the_same_numbers(machine: str, tmp_path: Path) -> None:
    assert_same(results(machine, str(tmp_path)), interpreted())


@needs_x86
def test_a_processor_that_cannot_multiply_and_add(tmp_path: Path) -> None:
    """All is interpreted there: bit for bit the same, without a plan; but images of kernels are NumPy's."""
    found = results("no multiply-add", str(tmp_path))
    assert_same(found, interpreted())
    for name, array in interpreted().items():
        if not name.startswith(("tiles", "long filters")):
            np.testing.assert_array_equal(found[name], array, name)
    assert not list(tmp_path.rglob("*.plan"))


def test_a_cache_that_cannot_be_written(tmp_path: Path) -> None:
    """A file in its place."""
    (tmp_path / "file").write_text("")
    assert_same(results("as it is", str(tmp_path / "file")), interpreted())


def test_machines_that_differ_share_no_code(tmp_path: Path) -> None:
    """A cache on a disk that two machines share: each finds its own."""
    names = []
    for machine in (
        "as it is",
        "vectors of 16 bytes" if platform.machine() == "x86_64" else "as it is",
    ):
        results(machine, str(tmp_path))
        names.append({file.name for file in tmp_path.rglob("*") if file.is_file()})
    assert names[0]
    assert (names[0] == names[1]) is (platform.machine() != "x86_64")
