"""Shapes, elements and dtypes in tf.compat.v1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from wengert.compat.v1.functions.arguments import one_of
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import nameable
from wengert.ops.arrays import creation, gathering, indexing, joining, shaping, slicing
from wengert.ops.math import comparison, elementwise
from wengert.ops.math import complex as complex_ops
from wengert.ops.math.arithmetic import floordiv, truediv
from wengert.ops.nn import activations
from wengert.ops.reductions import counting, reductions, sequences, sorting
from wengert.ops.reductions.unique import unique
from wengert.ops.support.declare import convert_alike
from wengert.ops.support.static_value import ensure_shape
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.convert import convert_to_tensor as now_convert_to_tensor
from wengert.values.tensor import Tensor, dims
from wengert.values.typed_calls import of_two


def expand_dims(input: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Tensor:
    """tf.expand_dims with the arguments of version 1.

    >>> tf.compat.v1.expand_dims([1, 2], dim=0).shape
    TensorShape([1, 2])
    """
    along = one_of("axis", axis, "dim", dim)
    if along is None:
        raise ValueError("Must specify an axis argument to tf.expand_dims()")
    return shaping.expand_dims(input, along, name=name)


def squeeze(
    input: Any, axis: Any = None, name: str | None = None, squeeze_dims: Any = None
) -> Tensor:
    """tf.squeeze with the arguments of version 1.

    >>> tf.compat.v1.squeeze([[1], [2]], squeeze_dims=[1]).shape
    TensorShape([2])
    """
    return shaping.squeeze(input, one_of("axis", axis, "squeeze_dims", squeeze_dims), name=name)


def shape(input: Any, name: str | None = None, out_type: Any = None) -> Tensor:
    """tf.shape with the arguments of version 1.

    >>> tf.compat.v1.shape([1, 2], "s").numpy().tolist()
    [2]
    """
    return creation.shape(input, dtypes.int32 if out_type is None else out_type, name=name)


def size(input: Any, name: str | None = None, out_type: Any = None) -> Tensor:
    """tf.size with the arguments of version 1.

    >>> tf.compat.v1.size([1, 2], "s").numpy().item()
    2
    """
    return creation.size(input, dtypes.int32 if out_type is None else out_type, name=name)


def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    name: str | None = None,
    axis: Any = None,
    batch_dims: int = 0,
) -> Tensor:
    """tf.gather with the arguments of version 1.

    >>> tf.compat.v1.gather([10, 20, 30], [2, 0], None, "g").numpy().tolist()
    [30, 10]
    """
    return gathering.gather(params, indices, None, axis, batch_dims, name=name)


def gather_nd(
    params: Any,
    indices: Any,
    name: str | None = None,
    batch_dims: int = 0,
    bad_indices_policy: str = "",
) -> Tensor:
    """tf.gather_nd with the arguments of version 1.

    >>> tf.compat.v1.gather_nd([[1, 2], [3, 4]], [[0, 1]], "g").numpy().tolist()
    [2]
    """
    return gathering.gather_nd(params, indices, batch_dims, name=name)


def _filled_like(now: Callable[..., Any], value: int) -> Callable[..., Any]:
    def like(tensor: Any, dtype: Any = None, name: str | None = None, optimize: bool = True) -> Any:
        return now(tensor, dtype, name=name)

    like.__name__ = like.__qualname__ = now.__name__
    like.__doc__ = f"""tf.{now.__name__} with the arguments of version 1.

    >>> tf.compat.v1.{now.__name__}([5, 6], tf.int64, "z", True).numpy().tolist()
    [{value}, {value}]
    """
    return like


zeros_like = _filled_like(elementwise.zeros_like, 0)
ones_like = _filled_like(elementwise.ones_like, 1)


def constant(
    value: Any, dtype: Any = None, shape: Any = None, name: str = "Const", verify_shape: bool = False
) -> Tensor:  # fmt: skip
    """tf.constant, where the last element of a list that is too short is repeated.

    >>> tf.compat.v1.constant([1, 2], shape=[2, 2]).numpy().tolist()
    [[1, 2], [2, 2]]
    """
    if shape is None:
        return creation.constant(value, dtype, name=name)
    array = np.asarray(convert(value, None if dtype is None else dtypes.as_dtype(dtype)))
    wanted = tuple(shape)
    if verify_shape and array.shape != wanted:
        raise TypeError(f"Expected Tensor's shape: {wanted}, got {array.shape}.")
    missing = int(np.prod(wanted)) - array.size
    if missing < 0 or not array.size:
        return creation.constant(array, shape=shape, name=name)
    flat = np.concatenate([array.ravel(), np.full(missing, array.ravel()[-1], array.dtype)])
    return creation.constant(flat.reshape(wanted), name=name)


# ---- dtypes -----------------------------------------------------------------------------------


def _cast_to(name: str, dtype: Any, example: str) -> Callable[..., Any]:
    shown = "".join(part.title() for part in name.split("_"))

    def cast(x: Any, name: str | None = shown) -> Any:
        return elementwise.cast(x, dtype, name=name)

    cast.__name__ = cast.__qualname__ = name
    cast.__doc__ = f"""The elements as {dtype.name}.

    >>> tf.compat.v1.{name}([1]).numpy()[0]
    {example}
    """
    return cast


to_float = _cast_to("to_float", dtypes.float32, "np.float32(1.0)")
to_double = _cast_to("to_double", dtypes.float64, "np.float64(1.0)")
to_int32 = _cast_to("to_int32", dtypes.int32, "np.int32(1)")
to_int64 = _cast_to("to_int64", dtypes.int64, "np.int64(1)")
to_bfloat16 = _cast_to("to_bfloat16", dtypes.bfloat16, "1")
to_complex64 = _cast_to("to_complex64", dtypes.complex64, "np.complex64(1+0j)")
to_complex128 = _cast_to("to_complex128", dtypes.complex128, "np.complex128(1+0j)")


@of_two
@nameable
def div(x: Any, y: Any, name: str | None = None) -> Any:
    """x / y, which for integers is rounded down to an integer.

    >>> tf.compat.v1.div([-7, 7], 2).numpy().tolist(), tf.compat.v1.div(7.0, 2.0).numpy().item()
    ([-4, 3], 3.5)
    """
    first = convert(x)
    return floordiv(first, y) if first.dtype.is_integer else truediv(first, y)


def _same(
    now: Callable[..., Any], name: str, given: str, result: str, parameter: str = "x"
) -> Callable[..., Any]:
    function: Any
    if parameter == "input":

        def function(input: Any, name: str | None = None) -> Any:
            return now(input, name=name)

    else:

        def function(x: Any, name: str | None = None) -> Any:
            return now(x, name=name)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""tf.math.{now.__name__}, which was at the top level in version 1.

    >>> tf.compat.v1.{name}({given}).numpy().item()
    {result}
    """
    made: Callable[..., Any] = function
    return made


