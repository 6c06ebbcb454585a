"""Arrays that lie on several devices: their copies there, and where the results of a plan shall lie.

What was laid out over devices is there what a tensor is on a device (values/on_device.py), so everything
else sees its array as ever. A variable has a layout, which its values keep.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from wengert.engines.xla.backend import called_wide, jax, jnp, load
from wengert.engines.xla.meetings import begin
from wengert.errors import InvalidArgumentError
from wengert.state.cell import Cell
from wengert.values.on_device import OnDevice, Settings, held_by, hold, hold_next

_LAYOUT: Final = "_layout"


class Used:
    """Whether anything was laid out in this process: plans need not look otherwise."""

    layouts = False


def _use() -> None:
    Used.layouts = True
    Settings.fetch = fetched


def lay(array: Any, layout: Any) -> Any:
    """The array over the devices of a layout."""
    _use()
    return called_wide(jax.make_array_from_callback, array.shape, layout, lambda at: array[at])


def lay_variable(variable: Any, layout: Any) -> None:
    """Let the values of a variable, this one and those to come, lie so."""
    _use()
    variable._array = variable._array  # from where it was
    variable.__dict__[_LAYOUT] = layout


def of_variable(variable: Any) -> Any:
    """The layout that a variable was given; None if none was."""
    return getattr(variable, "__dict__", {}).get(_LAYOUT)


# ---- variables on the device ---------------------------------------------------------------------


def array_of_cell(cell: Any) -> Any:
    """The value of a variable for a step that reads it: on the device, unless another thread has its lock."""
    held = held_of_cell(cell)
    if held is not None:
        return held.array
    if not cell._lock.acquire(blocking=False):
        return cell._array
    try:
        return owned(cell).array
    finally:
        cell._lock.release()


def owned(cell: Any) -> OnDevice:
    """The value of a variable, whose lock is held, on the device; no step has been given its memory."""
    held = cell.held if type(cell) is Cell else held_by(cell)
    if held is None:
        held = _put(cell)
    elif held.given_to is None:
        return held
    else:
        held = OnDevice(held.array)
    hold_cell(cell, held)
    return held


def held_of_cell(cell: Any) -> OnDevice | None:
    """What holds the value of a variable on a device; None if its array is NumPy's."""
    return cell.held if type(cell) is Cell else held_by(cell)


def _put(cell: Any) -> OnDevice:
    """NumPy's array on the device; it is kept where not every process may ask for it."""
    array, layout = cell._array, of_variable(cell) if Used.layouts else None
    if layout is not None:
        return OnDevice(lay(array, layout), array)
    return OnDevice(called_wide(jnp.array, array))


def hold_cell(cell: Any, held: OnDevice) -> None:
    """Let the value of a variable live on the device."""
    if type(cell) is Cell:
        cell.held = held
    else:
        hold(cell, held)


def hold_next_cell(cell: Any, held: OnDevice) -> None:
    """The same after a step that was given the memory of the value before, while its lock was held."""
    if type(cell) is Cell:
        cell.held = held
    else:
        hold_next(cell, held)


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


def kept_so(value: Any, layout: Any, before: Any) -> Any:
    """A new value of a variable, laid out as the one before was, if that has a layout, and its shape."""
    if layout is None or value is None or np.shape(value) != np.shape(before):
        return value
    return jax.lax.with_sharding_constraint(value, layout)


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
    begin()
    return load("jax.experimental.multihost_utils").process_allgather(value, tiled=True)
