"""tensorflow.python.ops.rnn_cell_impl: cells, and the names of their variables."""

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

__all__ = ["_BIAS_VARIABLE_NAME", "_WEIGHTS_VARIABLE_NAME", "_zero_state_tensors"]
assert_like_rnncell = check_cell
