"""Optionals as the variants that stand for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from wengert.data.optional import Optional
from wengert.values import nest
from wengert.values.convert import convert
from wengert.values.type_spec import TensorSpec

if TYPE_CHECKING:
    from wengert.values.tensor import Tensor
    from wengert.values.typing import DTypeLike, ShapeLike, TensorLike


def _element(parts: Sequence[Tensor | TensorSpec]) -> object:
    return parts[0] if len(parts) == 1 else tuple(parts)


def optional_from_value(components: Sequence[TensorLike], name: str | None = None) -> Tensor:
    """An optional with a value, of which the components are given."""
    return Optional.from_value(_element([*map(convert, components)]))._variant_tensor


def optional_none(name: str | None = None) -> Tensor:
    """An optional without a value."""
    return Optional.empty(())._variant_tensor


def optional_has_value(optional: Tensor, name: str | None = None) -> Tensor:
    """Whether an optional has a value."""
    return Optional(optional, ()).has_value(name)


def optional_get_value(
    optional: Tensor,
    output_types: Sequence[DTypeLike],
    output_shapes: Sequence[ShapeLike],
    name: str | None = None,
) -> list[Tensor]:
    """The components of the value of an optional; an error if there is none."""
    specs = [TensorSpec(s, t) for s, t in zip(output_shapes, output_types, strict=True)]
    return list(nest.flatten(Optional(optional, _element(specs)).get_value(name)))
