"""`wengert train`: what it learns, what it says, and that it goes on as if nothing had been."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wengert as tf
from benchmarks.training.network import step_of
from benchmarks.training.worker import LAYERS, SEED, batch, ours
from wengert.cli import main
from wengert.overrides.registered_gradients import GRADIENTS
from wengert.training.curve import lines_of
from wengert.training.stopping import Stopping
from wengert.training.tasks import TASKS
from wengert.training.textures import KINDS, textures

ROOT = Path(__file__).resolve().parent.parent
USERS = """
import numpy as np
import tensorflow as tf

class Line(tf.Module):
    def __init__(self):
        super().__init__()
        self.slope = tf.Variable(tf.zeros([WIDTH]))

    def __call__(self, x):
        with tf.name_scope("product"):
            return tf.tensordot(x, self.slope[:3], 1)

def model():
    return Line()

def data():
    x = np.random.default_rng(0).normal(size=(200, 3))
    return x, x @ [1.0, 2.0, 3.0]

@tf.RegisterGradient("Reversed")
def reversed_gradient(region, g):
    return [None if x.shape.rank == 2 else -tf.ones_like(x) for x in region.inputs]
"""


def train(*words: object, out: Path | None = None) -> int:
    more = ["--out", str(out)] if out is not None else []
    return main(["train", *map(str, words), *more])


def command(*words: object) -> list[str]:
    return [sys.executable, "-m", "wengert", "train", *map(str, words)]


def tensors(folder: Path) -> dict[str, bytes]:
    """The bytes of all that the last checkpoint holds, but the description of its objects."""
    path = tf.train.latest_checkpoint(folder / "checkpoints")
    assert path is not None
    reader = tf.train.load_checkpoint(path)
    names = set(reader.get_variable_to_shape_map()) - {"_CHECKPOINTABLE_OBJECT_GRAPH"}
    return {name: np.asarray(reader.get_tensor(name)).tobytes() for name in names}


def history(folder: Path) -> list[list[float]]:
    lines = (folder / "history.csv").read_text().splitlines()
    return [[*map(float, line.split(","))] for line in lines]


def accuracy_of(said: str) -> float:
    return float(re.findall(r"test after .* accuracy +([\d.]+)%", said)[-1])


# ---- learning -----------------------------------------------------------------------------------


def test_digits_are_learnt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert train("digits", "--steps", 300, out=tmp_path / "run") == 0
    said = capsys.readouterr().out
    assert accuracy_of(said) > 93
    assert said.splitlines()[0] == "digits: made-up pictures of digits, 14 by 14"
    page = (tmp_path / "run" / "index.html").read_text("utf-8")
    assert page.count("<svg") == 3
    assert "300 of 300 steps, finished" in page
    assert "data:image/png" in page


def test_a_line_is_found(tmp_path: Path) -> None:
    """What remains is the noise of the points."""
    assert train("regression", "--steps", 300, out=tmp_path / "run") == 0
    assert abs(history(tmp_path / "run")[-1][1] - 0.01) < 0.01


@pytest.mark.slow
def test_pictures_of_mnists_form_are_learnt(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert train("mnist", "--steps", 60, "--batch", 64, out=tmp_path / "run") == 0
    assert accuracy_of(capsys.readouterr().out) > 75


@pytest.mark.slow
def test_textures_are_learnt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The network of the tutorial tells most of them apart after a few seconds."""
    assert train("cifar10", "--steps", 60, "--batch", 64, out=tmp_path / "run") == 0
    said = capsys.readouterr().out
    assert accuracy_of(said) > 60
    assert "made-up pictures of ten textures" in said


def test_textures_have_cifars_form() -> None:
    made = textures(100, seed=3)
    assert made.inputs.shape == (100, 32, 32, 3)
    assert made.inputs.dtype == np.uint8
    assert np.bincount(made.targets).tolist() == [10] * len(KINDS)
    assert made.inputs.tobytes() == textures(100, seed=3).inputs.tobytes()
    assert made.inputs.tobytes() != textures(100, seed=4).inputs.tobytes()


def test_a_curve_of_dots() -> None:
    lines = lines_of([3.0, 2.0, 1.0, 1.0], columns=2, rows=2)
    assert [line[:10].strip() for line in lines] == ["3", "1"]
    assert [line[10:] for line in lines] == ["⠡⠀", "⠀⣀"] or len(lines[0]) == 12
    assert lines_of([], 3, 2) == ["", ""]
    falling = lines_of(list(np.linspace(9, 0, 500)), columns=10, rows=3)
    assert falling[0][10] != "⠀"
    assert falling[2][19] != "⠀"


