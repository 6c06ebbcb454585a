"""From rows to public functions, for operations whose function only converts its arguments."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, overload

import numpy as np

from wengert.core.dispatch import NUMBERS, apply, door_for_one, door_for_two, number_like
from wengert.core.row import NO_ATTRS, Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError, NotATensorError, NotFoundError
from wengert.ops.support.large_kernels import elementwise_kernel
from wengert.state.variable import Variable
from wengert.values.convert import convert
from wengert.values.dtypes import DType, check_same, float32
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.tensor import Tensor
from wengert.values.typed_calls import OF_ONE, OF_TWO, answered

if TYPE_CHECKING:
    from wengert.ops.support.parameter_names import (
        BinaryOfAX,
        BinaryOfX1X2,
        BinaryOfXQ,
        BinaryOfYX,
        UnaryOfFeatures,
    )
    from wengert.values.typing import TensorLike

# What an operation accepts, as the kinds of NumPy's dtypes. bfloat16 is of kind V.
REAL: Final = "fV"
INEXACT: Final = "fcV"
NUMBER: Final = "fciuV"
REAL_OR_INT: Final = "fiuV"
INTEGER: Final = "iu"
BOOL: Final = "b"
ANY: Final = "fciuVbO"

TENSOR_LIKE: Final = (Tensor, Variable, IndexedSlices)


class Unary(Protocol):
    """The type of functions of `x`."""

    def __call__(self, x: TensorLike, name: str | None = None) -> Tensor:
        """Apply the function."""


class Binary(Protocol):
    """The type of functions of `x` and `y`."""

    def __call__(self, x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
        """Apply the function."""


# Type checkers know the parameters by the names that `parameters` gives: one overload for each.


@overload
def unary(
    type_name: str,
    public: str,
    summary: str,
    example: tuple[str, str],
    *,
    kernel: Callable[..., Any] | str,
    parameters: tuple[Literal["features"]],
    **fields: Any,
) -> UnaryOfFeatures: ...
@overload
def unary(
    type_name: str,
    public: str,
    summary: str,
    example: tuple[str, str],
    kernel: Callable[..., Any] | str,
    vjp: Callable[..., Any] | None = None,
    takes: str = INEXACT,
    unchanged: str = "",
    **fields: Any,
) -> Unary: ...
def unary(
    type_name: str,
    public: str,
    summary: str,
    example: tuple[str, str],
    kernel: Callable[..., Any] | str,
    vjp: Callable[..., Any] | None = None,
    takes: str = INEXACT,
    unchanged: str = "",
    parameters: tuple[str, ...] = ("x",),
    **fields: Any,
) -> Unary | UnaryOfFeatures:
    """Declare an elementwise operation of one input, and create its public function.

    A tensor of a kind that is `unchanged` is given back as it is.
    """
    fields.setdefault("large", elementwise_kernel)
    row = op(type_name, kernel, vjp=vjp and (vjp,), elementwise=True, **fields)

    def prepare(x: TensorLike) -> list[Tensor]:
        tensor = convert(x)
        if tensor._array.dtype.kind not in takes:
            raise wrong_dtype(row, tensor.dtype, takes)
        return [tensor]

    if row.ufunc is not None:
        function = door_for_one(row, numpy_dtypes(takes), prepare)
    else:

        def function(x: TensorLike, name: str | None = None) -> Tensor:
            try:
                tensors = prepare(x)
            except NotATensorError as error:
                return answered(function, (x,), {}, error)  # type: ignore[no-any-return]
            if tensors[0]._array.dtype.kind in unchanged:
                return tensors[0]
            result: Tensor = apply(row, tensors, NO_ATTRS, name)
            return result

    presented: Unary = _presented(function, public, summary, example, parameters)
    OF_ONE.add(presented)
    return presented


@overload
def binary(
    type_name: str,
    public: str,
    summary: str,
    example: tuple[str, str],
    *,
    kernel: Callable[..., Any] | str,
    parameters: tuple[Literal["y"], Literal["x"]],
    **fields: Any,
) -> BinaryOfYX: ...
@overload
def binary(
    type_name: str,
    public: str,
    summary: str,
    example: tuple[str, str],
    *,
    kernel: Callable[..., Any] | str,
    parameters: tuple[Literal["x1"], Literal["x2"]],
    **fields: Any,
) -> BinaryOfX1X2: ...
@overload
def binary(
    type_name: str,
    public: str,
    summary: str,
    example: tuple[str, str],
    *,
    kernel: Callable[..., Any] | str,
    parameters: tuple[Literal["a"], Literal["x"]],
    **fields: Any,
) -> BinaryOfAX: ...
@overload
def binary(
    type_name: str,
    public: str,
    summary: str,
    example: tuple[str, str],
    *,
    kernel: Callable[..., Any] | str,
    parameters: tuple[Literal["x"], Literal["q"]],
    **fields: Any,
) -> BinaryOfXQ: ...
@overload
def binary(
    type_name: str,
    public: str,
    summary: str,
    example: tuple[str, str],
    kernel: Callable[..., Any] | str,
    vjp: Sequence[Callable[..., Any] | None] | None = None,
    takes: str = NUMBER,
    **fields: Any,
) -> Binary: ...
def binary(
    type_name: str,
    public: str,
    summary: str,
    example: tuple[str, str],
    kernel: Callable[..., Any] | str,
    vjp: Sequence[Callable[..., Any] | None] | None = None,
    takes: str = NUMBER,
    parameters: tuple[str, ...] = ("x", "y"),
    **fields: Any,
) -> Binary | BinaryOfYX | BinaryOfX1X2 | BinaryOfAX | BinaryOfXQ:
    """Declare an elementwise operation of two inputs of one dtype, and create its function."""
    fields.setdefault("large", elementwise_kernel)
    row = op(type_name, kernel, vjp=vjp, elementwise=True, **fields)

    def prepare(x: TensorLike, y: Any) -> list[Tensor]:
        tensors = convert_alike(row.name, x, y)
        if tensors[0]._array.dtype.kind not in takes:
            raise wrong_dtype(row, tensors[0].dtype, takes)
        return tensors

    if row.ufunc is not None:
        function = door_for_two(row, numpy_dtypes(takes), prepare)
    else:

        def function(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
            try:
                tensors = prepare(x, y)
            except NotATensorError as error:
                return answered(function, (x, y), {}, error)  # type: ignore[no-any-return]
            result: Tensor = apply(row, tensors, NO_ATTRS, name)
            return result

    presented: Binary = _presented(function, public, summary, example, parameters)
    OF_TWO.add(presented)
    return presented


def _presented(
    function: Callable[..., Any],
    public: str,
    summary: str,
    example: tuple[str, str],
    parameters: tuple[str, ...],
) -> Callable[..., Any]:
    call, shown = example
    # Rename the parameters as in TensorFlow. A wrapper would cost 0.1 us a call.
    code = function.__code__
    names = (*parameters, *code.co_varnames[len(parameters) :])
    function.__code__ = code.replace(co_varnames=names)
    # The last digits differ between machines.
    rounded = ".round(4)" if re.search(r"\.\d{4}", shown) else ""
    function.__name__ = function.__qualname__ = public.rpartition(".")[2]
    function.__module__ = sys._getframe(2).f_globals["__name__"]  # where it was declared
    function.__doc__ = (
        f"{summary}\n\n    >>> print(tf.{public}({call}).numpy(){rounded})\n    {shown}\n    "
    )
    return function


def numpy_dtypes(kinds: str) -> frozenset[Any]:
    """NumPy's own dtypes of some kinds, for which the straight path checks nothing else."""
    dtypes = map(np.dtype, "?bBhHiIlLqQefdFD")
    return frozenset(dtype for dtype in dtypes if dtype.kind in kinds)


