"""Single sizes of shapes: numbers or None here, objects of a class in TensorFlow 1."""

from __future__ import annotations

from typing import Any


class Dimension:
    """A size, or None for one that is not known; equal to the number itself.

    >>> tf.compat.v1.Dimension(3) == 3, tf.compat.v1.Dimension(3) * 2
    (True, Dimension(6))
    """

    __slots__ = ("_value",)

    def __init__(self, value: Any) -> None:
        known = dimension_value(value)
        if known is not None and not hasattr(known, "__index__"):
            raise TypeError(
                "Dimension value must be integer or None or have an __index__ method, "
                f"got value '{value!r}' with type '{type(value)!r}'"
            )
        self._value = None if known is None else known.__index__()
        if self._value is not None and self._value < 0:
            raise ValueError(f"Dimension {self._value} must be >= 0")

    @property
    def value(self) -> int | None:
        """The number; None if it is not known."""
        found: int | None = self._value
        return found

    def is_compatible_with(self, other: Any) -> bool:
        """Whether the two can be the same."""
        there = Dimension(other)._value
        return self._value is None or there is None or self._value == there

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raise a ValueError if the two cannot be the same."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {Dimension(other)} are not compatible")

    def merge_with(self, other: Any) -> Dimension:
        """The size, as one of the two knows it."""
        self.assert_is_compatible_with(other)
        return Dimension(other) if self._value is None else Dimension(self._value)

    def __repr__(self) -> str:
        return f"Dimension({self._value})"

    def __str__(self) -> str:
        return "?" if self._value is None else str(self._value)

    def __int__(self) -> Any:
        return self._value

    def __index__(self) -> Any:
        return self._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __eq__(self, other: object) -> Any:
        return self._compared(other, lambda a, b: a == b)

    def __ne__(self, other: object) -> Any:
        return self._compared(other, lambda a, b: a != b)

    def __lt__(self, other: object) -> Any:
        return self._compared(other, lambda a, b: a < b)

    def __le__(self, other: object) -> Any:
        return self._compared(other, lambda a, b: a <= b)

    def __gt__(self, other: object) -> Any:
        return self._compared(other, lambda a, b: a > b)

    def __ge__(self, other: object) -> Any:
        return self._compared(other, lambda a, b: a >= b)

    def __add__(self, other: object) -> Any:
        return self._computed(other, lambda a, b: a + b)

    def __radd__(self, other: object) -> Any:
        return self._computed(other, lambda a, b: b + a)

    def __sub__(self, other: object) -> Any:
        return self._computed(other, lambda a, b: a - b)

    def __rsub__(self, other: object) -> Any:
        return self._computed(other, lambda a, b: b - a)

    def __mul__(self, other: object) -> Any:
        return self._computed(other, lambda a, b: a * b)

    def __rmul__(self, other: object) -> Any:
        return self._computed(other, lambda a, b: b * a)

    def __floordiv__(self, other: object) -> Any:
        return self._computed(other, lambda a, b: a // b)

    def __rfloordiv__(self, other: object) -> Any:
        return self._computed(other, lambda a, b: b // a)

    def __truediv__(self, other: object) -> Any:
        raise _not_divided(self, other)

    def __rtruediv__(self, other: object) -> Any:
        raise _not_divided(other, self)

    def __mod__(self, other: object) -> Any:
        return self._computed(other, lambda a, b: a % b)

    def __rmod__(self, other: object) -> Any:
        return self._computed(other, lambda a, b: b % a)

    def _compared(self, other: object, compare: Any) -> Any:
        """None where one of the two is not known, as in TensorFlow."""
        if other is not None and not isinstance(other, (int, Dimension)):
            return NotImplemented
        a, b = self._value, dimension_value(other)
        return None if a is None or b is None else compare(a, b)

    def _computed(self, other: object, compute: Any) -> Any:
        if other is not None and not isinstance(other, (int, Dimension)):
            return NotImplemented
        a, b = self._value, dimension_value(other)
        return Dimension(None if a is None or b is None else compute(a, b))


def _not_divided(a: object, b: object) -> TypeError:
    kinds = f"'{type(a).__name__}' and '{type(b).__name__}'"
    return TypeError(f"unsupported operand type(s) for /: {kinds}, please use // instead")


def dimension_value(dimension: Any) -> Any:
    """The number of a size, or None.

    >>> tf.compat.dimension_value(tf.TensorShape([None, 3])[1])
    3
    """
    return dimension.value if isinstance(dimension, Dimension) else dimension


def dimension_at_index(shape: Any, index: int) -> Dimension:
    """One size of a shape; unknown where the rank is.

    >>> tf.compat.dimension_at_index(tf.TensorShape([2, 3]), 1)
    Dimension(3)
    """
    return Dimension(None if shape.rank is None else shape[index])
