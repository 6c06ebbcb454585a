"""Resolves TensorFlow's names to ours.

A public name is looked up in the namespace of the same name. For an internal one, such as
tensorflow.python.ops.math_ops.add, internal_names.json has the public name of the same object; a
few without a public name are in wengert.compat.internals, with a file for each module. All lookups
go through this file.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NamedTuple

import wengert
from wengert import keras
from wengert.api.advice import instead_of
from wengert.compat.v1 import GIT_VERSION, VERSION
from wengert.errors import MissingNameError
from wengert.host.spelling import words_near

MARKS: Final = {
    "__version__": VERSION,
    "__git_version__": GIT_VERSION,
    "__compiler_version__": "",
}
# Our own packages, which are not namespaces of TensorFlow.
_ROOMS: Final = re.compile(
    r"wengert\.(api|cli|core|engines|extend|insight|ops|testing)\b|wengert\.compat\.(?!v1)"
)
_INTERNALS: Final = "wengert.compat.internals"
_ABSENT: Final = object()
# Keras's own optimizers take schedules of Keras's alone; ours take both.
_SCHEDULES: Final = ["optimizers", "schedules"]
# contrib is TensorFlow 1's: programs of that time import tensorflow.contrib.eager.
_NOT_PUBLIC: Final = ("python", "core", "contrib", "compiler")


class Missing(NamedTuple):
    """A name that Wengert lacks, names like it, and what to use in its place."""

    near: list[str]
    instead: str

    def error(self, name: str, where: str) -> MissingNameError:
        """The error for a missing name."""
        near = f" Near it: {', '.join(self.near)}." if self.near else ""
        rest = f" {self.instead}" if self.instead else near
        return MissingNameError(f"Wengert has no {name} (asked for at {where}).{rest}")


class NotFoundError(LookupError):
    """No such name. The message is made by `missing`, as finding similar names takes a while."""


def is_module(path: str, v1: bool = False) -> bool:
    """Whether a module of TensorFlow exists here; the path is without `tensorflow.`."""
    if _is_internal(path):
        return path in _NOT_PUBLIC or _internal_key(path) in _packages()
    return isinstance(_public(path, v1), ModuleType)


def is_sibling(path: str, name: str) -> bool:
    """Whether an internal module is in the same package, whose files import one another."""
    return _is_internal(path) and is_module(f"{path.rpartition('.')[0]}.{name}")


def find(path: str, name: str, v1: bool = False) -> Any:
    """The object behind a name of a module."""
    found = _internal(path, name) if _is_internal(path) else _public(f"{path}.{name}", v1)
    if found is _ABSENT:
        raise NotFoundError(f"{path}.{name}")
    return found


def missing(path: str, name: str, v1: bool = False) -> Missing:
    """The report on a missing name."""
    elsewhere = [p for p in _paths_of(name) if p != f"{path}.{name}"]
    near = words_near(name, names(path, v1), likeness=0.75)
    return Missing([*elsewhere[:3], *near], instead_of(f"{path}.{name}".lstrip(".")))


def names(path: str, v1: bool = False) -> list[str]:
    """The names of a module."""
    if not _is_internal(path):
        spaces = _spaces(v1) if not path else [_public(path, v1)]
        listed = {n for space in spaces if space is not _ABSENT for n in dir(space)}
        return sorted(n for n in listed if not n.startswith("_"))
    key = _internal_key(path)
    inside = {p[len(key) :].lstrip(".").partition(".")[0] for p in _packages() if _is_in(p, key)}
    return sorted({*_table().get(key, {}), *vars(_hand_made(key)), *inside} - {""})


# ---- public ------------------------------------------------------------------------------------


def _spaces(v1: bool) -> list[ModuleType]:
    """The namespaces of top-level names: version 1 has names that version 2 lacks."""
    old = importlib.import_module("wengert.compat.v1")
    return [old, wengert] if v1 else [wengert, old]


def _public(path: str, v1: bool = False) -> Any:
    """The object at a public path; _ABSENT if there is none."""
    parts = path.strip(".").split(".") if path.strip(".") else []
    if parts[:2] == ["compat", "v2"]:
        parts, v1 = parts[2:], False
    if not parts:
        return _spaces(v1)[0]
    if len(parts) == 1 and parts[0] in MARKS:
        return MARKS[parts[0]]
    if parts[:-1] == _SCHEDULES and not v1 and keras.is_installed():
        return getattr(keras.module(".".join(_SCHEDULES)), parts[-1], _ABSENT)
    for space in _spaces(v1):
        found = _walk(space, parts)
        if found is not _ABSENT:
            return found
    return _ABSENT


def _walk(space: Any, parts: list[str]) -> Any:
    for part in parts:
        space = getattr(space, part, _ABSENT)
        if space is _ABSENT or (isinstance(space, ModuleType) and not _is_namespace(space)):
            return _ABSENT
    return space


def _is_namespace(module: ModuleType) -> bool:
    if module.__name__ == "absl.flags":  # TensorFlow's are these, too
        return True
    return module.__name__.startswith("wengert") and not _ROOMS.match(module.__name__)


def _paths_of(name: str) -> list[str]:
    """The public paths at which a name is found."""
    spaces = ("", "math", "nn", "linalg", "random", "image", "sparse", "train", "test", "compat.v1")
    paths = [f"{space}.{name}".lstrip(".") for space in spaces]
    return [f"tf.{path}" for path in paths if _public(path) is not _ABSENT]


# ---- internal ----------------------------------------------------------------------------------


def _is_internal(path: str) -> bool:
    return path.partition(".")[0] in _NOT_PUBLIC


def _internal_key(path: str) -> str:
    return path.removeprefix("python").removeprefix(".")


def _is_in(module: str, key: str) -> bool:
    return not key or module.startswith(f"{key}.")


@functools.cache
def _table() -> dict[str, dict[str, str]]:
    """For each internal module, the public paths by name."""
    file = Path(__file__).with_name("internal_names.json")
    return {key: _ungrouped(groups) for key, groups in json.loads(file.read_text("utf-8")).items()}


def _ungrouped(groups: dict[str, Any]) -> dict[str, str]:
    renamed = {**groups.get("renamed", {}), **groups.get("by_hand", {})}
    plain = {
        name: f"{space}.{name}".lstrip(".")
        for space, listed in groups.items()
        if space not in ("renamed", "by_hand")
        for name in listed.split()
    }
    return plain | renamed


@functools.cache
def _packages() -> frozenset[str]:
    """Every internal module that has a name here, and its parent packages."""
    folder = Path(__file__).with_name("internals")
    files = [file for file in folder.rglob("*.py") if file.stem != "__init__"]
    made = [".".join(file.relative_to(folder).with_suffix("").parts) for file in files]
    keys = [*_table(), *made]
    return frozenset(
        ".".join(parts[: i + 1])
        for key in keys
        for parts in [key.split(".")]
        for i in range(len(parts))
    )


@functools.cache
def _hand_made(key: str) -> ModuleType:
    """The file with a module's names that are not public, or an empty module."""
    if (
        not Path(__file__)
        .with_name("internals")
        .joinpath(*key.split("."))
        .with_suffix(".py")
        .exists()
    ):
        return ModuleType("nothing")
    return importlib.import_module(f"{_INTERNALS}.{key}")


