"""The one door: every operation goes through `apply`.

It runs the kernel and tells the recorders. An interpreter, when one is active in this thread,
takes the operation instead (a batch, a graph). The door knows none of them by name.
"""

from __future__ import annotations

import copyreg
import functools
import itertools
import math
import operator as operators
from collections.abc import Callable, Sequence
from typing import Any, Final, NoReturn, TypeVar

import numpy as np

from wengert.core.compiled import in_c, machine
from wengert.core.context import thread
from wengert.core.row import NO_ATTRS, Attrs, Row
from wengert.core.tape import MANY, ONE, Tape
from wengert.errors import (
    InvalidArgumentError,
    LeakedTensorError,
    NotATensorError,
    OpError,
    ResourceExhaustedError,
)
from wengert.host.direct_numpy import DIRECT
from wengert.host.fp_errors import QUIET, VARIABLE, quietly
from wengert.host.malloc import LARGE, LARGE_HALF, LARGE_PAIR, MANY_ROWS, NARROW, SOME, keep_blocks
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.shapes import shape_text
from wengert.values.tensor import Tensor, wrap
from wengert.values.typed_calls import answered
from wengert.values.value import Value

Function = TypeVar("Function", bound=Callable[..., Any])

# ---- the door ---------------------------------------------------------------------------------


@in_c
def apply(
    row: Row, inputs: Sequence[Any], attrs: Attrs = NO_ATTRS, name: str | None = None, /
) -> Any:
    """Carry out an operation on tensors: one result, or a list where the row says so.

    The name is for a graph, which gives it to the operation.
    """
    context = thread.context
    listeners = context.listeners
    if listeners is None:
        assert context.interpreter is not None
        return context.interpreter.apply(row, inputs, attrs, name)
    value: Any = None
    try:
        arrays = [x._array for x in inputs]
        if is_large(row, arrays):
            value = of_large(row, arrays, attrs)
        else:
            value = quietly(row.kernel, DIRECT, *arrays, **attrs)
    except Exception as error:  # noqa: BLE001  # explained
        _fail(row, inputs, error)
    result = _as_result(row, value)
    for recorder in listeners:
        recorder.record(row, inputs, attrs, result)
    return result


def _fail(row: Row, inputs: Sequence[Any], error: Exception) -> NoReturn:
    raise explain_failure(row, inputs, error) from error


def is_large(row: Row, arrays: Sequence[Any]) -> bool:
    """Whether its function for large arrays is asked: of what NumPy computes of two in one pass, for larger ones."""
    if row.large is None or not arrays:
        return False
    is_pair = row.ufunc is not None and len(arrays) == 2
    size = max([a.size for a in arrays[: 1 + is_pair]])
    wide = is_pair and arrays[0].dtype.char == "d"  # what counts is when they leave the cache
    if size >= row.large_from >> wide or (size >= LARGE_HALF and _is_half(arrays[0].dtype)):
        return True
    return (is_pair and _is_large_by_rows(*arrays)) or (row.by_rows and _has_many_rows(arrays[0]))


def _is_half(dtype: Any) -> bool:
    """Whether its numbers are floats of two bytes; bfloat16 is a kind of its own."""
    return dtype.itemsize == 2 and dtype.kind in "fV"


def _has_many_rows(x: Any) -> bool:
    """Whether it takes NumPy longer to begin with each row than to reduce it."""
    last = x.shape[-1] if x.ndim > 1 else 0
    return 1 < last < NARROW and bool(x.size >= MANY_ROWS * last)


def _is_large_by_rows(a: Any, b: Any) -> bool:
    """Whether NumPy goes through two arrays row by row, for a large result or for one of short rows."""
    if not a.ndim or not b.ndim:
        return False
    if a.shape == b.shape and a.flags.c_contiguous and b.flags.c_contiguous:
        return False
    pairs = list(itertools.zip_longest(a.shape[::-1], b.shape[::-1], fillvalue=1))
    longer = [max(pair) for pair in pairs]
    return math.prod(longer) >= (LARGE if 1 < longer[0] < NARROW else LARGE_PAIR)


def of_large(row: Row, arrays: list[Any], attrs: Attrs) -> Any:
    """Compute by the row's function for large arrays, or by its kernel."""
    keep_blocks()
    assert row.large is not None
    value = quietly(row.large, row, arrays, attrs)
    return quietly(row.kernel, DIRECT, *arrays, **attrs) if value is None else value


