"""tensorflow.python.ops.parsing_ops: its names that are not public."""

from wengert.ops.arrays.raw_bytes import decode_raw as decode_raw
