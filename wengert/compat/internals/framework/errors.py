"""tensorflow.python.framework.errors, errors_impl: the numbers of errors."""

from __future__ import annotations

from wengert import errors
from wengert.errors import OpError

_BY_CODE = {
    kind.error_code: kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, OpError) and "error_code" in vars(kind)
}


def exception_type_from_error_code(error_code: int) -> type[OpError]:
    """The error of a number."""
    return _BY_CODE[error_code]


def error_code_from_exception_type(cls: type[OpError]) -> int | None:
    """The number of an error."""
    return cls.error_code