def _as_result(row: Row, value: Any) -> Any:
    return [_wrapped(v) for v in value] if row.many else _wrapped(value)


def _wrapped(value: Any) -> Tensor:
    """The result of a kernel as a tensor; NumPy gives a single string without an array."""
    return wrap(np.array(value, object) if type(value) is bytes else value)


# Python numbers that take the dtype of a tensor operand.
NUMBERS: Final = frozenset((float, int))


def door_for_one(row: Row, takes: frozenset[Any], prepare: Callable[..., list[Any]]) -> Any:
    """The door for a NumPy function of one array, as the public function of the operation.

    It is `door_for_two`, below, for one tensor.
    """
    straight = _straight(row, takes, 1)

    def function(x: Any, name: str | None = None) -> Tensor:
        result: Any = straight(x)
        if result is not None:
            return result  # type: ignore[no-any-return]
        try:
            prepared = prepare(x)
        except NotATensorError as error:
            return answered(function, (x,), {}, error)  # type: ignore[no-any-return]
        return apply(row, prepared, NO_ATTRS, name)  # type: ignore[no-any-return]

    return function


def door_for_two(row: Row, takes: frozenset[Any], prepare: Callable[..., list[Any]]) -> Any:
    """The door for a NumPy function of two arrays, as the public function of the operation.

    It is `apply` for two plain tensors of one dtype, unrolled: by far the commonest operations,
    and 0.5 of 1.4 µs saved on each. Everything else is prepared and goes to `apply`.
    """
    straight = _straight(row, takes, 2)

    def function(x: Any, y: Any, name: str | None = None) -> Tensor:
        result: Any = straight(x, y)
        if result is not None:
            return result  # type: ignore[no-any-return]
        try:
            prepared = prepare(x, y)
        except NotATensorError as error:
            return answered(function, (x, y), {}, error)  # type: ignore[no-any-return]
        return apply(row, prepared, NO_ATTRS, name)  # type: ignore[no-any-return]

    if machine is not None:
        function.straight = straight  # type: ignore[attr-defined]
    return function


# What has no turn where it does not become a tensor: the error says why it does not.
_NEVER: Final = (Value, np.ndarray, np.generic, bool, int, float, complex, str, bytes, list, tuple)


def as_method(function: Callable[..., Any], operator: str, swapped: bool = False) -> Any:
    """A function of two as the method behind an operator; swapped, that of its right operand.

    A right operand that does not become a tensor has its turn if it has such a method.
    """
    others = f"__r{operator}__"

    @functools.wraps(function)
    def method(self: Any, other: Any) -> Any:
        try:
            return function(other, self) if swapped else function(self, other)
        except (TypeError, ValueError):
            if swapped or isinstance(other, _NEVER) or not hasattr(type(other), others):
                raise
            return NotImplemented

    method.__module__ = Value.__module__  # by which it is pickled
    method.__qualname__ = f"{Value.__name__}.{others if swapped else f'__{operator}__'}"
    straight = getattr(function, "straight", None)
    if straight is None:
        return method
    row, takes = straight.of
    return behind_door(method, row, takes, swapped)


def straight_as(door: Callable[..., Any]) -> Callable[[Function], Function]:
    """Let the operator of a function take the door of another one, which does the same where all is plain."""

    def through_it(function: Function) -> Function:
        if machine is not None:
            function.straight = door.straight  # type: ignore[attr-defined]
        return function

    return through_it


def behind_door(
    function: Callable[..., Any], row: Row, takes: frozenset[Any], swapped: bool = False
) -> Any:
    """A function that does for two plain tensors what the door for them does: that is tried first."""
    if machine is None:
        return function
    return machine.Door(row, takes, 2, function, swapped)


# The way through a door where all is plain; None where it is not, or where an error is to be explained.


def _straight(row: Row, takes: frozenset[Any], count: int) -> Any:
    if machine is not None:
        return machine.Door(row, takes, count)
    return (_straight_for_one if count == 1 else _straight_for_two)(row, takes)


