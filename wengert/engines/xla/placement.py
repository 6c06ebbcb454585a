"""Where a plan runs: on the device that `tf.device` named around all of its operations that name one."""

from __future__ import annotations

import re
from contextlib import nullcontext
from typing import Any

from wengert.engines.xla.backend import jax
from wengert.execution.plan import Plan


def device_of(plan: Plan) -> Any:
    """JAX's device; None for the one that JAX chooses, also where the named one is not there."""
    names = {op.device for op in plan.steps if op.device}
    return device_named(names.pop()) if len(names) == 1 else None


def device_named(name: str) -> Any:
    """JAX's device of a name; None where it is not there."""
    found = re.search(r"(CPU|GPU|TPU):(\d+)", name.upper())
    if found is None:
        return None
    try:
        there = jax.devices(found[1].lower())
    except RuntimeError:  # JAX has no such backend here
        return None
    return there[int(found[2])] if int(found[2]) < len(there) else None


def on(device: Any) -> Any:
    """A context in which JAX computes on a device."""
    return nullcontext() if device is None else jax.default_device(device)
