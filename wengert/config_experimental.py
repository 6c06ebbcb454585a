"""tf.config.experimental: the same devices, by the names that they had before."""

from wengert.api.session.devices import LogicalDeviceConfiguration, set_logical_device_configuration
from wengert.api.session.devices import get_device_details as get_device_details
from wengert.api.session.devices import get_memory_growth as get_memory_growth
from wengert.api.session.devices import get_visible_devices as get_visible_devices
from wengert.api.session.devices import list_logical_devices as list_logical_devices
from wengert.api.session.devices import list_physical_devices as list_physical_devices
from wengert.api.session.devices import set_memory_growth as set_memory_growth
from wengert.api.session.devices import set_visible_devices as set_visible_devices

VirtualDeviceConfiguration = LogicalDeviceConfiguration
set_virtual_device_configuration = set_logical_device_configuration


class _TensorFloat32:
    """Whether products of matrices may be less exact; there are no such processors here."""

    allowed = True


def tensor_float_32_execution_enabled() -> bool:
    """Whether products may round to TensorFloat-32, which processors do not.

    >>> tf.config.experimental.tensor_float_32_execution_enabled()
    True
    """
    return _TensorFloat32.allowed


def enable_tensor_float_32_execution(enabled: bool) -> None:
    """Accepted: products on processors are always of full precision."""
    _TensorFloat32.allowed = enabled


def enable_op_determinism() -> None:
    """Accepted: the same program gives the same numbers, in whatever order processors finish.

    >>> tf.config.experimental.enable_op_determinism()
    """


def get_synchronous_execution() -> bool:
    """Whether an operation has ended when its call returns: always.

    >>> tf.config.experimental.get_synchronous_execution()
    True
    """
    return True


def set_synchronous_execution(enable: bool | None) -> None:
    """Accepted: an operation has ended when its call returns.

    >>> tf.config.experimental.set_synchronous_execution(True)
    """
