"""Where elements come from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from wengert.api.function.python_functions import as_operations_error
from wengert.core.context import activate
from wengert.data.elements import (
    Element,
    Layout,
    leaves,
    leaves_like,
    mapped,
    normal,
    spec_of_value,
)
from wengert.data.pipeline import INFINITE, UNKNOWN, Pipeline, resumed, stage
from wengert.data.seeds import SeedSource, words
from wengert.errors import InvalidArgumentError, OutOfRangeError, UnknownError
from wengert.values import nest


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
    if dtype.kind not in "iufcV":
        raise InvalidArgumentError(f"Unsupported data type: {dtype}: a range has numbers.")
    values = range(int(start), int(stop), int(step))
    whole = np.iinfo(np.int64)
    count = max(-(-(values.stop - values.start) // values.step), 0)
    return Pipeline(
        lambda: ((_number(i, dtype),) for i in values),
        INFINITE if values.stop in (whole.min, whole.max) else count,
    )


def _number(value: int, dtype: Any) -> Any:
    """A number, which begins anew where the dtype ends."""
    try:
        return dtype.type(value)
    except OverflowError:
        return np.int64(value).astype(dtype)


@stage("RandomDataset")
def chance(seed: Any, seed2: Any, *, again: bool) -> Pipeline:
    source = SeedSource(int(seed), int(seed2), again)

    def start() -> Iterator[Element]:
        return ((np.int64(word),) for word in words(*source.next()))

    return Pipeline(start, INFINITE, seeds=source)


@stage("GeneratorDataset")
def from_python(*arguments: Any, function: Callable[..., Any], layout: Layout) -> Pipeline:
    given = [
        a.item() if a.dtype == object and not a.shape else a for a in map(np.asarray, arguments)
    ]

    def start() -> Iterator[Element]:
        values: Iterator[Any] | None = None

        def step() -> Element:
            nonlocal values
            try:
                with activate((), None):
                    if values is None:
                        values = iter(function(*given))
                    return _converted(next(values), layout)
            except Exception as error:
                if values is not None and isinstance(error, StopIteration):
                    raise
                values = values or iter(())  # nothing comes of a function that failed
                raise _as_operation(error) from error

        return resumed(step)

    return Pipeline(start, UNKNOWN)


def _as_operation(error: Exception) -> Exception:
    """The error of the operation, whose cause is what the user's generator raised. It is no end of the elements."""
    found = as_operations_error(error)
    kind = UnknownError if isinstance(found, OutOfRangeError) else type(found)
    return kind(f"{found} [Op:GeneratorDataset]")


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
    try:
        return leaves_like(spec, value)
    except ValueError:
        raise TypeError(
            "`generator` yielded an element that did not match the expected structure. The "
            f"expected structure was {_names(spec)}, but the yielded element was {value}."
        ) from None


def _names(spec: Any) -> Any:
    return mapped(lambda leaf: leaf.dtype, spec)


def _array_of(value: Any, spec: Any, whole: Any) -> Any:
    """An array of the dtype and shape that were promised."""
    dtype = spec.dtype
    try:
        if dtype.name == "string":
            array = _strings(value)
        else:
            array = np.array(value)
            if array.dtype != dtype.numpy_dtype:
                if array.dtype.kind not in "biufc":
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


def repeated(
    start: Callable[[], Iterator[Element]], times: int, one_beyond: bool
) -> Iterator[Element]:
    """The elements of several passes; without an end for -1, unless a pass gives nothing.

    As in TensorFlow a pass begins before its first element is asked for, and one more begins after the last
    (`one_beyond`): each takes the seeds of a shuffle.
    """
    current = start() if times else iter(())
    left, found = times, False

    def step() -> Element:
        nonlocal current, left, found
        while True:
            for element in current:
                found = True
                return element
            if left == 0 or (left < 0 and not found):
                raise StopIteration
            left, found = left - 1, False
            if left or one_beyond:
                following = start()
            if not left:
                raise StopIteration
            current = following

    return resumed(step)
