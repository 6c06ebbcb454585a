"""tf.experimental.Optional: a value that may not be there, as a value of graphs."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.data.elements import Layout, normal, parts_of, spec_of_value
from wengert.data.pipeline import VARIANT_FORM
from wengert.errors import InvalidArgumentError
from wengert.values.composite import Composite
from wengert.values.dtypes import VARIANT, bool_, variant
from wengert.values.tensor import Tensor
from wengert.values.type_spec import TensorSpec, TypeSpec


class _Held:
    """What an Optional holds: an element, or None."""

    __slots__ = ("element",)

    dtype = VARIANT
    shape = ()

    def __init__(self, element: Any) -> None:
        self.element = element

    def __getitem__(self, key: Any) -> _Held:
        return self

    def __repr__(self) -> str:
        return "<OptionalVariant>"


def optional_of(element: Any) -> Any:
    """The value of an Optional in arrays."""
    return _Held(element)


def forms_of(layout: Layout) -> list[Any]:
    """The shapes and dtypes of the parts of elements."""
    return [
        (None if s.shape.rank is None else tuple(s.shape), s.dtype.numpy_dtype)
        for s in layout.parts
    ]


def GET_VALUE_FORMS(xs: Any, attrs: Any) -> list[Any]:  # noqa: N802  # stands in rows
    """What is known of an element of a layout."""
    return forms_of(attrs["layout"])


def _value(_: Any, held: _Held, *, layout: Layout) -> list[Any]:
    if held.element is None:
        raise InvalidArgumentError(
            "The given optional does not have a value. [Op:OptionalGetValue]"
        )
    return layout.arrays(held.element)


FROM_VALUE: Final = Row(
    "OptionalFromValue",
    lambda _, *arrays, layout: _Held(layout.from_arrays(arrays)),
    forms=lambda xs, attrs: [VARIANT_FORM],
    stateful=True,
)
NONE: Final = Row(
    "OptionalNone",
    lambda _: _Held(None),
    forms=lambda xs, attrs: [VARIANT_FORM],
    stateful=True,
)
HAS_VALUE: Final = Row(
    "OptionalHasValue",
    lambda _, held: np.array(held.element is not None),
    forms=lambda xs, attrs: [((), bool_.numpy_dtype)],
    stateful=True,
)
GET_VALUE: Final = Row("OptionalGetValue", _value, forms=GET_VALUE_FORMS, many=True, stateful=True)


class Optional(Composite):
    """A value, or none: what an iterator gives after the last element.

    >>> some, none = tf.experimental.Optional.from_value(3), tf.experimental.Optional.empty(
    ...     tf.TensorSpec([], tf.int32))
    >>> some.has_value().numpy(), some.get_value().numpy(), none.has_value().numpy()
    (np.True_, np.int32(3), np.False_)
    """

    __slots__ = ("_element_spec", "_variant_tensor")

    def __init__(self, variant_tensor: Tensor, element_spec: Any) -> None:
        self._variant_tensor = variant_tensor
        self._element_spec = element_spec

    @staticmethod
    def from_value(value: Any) -> Optional:
        """An Optional that has a value."""
        made = normal(value)
        layout = Layout(spec_of_value(made))
        return Optional(apply(FROM_VALUE, parts_of(made), {"layout": layout}), layout.spec)

    @staticmethod
    def empty(element_spec: Any) -> Optional:
        """An Optional without a value."""
        return Optional(apply(NONE, []), element_spec)

    @property
    def element_spec(self) -> Any:
        """The specs of the value, nested as it is."""
        return self._element_spec

    value_structure = element_spec

    def has_value(self, name: str | None = None) -> Tensor:
        """Whether there is a value."""
        found: Tensor = apply(HAS_VALUE, [self._variant_tensor], {}, name)
        return found

    def get_value(self, name: str | None = None) -> Any:
        """The value; an error if there is none."""
        layout = Layout(self._element_spec)
        found = apply(GET_VALUE, [self._variant_tensor], {"layout": layout}, name)
        return layout.nested(found)

    @property
    def _type_spec(self) -> OptionalSpec:
        return OptionalSpec.from_value(self)


class OptionalSpec(TypeSpec):
    """The type spec of an Optional."""

    __slots__ = ("_element_spec",)

    def __init__(self, element_spec: Any) -> None:
        self._element_spec = element_spec

    @staticmethod
    def from_value(value: Optional) -> OptionalSpec:
        """The spec of an Optional."""
        return OptionalSpec(value.element_spec)

    @property
    def value_type(self) -> Any:
        """The class of Optionals."""
        return Optional

    def _serialize(self) -> Any:
        return (self._element_spec,)

    @property
    def _component_specs(self) -> Any:
        return TensorSpec([], variant)

    def _to_components(self, value: Any) -> Any:
        return value._variant_tensor

    def _from_components(self, components: Any) -> Any:
        return Optional(components, self._element_spec)
