"""tensorflow.python.framework.config: switches, of which most have no effect."""

from __future__ import annotations

from typing import Any

from wengert.config import *
from wengert.config_experimental import (
    enable_tensor_float_32_execution as enable_tensor_float_32_execution,
)
from wengert.config_experimental import (
    tensor_float_32_execution_enabled as tensor_float_32_execution_enabled,
)

_settings = {"op_determinism": False}


def enable_op_determinism() -> None:
    """Remember the setting; results are always the same from run to run."""
    _settings["op_determinism"] = True


def disable_op_determinism() -> None:
    """Remember the setting; results stay deterministic."""
    _settings["op_determinism"] = False


def is_op_determinism_enabled() -> bool:
    """The setting."""
    return _settings["op_determinism"]


def get_memory_info(device: str) -> dict[str, int]:
    """Raises: as in TensorFlow, there is no information on the memory of a CPU."""
    raise ValueError(f"Cannot get memory info for device '{device}': it is no GPU.")


def reset_memory_stats(device: str) -> None:
    """Raises, as get_memory_info does."""
    get_memory_info(device)


def set_optimizer_jit(enabled: bool | str) -> None:
    """No effect: tf.function(jit_compile=...) determines what is compiled."""


def get_optimizer_jit() -> str:
    """An empty string, as nothing is set."""
    return ""
