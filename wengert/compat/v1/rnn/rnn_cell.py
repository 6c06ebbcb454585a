"""tf.compat.v1.nn.rnn_cell: cells of recurrent networks."""

from wengert.compat.v1.rnn.cells import BasicLSTMCell as BasicLSTMCell
from wengert.compat.v1.rnn.cells import BasicRNNCell as BasicRNNCell
from wengert.compat.v1.rnn.cells import GRUCell as GRUCell
from wengert.compat.v1.rnn.cells import LSTMStateTuple as LSTMStateTuple
from wengert.compat.v1.rnn.cells import RNNCell as RNNCell
from wengert.compat.v1.rnn.lstm import LSTMCell as LSTMCell
from wengert.compat.v1.rnn.stacked import MultiRNNCell as MultiRNNCell
from wengert.compat.v1.rnn.wrappers import DeviceWrapper as DeviceWrapper
from wengert.compat.v1.rnn.wrappers import DropoutWrapper as DropoutWrapper
from wengert.compat.v1.rnn.wrappers import ResidualWrapper as ResidualWrapper
