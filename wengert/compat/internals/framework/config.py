"""tensorflow.python.framework.config: switches, without effect: results are always exact."""

from __future__ import annotations

from typing import Any

from wengert.config import *

_settings = {"tensor_float_32": True, "op_determinism": False}


def enable_tensor_float_32_execution(enabled: bool) -> None:
    """Remember the setting; products are always computed in the full precision of their dtype."""
    _settings["tensor_float_32"] = enabled


def tensor_float_32_execution_enabled() -> bool:
    """The setting."""
    return _settings["tensor_float_32"]


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
