"""What holds for every test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import wengert  # noqa: F401
from wengert.core.dispatch import state
from wengert.core.registry import GRADIENTS, TABLE


@pytest.fixture(autouse=True)
def nothing_left_behind() -> Iterator[None]:
    """No test leaves a recorder or an interpreter active, or an operation registered."""
    rows, gradients = dict(TABLE), dict(GRADIENTS)
    yield
    here = state.here
    assert here.recorders == ()
    assert here.interpreter is None
    assert here.listeners == ()
    for table, before in ((TABLE, rows), (GRADIENTS, gradients)):
        for name in set(table) - set(before):
            del table[name]
