"""Rows: a copy with changes has every other field of the original."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from wengert.core.row import FIELDS, Row
from wengert.core.table import TABLE, complete

# Computed by the constructor from the others.
DERIVED = {"differentiable", "large_from", "saves_x", "saves_y", "ufunc"}


def of_marks() -> Row:
    """A row whose fields all differ from each other and from their defaults."""

    def kernel(xp: Any, x: Any) -> Any:
        return xp.negative(x)

    given: dict[str, Any] = {name: f"<{name}>" for name in FIELDS}
    return Row(**given | {"kernel": kernel})


def test_fields_are_what_the_constructor_takes() -> None:
    """Each parameter is a field of its name, and nothing else is kept but what follows from them."""
    parameters = list(inspect.signature(Row).parameters)
    assert list(FIELDS) == parameters
    assert set(Row.__slots__) == {*parameters, *DERIVED}


def test_the_constructor_keeps_each_parameter() -> None:
    row = of_marks()
    assert [n for n in FIELDS if n != "kernel" and getattr(row, n) != f"<{n}>"] == []


@pytest.mark.parametrize("changed", FIELDS)
def test_a_copy_differs_in_nothing_but_what_is_changed(changed: str) -> None:
    """`sums_back` alone is found anew from the rules, unless it is given; other rules have no `add_part`."""
    row, new = of_marks(), "y" if changed == "saves" else len
    copy = row.replace(**{changed: new})
    assert getattr(copy, changed) is new
    rest = set(FIELDS) - {changed, "sums_back"}
    if changed in ("vjp", "joint"):
        assert copy.add_part is None
        rest.remove("add_part")
    assert [n for n in rest if getattr(copy, n) is not getattr(row, n)] == []


def test_copies_of_all_rows_are_equal_to_them() -> None:
    complete()
    for row in TABLE.values():
        copy = row.replace(sums_back=row.sums_back)
        assert [n for n in Row.__slots__ if getattr(copy, n) != getattr(row, n)] == [], row
