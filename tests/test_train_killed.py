"""What is left of a run that was killed, whose files are damaged, or whose disk is full.

Runs are killed 20 times; with WENGERT_LONG_TESTS=1 200 times.
"""

from __future__ import annotations

import errno
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_train import history, tensors, train, users_file

import wengert as tf
from wengert.formats import large_files
from wengert.overrides.registered_gradients import GRADIENTS
from wengert.saving.checkpoint_state import get_checkpoint_state

KILLS = 200 if os.environ.get("WENGERT_LONG_TESTS") else 20
LONGEST = 0.05  # seconds until a run is killed
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that fork")


def started(work: Callable[[], Any], noted: Path) -> int:
    """Begin in a process of its own, which has all that this one has loaded."""
    child = os.fork()
    if child:
        return child
    try:
        os.dup2(os.open(noted, os.O_WRONLY | os.O_CREAT | os.O_APPEND), 1)
        os.dup2(1, 2)
        sys.stdout = sys.stderr = open(1, "w", closefd=False)  # noqa: SIM115  # until the end
        os._exit(work())
    except BaseException as error:
        os.write(1, repr(error).encode())
    finally:
        os._exit(99)


def whole_steps(folder: Path) -> list[int]:
    """The steps of all checkpoints that the folder names, each of which is read to the last byte."""
    state = get_checkpoint_state(folder / "checkpoints")
    found: list[int] = []
    paths = [] if state is None else state.all_model_checkpoint_paths
    for path in paths:
        if not Path(f"{path}.index").exists():  # one that was too old, and was being removed
            assert path != paths[-1]
            continue
        reader = tf.train.load_checkpoint(path)
        for name in reader.get_variable_to_shape_map():
            reader.get_tensor(name)
        step = int(reader.get_tensor("steps/.ATTRIBUTES/VARIABLE_VALUE"))
        assert path.endswith(f"-{step}")
        found.append(step)
    return found


def latest_step(folder: Path) -> int:
    """Of the checkpoint that the folder names as its latest."""
    state = get_checkpoint_state(folder / "checkpoints")
    return int(state.model_checkpoint_path.rpartition("-")[2]) if state is not None else 0


def wait_for_a_checkpoint_after(folder: Path, step: int) -> None:
    end = time.monotonic() + 60
    while latest_step(folder) <= step:
        assert time.monotonic() < end, "the run does not take a step"
        time.sleep(0.001)


@needs_fork
@pytest.mark.slow
def test_a_run_that_is_killed_again_and_again(tmp_path: Path) -> None:
    """At any moment the last checkpoint is whole, and of the step before the one that was killed."""
    folder, whole, noted = tmp_path / "run", tmp_path / "whole", tmp_path / "said"
    words = ("regression", "--steps", 100_000, "--save-every", 1)
    assert train("regression", "--steps", 1, "--save-every", 1, out=folder) == 0
    chance, reached, died = random.Random(0), 1, 0
    for number in range(KILLS):
        child = started(lambda: train("--resume", folder, *words[1:]), noted)
        if number % 2:  # somewhere in the middle of writing; the others die on their way there
            wait_for_a_checkpoint_after(folder, reached)
        time.sleep(chance.uniform(0.0, LONGEST))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        died += os.WIFSIGNALED(status)
        steps = whole_steps(folder)
        lines = (folder / "history.csv").read_text().splitlines(keepends=True)
        written = sum(line.endswith("\n") for line in lines)
        assert steps[-1] >= written - 1, "more than the step that was being written is lost"
        assert steps[-1] >= reached, "a checkpoint that was there is gone"
        reached = steps[-1]
    assert died == KILLS, noted.read_text()
    assert reached >= KILLS / 2, "too few steps for the kills to have met any"
    end = reached + 5
    assert train("--resume", folder, "--steps", end) == 0
    assert train("regression", "--steps", end, out=whole) == 0
    assert tensors(folder) == tensors(whole)
    assert history(folder) == history(whole)
    left = sorted(path.name for path in (folder / "checkpoints").iterdir())
    assert len(left) == 7, left  # three checkpoints of two files, and what says which they are
    assert not list(folder.glob("*.tempstate*"))


# ---- damage -------------------------------------------------------------------------------------


def damaged(folder: Path, tensor: str) -> Path:
    """Change a byte of a tensor in the last checkpoint."""
    prefix = tf.train.latest_checkpoint(folder / "checkpoints")
    data = Path(f"{prefix}.data-00000-of-00001")
    wanted = np.asarray(tf.train.load_checkpoint(prefix).get_tensor(tensor)).tobytes()
    content = bytearray(data.read_bytes())
    content[content.index(wanted)] ^= 1
    data.write_bytes(content)
    return data


