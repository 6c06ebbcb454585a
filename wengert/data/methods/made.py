"""A dataset of a row's result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.data.functions import ElementFunction
from wengert.data.options import Options
from wengert.host.locks import load_module
from wengert.values.convert import convert
from wengert.values.dtypes import bool_, int64
from wengert.values.tensor import Tensor, wrap
from wengert.values.type_spec import TensorSpec


def made(row: Row, inputs: Sequence[Any], attrs: dict[str, Any], spec: Any, kind: str) -> Any:
    """The dataset that an operation makes."""
    return load_module("wengert.data.dataset").Dataset(apply(row, inputs, attrs), spec, kind)


def transformed(
    sources: Sequence[Any],
    row: Row,
    spec: Any,
    kind: str,
    inputs: Sequence[Any] = (),
    **attrs: Any,
) -> Any:
    """The dataset that an operation makes of others, whose options it keeps."""
    found = made(row, [*[s._variant_tensor for s in sources], *inputs], attrs, spec, kind)
    options = Options()
    for source in sources:
        options = options.merge(source._options)
    found._options = options
    return found


def of_pipeline(pipeline: Any, spec: Any, kind: str = "Variant") -> Any:
    """The dataset of a pipeline that runs."""
    return load_module("wengert.data.dataset").Dataset(wrap(pipeline), spec, kind)


def dataset_spec(spec: Any) -> Any:
    """The type spec of datasets of such elements."""
    return load_module("wengert.data.dataset").DatasetSpec(spec)


def number(value: Any, what: str = "count") -> Tensor:
    """A number of elements."""
    if isinstance(value, float) or value is None:
        raise TypeError(f"{what} must be an integer, got {value!r}.")
    return convert(value, int64)


def flag(value: Any) -> Tensor:
    """A Python or symbolic bool."""
    return convert(value, bool_)


def function_of(
    function: Callable[..., Any], *specs: Any, of: str = "a method of a dataset"
) -> ElementFunction:
    """A user's function of elements of these specs, given to a method of datasets."""
    if not callable(function):
        raise ValueError(f"A function is expected, got {function!r}.")
    return ElementFunction(function, specs, of)


def truth_of(predicate: Callable[..., Any], spec: Any, of: str) -> ElementFunction:
    """A user's predicate; it must return a bool."""
    found = function_of(predicate, spec, of=of)
    leaves = found.result.leaves
    if len(leaves) != 1 or not leaves[0].is_compatible_with(TensorSpec([], bool_)):
        raise ValueError(
            f"Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, but its "
            f"return type is {found.spec}."
        )
    return found


def known(value: Any) -> int | None:
    """A number that is known while a graph is built."""
    if isinstance(value, (int, np.integer)):
        return int(value)
    array = getattr(value, "_array", None)
    if isinstance(array, (np.ndarray, np.generic)):
        return int(array)
    found = getattr(value, "_known", None)
    return None if found is None else int(found)
