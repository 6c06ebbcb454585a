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
from wengert.values.composite import Composite
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype
from wengert.values.shapes import TensorShape
from wengert.values.tensor import Tensor

if TYPE_CHECKING:
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
        self._dtype = as_dtype(dtype)
        self._dynamic = bool(dynamic_size)
        self._infer = infer_shape
        self._element_shape = TensorShape(element_shape)
        self._count: int | None = None
        self._values: Any = flow
        if flow is None:
            self._make(0 if size is None else size)

    def _make(self, size: TensorLike) -> None:
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
            raise ValueError(
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

    def read(self, index: TensorLike, name: str | None = None) -> Tensor:
        """An element."""
        if self._in_graph:
            return apply(GET, (self._values, convert(index)), self._element())  # type: ignore[no-any-return]
        at = int(static(index))
        if not 0 <= at < len(self._values):
            raise OutOfRangeError(
                f"Tried to read from index {at} but array size is: {len(self._values)}"
            )
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
        self._values = unstack(tensor)
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
        parts = split(convert(value, hint=self._dtype), lengths)
        self._infer = False
        result = self
        for i, part in enumerate(parts):
            result = result.write(i, part)
        return result

    def close(self, name: str | None = None) -> None:
        """Nothing to do."""

    def __repr__(self) -> str:
        return f"<tf.TensorArray of {self._dtype.name}, elements of shape {self._element_shape}>"
