"""tf.profiler: what ran when. `wengert bench` and Python's profilers measure; nothing is recorded here."""

from wengert.profiler import experimental as experimental
