"""The kernels of rows, and functions of lanes, as scalar code: written once for equal arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

import numpy as np

from wengert.engines.native.frontend.lanes import LANES, Lane, call
from wengert.engines.native.frontend.plan_key import Inexact, exactly
from wengert.engines.native.frontend.scalar import Code, NotLowered, dtype_of, type_of

Written = TypeVar("Written")

CODES: Final[dict[Any, Code]] = {}
# Scalar code with its results, or the reason why there is none: an exception would keep the frames of
# its traceback alive.
_TEMPLATES: Final[dict[Any, Any]] = {}


def begun(kinds: Sequence[str]) -> tuple[Code, list[Lane]]:
    """New code, and its arguments."""
    code = Code()
    return code, [Lane(code, code.add("param", k, (), i), dtype_of(k)) for i, k in enumerate(kinds)]


def code_of(
    function: Callable[..., Sequence[Lane]], kinds: Sequence[str]
) -> tuple[Code, list[int]]:
    """A function of lanes of these types as scalar code, with its results."""
    code, xs = begun(kinds)
    results = [y.value for y in function(*xs)]
    # Equal functions share one code object, so that common subexpressions are recognized.
    return CODES.setdefault(tuple(code.instructions), code), results


def template(row: Any, kinds: Sequence[str], attrs: dict[str, Any]) -> tuple[Code, int]:
    """The kernel of a row as scalar code."""
    return kept(_written, row, kinds, attrs)


def kept(
    write: Callable[[Any, Sequence[str], dict[str, Any]], Written],
    row: Any,
    kinds: Sequence[str],
    attrs: dict[str, Any],
) -> Written:
    """What is written of a row's kernel for inputs of these types, which are of one way to write."""
    try:
        key = (row.kernel, *kinds, exactly(attrs))
    except Inexact:
        return write(row, kinds, attrs)
    found = _TEMPLATES.get(key)
    if found is None:
        try:
            found = write(row, kinds, attrs)
        except NotLowered as reason:
            found = str(reason)
        _TEMPLATES[key] = found
    if isinstance(found, str):
        raise NotLowered(found)
    return found


def kernel_of(row: Any, namespace: Any, lanes: Sequence[Any], attrs: dict[str, Any]) -> Any:
    """What a row's kernel gives for lanes."""
    try:
        return row.kernel(namespace, *lanes, **attrs)
    except NotLowered:
        raise
    except Exception as error:  # noqa: BLE001  # the kernel uses what lanes do not support
        raise NotLowered(f"{row.name}: {error}") from None


# Rows whose kernels are SciPy's, and the functions of `mathematics` that are the same.
SPECIAL: Final = {
    name: name.lower()
    for name in (
        *("Lgamma", "Digamma", "Erfinv", "Erfcinv", "Ndtri"),
        *("BesselI0", "BesselI0e", "BesselI1", "BesselI1e"),
        *("BesselK0", "BesselK0e", "BesselK1", "BesselK1e"),
        *("BesselJ0", "BesselJ1", "BesselY0", "BesselY1", "Expint"),
    )
}


def _written(row: Any, kinds: Sequence[str], attrs: dict[str, Any]) -> tuple[Code, int]:
    code, xs = begun(kinds)
    special = SPECIAL.get(row.name)
    result = call(special, *xs) if special else kernel_of(row, LANES, xs, attrs)
    if not isinstance(result, Lane):
        if not isinstance(result, (bool, int, float, np.generic)) and np.ndim(result):
            raise NotLowered(f"{row.name} gives {type(result).__name__}")
        kind = type_of(np.asarray(result).dtype)
        return code, code.constant(kind, np.asarray(result)[()])
    return code, result.value
