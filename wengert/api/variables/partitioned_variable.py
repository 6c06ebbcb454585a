"""Variables in parts along one axis, and which part of the whole each is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from wengert.api.session.modes import control_dependencies, name_scope
from wengert.ops.arrays.identity import identity
from wengert.ops.arrays.joining import concat, split
from wengert.values.convert import convert
from wengert.values.shapes import TensorShape

if TYPE_CHECKING:
    from wengert.state.variable import Variable
    from wengert.values.dtypes import DType
    from wengert.values.tensor import Tensor
    from wengert.values.typing import DTypeLike, ShapeLike, TensorLike


class PartitionInfo:
    """What an initializer is told of a part: the shape of the whole, and where the part begins."""

    def __init__(self, full_shape: Sequence[int], var_offset: Sequence[int]) -> None:
        if not isinstance(full_shape, (list, tuple)) or not isinstance(var_offset, (list, tuple)):
            raise TypeError("`full_shape` and `var_offset` must be sequences of integers.")
        if len(full_shape) != len(var_offset):
            raise ValueError(
                f"`var_offset` must be as long as `full_shape`: {var_offset} and {full_shape}."
            )
        for offset, size in zip(var_offset, full_shape, strict=True):
            if offset < 0 or offset >= size:
                raise ValueError(f"The offset {offset} is not within the size {size}.")
        self.full_shape = list(full_shape)
        self.var_offset = list(var_offset)

    def single_offset(self, shape: Sequence[int]) -> int:
        """Where a part of this shape begins, along the axis that is cut."""
        axis = self.single_slice_dim(shape)
        return 0 if axis is None else self.var_offset[axis]

    def single_slice_dim(self, shape: Sequence[int]) -> int | None:
        """The axis along which a part of this shape is cut; None if it is the whole."""
        pairs = zip(shape, self.full_shape, strict=True)
        cut = [axis for axis, (size, whole) in enumerate(pairs) if size < whole]
        if len(cut) > 1:
            raise ValueError(
                f"The part {list(shape)} of {self.full_shape} is cut along several axes."
            )
        return cut[0] if cut else None


class PartitionedVariable:
    """A variable in parts, which as a tensor is their concatenation.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default():
    ...     w = v1.get_variable("w", [5, 2], partitioner=v1.fixed_size_partitioner(2))
    ...     [part.name for part in w], w.as_tensor().shape.as_list()
    (['w/part_0:0', 'w/part_1:0'], [5, 2])
    """

    def __init__(
        self,
        name: str,
        shape: ShapeLike,
        dtype: DTypeLike,
        variable_list: Sequence[Variable],
        partitions: Sequence[int],
    ) -> None:
        if not isinstance(variable_list, (list, tuple)) or not isinstance(
            partitions, (list, tuple)
        ):
            raise TypeError("`variable_list` and `partitions` must be lists.")
        if not variable_list:
            raise ValueError("`variable_list` may not be empty.")
        if any(count < 1 for count in partitions):
            raise ValueError(f"The counts of `partitions` must be positive, not {partitions}.")
        self._name = name
        self._shape = TensorShape(shape)
        self._dtype = dtype
        self._variable_list = list(variable_list)
        self._partitions = list(partitions)
        for part in self._variable_list:
            part._self_whole = self  # for savers, which save the whole

    @property
    def name(self) -> str:
        """The name of the whole."""
        return self._name

    @property
    def dtype(self) -> DType:
        """The dtype of all parts."""
        kind: DType = self._variable_list[0].dtype
        return kind

    @property
    def shape(self) -> TensorShape:
        """The shape of the whole."""
        return self._shape

    def get_shape(self) -> TensorShape:
        """The same as `shape`."""
        return self._shape

    @property
    def axis(self) -> int:
        """The axis that is cut."""
        return next((i for i, count in enumerate(self._partitions) if count > 1), 0)

    def __iter__(self) -> Iterator[Variable]:
        return iter(self._variable_list)

    def __len__(self) -> int:
        return len(self._variable_list)

    def _get_variable_list(self) -> list[Variable]:
        return self._variable_list

    def _get_partitions(self) -> list[int]:
        return self._partitions

    def as_tensor(self) -> Tensor:
        """The parts, joined."""
        with control_dependencies(None):
            parts: list[Any] = [part.read_value() for part in self._variable_list]
            whole = parts[0]
            if len(parts) > 1:
                with name_scope(f"{self._name}/ConcatPartitions/"):
                    whole = concat(parts, self.axis)
            with name_scope(None):
                result: Tensor = identity(whole, name=self._name)
            return result

    def __tf_tensor__(self, dtype: DType | None = None, name: str | None = None) -> Tensor:
        """What operations take it for."""
        return convert(self.as_tensor(), dtype)

    # ---- assignments -------------------------------------------------------------------------

    def assign(
        self,
        value: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> list[Any]:
        """Replace the value of each part; returns what the assignments of the parts do."""
        return self._each("assign", value, read_value)

    def assign_add(
        self,
        value: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> list[Any]:
        """Add to each part."""
        return self._each("assign_add", value, read_value)

    def assign_sub(
        self,
        value: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> list[Any]:
        """Subtract from each part."""
        return self._each("assign_sub", value, read_value)

    def _each(self, method: str, value: TensorLike, read_value: bool) -> list[Any]:
        sizes = [part.shape[self.axis] for part in self._variable_list]
        pieces = split(convert(value, hint=self.dtype), sizes, self.axis)
        pairs = zip(self._variable_list, pieces, strict=True)
        return [getattr(part, method)(piece, read_value=read_value) for part, piece in pairs]


def cuts(shape: Sequence[int], partitions: Sequence[int]) -> list[tuple[list[int], list[int]]]:
    """The shape of each part and where it begins; sizes that do not divide make the first ones larger."""
    axis = next((i for i, count in enumerate(partitions) if count > 1), 0)
    count = partitions[axis]
    small, larger = divmod(shape[axis], count)
    sizes = [small + (i < larger) for i in range(count)]
    found, start = [], 0
    for size in sizes:
        part, offset = list(shape), [0] * len(shape)
        part[axis], offset[axis] = size, start
        found.append((part, offset))
        start += size
    return found


def checked_partitions(partitions: Any, shape: Sequence[int]) -> list[int]:
    """What a partitioner returned, if it cuts one axis of the shape."""
    if not isinstance(partitions, (list, tuple)):
        raise ValueError(f"Partitioner must return a sequence, but saw: {partitions}")
    if len(partitions) != len(shape):
        raise ValueError(
            "Partitioner returned a partition list that does not match the Variable's rank: "
            f"{partitions} vs. {list(shape)}"
        )
    if any(count < 1 for count in partitions):
        raise ValueError(f"Partitioner returned zero partitions for some axes: {partitions}")
    if sum(count > 1 for count in partitions) > 1:
        raise ValueError(
            f"Can only slice a variable along one dimension: shape: {list(shape)}, partitioning: "
            f"{partitions}"
        )
    return [int(count) for count in partitions]
