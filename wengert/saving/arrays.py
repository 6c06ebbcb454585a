"""Values in files of other programs: safetensors, and NumPy's."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from wengert.errors import InvalidArgumentError, NotFoundError
from wengert.formats import numpy_files, safetensors
from wengert.saving.object_graph import View, unescaped
from wengert.saving.restoration import check
from wengert.state.variable import Variable
from wengert.values.convert import convert

_KINDS: Final = (".safetensors", ".npz", ".npy")


def save_arrays(path: Any, values: Any) -> None:
    """Write values into one file: `.safetensors`, `.npz` or `.npy` by the end of its name.

    The values are a dictionary of tensors, or an object: then its variables, each named by the way to it.
    The file is there only when it is whole.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> module = tf.Module()
    >>> module.layers = [tf.Variable([1.0, 2.0])]
    >>> tf.io.save_arrays(f"{folder}/model.safetensors", module)
    >>> tf.io.load_arrays(f"{folder}/model.safetensors")
    {'layers.0': array([1., 2.], dtype=float32)}
    """
    text = _path(path)
    arrays = {name: np.asarray(value) for name, value in _named(values).items()}
    if not arrays:
        raise InvalidArgumentError(
            f"There is nothing to be written to {text}: {values!r} has no values."
        )
    if text.endswith(".safetensors"):
        safetensors.write(text, arrays)
    else:
        numpy_files.write(text, arrays)


def load_arrays(path: Any, into: Any = None, trust: bool = False) -> dict[str, Any]:
    """The arrays of a file that ends with `.safetensors`, `.npz` or `.npy`, by their names.

    With `into`, an object, its variables take those of their names: all of them, or on an error none.
    A file of NumPy's may hold Python objects, and reading those runs what the file says; that is refused
    but for `trust=True`.

    >>> import tempfile
    >>> path = f"{tempfile.mkdtemp()}/model.npz"
    >>> tf.io.save_arrays(path, {"x": [1.0, 2.0]})
    >>> module = tf.Module()
    >>> module.x = tf.Variable(tf.zeros([2]))
    >>> arrays = tf.io.load_arrays(path, into=module)
    >>> module.x.numpy()
    array([1., 2.], dtype=float32)
    """
    text = _path(path)
    is_safe = text.endswith(".safetensors")
    arrays = safetensors.read(text) if is_safe else numpy_files.read(text, trust)
    if into is not None:
        _assign(text, _named(into), arrays)
    return arrays


def _path(path: Any) -> str:
    text = os.fspath(path)
    text = text.decode() if isinstance(text, bytes) else text
    if not text.endswith(_KINDS):
        raise InvalidArgumentError(
            f"{text} does not say what it is: it may end with {', '.join(_KINDS)}."
        )
    return text


def _named(values: Any) -> dict[str, Any]:
    """Values by name: those of a dictionary, or the variables of an object by the way to each."""
    if isinstance(values, Mapping):
        return {
            ".".join(filter(None, (str(key), inner))): found
            for key, value in values.items()
            for inner, found in _parts(value).items()
        }
    return _variables(values)


def _parts(value: Any) -> dict[str, Any]:
    if isinstance(value, Mapping):
        return _named(value)
    if hasattr(value, "trainable_variables"):
        return _variables(value)
    return {"": value if isinstance(value, (np.ndarray, Variable)) else convert(value)}


def _variables(root: Any) -> dict[str, Any]:
    view = View(root)
    return {
        ".".join(unescaped(part) for part in path.split("/")): value
        for path, value in zip(view.paths, view.objects, strict=True)
        if isinstance(value, Variable)
    }


def _assign(path: str, variables: dict[str, Any], arrays: dict[str, Any]) -> None:
    missing = [name for name in variables if name not in arrays]
    if missing:
        raise NotFoundError(
            f"{path} has no value for {', '.join(missing)}. It has: {', '.join(arrays)}."
        )
    for name, variable in variables.items():
        check(variable, arrays[name], variable, name)
    for name, variable in variables.items():
        variable.assign(arrays[name])
