"""Where TensorFlow has the classes by whose modules libraries know its values.

While `import tensorflow` is redirected here, the classes say these modules as their own.
"""

from __future__ import annotations

from typing import Final


class _Said:
    modules: Final[dict[type, str]] = {}  # TensorFlow's
    own: Final[dict[type, str]] = {}
    prefix: str | None = None  # while the classes say TensorFlow's modules


def known_in(kind: type, module: str) -> None:
    """Note in which of TensorFlow's modules a class is."""
    _Said.modules[kind] = module
    if _Said.prefix is not None:
        _say(kind)


def say_known_modules(prefix: str) -> None:
    """Let the classes, and those that are noted later, say modules below a name as their own."""
    _Said.prefix = prefix
    for kind in _Said.modules:
        _say(kind)


def say_own_modules() -> None:
    """Let the classes say their own modules again."""
    _Said.prefix = None
    for kind, own in _Said.own.items():
        kind.__module__ = own
    _Said.own.clear()


def _say(kind: type) -> None:
    _Said.own.setdefault(kind, kind.__module__)
    kind.__module__ = f"{_Said.prefix}.{_Said.modules[kind]}"
