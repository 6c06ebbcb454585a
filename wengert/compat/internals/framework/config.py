"""tensorflow.python.framework.config: switches; all that they could change is as exact as it can be."""

from __future__ import annotations

from typing import Any

from wengert.config import *

_settings = {"tensor_float_32": True, "op_determinism": False}


def enable_tensor_float_32_execution(enabled: bool) -> None:
    """Remembered; products are never rounded to less than their dtype."""
    _settings["tensor_float_32"] = enabled


def tensor_float_32_execution_enabled() -> bool:
    """What was said last."""
    return _settings["tensor_float_32"]


def enable_op_determinism() -> None:
    """Results are the same from run to run, always."""
    _settings["op_determinism"] = True


def disable_op_determinism() -> None:
    """They stay the same."""
    _settings["op_determinism"] = False


def is_op_determinism_enabled() -> bool:
    """What was said last."""
    return _settings["op_determinism"]


def get_memory_info(device: str) -> dict[str, int]:
    """Memory of a device: TensorFlow knows none of a processor's either."""
    raise ValueError(f"Cannot get memory info for device '{device}': it is no GPU.")


def reset_memory_stats(device: str) -> None:
    """As get_memory_info."""
    get_memory_info(device)


def set_optimizer_jit(enabled: bool | str) -> None:
    """Nothing: tf.function(jit_compile=...) says what is compiled."""


def get_optimizer_jit() -> str:
    """Nothing is set."""
    return ""
