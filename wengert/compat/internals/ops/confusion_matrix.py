"""tensorflow.python.ops.confusion_matrix: its names that are not public."""

from wengert.ops.reductions.counting import (
    remove_squeezable_dimensions as remove_squeezable_dimensions,
)
