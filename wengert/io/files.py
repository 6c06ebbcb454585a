"""Files read and written by operations."""

from __future__ import annotations

import os
from typing import Any, Final

import numpy as np

from wengert.api.session.modes import init_scope
from wengert.core.context import current_graph
from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.host.files import errors_of_files
from wengert.io.paths import matching, path_of
from wengert.state.variable import Variable
from wengert.values.convert import convert
from wengert.values.dtypes import string
from wengert.values.tensor import Tensor

_OBJECT: Final = np.dtype(object)


def _path(value: Any) -> str:
    return path_of(np.asarray(value, object))


def _read_kernel(_: Any, path: Any) -> Any:
    with errors_of_files(), open(_path(path), "rb") as file:
        return np.array(file.read(), object)


def _write_kernel(_: Any, path: Any, contents: Any) -> list[Any]:
    name = _path(path)
    with errors_of_files():
        os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
        with open(name, "wb") as file:
            file.write(np.asarray(contents, object).item())
    return []


def _matching_kernel(_: Any, patterns: Any) -> Any:
    found = {
        name for one in np.asarray(patterns, object).ravel() for name in matching(path_of(one))
    }
    names = np.empty(len(found), object)
    names[:] = [os.fsencode(name) for name in sorted(found)]
    return names


READ: Final = Row("ReadFile", _read_kernel, forms=lambda xs, attrs: [((), _OBJECT)], stateful=True)
WRITE: Final = Row(
    "WriteFile",
    _write_kernel,
    forms=lambda xs, attrs: [],
    many=True,
    stateful=True,
    effects=True,
)
MATCHING: Final = Row(
    "MatchingFiles",
    _matching_kernel,
    forms=lambda xs, attrs: [((None,), _OBJECT)],
    stateful=True,
    by_value=True,
)


def _name(value: Any) -> Tensor:
    return convert(os.fspath(value) if isinstance(value, os.PathLike) else value, string)


def read_file(filename: Any, name: str | None = None) -> Tensor:
    """The bytes of a file, as a string.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "note")
    >>> tf.io.write_file(path, "dy by dx")
    >>> tf.io.read_file(path).numpy()
    b'dy by dx'
    """
    return apply(READ, [_name(filename)], {}, name)  # type: ignore[no-any-return]


def write_file(filename: Any, contents: Any, name: str | None = None) -> Any:
    """Write a string to a file; folders that are missing are made. In a graph, the operation that does.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "deep", "note")
    >>> tf.io.write_file(path, "dx")
    >>> tf.io.read_file(path).numpy()
    b'dx'
    """
    apply(WRITE, [_name(filename), convert(contents, string)], {}, name)
    graph = current_graph()
    return None if graph is None else graph.operations[-1]


def matching_files(pattern: Any, name: str | None = None) -> Tensor:
    """The paths that fit a pattern, or one of several, in order.

    >>> tf.io.matching_files("/nowhere/*.txt").shape
    TensorShape([0])
    """
    return apply(MATCHING, [convert(pattern, string)], {}, name)  # type: ignore[no-any-return]


def match_filenames_once(pattern: Any, name: str | None = None) -> Variable:
    """A variable of the paths that fit a pattern when it is initialized.

    >>> tf.io.match_filenames_once("/nowhere/*").shape
    TensorShape([None])
    """
    with init_scope():
        return Variable(
            matching_files(pattern),
            trainable=False,
            name=name or "matching_filenames",
            shape=[None],
        )
