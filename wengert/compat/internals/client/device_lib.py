"""tensorflow.python.client.device_lib: the devices."""

from __future__ import annotations

from typing import Any

from wengert.api.session.devices import LogicalDevice, list_logical_devices


def list_local_devices(session_config: Any = None) -> list[LogicalDevice]:
    """The CPU, the only device."""
    return list_logical_devices()