log = _same(elementwise.log, "log", "1.0", "0.0")
log1p = _same(elementwise.log1p, "log1p", "0.0", "0.0")
expm1 = _same(elementwise.expm1, "expm1", "0.0", "0.0")
ceil = _same(elementwise.ceil, "ceil", "0.5", "1.0")
rint = _same(elementwise.rint, "rint", "0.7", "1.0")
rsqrt = _same(elementwise.rsqrt, "rsqrt", "4.0", "0.5")
reciprocal = _same(elementwise.reciprocal, "reciprocal", "4.0", "0.25")
is_nan = _same(elementwise.is_nan, "is_nan", "0.0", "False")
is_inf = _same(elementwise.is_inf, "is_inf", "0.0", "False")
is_finite = _same(elementwise.is_finite, "is_finite", "0.0", "True")
real = _same(complex_ops.real, "real", "1 + 2j", "1.0", "input")
imag = _same(complex_ops.imag, "imag", "1 + 2j", "2.0", "input")
conj = _same(complex_ops.conj, "conj", "1 + 2j", "(1-2j)")
angle = _same(complex_ops.angle, "angle", "1 + 0j", "0.0", "input")


def transpose(a: Any, perm: Any = None, name: str = "transpose", conjugate: bool = False) -> Tensor:
    """tf.transpose with the arguments of version 1.

    >>> tf.compat.v1.transpose([[1, 2]], [1, 0], "t").numpy().tolist()
    [[1], [2]]
    """
    return shaping.transpose(a, perm, conjugate, name=name)


def pad(
    tensor: Any,
    paddings: Any,
    mode: str = "CONSTANT",
    name: str | None = None,
    constant_values: Any = 0,
) -> Tensor:
    """tf.pad with the arguments of version 1.

    >>> tf.compat.v1.pad([1], [[1, 0]], "CONSTANT", "padded").numpy().tolist()
    [0, 1]
    """
    return slicing.pad(tensor, paddings, mode, constant_values, name=name)


def boolean_mask(tensor: Any, mask: Any, name: str = "boolean_mask", axis: Any = None) -> Tensor:
    """tf.boolean_mask with the arguments of version 1.

    >>> tf.compat.v1.boolean_mask([1, 2], [True, False], "chosen").numpy().tolist()
    [1]
    """
    return indexing.boolean_mask(tensor, mask, axis, name=name)


