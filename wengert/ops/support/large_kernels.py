"""Kernels that engines may register for large arrays outside of graphs, in place of NumPy.

Each of NumPy's functions makes one pass over memory, on one processor. An engine's kernel makes one
pass for all of them, on all processors. Each function here tries the kernels registered under its
name, the latest first, and returns None if none of them computes it: then NumPy does. Kernels must
not change their arrays unless stated otherwise, and return None for what they do not support. They
are registered by `wengert.extend.register_large_kernel`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, Generic, ParamSpec

from wengert.core.row import Attrs, Row
from wengert.execution.engine_registry import REFERENCE, Settings

if TYPE_CHECKING:
    from wengert.ops.arrays.window_geometry import Windows
    from wengert.values.typing import Array

Arguments = ParamSpec("Arguments")


class LargeKernel(Generic[Arguments]):
    """A computation that engines may provide; calling it returns the result, or None."""

    def __init__(self, form: Callable[Arguments, Any]) -> None:
        self.name = form.__name__
        self.__doc__ = form.__doc__
        self._kernels: list[Callable[Arguments, Any]] = []

    def __call__(self, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Array | None:
        """Try the engines' kernels in turn; None if none of them computes it."""
        if Settings.engine == REFERENCE:
            return None
        for kernel in self._kernels:
            found = kernel(*args, **kwargs)
            if found is not None:
                return found
        return None

    def register(self, kernel: Callable[Arguments, Any]) -> None:
        """Register a kernel, to be tried before the earlier ones."""
        self._kernels.insert(0, kernel)


_ALL: Final[dict[str, LargeKernel[Any]]] = {}


def _large_kernel(form: Callable[Arguments, Any]) -> LargeKernel[Arguments]:
    """The kernels for a function, with its name and arguments; its docstring says what they compute."""
    made = LargeKernel(form)
    _ALL[made.name] = made
    return made


def register_large_kernel(name: str, kernel: Callable[..., Any]) -> None:
    """Register a kernel for large arrays in place of NumPy's; it may return None to decline.

    The names and their arguments are listed in `wengert/ops/support/large_kernels.py`.

    >>> from wengert import extend
    >>> extend.register_large_kernel("elementwise_kernel", lambda row, arrays, attrs: None)
    >>> extend.register_large_kernel("exponential", lambda x: None)
    Traceback (most recent call last):
    ValueError: No large arrays are computed by the name of 'exponential'. The names are: ...
    """
    if name not in _ALL:
        raise ValueError(
            f"No large arrays are computed by the name of {name!r}. The names are: "
            f"{', '.join(sorted(_ALL))}."
        )
    _ALL[name].register(kernel)


class Often:
    """Whether so much is computed, a little at a time, that a kernel is worth its compilation.

    Nobody may be able to tell when it takes over: so its results must be NumPy's to the bit.
    """

    def __init__(self, elements: int) -> None:
        self._left = elements

    def __call__(self, elements: int) -> bool:
        """Count these; True if enough were counted before."""
        self._left -= elements
        return self._left < 0


# ---- the computations -----------------------------------------------------------------------------


@_large_kernel
def elementwise_kernel(row: Row, arrays: Sequence[Any], attrs: Attrs) -> Any:
    """The kernel of an elementwise row, in one loop however many NumPy functions it calls."""


@_large_kernel
def part_kernel(part: Any, added: Any) -> Any:
    """Add an array to a part of a larger one, in which it has gaps; True if that is done."""


@_large_kernel
def cast_kernel(x: Any, dtype: Any) -> Any:
    """Numbers of two bytes as float32, these rounded to two bytes, or numbers as float32 or float64."""


@_large_kernel
def reduction_kernel(row: Row, arrays: Sequence[Any], attrs: Attrs) -> Any:
    """The kernel of a reduction."""


@_large_kernel
def softmax_kernel(x: Any, axis: int, is_log: bool) -> Any:
    """Softmax along an axis, or its logarithm."""


@_large_kernel
def cumulative_kernel(how: str, x: Any, axis: int, exclusive: bool, reverse: bool) -> Any:
    """The cumulative sums along an axis (`how` is "sum"), or the products ("prod")."""


@_large_kernel
def update_kernel(row: str, variable: Any, change: Any) -> Any:
    """Write the row's result for what a variable holds over that; None if something else may read it."""


@_large_kernel
def matmul_kernel(a: Any, b: Any) -> Any:
    """The product of two matrices, or of several pairs."""


@_large_kernel
def product_kernel(a: Any, b: Any, out: Any) -> Any:
    """The same in `out`, where the matrices may lie in memory with gaps."""


@_large_kernel
def cholesky_kernel(a: Any) -> Any:
    """The lower factors of some matrices."""


@_large_kernel
def triangular_solve_kernel(a: Any, b: Any, lower: bool, adjoint: bool) -> Any:
    """The solutions of triangular systems, without zeros on their diagonals."""


@_large_kernel
def lu_kernel(a: Any) -> Any:
    """The packed factors of some matrices, and the orders of their rows in int64."""


