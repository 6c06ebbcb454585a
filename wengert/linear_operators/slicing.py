"""Parts of batches of operators: the same slices of each parameter's axes of the batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.values.composite import Composite
from wengert.values.convert import convert
from wengert.values.tensor import dims

EVERYTHING = slice(None)


def changed_parameters(operator: Any, slices: tuple[Any, ...], whole: Any) -> dict[str, Any]:
    """The parts of the parameters of an operator in a part of the batch of another one."""
    given = operator.parameters
    kept = operator._experimental_parameter_ndims_to_matrix_ndims
    return {
        name: _part_of(whole, given[name], count, slices)
        for name, count in kept.items()
        if given.get(name) is not None
    }


def _part_of(whole: Any, parameter: Any, kept: Any, slices: tuple[Any, ...]) -> Any:
    """The part of a parameter, or of each of several."""
    if isinstance(kept, (list, tuple)):
        pairs = zip(parameter, kept, strict=True)
        return [_part_of(whole, p, k, slices) for p, k in pairs]
    if isinstance(parameter, Composite):  # an operator
        return parameter._part(slices, whole)  # type: ignore[attr-defined]
    return part_of_tensor(whole, convert(parameter), kept, slices)


@deferrable
def part_of_tensor(whole: Any, parameter: Any, kept: int, slices: tuple[Any, ...]) -> Any:
    """The part of a parameter in a part of the batch of an operator."""
    return part_of_parameter(parameter, kept, slices, whole._sizes()[:-2])


def part_of_parameter(parameter: Any, kept: int, slices: Any, batch: Sequence[Any]) -> Any:
    """The part of a parameter whose last `kept` axes belong to each matrix; others may broadcast."""
    have = dims(parameter)[: len(dims(parameter)) - kept]
    lacking = len(batch) - len(have)
    index: list[Any] = []
    axis = 0
    for part in _spelled_out(slices, len(batch)):
        if part is None:  # a new axis, before which the parameter has others
            index += [None] if axis > lacking or not lacking else []
            continue
        if axis >= lacking:
            index.append(_of_axis(part, have[axis - lacking], batch[axis]))
        axis += 1
    return parameter[tuple(index + [EVERYTHING] * kept)] if index else parameter


def _of_axis(part: Any, have: Any, wanted: Any) -> Any:
    """The index for an axis, which is of size one where the parameter broadcasts."""
    if have != 1 or wanted == 1:
        return part
    return EVERYTHING if isinstance(part, slice) else 0


def _spelled_out(slices: Any, rank: int) -> list[Any]:
    """The slices with one for each axis of the batch, and None for new axes."""
    listed = list(slices)
    given = [part for part in listed if part is not None and part is not Ellipsis]
    missing = rank - len(given)
    if missing < 0:
        raise InvalidArgumentError(
            f"{len(given)} slices, of an operator with {rank} axes of a batch. The matrices "
            "themselves cannot be sliced: operator.to_dense() can."
        )
    places = [i for i, part in enumerate(listed) if part is Ellipsis] or [len(listed)]
    at = places[0]
    return [*listed[:at], *[EVERYTHING] * missing, *listed[at + 1 :]]
