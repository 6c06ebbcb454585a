"""tensorflow.python.compat.compat: forward compatibility by date; everything may be used."""

from __future__ import annotations

from wengert.testing.decorators import no_context as forward_compatibility_horizon

__all__ = ["forward_compatibility_horizon", "forward_compatible"]


def forward_compatible(year: int, month: int, day: int) -> bool:
    """True."""
    return True
