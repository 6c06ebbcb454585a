"""Extension types without a declaration: fields of any names, and the same values as another type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wengert.api.extension_types.extension_type import (
    LISTED,
    ExtensionType,
    ExtensionTypeSpec,
    as_dict,
)
from wengert.api.extension_types.fields import (
    Field,
    ImmutableDict,
    convert_fields,
    replaced,
)
from wengert.values.composite import Composite
from wengert.values.dtypes import DType
from wengert.values.shapes import TensorShape
from wengert.values.type_spec import TypeSpec, spec_of
from wengert.values.value import Value

_TAKEN = (int, float, bool, str, bytes, type(None), TensorShape, DType, Value, Composite, TypeSpec)


class _Anonymous:
    """What such values and their specs share."""

    def __init__(self, **fields: object) -> None:
        kind = type(self).__name__
        for name in fields:
            if Field.is_reserved_name(name):
                raise ValueError(
                    f"Reserved field name {name} was encountered when trying to instantiate an {kind}."
                )
        self.__dict__.update({name: _converted(value) for name, value in fields.items()})
        self.__dict__[LISTED] = tuple(Field(name, type(None)) for name in fields)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(
            f"Cannot set attribute `{name}`. {type(self).__name__} instances are immutable."
        )

    def __delattr__(self, name: str) -> None:
        raise AttributeError(
            f"Cannot delete attribute `{name}`. {type(self).__name__} instances are immutable."
        )


def _converted(value: object) -> object:
    if isinstance(value, _TAKEN):
        return value
    if isinstance(value, tuple):
        return tuple(map(_converted, value))
    if isinstance(value, Mapping):
        return ImmutableDict({_converted(k): _converted(v) for k, v in value.items()})
    raise ValueError(
        f"Cannot convert anonymous fields from an unsupported `value` argument: {value}."
    )


class AnonymousExtensionTypeSpec(_Anonymous, ExtensionTypeSpec):
    """The type spec of a value with fields of any names."""

    @property
    def value_type(self) -> type:
        """The class of the values."""
        return AnonymousExtensionType

    @classmethod
    def _deserialize(cls, serialization: Any) -> AnonymousExtensionTypeSpec:
        return cls(**dict(serialization))

    @classmethod
    def from_value(cls, value: object) -> AnonymousExtensionTypeSpec:
        """The spec of a value."""
        return cls(**{name: replaced(v, spec_of) for name, v in as_dict(value).items()})

    def _from_components(self, components: Any) -> AnonymousExtensionType:
        given = iter(components)
        fields = {name: replaced(v, lambda _: next(given)) for name, v in self._serialize()}
        return AnonymousExtensionType(**fields)


class AnonymousExtensionType(_Anonymous, ExtensionType):
    """A value with fields of any names, which are not converted."""

    _tf_extension_type_do_not_transform_this_class = True
    Spec = AnonymousExtensionTypeSpec


def reinterpret(value: object, new_type: type) -> ExtensionType:
    """The fields of a value of an extension type as a value of another."""
    if not isinstance(value, ExtensionType):
        raise ValueError(
            f"reinterpret expects `value` to be a tf.ExtensionType instance; got {value!r}"
        )
    if not (isinstance(new_type, type) and issubclass(new_type, ExtensionType)):
        raise ValueError(
            f"reinterpret expects `new_type` to be a subclass of tf.ExtensionType; got {new_type!r}"
        )
    fields = dict(as_dict(value))
    if issubclass(new_type, AnonymousExtensionType):
        return new_type(**fields)
    convert_fields(new_type._tf_extension_type_listed, fields)
    made = new_type.__new__(new_type)
    made.__dict__.update(fields)
    made.__validate__()
    return made
