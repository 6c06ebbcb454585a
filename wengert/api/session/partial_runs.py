"""Runs in parts: Session.partial_run, where what was computed for one fetch serves the next.

A run is set up with all that will be fetched and fed. Each part is a run of its own, to which all values
that earlier parts computed are fed: so nothing is computed, drawn or assigned twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from wengert.errors import InvalidArgumentError
from wengert.execution.plan import Plan
from wengert.graph.operation import Operation
from wengert.state.cell import is_resource
from wengert.values.dtypes import VARIANT
from wengert.values.symbolic import SymbolicTensor

Run = Callable[[Sequence[SymbolicTensor], Sequence[SymbolicTensor], Sequence[Any]], list[Any]]


class PartialRun:
    """A run that was set up: what of it is still to come, and the values that are known."""

    def __init__(self, fetches: Iterable[Any], feeds: Iterable[SymbolicTensor]) -> None:
        self._fetches, self._feeds = list(fetches), list(feeds)
        if not self._fetches:
            raise InvalidArgumentError("Must specify at least one target to fetch or execute.")
        for fetch in self._fetches:
            if isinstance(fetch, Operation):
                raise RuntimeError(
                    f"partial_run() requires empty `target_list`: {fetch!r} gives no value. Fetch a "
                    "tensor that depends on it."
                )
        self._known: dict[int, tuple[SymbolicTensor, Any]] = {}
        self._fetched: set[int] = set()
        self._fed: set[int] = set()

    def part(self, fetches: Sequence[SymbolicTensor], feeds: Sequence[Any], run: Run) -> list[Any]:
        """The values of some fetches, with what has been fed so far."""
        _check("fed", [x for x, _ in feeds], self._feeds, self._fed)
        _check("fetched", fetches, self._fetches, self._fetched)
        self._fed.update(id(x) for x, _ in feeds)
        self._known.update({id(x): (x, value) for x, value in feeds})
        given = [x for x, _ in self._known.values()]
        new = [y for op in Plan(fetches, given).steps for y in op.outputs if _is_plain(y)]
        asked = [*fetches, *new]
        values = run(asked, given, [value for _, value in self._known.values()])
        self._known.update({id(x): (x, v) for x, v in zip(asked, values, strict=True)})
        self._fetched.update(map(id, fetches))
        return values[: len(fetches)]


def _check(
    done: str, given: Sequence[SymbolicTensor], stated: Sequence[Any], before: set[int]
) -> None:
    """Raise for what was not set up, or was fed or fetched by an earlier part."""
    there = set(map(id, stated))
    for x in given:
        if id(x) not in there:
            raise InvalidArgumentError(
                f"The tensor {x.name} is to be {done}, but was not specified in partial_run_setup."
            )
        if id(x) in before:
            raise InvalidArgumentError(f"The tensor {x.name} has already been {done}.")


def _is_plain(y: SymbolicTensor) -> bool:
    """Whether its value can be fed to another run: no list of a loop, and no handle."""
    return y._array.dtype is not VARIANT and not is_resource(y.op)
