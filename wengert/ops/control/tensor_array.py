"""tf.TensorArray: tensors written and read one by one, inside and outside of loops."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from wengert.core.context import current_graph
from wengert.core.dispatch import apply
from wengert.errors import InvalidArgumentError, OutOfRangeError
from wengert.ops.arrays.creation import zeros
from wengert.ops.arrays.gathering import gather
from wengert.ops.arrays.joining import concat, split, stack, unstack
from wengert.ops.arrays.shaping import static
from wengert.ops.control.tensor_list import (
    CONCAT_LIST,
    EMPTY,
    GET,
    LENGTH,
    SET,
    STACK_LIST,
    UNSTACK_LIST,
)
from wengert.values import dtypes
from wengert.values.composite import Composite
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype
from wengert.values.shapes import TensorShape
from wengert.values.symbolic import SymbolicTensor
from wengert.values.tensor import Tensor
from wengert.values.type_spec import TensorSpec, TypeSpec

if TYPE_CHECKING:
    from wengert.values.dtypes import DType
    from wengert.values.typing import DTypeLike, ShapeLike, TensorLike


class TensorArray(Composite):
    """An array of tensors of one dtype. Gradients flow through what is written and read.

    >>> ta = tf.TensorArray(tf.float32, size=2)
    >>> ta = ta.write(0, 1.0)
    >>> ta = ta.write(1, 2.0)
    >>> ta.stack().numpy().tolist()
    [1.0, 2.0]
    """

    expands = False  # TensorFlow's tf.nest leaves it whole

    def __init__(
        self,
        dtype: DTypeLike,
        size: TensorLike | None = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: Any = None,
        flow: TensorLike | None = None,
        infer_shape: bool = True,
        element_shape: ShapeLike | None = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        _check_arguments(size, handle, flow)
        self._dtype = as_dtype(dtype)
        self._dynamic = bool(dynamic_size)
        self._clears = clear_after_read is not False
        self._cleared: set[int] = set()  # what was read and not written again
        self._infer = infer_shape
        self._element_shape = TensorShape(element_shape)
        self._count: int | None = None
        self._values: Any = flow
        if flow is None:
            self._make(size)

    def _make(self, size: Any) -> None:
        if current_graph() is not None:
            given = convert(size)
            known = getattr(given, "_known", None)
            self._count = None if known is None or self._dynamic else int(known)
            self._values = apply(EMPTY, (given,), {"grows": True} if self._dynamic else {})
        else:
            self._values = [None] * int(static(size))

    # ---- properties --------------------------------------------------------------------------

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return self._dtype

    @property
    def element_shape(self) -> TensorShape:
        """The static shape of the elements."""
        return self._element_shape

    @property
    def dynamic_size(self) -> bool:
        """Whether the array grows when an index beyond its end is written."""
        return self._dynamic

    @property
    def flow(self) -> Any:
        """The value that represents the array in a graph."""
        return self._values

    @property
    def handle(self) -> None:
        """None: there is no resource handle."""
        return None

    def identity(self) -> TensorArray:
        """A TensorArray with the same elements."""
        return self._with(self._values)

    def _with(self, values: Tensor) -> TensorArray:
        other = TensorArray(
            self._dtype,
            dynamic_size=self._dynamic,
            clear_after_read=self._clears,
            flow=values,
            infer_shape=self._infer,
            element_shape=self._element_shape,
        )
        other._count = self._count
        return other

    def _parts(self) -> list[Any]:
        return [self._values]

    def _with_parts(self, tensors: Iterator[Any]) -> TensorArray:
        return self._with(next(tensors))

    @property
    def _in_graph(self) -> bool:
        return not isinstance(self._values, list)

    def size(self, name: str | None = None) -> Tensor:
        """The number of elements."""
        if self._in_graph:
            return apply(LENGTH, (self._values,))  # type: ignore[no-any-return]
        return convert(len(self._values))

    # ---- one element -------------------------------------------------------------------------

    def write(self, index: TensorLike, value: TensorLike, name: str | None = None) -> TensorArray:
        """The array with an element written."""
        tensor = convert(value, hint=self._dtype)
        if tensor.dtype is not self._dtype:
            raise InvalidArgumentError(
                f"Value dtype {tensor.dtype.name} does not match the TensorArray's dtype "
                f"{self._dtype.name}. Use tf.cast(value, tf.{self._dtype.name})."
            )
        self._check_shape(tensor)
        if self._in_graph:
            other = self._with(apply(SET, (self._values, convert(index), tensor)))
            other._element_shape = self._element_shape
            return other
        at = int(static(index))
        self._check_index(at)
        self._values += [None] * (at + 1 - len(self._values))
        self._values[at] = tensor
        self._cleared.discard(at)
        return self

    def _check_shape(self, tensor: Tensor) -> None:
        if not self._element_shape.is_compatible_with(tensor.shape):
            raise ValueError(
                f"Incompatible shape for value ({tensor.shape}), expected ({self._element_shape})"
            )
        if self._infer:
            self._element_shape = self._element_shape.merge_with(tensor.shape)

    def _check_index(self, at: int) -> None:
        if at < 0:
            raise OutOfRangeError(f"Writing to negative indices (index {at}) is not allowed.")
        if at >= len(self._values) and not self._dynamic:
            raise OutOfRangeError(
                f"Tried to write to index {at} but array is not resizeable and size is: "
                f"{len(self._values)}. Give the TensorArray dynamic_size=True."
            )

    def grad(self, source: str, flow: Any = None, name: str | None = None) -> Any:
        """Not supported, as in TensorFlow 2: gradients pass through arrays by themselves."""
        raise NotImplementedError(
            "TensorArray.grad is not supported: tf.GradientTape and tf.gradients go through TensorArrays without it."
        )

    def read(self, index: TensorLike, name: str | None = None) -> Tensor:
        """An element."""
        if self._in_graph:
            return apply(GET, (self._values, convert(index)), self._element())  # type: ignore[no-any-return]
        at = int(static(index))
        if not 0 <= at < len(self._values):
            raise OutOfRangeError(
                f"Tried to read from index {at} but array size is: {len(self._values)}"
            )
        if at in self._cleared:
            raise InvalidArgumentError(
                f"Could not read index {at} twice because it was cleared after a previous read "
                "(perhaps try setting clear_after_read = false?)"
            )
        if self._clears:
            self._cleared.add(at)
        return self._eager(at)

    def _eager(self, at: int) -> Tensor:
        value: Tensor | None = self._values[at]
        if value is None:
            if not self._element_shape.is_fully_defined():
                raise InvalidArgumentError(
                    f"Could not read index {at}: it was not written, and the shape of the elements "
                    "is not known."
                )
            value = self._values[at] = zeros(self._element_shape, self._dtype)
        return value

    def _element(self) -> dict[str, Any]:
        shape = self._element_shape
        known = None if shape.rank is None else tuple(shape)
        return {"dtype": self._dtype.numpy_dtype, "shape": known}

    # ---- all elements ------------------------------------------------------------------------

    def stack(self, name: str | None = None) -> Tensor:
        """All elements as one tensor."""
        if self._in_graph:
            attrs = {**self._element(), "count": self._count}
            return apply(STACK_LIST, (self._values,), attrs)  # type: ignore[no-any-return]
        if not self._values:
            return zeros((0, *(self._element_shape or ())), self._dtype)
        return stack([self._eager(i) for i in range(len(self._values))])

    def gather(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """Some elements as one tensor."""
        return gather(self.stack(), indices)

    def concat(self, name: str | None = None) -> Tensor:
        """All elements, joined along their first axis."""
        if self._in_graph:
            return apply(CONCAT_LIST, (self._values,), self._element())  # type: ignore[no-any-return]
        return concat([self._eager(i) for i in range(len(self._values))], 0)

    def unstack(self, value: TensorLike, name: str | None = None) -> TensorArray:
        """The array with the slices of a tensor as its elements."""
        tensor = convert(value, hint=self._dtype)
        if self._in_graph:
            shape = tensor.shape
            other = self._with(apply(UNSTACK_LIST, (tensor,)))
            if shape.rank is not None:
                other._element_shape = shape[1:]
                other._count = shape[0]
            return other
        parts = unstack(tensor)
        if len(parts) > len(self._values) and not self._dynamic:
            raise ValueError(
                f"Cannot unstack {len(parts)} tensors into a TensorArray of static size "
                f"{len(self._values)}"
            )
        self._values = [*parts, *self._values[len(parts) :]]
        self._cleared -= set(range(len(parts)))
        self._element_shape = tensor.shape[1:]
        return self

    def scatter(
        self, indices: TensorLike, value: TensorLike, name: str | None = None
    ) -> TensorArray:
        """The array with slices of a tensor written at some indices."""
        result = self
        for i, part in enumerate(unstack(convert(value, hint=self._dtype))):
            result = result.write(convert(indices)[i], part)
        return result

    def split(self, value: TensorLike, lengths: TensorLike, name: str | None = None) -> TensorArray:
        """The array with pieces of a tensor, of some lengths, as its elements."""
        whole, sizes = convert(value, hint=self._dtype), convert(lengths)
        _check_lengths(whole, sizes, None if self._in_graph else len(self._values), self._dynamic)
        parts = split(whole, sizes)
        self._infer = False
        result = self
        for i, part in enumerate(parts):
            result = result.write(i, part)
        return result

    def close(self, name: str | None = None) -> None:
        """Nothing to do."""

    def __repr__(self) -> str:
        return f"<tf.TensorArray of {self._dtype.name}, elements of shape {self._element_shape}>"


def _check_arguments(size: Any, handle: Any, flow: Any) -> None:
    if handle is not None:
        raise ValueError(
            "TensorArray handles are not supported: an array is passed on by its flow."
        )
    if size is None and flow is None:
        raise ValueError("Size must be provided if handle is not provided")


def _check_lengths(value: Tensor, lengths: Tensor, count: int | None, dynamic: bool) -> None:
    """Refuse lengths that are no division of the value, or more than an array holds that does not grow."""
    if lengths.shape.rank == 0:
        raise InvalidArgumentError("Expected lengths to be a vector, received shape: []")
    if value.shape.rank == 0:
        raise InvalidArgumentError("Expected value to be at least a vector, but received shape: []")
    if isinstance(lengths, SymbolicTensor):
        return
    given = lengths.numpy()
    if value.shape.rank and value.shape[0] not in (None, given.sum()):
        raise InvalidArgumentError(
            "Expected sum of lengths to be equal to values.shape[0], but sum of lengths is "
            f"{given.sum()} and value's shape is: {value.shape}"
        )
    if count is not None and len(given) != count and not dynamic:
        raise InvalidArgumentError(
            "TensorArray's size is not equal to the size of lengths "
            f"({count} vs. {len(given)}), and the TensorArray is not marked as dynamically resizeable."
        )


class TensorArraySpec(TypeSpec):
    """The dtype and the shape of the elements of a TensorArray, and whether it grows.

    >>> tf.TensorArraySpec([2], tf.float32)
    TensorArraySpec(TensorShape([2]), tf.float32, False, True)
    """

    __slots__ = ("_dtype", "_dynamic_size", "_element_shape", "_infer_shape")

    def __init__(
        self,
        element_shape: ShapeLike | None = None,
        dtype: DTypeLike = dtypes.float32,
        dynamic_size: bool = False,
        infer_shape: bool = True,
    ) -> None:
        self._element_shape = TensorShape(element_shape)
        self._dtype = as_dtype(dtype)
        self._dynamic_size = dynamic_size
        self._infer_shape = infer_shape

    @classmethod
    def from_value(cls, value: TensorArray) -> TensorArraySpec:
        """That of an array."""
        return cls(value.element_shape, value.dtype, value.dynamic_size, value._infer)

    @property
    def value_type(self) -> type[TensorArray]:
        """TensorArray."""
        return TensorArray

    @property
    def _component_specs(self) -> TensorSpec:
        return TensorSpec([], dtypes.variant)

    def _to_components(self, value: TensorArray) -> Any:
        return value.flow

    def _from_components(self, components: Any) -> TensorArray:
        return TensorArray(
            self._dtype,
            dynamic_size=self._dynamic_size,
            flow=components,
            infer_shape=self._infer_shape,
            element_shape=self._element_shape,
        )

    def most_specific_compatible_type(self, other: Any) -> TensorArraySpec:
        """What is known of the elements by either; a ValueError where the two do not go together."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Types are not compatible: {self!r} vs {other!r}")
        shape = self._element_shape.merge_with(other._element_shape)
        return TensorArraySpec(shape, *self._serialize()[1:])

    def _serialize(self) -> tuple[TensorShape, DType, bool, bool]:
        return self._element_shape, self._dtype, self._dynamic_size, self._infer_shape


def build_ta_with_new_flow(old_ta: TensorArray, flow: Tensor) -> TensorArray:
    """An array with another flow, of the same description."""
    return TensorArraySpec.from_value(old_ta)._from_components(flow)


setattr(TensorArray, "_type_spec", property(TensorArraySpec.from_value))  # noqa: B010
