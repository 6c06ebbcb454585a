"""Cells: what a recurrent network computes at one time, from an input and a state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from wengert.api.initializers.names import get as initializer_of
from wengert.api.session.modes import name_scope
from wengert.api.variables.variable_scope import get_variable_scope, variable_scope
from wengert.compat.v1.initializers import constant_initializer, zeros_initializer
from wengert.compat.v1.layers.activations import activation_of
from wengert.compat.v1.layers.base import Layer
from wengert.compat.v1.layers.input_spec import InputSpec
from wengert.ops.arrays.creation import shape as shape_of
from wengert.ops.arrays.creation import zeros
from wengert.ops.arrays.joining import concat, split
from wengert.ops.linalg.matmul import matmul
from wengert.ops.math.elementwise import sigmoid, tanh
from wengert.ops.nn.bias import bias_add
from wengert.values import nest
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype
from wengert.values.shapes import TensorShape

KERNEL = "kernel"
BIAS = "bias"


class RNNCell(Layer):
    """The base of cells: `call(inputs, state)` returns an output and the next state.

    >>> class Adder(tf.compat.v1.nn.rnn_cell.RNNCell):
    ...     state_size = output_size = 2
    ...     def call(self, inputs, state):
    ...         return inputs + state, inputs + state
    >>> cell = Adder()
    >>> output, state = cell(tf.ones([1, 2]), cell.zero_state(1, tf.float32))
    >>> output.numpy().tolist()
    [[1.0, 1.0]]
    """

    def __init__(
        self, trainable: bool = True, name: str | None = None, dtype: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(trainable=trainable, name=name, dtype=dtype, **kwargs)
        self._rnncell_scope: Any = None

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """The output and the next state."""
        if scope is not None:
            with variable_scope(scope, custom_getter=self._kept) as entered:
                return super().__call__(inputs, state, scope=entered)
        if self._rnncell_scope is None:
            self._rnncell_scope = get_variable_scope()
        with variable_scope(self._rnncell_scope, custom_getter=self._kept):
            return super().__call__(inputs, state)

    def _kept(self, getter: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """A custom getter: what `call` gets by tf.get_variable is a weight of the cell."""
        made = getter(*args, **kwargs)
        if not any(made is known for known in self._own_weights):
            self._own_weights.append(made)
        return made

    @property
    def state_size(self) -> Any:
        """The sizes of the state: an integer, a TensorShape, or a tuple of them."""
        raise NotImplementedError("Abstract method: the cell must say its `state_size`.")

    @property
    def output_size(self) -> Any:
        """The sizes of the output."""
        raise NotImplementedError("Abstract method: the cell must say its `output_size`.")

    def get_initial_state(
        self, inputs: Any = None, batch_size: Any = None, dtype: Any = None
    ) -> Any:
        """A state of zeros, for a batch such as the inputs."""
        if inputs is not None:
            given = convert(inputs)
            batch_size = shape_of(given)[0] if given.shape[0] is None else given.shape[0]
            dtype = given.dtype
        if batch_size is None or dtype is None:
            raise ValueError(
                "batch_size and dtype cannot be None while constructing initial state: "
                f"batch_size={batch_size}, dtype={dtype}"
            )
        return self.zero_state(batch_size, dtype)

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """A state of zeros."""
        with name_scope(f"{type(self).__name__}ZeroState"):
            return zero_state_tensors(self.state_size, batch_size, dtype)


def zero_state_tensors(state_size: Any, batch_size: Any, dtype: Any) -> Any:
    """Zeros for each size in a structure of sizes."""
    return nest.map_structure(lambda size: zeros_of(size, batch_size, dtype), state_size)


def zeros_of(size: Any, batch_size: Any, dtype: Any) -> Any:
    """Zeros with an axis for the batch before the others."""
    inner = [size] if isinstance(size, int) else TensorShape(size).as_list()
    return zeros([batch_size, *inner], as_dtype(dtype))


class LayerRNNCell(RNNCell):
    """A cell whose variables are those of a layer: created in `build`, in a scope of its name."""

    def __init__(self, *, reuse: bool | None = None, **kwargs: Any) -> None:
        super().__init__(_reuse=reuse, **kwargs)
        self.input_spec: InputSpec | None = InputSpec(ndim=2)

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """The output and the next state."""
        return Layer.__call__(self, inputs, state, scope=scope)


def depth_of(inputs_shape: Any) -> int:
    """The size of the last axis of the inputs, on which the sizes of weights depend."""
    depth = inputs_shape[-1]
    if depth is None:
        raise ValueError(f"Expected inputs.shape[-1] to be known, saw shape: {inputs_shape}")
    return int(depth)


class BasicRNNCell(LayerRNNCell):
    """The simplest cell: its output, which is its state, is activation([input, state] × W + b).

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default():
    ...     cell = v1.nn.rnn_cell.BasicRNNCell(3)
    ...     _, state = cell(tf.ones([2, 4]), cell.zero_state(2, tf.float32))
    ...     [(v.name, v.shape.as_list()) for v in cell.variables]
    [('basic_rnn_cell/kernel:0', [7, 3]), ('basic_rnn_cell/bias:0', [3])]
    """

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: bool | None = None,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(reuse=reuse, name=name, dtype=dtype, **kwargs)
        self._num_units = num_units
        self._activation = activation_of(activation) or tanh

    @property
    def state_size(self) -> Any:
        """The number of units."""
        return self._num_units

    @property
    def output_size(self) -> Any:
        """The number of units."""
        return self._num_units

    def build(self, inputs_shape: Any) -> None:
        """Create the weights."""
        units = self._num_units
        self._kernel = self.add_weight(KERNEL, [depth_of(inputs_shape) + units, units])
        self._bias = self.add_weight(BIAS, [units], initializer=zeros_initializer())
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """The new state, twice."""
        sums = bias_add(matmul(concat([inputs, state], 1), self._kernel), self._bias)
        output = self._activation(sums)
        return output, output


class GRUCell(LayerRNNCell):
    """A gated recurrent unit: gates choose what of the state is seen, and what is kept.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default():
    ...     cell = v1.nn.rnn_cell.GRUCell(3)
    ...     _, state = cell(tf.ones([2, 4]), cell.zero_state(2, tf.float32))
    ...     [v.name for v in cell.variables][:2]
    ['gru_cell/gates/kernel:0', 'gru_cell/gates/bias:0']
    """

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: bool | None = None,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(reuse=reuse, name=name, dtype=dtype, **kwargs)
        self._num_units = num_units
        self._activation = activation_of(activation) or tanh
        self._kernel_initializer = initializer_of(kernel_initializer)
        self._bias_initializer = initializer_of(bias_initializer)

    @property
    def state_size(self) -> Any:
        """The number of units."""
        return self._num_units

    @property
    def output_size(self) -> Any:
        """The number of units."""
        return self._num_units

    def build(self, inputs_shape: Any) -> None:
        """Create the weights of the gates, open at first, and of the candidate state."""
        units = self._num_units
        rows = depth_of(inputs_shape) + units
        of_kernels, of_biases = self._kernel_initializer, self._bias_initializer
        self._gate_kernel = self.add_weight(
            f"gates/{KERNEL}", [rows, 2 * units], initializer=of_kernels
        )
        self._gate_bias = self.add_weight(
            f"gates/{BIAS}", [2 * units], initializer=of_biases or constant_initializer(1.0)
        )
        self._candidate_kernel = self.add_weight(
            f"candidate/{KERNEL}", [rows, units], initializer=of_kernels
        )
        self._candidate_bias = self.add_weight(
            f"candidate/{BIAS}", [units], initializer=of_biases or zeros_initializer()
        )
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """The new state, twice."""
        sums = bias_add(matmul(concat([inputs, state], 1), self._gate_kernel), self._gate_bias)
        seen, kept = split(sigmoid(sums), 2, 1)
        of_seen = matmul(concat([inputs, seen * state], 1), self._candidate_kernel)
        candidate = self._activation(bias_add(of_seen, self._candidate_bias))
        output = kept * state + (1 - kept) * candidate
        return output, output


class _Pair(NamedTuple):
    c: Any
    h: Any


class LSTMStateTuple(_Pair):
    """The state of a long short-term memory: what the cell holds, and what it showed last.

    >>> tf.compat.v1.nn.rnn_cell.LSTMStateTuple(tf.zeros([1]), tf.ones([1])).dtype
    tf.float32
    """

    __slots__ = ()

    @property
    def dtype(self) -> Any:
        """The dtype of both parts."""
        c, h = self
        if c.dtype != h.dtype:
            raise TypeError(f"Inconsistent internal state: {c.dtype} vs {h.dtype}")
        return c.dtype


class BasicLSTMCell(LayerRNNCell):
    """A long short-term memory without peepholes, clipping or projection.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default():
    ...     cell = v1.nn.rnn_cell.BasicLSTMCell(3)
    ...     output, (c, h) = cell(tf.ones([2, 4]), cell.zero_state(2, tf.float32))
    ...     output is h, cell.variables[0].shape.as_list()
    (True, [7, 12])
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = None,
        reuse: bool | None = None,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(reuse=reuse, name=name, dtype=dtype, **kwargs)
        self._num_units = num_units
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple
        self._activation = activation_of(activation) or tanh

    @property
    def state_size(self) -> Any:
        """The sizes of both parts, or of both joined."""
        units = self._num_units
        return LSTMStateTuple(units, units) if self._state_is_tuple else 2 * units

    @property
    def output_size(self) -> Any:
        """The number of units."""
        return self._num_units

    def build(self, inputs_shape: Any) -> None:
        """Create the weights of the four sums: input gate, candidate, forget gate, output gate."""
        units = self._num_units
        self._kernel = self.add_weight(KERNEL, [depth_of(inputs_shape) + units, 4 * units])
        self._bias = self.add_weight(BIAS, [4 * units], initializer=zeros_initializer())
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """The new output, and the new state."""
        c, h = state if self._state_is_tuple else split(state, 2, 1)
        sums = bias_add(matmul(concat([inputs, h], 1), self._kernel), self._bias)
        i, j, f, o = split(sums, 4, 1)
        new_c = c * sigmoid(f + self._forget_bias) + sigmoid(i) * self._activation(j)
        new_h = self._activation(new_c) * sigmoid(o)
        if self._state_is_tuple:
            return new_h, LSTMStateTuple(new_c, new_h)
        return new_h, concat([new_c, new_h], 1)
