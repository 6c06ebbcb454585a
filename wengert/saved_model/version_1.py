"""A saved model of version 1 as an object: its signatures as functions that can be differentiated."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from wengert.api.function.function import function as traced
from wengert.compat.graph_defs.importing import Importer
from wengert.compat.graph_defs.protos import message
from wengert.compat.graph_defs.tensors import shape_of
from wengert.core.context import current_graph
from wengert.errors import DataLossError, NotFoundError
from wengert.formats.bundles import BundleReader
from wengert.saved_model import options as names
from wengert.saving.trackables.auto import AutoTrackable
from wengert.saving.trackables.collections import _DictWrapper
from wengert.state.variable import Variable
from wengert.values.dtypes import as_dtype
from wengert.values.type_spec import TensorSpec

# Signatures that are run when a model is loaded, not called.
_RUN: Final = ("__saved_model_init_op", "__saved_model_train_op")
_VARIABLES: Final = ("VarHandleOp", "VariableV2")


class LoadedGraph(AutoTrackable):
    """A graph with its variables: `signatures` are functions, `prune` makes others."""

    def __init__(self, meta: Any, variables: Mapping[str, Variable]) -> None:
        self._meta = meta
        self._by_name = variables
        self.variables = list(variables.values())
        self.signatures = _DictWrapper(
            {
                key: self._signature(signature)
                for key, signature in meta.signature_def.items()
                if key not in _RUN
            }
        )

    @property
    def graph_def(self) -> Any:
        """The graph as it is in the file."""
        return self._meta.graph_def

    def prune(self, feeds: Any, fetches: Any) -> Any:
        """A function from some tensors, by their names, to others."""
        fed, wanted = _listed(feeds), _listed(fetches)

        def run(*values: Any) -> Any:
            found = self._run(dict(zip(fed, values, strict=True)), wanted)
            return found if isinstance(fetches, (list, tuple)) else found[0]

        return traced(run, autograph=False).get_concrete_function(
            *[self._spec(name) for name in fed]
        )

    def _signature(self, signature: Any) -> Any:
        keys = sorted(signature.inputs)

        def run(**values: Any) -> dict[str, Any]:
            fed = {signature.inputs[key].name: values[key] for key in keys}
            outputs = sorted(signature.outputs)
            found = self._run(fed, [signature.outputs[key].name for key in outputs])
            return dict(zip(outputs, found, strict=True))

        specs = {key: _spec_of(signature.inputs[key], key) for key in keys}
        return traced(run, autograph=False).get_concrete_function(**specs)

    def _spec(self, tensor: str) -> TensorSpec:
        name = tensor.partition(":")[0]
        node = next(node for node in self._meta.graph_def.node if node.name == name)
        shape = shape_of(node.attr["shape"].shape) if "shape" in node.attr else None
        return TensorSpec(shape, as_dtype(node.attr["dtype"].type), name)

    def _run(self, fed: Mapping[str, Any], wanted: list[str]) -> list[Any]:
        """Add what the wanted tensors need of the graph to the function that is traced."""
        values: dict[str, list[Any]] = {name: [v] for name, v in self._by_name.items()}
        importer = Importer(current_graph(), self._meta.graph_def.library, values)
        importer.replace(fed)
        importer.add_needed(self._meta.graph_def.node, [name.partition(":")[0] for name in wanted])
        return [importer.value(name) for name in wanted]


def _listed(given: Any) -> list[str]:
    found = given if isinstance(given, (list, tuple)) else [given]
    return [str(getattr(x, "name", x)) for x in found]


def _spec_of(info: Any, name: str) -> TensorSpec:
    return TensorSpec(shape_of(info.tensor_shape), as_dtype(info.dtype), name)


def load_version_1(folder: Path, meta: Any) -> LoadedGraph:
    """The model of a folder, with the values of its variables."""
    nodes = {node.name: node for node in meta.graph_def.node if node.op in _VARIABLES}
    trained = {
        proto.variable_name.partition(":")[0]
        for proto in map(
            message("VariableDef").FromString,
            meta.collection_def["trainable_variables"].bytes_list.value,
        )
    }
    if not nodes:
        return LoadedGraph(meta, {})
    prefix = folder / names.VARIABLES_DIRECTORY / names.VARIABLES_FILENAME
    try:
        bundle = BundleReader(str(prefix))
    except NotFoundError as error:
        raise DataLossError(f"{prefix}: the values of the variables are missing: {error}") from None
    return LoadedGraph(
        meta,
        {
            name: Variable(np.asarray(bundle.tensor(name)), name in trained, name=name)
            for name in nodes
            if name in bundle
        },
    )
