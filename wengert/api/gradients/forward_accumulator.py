"""tf.autodiff.ForwardAccumulator: forward-mode differentiation."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from wengert.api.gradients.unconnected import UnconnectedGradients, as_policy, fill_unconnected
from wengert.core.context import start, stop, thread
from wengert.core.forward import Accumulator, MissingTangent
from wengert.errors import GradientWarning
from wengert.host.user_frames import callers_depth
from wengert.ops.arrays.joining import stack
from wengert.overrides.anomaly import sound_start
from wengert.overrides.kinks import Ties
from wengert.overrides.switches import (
    IntSources,
    Kinks,
    SwitchedAccumulator,
    new_accumulator,
    switches_in_force,
)
from wengert.state.variable import Variable
from wengert.values import nest
from wengert.values.convert import convert
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import Nested, TensorLike, Tensors
    from wengert.values.value import Value


class ForwardAccumulator:
    """Forward-mode differentiation: computes Jacobian-vector products while the function runs.

    It costs about as much as the function, whatever the number of results. Accumulators nest in
    each other and with tapes.

    >>> x = tf.constant([2.0, 3.0])
    >>> with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0])) as acc:
    ...     y = x * x
    >>> acc.jvp(y).numpy().tolist()
    [4.0, 0.0]
    """

    def __init__(
        self,
        primals: Tensors,
        tangents: Nested[TensorLike],
        *,
        strong_zero: bool | None = None,
        kinks: Kinks | None = None,
        int_sources: IntSources | None = None,
    ) -> None:
        self._switches = switches_in_force(strong_zero, None, kinks, int_sources)
        self._accumulator = new_accumulator(self._switches)
        self._recording = False
        nest.assert_same_structure(primals, tangents)
        pairs = zip(map(nest.itself, nest.flatten(primals)), nest.flatten(tangents), strict=True)
        seen: set[int] = set()
        for primal, tangent in pairs:
            if id(primal) in seen:
                raise ValueError(
                    f"Tensor {primal} was specified as a primal multiple times. This may "
                    "indicate an error. If it was intended, please sum the corresponding tangents."
                )
            seen.add(id(primal))
            self._watch(primal, tangent)

    def _watch(self, primal: Value | str, tangent: Value | str) -> None:
        if not isinstance(primal, (Tensor, Variable)):
            raise ValueError(
                f"A primal must be a tensor or a variable, got {primal!r}: make a tensor of it "
                "first with tf.convert_to_tensor, and use that inside the accumulator."
            )
        if not primal.dtype.is_differentiable:
            message = (
                "The dtype of the watched primal must be floating (e.g. tf.float32), got "
                f"{primal.dtype!r}: its tangent is not used."
            )
            if self._switches.int_sources == "raise":
                raise TypeError(f"{message} int_sources='raise' is set.")
            warnings.warn(message, GradientWarning, stacklevel=callers_depth())
            return
        value = convert(tangent, None if isinstance(tangent, Variable) else primal.dtype)
        if not value.shape.is_compatible_with(primal.shape):
            raise ValueError(
                f"A tangent must have the shape of its primal, {list(primal._array.shape)}, "
                f"got {list(dims(value))}."
            )
        if self._switches.anomaly:
            value = sound_start(value, "A tangent")
        before = self._accumulator.tangent(primal)
        self._accumulator.watch(primal, value if before is None else before + value)

    @classmethod
    def _batch_accumulator(cls, primals: Tensors, tangents: Tensors) -> _Accumulators:
        """An accumulator for many directions: a tangent for each row of the tangents."""
        count = nest.flatten(tangents)[0].shape[0]
        rows = [nest.map_structure(lambda t, at=at: t[at], tangents) for at in range(count)]
        return _Accumulators([cls(primals, row) for row in rows])

    def __enter__(self) -> ForwardAccumulator:
        if self._recording:
            raise ValueError("Accumulator is already recording.")
        start(self._accumulator)
        self._recording = True
        return self

    def __exit__(self, *_: object) -> None:
        if self._recording:
            stop(self._accumulator)
            self._recording = False

    @property
    def ties(self) -> Ties:
        """The ties that derivatives met, where `kinks` is given."""
        accumulator = self._accumulator
        return accumulator.ties if isinstance(accumulator, SwitchedAccumulator) else Ties()

    def jvp(
        self,
        primals: Any,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    ) -> Any:
        """The Jacobian-vector product of results, or of a nested structure of them."""
        policy = as_policy(unconnected_gradients)
        return nest.map_structure(lambda y: self._tangent(y, policy), primals)

    def _tangent(self, result: TensorLike, policy: UnconnectedGradients) -> Any:
        value = nest.itself(result)
        if not isinstance(value, (Tensor, Variable)):
            raise TypeError(
                f"jvp needs a tensor computed inside the accumulator, got {value!r}.{_way_out(value)}"
            )
        tangent = self._accumulator.tangent(value)
        if isinstance(tangent, MissingTangent):
            raise tangent.error
        if tangent is not None or not self._accumulator.reaches(value):
            return fill_unconnected(tangent, value, policy)
        zero = fill_unconnected(None, value, UnconnectedGradients.ZERO)
        for around in thread.context.recorders:
            if isinstance(around, Accumulator):
                around.reach([value], [zero])
        return zero


def _way_out(value: object) -> str:
    """What to ask for in place of something that is made of tensors, in words."""
    if isinstance(value, IndexedSlices):
        return (
            " The tangent of its rows is jvp(slices.values); for that of the whole tensor, make one of "
            "it inside the accumulator, with tf.convert_to_tensor."
        )
    if nest.is_composite(value):
        return f" Ask for the tangents of the tensors that the {type(value).__name__} is made of, as jvp(x.values)."
    return ""


class _Accumulators:
    """Accumulators for the same values, each with tangents of its own."""

    def __init__(self, each: list[ForwardAccumulator]) -> None:
        self._each = each

    def __enter__(self) -> _Accumulators:
        for accumulator in self._each:
            accumulator.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        for accumulator in reversed(self._each):
            accumulator.__exit__(*error)

    def jvp(
        self,
        primals: Any,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    ) -> Any:
        """The products of the Jacobian with each row of the tangents, stacked."""
        rows = [accumulator.jvp(primals, unconnected_gradients) for accumulator in self._each]
        return nest.map_structure(lambda *each: None if each[0] is None else stack(each), *rows)
