"""The mistakes Wengert can report, one class for each.

The first family carries TensorFlow's names, so that ``except tf.errors.X`` keeps working. The
second is ours: mistakes in gradients. Each of ours derives from the exception TensorFlow raises
in the same place.
"""

from __future__ import annotations

import errno
import sys
from typing import Any, Final, TypeVar

Raised = TypeVar("Raised", bound=Exception)


def noted(error: Raised, note: str) -> Raised:
    """The error, with what stands below its text in a traceback; programs print and compare the text."""
    if sys.version_info >= (3, 11):
        error.add_note(note)
    return error


class OpError(Exception):
    """An operation could not be carried out."""

    error_code: int | None = None

    def __init__(
        self, node_def: Any = None, op: Any = None, message: Any = None, *others: Any
    ) -> None:
        """TensorFlow's arguments, or the message and perhaps the operation."""
        if message is None:
            node_def, message = None, node_def
        super().__init__(message)
        self.node_def = node_def
        self.message = message
        self.op = op

    @property
    def experimental_payloads(self) -> dict[Any, Any]:
        """What else is known: nothing, since no other process takes part."""
        return {}


class CancelledError(OpError):
    """The operation was cancelled."""

    error_code = 1


class UnknownError(OpError):
    """The operation failed for a reason that has no class of its own."""

    error_code = 2


class InvalidArgumentError(OpError, ValueError):
    """An operation was given an argument it cannot accept: a wrong shape, dtype or value."""

    error_code = 3


class DeadlineExceededError(OpError):
    """The operation did not end in time."""

    error_code = 4


class NotFoundError(OpError):
    """Something that was asked for by name does not exist."""

    error_code = 5


class AlreadyExistsError(OpError):
    """Something that was to be created exists."""

    error_code = 6


class PermissionDeniedError(OpError):
    """The caller may not do this."""

    error_code = 7


class ResourceExhaustedError(OpError, MemoryError):
    """There is not enough memory."""

    error_code = 8


class FailedPreconditionError(OpError):
    """The object is not in a state in which the operation can run."""

    error_code = 9


class AbortedError(OpError):
    """The operation was ended before it was done."""

    error_code = 10


class OutOfRangeError(OpError, IndexError):
    """A value lies outside the range it must lie in."""

    error_code = 11


class UnimplementedError(OpError, NotImplementedError):
    """The operation exists, and not for these arguments."""

    error_code = 12


class InternalError(OpError):
    """Wengert contradicted itself; please report it."""

    error_code = 13


class UnavailableError(OpError):
    """A service is not there at the moment."""

    error_code = 14


class DataLossError(OpError):
    """Stored data cannot be read back."""

    error_code = 15


class UnauthenticatedError(OpError):
    """The caller did not say who they are."""

    error_code = 16


def of_os_error(error: OSError, path: str = "file") -> OpError:
    """What the operating system refused, as the error that TensorFlow's file system reports.

    >>> type(of_os_error(FileNotFoundError(2, "No such file or directory", "x"))).__name__
    'NotFoundError'
    """
    kind = _OF_SYSTEM.get(error.errno or 0, UnknownError)
    return kind(f"{error.filename or path}; {error.strerror or error}")


_OF_SYSTEM: Final[dict[int, type[OpError]]] = {
    errno.ENOENT: NotFoundError,
    errno.EEXIST: AlreadyExistsError,
    errno.EACCES: PermissionDeniedError,
    errno.EPERM: PermissionDeniedError,
    errno.EROFS: PermissionDeniedError,
    errno.ENOTDIR: FailedPreconditionError,
    errno.EISDIR: FailedPreconditionError,
    errno.ENOTEMPTY: FailedPreconditionError,
    errno.ENOSPC: ResourceExhaustedError,
    errno.EDQUOT: ResourceExhaustedError,
    errno.EFBIG: ResourceExhaustedError,
    errno.EMFILE: ResourceExhaustedError,
}


def of_tensorflow() -> list[type[OpError]]:
    """The classes that TensorFlow has as well."""
    own = [kind for kind in OpError.__subclasses__() if "error_code" in vars(kind)]
    return [OpError, *own]


class OperatorNotAllowedInGraphError(TypeError):
    """A tensor of a graph was used where Python needs a value."""


class SymbolicValueError(OperatorNotAllowedInGraphError, NotImplementedError):
    """A value or a size was asked for that is known only when the graph runs."""


