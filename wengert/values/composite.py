"""Composite values: made of several tensors, and taken as one by gradients, functions and sessions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from wengert.values.type_spec import TypeSpec


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

    Instead of the two methods it may have a property `_type_spec`, a `tf.TypeSpec` that knows how
    to take it apart, as a CompositeTensor of TensorFlow has.
    """

    __slots__ = ()

    # Whether tf.nest looks into it when it is told to expand composite values.
    expands: ClassVar[bool] = True
    # Whether it is a tensor to a program that asks with tf.is_tensor.
    is_tensor: ClassVar[bool] = False
    # What is differentiated, for types that follow TensorFlow's protocol.
    __composite_gradient__: Any = None

    if TYPE_CHECKING:  # attached in api/bind.py, as the specs are above this

        @property
        def _type_spec(self) -> TypeSpec: ...

    def _parts(self) -> list[Any]:
        """The tensors that it is made of."""
        return self._type_spec._to_tensor_list(self)

    def _with_parts(self, tensors: Iterator[Any]) -> Any:
        """A copy made of other tensors; it takes one from the iterator for each part."""
        return self._type_spec._with_parts(tensors)

    def _outlined(self, specs: Iterator[Any]) -> Any:
        """The same with specs for its parts, which only knows how to be rebuilt."""
        return self._with_parts(specs)

    def _trace_key(self) -> Any:
        """What a trace of a function depends on, besides the shapes and dtypes of the parts."""
        return None

    # For loops on tensors: whether there is another element, and a function that gives it.
    _in_rounds: Any = None
    # Whether what such a loop carries may take on more general shapes from round to round.
    _widens_in_rounds: ClassVar[bool] = False

    def _shape_invariant_to_type_spec(self, shape: Any) -> Any:
        """The spec of a loop's variable that begins with this value and may change its shape."""
        raise NotImplementedError(f"{type(self).__name__} takes no shape as its shape invariant.")

    @property
    def _differentiated(self) -> Any:
        """What is differentiated, or differentiated with respect to: one of its parts, or several."""
        rule = self.__composite_gradient__
        if rule is not None:
            return rule.get_gradient_components(self)
        return self._parts()[0]

    def _with_differentiated(self, gradient: Any) -> Any:
        """The gradient for this value, from the gradient for that."""
        rule = self.__composite_gradient__
        if rule is not None:
            return rule.replace_gradient_components(self, gradient)
        return self._with_parts(iter([gradient, *self._parts()[1:]]))

    def _fetched(self, arrays: Iterator[Any]) -> Any:
        """What a session returns for it, from the arrays of its parts."""
        return self._with_parts(arrays)

    def _fed(self, value: Any) -> list[Any]:
        """The arrays of its parts, from what a session is fed for it."""
        return list(value)
