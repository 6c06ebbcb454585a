"""Where TensorFlow has the classes by whose modules and names programs know its values.

While `import tensorflow` is redirected here, the classes say these as their own.
"""

from __future__ import annotations

from typing import Final


class _Said:
    places: Final[dict[type, str]] = {}  # module and name, TensorFlow's
    own: Final[dict[type, tuple[str, str]]] = {}
    prefix: str | None = None  # while the classes say TensorFlow's places


def known_as(kind: type, place: str) -> None:
    """Note the module and the name that a class has in TensorFlow."""
    _Said.places[kind] = place
    if _Said.prefix is not None:
        _say(kind)


def say_known_places(prefix: str) -> None:
    """Let the classes, and those that are noted later, say places below a name as their own."""
    _Said.prefix = prefix
    for kind in _Said.places:
        _say(kind)


def say_own_places() -> None:
    """Let the classes say their own modules and names again."""
    _Said.prefix = None
    for kind, own in _Said.own.items():
        _put(kind, *own)
    _Said.own.clear()


def _say(kind: type) -> None:
    _Said.own.setdefault(kind, (kind.__module__, kind.__qualname__))
    module, _, name = _Said.places[kind].rpartition(".")
    _put(kind, f"{_Said.prefix}.{module}", name)


def _put(kind: type, module: str, name: str) -> None:
    kind.__module__, kind.__qualname__, kind.__name__ = module, name, name
