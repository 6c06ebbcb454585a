"""tensorflow.python.ops.nn_ops: its names that are not public."""

from wengert.ops.reductions.order_statistic import nth_element as nth_element
