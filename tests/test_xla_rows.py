"""Every row under XLA, on a processor, gives what NumPy does: values and gradients."""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import wengert  # noqa: F401  # declares the operations
from wengert.core.table import TABLE, complete
from wengert.engines.xla import coverage

HERE = Path(__file__).parent
SHARES = 2
needs_jax = pytest.mark.skipif(
    importlib.util.find_spec("jax") is None, reason="JAX is not installed"
)
ENOUGH = 0.95  # of the rows with a gradient are compiled without a callback


def environment() -> dict[str, str]:
    paths = [str(HERE.parent), str(HERE), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


def results_of(programs: str, limit: int) -> tuple[Mapping[str, str], str]:
    """What went wrong in each program of a file, which runs in a process of its own; and what that complained of."""
    command = [sys.executable, str(HERE / programs)]
    run = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=limit)
    assert run.returncode == 0, run.stderr[-2000:]
    return json.loads(run.stdout.splitlines()[-1]), run.stderr[-2000:]


@functools.cache
def found() -> Mapping[str, Any]:
    """What the programs printed, put together."""
    commands = [[sys.executable, str(HERE / "xla_rows.py"), f"{i}/{SHARES}"] for i in range(SHARES)]
    running = [
        subprocess.Popen(c, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for c in commands
    ]
    parts = []
    for process in running:
        out, err = process.communicate(timeout=600)
        assert process.returncode == 0, err.decode()[-2000:]
        parts.append(json.loads(out.decode().splitlines()[-1]))
    joined = {name: {n for p in parts for n in p[name]} for name in parts[0] if name != "cases"}
    return {**joined, "cases": {k: v for p in parts for k, v in p["cases"].items()}}


@needs_jax
@pytest.mark.slow
def test_values_and_gradients_are_numpys() -> None:
    """All that is not refused, to rounding in float64."""
    cases: dict[str, str] = found()["cases"]
    assert len(cases) > 400
    assert {k: v for k, v in cases.items() if v not in ("same", "refused")} == {}


@needs_jax
@pytest.mark.slow
def test_coverage_says_what_happens() -> None:
    """The word of `wengert ops` is what was seen."""
    complete()
    how = {name: coverage.how(TABLE[name]) for name in TABLE}
    seen = found()["rows"]
    called = {name for name in found()["called"] if name in TABLE}
    # Where the graph knows a size that depends on values, these need no values, but NumPy.
    assert {n for n in called if how[n] not in ("callback", "compiled for values")} == set()
    assert {n for n in seen if how[n] == "callback"} - called - set(found()["known"]) == set()
    by_value = {name for name in found()["for values"] if name in TABLE}
    assert {n for n in by_value if how[n] != "compiled for values"} == set()
    refused = {name for name in found()["refused"] if name in TABLE} - by_value
    assert {n for n in refused if how[n] != "none"} == set()


def test_most_rows_with_a_gradient_need_no_callback() -> None:
    complete()
    rows = [
        row for row in TABLE.values() if row.differentiable and not row.declared.startswith("<")
    ]
    compiled = [row for row in rows if coverage.how(row).startswith("compiled")]
    assert len(compiled) >= ENOUGH * len(rows)
