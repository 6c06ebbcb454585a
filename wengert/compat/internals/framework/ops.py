"""tensorflow.python.framework.ops: names that most files of TensorFlow import."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from typing import Any

from wengert.api.session.inert_settings import get_current_name_scope as get_name_scope
from wengert.api.session.modes import get_default_graph as get_default_graph
from wengert.api.session.modes import inside_function as inside_function
from wengert.api.session.session import get_default_session as get_default_session
from wengert.compat.inner.gradient_functions import GradientRegistry, own_gradient
from wengert.compat.v1 import colocate_with as colocate_with
from wengert.compat.v1 import convert_to_tensor as _convert_to_tensor
from wengert.compat.v1 import enable_eager_execution as enable_eager_execution
from wengert.compat.v1 import (
    executing_eagerly_outside_functions as executing_eagerly_outside_functions,
)
from wengert.compat.v1 import name_scope as name_scope
from wengert.overrides.registered_gradients import GRADIENTS, gradient_of
from wengert.state.variable import Variable
from wengert.values import dtypes as dtypes
from wengert.values.symbolic import SymbolicTensor as SymbolicTensor
from wengert.values.tensor import Tensor

name_scope_v1 = name_scope_v2 = name_scope


class _Eager(type):
    def __instancecheck__(cls, value: object) -> bool:
        return type(value) is Tensor


class EagerTensor(Tensor, metaclass=_Eager):
    """A tensor that has a value: not one of a graph, nor of a batch."""


def convert_to_tensor(
    value: Any,
    dtype: Any = None,
    name: str | None = None,
    as_ref: bool = False,
    preferred_dtype: Any = None,
    dtype_hint: Any = None,
    accepted_result_types: Any = None,
) -> Any:
    """A tensor of a value. There are no references, so that none is made of `as_ref`."""
    return _convert_to_tensor(value, dtype, name, preferred_dtype, dtype_hint)


def convert_n_to_tensor(values: Iterable[Any], dtype: Any = None, name: str | None = None) -> Any:
    """Each of several values as a tensor; None stays None."""
    return [v if v is None else convert_to_tensor(v, dtype, name=name) for v in values]


def get_gradient_function(op: Any) -> Any:
    """The gradient function of an operation: the one that a user registered, or its own."""
    name = op.row.gradient_type or op.type
    if name in GRADIENTS or op.row.gradient_type:  # an unknown one is an error that names it
        return gradient_of(name).function
    if op.row.differentiable:
        return _own_gradient
    return gradient_registry.lookup(name)


_own_gradient = own_gradient(None)
_gradient_registry = gradient_registry = GradientRegistry()


_UIDS = itertools.count(1)


def uid() -> int:
    """A number that no other call gives."""
    return next(_UIDS)


def get_all_collection_keys() -> list[Any]:
    """The names of the collections of the default graph."""
    graph = get_default_graph()
    return [key for key in graph.get_all_collection_keys() if isinstance(key, str)]


def name_from_scope_name(name: str) -> str:
    """The name of an operation from that of its scope, which ends with a slash."""
    return name.removesuffix("/")


def strip_name_scope(name: str, export_scope: str | None) -> str:
    """A name without a scope that it begins with; in a colocation group, too."""
    if not export_scope:
        return name
    scope = export_scope.removesuffix("/") + "/"
    return re.sub(rf"^(loc:@|\^)?{re.escape(scope)}", r"\1", name)


def prepend_name_scope(name: str, import_scope: str | None) -> str:
    """A name within a scope; in a colocation group, too."""
    if not import_scope:
        return name
    scope = import_scope.removesuffix("/") + "/"
    return re.sub(r"^(loc:@|\^)?(?=.)", lambda found: f"{found[0]}{scope}", name, count=1)


def is_dense_tensor_like(t: Any) -> bool:
    """Whether a value is a tensor or a variable."""
    return isinstance(t, (Tensor, Variable))
