"""The native engine as registered with the rest of Wengert; the compiler is loaded on first use.

Where it cannot compile, it warns once, and NumPy computes the plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wengert.errors import ResourceExhaustedError
from wengert.execution.description import Description
from wengert.execution.engine_registry import Engine, Runnable
from wengert.execution.plan import Plan
from wengert.host.collector import uncollected
from wengert.host.kept_memory import Blocks
from wengert.host.locks import load_module
from wengert.host.warn_once import warn_once


class NativeEngine(Engine):
    """Plans compiled to machine code."""

    compiles_sizes = True

    def compile(self, plan: Plan) -> Runnable | None:
        """The plan as machine code; None if it cannot be compiled, or every step would be NumPy's."""
        if not plan.steps:
            return None
        try:
            loading = load_module("wengert.engines.native.program.load")
            made = uncollected(loading.load_or_build, plan)
        except ImportError as error:
            warn_once(
                f"The native engine needs llvmlite ({error}). Graphs are computed by NumPy instead."
            )
            return None
        except MemoryError:
            warn_once("There was no memory to compile a graph; it is computed by NumPy instead.")
            return None
        except Exception as error:  # noqa: BLE001  # warned of once, and NumPy computes it
            first = plan.steps[0]
            warn_once(
                f"A graph could not be compiled and is computed by NumPy instead "
                f"({type(error).__name__}: {error}; its first operation is {first.name}, made at "
                f"{first.place}). This is a mistake in Wengert: please report it."
            )
            return None
        return None if made is None else NativePlan(made)


class NativePlan(Runnable):
    """A native plan that falls back to NumPy where it runs out of memory."""

    def __init__(self, running: Any) -> None:
        self.running = running
        self.plan: Plan = running.plan

    @property
    def fresh(self) -> list[bool]:
        found: list[bool] = self.running.fresh
        return found

    def __call__(self, values: Sequence[Any]) -> list[Any]:
        try:
            return self.running.run(values)  # type: ignore[no-any-return]
        except MemoryError as error:
            if not self.running.is_one_call:  # part of it has run already
                raise ResourceExhaustedError(f"OOM in a compiled graph: {error}") from error
            warn_once("There was no memory for a compiled graph; it is computed by NumPy instead.")
            return self.running.reference()(values)  # type: ignore[no-any-return]

    def describe(self, name: str) -> Description:
        report = load_module("wengert.engines.native.program.report")
        found: Description = report.describe(self.running.rebuild(), name)
        return found


def load_blocks() -> Blocks | None:
    """What keeps the blocks of large arrays; None where it does not work."""
    try:
        found: Blocks | None = load_module("wengert.engines.native.runtime.array_memory").load()
    except ImportError:
        return None
    return found
