"""tensorflow.python.eager.context: the execution mode."""

from __future__ import annotations

from typing import Any

from wengert.api.session.modes import device as device
from wengert.api.session.modes import executing_eagerly as executing_eagerly
from wengert.random import set_seed
from wengert.testing.decorators import eager_mode as eager_mode
from wengert.testing.decorators import graph_mode as graph_mode
from wengert.testing.decorators import no_context as execution_mode
from wengert.testing.decorators import no_context as executor_scope
from wengert.testing.decorators import no_context as function_executor_type
from wengert.testing.decorators import starts_eagerly

SYNC, ASYNC = 0, 1
GRAPH_MODE, EAGER_MODE = 0, 1
executing_eagerly_v1 = in_eager_mode = executing_eagerly


def default_execution_mode() -> int:
    """The mode in which programs start."""
    return EAGER_MODE if starts_eagerly() else GRAPH_MODE


def is_tfrt_enabled() -> bool:
    """False."""
    return False


def num_gpus() -> int:
    """Zero."""
    return 0


def anonymous_name() -> str:
    """The shared name of a resource that is not shared."""
    return "cd2c89b7-88b7-44c8-ad83-06c2a9158347"


def async_wait() -> None:
    """Nothing to wait for: no operation runs asynchronously."""


def ensure_initialized() -> None:
    """There is nothing to initialize."""


def set_global_seed(seed: Any) -> None:
    """Set the seed of random operations."""
    set_seed(seed)


class Context:
    """The attributes of TensorFlow's context that programs use."""

    executing_eagerly = staticmethod(executing_eagerly)
    num_gpus = staticmethod(num_gpus)
    ensure_initialized = staticmethod(ensure_initialized)
    device_name = "/job:localhost/replica:0/task:0/device:CPU:0"
    run_eager_op_as_function = False

    def devices(self) -> list[str]:
        """The CPU, the only device."""
        return [self.device_name]

    def clear_kernel_cache(self) -> None:
        """There are no kernels that are kept."""


_context = Context()


def context() -> Context:
    """The only context."""
    return _context


context_safe = context


def _reset_context() -> None:
    """There is nothing to reset."""
