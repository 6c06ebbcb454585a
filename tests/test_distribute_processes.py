"""Several processes on one machine: the numbers of one, also when one was killed, came late, or had less to do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mesh_programs import Network
from test_xla_rows import HERE, environment, needs_jax

import wengert as tf

PROGRAM = str(HERE / "worker_program.py")
STEPS, BATCH = 8, 10  # of 64 examples: the last batch has 4


def launch(*words: object, **more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "wengert", "launch", *map(str, words)]
    return subprocess.run(
        command, env=environment() | more, capture_output=True, text=True, timeout=120
    )


def numbers(run: subprocess.CompletedProcess[str]) -> list[Any]:
    """What the first process printed: the loss and the weights."""
    assert run.returncode == 0, run.stderr[-3000:]
    lines = [x.partition("RESULT ")[2] for x in run.stdout.splitlines() if "RESULT" in x]
    assert len(lines) == 1
    found: list[Any] = json.loads(lines[0])
    return found


@pytest.fixture(scope="module")
def of_one(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """What one process finds."""
    folder = tmp_path_factory.mktemp("one")
    return numbers(launch("-n", 1, PROGRAM, folder, "native", STEPS, BATCH))


@needs_jax
@pytest.mark.slow
@pytest.mark.parametrize(("count", "engine"), [(2, "xla"), (4, "native")])
def test_processes_train_as_one(count: int, engine: str, of_one: list[Any], tmp_path: Path) -> None:
    """Variables begin as the first process's; batches of 10 do not divide by 4, nor the 4 that remain."""
    found = numbers(launch("-n", count, PROGRAM, tmp_path, engine, STEPS, BATCH))
    np.testing.assert_allclose(found, of_one, rtol=1e-4, atol=1e-5)


@needs_jax
@pytest.mark.slow
@pytest.mark.parametrize("engine", ["native", "xla"])
def test_steps_that_change_variables(engine: str) -> None:
    """Averages, sums and counts, and a generator in common: in two processes as on two devices of one, with NumPy."""
    program = str(HERE / "step_worker.py")
    runs = [
        subprocess.run(
            [sys.executable, program, "mirrored", "numpy"],
            env=environment(), capture_output=True, text=True, timeout=120,
        ),
        launch("-n", 2, "--plain", program, "processes", engine),
    ]  # fmt: skip
    wanted, found = map(numbers, runs)
    assert len(found) == len(wanted) == 8
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


@needs_jax
@pytest.mark.slow
def test_a_mesh_over_processes() -> None:
    """Weights are divided between two processes, each of which sees whole values: those of one."""
    run = launch("-n", 2, "--plain", HERE / "mesh_worker.py", "model")
    assert run.returncode == 0, run.stderr[-3000:]
    lines = [x.partition("RESULT ")[2] for x in run.stdout.splitlines() if "RESULT" in x]
    first, second = map(json.loads, lines)
    assert first == second
    network = Network()
    network.step = tf.function(network._step)
    wanted = network.train(tf.constant)
    for found, value in zip(first, wanted, strict=True):
        np.testing.assert_allclose(found, value.ravel(), rtol=1e-4, atol=1e-5)


@needs_jax
@pytest.mark.slow
def test_a_killed_process_ends_the_others_and_the_program_goes_on(tmp_path: Path) -> None:
    """To the same numbers, bit for bit, as a run that nobody killed; one that begins late is waited for."""
    words = ("native", STEPS, BATCH)
    run = launch("-n", 2, PROGRAM, tmp_path / "run", *words, 5, LATE="0.7")
    ended = time.time()
    assert run.returncode == 128 + 9
    assert "process 1 of 2 was killed by SIGKILL. The others were ended." in run.stderr
    assert "[1] dying" in run.stdout
    assert "RESULT" not in run.stdout
    written = max(p.stat().st_mtime for p in (tmp_path / "run").iterdir())
    assert ended - written < 30  # seconds from the last checkpoint to the end
    assert (tmp_path / "run" / "ckpt-4.index").exists()
    found = numbers(launch("-n", 2, PROGRAM, tmp_path / "run", *words))
    assert found == numbers(launch("-n", 2, PROGRAM, tmp_path / "whole", *words))


@needs_jax
def test_who_waits_too_long_says_for_what(tmp_path: Path) -> None:
    """The second of two machines never comes."""
    program = tmp_path / "program.py"
    program.write_text("import wengert as tf\ntf.distribute.MultiWorkerMirroredStrategy()\n")
    with_port = ("--hosts", 2, "--index", 0, "--coordinator", "127.0.0.1:39417", "--patience", 2)
    run = launch("-n", 1, *with_port, program)
    assert run.returncode == 1
    assert (
        "Process 0 of 2 waited 2 s for the others at 127.0.0.1:39417: process 1 did not"
        in run.stderr
    )
    assert "process 0 of 2 ended with exit status 1" in run.stderr


