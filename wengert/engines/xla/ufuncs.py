"""What NumPy's functions, and their methods, are in JAX."""

from __future__ import annotations

from typing import Any, Final

from wengert.engines.xla.asked import NeedsNumbersError
from wengert.engines.xla.backend import jnp, lax, special

_REDUCTIONS: Final = {
    "add": "sum",
    "multiply": "prod",
    "maximum": "max",
    "minimum": "min",
    "logical_or": "any",
    "logical_and": "all",
}
_RUNNING: Final = {"add": "cumsum", "multiply": "cumprod"}
CHANGES: Final = {"add": "add", "multiply": "multiply", "maximum": "max", "minimum": "min"}


def of_ufunc(ufunc: Any, method: str) -> Any:
    """The function of JAX's that a method of NumPy's function is."""
    name = ufunc.__name__
    if method == "__call__":
        return getattr(jnp if hasattr(jnp, name) else special, name)
    if method == "reduce" and name in _REDUCTIONS:
        return getattr(jnp, _REDUCTIONS[name])
    if method == "accumulate" and name in _RUNNING:
        return getattr(jnp, _RUNNING[name])
    if method == "accumulate" and name == "logaddexp":
        return lambda x, axis=0: lax.cumlogsumexp(x, axis)
    raise NeedsNumbersError(f"np.{name}.{method} is NumPy's alone")