def _straight_for_one(row: Row, takes: frozenset[Any]) -> Callable[[Any], Tensor | None]:
    ufunc: Any = row.ufunc

    def straight(x: Any) -> Tensor | None:
        if type(x) is not Tensor:
            return None
        array = x._array
        context = thread.context
        listeners = context.listeners
        if listeners is None or array.dtype not in takes or is_large(row, (array,)):
            return None
        try:
            value = context.run_quietly(ufunc, array)
        except Exception:  # noqa: BLE001  # explained by the general door
            return None
        result = wrap(value)
        for recorder in listeners:
            recorder.record(row, (x,), NO_ATTRS, result)
        return result

    return straight


def _straight_for_two(row: Row, takes: frozenset[Any]) -> Callable[[Any, Any], Tensor | None]:
    ufunc: Any = row.ufunc

    def straight(x: Any, y: Any) -> Tensor | None:
        context = thread.context
        listeners = context.listeners
        if listeners is None:
            return None
        if type(y) in NUMBERS and type(x) is Tensor:
            y = number_like(y, x)
        elif type(x) in NUMBERS and type(y) is Tensor:
            x = number_like(x, y)
        if type(x) is not Tensor or type(y) is not Tensor:
            return None
        a, b = x._array, y._array
        dtype = a.dtype
        if dtype is not b.dtype or dtype not in takes or is_large(row, (a, b)):
            return None
        try:
            value = context.run_quietly(ufunc, a, b)
        except Exception:  # noqa: BLE001  # explained by the general door
            return None
        result = wrap(value)
        for recorder in listeners:
            recorder.record(row, (x, y), NO_ATTRS, result)
        return result

    return straight


def number_like(number: Any, tensor: Tensor) -> Any:
    """A Python number as a tensor of the other operand's dtype, where that is unambiguous."""
    dtype = tensor._array.dtype
    if dtype.kind in "fc" or (dtype.kind in "iu" and type(number) is int):
        try:
            return wrap(_scalar(dtype.type, number))
        except OverflowError:
            return number
    return number


def _scalar(kind: Any, number: Any) -> Any:
    try:
        return thread.context.run_quietly(kind, number)
    except RuntimeError:  # a finalizer, in the middle of another call
        return quietly(kind, number)


def explain_failure(row: Row, inputs: Sequence[Any], error: Exception) -> Exception:
    """The error to raise when a kernel failed."""
    for x in inputs:
        leaked = getattr(x, "_leaked", None)
        if leaked:
            return LeakedTensorError(f"{row.name} was given {leaked}")
    if row.users or isinstance(error, OpError):
        return error
    if isinstance(error, MemoryError):
        return ResourceExhaustedError(f"OOM when computing a result: {error} [Op:{row.name}]")
    return InvalidArgumentError(f"{_complaint(row, inputs, error)} [Op:{row.name}]")


def _complaint(row: Row, inputs: Sequence[Any], error: Exception) -> str:
    shapes = [x._array.shape for x in inputs]
    if row.elementwise and len(set(shapes)) > 1:
        return f"Incompatible shapes: {' vs. '.join(map(shape_text, shapes))}"
    described = ", ".join(f"{x.dtype.name}{shape_text(x._array.shape)}" for x in inputs)
    return f"{error} (inputs: {described})"


if machine is not None:
    _BUILT_IN: Final = [np.dtype(code) for code in "fdebhilBHILFD"]
    machine.setup(
        Tensor=Tensor,
        Row=Row,
        Tape=Tape,
        IndexedSlices=IndexedSlices,
        ndarray=np.ndarray,
        float32=np.dtype(np.float32),
        float64=np.dtype(np.float64),
        truth=np.dtype(np.bool_),
        numpy=DIRECT,
        ONE=ONE,
        MANY=MANY,
        NO_ATTRS=NO_ATTRS,
        LARGE=LARGE,
        LARGE_HALF=LARGE_HALF,
        SOME=SOME,
        NARROW=NARROW,
        is_large_in_python=is_large,
        quiet_variable=VARIABLE,
        QUIET=QUIET,
        scalar_dtypes={dtype.type: dtype for dtype in _BUILT_IN},
        float_makers={dtype: dtype.type for dtype in _BUILT_IN if dtype.kind in "fc"},
        int_makers={dtype: dtype.type for dtype in _BUILT_IN if dtype.kind in "iu"},
        operators={
            np.add: operators.add,
            np.subtract: operators.sub,
            np.multiply: operators.mul,
            np.divide: operators.truediv,
        },
        no_index=(),
        of_large=of_large,
        as_result=_as_result,
        failed=_fail,
    )
    copyreg.pickle(machine.Door, lambda door: str(door.__qualname__))
