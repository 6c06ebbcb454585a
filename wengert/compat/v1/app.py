"""tf.compat.v1.app: the start of a program."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any


def run(main: Callable[[Any], Any] | None = None, argv: list[str] | None = None) -> None:
    """Call `main` of the program with its arguments, and exit with its result.

    >>> try:
    ...     tf.compat.v1.app.run(lambda argv: print(argv[1:]), ["prog", "a"])
    ... except SystemExit as end:
    ...     print(end.code)
    ['a']
    None
    """
    started = main if main is not None else sys.modules["__main__"].main
    given = argv if argv is not None else sys.argv
    if "absl.flags" in sys.modules:
        given = sys.modules["absl.flags"].FLAGS(given, known_only=True)
    sys.exit(started(given))


def __getattr__(name: str) -> Any:
    """The flags of a program: absl's, as in TensorFlow."""
    if name != "flags":
        raise AttributeError(f"module 'wengert.compat.v1.app' has no attribute {name!r}")
    try:
        return importlib.import_module("absl.flags")
    except ImportError:
        raise ImportError(
            "tf.flags is absl.flags, which is not installed: pip install absl-py"
        ) from None
