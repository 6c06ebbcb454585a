"""Shapes: TensorShape for people, tuples of integers for the machine."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any, Final, overload

from wengert.host.user_frames import is_the_users
from wengert.values.bound_ops import bound
from wengert.values.dimensions import Dimension

Dims = tuple[int, ...]


class _Program:
    """Whether single sizes are objects for the program, as in TensorFlow 1; for the library they are numbers."""

    takes_objects = False


def give_objects(wanted: bool) -> None:
    """Let the program have sizes as objects that have a value, or as numbers."""
    _Program.takes_objects = wanted


class TensorShape:
    """The shape of a tensor: its sizes (None where unknown), or an unknown rank.

    >>> s = TensorShape([2, None, 3])
    >>> s.rank, s.as_list(), s[0], s.is_fully_defined()
    (3, [2, None, 3], 2, False)
    >>> TensorShape([2, 3]) == (2, 3)
    True
    """

    __slots__ = ("_dims",)

    def __init__(self, dims: Any) -> None:
        self._dims: tuple[int | None, ...] | None
        if dims is None:
            self._dims = None
        elif type(dims) is tuple or type(dims) is list:
            self._dims = tuple([d if type(d) is int and d >= 0 else _size(d) for d in dims])
        elif isinstance(dims, TensorShape):
            self._dims = dims._dims
        elif hasattr(dims, "unknown_rank"):  # TensorFlow's message TensorShapeProto
            self._dims = None if dims.unknown_rank else tuple(_size_of_message(d) for d in dims.dim)
        elif isinstance(dims, Iterable) and not isinstance(dims, (str, bytes)):
            self._dims = tuple(_size(d) for d in dims)
        else:
            self._dims = (_size(dims),)

    @property
    def rank(self) -> int | None:
        """The number of axes; None if it is not known."""
        return None if self._dims is None else len(self._dims)

    @property
    def ndims(self) -> int | None:
        """The same as `rank`."""
        return self.rank

    @property
    def dims(self) -> list[Dimension] | None:
        """The sizes as objects of TensorFlow 1, which have a `value`; None if the rank is unknown."""
        return None if self._dims is None else [Dimension(size) for size in self._dims]

    def as_list(self) -> list[int | None]:
        """The sizes as a list; an error if the rank is not known."""
        if self._dims is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self._dims)

    def num_elements(self) -> int | None:
        """The number of elements; None if it is not known."""
        if self._dims is None or None in self._dims:
            return None
        product = 1
        for size in self._dims:
            product *= size or 0
        return product

    def is_fully_defined(self) -> bool:
        """Whether every size is known."""
        return self._dims is not None and None not in self._dims

    def assert_is_fully_defined(self) -> None:
        """Raise ValueError unless every size is known."""
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    def is_compatible_with(self, other: Any) -> bool:
        """Whether the shapes agree wherever both are known."""
        other = TensorShape(other)
        if self._dims is None or other._dims is None:
            return True
        return len(self._dims) == len(other._dims) and all(
            a is None or b is None or a == b for a, b in zip(self._dims, other._dims, strict=True)
        )

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raise ValueError if no tensor could have both shapes."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {TensorShape(other)} are incompatible")

    def assert_has_rank(self, rank: int) -> None:
        """Raise ValueError if the rank is known to be another."""
        if self.rank not in (None, rank):
            raise ValueError(f"Shape {self} must have rank {rank}")

    def assert_same_rank(self, other: Any) -> None:
        """Raise ValueError if both ranks are known and differ."""
        if TensorShape(other).rank not in (None, self.rank) and self.rank is not None:
            raise ValueError(f"Shapes {self} and {TensorShape(other)} must have the same rank")

    def merge_with(self, other: Any) -> TensorShape:
        """The shape, with all that either of the two knows."""
        shape = TensorShape(other)
        if not self.is_compatible_with(shape):
            raise ValueError(f"Shapes {self} and {shape} are not compatible")
        if self._dims is None:
            return shape
        if shape._dims is None:
            return self
        pairs = zip(self._dims, shape._dims, strict=True)
        return TensorShape([b if a is None else a for a, b in pairs])

    def most_specific_compatible_shape(self, other: Any) -> TensorShape:
        """What holds for both shapes."""
        other = TensorShape(other)
        if self._dims is None or other._dims is None or self.rank != other.rank:
            return TensorShape(None)
        pairs = zip(self._dims, other._dims, strict=True)
        return TensorShape([a if a == b else None for a, b in pairs])

    def is_subtype_of(self, other: Any) -> bool:
        """Whether whatever has this shape has the other one, too."""
        return isinstance(other, TensorShape) and is_as_general(other, self)

    def most_specific_common_supertype(self, others: Iterable[Any]) -> TensorShape | None:
        """What holds for this shape and all others; None if one of them is no shape."""
        found = self
        for other in others:
            if not isinstance(other, TensorShape):
                return None
            found = found.most_specific_compatible_shape(other)
        return found

    def as_proto(self) -> Any:
        """The shape as TensorFlow's message TensorShapeProto.

        >>> [d.size for d in TensorShape([2, None]).as_proto().dim]
        [2, -1]
        """
        return bound.shape_proto(self._dims)

    def concatenate(self, other: Any) -> TensorShape:
        """The axes of this shape, followed by those of another."""
        other = TensorShape(other)
        if self._dims is None or other._dims is None:
            return TensorShape(None)
        return TensorShape(self._dims + other._dims)

    def with_rank(self, rank: int) -> TensorShape:
        """The shape, of which the rank is known now."""
        self.assert_has_rank(rank)
        return self if self._dims is not None else TensorShape([None] * rank)

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """The shape; ValueError if it has fewer axes."""
        if self.rank is not None and self.rank < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """The shape; ValueError if it has more axes."""
        if self.rank is not None and self.rank > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    def __len__(self) -> int:
        if self._dims is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return len(self._dims)

    def __bool__(self) -> bool:
        return self._dims is not None

    def __iter__(self) -> Iterator[int | None]:
        if self._dims is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        if _Program.takes_objects and is_the_users(sys._getframe(1)):
            return iter(self.dims or ())  # type: ignore[arg-type]
        return iter(self._dims)

    @overload
    def __getitem__(self, key: int) -> int | None: ...
    @overload
    def __getitem__(self, key: slice) -> TensorShape: ...
    def __getitem__(self, key: Any) -> Any:
        if self._dims is None:
            return _part_of_unknown(key)
        if isinstance(key, slice):
            return TensorShape(self._dims[key])
        size = self._dims[key]
        is_object = _Program.takes_objects and is_the_users(sys._getframe(1))
        return Dimension(size) if is_object else size

    def __add__(self, other: Any) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: Any) -> TensorShape:
        return TensorShape(other).concatenate(self)

    def __eq__(self, other: object) -> bool:
        try:
            return self._dims == TensorShape(other)._dims
        except (TypeError, ValueError):
            return NotImplemented  # a tensor in a function compares its elements

    def __hash__(self) -> int:
        return hash(self._dims)

    def __repr__(self) -> str:
        return f"TensorShape({self.dims if _Program.takes_objects else None if self._dims is None else list(self._dims)})"

    def __str__(self) -> str:
        if self._dims is None:
            return "<unknown>"
        unknown = "?" if _Program.takes_objects else "None"
        sizes = [unknown if size is None else str(size) for size in self._dims]
        return f"({sizes[0]},)" if len(sizes) == 1 else f"({', '.join(sizes)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return TensorShape, (self.dims,)


def is_as_general(shape: TensorShape, other: TensorShape) -> bool:
    """Whether whatever has the other shape has this one, too."""
    if shape.rank is None:
        return True
    if shape.rank != other.rank:
        return False
    return all(a is None or a == b for a, b in zip(shape, other, strict=True))


def _part_of_unknown(key: Any) -> TensorShape | None:
    """A size of a shape of unknown rank is unknown; so is a slice, but for its length."""
    if not isinstance(key, slice):
        return None
    start, stop = key.start or 0, key.stop
    if key.step is not None or stop is None or start < 0 or stop < 0:
        return TensorShape(None)
    return TensorShape([None] * max(stop - start, 0))


def _size_of_message(dim: Any) -> int | None:
    return None if dim.size < 0 else dim.size


def _size(value: Any) -> int | None:
    if value is None:
        return None
    try:
        size = value.__index__()
    except AttributeError:
        raise TypeError(
            f"Dimension value must be integer or None or have an __index__ method, "
            f"got value '{value!r}' with type '{type(value)!r}'"
        ) from None
    if size is None:  # tf.compat.v1.Dimension(None)
        return None
    if size < 0:
        raise ValueError(f"Dimension {size} must be >= 0")
    return int(size)


UNKNOWN: Final = TensorShape(None)


def shape_text(dims: Iterable[Any]) -> str:
    """A shape as TensorFlow's messages write it: [2,3]."""
    return f"[{','.join(map(str, dims))}]"


