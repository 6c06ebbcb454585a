"""Which operations the XLA engine computes, as far as a row tells; JAX need not be installed."""

from __future__ import annotations

from typing import Final

from wengert.core.row import Row
from wengert.engines.xla.operations import all_versions as _versions  # noqa: F401  # fills tables
from wengert.engines.xla.versions import BY_VALUE, CALLED_BACK, REFUSED, VERSIONS, WHOLE

_TEXTS: Final = "/ops/strings/"  # whose rows take or give texts, but for a few


def how(row: Row) -> str:
    """In a word: compiled, compiled for the values of integers, a callback of NumPy, or none."""
    if row.name in REFUSED or _TEXTS in row.declared.replace("\\", "/"):
        return "callback" if row.name in CALLED_BACK else "none"
    if row.name in BY_VALUE:
        return "compiled for values"
    if row.name in VERSIONS or row.name in WHOLE:
        return "callback" if row.name in CALLED_BACK else "compiled"
    if row.name in CALLED_BACK or row.users or row.effects:
        return "callback"
    return "compiled"
