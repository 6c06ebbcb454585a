"""Arrays that lie on several devices: their copies there, and where the results of a plan shall lie.

A tensor's array stays NumPy's. What was laid out over devices is a copy that is found by the array, so
everything else sees the array as ever. A variable has a layout, which its values keep.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from wengert.engines.xla.backend import jax, load, wide
from wengert.errors import InvalidArgumentError
from wengert.state.on_device import held_by

# By the ids of arrays; the weak reference takes an entry away when the array goes.
_COPIES: Final[dict[int, tuple[Any, Any]]] = {}
_LAYOUT: Final = "_layout"


class Used:
    """Whether anything was laid out in this process: plans need not look otherwise."""

    layouts = False


def lay(array: Any, layout: Any) -> Any:
    """The copy of an array over the devices of a layout."""
    found = copy_of(array)
    if found is None or not found.sharding.is_equivalent_to(layout, found.ndim):
        with wide():
            found = jax.make_array_from_callback(array.shape, layout, lambda at: array[at])
        remember(array, found)
    return found


def remember(array: Any, copy: Any) -> None:
    """Let an array be found on devices, as long as it is there."""
    Used.layouts = True
    if not isinstance(array, np.ndarray):  # a scalar of NumPy's, which nothing can refer to
        return
    key = id(array)

    def forget(_: Any, copies: dict[int, tuple[Any, Any]] = _COPIES) -> None:  # at exit, too
        copies.pop(key, None)

    _COPIES[key] = weakref.ref(array, forget), copy


def copy_of(array: Any) -> Any:
    """The copy on devices; None if there is none."""
    found = _COPIES.get(id(array))
    return None if found is None else found[1]


def lay_variable(variable: Any, layout: Any) -> None:
    """Let the values of a variable, this one and those to come, lie so."""
    Used.layouts = True
    variable._array = variable._array  # from where it was
    variable.__dict__[_LAYOUT] = layout


def of_variable(variable: Any) -> Any:
    """The layout that a variable was given; None if none was."""
    return getattr(variable, "__dict__", {}).get(_LAYOUT)


def cell_array(variable: Any) -> Any:
    """What a plan is handed of a variable."""
    held = held_by(variable)
    if held is not None:
        return held.array
    layout = of_variable(variable) if Used.layouts else None
    return variable._array if layout is None else lay(variable._array, layout)


def layout_of(value: Any) -> Any:
    """How a value lies on the devices of a mesh; None if it does not."""
    layout = getattr(value, "sharding", None)
    return layout if hasattr(layout, "mesh") else None


def layouts_of(given: Sequence[Any]) -> tuple[Any, ...] | None:
    """How values lie; None if none is on a mesh."""
    if not Used.layouts:
        return None
    found = tuple(map(layout_of, given))
    meshes = list({x.mesh: None for x in found if x is not None})
    if len(meshes) > 1:
        raise InvalidArgumentError(
            f"What one function is given lies on {len(meshes)} meshes, {meshes[0].shape} and "
            f"{meshes[1].shape}: shard or replicate all of it on one."
        )
    return found if meshes else None


def for_all_processes(value: Any) -> Any:
    """What several processes may be handed together: arrays on the mesh, and arrays that are equal everywhere."""
    if not isinstance(value, jax.Array) or layout_of(value) is not None:
        return value
    return np.asarray(value)


def kept(value: Any, layout: Any, shape: Any) -> Any:
    """A new value of a variable, laid out as the variable is."""
    fits = layout is not None and np.shape(value) == shape
    return jax.lax.with_sharding_constraint(value, layout) if fits else value


def whole_everywhere(layouts: Sequence[Any]) -> Callable[[Any], Any]:
    """What makes results whole on every process; where there is one, they lie as XLA likes."""
    if jax.process_count() == 1:
        return lambda results: results
    mesh = next(x.mesh for x in layouts if x is not None)
    everywhere = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec())
    return lambda results: jax.tree.map(
        lambda x: jax.lax.with_sharding_constraint(x, everywhere), results
    )


def fetched(value: Any) -> Any:
    """A value as NumPy's array. What is spread over processes they gather, so all of them must ask."""
    if getattr(value, "is_fully_addressable", True) or value.is_fully_replicated:
        return np.asarray(value)
    return load("jax.experimental.multihost_utils").process_allgather(value, tiled=True)