class Axes(tuple[int, ...]):
    """Axes counted from the front, or other numbers, which know what the program gave: for rules that ask for it."""

    given: Any

    def __new__(cls, axes: Iterable[int] = (), given: Any = None) -> Axes:
        """The numbers, and what was given."""
        made = super().__new__(cls, axes)
        made.given = given
        return made


class Axis(int):
    """An axis counted from the front, which knows what the program gave."""

    given: int

    def __new__(cls, axis: int = 0, given: int = 0) -> Axis:
        """The axis, and what was given."""
        made = super().__new__(cls, axis)
        made.given = given
        return made


def as_given(value: Any) -> Any:
    """An attribute as the program gave it, where it knows that."""
    return value.given if isinstance(value, (Axes, Axis)) else value


def axis_from(axis: int, rank: int) -> int:
    """An axis counted from the front, for an attribute; the caller has checked its range."""
    return Axis(axis + rank, axis) if axis < 0 else axis


def normal_axis(axis: int, rank: int) -> int:
    """An axis counted from the front; the caller has checked its range."""
    return axis + rank if axis < 0 else axis


def broadcastable(a: Dims, b: Dims) -> bool:
    """Whether two shapes broadcast together."""
    return all(1 in (p, q) or p == q for p, q in zip(a[::-1], b[::-1], strict=False))


def stretches(have: Dims, wanted: Dims) -> bool:
    """Whether broadcasting repeats one shape to the other."""
    pairs = zip(have[::-1], wanted[::-1], strict=False)
    return len(have) <= len(wanted) and all(h in (1, w) for h, w in pairs)


def broadcast_axes(dims: Dims, target: Dims) -> tuple[Dims, bool]:
    """The axes along which `dims` was repeated to become `target`, as axes of `target`.

    The second result tells whether an axis of size one has to be put back.
    """
    lead = len(target) - len(dims)
    stretched = tuple(
        lead + i
        for i, (have, want) in enumerate(zip(dims, target[lead:], strict=True))
        if have is not want and have == 1 and want != 1
    )
    return tuple(range(lead)) + stretched, bool(stretched)
