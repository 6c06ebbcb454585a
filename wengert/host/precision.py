"""Whether products of float32 may be computed with less care: TensorFlow's setting."""

from __future__ import annotations


class _TensorFloat32:
    allowed = True


def allow_tensor_float_32(allowed: bool) -> None:
    """Change the setting, for what is compiled from now on."""
    _TensorFloat32.allowed = bool(allowed)


def is_tensor_float_32_allowed() -> bool:
    """Whether convolutions may take fewer products, whose factors are sums and differences."""
    return _TensorFloat32.allowed
