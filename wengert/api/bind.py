"""Late binding: operations, operators and graph variables that lower layers declare and call.

The machine adds cotangents and makes zeros; tensors have operators; a graph makes variables of its
own kind. Each is declared in the layer that uses it, and bound here.
"""

from __future__ import annotations

from typing import Any

import wengert.engines.register  # noqa: F401  # what computes graphs
from wengert.api.numpy import offer
from wengert.api.variables.graph_variable import GraphVariable
from wengert.core.context import to_graph
from wengert.core.dispatch import apply
from wengert.formats import protos
from wengert.graph import recorded
from wengert.graph.graph import Graph
from wengert.host.locks import load_module
from wengert.inference import shape_inference
from wengert.ops import gradient_sum, operators
from wengert.ops.arrays import creation, gathering, identity, joining, shaping, variable_scatter
from wengert.ops.arrays.identity import READ
from wengert.ops.control import effects, tensor_list
from wengert.ops.math import complex, elementwise
from wengert.ops.reductions import reductions
from wengert.ops.state import assignments
from wengert.ops.state.variable_slices import part_of_variable
from wengert.ops.support import large_kernels
from wengert.state.variable import Variable
from wengert.values.bound_ops import BoundOps, bound
from wengert.values.composite import Composite
from wengert.values.convert import convert
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.type_spec import PartsSpec
from wengert.values.value import Value


def _later(module: str, name: str) -> Any:
    """A function of a module that is loaded at the first call."""
    return lambda *given: getattr(load_module(module), name)(*given)


# ---- operations of the machine ------------------------------------------------------------------

bound.shape_proto = protos.shape_proto
bound.add = gradient_sum.add_gradients
bound.cast = elementwise.cast
bound.conj = complex.conj
bound.zeros_like = elementwise.zeros_like
bound.sum_to = reductions.sum_to
bound.broadcast_to = shaping.broadcast_unless_done
bound.to_dense = gathering.to_dense
bound.pack = convert
bound.stack = joining.stack
bound.unstack = joining.unstack
bound.join_examples = tensor_list.join_examples
bound.part_examples = tensor_list.part_examples
bound.repeat_example = tensor_list.repeat_example
bound.reshape = shaping.reshape
bound.blank = creation.blank
bound.as_shape = shaping.as_shape
bound.known_forms = shape_inference.known_forms
bound.read = lambda variable: apply(READ, (variable,))
bound.assign_later = assignments.assign_later
bound.update = large_kernels.update_kernel
bound.provided = effects.provided
bound.finite = identity.check_cotangent
bound.of_same_shape = _later("wengert.ops.control.asserts", "of_same_shape")
bound.identity = identity.identity
bound.together = lambda values: apply(identity.IDENTITY_N, values)
bound.entered = to_graph
bound.as_node = recorded.as_node
bound.evaluate = _later("wengert.api.function.function", "evaluate")

Composite._type_spec = property(PartsSpec.of)  # type: ignore[assignment]  # of a layer above it

_missing = [name for name in BoundOps.__annotations__ if not hasattr(bound, name)]
if _missing:
    raise NotImplementedError(
        f"Nothing is bound to {', '.join(_missing)}: see values/bound_ops.py."
    )

# ---- methods, and a class -----------------------------------------------------------------------

for _class, _methods in (
    (Value, operators.METHODS),
    (Value, offer.METHODS),
    (
        Variable,
        {
            "__getitem__": part_of_variable,
            "count_up_to": assignments.count_up_to,
            **variable_scatter.METHODS,
        },
    ),
):
    for _name, _method in _methods.items():
        setattr(_class, _name, _method)

Value.OVERLOADABLE_OPERATORS = frozenset(
    name for name in operators.METHODS if name.startswith("__")
)


def _of_dense(method: Any) -> Any:
    def applied(self: IndexedSlices, *args: Any) -> Any:
        return method(gathering.to_dense(self), *args)

    return applied


for _name in Value.OVERLOADABLE_OPERATORS - {"__eq__", "__ne__", "__neg__"}:
    setattr(IndexedSlices, _name, _of_dense(operators.METHODS[_name]))
Graph.variable_class = GraphVariable
