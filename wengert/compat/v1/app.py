"""tf.compat.v1.app: the start of a program."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any


def run(main: Callable[[Any], Any] | None = None, argv: list[str] | None = None) -> None:
    """Call `main` of the program with its arguments, and end with what it returns.

    >>> try:
    ...     tf.compat.v1.app.run(lambda argv: print(argv[1:]), ["prog", "a"])
    ... except SystemExit as end:
    ...     print(end.code)
    ['a']
    None
    """
    started = main if main is not None else sys.modules["__main__"].main
    sys.exit(started(argv if argv is not None else sys.argv))
