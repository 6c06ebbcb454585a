"""What the operations on queues, barriers, staging areas and stacks have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert.core.context import current_graph
from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.errors import InvalidArgumentError
from wengert.graph.operation import Operation
from wengert.state.cell import resource
from wengert.values.dtypes import RESOURCE, int32
from wengert.values.shapes import shape_text
from wengert.values.tensor import wrap


def nothing(xs: Any, attrs: Any) -> list[Any]:
    """The forms of the results of an operation that has none."""
    return []


def components(xs: Any, attrs: Any) -> list[Any]:
    """The forms of components, of which the dtypes are known."""
    return [(None, dtype.numpy_dtype) for dtype in attrs["dtypes"]]


def count(xs: Any, attrs: Any) -> list[Any]:
    """The form of a number of things."""
    return [((), int32.numpy_dtype)]


def effect(name: str, kernel: Any, forms: Any = nothing) -> Row:
    """The row of an operation that changes what a handle stands for, or reads it."""
    return Row(name, kernel, forms=forms, many=True, stateful=True, effects=True)


def _none_here(_: Any, **__: Any) -> Any:
    raise TypeError("This stands in a graph; a session brings what it stands for.")


def handle_row(
    name: str,
    make: Callable[[Operation], Any],
    agree: Callable[[Operation, Operation], None] | None = None,
) -> Row:
    """The row of the operation that stands for what each session makes."""
    resource(name, make, agree)
    return Row(name, _none_here, forms=lambda xs, attrs: [((), RESOURCE)])


def handle_of(row: Row, attrs: dict[str, Any], name: str, empty: Callable[[], Any]) -> Any:
    """What stands for a thing in its graph; outside of a graph, the thing itself."""
    graph = current_graph()
    return wrap(empty()) if graph is None else graph.add(row, (), attrs, name).outputs[0]


def run(row: Row, handle: Any, inputs: Any, attrs: dict[str, Any], name: str | None) -> Any:
    """What an operation on a handle gives; in a graph the operation itself, if it gives nothing."""
    return run_on(row, [handle, *inputs], attrs, name)


def run_on(row: Row, inputs: Any, attrs: dict[str, Any], name: str | None) -> Any:
    """The same for an operation without a handle."""
    found = apply(row, inputs, attrs, name)
    graph = current_graph()
    return found if found or graph is None else graph.operations[-1]


def check_shared(what: str, name: str, have: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Raise if two of one name differ in how they were made: what is said of it, and its values."""
    for said, value in have.items():
        if value != wanted[said]:
            were = "were" if said.endswith("s") else "was"
            raise InvalidArgumentError(
                f"Shared {what} '{name}' has {said} {value} but requested {said} {were} {wanted[said]}."
            )


def shown_shapes(shapes: Any) -> str:
    """The shapes of components, as they are shown together."""
    known = [shape for shape in shapes or () if shape.rank is not None]
    return f"[{','.join(shape_text(tuple(shape)) for shape in known)}]"


def shown_types(dtypes: Any) -> str:
    """The dtypes of components, as they are shown together."""
    called = {"float32": "float", "float64": "double", "float16": "half"}
    return ", ".join(called.get(d.name, d.name) for d in dtypes)
