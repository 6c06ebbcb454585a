"""tensorflow.python.framework.extension_type_field: the fields of such types."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from wengert.api.extension_types.fields import RESERVED, Field, check_annotation
from wengert.api.extension_types.fields import Field as ExtensionTypeField
from wengert.api.extension_types.fields import ImmutableDict as ImmutableDict
from wengert.api.extension_types.fields import convert_fields as convert_fields

RESERVED_FIELD_NAMES = list(RESERVED)
__all__ = ["ExtensionTypeField", "ImmutableDict"]


def validate_field_value_type(
    value_type: Any, in_mapping_key: bool = False, allow_forward_references: bool = False
) -> None:
    """Raise a TypeError for an annotation that a field cannot have."""
    check_annotation("value", value_type)


def convert_fields_for_spec(fields: Iterable[Field], values: dict[str, Any]) -> None:
    """The same for the specs of values."""
    convert_fields(fields, values, as_spec=True)
