"""Composite values: made of several tensors, and taken as one by gradients, functions and sessions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar


class Composite:
    """A value made of several tensors. A subclass names its parts and how to rebuild it.

    >>> from wengert import extend
    >>> class Affine(extend.Composite):
    ...     def __init__(self, scale, shift):
    ...         self.scale, self.shift = scale, shift
    ...     def _parts(self):
    ...         return [self.scale, self.shift]
    ...     def _with_parts(self, tensors):
    ...         return Affine(next(tensors), next(tensors))
    >>> f = tf.function(lambda a, x: Affine(a.scale * x, a.shift + 1.0))
    >>> f(Affine(tf.constant(2.0), tf.constant(3.0)), tf.constant(5.0)).scale.numpy()
    np.float32(10.0)
    """

    __slots__ = ()

    # Whether tf.nest looks into it when it is told to expand composite values.
    expands: ClassVar[bool] = True

    def _parts(self) -> list[Any]:
        """The tensors that it is made of."""
        raise NotImplementedError

    def _with_parts(self, tensors: Iterator[Any]) -> Any:
        """A copy made of other tensors; it takes one from the iterator for each part."""
        raise NotImplementedError

    def _trace_key(self) -> Any:
        """What a trace of a function depends on, besides the shapes and dtypes of the parts."""
        return None

    def _as_argument(self, tensors: Iterator[Any]) -> Any:
        """A copy for tracing a function, when more may be known than the tensors say."""
        return self._with_parts(tensors)

    @property
    def _differentiated(self) -> Any:
        """The part that is differentiated, or differentiated with respect to."""
        return self._parts()[0]

    def _with_differentiated(self, gradient: Any) -> Any:
        """The gradient for this value, from the gradient for that part."""
        return self._with_parts(iter([gradient, *self._parts()[1:]]))

    def _fetched(self, arrays: Iterator[Any]) -> Any:
        """What a session returns for it, from the arrays of its parts."""
        return self._with_parts(arrays)

    def _fed(self, value: Any) -> list[Any]:
        """The arrays of its parts, from what a session is fed for it."""
        return list(value)
