"""tensorflow.python.ops.nn_ops: its names that are not public."""

from wengert.ops.nn.dropout import general_dropout as general_dropout
from wengert.ops.nn.dropout import stateless_dropout as stateless_dropout
from wengert.ops.reductions.order_statistic import nth_element as nth_element
