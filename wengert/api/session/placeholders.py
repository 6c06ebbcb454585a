"""Placeholders: tensors whose values a session is fed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wengert.core.context import current_graph
from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.graph.graph_builder import PLACEHOLDER
from wengert.ops.support.batch_rules import with_attrs
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype, float32
from wengert.values.shapes import TensorShape

if TYPE_CHECKING:
    from wengert.values.tensor import Tensor
    from wengert.values.typing import DTypeLike, ShapeLike, TensorLike

WITH_DEFAULT: Row = op(
    "PlaceholderWithDefault",
    lambda _, x, *, shape: x,
    vjp=(lambda g, y, x, *, shape: g,),
    linear=(0,),
    batch=with_attrs(
        "PlaceholderWithDefault",
        lambda attrs, n: {"shape": None if attrs["shape"] is None else (n, *attrs["shape"])},
    ),
    saves="",
    forms=lambda xs, attrs: [(attrs["shape"], xs[0]._array.dtype)],
)


def placeholder(
    dtype: DTypeLike = float32, shape: ShapeLike | None = None, name: str | None = None
) -> Tensor:
    """A tensor whose value is fed when the graph runs, with feed_dict.

    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.placeholder(tf.float32, [None, 2], name="x")
    >>> x.name, x.shape
    ('x:0', TensorShape([None, 2]))
    """
    graph = current_graph()
    if graph is None:
        raise RuntimeError(
            "tf.placeholder() is not compatible with eager execution. Build a graph: "
            "`with tf.Graph().as_default():`, or call tf.compat.v1.disable_eager_execution() first; "
            "a whole program of TensorFlow 1 runs by `wengert run --v1`."
        )
    kind, known = as_dtype(dtype), TensorShape(shape)
    attrs = {"dtype": kind, "shape": known}
    form = (None if known.rank is None else tuple(known), kind.numpy_dtype)
    result: Tensor = graph.add(PLACEHOLDER, (), attrs, name or "Placeholder", [form]).outputs[0]
    return result


def placeholder_with_default(
    input: TensorLike, shape: ShapeLike, name: str | None = None
) -> Tensor:
    """A tensor with a default value, used where none is fed.

    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.placeholder_with_default(2.0, [])
    ...     print(tf.compat.v1.Session().run([x, x * x], {x: 3.0}))
    [np.float32(3.0), np.float32(9.0)]
    """
    value, known = convert(input), TensorShape(shape)
    if current_graph() is None:
        return value
    if not known.is_compatible_with(value.shape):
        raise ValueError(
            f"The default of a placeholder must have its shape, {known}, got {value.shape}."
        )
    shape_known = None if known.rank is None else tuple(known)
    result: Tensor = apply(WITH_DEFAULT, (value,), {"shape": shape_known}, name)
    return result
