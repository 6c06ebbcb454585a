"""What functions of numbers do with ragged tensors: reductions, products, softmax, segments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from wengert.ops.arrays import gathering
from wengert.ops.arrays.broadcasting import bitcast
from wengert.ops.linalg.matmul import matmul
from wengert.ops.math import arithmetic, elementwise
from wengert.ops.ragged import factories
from wengert.ops.ragged.answers import answers, rank_of, with_flat
from wengert.ops.ragged.conversions import from_tensor, to_tensor
from wengert.ops.ragged.operators import of_same_rows
from wengert.ops.ragged.places import count_of_rows
from wengert.ops.ragged.reductions import OF_TENSORS, reduced
from wengert.ops.ragged.tensor import RaggedTensor
from wengert.ops.reductions import reductions, segments

if TYPE_CHECKING:
    from wengert.values.typing import DTypeLike, IntLike

# ---- values as they stand -----------------------------------------------------------------------


@answers(bitcast)
def _bitcast(input: RaggedTensor, type: DTypeLike, name: str | None = None) -> RaggedTensor:
    return with_flat(input, lambda flat: bitcast(flat, type))


@answers(arithmetic.add_n)
def _add_n(inputs: Sequence[Any], name: str | None = None) -> Any:
    total = inputs[0]
    for other in inputs[1:]:
        total = total + other
    return total


@answers(matmul)
def _matmul(a: Any, b: Any, *args: Any, **options: Any) -> Any:
    """The products of the matrices that the rows hold, one by one."""
    like = a if isinstance(a, RaggedTensor) else b
    if rank_of(like) == 2:
        dense = [to_tensor(v) if isinstance(v, RaggedTensor) else v for v in (a, b)]
        return from_tensor(matmul(dense[0], dense[1], *args, **options))
    count = count_of_rows(like.row_splits)
    rows = [matmul(_as_dense(a[i]), _as_dense(b[i]), *args, **options) for i in range(count)]
    return factories.stack(rows)


def _as_dense(value: Any) -> Any:
    return to_tensor(value) if isinstance(value, RaggedTensor) else value


# ---- reductions ---------------------------------------------------------------------------------


def _answer_reductions() -> None:
    for name, function in OF_TENSORS.items():

        def target(
            input_tensor: RaggedTensor,
            axis: Any = None,
            keepdims: bool = False,
            name: str | None = None,
            of: str = name,
        ) -> Any:
            return reduced(of, input_tensor, axis, keepdims)

        answers(function)(target)


_answer_reductions()


@answers(reductions.reduce_variance)
def _reduce_variance(
    input_tensor: RaggedTensor, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    mean = reduced("Mean", input_tensor, axis, False)
    squares = reduced("Mean", input_tensor * input_tensor, axis, keepdims)
    if keepdims:
        mean = reduced("Mean", input_tensor, axis, True)
    return squares - mean * mean


@answers(reductions.reduce_std)
def _reduce_std(
    input_tensor: RaggedTensor, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    return elementwise.sqrt(_reduce_variance(input_tensor, axis, keepdims))


def _over_segments(function: Callable[..., Any]) -> None:
    def target(
        data: RaggedTensor,
        segment_ids: RaggedTensor,
        num_segments: IntLike,
        name: str | None = None,
    ) -> Any:
        if isinstance(segment_ids, RaggedTensor):
            same = of_same_rows(segment_ids, data)
            return function(data.flat_values, same.flat_values, num_segments)
        raise ValueError(
            "data is ragged, so segment_ids must be ragged, too: its rows are summed whole."
        )

    answers(function)(target)


for _function in (
    gathering.unsorted_segment_sum,
    segments.unsorted_segment_max,
    segments.unsorted_segment_min,
    segments.unsorted_segment_prod,
    segments.unsorted_segment_mean,
    segments.unsorted_segment_sqrt_n,
):
    _over_segments(_function)
