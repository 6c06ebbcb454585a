"""The XLA engine as registered with the rest of Wengert; JAX is loaded on first use."""

from __future__ import annotations

from wengert.execution.engine_registry import Engine, Runnable
from wengert.execution.plan import Plan
from wengert.host.locks import load_module


class XlaEngine(Engine):
    """Plans compiled by XLA. JAX compiles again for other sizes, so a graph needs no copies."""

    def accelerators(self) -> list[str]:
        """Those that JAX finds."""
        backend = load_module("wengert.engines.xla.backend")
        try:
            backend.require()
        except ImportError:
            return []
        return [d.platform.upper() for d in backend.jax.devices() if d.platform != "cpu"]

    def compile(self, plan: Plan) -> Runnable | None:
        """The plan as a function of jax.numpy; None if it has no steps."""
        if not plan.steps:
            return None
        load_module("wengert.engines.xla.backend").require()
        made: Runnable = load_module("wengert.engines.xla.program").XlaPlan(plan)
        return made
