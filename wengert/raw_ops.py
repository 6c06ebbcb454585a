"""tf.raw_ops: operations by the name of their type, with all their arguments."""

import typing as _typing

from wengert.compat.raw_operations import functions as _functions


def __getattr__(name: str) -> "_typing.Any":
    made = _functions().get(name)
    if made is None:
        raise AttributeError(f"module 'wengert.raw_ops' has no attribute {name!r}")
    globals()[name] = made()
    return globals()[name]


def __dir__() -> list[str]:
    return sorted(_functions())
