"""Conversion and checks of the public random functions' arguments."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.errors import InvalidArgumentError, SymbolicValueError
from wengert.ops.arrays.shaping import as_shape, broadcast_to
from wengert.ops.math.elementwise import zeros_like
from wengert.ops.random.rows import KEY_COUNTER
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.dtypes import DType, as_dtype
from wengert.values.shapes import Dims, shape_text
from wengert.values.symbolic import AnyShape, is_certain
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import DTypeLike, IntLike, ShapeLike, TensorLike

    # By number, name or member of the enumeration.
    AlgorithmLike: TypeAlias = "Algorithm | IntLike | str"

FLOATS = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)


class Algorithm(enum.Enum):
    """The algorithms for random numbers. Only Philox is implemented; auto-selection chooses it.

    >>> tf.random.Algorithm.PHILOX.value
    1
    """

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


def algorithm_number(alg: AlgorithmLike) -> int:
    """The number of an algorithm given by number, name or member of the enumeration."""
    if isinstance(alg, Algorithm):
        return int(alg.value)
    if isinstance(alg, str):
        name = alg.strip().lower().replace("-", "").replace("_", "")
        for member in Algorithm:
            if member.name.lower().replace("_", "") == name:
                return int(member.value)
        raise _unsupported(alg, "philox", "threefry", "auto_select")
    if not isinstance(alg, (int, np.integer, Tensor)):
        raise TypeError(
            f"Can't convert argument `alg` (of value {alg} and type {type(alg)}) to int."
        )
    return int(alg)


def check_algorithm(alg: AlgorithmLike) -> int:
    """The number of an algorithm, which must be Philox."""
    number = algorithm_number(alg)
    if number not in (1, 2, 3):
        raise _unsupported(number, 1, 2, 3)
    if number == Algorithm.THREEFRY.value:
        raise InvalidArgumentError(
            "Unsupported algorithm id: 2. ThreeFry is not available on this device; use Philox."
        )
    return number


def _unsupported(
    alg: AlgorithmLike, philox: str | int, threefry: str | int, auto: str | int
) -> ValueError:
    return ValueError(
        f"Argument `alg` got unsupported value {alg}. Supported values are {philox} for the "
        f"Philox algorithm, {threefry} for the ThreeFry algorithm, and {auto} for auto-selection."
    )


def key_and_counter(seed: TensorLike, alg: AlgorithmLike | None = "auto_select") -> list[Tensor]:
    """The key and counter that a stateless operation takes, from its seed of two integers."""
    check_algorithm("auto_select" if alg is None else alg)
    pair = convert(seed)
    if pair.dtype not in (dtypes.int32, dtypes.int64):
        raise InvalidArgumentError(
            f"Value for attr 'Tseed' of {pair.dtype.spoken} is not in the list of allowed values: "
            f"int32, int64 [Op:{KEY_COUNTER.name}]"
        )
    if dims(pair) != (2,):
        raise InvalidArgumentError(
            f"seed must have shape [2], not {shape_text(dims(pair))} [Op:{KEY_COUNTER.name}]"
        )
    made: list[Tensor] = apply(KEY_COUNTER, (pair,))
    return made


def sizes(shape: ShapeLike, row: Row) -> Dims:
    """The shape of the samples to draw."""
    try:
        if not isinstance(shape, (list, tuple, AnyShape)) and not hasattr(shape, "as_list"):
            given = dims(shape) if isinstance(shape, Tensor) else np.shape(shape)
            if len(given) != 1:
                raise InvalidArgumentError(
                    f"shape must be a vector of {{int32,int64}}, got shape {shape_text(given)} "
                    f"[Op:{row.name}]"
                )
        wanted = as_shape(shape)
    except SymbolicValueError:
        return shape  # type: ignore[return-value]  # known when the graph runs
    for size in wanted:
        if type(size) is int and size < 0:  # others when the graph runs
            raise InvalidArgumentError(f"Dimension {size} must be >= 0 [Op:{row.name}]")
    return wanted


def float_dtype(dtype: DTypeLike, row: Row) -> DType:
    """The floating-point dtype that was requested; raises for any other."""
    kind = as_dtype(dtype)
    if kind not in FLOATS:
        raise InvalidArgumentError(
            f"Value for attr 'dtype' of {kind.spoken} is not in the list of allowed values: "
            f"half, bfloat16, float, double [Op:{row.name}]"
        )
    return kind


def count_dtype(dtype: DTypeLike, row: Row) -> DType:
    """The dtype that was requested for counts: any of numbers that have an order."""
    kind = as_dtype(dtype)
    if not (kind.is_floating or kind.is_integer):
        raise InvalidArgumentError(
            f"Value for attr 'dtype' of {kind.spoken} is not in the list of allowed values: "
            f"half, float, double, int32, int64 [Op:{row.name}]"
        )
    return kind


def logits_of(logits: TensorLike, num_samples: IntLike, row: Row) -> tuple[Tensor, int]:
    """The arguments of a categorical draw, checked."""
    scores, count = convert(logits), int(num_samples)
    shape = dims(scores)
    if len(shape) != 2:
        raise InvalidArgumentError(
            f"logits should be a matrix, got shape {shape_text(shape)} [Op:{row.name}]"
        )
    if count < 0:
        raise InvalidArgumentError(
            f"num_samples should be non-negative, got {count} [Op:{row.name}]"
        )
    if is_certain(shape[1:]) and shape[1] == 0:
        raise InvalidArgumentError(f"num_classes should be positive, got 0 [Op:{row.name}]")
    if scores.dtype not in FLOATS:
        raise InvalidArgumentError(
            f"Value for attr 'T' of {scores.dtype.spoken} is not in the list of allowed values: "
            f"half, bfloat16, float, double [Op:{row.name}]"
        )
    return scores, count


def class_dtype(dtype: DTypeLike | None) -> DType:
    """The dtype of classes, which is int64 unless another is given."""
    kind = dtypes.int64 if dtype is None else as_dtype(dtype)
    if kind not in (dtypes.int32, dtypes.int64):
        raise ValueError(
            f"Argument `dtype` got invalid value {kind}. "
            f"Accepted dtypes are {(dtypes.int32, dtypes.int64)}."
        )
    return kind


def gamma_parameters(
    alpha: TensorLike, beta: TensorLike | None, dtype: DTypeLike
) -> tuple[Tensor, Tensor]:
    """Alpha, broadcast to its common shape with beta, and beta."""
    kind = as_dtype(dtype)
    a, b = convert(alpha, kind), convert(1 if beta is None else beta, kind)
    if is_certain(dims(a)) and is_certain(dims(b)):
        return broadcast_to(a, _common(tuple(dims(a)), tuple(dims(b)))), b
    return a if beta is None else a + zeros_like(b), b


def _common(a: Dims, b: Dims) -> Dims:
    try:
        return tuple(np.broadcast_shapes(a, b))
    except ValueError:
        raise InvalidArgumentError(
            f"Incompatible shapes: {shape_text(a)} vs. {shape_text(b)} [Op:BroadcastArgs]"
        ) from None


def tiny(dtype: DType) -> float:
    """The smallest normal number, the lower bound of gamma samples."""
    wide = dtypes.float32 if dtype is dtypes.bfloat16 else dtype  # they have the same exponents
    return float(np.finfo(wide.numpy_dtype).tiny)


def leading_shape(shape: Dims, parameters: Dims, row: Row) -> Dims:
    """The part of a shape in front of that of the parameters, with which it must end."""
    cut = len(shape) - len(parameters)
    if cut < 0 or shape[cut:] != parameters:
        raise InvalidArgumentError(
            f"Shape passed in must end with broadcasted shape. The shape is {shape_text(shape)}, that "
            f"of the parameters {shape_text(parameters)} [Op:{row.name}]"
        )
    return shape[:cut]
