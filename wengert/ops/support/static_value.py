"""What is known statically of a value: whether it is a tensor, its shape, its value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.inference.shape_inference import form_of
from wengert.inference.symbolic_integers import integers_of
from wengert.ops.support.batch_rules import with_attrs
from wengert.state.variable import Variable
from wengert.values.composite import Composite
from wengert.values.convert import convert
from wengert.values.shapes import TensorShape
from wengert.values.sizes import Size
from wengert.values.symbolic import Form, SymbolicTensor
from wengert.values.tensor import Tensor
from wengert.values.value import TensorBase

if TYPE_CHECKING:
    from wengert.core.row import Attrs
    from wengert.values.typing import Array, Namespace, ShapeLike, TensorLike


def is_tensor(x: object) -> bool:
    """Whether a value is a tensor, a variable, IndexedSlices, sparse or ragged.

    >>> tf.is_tensor(tf.constant(1.0)), tf.is_tensor(np.ones(2))
    (True, False)
    """
    if isinstance(x, Composite):
        return x.is_tensor
    return isinstance(x, TensorBase)


def get_static_value(tensor: object, partial: bool = False) -> Any:
    """The value of a tensor as an array, if it is known before a graph runs; otherwise None.

    With `partial`, of a vector of integers the elements that are known, and None for the others. What
    is no tensor is its own value.

    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.placeholder(tf.float32)
    ...     print(tf.get_static_value(tf.constant([1, 2])), tf.get_static_value(x))
    [1 2] None
    """
    if isinstance(tensor, Variable):
        return None
    if not isinstance(tensor, Tensor):
        return tensor
    if not isinstance(tensor, SymbolicTensor):
        if isinstance(tensor._array, Form):  # of a batch, whose examples differ
            return None
        return tensor._array.copy()[()]
    known = _known_integers(tensor, partial) if tensor._known is None else np.array(tensor._known)
    return known if known is None else known[()]


def _known_integers(tensor: SymbolicTensor, partial: bool) -> Any:
    """The elements of a tensor of integers, such as a shape; None if some are not known."""
    found = integers_of(tensor)
    if found is None:
        return None
    if not any(type(n) is Size for n in found.flat):
        return found.astype(tensor.dtype.as_numpy_dtype)
    if not partial or found.ndim != 1:
        return None
    return np.array([None if type(n) is Size else n for n in found], object)


def _checked(_: Namespace, x: Array, *, shape: TensorShape) -> Array:
    if not shape.is_compatible_with(x.shape):
        raise InvalidArgumentError(
            f"Shape of tensor {list(x.shape)} is not compatible with expected shape "
            f"{shape} [Op:EnsureShape]"
        )
    return x


def _known(xs: Sequence[Tensor], attrs: Attrs) -> list[Any]:
    shape, dtype = form_of(xs[0])
    merged = TensorShape(shape).merge_with(attrs["shape"])
    return [(None if merged.rank is None else tuple(merged), dtype)]


ENSURE_SHAPE: Row = op(
    "EnsureShape",
    _checked,
    vjp=(lambda g, y, x, *, shape: g,),
    jvp=(lambda t, y, x, *, shape: t,),
    batch=with_attrs(
        "EnsureShape", lambda attrs, n: {"shape": TensorShape([None]).concatenate(attrs["shape"])}
    ),
    forms=_known,
    saves="",
)


@deferrable
def ensure_shape(x: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """The same tensor, or an error if it has another shape; a graph learns the shape.

    >>> tf.ensure_shape([[1.0, 2.0]], [None, 2]).shape
    TensorShape([1, 2])
    """
    result: Tensor = apply(ENSURE_SHAPE, (convert(x),), {"shape": TensorShape(shape)})
    return result
