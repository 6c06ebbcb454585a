"""tensorflow.python.framework.registry: things by their names, each with the place where it was registered."""

from __future__ import annotations

from typing import Any

from wengert.host.user_frames import callers_frame


class Registry:
    """Candidates by name; a name is taken once."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._registry: dict[str, tuple[Any, str]] = {}

    def register(self, candidate: Any, name: str | None = None) -> None:
        """Register a candidate, by default under its own name."""
        if not name:
            name = candidate.__name__
        if name in self._registry:
            place = self._registry[name][1]
            raise KeyError(
                f"Registering two {self._name} with name '{name}'! "
                f"(Previous registration was in {place})"
            )
        frame = callers_frame()
        place = f"{frame.f_code.co_name} {frame.f_code.co_filename}:{frame.f_lineno}"
        self._registry[name] = candidate, place

    def list(self) -> list[str]:
        """The names."""
        return list(self._registry)

    def lookup(self, name: str) -> Any:
        """The candidate of a name."""
        if name not in self._registry:
            raise LookupError(f"{self._name} registry has no entry for: {name}")
        return self._registry[name][0]
