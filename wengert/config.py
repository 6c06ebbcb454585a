"""tf.config: what computes graphs, with how many threads, on which devices; conventions of derivatives."""

from wengert import config_experimental as _experimental
from wengert import config_optimizer as _optimizer
from wengert import config_threading as _threading
from wengert.api.function.function import functions_run_eagerly as functions_run_eagerly
from wengert.api.function.function import run_functions_eagerly as run_functions_eagerly
from wengert.api.session.devices import LogicalDevice as LogicalDevice
from wengert.api.session.devices import LogicalDeviceConfiguration as LogicalDeviceConfiguration
from wengert.api.session.devices import PhysicalDevice as PhysicalDevice
from wengert.api.session.devices import get_soft_device_placement as get_soft_device_placement
from wengert.api.session.devices import get_visible_devices as get_visible_devices
from wengert.api.session.devices import list_logical_devices as list_logical_devices
from wengert.api.session.devices import list_physical_devices as list_physical_devices
from wengert.api.session.devices import (
    set_logical_device_configuration as set_logical_device_configuration,
)
from wengert.api.session.devices import set_soft_device_placement as set_soft_device_placement
from wengert.api.session.devices import set_visible_devices as set_visible_devices
from wengert.execution.engine_registry import get_engine as get_engine
from wengert.execution.engine_registry import set_engine as set_engine
from wengert.host.kept_memory import get_kept_memory as get_kept_memory
from wengert.host.kept_memory import release_memory as release_memory
from wengert.host.kept_memory import set_kept_memory as set_kept_memory
from wengert.host.threads import get_threads as get_threads
from wengert.host.threads import set_threads as set_threads
from wengert.ops.support.degenerate_setting import get_degenerate as get_degenerate
from wengert.ops.support.degenerate_setting import set_degenerate as set_degenerate
from wengert.overrides.switches import gradient_switches as gradient_switches
from wengert.overrides.switches import set_gradient_switches as set_gradient_switches

experimental_run_functions_eagerly = run_functions_eagerly
experimental_functions_run_eagerly = functions_run_eagerly
experimental = _experimental
optimizer = _optimizer
threading = _threading
