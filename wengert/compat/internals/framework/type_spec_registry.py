"""tensorflow.python.framework.type_spec_registry: classes of type specs by name."""

from __future__ import annotations

import re
from collections.abc import Callable

_NAME = re.compile(r"^(\w+\.)+\w+$")
# Programs take entries out of both, by these names.
_NAME_TO_TYPE_SPEC: dict[str, type] = {}
_TYPE_SPEC_TO_NAME: dict[type, str] = {}


def register(name: str) -> Callable[[type], type]:
    """Enter a class of type specs under a name such as `project.Class`."""
    if not isinstance(name, str):
        raise TypeError(f"Expected `name` to be a string; got {name!r}")
    if not _NAME.match(name):
        raise ValueError(
            f"Registered name must have the form '{{project_name}}.{{type_name}}'; got {name!r}."
        )

    def registered(cls: type) -> type:
        if _NAME_TO_TYPE_SPEC.get(name, cls) is not cls:
            raise ValueError(
                f"Name {name} has already been registered for class {_NAME_TO_TYPE_SPEC[name]}."
            )
        _NAME_TO_TYPE_SPEC[name], _TYPE_SPEC_TO_NAME[cls] = cls, name
        return cls

    return registered


def lookup(name: str) -> type:
    """The class of a name."""
    if name not in _NAME_TO_TYPE_SPEC:
        raise ValueError(f"No TypeSpec has been registered with name {name!r}")
    return _NAME_TO_TYPE_SPEC[name]


def get_name(cls: type) -> str:
    """The name of a class."""
    if cls in _TYPE_SPEC_TO_NAME:
        return _TYPE_SPEC_TO_NAME[cls]
    raise ValueError(f"TypeSpec {cls.__module__}.{cls.__name__} has not been registered.")
