"""tensorflow.python.ops.resource_variable_ops: all variables are such, and their own handles."""

from __future__ import annotations

from typing import Any

from wengert import shape
from wengert.api.function.stand_ins import VariableSpec as VariableSpec
from wengert.api.variables.graph_variable import GraphKeys
from wengert.ops.arrays.gathering import gather, gather_nd
from wengert.state.variable import Variable as BaseResourceVariable
from wengert.state.variable import Variable as ResourceVariable
from wengert.values.convert import convert
from wengert.values.indexed_slices import IndexedSlices


def _variable(resource: Any) -> Any:
    """The variable of a handle, which in a graph is a tensor."""
    if isinstance(resource, ResourceVariable):
        return resource
    graph = resource.graph
    kinds = (GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES)
    there = [v for kind in kinds for v in graph.get_collection(kind)]
    return next(v for v in there if v.handle is resource)


def variable_shape(handle: Any, out_type: Any = None) -> Any:
    """The shape of a variable, as a tensor."""
    x = _variable(handle)
    return shape(x) if out_type is None else shape(x, out_type)


def is_resource_variable(var: Any) -> bool:
    """Whether a value is a variable."""
    return isinstance(var, ResourceVariable)


def read_variable_op(resource: Any, dtype: Any = None, name: str | None = None) -> Any:
    """The current value."""
    return _variable(resource).read_value()


def assign_variable_op(
    resource: Any, value: Any, validate_shape: bool = False, name: str | None = None
) -> Any:
    """Assign to a variable."""
    return _variable(resource).assign(value)


def assign_add_variable_op(resource: Any, value: Any, name: str | None = None) -> Any:
    """Add to a variable."""
    return _variable(resource).assign_add(value)


def assign_sub_variable_op(resource: Any, value: Any, name: str | None = None) -> Any:
    """Subtract from a variable."""
    return _variable(resource).assign_sub(value)


def var_is_initialized_op(resource: Any, name: str | None = None) -> Any:
    """Whether a variable has a value."""
    return _variable(resource).is_initialized()


def resource_gather(
    resource: Any, indices: Any, dtype: Any = None, batch_dims: int = 0, name: str | None = None
) -> Any:
    """Gather rows of a variable."""
    return gather(_variable(resource), indices, batch_dims=batch_dims)


def resource_gather_nd(
    resource: Any, indices: Any, dtype: Any = None, name: str | None = None
) -> Any:
    """Gather slices of a variable."""
    return gather_nd(_variable(resource), indices)


def _scattered(change: str) -> Any:
    """A function that changes rows of a variable."""

    def scatter(resource: Any, indices: Any, updates: Any, name: str | None = None) -> Any:
        """The variable after its rows have changed."""
        variable = _variable(resource)
        rows = IndexedSlices(convert(updates, variable.dtype), convert(indices))
        return getattr(variable, f"scatter_{change}")(rows)

    return scatter


resource_scatter_add = _scattered("add")
resource_scatter_sub = _scattered("sub")
resource_scatter_mul = _scattered("mul")
resource_scatter_div = _scattered("div")
resource_scatter_max = _scattered("max")
resource_scatter_min = _scattered("min")
resource_scatter_update = _scattered("update")


__all__ = ["BaseResourceVariable", "ResourceVariable"]
