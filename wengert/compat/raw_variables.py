"""Raw operations on variables, which take them by their handles."""

from __future__ import annotations

import weakref
from typing import Any, Final

from wengert.api.session.handles import variable_of_handle
from wengert.api.variables.graph_variable import GraphVariable
from wengert.core.context import current_graph
from wengert.errors import InvalidArgumentError
from wengert.ops.arrays.creation import shape as array_shape
from wengert.ops.arrays.gathering import gather, gather_nd
from wengert.ops.arrays.variable_scatter import scatter
from wengert.ops.state.assignments import is_variable_initialized
from wengert.state.unset import UnsetVariable
from wengert.state.variable import Variable, around_functions
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.shapes import TensorShape


def variable_of(resource: Any) -> Any:
    """The variable of a handle, which in a graph is a tensor."""
    if isinstance(resource, Variable):
        return resource
    found = variable_of_handle(resource)
    if found is None:
        raise ValueError(f"{resource} is not the handle of a variable of its graph.")
    return found


# The eager handles by container and shared name, as long as somebody has them.
_SHARED: Final[weakref.WeakValueDictionary[Any, UnsetVariable]] = weakref.WeakValueDictionary()


def var_handle_op(
    dtype: Any,
    shape: Any,
    container: str = "",
    shared_name: str = "",
    debug_name: str = "",
    allowed_devices: Any = (),
    name: str | None = None,
) -> Any:
    """A handle, to which assignments give a value; handles of one shared name are the same."""
    kind, called = as_dtype(dtype), shared_name or name or "VarHandleOp"
    graph = around_functions(current_graph())
    if graph is not None:
        return _handle_in(graph, called, kind, shape, bool(shared_name))
    known = _SHARED.get((container, shared_name)) if shared_name else None
    made = UnsetVariable(kind, shape, called) if known is None else known
    if shared_name:
        _SHARED[container, shared_name] = made
    return made


def _handle_in(graph: Any, name: str, dtype: Any, shape: Any, is_shared: bool) -> Any:
    """The handle of a graph; one of a shared name may be that of a variable."""
    own = graph.get_collection_ref(("handles",))
    known = (v for v in [*graph.get_collection("variables"), *own] if v._shared_name == name)
    found = next(known, None) if is_shared else None
    if found is None:
        found = GraphVariable.of_file(graph, name, dtype, TensorShape(shape))
        own.append(found)
    return found.handle


def variable_shape(handle: Any, out_type: Any = None) -> Any:
    """The shape of a variable, as a tensor."""
    x = variable_of(handle)
    return array_shape(x) if out_type is None else array_shape(x, out_type)


def read_variable_op(resource: Any, dtype: Any = None, name: str | None = None) -> Any:
    """The current value."""
    variable = variable_of(resource)
    if dtype is not None and as_dtype(dtype) is not variable.dtype:
        raise _wrong_dtype("read", variable, as_dtype(dtype))
    return variable.read_value()


def _wrong_dtype(verb: str, variable: Any, found: Any) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"Trying to {verb} variable with wrong dtype. Expected {variable.dtype.spoken} got "
        f"{found.spoken}: it is '{variable.name}'."
    )


def assign_variable_op(
    resource: Any, value: Any, validate_shape: bool = False, name: str | None = None
) -> Any:
    """Assign to a variable."""
    variable, value = variable_of(resource), convert(value)
    if value.dtype is not variable.dtype:
        raise _wrong_dtype("assign", variable, value.dtype)
    return variable.assign(value, read_value=False)


def assign_add_variable_op(resource: Any, value: Any, name: str | None = None) -> Any:
    """Add to a variable."""
    return variable_of(resource).assign_add(value, read_value=False)


def assign_sub_variable_op(resource: Any, value: Any, name: str | None = None) -> Any:
    """Subtract from a variable."""
    return variable_of(resource).assign_sub(value, read_value=False)


def var_is_initialized_op(resource: Any, name: str | None = None) -> Any:
    """Whether a variable has a value."""
    return is_variable_initialized(variable_of(resource))


def resource_gather(
    resource: Any,
    indices: Any,
    dtype: Any = None,
    batch_dims: int = 0,
    validate_indices: bool = True,
    name: str | None = None,
) -> Any:
    """Gather rows of a variable."""
    return gather(variable_of(resource), indices, batch_dims=batch_dims)


def resource_gather_nd(
    resource: Any, indices: Any, dtype: Any = None, name: str | None = None
) -> Any:
    """Gather slices of a variable."""
    return gather_nd(variable_of(resource), indices)


def _scattered(kind: str) -> Any:
    """A function that changes rows of a variable."""

    def scattered(resource: Any, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Change rows of a variable."""
        variable = variable_of(resource)
        rows = IndexedSlices(convert(updates, variable.dtype), convert(indices))
        return scatter(variable, kind, rows, read_value=False)

    return scattered


resource_scatter_add = _scattered("Add")
resource_scatter_sub = _scattered("Sub")
resource_scatter_mul = _scattered("Mul")
resource_scatter_div = _scattered("Div")
resource_scatter_max = _scattered("Max")
resource_scatter_min = _scattered("Min")
resource_scatter_update = _scattered("Update")

WRITTEN: Final = {
    "VarHandleOp": var_handle_op,
    "AssignAddVariableOp": assign_add_variable_op,
    "AssignSubVariableOp": assign_sub_variable_op,
    "AssignVariableOp": assign_variable_op,
    "ReadVariableOp": read_variable_op,
    "ResourceGather": resource_gather,
    "ResourceGatherNd": resource_gather_nd,
    "ResourceScatterAdd": resource_scatter_add,
    "ResourceScatterDiv": resource_scatter_div,
    "ResourceScatterMax": resource_scatter_max,
    "ResourceScatterMin": resource_scatter_min,
    "ResourceScatterMul": resource_scatter_mul,
    "ResourceScatterSub": resource_scatter_sub,
    "ResourceScatterUpdate": resource_scatter_update,
    "VarIsInitializedOp": var_is_initialized_op,
    "VariableShape": lambda input, out_type: variable_shape(input, out_type),
}