class NoInitialValueError(ValueError, NotImplementedError):
    """A variable was made without a value.

    A library's class whose value is computed from others derives from tf.Variable and expects that
    the class has no such method: it catches what TensorFlow raises there, NotImplementedError.
    """


class OverrideError(ValueError):
    """An override of a gradient that matched nothing, or a region it cannot replace."""


class TapeError(RuntimeError):
    """A tape was used in a way its state does not allow."""


class AnomalyError(InvalidArgumentError):
    """The first number of a gradient that is not finite, inside `tf.debugging.anomaly()`."""


class GradientCountError(ValueError):
    """A gradient function returned too few or too many gradients."""


class GradientShapeError(ValueError):
    """A gradient function returned a gradient of another shape than its input.

    `index` is the number of the input, `shape` what was returned for it, where that is known.
    """

    def __init__(self, message: str, index: int | None = None, shape: Any = None) -> None:
        super().__init__(message)
        self.index = index
        self.shape = shape


class GradientDTypeError(TypeError, ValueError):
    """A gradient function returned a gradient of another dtype than its input, that of number `index`."""

    def __init__(self, message: str, index: int | None = None) -> None:
        super().__init__(message)
        self.index = index


class CustomGradientError(TypeError):
    """A function given to `custom_gradient` does not keep to its contract."""


class NoGradientError(LookupError):
    """An operation on the way from a target to a source has no gradient."""


class DuplicateError(KeyError):
    """A name was registered twice."""

    def __str__(self) -> str:
        # KeyError shows the repr of its argument; a sentence should stay a sentence.
        return str(self.args[0])


class ConvergenceError(InvalidArgumentError):
    """A solver came to no solution, so that there is nothing to differentiate.

    `residual` is the largest residual where it stopped, `iterations` how far it came; None where
    that is not known.
    """

    def __init__(
        self, message: str, residual: float | None = None, iterations: int | None = None
    ) -> None:
        super().__init__(message)
        self.residual = residual
        self.iterations = iterations


class LeakedTensorError(OperatorNotAllowedInGraphError, RuntimeError):
    """A tensor of a graph, or one that stands for a batch, was used where it has no value."""

    def __init__(self, message: str, tensor: object = None) -> None:
        super().__init__(message)
        self.tensor = tensor


_DENSE: Final = ("to_tensor", "to_dense")  # methods by which a value gives a tensor


class NotATensorError(ValueError):
    """A value that is made of tensors was given where a tensor is expected.

    The text is made when it is read: most are caught, since a type may say what functions do with it.
    """

    def __init__(
        self, value: object, opening: str = "Attempt to convert a value to a Tensor"
    ) -> None:
        super().__init__(value, opening)

    def __str__(self) -> str:
        value, opening = self.args
        try:
            shown = repr(value)
        except Exception:  # noqa: BLE001  # a representation that needs numbers where there are none
            shown = object.__repr__(value)
        dense = next((f" Its {m}() is one." for m in _DENSE if hasattr(value, m)), "")
        return (
            f"{opening}: {shown} with an unsupported type ({type(value)}): it is made of tensors, but is "
            f"not one itself.{dense} tf.experimental.dispatch_for_api says what a function does with a type."
        )


class MissingNameError(AttributeError):
    """A name of TensorFlow's that Wengert lacks was used."""


class MemoryBudgetWarning(UserWarning):
    """A tape cannot keep within the memory that it was given."""


class GradientWarning(UserWarning):
    """A gradient will be None or otherwise not what was probably meant."""


# The codes of TensorFlow's errors.
OK = 0
CANCELLED = 1
UNKNOWN = 2
INVALID_ARGUMENT = 3
DEADLINE_EXCEEDED = 4
NOT_FOUND = 5
ALREADY_EXISTS = 6
PERMISSION_DENIED = 7
RESOURCE_EXHAUSTED = 8
FAILED_PRECONDITION = 9
ABORTED = 10
OUT_OF_RANGE = 11
UNIMPLEMENTED = 12
INTERNAL = 13
UNAVAILABLE = 14
DATA_LOSS = 15
UNAUTHENTICATED = 16

_BY_CODE: Final = {
    kind.error_code: kind
    for kind in list(vars().values())
    if isinstance(kind, type) and issubclass(kind, OpError) and "error_code" in vars(kind)
}


def exception_type_from_error_code(error_code: int) -> type[OpError]:
    """The error of a number."""
    return _BY_CODE[error_code]


def error_code_from_exception_type(cls: type[OpError]) -> int | None:
    """The number of an error."""
    return cls.error_code
