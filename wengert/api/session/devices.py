"""The devices: a CPU, which may be divided, and those of the chosen engine. Programs ask before they compute."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from wengert.execution.engine_registry import accelerators
from wengert.host.cpu_devices import CpuDevices, divide_cpu


class PhysicalDevice(NamedTuple):
    """A device of the machine."""

    name: str
    device_type: str


class LogicalDevice(NamedTuple):
    """A device, as operations name it."""

    name: str
    device_type: str


class LogicalDeviceConfiguration(NamedTuple):
    """One of the devices into which a device is divided."""

    memory_limit: int | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices of a type: a CPU, and what the chosen engine finds besides.

    >>> tf.config.list_physical_devices()
    [PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]
    >>> tf.config.list_physical_devices("GPU")
    []
    """
    return [PhysicalDevice(f"/physical_device:{name}", kind) for name, kind in _found(device_type)]


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """The devices as operations name them: of a processor that was divided, several.

    >>> [d.name for d in tf.config.list_logical_devices("CPU")]
    ['/device:CPU:0']
    """
    found = _found(device_type, CpuDevices.count)
    return [LogicalDevice(f"/device:{name}", kind) for name, kind in found]


def _found(device_type: str | None, processors: int = 1) -> list[tuple[str, str]]:
    """The devices of a type, by name and type."""
    # Who asks for processors alone may be about to divide them, which an engine that looked for others prevents.
    kinds = ["CPU"] * processors + ([] if device_type == "CPU" else accelerators())
    named = [(f"{kind}:{kinds[:at].count(kind)}", kind) for at, kind in enumerate(kinds)]
    return [(name, kind) for name, kind in named if device_type in (None, kind)]


def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """All of them.

    >>> len(tf.config.get_visible_devices())
    1
    """
    return list_physical_devices(device_type)


def set_visible_devices(devices: Any, device_type: str | None = None) -> None:
    """Accepted: hiding a GPU that is not there changes nothing.

    >>> tf.config.set_visible_devices([], "GPU")
    """


def set_logical_device_configuration(device: object, logical_devices: Any) -> None:
    """Divide the CPU into several devices, before JAX starts; of other devices it is accepted.

    What is distributed can so be tried on one machine: see `tf.distribute.Mesh`.

    >>> cpu, = tf.config.list_physical_devices("CPU")
    >>> tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()])
    """
    if getattr(device, "device_type", "") == "CPU":
        divide_cpu(max(len(logical_devices or ()), 1))


def set_memory_growth(device: object, enable: bool) -> None:
    """Accepted: memory is taken as it is needed.

    >>> for gpu in tf.config.experimental.list_physical_devices("GPU"):
    ...     tf.config.experimental.set_memory_growth(gpu, True)
    """


def get_memory_growth(device: PhysicalDevice) -> bool:
    """Whether memory is taken as it is needed: always. A CPU has no such setting, as in TensorFlow.

    >>> [tf.config.experimental.get_memory_growth(d) for d in tf.config.list_physical_devices("GPU")]
    []
    """
    if getattr(device, "device_type", "CPU") == "CPU":
        raise ValueError(f"Cannot get memory growth on device: {device}")
    return True


def get_device_details(device: PhysicalDevice) -> dict[str, Any]:
    """What is known of a device: nothing, as of every CPU in TensorFlow.

    >>> tf.config.experimental.get_device_details(tf.config.list_physical_devices("CPU")[0])
    {}
    """
    return {}


def get_memory_info(device: str) -> dict[str, int]:
    """How many bytes a device has given out, now and at most: 0 for processors, as in TensorFlow.

    >>> tf.config.experimental.get_memory_info("CPU:0")
    {'current': 0, 'peak': 0}
    """
    named = _logical_device(device)
    if named.device_type != "CPU":
        raise ValueError(
            f"The memory of {device} is counted by the engine that computes there: for JAX's devices there is "
            "jax.local_devices()[0].memory_stats()."
        )
    return {"current": 0, "peak": 0}


def get_memory_usage(device: str) -> int:
    """How many bytes a device has given out: see `get_memory_info`.

    >>> tf.config.experimental.get_memory_usage("CPU:0")
    0
    """
    return get_memory_info(device)["current"]


def reset_memory_stats(device: str) -> None:
    """Count the most bytes from now on: those of processors are not counted.

    >>> tf.config.experimental.reset_memory_stats("CPU:0")
    """
    get_memory_info(device)


def _logical_device(device: str) -> LogicalDevice:
    found = re.fullmatch(r"(?:/?device:|/)?(\w+:\d+)", str(device))
    if found is None:
        raise ValueError(
            f"Failed parsing device name: {device!r}. A type and a number name a device, as in 'CPU:0'."
        )
    for known in list_logical_devices():
        if known.name == f"/device:{found[1].upper()}":
            return known
    raise ValueError(f"No matching devices found for {device!r}")


def get_soft_device_placement() -> bool:
    """Whether an operation goes where there is a place for it: always.

    >>> tf.config.get_soft_device_placement()
    True
    """
    return True


def set_soft_device_placement(enabled: bool) -> None:
    """Accepted: there is one place.

    >>> tf.config.set_soft_device_placement(True)
    """
