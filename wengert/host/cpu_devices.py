"""How many devices the processor is divided into; whoever starts JAX tells it."""

from __future__ import annotations

import sys
from typing import Any


class CpuDevices:
    """The number that was asked for."""

    count: int = 1


def divide_cpu(count: int) -> None:
    """Ask for so many devices: a RuntimeError if JAX has started with another number."""
    if count == CpuDevices.count:
        return
    jax = sys.modules.get("jax")
    if jax is not None:
        tell(jax, count)
    CpuDevices.count = count


def tell(jax: Any, count: int | None = None) -> None:
    """Tell JAX, which listens until it has started."""
    wanted = CpuDevices.count if count is None else count
    if count is None and wanted == 1:
        return  # what a program told JAX itself stays
    try:
        jax.config.update("jax_num_cpu_devices", wanted)
    except RuntimeError:
        there = len(jax.devices("cpu"))
        if there != wanted:
            raise RuntimeError(
                f"The processor is {there} device{'' if there == 1 else 's'} already, and JAX has "
                f"started: it cannot be divided into {wanted} any more. Call "
                "tf.config.set_logical_device_configuration at the beginning of the program."
            ) from None
