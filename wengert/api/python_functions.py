"""Python functions among the operations: tf.numpy_function and tf.py_function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from wengert.api.registration import read_only
from wengert.core.convert import as_array, convert
from wengert.core.dispatch import apply
from wengert.core.dtypes import DType, as_dtype
from wengert.core.operation import Row
from wengert.core.registry import op
from wengert.core.tensor import Tensor
from wengert.errors import InvalidArgumentError


def _kernel(xp: Any, *arrays: Any, func: Callable[..., Any], wanted: Sequence[DType]) -> list[Any]:
    results = _as_list(func(*[read_only(a) if a.shape else a for a in arrays]), len(wanted))
    name = getattr(func, "__name__", "pyfunc")
    if len(results) != len(wanted):
        raise InvalidArgumentError(
            f"{name} returns {len(results)} values, but expects to see {len(wanted)} values. "
            "[Op:PyFunc]"
        )
    own = [as_array(np.asarray(r)) for r in results]
    for i, (array, dtype) in enumerate(zip(own, wanted, strict=True)):
        found = convert(array).dtype
        if found is not dtype:
            raise InvalidArgumentError(
                f"{i}-th value returned by {name} is {found.spoken}, but expects {dtype.spoken}. "
                f"Return an array of that dtype, or say Tout=tf.{found.name} [Op:PyFunc]"
            )
    return own


PY_FUNC: Row = op("PyFunc", _kernel, many=True, users=True)


def _as_list(result: Any, count: int) -> list[Any]:
    if result is None:
        return []
    if isinstance(result, (list, tuple)) and not (count == 1 and isinstance(result, list)):
        return list(result)
    return [result]


def _wanted(Tout: Any) -> tuple[list[DType], bool]:  # noqa: N803
    """The dtypes of the results, and whether there is a single one."""
    if isinstance(Tout, (list, tuple)):
        return [as_dtype(t) for t in Tout], False
    return [as_dtype(Tout)], True


def numpy_function(
    func: Callable[..., Any],
    inp: Any,
    Tout: Any,  # noqa: N803
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """Call a function of NumPy arrays. No gradient flows through it.

    >>> tf.numpy_function(np.sinh, [tf.constant(0.0)], tf.float32).numpy()
    np.float32(0.0)
    """
    wanted, single = _wanted(Tout)
    results = apply(PY_FUNC, [convert(x) for x in inp], {"func": func, "wanted": wanted})
    return results[0] if single else results


def py_function(
    func: Callable[..., Any],
    inp: Any,
    Tout: Any,  # noqa: N803
    name: str | None = None,
) -> Any:
    """Call a function of tensors. Gradients of every order flow through the operations it uses.

    >>> x = tf.constant(3.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = tf.py_function(lambda v: v * v if v > 0 else -v, [x], tf.float32)
    >>> tape.gradient(y, x).numpy()
    np.float32(6.0)
    """
    wanted, single = _wanted(Tout)
    results = _as_list(func(*[convert(x) for x in inp]), len(wanted))
    if len(results) != len(wanted):
        raise InvalidArgumentError(
            f"The function given to py_function returned {len(results)} values, but Tout names "
            f"{len(wanted)} [Op:EagerPyFunc]"
        )
    tensors: list[Tensor] = [convert(r, d) for r, d in zip(results, wanted, strict=True)]
    return tensors[0] if single else tensors
