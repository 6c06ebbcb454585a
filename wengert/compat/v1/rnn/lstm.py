"""The long short-term memory cell with peepholes, clipping and projection."""

from __future__ import annotations

from typing import Any

from wengert.api.initializers.names import get as initializer_of
from wengert.compat.v1.functions.partitioners import fixed_size_partitioner
from wengert.compat.v1.initializers import zeros_initializer
from wengert.compat.v1.layers.activations import activation_of
from wengert.compat.v1.rnn.cells import BIAS, KERNEL, LayerRNNCell, LSTMStateTuple, depth_of
from wengert.ops.arrays.joining import concat, split
from wengert.ops.linalg.matmul import matmul
from wengert.ops.math.arithmetic import clip_by_value
from wengert.ops.math.elementwise import sigmoid, tanh
from wengert.ops.nn.bias import bias_add


class LSTMCell(LayerRNNCell):
    """A long short-term memory; its gates may see the cell, and its output may be projected.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default():
    ...     cell = v1.nn.rnn_cell.LSTMCell(3, use_peepholes=True, num_proj=2)
    ...     output, state = cell(tf.ones([1, 4]), cell.zero_state(1, tf.float32))
    ...     output.shape.as_list(), state.c.shape.as_list(), cell.variables[-1].name
    ([1, 2], [1, 3], 'lstm_cell/projection/kernel:0')
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        cell_clip: float | None = None,
        initializer: Any = None,
        num_proj: int | None = None,
        proj_clip: float | None = None,
        num_unit_shards: int | None = None,
        num_proj_shards: int | None = None,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = None,
        reuse: bool | None = None,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(reuse=reuse, name=name, dtype=dtype, **kwargs)
        self._num_units, self._num_proj = num_units, num_proj
        self._use_peepholes = use_peepholes
        self._cell_clip, self._proj_clip = cell_clip, proj_clip
        self._initializer = initializer_of(initializer)
        self._num_unit_shards, self._num_proj_shards = num_unit_shards, num_proj_shards
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple
        self._activation = activation_of(activation) or tanh

    @property
    def state_size(self) -> Any:
        """The sizes of both parts, or of both joined."""
        c, h = self._num_units, self.output_size
        return LSTMStateTuple(c, h) if self._state_is_tuple else c + h

    @property
    def output_size(self) -> Any:
        """The number of units, or that of the projection."""
        return self._num_proj or self._num_units

    def build(self, inputs_shape: Any) -> None:
        """Create the weights."""
        units = self._num_units
        self._kernel = self.add_weight(
            KERNEL,
            [depth_of(inputs_shape) + self.output_size, 4 * units],
            initializer=self._initializer,
            partitioner=_shards(self._num_unit_shards),
        )
        self._bias = self.add_weight(BIAS, [4 * units], initializer=zeros_initializer())
        if self._use_peepholes:
            self._w_f_diag, self._w_i_diag, self._w_o_diag = [
                self.add_weight(f"w_{gate}_diag", [units], initializer=self._initializer)
                for gate in "fio"
            ]
        if self._num_proj is not None:
            self._projection = self.add_weight(
                f"projection/{KERNEL}",
                [units, self._num_proj],
                initializer=self._initializer,
                partitioner=_shards(self._num_proj_shards),
            )
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """The new output, and the new state."""
        sizes = [self._num_units, self.output_size]
        c, h = state if self._state_is_tuple else split(state, sizes, 1)
        sums = bias_add(matmul(concat([inputs, h], 1), self._kernel), self._bias)
        new_c, o = self._new_cell(c, *split(sums, 4, 1))
        if self._use_peepholes:
            o += self._w_o_diag * new_c
        new_h = self._projected(sigmoid(o) * self._activation(new_c))
        if self._state_is_tuple:
            return new_h, LSTMStateTuple(new_c, new_h)
        return new_h, concat([new_c, new_h], 1)

    def _new_cell(self, c: Any, i: Any, j: Any, f: Any, o: Any) -> tuple[Any, Any]:
        f += self._forget_bias
        if self._use_peepholes:
            f, i = f + self._w_f_diag * c, i + self._w_i_diag * c
        new = sigmoid(f) * c + sigmoid(i) * self._activation(j)
        return _clipped(new, self._cell_clip), o

    def _projected(self, shown: Any) -> Any:
        if self._num_proj is None:
            return shown
        return _clipped(matmul(shown, self._projection), self._proj_clip)


def _clipped(value: Any, limit: float | None) -> Any:
    return value if limit is None else clip_by_value(value, -limit, limit)


def _shards(count: int | None) -> Any:
    return None if count is None else fixed_size_partitioner(count)
