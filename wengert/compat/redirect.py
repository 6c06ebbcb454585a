"""Redirects `import tensorflow` to Wengert: installation and removal.

A finder at the front of `sys.meta_path` handles every module whose name starts with `tensorflow`,
whether TensorFlow is installed or not. The modules that it returns are defined in standins.py.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

import wengert
from wengert import errors, keras
from wengert.api.advice import instead_of
from wengert.api.variables.graph_variable import GraphVariable
from wengert.compat import keras2
from wengert.compat.resolver import is_module
from wengert.compat.standins import StandIn, is_an_attempt, stand_in
from wengert.core.batch import Batched
from wengert.graph.graph import Graph
from wengert.graph.operation import Operation
from wengert.host.locks import load_module
from wengert.state.variable import Variable
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.known_places import known_as, say_known_places, say_own_places
from wengert.values.symbolic import SymbolicTensor
from wengert.values.tensor import Tensor

ROOT = "tensorflow"


def install(*, v1: bool = False) -> None:
    """Redirect `import tensorflow` and all its submodules to Wengert.

    Call it in a conftest.py, or anywhere before the first import of tensorflow. With `v1=True` the
    names at the top level are those of TensorFlow 1, where the two differ.

    >>> import wengert
    >>> wengert.compat.install()
    >>> import tensorflow as tf
    >>> from tensorflow.python.ops import math_ops
    >>> print(math_ops.reduce_sum(tf.constant([1.0, 2.0])))
    tf.Tensor(3.0, shape=(), dtype=float32)
    >>> wengert.compat.uninstall()
    """
    loaded = sys.modules.get(ROOT)
    if loaded is not None and not isinstance(loaded, StandIn):
        raise RuntimeError(
            f"TensorFlow itself has been imported already, from {getattr(loaded, '__file__', '?')}. "
            "Call wengert.compat.install() before the first `import tensorflow`."
        )
    uninstall()
    sys.meta_path.insert(0, _Finder(v1))
    for kind, place in _classes().items():
        known_as(kind, place)
    say_known_places(f"{ROOT}.python")


def uninstall() -> None:
    """Let `import tensorflow` mean TensorFlow again. Modules imported before remain Wengert's."""
    say_own_places()
    sys.meta_path[:] = [f for f in sys.meta_path if not isinstance(f, _Finder)]
    ours = [n for n, module in sys.modules.items() if _is_ours(n, module)]
    for name in ours:
        del sys.modules[name]


def _is_ours(name: str, module: ModuleType) -> bool:
    return isinstance(module, keras2.Keras2) or (_is_below(name) and isinstance(module, StandIn))


def _classes() -> dict[type, str]:
    """Where TensorFlow has the classes by whose modules and names programs know its values."""
    return {
        Tensor: "framework.ops.EagerTensor",
        SymbolicTensor: "framework.ops.SymbolicTensor",
        Batched: "framework.tensor.Tensor",
        Variable: "ops.resource_variable_ops.ResourceVariable",
        GraphVariable: "ops.resource_variable_ops.ResourceVariable",
        IndexedSlices: "framework.indexed_slices.IndexedSlices",
        wengert.SparseTensor: "framework.sparse_tensor.SparseTensor",
        wengert.RaggedTensor: "ops.ragged.ragged_tensor.RaggedTensor",
        Operation: "framework.ops.Operation",
        Graph: "framework.ops.Graph",
        **{kind: f"framework.errors_impl.{kind.__name__}" for kind in errors.of_tensorflow()},
    }


def is_installed() -> bool:
    """Whether `import tensorflow` is redirected to Wengert."""
    return any(isinstance(finder, _Finder) for finder in sys.meta_path)


def _is_below(name: str) -> bool:
    return name == ROOT or name.startswith(f"{ROOT}.")


class _Finder(MetaPathFinder):
    def __init__(self, v1: bool) -> None:
        self.loader = _Loader(v1)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] == keras2.NAME:
            return ModuleSpec(fullname, _Keras2Loader(), is_package=True)
        if fullname == keras.OPTIMIZERS:
            return _with_our_optimizers(PathFinder.find_spec(fullname, path))
        if not _is_below(fullname):
            return None
        if _path_in_keras(fullname) is not None and keras.is_installed():
            return ModuleSpec(fullname, _KerasLoader(), is_package=True)
        path = fullname.partition(".")[2]
        if not is_module(path, self.loader.v1) and is_an_attempt():
            said = f"Wengert has no module {fullname}. {instead_of(path)}"
            raise ModuleNotFoundError(said.rstrip(), name=fullname)
        return ModuleSpec(fullname, self.loader, is_package=True)

    def find_distributions(self, context: Any) -> Iterator[Any]:
        """What `importlib.metadata` finds under TensorFlow's name, or among all packages."""
        if context.name is None or context.name.lower() == ROOT:
            yield load_module("wengert.compat.distribution").TensorFlow()


def _path_in_keras(fullname: str) -> str | None:
    """The path below tensorflow.keras; None for other modules."""
    path = fullname.partition(".")[2].removeprefix("compat.v1.").removeprefix("compat.v2.")
    head, _, rest = path.partition(".")
    return rest if head == "keras" else None


class _KerasLoader(Loader):
    def create_module(self, spec: ModuleSpec) -> None:
        """An empty module, in whose place Keras's comes."""

    def exec_module(self, module: ModuleType) -> None:
        """Let Keras's own module stand under this name."""
        sys.modules[module.__name__] = keras.module(_path_in_keras(module.__name__) or "")


def _with_our_optimizers(spec: ModuleSpec | None) -> ModuleSpec | None:
    """Keras's module of optimizers, which takes ours, too: in TensorFlow tf.optimizers are Keras's."""
    if spec is not None and spec.loader is not None:
        spec.loader = _OptimizersLoader(spec.loader)
    return spec


class _OptimizersLoader(Loader):
    def __init__(self, keras_own: Loader) -> None:
        self.keras_own = keras_own

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.keras_own.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Let `get`, by which a model takes an optimizer, know ours."""
        self.keras_own.exec_module(module)
        module.__dict__["get"] = keras.taking_ours(module.get)


class _Keras2Loader(Loader):
    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return keras2.Keras2(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing to do: what there is of it is complete."""


class _Loader(Loader):
    def __init__(self, v1: bool) -> None:
        self.v1 = v1

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return stand_in(spec.name, self.v1)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing to do: a stand-in is complete."""
