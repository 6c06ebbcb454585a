"""Devices in a grid with named axes, and what lies on them: the view of many devices as one.

A function that the XLA engine runs takes what was sharded as it is; XLA's compiler divides the work, and puts
in what the devices tell each other.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from wengert.distribute.processes import join, place
from wengert.engines.xla import layouts
from wengert.engines.xla.backend import jax
from wengert.state.variable import Variable
from wengert.values.convert import convert
from wengert.values.on_device import array_of, held_by, put
from wengert.values.tensor import wrap

_REST: Final = -1


class Mesh:
    """Devices in a grid whose axes have names.

    - ``axes``: the names and sizes of the axes; a size of -1 takes what devices there are;
    - ``devices``: JAX's devices; by default the first of `jax.devices()`, over all processes.

    >>> mesh = tf.distribute.Mesh({"data": 1, "model": 1})
    >>> mesh
    Mesh({'data': 1, 'model': 1}) of cpu
    """

    def __init__(self, axes: Mapping[str, int], devices: Sequence[Any] | None = None) -> None:
        if place().count > 1:
            join(place())
        there = list(jax.devices() if devices is None else devices)
        self.axes = _sizes(axes, len(there))
        count = math.prod(self.axes.values())
        if count > len(there):
            raise ValueError(_too_many(self.axes, count, there))
        grid = np.array(there[:count], object).reshape(tuple(self.axes.values()))
        self.devices = there[:count]
        self.grid = jax.sharding.Mesh(grid, tuple(self.axes))

    @property
    def shape(self) -> dict[str, int]:
        """The sizes of the axes, by name."""
        return dict(self.axes)

    @property
    def size(self) -> int:
        """The number of devices."""
        return len(self.devices)

    def __repr__(self) -> str:
        return f"Mesh({self.axes}) of {self.devices[0].platform}"


def _sizes(axes: Mapping[str, int], devices: int) -> dict[str, int]:
    """The sizes, with the rest of the devices where -1 stands."""
    if not isinstance(axes, Mapping) or not axes:
        raise TypeError(
            f"A mesh is made from names and sizes of axes, as in Mesh({{'data': 2, 'model': 2}}), not {axes!r}."
        )
    for name, size in axes.items():
        if not isinstance(name, str) or isinstance(size, bool) or not isinstance(size, int):
            raise TypeError(
                f"An axis of a mesh has a name and a whole number, not {name!r}: {size!r}."
            )
        if size < 1 and size != _REST:
            raise ValueError(
                f"The axis '{name}' of a mesh has {size} devices: one at least, or -1 for the rest."
            )
    if list(axes.values()).count(_REST) > 1:
        raise ValueError(
            f"One axis of a mesh can have -1, for the rest of the devices: {dict(axes)}."
        )
    others = math.prod(size for size in axes.values() if size != _REST)
    if _REST in axes.values() and devices % others:
        raise ValueError(
            f"{devices} devices do not divide by the {others} of the other axes of {dict(axes)}: "
            "no size fits in place of -1."
        )
    return {name: devices // others if size == _REST else size for name, size in axes.items()}


def _too_many(axes: Mapping[str, int], count: int, there: Sequence[Any]) -> str:
    shown = " x ".join(f"{name}={size}" for name, size in axes.items())
    text = f"A mesh of {shown} needs {count} devices, and there are {len(there)}"
    named = f" ({', '.join(f'{d.platform}:{d.id}' for d in there[:8])})"
    if there and there[0].platform != "cpu":
        return f"{text}{named}: take smaller axes."
    return (
        f"{text}{named}: take smaller axes, more processes (wengert launch), or divide the processor "
        "at the beginning of the program: tf.config.set_logical_device_configuration("
        "tf.config.list_physical_devices('CPU')[0], "
        f"[tf.config.LogicalDeviceConfiguration()] * {count})."
    )


# ---- what lies on a mesh --------------------------------------------------------------------------


def shard(x: Any, mesh: Mesh, spec: Sequence[Any] | str | None) -> Any:
    """A tensor divided over the devices of a mesh; of a variable, its value and those to come.

    The spec has an entry for each axis of x: the name of an axis of the mesh over which it is divided,
    several names, or None. Axes that it does not mention are not divided. In several processes each is
    given the whole value.

    >>> mesh = tf.distribute.Mesh({"data": 1})
    >>> x = tf.distribute.shard(tf.constant([[1.0, 2.0], [3.0, 4.0]]), mesh, ("data", None))
    >>> tf.function(lambda x: tf.reduce_sum(x), engine="xla")(x).numpy()
    np.float32(10.0)
    """
    if not isinstance(mesh, Mesh):
        raise TypeError(f"shard takes a tf.distribute.Mesh, not {mesh!r}.")
    value = x if isinstance(x, Variable) else convert(x)
    names = _checked(_entries(spec), value, mesh)
    layout = jax.sharding.NamedSharding(mesh.grid, jax.sharding.PartitionSpec(*names))
    if isinstance(value, Variable):
        layouts.lay_variable(value, layout)
        return value
    tensor = wrap(value._array)
    put(tensor, layouts.lay(value._array, layout))
    return tensor


def replicate(x: Any, mesh: Mesh) -> Any:
    """A tensor, or a variable, of which each device of a mesh has a copy.

    >>> tf.distribute.replicate(2.0, tf.distribute.Mesh({"data": 1})).numpy()
    np.float32(2.0)
    """
    return shard(x, mesh, ())


def sharding(x: Any) -> tuple[Any, ...] | None:
    """The spec with which a tensor or variable lies on a mesh; None if it lies on none.

    >>> mesh = tf.distribute.Mesh({"data": 1})
    >>> tf.distribute.sharding(tf.distribute.shard([1.0, 2.0], mesh, "data"))
    ('data',)
    """
    held = held_by(x)
    if held is not None:
        found = layouts.layout_of(held.array)
    elif isinstance(x, Variable):
        found = layouts.of_variable(x)
    else:
        found = layouts.layout_of(array_of(convert(x)))
    return None if found is None else tuple(found.spec)


def _entries(spec: Any) -> list[tuple[str, ...]]:
    """For each axis the names of the mesh's axes that divide it."""
    if spec is None:
        return []
    entries = [spec] if isinstance(spec, str) else spec
    if not isinstance(entries, (list, tuple)):
        raise TypeError(f"A spec is a tuple of names of axes and None, not {spec!r}.")
    return [() if e is None else (e,) if isinstance(e, str) else tuple(e) for e in entries]


