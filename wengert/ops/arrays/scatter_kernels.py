"""Scatter kernels: updates applied sequentially at coordinates."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.errors import InvalidArgumentError
from wengert.ops.arrays.gathering import check_scatter, coordinates, linear
from wengert.ops.support.segment_kernels import change_rows
from wengert.values.shapes import shape_text

if TYPE_CHECKING:
    from wengert.values.typing import Array, Namespace

Change = Callable[[Any, Any, Any], None]


def _put(out: Array, at: Array | Sequence[Array], updates: Array) -> None:
    out[at] = updates


def _divide(out: Array, at: Array, updates: Array) -> None:
    if not np.all(updates):
        raise InvalidArgumentError("updates must not contain 0 [Op:ResourceScatterDiv]")
    if out.dtype.kind not in "iu":
        np.true_divide.at(out, at, updates)
        return
    size, sign = np.abs(out), np.sign(out)  # integers are divided toward zero
    np.floor_divide.at(size, at, np.abs(updates))
    np.multiply.at(sign, at, np.sign(updates))
    out[...] = size * sign


def _extreme(ufunc: Any) -> Change:
    """An update that is NaN changes nothing; a NaN in the variable stays."""
    reduce = _by(ufunc)

    def change(out: Array, at: Array | Sequence[Array], updates: Array) -> None:
        reduce(out, at, np.where(updates == updates, updates, out[at]))

    return change


def _by(ufunc: np.ufunc) -> Change:
    """An update by a function of the element and what comes to it, one after the other."""

    def change(out: Array, at: Array | Sequence[Array], updates: Array) -> None:
        if type(out) is not np.ndarray or not out.flags.c_contiguous:
            ufunc.at(out, at, updates)
            return
        places = at if isinstance(at, tuple) else (at,)
        front, rest = out.shape[: len(places)], out.shape[len(places) :]
        rows = out.reshape(math.prod(front), *rest)
        change_rows(ufunc, rows, linear(places, front), updates)

    return change


def _subtract(out: Array, at: Array | Sequence[Array], updates: Array) -> None:
    _by(np.add)(out, at, -updates)


CHANGES: Final[dict[str, Change]] = {
    "Add": _by(np.add),
    "Sub": _subtract,
    "Mul": _by(np.multiply),
    "Div": _divide,
    "Min": _extreme(np.minimum),
    "Max": _extreme(np.maximum),
    "Update": _put,
}


def by_coordinates(name: str, change: Change) -> Callable[..., Any]:
    """A scatter kernel for coordinates, from a function that changes a copy in place."""

    def kernel(_: Namespace, x: Array, indices: Array, updates: Array) -> Array:
        check_scatter(indices.shape, updates.shape, x.shape, name)
        out = x.copy()
        places = coordinates(indices, x.shape, "shape", name)
        if not places:
            raise InvalidArgumentError(
                "Indices and updates specified for empty output.  indices shape: "
                f"{shape_text(indices.shape)} [Op:{name}]"
            )
        change(out, places, updates)
        return out

    return kernel
