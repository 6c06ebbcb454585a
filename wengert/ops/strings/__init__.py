"""tf.strings: texts of bytes in tensors, taken apart, joined, turned into numbers."""
