"""The files of CIFAR-10 and of MNIST, as they are handed out."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from wengert.errors import DataLossError, NotFoundError
from wengert.host.files import errors_of_files
from wengert.training.examples import Examples

_PICTURE: Final = (3, 32, 32)
_RECORD: Final = 1 + 3 * 32 * 32  # a class, and the bytes of a picture
_CLASSES: Final = 10
CIFAR_TRAIN: Final = tuple(f"data_batch_{n}.bin" for n in range(1, 6))
CIFAR_TEST: Final = ("test_batch.bin",)
CIFAR_CLASSES: Final = (
    "airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck",
)  # fmt: skip
MNIST_TRAIN: Final = ("train-images-idx3-ubyte", "train-labels-idx1-ubyte")
MNIST_TEST: Final = ("t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte")
_BYTES: Final = 0x08  # the type of an idx file


def cifar(folder: Path, names: Sequence[str]) -> Examples:
    """Pictures and classes of binary files, one after the other."""
    found = {name: _records(_existing(folder, name)) for name in names}
    _check_sizes(folder, found)
    records = np.concatenate(list(found.values()))
    pictures = records[:, 1:].reshape(-1, *_PICTURE).transpose(0, 2, 3, 1)
    return Examples(np.ascontiguousarray(pictures), records[:, 0].astype(np.int32))


def _records(path: Path) -> Any:
    data = np.frombuffer(_read(path), np.uint8)
    if not len(data) or len(data) % _RECORD:
        raise DataLossError(
            f"{path} is cut short, or no binary file of CIFAR-10: it has {len(data)} bytes, and a "
            f"picture with its class has {_RECORD}. Fetch it again."
        )
    records = data.reshape(-1, _RECORD)
    _check_classes(path, records[:, 0])
    return records


def _check_sizes(folder: Path, found: dict[str, Any]) -> None:
    """A file that was cut between two pictures is shorter than those beside it."""
    most = max(found, key=lambda name: len(found[name]))
    for name, records in found.items():
        if len(records) < len(found[most]):
            raise DataLossError(
                f"{folder / name} is cut short: it has {len(records)} pictures, and {most} has {len(found[most])}. "
                "Fetch it again."
            )


def _check_classes(path: Path, classes: Any) -> None:
    wrong = np.flatnonzero(classes >= _CLASSES)
    if len(wrong):
        raise DataLossError(
            f"{path}: the class of picture {wrong[0]} is {classes[wrong[0]]}, and there are {_CLASSES}. "
            "The file is damaged, or another one's."
        )


def mnist(folder: Path, names: Sequence[str]) -> Examples:
    """Pictures from 0 to 1, and digits."""
    pictures, digits = (_idx(_existing(folder, name)) for name in names)
    if len(pictures) != len(digits) or pictures.ndim != 3 or digits.ndim != 1:
        raise DataLossError(
            f"{folder}: {names[0]} has the shape {pictures.shape} and {names[1]} {digits.shape}; as many "
            "pictures as digits were expected."
        )
    _check_classes(folder / names[1], digits)
    return Examples((pictures / np.float32(255.0))[..., None], digits.astype(np.int32))


def _idx(path: Path) -> Any:
    """The array of an idx file: two zeros, a type, the number of axes, sizes, values."""
    data = _read(path)
    axes = data[3] if len(data) > 3 else 0
    start = 4 + 4 * axes
    if data[:3] != bytes([0, 0, _BYTES]) or len(data) < start:
        raise DataLossError(f"{path} is no idx file of bytes, or is cut short. Fetch it again.")
    shape = tuple(np.frombuffer(data[4:start], ">u4").astype(int).tolist())
    size = int(np.prod(shape, dtype=np.int64))
    if len(data) - start != size:
        raise DataLossError(
            f"{path} is cut short: for the shape {shape} it should have {size} bytes after the first "
            f"{start}, and has {len(data) - start}. Fetch it again."
        )
    return np.frombuffer(data, np.uint8, offset=start).reshape(shape)


def _existing(folder: Path, name: str) -> Path:
    """The file, packed or not, in the folder or in one within it."""
    for path in (folder / name, folder / f"{name}.gz", *sorted(folder.glob(f"*/{name}"))):
        if path.exists():
            return path
    raise NotFoundError(
        f"{folder} has no {name}. --data wants the folder with the files of the data set; without "
        "--data a set of the same form is made."
    )


def _read(path: Path) -> bytes:
    with errors_of_files(str(path)):
        data = path.read_bytes()
    if path.suffix != ".gz":
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, ValueError) as error:
        raise DataLossError(f"{path} cannot be unpacked: {error}. Fetch it again.") from error
