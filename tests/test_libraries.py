"""Libraries built on TensorFlow run as they are installed, and give what they give with TensorFlow.

docs/libraries.md says what else was tried. The packages are those of the extra `libraries`.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

HERE = Path(__file__).parent
RECORDED = json.loads((HERE / "data" / "libraries.json").read_text("utf-8"))
PACKAGES = {
    "probability": ["tensorflow_probability"],
    "inference": ["tensorflow_probability"],
    "layers": ["keras", "sonnet"],
    "tensors": ["einops", "autoray", "tensorly", "eagerpy"],
}


def environment() -> dict[str, str]:
    found = dict(os.environ)
    found.update(KERAS_BACKEND="tensorflow", PYTHONPATH=str(HERE.parent), PYTHONWARNINGS="ignore")
    return found


def needs(*packages: str) -> None:
    for package in packages:
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed")


@pytest.mark.parametrize("name", sorted(RECORDED))
def test_programs_give_what_they_give_with_tensorflow(name: str) -> None:
    """All programs of a file, to the rounding of float32."""
    needs(*PACKAGES[name])
    command = [
        sys.executable,
        "-m",
        "wengert",
        "run",
        str(HERE / "library_programs" / "run.py"),
        name,
    ]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(), check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert sorted(found) == sorted(RECORDED[name])
    wrong = {
        k: (found[k], RECORDED[name][k]) for k in found if not agree(found[k], RECORDED[name][k])
    }
    assert wrong == {}


def agree(one: Any, other: Any) -> bool:
    """Whether two outcomes are alike: texts equal, numbers to four digits."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(agree(one[k], other[k]) for k in one)
    if one is None or other is None or isinstance(one, str) or isinstance(other, str):
        return bool(one == other)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(agree, one, other))
    if isinstance(one, list) or isinstance(other, list):
        return False
    return bool(np.allclose(one, other, rtol=2e-4, atol=2e-5, equal_nan=True))


def test_outcomes_that_differ_are_told_apart() -> None:
    """The comparison can fail."""
    assert agree({"a": [1.0, "x"]}, {"a": [1.00001, "x"]})
    assert not agree([1.0], [1.01])
    assert not agree([1.0], [1.0, 1.0])
    assert not agree("x", "y")


# A cut through Keras's own tests, which are in its package.
KERAS_TESTS = [
    "layers/core/dense_test.py", "layers/convolutional/conv_test.py", "layers/rnn/lstm_test.py",
    "layers/normalization/batch_normalization_test.py", "layers/merging/merging_test.py",
    "losses/losses_test.py", "optimizers/adam_test.py", "optimizers/optimizer_sparse_test.py",
    "metrics/accuracy_metrics_test.py", "models/sequential_test.py", "random/random_test.py",
    "trainers/compile_utils_test.py",
]  # fmt: skip
# Tests that do not pass, each with the reason.
NOT_PASSED: dict[str, str] = {}


def test_a_cut_of_keras_own_tests() -> None:
    """They pass but for those that are named."""
    needs("keras")
    folder = Path(str(importlib.util.find_spec("keras").origin)).parent / "src"  # type: ignore[union-attr]
    files = [str(folder / f) for f in KERAS_TESTS if (folder / f).exists()]
    if not files:
        pytest.skip("this Keras comes without its tests")
    command = [sys.executable, "-m", "pytest", "-p", "redirected", "-q", "-p", "no:cacheprovider"]
    command += ["-W", "ignore", "--tb=line", "-rf", "-c", os.devnull, *files]
    env = environment()
    env["PYTHONPATH"] += os.pathsep + str(HERE / "library_programs" / "plugins")
    done = subprocess.run(command, capture_output=True, text=True, env=env, cwd=HERE, check=False)
    failed = [line.split("::")[-1].split(" ")[0] for line in done.stdout.splitlines()
              if line.startswith("FAILED")]  # fmt: skip
    assert " passed" in done.stdout, done.stdout[-2000:]
    assert "error" not in done.stdout.splitlines()[-1], done.stdout[-2000:]
    assert sorted(set(failed) - set(NOT_PASSED)) == []


def test_training_that_is_interrupted() -> None:
    """SIGINT in `fit`: the weights are there, the threads of the dataset are not, and it goes on."""
    needs("keras")
    program = str(HERE / "library_programs" / "interrupted.py")
    command = [sys.executable, "-m", "wengert", "run", program]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(), check=False)
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    assert said == ["interrupted", "threads 0", "finite True", "goes on True"]
