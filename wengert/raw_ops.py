"""tf.raw_ops: operations by the name of their type, with all their arguments."""

import typing as _typing

from wengert.api.advice import absent as _answer
from wengert.compat.raw_operations import functions as _functions

_absent = _answer("raw_ops")


def __getattr__(name: str) -> "_typing.Any":
    made = _functions().get(name)
    if made is None:
        return _absent(name)
    globals()[name] = made()
    return globals()[name]


def __dir__() -> list[str]:
    return sorted(_functions())
