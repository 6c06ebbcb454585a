"""The trace cache of a function: lookup, a limit on its size, and warnings about retracing."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, Final

from wengert.api.function.signatures import Inputs, tensor_specs
from wengert.host.locks import load_module

if TYPE_CHECKING:
    from wengert.api.function.function import ConcreteFunction
    from wengert.values.type_spec import TypeSpec

MOST: Final = 1000  # traces of one function; beyond that, the oldest is evicted


Names = tuple[str | None, ...]


class Traces:
    """The cache of traces, by a key and the shapes, dtypes and names of tensors."""

    def __init__(self) -> None:
        self._exact: dict[tuple[Any, tuple[TypeSpec, ...], Names], ConcreteFunction] = {}
        # Those for more than one shape, or for one with or without a name, by key.
        self._open: dict[Any, list[tuple[tuple[TypeSpec, ...], Names, ConcreteFunction]]] = {}
        self._latest: dict[Any, tuple[TypeSpec, ...]] = {}

    def find(self, key: Hashable, specs: Sequence[TypeSpec]) -> ConcreteFunction | None:
        """The trace for tensors of these specs; None if there is none."""
        names = _names_of(specs)
        found = self._exact.get((key, tuple(specs), names))
        if found is not None:
            return found
        for known, given, trace in self._open.get(key, ()):
            taken = all(s.takes(v) for s, v in zip(known, specs, strict=True))
            if taken and _may_be_called(names, given):
                return trace
        return None

    def all(self) -> list[ConcreteFunction]:
        """The traces, oldest first."""
        return list(self._exact.values())

    def latest(self, key: Hashable) -> tuple[TypeSpec, ...] | None:
        """The signature of the newest trace for a key; None if there is none."""
        return self._latest.get(key)

    def add(self, key: Hashable, specs: Sequence[TypeSpec], trace: ConcreteFunction) -> bool:
        """Add a trace; return whether another one was evicted."""
        specs, names = tuple(specs), _names_of(specs)
        self._exact[key, specs, names] = trace
        self._latest[key] = specs
        if any(names) or not all(spec.shape.is_fully_defined() for spec in tensor_specs(specs)):
            self._open.setdefault(key, []).append((specs, names, trace))
        is_full = len(self._exact) > MOST
        if is_full:
            self._drop(next(iter(self._exact)))
        return is_full

    def _drop(self, which: tuple[Any, tuple[TypeSpec, ...], Names]) -> None:
        key, specs, _ = which
        dropped = self._exact.pop(which, None)
        left = [known for known in self._open.pop(key, ()) if known[2] is not dropped]
        if left:
            self._open[key] = left
        if self._latest.get(key) == specs:
            self._latest.pop(key)

    def forget(self, key: Any) -> None:
        """Drop the traces for an argument that no longer exists."""
        for which in [which for which in list(self._exact) if which[0] is key]:
            self._drop(which)


def _names_of(specs: Sequence[TypeSpec]) -> Names:
    """The names of the tensors, which are None for those of calls."""
    return tuple([spec.name for spec in tensor_specs(specs)])


def _may_be_called(wanted: Names, given: Names) -> bool:
    """Whether the arguments of a trace have the names that are asked for, if any."""
    return all(name is None or name == own for name, own in zip(wanted, given, strict=True))


# ---- retracing ----------------------------------------------------------------------------------

_MANY: Final = 5  # traces
_CALLS: Final = 10  # within fewer calls than this
_SECONDS: Final = 60.0


class Retracing:
    """Counts how often a function is traced, and warns once if that is too often."""

    def __init__(self) -> None:
        self.calls = 0
        self._traced: deque[tuple[int, float]] = deque(maxlen=_MANY)
        self._before: Inputs | None = None
        self._said = False

    def traced(self, function: Callable[..., Any], inputs: Inputs) -> None:
        """Count a trace; `inputs` are those of the call that was just counted."""
        now = time.monotonic()
        self._traced.append((self.calls, now))
        before, self._before = self._before, inputs
        call, then = self._traced[0]
        if (
            len(self._traced) == _MANY
            and self.calls - call < _CALLS
            and now - then < _SECONDS
            and not self._said
        ):
            self._said = True
            self._say(function, "" if before is None else inputs.difference(before))

    def _say(self, function: Callable[..., Any], difference: str) -> None:
        calls = max(self.calls - self._traced[0][0] + 1, _MANY)  # threads count before others trace
        load_module("wengert.api.session.logger").get_logger().warning(
            f"{_MANY} out of the last {calls} calls to {function!r} "
            "triggered tf.function retracing. Tracing is expensive: pass tensors instead of Python "
            "numbers and objects, and let reduce_retracing=True or an input_signature stand for "
            f"many shapes. {difference}"
        )
