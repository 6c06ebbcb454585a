"""Batch normalization, with moving averages for when there is no batch."""

from __future__ import annotations

from typing import Any

from wengert.api.initializers.names import get as initializer_of
from wengert.compat.v1.initializers import ones_initializer, zeros_initializer
from wengert.compat.v1.layers.base import Layer
from wengert.compat.v1.layers.input_spec import InputSpec
from wengert.core.context import current_graph
from wengert.ops.arrays.shaping import reshape
from wengert.ops.control.cond import cond
from wengert.ops.math.comparison import where
from wengert.ops.math.elementwise import cast
from wengert.ops.nn.batch_norm import fused_batch_norm
from wengert.ops.nn.normalization import batch_normalization, moments
from wengert.values.convert import convert
from wengert.values.dtypes import float32
from wengert.values.shapes import TensorShape


class BatchNormalization(Layer):
    """Subtracts the mean of the batch and divides by its deviation; then scales and shifts.

    In training the moving averages change by operations in the collection of updates, which a program
    runs with its training step.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default():
    ...     layer = v1.layers.BatchNormalization()
    ...     y = layer(tf.ones([2, 3]), training=True)
    ...     [v.name for v in layer.variables][::3], len(v1.get_collection("update_ops"))
    (['batch_normalization/gamma:0', 'batch_normalization/moving_variance:0'], 2)
    """

    def __init__(
        self,
        axis: Any = -1,
        momentum: float = 0.99,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = zeros_initializer(),  # noqa: B008
        gamma_initializer: Any = ones_initializer(),  # noqa: B008
        moving_mean_initializer: Any = zeros_initializer(),  # noqa: B008
        moving_variance_initializer: Any = ones_initializer(),  # noqa: B008
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        renorm: bool = False,
        renorm_clipping: Any = None,
        renorm_momentum: float = 0.99,
        fused: bool | None = None,
        trainable: bool = True,
        virtual_batch_size: int | None = None,
        adjustment: Any = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, trainable=trainable, **kwargs)
        _refuse(renorm=renorm, virtual_batch_size=virtual_batch_size, adjustment=adjustment)
        self.axis = axis
        self.momentum, self.epsilon = momentum, epsilon
        self.center, self.scale = center, scale
        self.fused = fused
        self._initializers = {
            "gamma": initializer_of(gamma_initializer),
            "beta": initializer_of(beta_initializer),
            "moving_mean": initializer_of(moving_mean_initializer),
            "moving_variance": initializer_of(moving_variance_initializer),
        }
        self._regularizers = {"gamma": gamma_regularizer, "beta": beta_regularizer}
        self._constraints = {"gamma": gamma_constraint, "beta": beta_constraint}

    # ---- variables ---------------------------------------------------------------------------

    def build(self, input_shape: Any) -> None:
        """Create scale and offset, and the moving averages."""
        shape = TensorShape(input_shape)
        if shape.rank is None:
            raise ValueError("Input has undefined rank. Say its shape, such as by tf.ensure_shape.")
        axes = self.axis if isinstance(self.axis, (list, tuple)) else [self.axis]
        self._axes = [axis % shape.rank for axis in axes]
        sizes = [shape[axis] for axis in self._axes]
        if None in sizes:
            raise ValueError(f"Input has undefined `axis` dimension: {shape}, axis {self.axis}.")
        self.input_spec = InputSpec(ndim=shape.rank, axes=dict(zip(self._axes, sizes, strict=True)))
        if self.fused is None:
            self.fused = shape.rank == 4 and self._axes in ([1], [3])
        kept = (
            sizes if len(sizes) == 1 else [n if i in self._axes else 1 for i, n in enumerate(shape)]
        )
        self.gamma = self._weight("gamma", kept) if self.scale else None
        self.beta = self._weight("beta", kept) if self.center else None
        self.moving_mean = self._weight("moving_mean", kept)
        self.moving_variance = self._weight("moving_variance", kept)
        self.built = True

    def _weight(self, name: str, shape: Any) -> Any:
        """Statistics of half precision are kept in single precision."""
        half = self._dtype is not None and self._dtype.size < 4
        return self.add_weight(
            name,
            shape,
            dtype=float32 if half else None,
            initializer=self._initializers[name],
            regularizer=self._regularizers.get(name),
            constraint=self._constraints.get(name),
            trainable=not name.startswith("moving"),
        )

    # ---- calls -------------------------------------------------------------------------------

    def call(self, inputs: Any, training: Any = False) -> Any:
        """Normalized by the batch in training, which may be a tensor, else by the moving averages."""
        if isinstance(training, (bool, int)):
            y, mean, variance = self._either(inputs, bool(training))
            if training:
                self._move(mean, variance)
            return y
        now = convert(training)
        y, mean, variance = cond(
            now, lambda: self._either(inputs, True), lambda: self._either(inputs, False)
        )
        self._move(where(now, mean, self.moving_mean), where(now, variance, self.moving_variance))
        return y

    def _either(self, inputs: Any, training: bool) -> tuple[Any, Any, Any]:
        """The result, and the mean and variance that the moving averages approach."""
        if self.fused:
            return self._fused(inputs, training)
        mean, variance = self.moving_mean.read_value(), self.moving_variance.read_value()
        if training:
            rest = [i for i in range(inputs.shape.rank) if i not in self._axes]
            mean, variance = moments(inputs, rest, keepdims=len(self._axes) > 1)
        m, v, shift, scale = (
            self._spread(p, inputs) for p in (mean, variance, self.beta, self.gamma)
        )
        return batch_normalization(inputs, m, v, shift, scale, self.epsilon), mean, variance

    def _fused(self, inputs: Any, training: bool) -> tuple[Any, Any, Any]:
        """Computed at once; the variance that is kept is that of the population."""
        known = (None, None) if training else (self.moving_mean, self.moving_variance)
        like = self.moving_mean.read_value()
        y, mean, variance = fused_batch_norm(
            inputs,
            like * 0 + 1 if self.gamma is None else self.gamma,
            like * 0 if self.beta is None else self.beta,
            known[0],
            known[1],
            epsilon=self.epsilon,
            data_format="NHWC" if self._axes == [3] else "NCHW",
            is_training=training,
        )
        return y, mean, variance

    def _spread(self, part: Any, inputs: Any) -> Any:
        """A vector of statistics along its axis of the inputs."""
        if part is None:
            return None
        value = cast(part, inputs.dtype)
        rank = inputs.shape.rank
        if len(self._axes) > 1 or self._axes == [rank - 1]:
            return value
        return reshape(value, [-1 if i in self._axes else 1 for i in range(rank)])

    def _move(self, mean: Any, variance: Any) -> None:
        """Bring the moving averages nearer to these."""
        for kept, now in ((self.moving_mean, mean), (self.moving_variance, variance)):
            step = (kept - cast(now, kept.dtype)) * (1 - self.momentum)
            change = kept.assign_sub(step)
            if current_graph() is not None:
                self.add_update(change)


def _refuse(**settings: Any) -> None:
    for name, value in settings.items():
        if value:
            raise NotImplementedError(
                f"Batch normalization with `{name}` is not supported: normalize by the whole batch, "
                f"without `{name}`."
            )
