"""tf.config.experimental: the same devices, by the names that they had before."""

from wengert.api.session.devices import LogicalDeviceConfiguration, set_logical_device_configuration
from wengert.api.session.devices import get_device_details as get_device_details
from wengert.api.session.devices import get_memory_growth as get_memory_growth
from wengert.api.session.devices import get_memory_info as get_memory_info
from wengert.api.session.devices import get_memory_usage as get_memory_usage
from wengert.api.session.devices import get_visible_devices as get_visible_devices
from wengert.api.session.devices import list_logical_devices as list_logical_devices
from wengert.api.session.devices import list_physical_devices as list_physical_devices
from wengert.api.session.devices import reset_memory_stats as reset_memory_stats
from wengert.api.session.devices import set_memory_growth as set_memory_growth
from wengert.api.session.devices import set_visible_devices as set_visible_devices
from wengert.host.precision import allow_tensor_float_32, is_tensor_float_32_allowed

VirtualDeviceConfiguration = LogicalDeviceConfiguration
set_virtual_device_configuration = set_logical_device_configuration


def tensor_float_32_execution_enabled() -> bool:
    """Whether float32 may be multiplied with less care: large convolutions with fewer products.

    >>> tf.config.experimental.tensor_float_32_execution_enabled()
    True
    """
    return is_tensor_float_32_allowed()


def enable_tensor_float_32_execution(enabled: bool) -> None:
    """Whether large convolutions of float32 may take fewer products, whose factors are sums of neighbours.

    Results differ in the last digits. Digits are never rounded off before a product, as they are by processors
    that have TensorFloat-32. It holds for what is compiled from now on, and for gradients of filters at once.
    """
    allow_tensor_float_32(enabled)


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
