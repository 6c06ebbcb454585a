"""tensorflow.python.framework.device: the names of devices, and functions that merge them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert.graph.devices import DeviceSpec as DeviceSpec
from wengert.graph.devices import merged

DeviceSpecV1 = DeviceSpecV2 = DeviceSpec


def canonical_name(device: Any) -> str:
    """The name of a device in the usual order."""
    if device is None:
        return ""
    return DeviceSpec.from_string(str(device)).to_string()


def check_valid(spec: str) -> None:
    """Raise a ValueError unless it is the name of a device."""
    DeviceSpec.from_string(spec)


def merge_device(spec: Any) -> Callable[[Any], str]:
    """What gives a device for an operation: this one, but for the parts that its own names."""
    name = canonical_name(spec)
    return lambda op: merged(name, op if isinstance(op, str) else op.device or "")
