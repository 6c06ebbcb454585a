"""Writes wengert/compat/internal_names.json: which public name an internal one of TensorFlow is.

    python tools/internal_names.py [module ...]

needs TensorFlow beside Wengert. Programs import names like tensorflow.python.ops.math_ops.reduce_sum; that is the object
that is public as tf.reduce_sum, and this is how the file says so: by module, by the public
namespace, the names; under "renamed" those that have another name there; under "by_hand" those that are not
public there and were added by a person. Modules named on the command line are added
to those that the file has.
"""

from __future__ import annotations

import importlib
import json
import sys
import types
from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import Any

import wengert

FILE = Path(__file__).parent.parent / "wengert" / "compat" / "internal_names.json"
ROOT = "tensorflow.python."
PLAIN = (int, str, float, bool, tuple, list, dict, type(None))
# Namespaces without gradients, and those that lead elsewhere.
NOT_ENTERED = frozenset(
    [
        "__internal__",
        "app",
        "compat",
        "dtensor",
        "estimator",
        "experimental",
        "feature_column",
        "flags",
        "keras",
        "lite",
        "mixed_precision",
        "mlir",
        "profiler",
        "resource_loader",
        "tools",
        "tpu",
        "tracing",
        "xla",
    ]
)
# Of those, the ones that are entered in one place.
ENTERED = frozenset(["data.experimental", "lookup.experimental", "random.experimental"])
Names = dict[Hashable, list[str]]


def main(modules: list[str]) -> None:
    old = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}
    public = public_names()
    found = {m: names_of(m, public) for m in sorted({*old, *modules})}
    kept = {m: grouped(names) | by_hand(old.get(m, {})) for m, names in found.items()}
    FILE.write_text(json.dumps(kept, indent=0, sort_keys=True) + "\n", "utf-8")


def public_names() -> Names:
    """By what makes an object known again, its public names."""
    found: Names = {}
    for name, prefix in (("tensorflow", ""), ("tensorflow.compat.v1", "compat.v1.")):
        _enter(importlib.import_module(name), prefix, found, 0)
    numpy = importlib.import_module("tensorflow").experimental.numpy
    _enter(numpy, "experimental.numpy.", found, 0)
    return found


def _enter(module: Any, prefix: str, found: Names, depth: int) -> None:
    for name in sorted(n for n in dir(module) if not n.startswith("_")):
        value = getattr(module, name, None)
        if isinstance(value, types.ModuleType):
            inside = prefix + name in ENTERED or name not in NOT_ENTERED
            if depth < 3 and inside and "Lazy" not in type(value).__name__:
                _enter(value, f"{prefix}{name}.", found, depth + 1)
        elif not isinstance(value, PLAIN):
            for mark in marks(value):
                found.setdefault(mark, []).append(prefix + name)


def marks(value: Any) -> Iterator[Hashable]:
    """What makes an object known again, also behind the decorators of the exported ones."""
    yield id(value)
    decorators = importlib.import_module("tensorflow.python.util.tf_decorator")
    inner = decorators.unwrap(value)[1]
    while hasattr(inner, "__wrapped__"):
        inner = inner.__wrapped__
    if inner is not value:
        yield id(inner)
    if isinstance(inner, types.FunctionType):
        yield "code", id(inner.__code__)


def names_of(module: str, public: Names) -> dict[str, str]:
    """The public name of each name in an internal module that has one."""
    found = {}
    try:
        inside = importlib.import_module(ROOT + module)
    except ImportError as error:
        print(f"{module}: {error}")
        return {}
    for name, value in vars(inside).items():
        if not name.startswith("_") and not isinstance(value, (types.ModuleType, *PLAIN)):
            mark = next((mark for mark in marks(value) if mark in public), None)
            if mark is not None and _is_of_use(path := best(public[mark], name)):
                found[name] = path
    return found


def _is_of_use(path: str) -> bool:
    """Raw operations are many; those that are no rows of the table would only be missing."""
    space, _, last = path.rpartition(".")
    return not space.endswith("raw_ops") or hasattr(wengert.raw_ops, last)


def best(names: list[str], name: str) -> str:
    """The name of version 2 if there is one, and the same last part where possible."""

    def rank(path: str) -> tuple[Any, ...]:
        parts = path.split(".")
        return "raw_ops" in parts, "v1" in parts, parts[-1] != name, len(parts), path

    return min(names, key=rank)


def by_hand(old: dict[str, Any]) -> dict[str, Any]:
    """Names that TensorFlow has only internally, or only with Keras: they were written by a person."""
    return {"by_hand": old["by_hand"]} if "by_hand" in old else {}


def grouped(names: dict[str, str]) -> dict[str, Any]:
    groups: dict[str, Any] = {}
    for name, path in sorted(names.items()):
        space, _, last = path.rpartition(".")
        if last == name:
            groups[space] = f"{groups[space]} {name}" if space in groups else name
        else:
            groups.setdefault("renamed", {})[name] = path
    return groups


if __name__ == "__main__":
    main(sys.argv[1:])
