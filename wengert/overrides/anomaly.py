"""Anomalies: rules that look at what they give, and raise where it is the first that is not finite.

Like other switches they replace the rows that a sweep passes, so that they work on tapes, in graphs and
within functions, and to every order.
"""

from __future__ import annotations

import linecache
import math
import os
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from wengert.core.batch import Batched
from wengert.core.contract import as_list
from wengert.core.row import Attrs, EachInput, Row, Rule
from wengert.errors import AnomalyError
from wengert.host.user_frames import Place, callers_place, line_of
from wengert.values.bound_ops import bound
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.symbolic import SymbolicTensor
from wengert.values.tensor import Tensor

# By row and place; what is kept beside the result keeps its id its own.
_ROWS: Final[dict[tuple[Any, ...], tuple[Row, Row, Place]]] = {}
_MOST: Final = 10_000


def with_checks(row: Row, place: Place) -> Row:
    """The row of an operation at a line, with rules that look at what they give."""
    # Not by the code itself, as all its instructions would be hashed.
    key = (id(row), place) if type(place) is str else (id(row), id(place[0]), place[1])
    known = _ROWS.get(key)
    if known is None:
        if len(_ROWS) >= _MOST:
            _ROWS.clear()
        known = _ROWS[key] = row, _checking(row, line_of(place)), place
    return known[1]


def _checking(row: Row, place: str) -> Row:
    changes: dict[str, Any] = {"sums_back": row.sums_back}
    if row.joint is not None:
        changes["joint"] = _CheckingJoint(row, place)
    if isinstance(row.vjp, EachInput):
        changes["vjp"] = EachInput(_each(row.vjp.rule, row, place))
    elif row.vjp is not None:
        changes["vjp"] = tuple([rule and _rule(rule, row, place) for rule in row.vjp])
    return row.replace(**changes)


def sound_start(value: Any, what: str) -> Any:
    """A cotangent or a tangent that a derivative begins with; an error if it is not finite itself."""
    asked = f"{what} of the derivative that is asked for at {os.path.basename(callers_place())}"
    if isinstance(value, SymbolicTensor):
        return bound.finite(value, f"{asked} is infinite or NaN.")
    if value is not None and not _is_finite(value):
        raise AnomalyError(f"{asked} is infinite or NaN: the trouble is in what was given.")
    return value


def pushed_soundly(pushed: Sequence[Any], ts: Sequence[Any], row: Row) -> Sequence[Any]:
    """The tangents of the results of an operation; an error if they are the first that are not finite."""
    place = callers_place()
    given = [t for t in ts if t is not None]
    return [
        t if t is None or not hasattr(t, "dtype") else _looked_at(t, given, row, place)
        for t in pushed
    ]


def _rule(rule: Rule, row: Row, place: str) -> Rule:
    def checking(g: Any, *rest: Any, **attrs: Any) -> Any:
        pulled = rule(g, *rest, **attrs)
        if type(pulled) is Tensor and _is_sound(pulled._array):
            return pulled
        return _looked_at(pulled, [g], row, place)

    return checking


def _is_sound(array: Any) -> bool:
    """Whether all of an array is finite: nearly always this is told at once.

    A product with itself takes a third of the time, and may be infinite though nothing is.
    """
    return array.dtype.kind == "f" and math.isfinite(np.vdot(array, array))


def _each(rule: Rule, row: Row, place: str) -> Rule:
    return lambda i, g, *rest, **attrs: _looked_at(rule(i, g, *rest, **attrs), [g], row, place)


class _CheckingJoint:
    """A joint rule that looks at what it gives."""

    def __init__(self, row: Row, place: str) -> None:
        self._row = row
        self._place = place

    @property
    def __wrapped__(self) -> Any:
        """So that errors name the user's line."""
        return getattr(self._row.joint, "__wrapped__", self._row.joint)

    def __call__(self, gs: Sequence[Any], ys: Any, xs: Any, attrs: Attrs) -> Any:
        assert self._row.joint is not None
        pulled = self._row.joint(gs, ys, xs, attrs)
        return [_looked_at(p, gs, self._row, self._place) for p in pulled]


def _looked_at(pulled: Any, gs: Sequence[Any], row: Row, place: str) -> Any:
    """What a rule gave; an error if it is not finite though what came was."""
    if type(pulled) is Tensor and _is_sound(pulled._array):
        return pulled
    if type(pulled) is IndexedSlices:
        return pulled.with_values(_looked_at(pulled.values, gs, row, place))
    if pulled is None or not getattr(pulled.dtype, "is_differentiable", False):
        return pulled
    if isinstance(pulled, Batched):
        _looked_at(pulled._full, [_all_of(g) for g in gs], row, place)
        return pulled
    if isinstance(pulled, SymbolicTensor):
        return bound.finite(pulled, _message(row, place, "infinite or NaN"))
    if _is_finite(pulled) or not all(
        _is_finite(v) for g in gs if g is not None for v in as_list(g)
    ):
        return pulled
    array = np.asarray(pulled._array)
    what = "NaN" if np.isnan(array).any() else "infinite"
    raise AnomalyError(_message(row, place, what))


def _all_of(value: Any) -> Any:
    """The examples of a batch that a value stands for; other values as they are."""
    while isinstance(value, Batched):
        value = value._full
    return value


def _is_finite(value: Any) -> bool:
    value = _all_of(value)
    array = getattr(getattr(value, "values", value), "_array", None)
    if array is None or isinstance(value, SymbolicTensor):
        return True
    if array.dtype.kind == "V":  # bfloat16 and its kin
        array = np.asarray(array, np.float32)
    return array.dtype.kind not in "fc" or bool(np.isfinite(array).all())


def _message(row: Row, place: str, what: str) -> str:
    file, _, number = place.rpartition(":")
    text = linecache.getline(file, int(number)).strip() if number.isdigit() else ""
    written = f" ({os.path.basename(place)}{f': {text}' if text else ''})" if place else ""
    asked = callers_place()
    return (
        f"The gradient became {what} in the rule of {row.name}{written}, asked for at "
        f"{os.path.basename(asked)}. tape.explain(target, source) says more, and how to mend it."
    )
