"""Dense, Dropout and Flatten."""

from __future__ import annotations

from typing import Any

from wengert.compat.v1.functions.nn_random import dropout
from wengert.compat.v1.initializers import zeros_initializer
from wengert.compat.v1.layers.base import Layer
from wengert.compat.v1.layers.input_spec import InputSpec
from wengert.compat.v1.layers.weighted import WeightedLayer
from wengert.ops.arrays.creation import shape as shape_of
from wengert.ops.arrays.identity import identity
from wengert.ops.arrays.shaping import reshape, transpose
from wengert.ops.control.cond import cond
from wengert.ops.linalg.matmul import matmul, tensordot
from wengert.ops.nn.bias import bias_add
from wengert.values.convert import convert
from wengert.values.shapes import TensorShape


class Dense(WeightedLayer):
    """activation(inputs × kernel + bias).

    >>> with tf.Graph().as_default():
    ...     layer = tf.compat.v1.layers.Dense(3)
    ...     y = layer(tf.ones([2, 4]))
    ...     y.shape.as_list(), [v.name for v in layer.weights]
    ([2, 3], ['dense/kernel:0', 'dense/bias:0'])
    """

    def __init__(
        self,
        units: int,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = zeros_initializer(),  # noqa: B008
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            activation=activation,
            use_bias=use_bias,
            kernel_initializer=kernel_initializer,
            bias_initializer=bias_initializer,
            kernel_regularizer=kernel_regularizer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            kernel_constraint=kernel_constraint,
            bias_constraint=bias_constraint,
            trainable=trainable,
            name=name,
            **kwargs,
        )
        self.units = int(units)
        self.input_spec = InputSpec(min_ndim=2)

    def build(self, input_shape: Any) -> None:
        """Create kernel and bias."""
        if self._dtype is None:
            raise TypeError(
                "Unable to build `Dense` layer with non-floating point dtype: cast the inputs to a "
                "floating-point one."
            )
        depth = TensorShape(input_shape)[-1]
        if depth is None:
            raise ValueError(
                "The last dimension of the inputs to `Dense` should be defined. Found `None`."
            )
        self.input_spec = InputSpec(min_ndim=2, axes={-1: depth})
        self.kernel = self.add_kernel("kernel", [depth, self.units])
        self.bias = self.add_bias(self.units)
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The result for these inputs."""
        if (inputs.shape.rank or 2) > 2:
            y = tensordot(inputs, self.kernel, [[inputs.shape.rank - 1], [0]])
            y.set_shape(self.compute_output_shape(inputs.shape))
        else:
            y = matmul(inputs, self.kernel)
        return self.activated(y if self.bias is None else bias_add(y, self.bias))

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """The inputs' shape, with the units as the last size."""
        return TensorShape(input_shape)[:-1].concatenate([self.units])


class Dropout(Layer):
    """Sets a part of the numbers to zero in training, and scales the others up.

    >>> tf.compat.v1.layers.Dropout(0.5)(tf.ones([2])).numpy().tolist()
    [1.0, 1.0]
    """

    def __init__(
        self,
        rate: Any = 0.5,
        noise_shape: Any = None,
        seed: int | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.rate = rate
        self.noise_shape = noise_shape
        self.seed = seed

    def call(self, inputs: Any, training: Any = False) -> Any:
        """Dropped where `training` is true, which may be a tensor."""

        def dropped() -> Any:
            return dropout(inputs, rate=self.rate, noise_shape=self.noise_shape, seed=self.seed)

        if isinstance(training, (bool, int)):
            return dropped() if training else identity(inputs)
        return cond(convert(training), dropped, lambda: identity(inputs))

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """That of the inputs."""
        return TensorShape(input_shape)


class Flatten(Layer):
    """All axes but the first as one.

    >>> tf.compat.v1.layers.Flatten()(tf.ones([2, 3, 4])).shape
    TensorShape([2, 12])
    """

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = "channels_last" if data_format is None else data_format
        self.input_spec = InputSpec(min_ndim=1)

    def call(self, inputs: Any) -> Any:
        """The matrix."""
        rank = inputs.shape.rank
        if self.data_format == "channels_first" and rank is not None and rank > 2:
            inputs = transpose(inputs, [0, *range(2, rank), 1])
        batch = inputs.shape[0] if rank else None
        flat = reshape(inputs, [shape_of(inputs)[0] if batch is None else batch, -1])
        flat.set_shape(self.compute_output_shape(inputs.shape))
        return flat

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """A matrix, of which the first size is that of the inputs."""
        shape = TensorShape(input_shape)
        if shape.rank is None:
            return TensorShape([None, None])
        return TensorShape([shape[0] if shape.rank else 1, shape[1:].num_elements()])
