"""What can be trained by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

import wengert as tf
from wengert.errors import InvalidArgumentError
from wengert.training import data_files
from wengert.training.augmentation import augmented, middle
from wengert.training.examples import Array, Change, Data, Examples
from wengert.training.models import Cifar10, Digits, Mnist, Regression
from wengert.training.strokes import strokes
from wengert.training.textures import KINDS, textures

_DIGITS: Final = tuple("0123456789")
# Examples of the sets that are made: to train with, to test with.
_TEXTURES, _STROKES, _SMALL, _POINTS = (10_000, 1_000), (6_000, 1_000), (4_000, 1_000), (2_000, 500)
_INPUTS: Final = 8
_NOISE: Final = 0.1


@dataclass(frozen=True)
class Task:
    """A network, its data, its loss, and what it takes if nothing else is asked for."""

    name: str
    model: Callable[[str | None], Any]  # for the name of a layer
    data: Callable[[Path | None, int], Data]  # for a folder with files, and a seed
    loss: Callable[[Any, Any], Any]
    change: Change | None = None  # of batches to train with
    prepare: Callable[[Array], Array] | None = None  # of what is tested with
    layers: tuple[str, ...] = ()
    steps: int = 500
    batch: int = 128
    optimizer: str = "adam"
    rate: float = 1e-3


def cross_entropy(logits: Any, labels: Any) -> Any:
    """The mean over a batch."""
    each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    return tf.reduce_mean(each)


def mean_square(outputs: Any, targets: Any) -> Any:
    """The mean of squared differences."""
    return tf.reduce_mean(tf.math.squared_difference(outputs, targets))


def is_right(outputs: Any, targets: Any) -> Any:
    """For each example whether the largest output is that of its class."""
    return tf.equal(tf.argmax(outputs, 1, output_type=targets.dtype), targets)


# ---- data ---------------------------------------------------------------------------------------


def _cifar10(folder: Path | None, seed: int) -> Data:
    if folder is not None:
        train = data_files.cifar(folder, data_files.CIFAR_TRAIN)
        test = data_files.cifar(folder, data_files.CIFAR_TEST)
        return Data(train, test, _from("CIFAR-10", folder, train, test), data_files.CIFAR_CLASSES)
    words = "made-up pictures of ten textures, of CIFAR-10's form; --data FOLDER takes its files"
    train, test = (textures(count, seed) for count in _TEXTURES)
    return Data(train, test, words, tuple(KINDS), is_made_up=True)


def _from(name: str, folder: Path, train: Examples, test: Examples) -> str:
    """Where the data are from, and how many: files that are cut short have fewer."""
    return f"{name}, the files in {folder}: {len(train):,} pictures to train with, {len(test):,} to test"


def _mnist(folder: Path | None, seed: int) -> Data:
    if folder is not None:
        train = data_files.mnist(folder, data_files.MNIST_TRAIN)
        test = data_files.mnist(folder, data_files.MNIST_TEST)
        return Data(train, test, _from("MNIST", folder, train, test), _DIGITS)
    words = "made-up pictures of digits, of MNIST's form; --data FOLDER takes its files"
    train, test = (strokes(count, 28, seed) for count in _STROKES)
    return Data(train, test, words, _DIGITS, is_made_up=True)


def _small_digits(folder: Path | None, seed: int) -> Data:
    _no_files("digits", folder)
    train, test = (strokes(count, 14, seed) for count in _SMALL)
    return Data(train, test, "made-up pictures of digits, 14 by 14", _DIGITS, is_made_up=True)


def _points(folder: Path | None, seed: int) -> Data:
    _no_files("regression", folder)
    rng = np.random.default_rng(seed)
    wanted = rng.normal(size=_INPUTS)

    def drawn(count: int) -> Examples:
        x = rng.normal(size=(count, _INPUTS))
        y = x @ wanted + 1.0 + _NOISE * rng.normal(size=count)
        return Examples(x.astype(np.float32), y.astype(np.float32))

    train, test = (drawn(count) for count in _POINTS)
    words = f"made-up points of a linear function of {_INPUTS} numbers, with noise of {_NOISE}"
    return Data(train, test, words, is_made_up=True)


def _no_files(name: str, folder: Path | None) -> None:
    if folder is not None:
        raise InvalidArgumentError(
            f"'{name}' makes its data by itself: leave --data {folder} out, or train cifar10 or mnist."
        )


# ---- networks -----------------------------------------------------------------------------------

TASKS: Final = {
    task.name: task
    for task in (
        Task(
            "cifar10", lambda layer: Cifar10(with_spectrum=layer == "spectral"), _cifar10, cross_entropy,
            change=augmented, prepare=middle, layers=("spectral",), steps=600,
        ),
        Task("mnist", lambda _: Mnist(), _mnist, cross_entropy, steps=300),
        Task("digits", lambda _: Digits(), _small_digits, cross_entropy, steps=600, rate=3e-3),
        Task("regression", lambda _: Regression(_INPUTS), _points, mean_square, steps=300, rate=0.05),
    )
}  # fmt: skip
