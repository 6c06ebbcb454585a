"""TensorFlow settings that are accepted and remembered, but have no effect here."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from wengert.core.context import current_graph, thread
from wengert.host.warn_once import warn_once
from wengert.values import dtypes
from wengert.values.convert import convert, register_converter
from wengert.values.symbolic import SymbolicTensor
from wengert.values.tensor import Tensor

if TYPE_CHECKING:
    from wengert.values.dtypes import DType

_SETTINGS: Final = {"traceback filtering": True, "device placement": False}


def enable_traceback_filtering() -> None:
    """Accepted: tracebacks are never filtered.

    >>> tf.debugging.enable_traceback_filtering()
    """
    _SETTINGS["traceback filtering"] = True


def disable_traceback_filtering() -> None:
    """Accepted: tracebacks are never filtered.

    >>> tf.debugging.disable_traceback_filtering()
    """
    _SETTINGS["traceback filtering"] = False


def is_traceback_filtering_enabled() -> bool:
    """The setting made last.

    >>> tf.debugging.enable_traceback_filtering()
    >>> tf.debugging.is_traceback_filtering_enabled()
    True
    """
    return _SETTINGS["traceback filtering"]


@contextmanager
def async_scope() -> Iterator[None]:
    """A context that changes nothing: no operation waits to be run, and an error is raised where it comes up.

    >>> with tf.experimental.async_scope():
    ...     y = tf.constant(1.0) + 1.0
    """
    yield


def async_clear_error() -> None:
    """Nothing is to be cleared: see `tf.experimental.async_scope`.

    >>> tf.experimental.async_clear_error()
    """


def enable_dump_debug_info(
    dump_root: str,
    tensor_debug_mode: str = "NO_TENSOR",
    circular_buffer_size: int = 1000,
    op_regex: str | None = None,
    tensor_dtypes: Any = None,
) -> None:
    """Nothing is written for TensorFlow's debugger, as a warning says: the file would have no reader here.

    `tf.debugging.enable_check_numerics` finds the first NaN, `tf.explain_gradient` what came of a gradient.
    """
    warn_once(
        "tf.debugging.experimental.enable_dump_debug_info writes nothing: TensorFlow's debugger reads its own "
        "programs only. tf.debugging.enable_check_numerics() raises where the first NaN or infinity appears."
    )


def disable_dump_debug_info() -> None:
    """Accepted: nothing is written.

    >>> tf.debugging.experimental.disable_dump_debug_info()
    """


def set_log_device_placement(enabled: bool) -> None:
    """Accepted: there is one device.

    >>> tf.debugging.set_log_device_placement(False)
    """
    _SETTINGS["device placement"] = bool(enabled)


def get_log_device_placement() -> bool:
    """The setting made last.

    >>> tf.debugging.get_log_device_placement()
    False
    """
    return _SETTINGS["device placement"]


def timestamp(name: str | None = None) -> Tensor:
    """The seconds since 1970.

    >>> tf.timestamp().dtype
    tf.float64
    """
    return convert(time.time(), dtypes.float64)


def get_current_name_scope() -> str:
    """The current name scope.

    >>> with tf.name_scope("layer"):
    ...     tf.get_current_name_scope()
    'layer'
    """
    graph = current_graph()
    scope: str = thread.context.scope or "" if graph is None else graph.get_name_scope()
    return scope.rstrip("/")


def is_symbolic_tensor(tensor: object) -> bool:
    """Whether a tensor is symbolic: its value is known only when its graph runs.

    >>> tf.is_symbolic_tensor(tf.constant(1.0))
    False
    """
    return isinstance(tensor, SymbolicTensor)


def register_tensor_conversion_function(
    base_type: Any, conversion_func: Callable[..., Any], priority: int = 100
) -> None:
    """Register how values of a type become tensors: `conversion_func(value, dtype, name, as_ref)`.

    >>> class Celsius:
    ...     degrees = 20.0
    >>> tf.register_tensor_conversion_function(
    ...     Celsius, lambda value, dtype=None, name=None, as_ref=False: tf.constant(value.degrees))
    >>> (tf.constant(1.0) + Celsius()).numpy().item()
    21.0
    """
    kinds = base_type if isinstance(base_type, tuple) else (base_type,)
    if not kinds or not all(isinstance(kind, type) for kind in kinds):
        raise TypeError(
            f"Argument `base_type` must be a type or a tuple of types. Obtained: {base_type}"
        )
    if not callable(conversion_func):
        raise TypeError(f"Argument `conversion_func` must be callable. Received {conversion_func}.")

    def converted(value: Any, dtype: DType | None, hint: DType | None) -> Tensor:
        found = conversion_func(value, dtype=dtype or hint, name=None, as_ref=False)
        if found is NotImplemented:
            raise TypeError(f"The function registered for {base_type} does not convert {value!r}.")
        return convert(found, dtype)

    register_converter(base_type, converted, priority)