def reverse_sequence(
    input: Any,
    seq_lengths: Any,
    seq_axis: Any = None,
    batch_axis: Any = None,
    name: str | None = None,
    seq_dim: Any = None,
    batch_dim: Any = None,
) -> Tensor:
    """tf.reverse_sequence with the arguments of version 1.

    >>> tf.compat.v1.reverse_sequence([[1, 2]], [2], seq_dim=1, batch_dim=0).numpy().tolist()
    [[2, 1]]
    """
    along = one_of("seq_axis", seq_axis, "seq_dim", seq_dim)
    batch = one_of("batch_axis", batch_axis, "batch_dim", batch_dim)
    return sequences.reverse_sequence(input, seq_lengths, along, batch, name=name)


def convert_to_tensor(
    value: Any,
    dtype: Any = None,
    name: str | None = None,
    preferred_dtype: Any = None,
    dtype_hint: Any = None,
) -> Tensor:
    """tf.convert_to_tensor with the arguments of version 1.

    >>> tf.compat.v1.convert_to_tensor(1, preferred_dtype=tf.float32).dtype
    tf.float32
    """
    hint = one_of("dtype_hint", dtype_hint, "preferred_dtype", preferred_dtype)
    return now_convert_to_tensor(value, dtype, hint, name)


def batch_gather(params: Any, indices: Any, name: str | None = None) -> Tensor:
    """tf.gather, where all axes of the indices but the last are batch axes.

    >>> tf.compat.v1.batch_gather([[1, 2], [3, 4]], [[1], [0]]).numpy().tolist()
    [[2], [3]]
    """
    indices = convert(indices)
    return gathering.gather(params, indices, None, None, len(indices.shape) - 1, name=name)


def in_top_k(predictions: Any, targets: Any, k: Any, name: str | None = None) -> Any:
    """tf.math.in_top_k with the arguments in the order of version 1.

    >>> tf.compat.v1.nn.in_top_k([[0.1, 0.9], [0.1, 0.9]], [0, 1], 1).numpy().tolist()
    [False, True]
    """
    return sorting.in_top_k(targets, predictions, k, name)


def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    dtype: Any = dtypes.int32,
    name: str | None = None,
    weights: Any = None,
) -> Tensor:
    """tf.math.confusion_matrix with the arguments of version 1.

    >>> tf.compat.v1.confusion_matrix([0, 1], [0, 0], 2, tf.float32).numpy().tolist()
    [[1.0, 0.0], [1.0, 0.0]]
    """
    return counting.confusion_matrix(labels, predictions, num_classes, weights, dtype, name)


def clip_by_average_norm(t: Any, clip_norm: Any, name: str | None = None) -> Tensor:
    """Clip a tensor so that its norm, divided by its number of elements, is at most `clip_norm`.

    >>> tf.compat.v1.clip_by_average_norm([3.0, 4.0], 1.0).numpy().tolist()
    [1.2000000476837158, 1.600000023841858]
    """
    t = convert(t)
    elements = elementwise.cast(creation.size(t), t.dtype)
    clipped: Tensor = activations.clip_by_norm(t, clip_norm * elements, name=name)
    return clipped


class Difference(NamedTuple):
    """The elements that are left, and their indices."""

    out: Tensor
    idx: Tensor


def _vector(which: str, value: Tensor) -> Tensor:
    """A list; one whose rank is not known is looked at when the graph runs."""
    if value.shape.rank not in (None, 1):
        raise InvalidArgumentError(f"{which} should be a 1D vector. [Op:ListDiff]")
    return ensure_shape(value, [None]) if value.shape.rank is None else value


def setdiff1d(
    x: Any, y: Any, index_dtype: Any = dtypes.int32, name: str | None = None
) -> Difference:
    """The elements of a list that are not in another, and their indices.

    >>> values, places = tf.compat.v1.setdiff1d([1, 2, 3, 4], [2, 4])
    >>> values.numpy().tolist(), places.numpy().tolist()
    ([1, 3], [0, 2])
    """
    x, y = map(_vector, "xy", convert_alike("ListDiff", x, y))
    # Numbers are given in the order of first occurrences: all of y's are below those of the rest.
    numbers = unique(joining.concat([y, x], 0)).idx
    of_y, of_x = numbers[: dims(y)[0]], numbers[dims(y)[0] :]
    is_left = of_x > reductions.reduce_max(of_y)
    places = elementwise.cast(shaping.reshape(comparison.where(is_left), [-1]), index_dtype)
    return Difference(gathering.gather(x, places, name=name), places)
