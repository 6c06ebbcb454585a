"""Python's collector of cycles: work that makes many objects, and few cycles, runs without it."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from typing import ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class _Collector:
    waits = False  # whether it is disabled here


def uncollected(
    make: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs
) -> Result:
    """Call with the collector off: it would traverse the growing data repeatedly."""
    if not gc.isenabled():  # disabled by the user, or by a caller, who enables it again
        return make(*args, **kwargs)
    try:
        try:
            _Collector.waits = True
            gc.disable()
            return make(*args, **kwargs)
        finally:
            _collect_again()
    finally:  # also if the first was interrupted
        _collect_again()


def _collect_again() -> None:
    if _Collector.waits:
        gc.enable()
        _Collector.waits = False


if hasattr(os, "register_at_fork"):  # the thread that would enable it again is not in the child
    os.register_at_fork(after_in_child=_collect_again)
