"""tf.experimental: NumPy's functions on tensors, types made of tensors, exchange of arrays with other libraries."""

import typing as _typing
from typing import Any as _Any

from wengert.api.session.inert_settings import async_clear_error as async_clear_error
from wengert.api.session.inert_settings import async_scope as async_scope
from wengert.experimental import dlpack as dlpack
from wengert.host.locks import load_module as _load_module

_DISPATCH = "wengert.api.extension_types.dispatch"
# What is loaded when somebody asks for it, with the module that has it.
_LATER = {
    "BatchableExtensionType": "wengert.api.extension_types.batchable",
    "ExtensionTypeBatchEncoder": "wengert.api.extension_types.batchable",
    "ExtensionType": "wengert.api.extension_types.extension_type",
    "dispatch_for_api": _DISPATCH,
    "dispatch_for_binary_elementwise_apis": _DISPATCH,
    "dispatch_for_binary_elementwise_assert_apis": _DISPATCH,
    "dispatch_for_unary_elementwise_apis": _DISPATCH,
    "unregister_dispatch_for": _DISPATCH,
    "DynamicRaggedShape": "wengert.ops.ragged.dynamic_shape",
    "Optional": "wengert.data.optional",
    "RowPartition": "wengert.ops.ragged.row_partition",
}
_NAMESPACES = ("extension_type", "numpy")

if _typing.TYPE_CHECKING:
    from wengert.api.extension_types.batchable import (
        BatchableExtensionType as BatchableExtensionType,
    )
    from wengert.api.extension_types.batchable import (
        ExtensionTypeBatchEncoder as ExtensionTypeBatchEncoder,
    )
    from wengert.api.extension_types.dispatch import dispatch_for_api as dispatch_for_api
    from wengert.api.extension_types.dispatch import (
        dispatch_for_binary_elementwise_apis as dispatch_for_binary_elementwise_apis,
    )
    from wengert.api.extension_types.dispatch import (
        dispatch_for_binary_elementwise_assert_apis as dispatch_for_binary_elementwise_assert_apis,
    )
    from wengert.api.extension_types.dispatch import (
        dispatch_for_unary_elementwise_apis as dispatch_for_unary_elementwise_apis,
    )
    from wengert.api.extension_types.dispatch import (
        unregister_dispatch_for as unregister_dispatch_for,
    )
    from wengert.api.extension_types.extension_type import ExtensionType as ExtensionType
    from wengert.data.optional import Optional as Optional
    from wengert.experimental import extension_type as extension_type
    from wengert.experimental import numpy as numpy
    from wengert.ops.ragged.dynamic_shape import DynamicRaggedShape as DynamicRaggedShape
    from wengert.ops.ragged.row_partition import RowPartition as RowPartition
else:

    def __getattr__(name: str) -> _Any:
        if name in _NAMESPACES:
            return _load_module(f"wengert.experimental.{name}")
        if name not in _LATER:
            raise AttributeError(f"module 'wengert.experimental' has no attribute {name!r}")
        found = getattr(_load_module(_LATER[name]), name)
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER, *_NAMESPACES})