def _by_path(path: str) -> Any:
    """The object at a public path, or in one of our own modules: `module:name`."""
    module, inside, name = path.partition(":")
    return getattr(importlib.import_module(f"wengert.{module}"), name) if inside else _public(path)


def _internal(path: str, name: str) -> Any:
    key = _internal_key(path)
    file = _hand_made(key)
    made = vars(file).get(name, _ABSENT) if not name.startswith("__") else _ABSENT
    if made is not _ABSENT and getattr(made, "__module__", file.__name__) == file.__name__:
        return made
    public = _table().get(key, {}).get(name)
    found = _ABSENT if public is None else _by_path(public)
    if found is not _ABSENT:
        return found
    if made is not _ABSENT:  # re-exported from another file
        return made
    module = key.rpartition(".")[2]
    if module.startswith("gen_"):
        return _raw(name)
    if module.endswith("_grad"):
        functions = importlib.import_module("wengert.compat.inner.gradient_functions")
        made = functions.gradient_named(name)
        if made is not None:
            return made
    if public is not None:  # TensorFlow's object, which we lack
        return _ABSENT
    found = _by_version(name)
    return _anywhere(name) if found is _ABSENT and not name.startswith("_") else found


def _anywhere(name: str) -> Any:
    """The public function of the name: programs import it from its module in other versions."""
    for space in ("compat.v1", "math", "nn", "linalg", "compat.v1.nn", "compat.v1.train"):
        found = _public(f"{space}.{name}")
        if found is not _ABSENT and not isinstance(found, ModuleType):
            return found
    return _ABSENT


def _raw(name: str) -> Any:
    """The raw operation behind a generated function: max_pool_v2 is MaxPoolV2."""
    words = re.sub(r"(?:^|_)(\d*[a-z])", lambda m: m[1].upper(), name.lstrip("_"))
    return _public(f"raw_ops.{words}")


def _by_version(name: str) -> Any:
    """The function for an internal name that includes a version, such as a suffix _v2."""
    stem, _, version = name.rpartition("_")
    if version == "v1":
        return _public(f"compat.v1.{stem}")
    if version == "v2":
        return _public(stem)
    return _ABSENT
