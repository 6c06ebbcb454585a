"""tensorflow.python.framework.type_spec: what is known of values."""

from __future__ import annotations

from wengert.api.extension_types.batchable import ExtensionTypeBatchEncoder as TypeSpecBatchEncoder
from wengert.compat.internals.framework.tensor import BoundedTensorSpec
from wengert.compat.internals.framework.type_spec_registry import get_name as get_name
from wengert.compat.internals.framework.type_spec_registry import lookup as lookup
from wengert.compat.internals.framework.type_spec_registry import register as register
from wengert.values.type_spec import TypeSpec as BatchableTypeSpec
from wengert.values.type_spec import (
    register_type_spec_from_value_converter as register_type_spec_from_value_converter,
)

__all__ = [
    "BatchableTypeSpec",
    "BoundedTensorSpec",
    "TypeSpecBatchEncoder",
    "get_name",
    "lookup",
    "register",
    "register_type_spec_from_value_converter",
]
