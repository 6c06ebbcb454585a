"""Raw operations that train: an optimizer's step on a variable and its slots, whole or on some rows.

Each is told by what train/updates.py calls its arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from wengert.api.session.handles import variable_of_handle
from wengert.compat.raw_variables import variable_of
from wengert.errors import InvalidArgumentError
from wengert.ops.control.effects import group
from wengert.ops.math.elementwise import cast
from wengert.state.variable import Variable
from wengert.train import updates
from wengert.train.dense_or_rows import Rows, Whole
from wengert.train.ftrl import ftrl_step
from wengert.values.convert import convert
from wengert.values.dtypes import resource
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.symbolic import SymbolicTensor
from wengert.values.tensor import Tensor

Written = dict[str, Callable[..., Any]]
# How raw operations call what the updates call otherwise.
_NAMES: Final = {
    "accum": "slot", "accum_update": "moved", "alpha": "rate", "beta1_power": "power1",
    "beta2_power": "power2", "global_step": "step", "gradient_accumulator": "total",
    "gradient_squared_accumulator": "squares", "l2_shrinkage": "shrinkage", "lr": "rate",
    "lr_power": "power", "mg": "mean", "mom": "speed", "ms": "rms", "sign_decay": "decay",
    "update_slots": "grows", "use_nesterov": "nesterov", "var": "variable", "vhat": "largest",
}  # fmt: skip


def _ftrl(part: Any, variable: Any, slot: Any, linear: Any, **now: Any) -> list[Any]:
    if now.pop("multiply_linear_by_lr", False):
        raise NotImplementedError(
            "multiply_linear_by_lr=True is not there: the sum is kept as it is."
        )
    now.setdefault("shrinkage", 0.0)
    return ftrl_step(part, variable, slot, linear, **now)


def _names(**other: str) -> dict[str, str]:
    return {**_NAMES, **other}


# The update of each operation, and the names of its arguments.
_UPDATES: Final[dict[str, tuple[Callable[..., Any], dict[str, str]]]] = {
    "AdaMax": (updates.adamax, _NAMES),
    "Adadelta": (updates.adadelta, _names(accum="seen")),
    "Adagrad": (lambda **now: updates.adagrad_apart(epsilon=0.0, **now), _NAMES),
    "AdagradDA": (updates.dual_averaging, _NAMES),
    "AdagradV2": (updates.adagrad_apart, _NAMES),
    "Adam": (updates.adam, _NAMES),
    "AdamWithAmsgrad": (updates.adam, _NAMES),
    "AddSign": (updates.add_sign, _names(alpha="alpha")),
    "CenteredRMSProp": (updates.rmsprop, _names(rho="decay")),
    "Ftrl": (_ftrl, _NAMES),
    "FtrlV2": (_ftrl, _NAMES),
    "GradientDescent": (updates.descent, _NAMES),
    "KerasMomentum": (updates.momentum_of_steps, _names(momentum="decay")),
    "Momentum": (updates.momentum, _names(momentum="decay")),
    "PowerSign": (updates.power_sign, _NAMES),
    "ProximalAdagrad": (updates.proximal_adagrad, _NAMES),
    "ProximalGradientDescent": (updates.proximal_descent, _NAMES),
    "RMSProp": (updates.rmsprop, _names(rho="decay")),
}


def _step(kind: str) -> Callable[..., Any]:
    update, names = _UPDATES[kind]

    def apply(*, use_locking: bool, indices: Any = None, **given: Any) -> Any:
        gradient = convert(given.pop("grad" if "grad" in given else "delta"))
        given = {key: _variable_or_value(value) for key, value in given.items()}
        variable = given["var"]
        if indices is None:
            part: Any = Whole(gradient)
        else:
            part = Rows(IndexedSlices(gradient, _once(kind, convert(indices))))
        now = {names.get(key, key): _in_dtype(value, variable) for key, value in given.items()}
        return group(*[x for x in update(part=part, **now) if x is not None])

    return apply


def _variable_or_value(value: Any) -> Any:
    # In a graph of version 1 a handle has the dtype of what it holds.
    held = variable_of_handle(value) if type(value) is SymbolicTensor else None
    if held is not None:
        return held
    is_handle = isinstance(value, Tensor) and value.dtype is resource
    return variable_of(value) if is_handle else value


def _in_dtype(value: Any, variable: Any) -> Any:
    if isinstance(value, (Variable, bool)):
        return value
    return cast(convert(value), variable.dtype)


def _once(kind: str, indices: Any) -> Any:
    """The rows, none of which may come twice: TensorFlow takes one after the other."""
    known = getattr(indices, "_array", None)
    if isinstance(known, np.ndarray) and np.unique(known).size != known.size:
        raise InvalidArgumentError(
            f"ResourceSparseApply{kind}: a row comes twice in indices. Sum the gradients of each row "
            "first, as the optimizers do."
        )
    return indices


WRITTEN: Final[Written] = {
    f"{prefix}{kind}": _step(kind)
    for kind in _UPDATES
    for prefix in ("ResourceApply", "ResourceSparseApply", "Apply", "SparseApply")
}
