"""tf.__internal__: what libraries built on TensorFlow take from it."""

from wengert.__internal__ import autograph as autograph
from wengert.__internal__ import decorator as decorator
from wengert.__internal__ import dispatch as dispatch
from wengert.__internal__ import distribute as distribute
from wengert.__internal__ import nest as nest
from wengert.__internal__ import smart_cond as smart_cond
from wengert.__internal__ import tf2 as tf2
from wengert.__internal__ import tracking as tracking
from wengert.__internal__ import types as types
from wengert.api.session.inert_settings import get_current_name_scope as get_name_scope
from wengert.compat.internals.framework.ops import EagerTensor as EagerTensor
from wengert.graph.function_graph import FunctionGraph as FuncGraph
from wengert.values.composite import Composite as CompositeTensor
from wengert.values.symbolic import SymbolicTensor as SymbolicTensor
from wengert.values.type_spec import TypeSpec as BatchableTypeSpec

__all__ = [
    "BatchableTypeSpec",
    "CompositeTensor",
    "EagerTensor",
    "FuncGraph",
    "SymbolicTensor",
    "autograph",
    "decorator",
    "dispatch",
    "distribute",
    "get_name_scope",
    "nest",
    "smart_cond",
    "tf2",
    "tracking",
    "types",
]