def wrong_dtype(row: Row, dtype: DType, takes: str = "") -> InvalidArgumentError:
    """The error for an input dtype that the operation does not take."""
    if takes == BOOL:
        return InvalidArgumentError(
            f"cannot compute {row.name} as input #0(zero-based) was expected to be a bool tensor "
            f"but is a {dtype.spoken} tensor [Op:{row.name}]. Compare first, for example x != 0."
        )
    return InvalidArgumentError(
        f"Value for attr 'T' of {dtype.spoken} is not in the list of allowed values "
        f"[Op:{row.name}]. Use tf.cast to convert the tensor first."
    )


def without_kernel(row: Row, dtype: DType) -> NotFoundError:
    """The error for a dtype that TensorFlow lists, and has no kernel for."""
    return NotFoundError(
        f"Could not find device for node: {{{{node {row.name}}}}} = {row.name}[T={dtype.name}]: there "
        "is no kernel for it. Use tf.cast to convert the tensor first."
    )


def convert_alike(who: str, *values: Any) -> list[Tensor]:
    """Tensors of one dtype: that of the first tensor, to which plain values are converted."""
    if len(values) > 2 and _are_of_one_dtype(values):
        return list(values)
    read = [convert(v) if isinstance(v, Variable) else v for v in values]
    if len(read) == 2:  # by far the commonest: two tensors, or a number beside one
        x, y = read
        if type(x) is Tensor and type(y) in NUMBERS:
            read[1] = y = number_like(y, x)
        elif type(y) is Tensor and type(x) in NUMBERS:
            read[0] = x = number_like(x, y)
        if isinstance(x, Tensor) and isinstance(y, Tensor) and x._array.dtype is y._array.dtype:
            return read
    elif (tensor := next((v for v in read if type(v) is Tensor), None)) is not None:
        read = [number_like(v, tensor) if type(v) in NUMBERS else v for v in read]
    dtypes = {t._array.dtype if isinstance(t, Tensor) else None for t in read}
    if len(dtypes) == 1 and None not in dtypes:
        return read
    return _matched_slowly(who, values, read)