def _checked(entries: Sequence[tuple[str, ...]], x: Any, mesh: Mesh) -> list[Any]:
    """The entries, which must be of the mesh, and divide the tensor."""
    shape = tuple(x._array.shape)
    what = f"variable '{x.name}'" if isinstance(x, Variable) else "tensor"
    if len(entries) > len(shape):
        raise ValueError(
            f"The spec has {len(entries)} entries, and the {what} of shape {shape} has {len(shape)} axes."
        )
    used: set[str] = set()
    for at, names in enumerate(entries):
        for name in names:
            _check_name(name, mesh, used)
        parts = math.prod(mesh.axes[name] for name in names)
        if shape[at] % parts:
            raise ValueError(
                f"Axis {at} of the {what} of shape {shape} does not divide into {parts} parts, for "
                f"{' x '.join(f'{n}={mesh.axes[n]}' for n in names)} of {mesh!r}: pad it to "
                f"{-(-shape[at] // parts) * parts}, divide another axis, or leave None in its place."
            )
    return [names or None for names in entries]


def _check_name(name: str, mesh: Mesh, used: set[str]) -> None:
    if name not in mesh.axes:
        near = difflib.get_close_matches(str(name), mesh.axes, n=1)
        hint = f" Did you mean '{near[0]}'?" if near else ""
        raise ValueError(f"{mesh!r} has no axis '{name}': it has {', '.join(mesh.axes)}.{hint}")
    if name in used:
        raise ValueError(
            f"The axis '{name}' of the mesh stands twice in the spec: each divides one axis."
        )
    used.add(name)
