"""The operations on tables, a row for each. The first input is the table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from wengert.core.context import current_graph
from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.errors import InvalidArgumentError
from wengert.lookup.contents import Contents, Form
from wengert.state.cell import resource
from wengert.values.dtypes import RESOURCE
from wengert.values.symbolic import AnyShape
from wengert.values.tensor import wrap


def _none_here(_: Any, **__: Any) -> Any:
    raise TypeError("A table stands in a graph; a session brings its contents.")


def _handle(kind: str) -> Row:
    resource(kind, lambda op: Contents(op.attrs["form"], op.name))
    return Row(kind, _none_here, forms=lambda xs, attrs: [((), RESOURCE)])


HANDLES: Final = {
    kind: _handle(kind)
    for kind in ("HashTableV2", "MutableHashTableV2", "MutableHashTableOfTensorsV2",
                 "MutableDenseHashTableV2")
}  # fmt: skip


def new_table(form: Form, name: str) -> Any:
    """The tensor that stands for a new table; in a graph, each session has its own."""
    graph = current_graph()
    if graph is None:
        return wrap(Contents(form, name))
    return graph.add(HANDLES[form.kind], (), {"form": form}, name).outputs[0]


# ---- questions ----------------------------------------------------------------------------------


def _find(_: Any, table: Contents, keys: Any, default: Any, *, form: Form) -> Any:
    extra = len(form.key_shape)
    if keys.shape[keys.ndim - extra :] != form.key_shape:
        raise InvalidArgumentError(
            f"Expected key shape to end with {list(form.key_shape)}, got {list(keys.shape)}"
        )
    return table.found(keys, np.asarray(default))


def _found_forms(xs: Any, attrs: Any) -> Any:
    form, keys = attrs["form"], xs[1]._array.shape
    if isinstance(keys, AnyShape):
        alike = not form.key_shape and not form.value_shape
        return [(keys if alike else None, form.value_dtype)]
    rows = keys[: len(keys) - len(form.key_shape)]
    return [((*rows, *form.value_shape), form.value_dtype)]


FIND: Final = Row(
    "LookupTableFindV2",
    _find,
    forms=_found_forms,
    stateful=True,
)
SIZE: Final = Row(
    "LookupTableSizeV2",
    lambda _, table: np.array(table.size(), np.int64),
    shape=lambda _: (),
    dtype=lambda _: np.dtype(np.int64),
    stateful=True,
)
EXPORT: Final = Row(
    "LookupTableExportV2",
    lambda _, table, *, form: list(table.exported()),
    forms=lambda xs, attrs: [
        ((None, *attrs["form"].key_shape), attrs["form"].key_dtype),
        ((None, *attrs["form"].value_shape), attrs["form"].value_dtype),
    ],
    many=True,
    stateful=True,
    by_value=True,
)

# ---- changes ------------------------------------------------------------------------------------


def changing(name: str, change: Callable[..., Any], arrays: bool = True) -> Row:
    """The row of an operation that changes a table, by what it is given: arrays, or other values."""

    def kernel(_: Any, table: Contents, *given: Any, **attrs: Any) -> list[Any]:
        change(table, *[np.asarray(a) if arrays else a for a in given], **attrs)
        return []

    return Row(
        name, kernel, forms=lambda xs, attrs: [], many=True, stateful=True, effects=True
    )  # fmt: skip


def _insert(table: Contents, keys: Any, values: Any) -> None:
    form = table.form
    rows = keys.shape[: keys.ndim - len(form.key_shape)]
    if values.shape != (*rows, *form.value_shape):
        raise InvalidArgumentError(
            f"Expected shape {[*rows, *form.value_shape]} for value, got {list(values.shape)}"
        )
    table.insert(keys, values)


def _fill(table: Contents, keys: Any, values: Any) -> None:
    if keys.shape != values.shape:
        raise InvalidArgumentError(
            f"keys and values must have the same shape, got {keys.shape} and {values.shape}."
        )
    table.fill(keys, values)


def _import(table: Contents, keys: Any, values: Any) -> None:
    (_fill if table.form.once else Contents.replace)(table, keys, values)


INSERT: Final = changing("LookupTableInsertV2", _insert)
REMOVE: Final = changing("LookupTableRemoveV2", Contents.remove)
IMPORT: Final = changing("LookupTableImportV2", _import)
FILL: Final = changing("InitializeTableV2", _fill)


def changed(row: Row, inputs: list[Any], name: str | None, **attrs: Any) -> Any:
    """Carry out a change: None, or the operation in a graph."""
    apply(row, inputs, attrs, name)
    graph = current_graph()
    return None if graph is None else graph.operations[-1]
