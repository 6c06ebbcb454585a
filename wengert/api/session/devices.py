"""The devices: a CPU, which may be divided, and those of the chosen engine. Programs ask before they compute."""

from __future__ import annotations

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