@_large_kernel
def tridiagonal_solve_kernel(d: Any, b: Any, pivoting: bool, instead: Any) -> Any:
    """The solutions of tridiagonal systems; with pivoting, `instead` of pivots of zero in each of them."""


@_large_kernel
def conv_kernel(x: Any, w: Any, at: Windows, y: Any) -> Any:
    """A convolution, in `y` or in another array."""


@_large_kernel
def depthwise_conv_kernel(x: Any, w: Any, at: Windows, y: Any) -> Any:
    """A depthwise convolution, in `y` or in another array."""


@_large_kernel
def conv_filter_gradient_kernel(x: Any, g: Any, at: Windows, shape: Sequence[int]) -> Any:
    """The gradient of a convolution with respect to its filter, for the cotangent `g`."""


@_large_kernel
def depthwise_filter_gradient_kernel(x: Any, g: Any, at: Windows, shape: Sequence[int]) -> Any:
    """The gradient of a depthwise convolution with respect to its filter."""


@_large_kernel
def pooling_kernel(x: Any, at: Windows, how: str, count: Any = None) -> Any:
    """The largest element of each window (`how` is "max"), or the sum divided by `count` ("sum")."""


@_large_kernel
def mean_pool_gradient_kernel(g: Array, at: Windows, count: Array) -> Any:
    """The gradient of mean pooling: a window's cotangent / `count` goes to all its elements."""


@_large_kernel
def max_pool_gradient_kernel(x: Any, y: Any, g: Any, at: Windows) -> Any:
    """The gradient of max pooling: each window's cotangent goes to its first maximum."""


@_large_kernel
def batch_norm_kernel(formula: str, *arrays: object) -> Any:
    """A formula of matrices and vectors of their columns.

    "normalized" is (x - mean) * slope + offset, "square of deviation" is (x - mean)², and "value" x;
    with another matrix, "weighted deviation" is (x - mean) * g, "slope" x * factor + offset + g * slope.
    """


@_large_kernel
def batch_norm_sum_kernel(formula: str, *arrays: object) -> Any:
    """The same, summed over the rows: a vector."""


@_large_kernel
def local_response_norm_kernel(
    power: Callable[..., Any], x: Any, radius: int, bias: float, alpha: float, beta: float
) -> Any:
    """x power(bias + alpha W(x²), beta), where W sums over neighbouring channels."""


@_large_kernel
def local_response_norm_gradient_kernel(
    power: Callable[..., Any], g: Any, x: Any, radius: int, bias: float, alpha: float, beta: float
) -> Any:
    """g p - 2 alpha beta x W(g x p / s), where s = bias + alpha W(x²) and p = power(s, beta)."""


@_large_kernel
def segments_kernel(ufunc: Any, out: Any, ids: Any, updates: Any) -> Any:
    """out[ids[i]] = ufunc(out[ids[i]], updates[i]) for each i, in place; returns `out`."""


@_large_kernel
def count_kernel(values: Any, weights: Any, size: int, binary: bool) -> Any:
    """How often each integer below `size` is in each row, times a weight, or the sums of weights."""


@_large_kernel
def unique_kernel(x: Any, dtype: Any) -> Any:
    """The unique elements in the order of their first occurrence, the index of each, and their counts."""


@_large_kernel
def suppression_kernel(
    boxes: Any, scores: Any, limit: int, most: float, least: float, sigma: float
) -> Any:
    """For each row of scores which boxes are kept, their scores, and how many; the rest are zeros.

    The boxes are (sets, count, 4), with as many rows of scores to each set; or a matrix of overlaps.
    """


@_large_kernel
def poisson_kernel(constants: Any, state: Any, rates: Any, count: int, apart: int) -> Any:
    """For each rate so many Poisson samples, each by a generator so many blocks after the one before."""


@_large_kernel
def edit_distance_kernel(said: Any, said_ends: Any, meant: Any, meant_ends: Any) -> Any:
    """For each pair of sequences of int64 how many insertions, deletions and exchanges part them.

    The sequences follow each other, from each of the ends to the next.
    """


@_large_kernel
def binomial_kernel(
    constants: Any,
    state: Any,
    trials: Any,
    chances: Any,
    tails: Any,
    count: int,
    apart: tuple[int, int],
) -> Any:
    """For each pair of trials and chance so many binomial samples, each by a generator of its own.

    `tails` are the errors of Stirling's formula up to 9; the generators are so many blocks apart if few
    successes are expected, and so many if many are.
    """


@_large_kernel
def shuffle_kernel(words: Any) -> Any:
    """The integers up to the number of random words, each exchanged with one at a place behind it.

    That is by so much behind as the word says, modulo the number of integers from there on.
    """


@_large_kernel
def inverse_kernel(order: Any) -> Any:
    """Where each of the integers up to the length of a vector is in it, if all are."""


@_large_kernel
def samples_kernel(name: str, counter: int, key: int, count: int, apart: int, dtype: Any) -> Any:
    """The "uniform" or "normal" samples of blocks of random words, each so many after the one before: a row for each block."""


@_large_kernel
def philox_kernel(constants: Any, counter: int, key: int, count: int) -> Any:
    """Blocks of random words that follow each other, (count, 4); few are worth it, too."""
