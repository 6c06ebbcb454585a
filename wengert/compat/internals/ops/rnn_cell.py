"""tensorflow.python.ops.rnn_cell: cells."""

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
