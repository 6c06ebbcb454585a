"""Tables of single keys and values as nodes say them."""

from __future__ import annotations

from typing import Any, Final

from wengert.lookup.contents import Form
from wengert.values.dtypes import as_dtype

FILLED_ONCE: Final = "HashTableV2"


def table_attrs(form: Form, name: str) -> dict[str, Any] | None:
    """The attributes of the node of a table; None if they do not say what it is."""
    if form.key_shape or form.value_shape or form.reserved:
        return None
    keys, values = as_dtype(form.key_dtype), as_dtype(form.value_dtype)
    return {"key_dtype": keys, "value_dtype": values, "shared_name": name, "container": ""}


def table_form(node: Any, kind: str, keys: str = "key_dtype", values: str = "value_dtype") -> Form:
    """What a table of a kind is made for, by these attributes of a node."""
    key_dtype, value_dtype = (as_dtype(node.attr[name].type).numpy_dtype for name in (keys, values))
    return Form(kind, key_dtype, value_dtype, once=kind == FILLED_ONCE)
