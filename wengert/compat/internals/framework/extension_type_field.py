"""tensorflow.python.framework.extension_type_field: the fields of such types."""

from wengert.api.extension_types.fields import Field as ExtensionTypeField
from wengert.api.extension_types.fields import ImmutableDict as ImmutableDict

__all__ = ["ExtensionTypeField", "ImmutableDict"]
