"""The files of data sets, whole and damaged; batches; pictures that are changed."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_train import train

import wengert as tf
from wengert.training.augmentation import augmented, middle, standardized
from wengert.training.examples import Examples
from wengert.training.feeding import Feed
from wengert.training.strokes import strokes
from wengert.training.textures import textures


def cifar_files(folder: Path, count: int = 40) -> dict[str, bytes]:
    """Binary files of CIFAR-10's form, of textures."""
    names = [f"data_batch_{n}.bin" for n in range(1, 6)] + ["test_batch.bin"]
    written = {}
    for seed, name in enumerate(names):
        made = textures(count, seed)
        planes = made.inputs.transpose(0, 3, 1, 2).reshape(count, -1)
        records = np.concatenate([made.targets.astype(np.uint8)[:, None], planes], 1)
        written[name] = records.tobytes()
        (folder / name).write_bytes(written[name])
    return written


def idx(array: Any) -> bytes:
    return struct.pack(f">I{array.ndim}I", 0x0800 + array.ndim, *array.shape) + array.tobytes()


def mnist_files(folder: Path, count: int = 60) -> None:
    for seed, name in enumerate(("train", "t10k")):
        made = strokes(count, 28, seed)
        pictures = (made.inputs[..., 0] * 255).astype(np.uint8)
        (folder / f"{name}-images-idx3-ubyte").write_bytes(idx(pictures))
        packed = gzip.compress(idx(made.targets.astype(np.uint8)))
        (folder / f"{name}-labels-idx1-ubyte.gz").write_bytes(packed)


@pytest.mark.slow
def test_the_files_of_cifar_10(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also in the folder into which its archive unpacks."""
    inner = tmp_path / "cifar-10-batches-bin"
    inner.mkdir()
    cifar_files(inner)
    words = ("cifar10", "--data", tmp_path, "--steps", 1, "--batch", 16)
    assert train(*words, out=tmp_path / "run") == 0
    assert f"CIFAR-10, the files in {tmp_path}" in capsys.readouterr().out
    assert "airplane" in (tmp_path / "run" / "index.html").read_text("utf-8")


def test_the_files_of_mnist(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mnist_files(tmp_path)
    words = ("mnist", "--data", tmp_path, "--steps", 1, "--batch", 16)
    assert train(*words, out=tmp_path / "run") == 0
    assert "MNIST, the files in" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("data_batch_3.bin", lambda d: d[:-1], "data_batch_3.bin is cut short"),
        ("data_batch_3.bin", lambda d: d[:-3073], "data_batch_3.bin is cut short: it has"),
        ("data_batch_1.bin", lambda d: b"", "it has 0 bytes, and a picture with its class has 3073"),
        ("test_batch.bin", lambda d: b"\x0b" + d[1:], "the class of picture 0 is 11"),
        ("data_batch_2.bin", None, "has no data_batch_2.bin"),
    ],
)  # fmt: skip
def test_files_of_cifar_10_that_are_damaged(
    name: str, change: Any, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = cifar_files(tmp_path)[name]
    if change is None:
        (tmp_path / name).unlink()
    else:
        (tmp_path / name).write_bytes(change(whole))
    assert train("cifar10", "--data", tmp_path, out=tmp_path / "run") == 2
    assert said in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("train-images-idx3-ubyte", lambda d: d[:-5], "is cut short: for the shape (60, 28, 28)"),
        ("train-images-idx3-ubyte", lambda d: d[:3], "is no idx file of bytes, or is cut short"),
        ("t10k-images-idx3-ubyte", lambda d: b"GIF" + d[3:], "is no idx file of bytes"),
        ("train-labels-idx1-ubyte.gz", lambda d: d[:-9], "cannot be unpacked"),
        ("train-labels-idx1-ubyte.gz", lambda d: gzip.compress(idx(np.zeros(9, np.uint8))), "as many"),
        ("t10k-labels-idx1-ubyte.gz", lambda d: gzip.compress(idx(np.full(60, 77, np.uint8))), "is 77"),
    ],
)  # fmt: skip
def test_files_of_mnist_that_are_damaged(
    name: str, change: Any, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mnist_files(tmp_path)
    path = tmp_path / name
    path.write_bytes(change(path.read_bytes()))
    assert train("mnist", "--data", tmp_path, out=tmp_path / "run") == 2
    assert said in " ".join(capsys.readouterr().err.split())


def test_batches_follow_from_the_number_of_the_step() -> None:
    """Each epoch has each example once, in another order; a pass may begin anywhere."""
    examples = Examples(np.arange(20), np.arange(20))

    def shaken(x: Any, rng: Any) -> Any:
        return x + 100 * rng.integers(0, 9, len(x))

    feed = Feed(examples, 6, 1, shaken)
    assert feed.per_epoch == 3
    whole = [tuple(part.numpy().tolist() for part in batch) for batch in feed.batches(0, 9)]
    assert len(whole) == 9
    for epoch in range(3):
        seen = [x for _, targets in whole[3 * epoch : 3 * epoch + 3] for x in targets]
        assert len({*seen}) == 18
    assert whole[0] != whole[3]
    later = Feed(examples, 6, 1, shaken).batches(5, 9)
    assert [tuple(part.numpy().tolist() for part in batch) for batch in later] == whole[5:]


def test_pictures_are_standardized_as_tensorflow_does() -> None:
    pictures = textures(8, 0).inputs.astype(np.float32)
    pictures[0] = 7.0
    wanted = tf.image.per_image_standardization(pictures)
    np.testing.assert_allclose(standardized(pictures), wanted, atol=2e-5)


def test_pictures_are_moved_and_mirrored() -> None:
    """What comes out is a part of the picture, one way round or the other, but for its light."""
    pictures = textures(20, 0).inputs
    made = augmented(pictures, np.random.default_rng(0))
    assert made.shape == (20, 24, 24, 3)
    assert made.dtype == np.float32
    mirrored = 0
    for picture, found in zip(pictures, made, strict=True):
        parts = [
            (likeness(part, found), way)
            for top in range(9)
            for left in range(9)
            for way in (1, -1)
            for part in [picture[top : top + 24, left : left + 24][:, ::way]]
        ]
        best = max(parts)
        assert best[0] > 0.99
        mirrored += best[1] == -1
    assert 2 < mirrored < 18
    assert middle(pictures).shape == made.shape


def likeness(part: Any, found: Any) -> float:
    """How well one is the other with another light, in its first colour."""
    return float(np.corrcoef(part[..., 0].ravel(), found[..., 0].ravel())[0, 1])
