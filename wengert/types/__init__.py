"""tf.types: the types that programs check and extend."""

from wengert.types import experimental as experimental
