"""tensorflow.python.eager.record: recording operations on tapes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from wengert.core.context import activate, thread
from wengert.core.row import Row
from wengert.errors import InternalError
from wengert.host.context_manager import Change, context_manager, enter
from wengert.values import nest


@context_manager
def stop_recording() -> Change:
    """Stop all tapes from recording inside the block."""
    return enter(activate((), thread.context.interpreter))


def should_record_backprop(tensors: Sequence[Any]) -> bool:
    """Whether a tape watches one of the tensors."""
    return any(recorder.follows(tensors) for recorder in thread.context.recorders)


def could_possibly_record() -> bool:
    """Whether there is a tape at all."""
    return bool(thread.context.recorders)


def record_operation(
    op_type: str,
    output_tensors: Any,
    input_tensors: Any,
    backward_function: Callable[..., Any],
    forward_function: Callable[..., Any] | None = None,
) -> None:
    """Record on the tapes that the outputs were computed from the inputs, with the reverse rule."""
    outputs, inputs = nest.flatten(output_tensors), nest.flatten(input_tensors)

    def joint(gs: Sequence[Any], ys: Any, xs: Any, attrs: Any) -> list[Any]:
        found = nest.flatten(backward_function(*gs))
        if len(found) < len(inputs):
            raise InternalError(
                f"The backward function of {op_type} returned too few gradients: {len(found)} for "
                f"{len(inputs)} inputs. Return one for each, None where there is none."
            )
        return found

    row = Row(op_type, lambda _, *xs: xs, joint=joint, many=len(outputs) != 1, users=True)
    for recorder in thread.context.recorders:
        if recorder.follows(inputs):
            recorder.record(row, inputs, {}, outputs if row.many else outputs[0])


record_operation_backprop_only = record_operation
