"""wengert train in several processes: the numbers of one, and of a run that nobody killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from test_train import history, tensors, train
from test_train_killed import latest_step, wait_for_a_checkpoint_after
from test_xla_rows import environment, needs_jax

COMMAND = [sys.executable, "-m", "wengert", "train"]
TASK = ("regression", "--save-every", "5", "--batch", "33")


def run(*words: object) -> subprocess.CompletedProcess[str]:
    given = [*COMMAND, *map(str, words), "--processes", "2"]
    return subprocess.run(given, env=environment(), capture_output=True, text=True, timeout=120)


def children(pid: int) -> list[int]:
    return list(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))


@needs_jax
@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs Linux's /proc")
def test_a_killed_run_goes_on_to_the_same_numbers(tmp_path: Path) -> None:
    """Bit for bit those of two processes that nobody killed; to rounding those of one."""
    folder, whole, alone = tmp_path / "run", tmp_path / "whole", tmp_path / "alone"
    words = [*COMMAND, *TASK, "--steps", "100000", "--out", str(folder), "--processes", "2"]
    with subprocess.Popen(words, env=environment(), stderr=subprocess.PIPE, text=True,
                          stdout=subprocess.DEVNULL) as killed:  # fmt: skip
        assert killed.stderr is not None
        wait_for_a_checkpoint_after(folder, 5)
        os.kill(children(killed.pid)[1], signal.SIGKILL)
        start = time.monotonic()
        said = killed.stderr.read()
        assert killed.wait(30) == 128 + 9
        assert time.monotonic() - start < 30
    assert "process 1 of 2 was killed by SIGKILL. The others were ended." in said
    end = latest_step(folder) + 5
    again = run("--resume", folder, "--steps", end)
    assert again.returncode == 0, again.stderr[-2000:]
    assert f"going on after step {end - 5}" in again.stdout
    assert run(*TASK, "--steps", end, "--out", whole).returncode == 0
    assert tensors(folder) == tensors(whole)
    assert history(folder) == history(whole)
    assert train(*TASK, "--steps", end, out=alone) == 0
    np.testing.assert_allclose(history(folder), history(alone), rtol=1e-3)


@needs_jax
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["regresion"], "Did you mean regression?"),
        (["regression", "--layer", "spectral"], "'regression' has no layer to choose"),
        (["regression", "--override-scope", "eig"], "SCOPE=GRADIENT is wanted"),
    ],
)
def test_what_cannot_be_trained_is_said_once(words: list[str], said: str, tmp_path: Path) -> None:
    """Before any process is begun."""
    found = run(*words, "--out", tmp_path / "run")
    assert found.returncode == 2
    assert " ".join(found.stderr.split()).count(said) == 1


@needs_jax
def test_what_a_run_was_not_begun_with_is_said_once(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert train(*TASK, "--steps", 5, out=folder) == 0
    found = run("--resume", folder, "--rate", 0.5)
    assert found.returncode == 2
    assert " ".join(found.stderr.split()).count("rate 0.5 (it has") == 1
    assert "The others were ended" not in found.stderr
