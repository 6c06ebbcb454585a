"""tf.debugging: checks."""

from wengert.ops.identity import check_numerics as check_numerics