@pytest.mark.slow
@pytest.mark.parametrize("name", LAYERS)
def test_what_is_measured_beside_tensorflow_is_the_same_network(name: str) -> None:
    """The program of the benchmark, run here, takes the steps of the command."""
    x, y = batch()
    program = step_of(tf, TASKS["cifar10"].rate, SEED, with_spectrum=LAYERS[name] is not None)
    step = ours()[name]
    wanted = [float(step()) for _ in range(3)]
    assert [float(program(x, y)) for _ in range(3)] == pytest.approx(wanted, rel=1e-4)


# ---- equal runs ---------------------------------------------------------------------------------


@pytest.mark.parametrize("task", ["digits", "regression"])
def test_equal_seeds_give_equal_runs(task: str, tmp_path: Path) -> None:
    a, b, other = (tmp_path / name for name in ("a", "b", "other"))
    for folder, seed in ((a, 5), (b, 5), (other, 6)):
        assert train(task, "--steps", 30, "--seed", seed, out=folder) == 0
    assert tensors(a) == tensors(b)
    assert (a / "history.csv").read_bytes() == (b / "history.csv").read_bytes()
    assert tensors(a) != tensors(other)


@pytest.mark.parametrize("optimizer", ["adam", "momentum", "rmsprop"])
def test_a_run_goes_on_as_if_it_had_not_stopped(optimizer: str, tmp_path: Path) -> None:
    """Bit for bit, through an epoch that was not finished."""
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    words = ["digits", "--optimizer", optimizer]
    assert train(*words, "--steps", 50, out=whole) == 0
    assert train(*words, "--steps", 17, out=parts) == 0
    assert train("--resume", parts, "--steps", 50) == 0
    assert tensors(whole) == tensors(parts)
    assert (whole / "history.csv").read_bytes() == (parts / "history.csv").read_bytes()


