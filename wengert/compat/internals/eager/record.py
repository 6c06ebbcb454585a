"""tensorflow.python.eager.record: recording operations on tapes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from wengert.api.gradients.custom_gradient import VariableWatcher as VariableReads
from wengert.core.context import listening, start, stop, thread
from wengert.core.row import Row
from wengert.errors import InternalError
from wengert.host.context_manager import Change, context_manager, enter
from wengert.ops.math.elementwise import zeros_like
from wengert.values import nest


@context_manager
def stop_recording() -> Change:
    """Stop all tapes from recording inside the block; what watches variables goes on."""
    return enter(listening(*[r for r in thread.context.recorders if isinstance(r, VariableReads)]))


class VariableWatcher:
    """Notes the trainable variables that are read inside of it."""

    def __init__(self) -> None:
        self._reads = VariableReads()

    def __enter__(self) -> VariableWatcher:
        start(self._reads)
        return self

    def __exit__(self, *error: object) -> None:
        stop(self._reads)

    def watched_variables(self) -> tuple[Any, ...]:
        """The variables that were read."""
        return tuple(self._reads.variables.values())


def should_record_backprop(tensors: Sequence[Any]) -> bool:
    """Whether a tape watches one of the tensors."""
    return any(tape.follows(tensors) for tape in _tapes())


def _tapes() -> list[Any]:
    return [recorder for recorder in thread.context.recorders if not recorder.computes]


def could_possibly_record() -> bool:
    """Whether there is a tape at all."""
    return bool(thread.context.recorders)


def record_operation(
    op_type: str,
    output_tensors: Any,
    input_tensors: Any,
    backward_function: Callable[..., Any] | None,
    forward_function: Callable[..., Any] | None = None,
) -> None:
    """Record that the outputs were computed from the inputs, with the reverse and the forward rule."""
    row = _row(op_type, output_tensors, input_tensors, backward_function, forward_function)
    _tell(thread.context.recorders, row, output_tensors, input_tensors)


def record_operation_backprop_only(
    op_type: str, output_tensors: Any, input_tensors: Any, backward_function: Callable[..., Any]
) -> None:
    """The same, for tapes alone."""
    row = _row(op_type, output_tensors, input_tensors, backward_function, None)
    _tell(_tapes(), row, output_tensors, input_tensors)


def record_operation_forwardprop_only(
    op_type: str,
    output_tensors: Any,
    input_tensors: Any,
    backward_function: Callable[..., Any] | None,
    forwardprop_output_indices: Sequence[Any] | None,
) -> None:
    """The same, for forward accumulators alone: the forward rule is the transposed reverse rule."""
    if forwardprop_output_indices:
        raise NotImplementedError(
            "record_operation_forwardprop_only takes no tangents among the outputs: give the "
            "backward function, or record_operation a forward function."
        )
    row = _row(op_type, output_tensors, input_tensors, backward_function, None)
    forward = [r for r in thread.context.recorders if r.computes]
    _tell(forward, row, output_tensors, input_tensors)


def _row(op_type: str, outputs: Any, inputs: Any, backward: Any, forward: Any) -> Row:
    count = len(nest.flatten(inputs))

    def joint(gs: Sequence[Any], ys: Any, xs: Any, attrs: Any) -> list[Any]:
        if backward is None:
            raise InternalError(f"{op_type} was recorded without a backward function.")
        found = nest.flatten(backward(*gs))
        if len(found) < count:
            raise InternalError(
                f"The backward function of {op_type} returned too few gradients: {len(found)} for "
                f"{count} inputs. Return one for each, None where there is none."
            )
        return found

    def joint_jvp(ts: Sequence[Any], ys: Any, xs: Any, attrs: Any) -> Sequence[Any]:
        filled = [zeros_like(x) if t is None else t for t, x in zip(ts, xs, strict=True)]
        return nest.flatten(forward(*filled))

    return Row(
        op_type,
        lambda _, *xs: xs,
        joint=joint,
        joint_jvp=joint_jvp if forward is not None else None,
        many=len(nest.flatten(outputs)) != 1,
        users=True,
    )


def _tell(recorders: Sequence[Any], row: Row, output_tensors: Any, input_tensors: Any) -> None:
    outputs, inputs = nest.flatten(output_tensors), nest.flatten(input_tensors)
    for recorder in recorders:
        if recorder.follows(inputs):
            recorder.record(row, inputs, {}, outputs if row.many else outputs[0])
