"""tensorflow.python.framework.immutable_dict: a mapping that does not change."""

from wengert.api.extension_types.fields import ImmutableDict as ImmutableDict
