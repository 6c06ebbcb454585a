"""Tables that are filled once, in a saved model: an object whose functions make it, fill it and let go of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from wengert.compat.graph_defs.nodes import constant, plain_node
from wengert.compat.graph_defs.protos import message
from wengert.compat.graph_defs.table_nodes import FILLED_ONCE, table_attrs, table_form
from wengert.core.context import activate
from wengert.lookup.contents import Contents
from wengert.lookup.rows import HANDLES, new_table
from wengert.values.dtypes import DType, as_dtype, int32, resource

CREATE: Final = "_create_resource"
INITIALIZE: Final = "_initialize"
DESTROY: Final = "_destroy_resource"


class TableFunction(NamedTuple):
    """A function of a table: its name among the parts of the object, its definition, what it gives."""

    part: str
    definition: Any
    dtype: DType
    takes_table: bool


def contents_of(value: Any) -> Contents | None:
    """What a tensor stands for, if that is a table."""
    found = getattr(value, "_array", None)
    return found if isinstance(found, Contents) else None


def table_node(name: str, contents: Contents) -> Any:
    """The node that makes a table."""
    kind = contents.form.kind
    attrs = table_attrs(contents.form, name) if kind == FILLED_ONCE else None
    if attrs is None:
        raise NotImplementedError(
            f"A function that uses the table {contents.name!r} of kind {kind} cannot be saved: tables that are "
            "filled once can be."
        )
    return plain_node(kind, name, [], **attrs)


def functions(library: Any, contents: Contents) -> Iterator[TableFunction]:
    """The functions of a table."""
    name = library.name(contents.name)
    made = table_node("table", contents)
    made.attr["shared_name"].s = name.strip("_").encode()  # TensorFlow takes no other beginning
    yield _function(library, CREATE, resource, [made], "table:table_handle:0")
    keys, values = contents.exported()
    known = [
        constant("keys", keys, as_dtype(keys.dtype)),
        constant("values", values, as_dtype(values.dtype)),
    ]
    kinds = {"Tin": as_dtype(keys.dtype), "Tout": as_dtype(values.dtype)}
    given = ["table", "keys:output:0", "values:output:0"]
    fill = plain_node("LookupTableImportV2", "fill", given, **kinds)
    done = constant("done", 1)
    yield _function(library, INITIALIZE, int32, [*known, fill, done], "done:output:0", "fill")
    yield _function(library, DESTROY, int32, [done], "done:output:0")


def _function(
    library: Any, part: str, dtype: DType, nodes: list[Any], result: str, acts: str = ""
) -> TableFunction:
    made = message("FunctionDef")()
    made.signature.name = library.name(part)
    made.signature.is_stateful = True
    if acts:
        made.signature.input_arg.add(name="table", type=resource.as_datatype_enum)
        made.signature.control_output.append(acts)
        made.control_ret[acts] = acts
    made.signature.output_arg.add(name="result", type=dtype.as_datatype_enum)
    made.node_def.extend(nodes)
    made.ret["result"] = result
    return TableFunction(part, made, dtype, bool(acts))


def table_of(function: Any) -> Any:
    """The tensor of a new table, as the function of a file makes one; None if that makes something else."""
    node = next((n for n in function.node_def if n.op in HANDLES), None)
    if node is None or node.op != FILLED_ONCE:
        return None
    with activate((), None):
        return new_table(table_form(node, node.op), node.name)
