"""as_string: numbers as text."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.values.convert import convert
from wengert.values.tensor import Tensor
from wengert.values.typed_calls import of_one

if TYPE_CHECKING:
    from wengert.values.typing import Array, Namespace, TensorLike


def _form(kind: str, precision: int, style: str, width: int, fill: str) -> Callable[..., Any]:
    """A function that formats one number, as in C."""
    flags = {"": "", "0": "0", "+": "+", " ": " ", "-": "-"}.get(fill, "")
    size = str(width) if width > -1 else ""
    digits = f".{precision}" if precision > -1 and kind in "fc" else ""
    pattern = f"%{flags}{size}{digits}{style}"
    if kind == "b":
        return lambda x: "true" if x else "false"
    if kind == "O":
        return lambda x: f"%{flags}{size}s" % x.decode("utf-8", "surrogateescape")
    if kind == "c":
        return lambda z: f"({pattern % z.real},{pattern % z.imag})"
    return lambda x: pattern % x


def _kernel(_: Namespace, x: Array, *, precision: int, style: str, width: int, fill: str) -> Array:
    kind = "f" if x.dtype.kind == "V" else x.dtype.kind
    form = _form(kind, precision, style, width, fill)
    values = x.astype(np.float64) if x.dtype.kind == "V" else x
    found = [form(v).encode("utf-8", "surrogateescape") for v in values.reshape(-1).tolist()]
    out = np.empty(len(found), object)
    out[:] = found
    return out.reshape(x.shape)


AS_STRING: Row = op(
    "AsString", _kernel, shape=lambda x, **_: x, dtype=lambda x, **_: np.dtype(object)
)


@of_one
@deferrable
def as_string(
    input: TensorLike,
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
    name: str | None = None,
) -> Tensor:
    """Format numbers as strings.

    >>> tf.as_string([1.5, -2.0], precision=2).numpy().tolist()
    [b'1.50', b'-2.00']
    """
    x = convert(input)
    kind = x.dtype.numpy_dtype.kind
    if scientific and shortest:
        raise InvalidArgumentError("Cannot select both scientific and shortest notation")
    if len(fill) > 1:
        raise InvalidArgumentError(f"Fill string must be one or fewer characters: {fill!r}")
    if fill not in ("", " ", "-", "0", "+"):
        raise InvalidArgumentError(f'Fill argument not supported: "{fill}" [Op:AsString]')
    if kind not in "fcV" and precision > -1:
        raise InvalidArgumentError(f"precision not supported for datatype {x.dtype.name}")
    if kind not in "fcV" and (scientific or shortest):
        raise InvalidArgumentError("scientific and shortest format not supported for whole numbers")
    style = ("e" if scientific else "g" if shortest else "f") if kind in "fcV" else "d"
    attrs = {"precision": precision, "style": style, "width": width, "fill": fill}
    result: Tensor = apply(AS_STRING, (x,), attrs)
    return result
