"""tf.config.experimental: the same devices, by the names that they had before."""

from wengert.api.session.devices import LogicalDeviceConfiguration, set_logical_device_configuration
from wengert.api.session.devices import get_visible_devices as get_visible_devices
from wengert.api.session.devices import list_logical_devices as list_logical_devices
from wengert.api.session.devices import list_physical_devices as list_physical_devices
from wengert.api.session.devices import set_memory_growth as set_memory_growth
from wengert.api.session.devices import set_visible_devices as set_visible_devices

VirtualDeviceConfiguration = LogicalDeviceConfiguration
set_virtual_device_configuration = set_logical_device_configuration
