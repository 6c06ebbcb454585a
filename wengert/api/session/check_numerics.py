"""tf.debugging.enable_check_numerics: an error where the first NaN or infinity appears."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.context import start, stop, thread
from wengert.core.recorder import Recorder
from wengert.core.row import Attrs, Row
from wengert.errors import InvalidArgumentError
from wengert.execution.engine_registry import set_check
from wengert.graph.operation import Operation
from wengert.host.user_frames import callers_place
from wengert.values.symbolic import SymbolicTensor

if TYPE_CHECKING:
    from wengert.values.typing import Array


class _Watching(Recorder):
    """Is notified of every operation, and checks its results."""

    def record(self, row: Row, inputs: Sequence[Any], attrs: Attrs, result: Any) -> None:
        for y in result if row.many else [result]:
            if type(y) is not SymbolicTensor and y.dtype.is_differentiable:
                given = ", ".join(f"{x.dtype.name}{list(x.shape)}" for x in inputs)
                where = f'eagerly-executing op "{row.name}"'
                place = f"called at {callers_place()}"
                _check(y._array, where, f"inputs: {given}; {place}{_REASONS.get(row.name, '')}")


# What NaN says of the input, for operations where the input is to blame.
_REASONS: Final = {"Cholesky": "; the matrix is not positive definite"}


def _check_in_graph(op: Operation, results: Sequence[Any]) -> None:
    """Check the results of an operation of a function or a session."""
    for array in results:
        if isinstance(array, (np.ndarray, np.generic)):
            given = ", ".join(f"{x.dtype.name}{x.shape}" for x in op.inputs)
            _check(
                array,
                f'graph op "{op.type}"',
                f"inputs: {given}{_forward_line(op)}{_REASONS.get(op.type, '')}",
            )


_GRADIENTS: Final = re.compile(r"(?:.*/)?(?:gradients|gradient_tape)(?:_\d+)?/(.+?)_grad(?:_\d+)?/")


def _forward_line(op: Operation) -> str:
    """For an operation in a gradient: the source line of the forward operation it belongs to."""
    found = _GRADIENTS.match(op.name)
    graph = op.graph
    while found is not None and graph is not None:
        forward = graph._by_name.get(found[1])
        if forward is not None:
            return f"; in the gradient of {forward.name}, defined at {forward.place}"
        graph = graph.outer_graph
    return ""


def _check(array: Array | np.generic, where: str, more: str) -> None:
    if array.dtype.kind not in "fcV" or np.isfinite(array).all():
        return
    counts = {"-Inf": np.isneginf, "+Inf": np.isposinf, "NaN": np.isnan}
    real = array.real if array.dtype.kind == "c" else array
    found = ", ".join(f"{int(count(real).sum())} {name}" for name, count in counts.items())
    raise InvalidArgumentError(
        f"!!! Detected Infinity or NaN in output of {where} "
        f"(# of outputs: {array.size} elements, {found}; {more}). "
        "tf.debugging.disable_check_numerics() turns this check off."
    )


_WATCHING: Final = _Watching()


def enable_check_numerics(stack_height_limit: int = 30, path_length_limit: int = 50) -> None:
    """Raise an error at the first operation that gives NaN or infinity, naming its source line.

    It sees what this thread computes eagerly, and every operation of functions and sessions, which are
    not compiled meanwhile. Of an operation in a gradient it names the line of the forward one.

    >>> tf.debugging.enable_check_numerics()
    >>> try:
    ...     tf.math.log(tf.constant(0.0))
    ... except tf.errors.InvalidArgumentError as error:
    ...     print("Log" in str(error))
    ... finally:
    ...     tf.debugging.disable_check_numerics()
    True
    """
    if _WATCHING not in thread.context.recorders:
        start(_WATCHING)
    set_check(_check_in_graph)


def disable_check_numerics() -> None:
    """Undo `enable_check_numerics`.

    >>> tf.debugging.disable_check_numerics()
    """
    stop(_WATCHING)
    set_check(None)
