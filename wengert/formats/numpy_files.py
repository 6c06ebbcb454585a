"""Arrays in NumPy's files: one in `.npy`, several with names in `.npz`.

Such a file may hold Python objects, which are programs: they are read only for who trusts the file.
"""

from __future__ import annotations

import contextlib
import pickle
import tokenize
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from wengert.errors import DataLossError, InvalidArgumentError, UnimplementedError
from wengert.host.files import Unfinished, errors_of_files

ONLY: Final = "array"  # the name of what a file of one array has
_OBJECTS: Final = "Object arrays cannot be loaded"
_BROKEN: Final = (
    ValueError, EOFError, KeyError, OverflowError, SyntaxError, MemoryError, NotImplementedError,
    tokenize.TokenError, zipfile.BadZipFile, zlib.error, pickle.UnpicklingError,
)  # fmt: skip


def write(path: str, arrays: Mapping[str, Any]) -> None:
    """Write a file that is there only when it is whole."""
    for name, array in arrays.items():
        _check(name, array)
    file = Unfinished(path)
    try:
        with errors_of_files(path):
            if path.endswith(".npz"):
                np.savez(file.handle, allow_pickle=False, **_positional(arrays))
            else:
                np.save(file.handle, _single(path, arrays), allow_pickle=False)
        file.finish()
    finally:
        file.drop()


def _positional(arrays: Mapping[str, Any]) -> dict[str, Any]:
    """The arrays, of which none has a name that np.savez takes for itself."""
    for name in ("file", "allow_pickle"):
        if name in arrays:
            raise InvalidArgumentError(
                f"An array cannot be called {name!r} in a file of NumPy's: rename it, or write a file "
                "that ends with .safetensors."
            )
    return dict(arrays)


def _single(path: str, arrays: Mapping[str, Any]) -> Any:
    if len(arrays) != 1:
        raise InvalidArgumentError(
            f"{path} can hold one array, and there are {len(arrays)}: write a file that ends with .npz."
        )
    return next(iter(arrays.values()))


def _check(name: str, array: Any) -> None:
    """Refuse what comes back as something else: dtypes that NumPy has not, and objects."""
    if array.dtype.kind in "OV" or type(array.dtype).__module__ != np.dtypes.__name__:
        raise UnimplementedError(
            f"Array {name!r} is of dtype {array.dtype}, which NumPy's files cannot hold: cast it, or write "
            "a file that ends with .safetensors, or a tf.train.Checkpoint."
        )


def read(path: str, trust: bool) -> dict[str, Any]:
    """The arrays of a file, by name; objects only with trust."""
    with errors_of_files(path), _broken(path), open(path, "rb") as file:
        found = np.load(file, allow_pickle=trust)
        if isinstance(found, np.ndarray):
            return {ONLY: _native(found)}
        if not isinstance(found, np.lib.npyio.NpzFile):
            raise ValueError("it holds a Python object, and no array")
        return {name: _native(found[name]) for name in found.files}


def _native(array: Any) -> Any:
    """In the order of bytes of this machine."""
    return array.astype(array.dtype.newbyteorder("="), copy=False)


@contextlib.contextmanager
def _broken(path: str) -> Iterator[None]:
    """What NumPy says of a file that it cannot read, as errors of the library."""
    try:
        yield
    except _BROKEN as error:
        if _OBJECTS in str(error) or "allow_pickle" in str(error):
            raise InvalidArgumentError(
                f"{path} holds Python objects, or is no file of NumPy's. Reading objects runs what who wrote "
                "the file put there, so it is refused. If you know who wrote it: trust=True."
            ) from error
        raise DataLossError(f"{path} is damaged, or no file of NumPy's: {error}.") from error
