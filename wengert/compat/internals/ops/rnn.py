"""tensorflow.python.ops.rnn: loops of recurrent networks."""

from wengert.compat.v1.rnn.dynamic import batch_and_time_swapped as _transpose_batch_time
from wengert.compat.v1.rnn.dynamic import bidirectional_dynamic_rnn as bidirectional_dynamic_rnn
from wengert.compat.v1.rnn.dynamic import dynamic_rnn as dynamic_rnn
from wengert.compat.v1.rnn.raw import raw_rnn as raw_rnn
from wengert.compat.v1.rnn.static import static_bidirectional_rnn as static_bidirectional_rnn
from wengert.compat.v1.rnn.static import static_rnn as static_rnn
from wengert.compat.v1.rnn.static import static_state_saving_rnn as static_state_saving_rnn

__all__ = ["_transpose_batch_time"]
