"""tf.bitwise: operations on the bits of integers."""

from wengert.ops.math.comparison import bitwise_and as bitwise_and
from wengert.ops.math.comparison import bitwise_or as bitwise_or
from wengert.ops.math.comparison import bitwise_xor as bitwise_xor
from wengert.ops.math.comparison import left_shift as left_shift
from wengert.ops.math.comparison import right_shift as right_shift
from wengert.ops.math.elementwise import invert as invert
