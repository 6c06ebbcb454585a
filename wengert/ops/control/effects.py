"""Order and side effects: tf.group, tf.tuple, tf.no_op, tf.print, tf.debugging.Assert."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.context import current_graph, graph_around
from wengert.core.dispatch import apply
from wengert.core.row import NO_ATTRS, Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError, NotFoundError
from wengert.graph.operation import Operation
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.identity import identity
from wengert.values import nest
from wengert.values.convert import convert
from wengert.values.dtypes import bool_
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.symbolic import SymbolicTensor
from wengert.values.tensor import Tensor

if TYPE_CHECKING:
    from wengert.values.typing import Array, Namespace, TensorLike

NO_OP: Row = op("NoOp", lambda _: [], forms=lambda xs, attrs: [], many=True)


def no_op(name: str | None = None) -> Operation | Any:
    """An operation that does nothing, but can have control dependencies.

    >>> with tf.Graph().as_default():
    ...     print(tf.no_op().type)
    NoOp
    """
    if current_graph() is None:
        return None
    apply(NO_OP, (), NO_ATTRS, name)
    made: Operation = current_graph().operations[-1]
    return made


def group(*inputs: object, **kwargs: Any) -> Operation | Any:
    """An operation that is complete when all its inputs are. In eager mode it does nothing.

    >>> with tf.Graph().as_default():
    ...     v = tf.Variable(1.0)
    ...     both = tf.group(v.assign_add(1.0), tf.no_op())
    ...     print(both.type)
    NoOp
    """
    name = kwargs.pop("name", None)
    if kwargs:
        raise ValueError(f"Unknown keyword arguments: {', '.join(kwargs)}")
    graph = current_graph()
    if graph is None:
        return None
    for value in nest.flatten(inputs, expand_composites=True):
        if value is not None and not isinstance(value, (SymbolicTensor, Operation)) and not hasattr(value, "_as_graph_element"):  # fmt: skip
            raise TypeError(
                f"'inputs' should be zero or more (nested) Tensors. Received {value!r} with type "
                f"'{type(value)}'."
            )
    waits = [v for v in nest.flatten(inputs, expand_composites=True) if v is not None]
    with graph.control_dependencies(waits):
        return no_op(name or "group_deps")


def tuple_(
    tensors: Iterable[Any], control_inputs: Iterable[Any] | None = None, name: str | None = None
) -> list[Any]:
    """The same tensors, available only when all of them have been computed.

    >>> [t.numpy().item() for t in tf.tuple([tf.constant(1), tf.constant(2)])]
    [1, 2]
    """
    graph = current_graph()
    if graph is None:
        return list(tensors)
    given = [t for t in tensors if t is not None]
    if not given:
        raise ValueError(f"Must have at least one Tensor. Received: {tensors}")
    waits = [*given, *(control_inputs or [])]
    with graph.control_dependencies(nest.flatten(waits, expand_composites=True)):
        return [None if t is None else _after(t) for t in tensors]


def _after(value: Any) -> Any:
    if isinstance(value, Operation):
        return no_op()
    if isinstance(value, IndexedSlices):
        return value.with_values(identity(value.values))
    return identity(value)


def with_dependencies(
    dependencies: Sequence[Any], output: Tensor, name: str | None = None
) -> Tensor:
    """The same tensor, available only after some operations have run."""
    graph = current_graph()
    if graph is None:
        return output
    with graph.control_dependencies(list(dependencies)):
        result: Tensor = identity(output)
    return result


def _done(
    row: Row, inputs: Sequence[Tensor], attrs: dict[str, Any], name: str | None = None
) -> Operation | None:
    """Carry out an operation for its side effect: for each example of a batch, later in a graph."""
    apply(row, inputs, attrs, name)
    graph = graph_around()
    made: Operation | None = None if graph is None else graph.operations[-1]
    return made


# ---- printing ---------------------------------------------------------------------------------


def _print_kernel(
    _: Namespace,
    *arrays: Array,
    pieces: Sequence[Any],
    sep: str,
    end: str,
    stream: Any,
    summarize: int,
) -> list[Any]:
    values = iter(arrays)
    text = sep.join([_put(p, values, summarize) for p in pieces])
    if isinstance(stream, str) and stream.startswith(_FILE):
        _append(stream.removeprefix(_FILE), text + end)
    elif isinstance(stream, str) and stream in _LOGS:
        import logging  # it takes long to load

        logging.getLogger("tensorflow").log(_LOGS[stream], "%s", text)
    elif _is_logging(stream):
        stream(text)  # a line of the log, which has an end of its own
    else:
        print(text, end=end, file=_stream(stream))
    return []


def _append(path: str, text: str) -> None:
    try:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(text)
    except FileNotFoundError as error:
        raise NotFoundError(f"{path}; {error.strerror} [Op:PrintV2]") from None


def _is_logging(stream: Any) -> bool:
    """Whether it is a function that is given each text, like `tf.compat.v1.logging.info`."""
    return callable(stream) and not hasattr(stream, "write")


_STREAMS: Final = ("stdout", "stderr", None)  # by name; None is for that of Python's print
_FILE: Final = "file://"  # before the path, where the stream is a file that is added to
_LOGS: Final = {"log(info)": 20, "log(warning)": 30, "log(error)": 40}  # with Python's levels
# The level may be said instead, as Python counts them or as Abseil does, from 0 downwards.
_LEVELS: Final = dict(zip([0, -1, -2], _LOGS, strict=True)) | {n: log for log, n in _LOGS.items()}


WHOLE: Final = ...  # among the pieces, for a text that is printed without quotes


def _put(piece: Any, values: Iterator[Any], summarize: int) -> str:
    """A piece as text: a tensor's value, or a structure's pieces one after the other."""
    if piece is None:
        return shown_array(next(values), summarize)
    if piece is WHOLE:
        return str(np.asarray(next(values))[()].decode(errors="replace"))
    if isinstance(piece, list):
        return "".join([_put(p, values, summarize) for p in piece])
    return str(piece)


PRINT: Row = op("PrintV2", _print_kernel, forms=lambda xs, attrs: [], many=True, effects=True)


def print_(*inputs: object, **kwargs: Any) -> Operation | None:
    """Print values when they are computed; in a graph, every time it runs.

    >>> tf.print("x is", tf.constant([1.0, 2.0]), output_stream=sys.stdout)
    x is [1 2]
    """
    sep, end = kwargs.pop("sep", " "), kwargs.pop("end", "\n")
    stream = kwargs.pop("output_stream", sys.stderr)
    summarize = kwargs.pop("summarize", 3)
    name = kwargs.pop("name", None)
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {', '.join(kwargs)}")
    if type(stream) is int:
        stream = _LEVELS.get(stream, stream)
    _check_stream(stream)
    pieces: list[Any] = []
    tensors: list[Any] = []
    for value in inputs:
        _note_pieces(value, pieces, tensors)
    attrs = {"pieces": pieces, "sep": sep, "end": end, "stream": stream, "summarize": summarize}
    return _done(PRINT, tensors, attrs, name)


def _check_stream(stream: Any) -> None:
    """Refuse what cannot be written to, where it is said and not where a graph runs."""
    is_named = stream in _STREAMS or (
        isinstance(stream, str) and (stream in _LOGS or stream.startswith(_FILE))
    )
    if not is_named and not hasattr(stream, "write") and not callable(stream):
        raise ValueError(
            f"Unsupported output stream, logging level, or file. {stream!r} is neither an object that "
            "can be written to, like sys.stdout and sys.stderr, nor a level like logging.INFO, nor a "
            "function, like tf.compat.v1.logging.info. A file needs to be in the form of 'file://<filepath>'."
        )


def print_text(input: Any, output_stream: str = "stderr", end: str = "\n") -> Operation | None:
    """Print a text that was put together."""
    known = {"pieces": [WHOLE], "sep": "", "end": end, "stream": output_stream, "summarize": 3}
    return _done(PRINT, [convert(input)], known)


def _note_pieces(value: object, pieces: list[Any], tensors: list[Any]) -> None:
    """Collect texts, with None for each tensor, whose value is printed later."""
    if hasattr(value, "_array") or isinstance(value, np.ndarray):
        pieces.append(None)
        tensors.append(convert(value))
    elif isinstance(value, str) or not nest.is_nested(value):
        pieces.append(str(value))
    else:
        _note_parts(value, pieces, tensors)


def _note_parts(value: Any, pieces: list[Any], tensors: list[Any]) -> None:
    """Collect the pieces of a structure, formatted as by Python."""
    begins, ends = (
        "{}" if isinstance(value, Mapping) else "()" if isinstance(value, tuple) else "[]"
    )
    names = [f"{key!r}: " for key in value] if isinstance(value, Mapping) else [""] * len(value)
    parts = value.values() if isinstance(value, Mapping) else value
    found: list[Any] = [begins]
    for at, (name, part) in enumerate(zip(names, parts, strict=True)):
        found.append((", " if at else "") + name)
        _note_pieces(
            part if hasattr(part, "_array") or nest.is_nested(part) else repr(part), found, tensors
        )
    found.append(ends)
    pieces.append(found)


def _stream(stream: Any) -> Any:
    return getattr(sys, stream) if isinstance(stream, str) else stream


def shown_array(array: Array, summarize: int, depth: int = 1) -> str:
    """Numbers as TensorFlow prints them: integral floats without a point, long axes abbreviated."""
    rank = np.ndim(array)
    if not rank:
        return _number(np.asarray(array)[()])
    items = list(array)
    separator = " " if rank == 1 else "\n" * (rank - 1) + " " * depth
    if 0 <= summarize < len(items) and len(items) > 2 * summarize:
        shown = [shown_array(a, summarize, depth + 1) for a in items[:summarize]] + ["..."]
        shown += [shown_array(a, summarize, depth + 1) for a in items[len(items) - summarize :]]
    else:
        shown = [shown_array(a, summarize, depth + 1) for a in items]
    return f"[{separator.join(shown)}]"


def _number(value: Array) -> str:
    if isinstance(value, bytes):
        return f'"{value.decode(errors="replace")}"'
    if isinstance(value, (bool, np.bool_)):
        return "1" if value else "0"
    if isinstance(value, (float, np.floating)):
        return _float(value)
    return str(value)


def _float(value: Any) -> str:
    """The shorter of two forms that says which float it is; one of two bytes is shown as one of four."""
    kind, few, many = (
        (np.float64, 15, 17) if np.dtype(type(value)).itemsize == 8 else (np.float32, 6, 9)
    )
    number = kind(value)
    short = f"{number:.{few}g}"
    return short if kind(short) == number else f"{number:.{many}g}"


# ---- assertions -------------------------------------------------------------------------------


def _assert_kernel(_: Namespace, condition: Array, *data: Array, summarize: int) -> list[Any]:
    if not np.all(condition):
        shown = " ".join(f"[{_unquoted(d, summarize)}]" for d in data)
        raise InvalidArgumentError(f"assertion failed: {shown}")
    return []


def _unquoted(value: Array, summarize: int) -> str:
    array = np.asarray(value, object) if isinstance(value, bytes) else np.asarray(value)
    if array.dtype == object and not array.shape:
        text = array[()]
        return text.decode(errors="replace") if isinstance(text, bytes) else str(text)
    items = array.ravel()
    shown = [_number(v).strip('"') for v in items[:summarize]]
    return " ".join(shown) + ("..." if items.size > summarize else "")


ASSERT: Row = op("Assert", _assert_kernel, forms=lambda xs, attrs: [], many=True, effects=True)


@deferrable
def Assert(  # noqa: N802
    condition: TensorLike,
    data: Iterable[TensorLike],
    summarize: int | None = None,
    name: str | None = None,
) -> Operation | None:
    """Raise an error, with some values in its message, unless the condition holds.

    >>> tf.debugging.Assert(tf.constant(1) > 2, ["1 is not above 2"])
    Traceback (most recent call last):
        ...
    wengert.errors.InvalidArgumentError: Expected 'tf.Tensor(False, shape=(), dtype=bool)' to be true. Summarized data: b'1 is not above 2'
    assertion failed: [1 is not above 2]
    """
    holds = convert(condition, hint=bool_)
    values = [convert(d) for d in data]
    attrs = {"summarize": 3 if summarize is None else summarize}
    if type(holds) is not Tensor:
        return _done(ASSERT, (holds, *values), attrs)
    try:
        return _done(ASSERT, (holds, *values), attrs)
    except InvalidArgumentError as error:
        shown = "\n".join(_listed(v.numpy(), attrs["summarize"]) for v in values)
        raise InvalidArgumentError(
            f"Expected '{holds!s}' to be true. Summarized data: {shown}\n{error}"
        ) from None


def _listed(value: Any, most: int) -> str:
    """The first elements of an array, as they are shown of eager values."""
    if not np.ndim(value):
        return str(value)
    items = np.ravel(value)
    return ", ".join(map(str, items[:most])) + (", ..." if 0 <= most < items.size else "")


def provided(value: Tensor | None, condition: Tensor, message: str) -> Any:
    """`value`, with a control dependency on a check; functions run their checks without one."""
    check = Assert(condition, [message])
    graph = current_graph()
    if value is None or graph is None or graph.is_function:
        return value
    with graph.control_dependencies([check]):
        result: Tensor = identity(value)
    return result