def test_an_error_of_one_ends_all(tmp_path: Path) -> None:
    """Its traceback and its status are seen, the lines of others as well; those that go on are ended."""
    program = tmp_path / "program.py"
    program.write_text(
        "import os, sys, time\n"
        "at = int(os.environ['WENGERT_PROCESS_INDEX'])\n"
        "print('here', sys.argv[1:])\n"
        "if at == 1:\n    time.sleep(0.5)\n    sys.exit(7)\n"
        "time.sleep(100)\n"
    )
    start = time.monotonic()
    run = launch("-n", 3, program, "--epochs", "3")
    assert time.monotonic() - start < 30
    assert run.returncode == 7
    assert sorted(run.stdout.splitlines()) == [f"[{i}] here ['--epochs', '3']" for i in range(3)]
    assert "process 1 of 3 ended with exit status 7. The others were ended." in run.stderr
    program.write_text("print('here')")
    assert launch("-n", 2, "--plain", program).stdout == "here\nhere\n"


MEET = "import wengert as tf\ns = tf.distribute.MultiWorkerMirroredStrategy()\nprint('met', flush=True)\n"


@needs_jax
@pytest.mark.parametrize(
    ("leave", "status"),
    [("raise RuntimeError('planned')", 1), ("sys.exit(7)", 7), ("sys.exit('no data')", 1)],
)
def test_the_end_of_one_that_has_met_the_others_ends_all(
    leave: str, status: int, tmp_path: Path
) -> None:
    """They wait for it in a sum; it does not wait for them at its end."""
    program = tmp_path / "program.py"
    program.write_text(
        f"import sys\n{MEET}if s.cluster_resolver.task_id == 1:\n    {leave}\n"
        "s.reduce('sum', s.run(lambda: tf.constant(1.0)), axis=None)\n"
    )
    start = time.monotonic()
    run = launch("-n", 2, program)
    assert time.monotonic() - start < 30
    assert run.returncode == status
    assert ("[1] RuntimeError: planned" in run.stderr) == ("planned" in leave)
    assert ("[1] no data" in run.stderr) == ("no data" in leave)
    assert f"process 1 of 2 ended with exit status {status}. The others were ended." in run.stderr


@needs_jax
@pytest.mark.slow
@pytest.mark.parametrize("shape", ["[index + 1, 2]", "[2] if index else []"])
def test_values_of_several_shapes_are_not_added(shape: str, tmp_path: Path) -> None:
    """They were added as far as they went, or waited for each other."""
    program = tmp_path / "several.py"
    program.write_text(
        "import wengert as tf\n"
        "strategy = tf.distribute.MultiWorkerMirroredStrategy()\n"
        "index = strategy.cluster_resolver.task_id\n"
        f"print(strategy.reduce('SUM', tf.ones({shape}), axis=None))\n"
    )
    run = launch("-n", 2, program)
    assert run.returncode == 1
    assert "The processes add values of different dtypes or shapes: process 0 " in run.stderr
    assert "tf.Tensor" not in run.stdout


@needs_jax
def test_processes_that_have_met_end_when_they_are_asked(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(f"{MEET}import time\ntime.sleep(100)\n")
    command = [sys.executable, "-m", "wengert", "launch", "-n", "2", str(program)]
    with subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        assert {run.stdout.readline() for _ in range(2)} == {"[0] met\n", "[1] met\n"}
        run.terminate()
        run.wait(30)


def test_an_interrupt_reaches_all(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import signal, sys, time\n"
        "def stop(*_):\n    print('stopping'); sys.exit(0)\n"
        "signal.signal(signal.SIGINT, stop)\nprint('ready')\ntime.sleep(100)\n"
    )
    command = [sys.executable, "-m", "wengert", "launch", "-n", "2", str(program)]
    with subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        ready = {run.stdout.readline(), run.stdout.readline()}
        assert ready == {"[0] ready\n", "[1] ready\n"}
        os.kill(run.pid, 2)
        assert sorted(run.stdout.read().splitlines()) == ["[0] stopping", "[1] stopping"]
        assert run.wait(30) == 130


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell processes")
def test_processes_end_with_the_command(tmp_path: Path) -> None:
    """Even if nothing could be done before the end of the command itself."""
    program = tmp_path / "program.py"
    program.write_text("import os, time\nprint(os.getpid(), flush=True)\ntime.sleep(100)\n")
    command = [sys.executable, "-m", "wengert", "launch", "-n", "2", "--plain", str(program)]
    with subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        workers = [int(run.stdout.readline()) for _ in range(2)]
        run.kill()
        until = time.monotonic() + 20
        while any(map(is_running, workers)) and time.monotonic() < until:
            time.sleep(0.05)
        assert not any(map(is_running, workers))


def is_running(process: int) -> bool:
    """Whether a process is there, and has not ended."""
    try:
        state = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-n", 0, "x.py"), "-n 0: one process at least is wanted"),
        (("-n", 2, "none.py"), "there is no file 'none.py'"),
        (("-n", 2), "say which program to launch"),
        (("-n", 2, "--hosts", 2, PROGRAM), "--hosts wants --coordinator HOST:PORT"),
        (("-n", 2, "--coordinator", "here", PROGRAM), "HOST:PORT is wanted"),
        (("-n", 2, "--hosts", 2, "--index", 2, PROGRAM), "numbered from 0"),
    ],
)
def test_wrong_use(words: tuple[object, ...], said: str) -> None:
    run = launch(*words)
    assert run.returncode == 2
    assert said in run.stderr
    assert "Traceback" not in run.stderr


