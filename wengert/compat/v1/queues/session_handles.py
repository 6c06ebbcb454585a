"""Values that stay behind a session's run, by handles that later runs take."""

from __future__ import annotations

import itertools
from typing import Any, Final

import numpy as np

from wengert.api.session.placeholders import placeholder
from wengert.compat.v1.queues.rows import effect, run_on
from wengert.errors import InvalidArgumentError
from wengert.values.dtypes import as_dtype, string
from wengert.values.tensor import Tensor

_KEPT: Final[dict[bytes, Any]] = {}
_NUMBERS: Final = itertools.count()


class TensorHandle(bytes):
    """Stands for a value; feeds and runs take it, and it gives the value itself."""

    @property
    def handle(self) -> TensorHandle:
        """What a holder is fed."""
        return self

    def eval(self) -> Any:
        """The value."""
        return _kept(self)

    def delete(self) -> None:
        """Let the value go."""
        _kept(self)
        del _KEPT[bytes(self)]

    def get_raw_handle(self) -> TensorHandle:
        """The handle, which somebody else has to delete."""
        return self

    def _session_value(self) -> Any:
        """What a feed means by the handle."""
        return _kept(self)

    def __str__(self) -> str:
        return self.decode()


def _kept(handle: bytes) -> Any:
    if bytes(handle) not in _KEPT:
        raise InvalidArgumentError(
            f"The tensor with handle '{handle.decode()}' is not in the session store."
        )
    return _KEPT[bytes(handle)]


def _keep(_: Any, value: Any) -> list[Any]:
    handle = TensorHandle(b"GetSessionHandle;%d;/device:CPU:0" % next(_NUMBERS))
    _KEPT[bytes(handle)] = np.array(value)[()]
    found = np.empty((), object)
    found[()] = handle
    return [found]


def _give(_: Any, handle: Any, *, dtype: Any) -> list[Any]:
    value = np.asarray(_kept(np.asarray(handle).item()))
    if value.dtype != dtype:
        raise InvalidArgumentError(f"The value of the handle is of {value.dtype}, not {dtype}.")
    return [value]


def _let_go(_: Any, handle: Any) -> list[Any]:
    TensorHandle(np.asarray(handle).item()).delete()
    return []


KEEP = effect("GetSessionHandleV2", _keep, lambda xs, attrs: [((), string.numpy_dtype)])
GIVE = effect("GetSessionTensor", _give, lambda xs, attrs: [(None, attrs["dtype"])])
LET_GO = effect("DeleteSessionTensor", _let_go)


def get_session_handle(data: Any, name: str | None = None) -> Any:
    """An operation whose run keeps a value, and gives its handle.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     kept = session.run(tf.compat.v1.get_session_handle(tf.constant(3) * 14))
    ...     holder, value = tf.compat.v1.get_session_tensor(kept.handle, tf.int32)
    ...     print(session.run(value, {holder: kept.handle}))
    42
    """
    if not isinstance(data, Tensor):
        raise TypeError("`data` must be of type Tensor.")
    return run_on(KEEP, [data], {}, name)[0]


def get_session_tensor(handle: Any, dtype: Any, name: str | None = None) -> tuple[Any, Any]:
    """What is fed a handle, and the value of the handle.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     kept = session.run(tf.compat.v1.get_session_handle(tf.constant(2.0)))
    ...     holder, value = tf.compat.v1.get_session_tensor(kept.handle, tf.float32)
    ...     print(session.run(value * value, {holder: kept.handle}))
    4.0
    """
    holder = placeholder(string, [])
    attrs = {"dtype": as_dtype(dtype).numpy_dtype}
    return holder, run_on(GIVE, [holder], attrs, name)[0]


def delete_session_tensor(handle: Any, name: str | None = None) -> tuple[Any, Any]:
    """What is fed a handle, and an operation that lets its value go.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     kept = session.run(tf.compat.v1.get_session_handle(tf.constant(2.0)))
    ...     holder, let_go = tf.compat.v1.delete_session_tensor(kept.handle)
    ...     session.run(let_go, {holder: kept.handle})
    """
    holder = placeholder(string, [])
    return holder, run_on(LET_GO, [holder], {}, name)