def beside(who: str, value: TensorLike, constant: Any) -> Tensor:
    """A value, of the dtype of the constant that it is filled up with if that one is a tensor."""
    alike = isinstance(constant, TENSOR_LIKE)
    return convert_alike(who, value, constant)[0] if alike else convert(value)


def in_single(value: TensorLike, stays: type = np.float16) -> Tensor:
    """A value as TensorFlow takes it where float32 is the default, which numbers and arrays but those of one dtype become."""
    return convert(value, hint=None if getattr(value, "dtype", None) == stays else float32)


def _are_of_one_dtype(values: Sequence[Any]) -> bool:
    """Whether all are tensors that are computed at once, of one dtype."""
    return set(map(type, values)) == {Tensor} and len({x._array.dtype for x in values}) == 1


def _matched_slowly(who: str, values: Sequence[Any], read: list[Any]) -> list[Tensor]:
    hint = next((v.dtype for v in values if isinstance(v, TENSOR_LIKE)), None)
    tensors: list[Tensor] = []
    for i, value in enumerate(read):
        tensor = convert(value, hint=hint)
        if hint is None:
            hint = tensor.dtype
        elif tensor.dtype is not hint:
            first = next(j for j, v in enumerate(values) if isinstance(v, TENSOR_LIKE))
            _refuse(who, value, i, tensor, first, hint)
        tensors.append(tensor)
    return tensors


def _refuse(who: str, value: Tensor, i: int, tensor: Tensor, first: int, hint: DType) -> None:
    if isinstance(value, TENSOR_LIKE):
        check_same(who, hint, i, tensor.dtype)
    # TensorFlow converts a plain value strictly and says why it cannot.
    convert(value, hint)
