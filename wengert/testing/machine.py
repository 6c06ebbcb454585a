"""Queries about the machine: there is a CPU, and nothing else."""

from __future__ import annotations

import platform
from typing import Any


def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: Any = None) -> bool:
    """False: there are no kernels for a GPU.

    >>> tf.test.is_gpu_available()
    False
    """
    return False


def gpu_device_name() -> str:
    """An empty string, as there is no GPU.

    >>> tf.test.gpu_device_name()
    ''
    """
    return ""


def is_built_with_cuda() -> bool:
    """False.

    >>> tf.test.is_built_with_cuda()
    False
    """
    return False


def is_built_with_rocm() -> bool:
    """False.

    >>> tf.test.is_built_with_rocm()
    False
    """
    return False


def is_built_with_gpu_support() -> bool:
    """False.

    >>> tf.test.is_built_with_gpu_support()
    False
    """
    return False


def is_built_with_xla() -> bool:
    """False: the compiler is our own.

    >>> tf.test.is_built_with_xla()
    False
    """
    return False


def is_cpu_target_available(target: str) -> bool:
    """Whether code for this kind of processor can run here.

    >>> tf.test.is_cpu_target_available("pdp11")
    False
    """
    names = {"x86_64": ("x86_64", "AMD64"), "aarch64": ("aarch64", "arm64"), "arm": ("armv7l",)}
    return platform.machine() in names.get(target, ())
