"""tf.io: the numbers whose bytes strings are. Files are read by NumPy or another library."""

from wengert.ops.arrays.raw_bytes import decode_raw as decode_raw
