"""tf.experimental.extension_type: what is asked of extension types."""

from wengert.api.extension_types.extension_type import as_dict as as_dict