@pytest.mark.slow
def test_the_spectral_network_goes_on_too(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    words = ["cifar10", "--layer", "spectral", "--override-scope", "eig=clipped", "--batch", 32]
    assert train(*words, "--steps", 6, out=whole) == 0
    assert train(*words, "--steps", 3, out=parts) == 0
    assert train("--resume", parts, "--steps", 6) == 0
    assert tensors(whole) == tensors(parts)


@pytest.mark.slow
def test_an_interrupt_leaves_a_checkpoint(tmp_path: Path) -> None:
    """Ctrl-C after some steps: the run ends after the step, says how to go on, and can."""
    folder, whole = tmp_path / "run", tmp_path / "whole"
    words = ("digits", "--steps", 1500, "--save-every", 10_000)
    with subprocess.Popen(
        command(*words, "--out", folder),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        while "step 300/" not in process.stdout.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert f"go on with: wengert train --resume {folder}" in errors
    stopped = len(history(folder))
    assert 300 <= stopped < 1500
    assert train("--resume", folder) == 0
    assert train(*words, out=whole) == 0
    assert tensors(folder) == tensors(whole)


def test_the_second_interrupt_is_pythons_own() -> None:
    before = signal.getsignal(signal.SIGINT)
    with Stopping() as stopping:
        assert not stopping.is_asked
        signal.raise_signal(signal.SIGTERM)
        assert stopping.is_asked
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


# ---- a file of the user's -----------------------------------------------------------------------


def users_file(tmp_path: Path, width: int = 3, more: str = "") -> Path:
    path = tmp_path / "mine.py"
    path.write_text(USERS.replace("WIDTH", str(width)) + more)
    return path


@pytest.fixture(autouse=True)
def nothing_redirected() -> Any:
    """A file may import tensorflow, and is a module then."""
    path, modules = list(sys.path), set(sys.modules)
    yield
    sys.path[:] = path
    for name in ({"mine"} | {n for n in sys.modules if n.startswith("tensorflow")}) - modules:
        sys.modules.pop(name, None)
    tf.compat.uninstall()


def test_a_file_of_the_users(tmp_path: Path) -> None:
    path = users_file(tmp_path)
    words = (path, "--steps", 200, "--rate", 0.1, "--optimizer", "sgd")
    assert train(*words, out=tmp_path / "run") == 0
    assert history(tmp_path / "run")[-1][1] < 1e-6
    reader = tf.train.load_checkpoint(tmp_path / "run" / "checkpoints")
    slope = reader.get_tensor("model/slope/.ATTRIBUTES/VARIABLE_VALUE")
    np.testing.assert_allclose(slope, [1.0, 2.0, 3.0], atol=1e-3)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_floats_are_those_of_the_model(dtype: str, tmp_path: Path) -> None:
    """Of 64 bits where its variables are, whatever the data were; so are the results."""
    change = f"""
old, given = model, data
def model():
    made = old()
    made.slope = tf.Variable(np.ones(3), dtype=tf.{dtype}, name="slope")
    return made
def data(): return tuple(x.astype(np.float64) for x in given())
def loss(y, t):
    assert y.dtype == t.dtype == tf.{dtype}, (y.dtype, t.dtype)
    return tf.reduce_mean((y - t) ** 2)
"""
    path = users_file(tmp_path, more=change)
    words = (path, "--steps", 300, "--rate", 0.1, "--optimizer", "sgd")
    assert train(*words, out=tmp_path / "run") == 0
    reader = tf.train.load_checkpoint(tmp_path / "run" / "checkpoints")
    slope = reader.get_tensor("model/slope/.ATTRIBUTES/VARIABLE_VALUE")
    assert slope.dtype == dtype
    np.testing.assert_allclose(slope, [1.0, 2.0, 3.0], atol=1e-3)


def test_a_gradient_that_the_file_registers(tmp_path: Path) -> None:
    """It takes the place of what is within the scope: the slope grows by the rate in each step."""
    path = users_file(tmp_path)
    words = (path, "--steps", 4, "--rate", 0.5, "--optimizer", "sgd")
    assert train(*words, "--override-scope", "product=Reversed", out=tmp_path / "run") == 0
    reader = tf.train.load_checkpoint(tmp_path / "run" / "checkpoints")
    slope = reader.get_tensor("model/slope/.ATTRIBUTES/VARIABLE_VALUE")
    assert slope.tolist() == [2.0, 2.0, 2.0]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("\ndel model", "has no function model()"),
        ("\ndef data(): return 3", "(inputs, targets) is wanted"),
        ("\ndef data(): return np.ones([3, 3]), np.ones([4])", "as many of the one as of the other"),
        ("\ndef data(): return np.ones([0, 3]), np.ones([0])", "gave no examples"),
        ("\nold = model\ndef model(size): return old()", "is called without arguments, and needs size"),
        ("\ndef loss(y, t): return tf.reduce_sum(t)", "depends on none of the model's variables"),
        ("\ndef loss(y, t): return y - t", "has the shape (128,): a scalar is wanted"),
        ("\ndef model(): return lambda x: x", "a tf.Module with variables is wanted"),
        ("\ndef loss(y, t): return tf.reduce_sum(y) / 0.0", "the loss of step 1 is"),
        ("\ndef data(): return np.ones([3, 3]), np.array(['a', 'b', 'a'])", "targets of the dtype <U1: numbers"),
        ("\ndef data(): return np.ones([3, 3]), np.array([1.0, 2.0, np.nan])", "first in example 2: leave"),
    ],
)  # fmt: skip
def test_a_file_that_is_not_as_it_should_be(
    more: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert train(users_file(tmp_path, more=more), "--steps", 3, out=tmp_path / "run") in (1, 2)
    assert said in " ".join(capsys.readouterr().err.split())


def test_a_run_goes_on_from_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The file is found where it was; and where it is gone, that is said."""
    monkeypatch.chdir(tmp_path)
    path = users_file(tmp_path)
    assert train("mine.py", "--steps", 3, out=tmp_path / "run") == 0
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    GRADIENTS.pop("Reversed")
    assert train("--resume", tmp_path / "run", "--steps", 5) == 0
    path.unlink()
    assert train("--resume", tmp_path / "run", "--steps", 7) == 2
    assert f"there is no file '{path}'" in " ".join(capsys.readouterr().err.split())


def test_an_error_of_the_file_is_shown_with_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = users_file(tmp_path, more="\ndef data(): raise KeyError('no such table')")
    assert train(path, out=tmp_path / "run") == 1
    said = capsys.readouterr().err
    assert "no such table" in said
    assert "mine.py" in said


# ---- what is asked for --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "say what to train: cifar10, mnist, digits, regression, or FILE.py."),
        (["cifar"], "there is no task 'cifar'. There are: cifar10, mnist, digits, regression. Did you"),
        (["nothing.py"], "there is no file 'nothing.py'."),
        (["digits", "--optimizer", "adma"], "Did you mean adam?"),
        (["cifar10", "--layer", "spektral"], "there is no layer 'spektral'. There are: spectral. Did you"),
        (["digits", "--layer", "spectral"], "'digits' has no layer to choose: leave --layer spectral out, or train"),
        (["digits", "--engine", "nativ"], "There is no engine 'nativ'"),
        (["digits", "--override-scope", "eig"], "SCOPE=GRADIENT is wanted"),
        (["digits", "--override-scope", "eig=cliped"], "Did you mean clipped?"),
        (["digits", "--override-scope", "eig=clipped"], "The override of 'eig' matched no operation"),
        (["digits", "--data", "."], "leave --data . out"),
        (["digits", "--batch", "9999"], "there are 4000 examples"),
        (["digits", "--out", "file"], "file is no folder"),
        (["cifar10", "--data", "nowhere"], "nowhere has no data_batch_1.bin"),
        (["digits", "--out", "file/run"], "give --out a folder that can be made"),
        (["--resume", "nowhere"], "nowhere holds no run: there is no such folder. `wengert train TASK --out nowhere`"),
        (["--resume", "empty"], "empty holds no run: it has no run.json."),
        (["--resume", "file"], "file is a file: give --resume the folder of the run"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_said(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    Path("empty").mkdir()
    assert main(["train", *words]) == 2
    assert sorted(path.name for path in tmp_path.glob("**/*")) == ["empty", "file"]  # and no `runs`
    assert said in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--optimzer", "adam"], "Did you mean --optimizer?"),
        (["--steps", "0"], "a number above 0 is wanted, not '0'"),
        (["--seed", "-1"], "a whole number, 0 or more, is wanted, not '-1'"),
        (["--rate", "nan"], "a number above 0 is wanted"),
        (["--steps", "3", "--epochs", "2"], "not allowed with"),
    ],
)
def test_options_that_are_wrong(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["train", "digits", *words])
    assert said in " ".join(capsys.readouterr().err.split())


def test_a_run_that_was_never_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Those that are there are named."""
    monkeypatch.chdir(tmp_path)
    assert train("regression", "--steps", 1) == 0
    assert train("--resume", "runs/regression-2") == 2
    assert "There is runs/regression-1." in " ".join(capsys.readouterr().err.split())


def test_a_run_that_is_as_long_already(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    assert train("regression", "--steps", 3, out=folder) == 0
    assert train("--resume", folder, "--steps", 2) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "nothing is left of its 2 steps: --steps N, for the whole run, goes on" in said


def test_without_jax_a_run_says_what_to_install(tmp_path: Path) -> None:
    code = "import sys; sys.modules['jax'] = None; import wengert.__main__"
    folder = tmp_path / "run"
    for words in ("--engine=xla", "--processes=2"):
        asked = [sys.executable, "-c", code, "train", "digits", words, "--out", str(folder)]
        run = subprocess.run(asked, capture_output=True, text=True, cwd=ROOT)
        assert run.returncode == 2, run.stderr
        assert "pip install 'wengert[xla]'" in " ".join(run.stderr.split())
        assert "Traceback" not in run.stderr
        assert not folder.exists()


def test_a_run_is_not_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    assert train("regression", "--steps", 3, out=folder) == 0
    before = tensors(folder)
    assert train("regression", "--steps", 3, out=folder) == 2
    assert f"wengert train --resume {folder}" in " ".join(capsys.readouterr().err.split())
    assert train("--resume", folder, "--rate", 0.1, "--seed", 2) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "begun otherwise: rate 0.1 (it has 0.05), seed 2 (it has 0)" in said
    assert tensors(folder) == before


def test_epochs_and_the_next_free_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for number in (1, 2):
        assert train("regression", "--epochs", number) == 0
        assert len(history(tmp_path / "runs" / f"regression-{number}")) == 15 * number


@pytest.mark.slow
def test_two_runs_in_one_folder(tmp_path: Path) -> None:
    """The second one is refused while the first one lives, also where that is killed: then it may."""
    folder = tmp_path / "run"
    words = command("regression", "--steps", 10_000_000, "--out", folder)
    with subprocess.Popen(words, stdout=subprocess.PIPE, cwd=ROOT, text=True) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            refused = subprocess.run(
                command("--resume", folder), capture_output=True, text=True, cwd=ROOT
            )
            assert refused.returncode == 2
            said = " ".join(refused.stderr.split())
            assert f"Another process trains in {folder} (process {process.pid})" in said
        finally:
            process.kill()
    assert train("--resume", folder, "--steps", 5) == 0


def test_the_screen_of_a_terminal(tmp_path: Path) -> None:
    """A curve, a bar and the pace, on a terminal that is one."""
    script = f"{sys.executable} -m wengert train digits --steps 400 --out {tmp_path / 'run'}"
    done = subprocess.run(
        ["script", "-qec", script, "/dev/null"], capture_output=True, cwd=ROOT, check=False,
        stdin=subprocess.DEVNULL, env={**os.environ, "TERM": "xterm", "COLUMNS": "90"},
    )  # fmt: skip
    said = done.stdout.decode()
    assert done.returncode == 0, said
    assert "400/400" in said
    assert "━" in said
    assert any("⠀" < character <= "⣿" for character in said)
    assert "steps/s" in said
    assert "left" in said


test_the_screen_of_a_terminal = pytest.mark.skipif(
    sys.platform != "linux", reason="needs the command script"
)(pytest.mark.slow(test_the_screen_of_a_terminal))


def test_the_time_that_is_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    start = time.perf_counter()
    assert train("regression", "--steps", 40, "--plain", out=tmp_path / "run") == 0
    said = capsys.readouterr().out
    assert re.search(r"step 20/40  loss [-\d.e]+ +\d+ steps/s  0:00 left", said)
    assert "40 steps in 0:0" in said
    assert time.perf_counter() - start < 30
