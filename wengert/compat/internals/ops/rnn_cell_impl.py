"""tensorflow.python.ops.rnn_cell_impl: cells, and the names of their variables."""

from __future__ import annotations

from typing import Any

from wengert.compat.internals.framework.tensor_util import constant_value_as_shape
from wengert.compat.v1.rnn.cells import BIAS as _BIAS_VARIABLE_NAME
from wengert.compat.v1.rnn.cells import KERNEL as _WEIGHTS_VARIABLE_NAME
from wengert.compat.v1.rnn.cells import LayerRNNCell as LayerRNNCell
from wengert.compat.v1.rnn.cells import zero_state_tensors as _zero_state_tensors
from wengert.compat.v1.rnn.rnn_cell import BasicLSTMCell as BasicLSTMCell
from wengert.compat.v1.rnn.rnn_cell import BasicRNNCell as BasicRNNCell
from wengert.compat.v1.rnn.rnn_cell import DeviceWrapper as DeviceWrapper
from wengert.compat.v1.rnn.rnn_cell import DropoutWrapper as DropoutWrapper
from wengert.compat.v1.rnn.rnn_cell import GRUCell as GRUCell
from wengert.compat.v1.rnn.rnn_cell import LSTMCell as LSTMCell
from wengert.compat.v1.rnn.rnn_cell import LSTMStateTuple as LSTMStateTuple
from wengert.compat.v1.rnn.rnn_cell import MultiRNNCell as MultiRNNCell
from wengert.compat.v1.rnn.rnn_cell import ResidualWrapper as ResidualWrapper
from wengert.compat.v1.rnn.rnn_cell import RNNCell as RNNCell
from wengert.compat.v1.rnn.steps import check_cell
from wengert.ops.arrays.joining import concat
from wengert.ops.arrays.shaping import reshape
from wengert.values.shapes import TensorShape
from wengert.values.tensor import Tensor

__all__ = ["_BIAS_VARIABLE_NAME", "_WEIGHTS_VARIABLE_NAME", "_concat", "_zero_state_tensors"]
assert_like_rnncell = check_cell


def _concat(prefix: Any, suffix: Any, static: bool = False) -> Any:
    """Two shapes, or sizes, one after the other: a tensor, or a list with None for unknown sizes."""
    first, second = (
        reshape(x, [-1]) if isinstance(x, Tensor) else TensorShape([x] if isinstance(x, int) else x)
        for x in (prefix, suffix)
    )
    if not static:
        return concat([first, second], 0)
    parts = [constant_value_as_shape(x) if isinstance(x, Tensor) else x for x in (first, second)]
    return parts[0].concatenate(parts[1]).as_list()
