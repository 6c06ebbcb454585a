"""One of the libraries in a process of its own: a step of 128 pictures, with and without the layer of eigenvalues."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from benchmarks.peers import find
from benchmarks.training.network import step_of
from benchmarks.worker import serve_runs
from wengert.training.examples import Data, Examples
from wengert.training.settings import Settings
from wengert.training.step import Learner
from wengert.training.tasks import TASKS

BATCH: Final = 128
PLAIN, SPECTRAL = "the network of the tutorial", "the same with the layer of eigenvalues"
LAYERS: Final = {PLAIN: None, SPECTRAL: "spectral"}
FIRST: Final = "first losses"  # of a step, by its name
SEED: Final = 0
Steps = dict[str, Callable[[], Any]]


def batch() -> tuple[Any, Any]:
    """Pictures and classes by chance: what a step takes does not depend on them."""
    rng = np.random.default_rng(SEED)
    return rng.normal(size=(BATCH, 24, 24, 3)).astype(np.float32), rng.integers(0, 10, BATCH, "i4")


def ours() -> Steps:
    """The steps of the command."""
    x, y = batch()
    task, data = TASKS["cifar10"], Data(Examples(x, y), Examples(x, y), "by chance")

    def step(layer: str | None) -> Callable[[], Any]:
        settings = Settings("cifar10", 1, BATCH, "adam", task.rate, SEED, layer)
        learner = Learner(task, settings, data)
        return lambda: learner.step(x, y).numpy()[0]

    return {name: step(layer) for name, layer in LAYERS.items()}


def tensorflows() -> Steps | None:
    """The same as one graph of TensorFlow's."""
    tf = find("tensorflow")
    if tf is None:
        return None
    x, y = map(tf.constant, batch())

    def step(layer: str | None) -> Callable[[], Any]:
        made = step_of(tf, TASKS["cifar10"].rate, SEED, layer is not None)
        return lambda: made(x, y).numpy()

    return {name: step(layer) for name, layer in LAYERS.items()}


def main(library: str) -> None:
    steps = ours() if library == "wengert" else tensorflows()
    if steps is None:
        serve_runs(None)
        return
    losses = {f"{FIRST}, {name}": [run(), run(), run()] for name, run in steps.items()}
    serve_runs(steps | {name: lambda found=found: found for name, found in losses.items()})


if __name__ == "__main__":
    main(sys.argv[1])