def test_what_tf_config_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """The place of a process, as TensorFlow's programs are told it."""
    from wengert.distribute import processes

    workers = '{"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": %d}}'
    monkeypatch.setenv("TF_CONFIG", workers % 1)
    assert processes.place() == processes.Place(1, 2, "a:1")
    chief = '{"cluster": {"chief": ["c:3"], "worker": ["a:1"]}, "task": {"type": "%s", "index": 0}}'
    monkeypatch.setenv("TF_CONFIG", chief % "worker")
    assert processes.place() == processes.Place(1, 2, "c:3")
    monkeypatch.setenv("TF_CONFIG", chief % "chief")
    assert processes.place() == processes.Place(0, 2, "c:3")
    monkeypatch.setenv("TF_CONFIG", workers % 5)
    with pytest.raises(ValueError, match="task 5, and there are 2 workers"):
        processes.place()
    monkeypatch.setenv("TF_CONFIG", "{nothing")
    with pytest.raises(ValueError, match="TF_CONFIG is no description of a cluster"):
        processes.place()
    monkeypatch.setenv("TF_CONFIG", "")
    assert processes.place() == processes.ALONE


ENDS_EARLY = """
import os, sys, threading, time
import wengert as tf
strategy = tf.distribute.MultiWorkerMirroredStrategy()
me = strategy.process_index

def summed():
    return strategy.run(lambda: tf.distribute.get_replica_context().all_reduce("SUM", tf.constant(1.0)))

summed()
if me == {ends}:
    {how}
    sys.exit(0)
{others}
"""


@needs_jax
@pytest.mark.slow
@pytest.mark.parametrize("ends", [0, 1])
@pytest.mark.parametrize("how", ["pass", "threading.Thread(target=time.sleep, args=(1,)).start()"])
def test_a_process_that_ends_before_the_others(ends: int, how: str, tmp_path: Path) -> None:
    """Who adds a value with it hears of it; JAX's end would have both wait, for minutes."""
    program = tmp_path / "program.py"
    program.write_text(ENDS_EARLY.format(ends=ends, how=how, others="summed()"))
    start = time.monotonic()
    run = launch("-n", 2, program)
    assert run.returncode == 1, run.stderr[-3000:]
    assert f"and process {ends} of 2 has ended, without an error, after 1" in run.stderr
    assert f"wengert: process {1 - ends} of 2 ended with exit status 1" in run.stderr
    assert time.monotonic() - start < 60


@needs_jax
@pytest.mark.slow
@pytest.mark.parametrize("ends", [0, 1])
def test_a_process_that_works_on_alone(ends: int, tmp_path: Path) -> None:
    """As the first one does that writes when the others have ended, longer than these wait for a late one."""
    program = tmp_path / "program.py"
    others = "time.sleep(4); print('written')"
    program.write_text(ENDS_EARLY.format(ends=ends, how="pass", others=others))
    run = launch("-n", 2, "--patience", 2, "--plain", program)
    assert run.returncode == 0, run.stderr[-3000:]
    assert "written" in run.stdout


@needs_jax
@pytest.mark.slow
@pytest.mark.parametrize("ends", [0, 1])
def test_a_process_that_never_meets_the_others(ends: int, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        f"import os\nif os.environ['WENGERT_PROCESS_INDEX'] == '{ends}':\n    raise SystemExit\n"
        "import wengert as tf\ntf.distribute.MultiWorkerMirroredStrategy()\n"
    )
    start = time.monotonic()
    run = launch("-n", 2, program)
    assert run.returncode == 1, run.stderr[-3000:]
    said = " ".join(run.stderr.split())
    assert f"Process {ends} of 2 has ended, without an error, and never met the others" in said
    assert time.monotonic() - start < 60
