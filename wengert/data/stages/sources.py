"""Where elements come from."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from wengert.core.context import activate
from wengert.data.elements import Element, Layout, leaves, normal, spec_of_value
from wengert.data.pipeline import INFINITE, UNKNOWN, Pipeline, stage
from wengert.data.seeds import SeedSource, words
from wengert.errors import InvalidArgumentError, OpError, UnknownError
from wengert.values import nest
from wengert.values.dtypes import bool_, of_numpy


@stage("TensorDataset")
def tensors(*arrays: Any, layout: Layout) -> Pipeline:
    element = layout.from_arrays(arrays)
    return Pipeline(lambda: iter([element]), 1)


@stage("TensorSliceDataset")
def slices(*arrays: Any, layout: Layout, of_one: Layout) -> Pipeline:
    whole = layout.from_arrays(arrays)
    if of_one.is_plain:
        columns = [list(a) if a.ndim == 1 and a.dtype == object else a for a in whole]
        counts = {len(column) for column in columns}
        if len(counts) > 1:
            raise InvalidArgumentError(
                f"The tensors have different sizes along axis 0: {sorted(counts)}."
            )
        return Pipeline(lambda: zip(*columns, strict=True), counts.pop())
    rows = layout.rows(whole)
    return Pipeline(lambda: iter(rows), len(rows))


@stage("RangeDataset")
def numbers(start: Any, stop: Any, step: Any, *, dtype: Any) -> Pipeline:
    if int(step) == 0:
        raise InvalidArgumentError("step must be a non-zero integer.")
    values = range(int(start), int(stop), int(step))
    made = dtype.type
    return Pipeline(lambda: ((made(i),) for i in values), len(values))


@stage("RandomDataset")
def chance(seed: Any, seed2: Any, *, again: bool) -> Pipeline:
    source = SeedSource(int(seed), int(seed2), again)

    def start() -> Iterator[Element]:
        return ((np.int64(word),) for word in words(*source.next()))

    return Pipeline(start, INFINITE, seeds=source)


@stage("GeneratorDataset")
def from_python(*arguments: Any, function: Callable[..., Any], layout: Layout) -> Pipeline:
    def start() -> Iterator[Element]:
        with activate((), None):
            values = iter(function(*arguments))
        while True:
            try:
                value = next(values)
            except StopIteration:
                return
            except OpError:
                raise
            except Exception as error:
                raise _as_operation(error) from error
            with activate((), None):
                element = _converted(value, layout)
            yield element

    return Pipeline(start, UNKNOWN)


def _as_operation(error: Exception) -> Exception:
    """The error of the operation, whose cause is what the user's generator raised."""
    kind = InvalidArgumentError if isinstance(error, (TypeError, ValueError)) else UnknownError
    return kind(f"{type(error).__name__}: {error} [Op:GeneratorDataset]")


def _converted(value: Any, layout: Layout) -> Element:
    """What a generator yielded, as an element of the specs that were promised."""
    if layout.is_plain:
        flat = [value] if len(layout.leaves) == 1 and layout.spec is layout.leaves[0] else None
        flat = _flat_like(layout.spec, value) if flat is None else flat
        return tuple([_array_of(v, s, value) for v, s in zip(flat, layout.leaves, strict=True)])
    made = normal(value)
    try:
        found = spec_of_value(made)
        nest.assert_same_structure(found, layout.spec)
        if all(s.is_compatible_with(f) for s, f in zip(layout.leaves, leaves(found), strict=True)):
            return layout.element(made)
    except (ValueError, TypeError):
        pass
    raise TypeError(
        f"`generator` yielded an element of {value!r} where an element of "
        f"{layout.spec} was expected."
    )


def _flat_like(spec: Any, value: Any) -> list[Any]:
    if isinstance(value, list) and isinstance(spec, tuple):
        value = tuple(value)
    try:
        if isinstance(spec, dict):
            return [v for key in sorted(spec) for v in _flat_like(spec[key], value[key])]
        if isinstance(spec, tuple):
            if len(value) != len(spec):
                raise ValueError(value)
            return [v for s, part in zip(spec, value, strict=True) for v in _flat_like(s, part)]
    except (TypeError, ValueError, KeyError):
        raise TypeError(
            "`generator` yielded an element that did not match the expected structure. The "
            f"expected structure was {_names(spec)}, but the yielded element was {value}."
        ) from None
    return [value]


def _names(spec: Any) -> Any:
    if isinstance(spec, dict):
        return {key: _names(part) for key, part in spec.items()}
    if isinstance(spec, tuple):
        return tuple(_names(part) for part in spec)
    return spec.dtype


def _array_of(value: Any, spec: Any, whole: Any) -> Any:
    """An array of the dtype and shape that were promised."""
    dtype = spec.dtype
    try:
        if dtype.name == "string":
            array = _strings(value)
        else:
            array = np.array(value)
            if array.dtype != dtype.numpy_dtype:
                if array.dtype.kind not in "biufc" or (array.dtype.kind == "b") != (dtype is bool_):
                    _ = of_numpy(array.dtype)
                    raise TypeError(value)
                array = np.array(value, dtype.numpy_dtype)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(
            f"`generator` yielded an element that could not be converted to the expected type. The "
            f"expected type was {dtype.name}, but the yielded element was {whole}."
        ) from None
    if not spec.shape.is_compatible_with(array.shape):
        raise TypeError(
            f"`generator` yielded an element of shape {array.shape} where an element of shape "
            f"{spec.shape} was expected."
        )
    return array


def _strings(value: Any) -> Any:
    array = np.array(value, object)
    flat = [v.encode() if isinstance(v, str) else v for v in array.reshape(-1).tolist()]
    if not all(isinstance(v, bytes) for v in flat):
        raise TypeError(value)
    found = np.empty(array.shape, object)
    found.reshape(-1)[:] = flat
    return found


def repeated(start: Callable[[], Iterator[Element]], times: int) -> Iterator[Element]:
    """The elements of several passes; without an end for -1, unless a pass gives nothing."""
    for n in itertools.count():
        if n == times:
            return
        found = False
        for element in start():
            found = True
            yield element
        if not found:
            return