def test_a_damaged_checkpoint_is_passed_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The run says which tensor, and goes on from the one before, to the same end."""
    folder, whole = tmp_path / "run", tmp_path / "whole"
    words = ("regression", "--save-every", 10)
    assert train(*words, "--steps", 25, out=folder) == 0
    tensor = "model/linear/weights/.ATTRIBUTES/VARIABLE_VALUE"
    damaged(folder, tensor)
    capsys.readouterr()
    assert train("--resume", folder, "--steps", 40) == 0
    said = capsys.readouterr().out
    assert f"ckpt-25 is passed over: Tensor '{tensor}'" in said
    assert "going on after step 20" in said
    assert train(*words, "--steps", 40, out=whole) == 0
    assert tensors(folder) == tensors(whole)
    assert history(folder) == history(whole)


@pytest.mark.parametrize("left", [0, 100])
def test_a_checkpoint_that_was_cut_short(
    left: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    assert train("regression", "--steps", 20, "--save-every", 10, out=folder) == 0
    data = folder / "checkpoints" / "ckpt-20.data-00000-of-00001"
    data.write_bytes(data.read_bytes()[:left])
    assert train("--resume", folder) == 0
    said = capsys.readouterr().out
    assert "ckpt-20 is passed over" in said
    assert "cut short" in said
    assert "going on after step 10" in said


def test_a_resumed_run_saves_as_often_as_it_did(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert train("regression", "--steps", 4, "--save-every", 2, out=folder) == 0
    assert train("--resume", folder, "--steps", 9) == 0
    kept = {path.stem for path in (folder / "checkpoints").glob("*.index")}
    assert kept == {"ckpt-6", "ckpt-8", "ckpt-9"}


def test_no_checkpoint_that_can_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The run does not begin anew by itself."""
    folder = tmp_path / "run"
    assert train("regression", "--steps", 5, out=folder) == 0
    (folder / "checkpoints" / "ckpt-5.index").write_bytes(b"nothing")
    assert train("--resume", folder, "--steps", 9) == 2
    assert "can be read" in " ".join(capsys.readouterr().err.split())


def test_a_checkpoint_of_another_shape(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The variable, and both shapes, are named."""
    folder = tmp_path / "run"
    path = users_file(tmp_path)
    assert train(path, "--steps", 3, out=folder) == 0
    users_file(tmp_path, width=4)
    GRADIENTS.pop("Reversed")  # the file registers it again
    assert train("--resume", folder, "--steps", 6) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "is a checkpoint of another network" in said
    assert "model/slope" in said
    assert "shape (3,)" in said
    assert "shape (4,)" in said


def test_settings_that_are_damaged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    assert train("regression", "--steps", 3, out=folder) == 0
    (folder / "run.json").write_text('{"task": "regression"')
    assert train("--resume", folder) == 2
    assert "run.json does not hold the settings of a run" in " ".join(
        capsys.readouterr().err.split()
    )


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("steps", "many", "settings of a run: steps is 'many'"),
        ("batch", -5, "settings of a run: batch is -5"),
        ("rate", None, "settings of a run: rate is None"),
        ("seed", True, "settings of a run: seed is True"),
        ("optimizer", "adamx", "there is no optimizer 'adamx'"),
        ("engine", "xlaa", "There is no engine 'xlaa'"),
        ("layer", "spectral", "'regression' has no layer to choose"),
        ("task", "lines", "there is no task 'lines'"),
    ],
)
def test_settings_that_hold_other_things(
    name: str, value: object, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    assert train("regression", "--steps", 3, out=folder) == 0
    kept = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps(kept | {name: value}))
    assert train("--resume", folder, "--epochs", 1) == 2
    assert said in " ".join(capsys.readouterr().err.split())


def test_a_run_whose_checkpoints_are_gone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It begins again, and says so."""
    folder = tmp_path / "run"
    assert train("regression", "--steps", 3, out=folder) == 0
    before = tensors(folder)
    shutil.rmtree(folder / "checkpoints")
    assert train("--resume", folder) == 0
    assert "it begins again at step 1" in " ".join(capsys.readouterr().out.split())
    assert tensors(folder) == before


# ---- a full disk --------------------------------------------------------------------------------


def test_a_disk_that_is_full_for_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Training goes on, says so once, and writes again when there is room: nothing is lost."""
    folder, whole = tmp_path / "run", tmp_path / "whole"
    write, calls = large_files.write, [0]

    def full_at_first(handle: Any, data: Any) -> None:
        calls[0] += 1
        if 5 < calls[0] < 60:
            raise OSError(errno.ENOSPC, "No space left on device")
        write(handle, data)

    monkeypatch.setattr(large_files, "write", full_at_first)
    words = ("regression", "--steps", 60, "--save-every", 1)
    assert train(*words, out=folder) == 0
    said = capsys.readouterr().out
    assert said.count("No space left on device; training goes on") == 1
    assert "the checkpoint of step 1 could not be written" in said
    monkeypatch.undo()
    assert train(*words, out=whole) == 0
    assert tensors(folder) == tensors(whole)


@needs_fork
def test_a_disk_without_room_at_the_end(tmp_path: Path) -> None:
    """The system refuses files above a size: the run says what could not be written, and fails."""
    folder, noted = tmp_path / "run", tmp_path / "said"
    words = ("digits", "--steps", 30, "--save-every", 10)

    def limited() -> int:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        return train(*words, out=folder)

    _, status = os.waitpid(started(limited, noted), 0)
    said = noted.read_text()
    assert os.waitstatus_to_exitcode(status) == 1, said
    assert "the checkpoint of step 10 could not be written" in said
    assert (
        f"make room, and go on from the last one with wengert train --resume {folder}"
        in " ".join(said.split())
    )
    assert whole_steps(folder) == []
    assert train("--resume", folder) == 0
    assert whole_steps(folder) == [10, 20, 30]


@needs_fork
def test_a_disk_without_room_at_the_beginning(tmp_path: Path) -> None:
    """Not for the number of the process in the lock, nor for the settings: one sentence, with the way out."""
    code = (
        "import resource, signal\n"
        "from pathlib import Path\n"
        "from wengert.cli import main\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
        f"raise SystemExit(main(['train', 'regression', '--out', {str(tmp_path / 'run')!r}]))\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.returncode == 2, run.stderr
    assert "make room there, or give --out a folder on another disk" in " ".join(run.stderr.split())
    assert not (tmp_path / "run").exists()
