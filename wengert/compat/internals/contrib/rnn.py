"""tensorflow.contrib.rnn: where TensorFlow 1 had cells and loops of recurrent networks."""

from typing import Any

from wengert.api.variables.variable_scope import variable_scope
from wengert.compat.v1.rnn.cells import BasicLSTMCell as BasicLSTMCell
from wengert.compat.v1.rnn.cells import BasicRNNCell as BasicRNNCell
from wengert.compat.v1.rnn.cells import GRUCell as GRUCell
from wengert.compat.v1.rnn.cells import LayerRNNCell as LayerRNNCell
from wengert.compat.v1.rnn.cells import LSTMStateTuple as LSTMStateTuple
from wengert.compat.v1.rnn.cells import RNNCell as RNNCell
from wengert.compat.v1.rnn.dynamic import bidirectional_dynamic_rnn
from wengert.compat.v1.rnn.lstm import LSTMCell as LSTMCell
from wengert.compat.v1.rnn.stacked import MultiRNNCell as MultiRNNCell
from wengert.compat.v1.rnn.static import static_bidirectional_rnn as static_bidirectional_rnn
from wengert.compat.v1.rnn.static import static_rnn as static_rnn
from wengert.compat.v1.rnn.static import static_state_saving_rnn as static_state_saving_rnn
from wengert.compat.v1.rnn.wrappers import DeviceWrapper as DeviceWrapper
from wengert.compat.v1.rnn.wrappers import DropoutWrapper as DropoutWrapper
from wengert.compat.v1.rnn.wrappers import ResidualWrapper as ResidualWrapper
from wengert.ops.arrays.joining import concat


def stack_bidirectional_dynamic_rnn(
    cells_fw: Any,
    cells_bw: Any,
    inputs: Any,
    initial_states_fw: Any = None,
    initial_states_bw: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    parallel_iterations: int | None = None,
    time_major: bool = False,
    scope: Any = None,
    swap_memory: bool = False,
) -> tuple[Any, Any, Any]:
    """Networks in both directions, each layer of which takes the joined outputs of the one before."""
    if len(cells_fw) != len(cells_bw) or not cells_fw:
        raise ValueError("There must be as many cells forwards as backwards, and at least one.")
    states: tuple[list[Any], list[Any]] = [], []
    with variable_scope(scope or "stack_bidirectional_rnn"):
        for i, (forwards, backwards) in enumerate(zip(cells_fw, cells_bw, strict=True)):
            with variable_scope(f"cell_{i}"):
                both, (last_fw, last_bw) = bidirectional_dynamic_rnn(
                    forwards,
                    backwards,
                    inputs,
                    sequence_length,
                    None if initial_states_fw is None else initial_states_fw[i],
                    None if initial_states_bw is None else initial_states_bw[i],
                    dtype,
                    time_major=time_major,
                )
            inputs = concat(both, 2)
            states[0].append(last_fw)
            states[1].append(last_bw)
    return inputs, tuple(states[0]), tuple(states[1])
