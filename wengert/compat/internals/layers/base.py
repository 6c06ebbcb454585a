"""tensorflow.python.layers.base: what all layers are."""

from wengert.compat.v1.layers.base import Layer as Layer
from wengert.compat.v1.layers.input_spec import InputSpec as InputSpec
