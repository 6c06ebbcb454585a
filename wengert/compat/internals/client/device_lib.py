"""tensorflow.python.client.device_lib: the devices."""

from __future__ import annotations

from typing import Any, NamedTuple

from wengert.api.session.devices import list_logical_devices


class DeviceAttributes(NamedTuple):
    """What is said of a device: its name, what it is, and how many bytes it may take."""

    name: str
    device_type: str
    memory_limit: int = (
        1 << 28
    )  # what TensorFlow says of a processor, which has no limit of its own
    physical_device_desc: str = ""
    incarnation: int = 1


def list_local_devices(session_config: Any = None) -> list[DeviceAttributes]:
    """The CPU, the only device."""
    return [DeviceAttributes(d.name, d.device_type) for d in list_logical_devices()]
