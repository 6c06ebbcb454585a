"""tf.compat.v1.manip: what changes the shape of a tensor, which is at the top level now."""

from wengert.compat import v1 as _v1

batch_to_space_nd = _v1.batch_to_space_nd
gather_nd = _v1.gather_nd
reshape = _v1.reshape
reverse = _v1.reverse
roll = _v1.roll
scatter_nd = _v1.scatter_nd
space_to_batch_nd = _v1.space_to_batch_nd
tile = _v1.tile
