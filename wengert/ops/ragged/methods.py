"""Attaches the methods of ragged tensors that are defined by operations on them."""

from __future__ import annotations

from typing import Any, Final

from wengert.ops.ragged import conversions, indexing, merging, operators, spec
from wengert.ops.ragged.tensor import RaggedTensor

_METHODS: Final[dict[str, Any]] = {
    "to_tensor": conversions.to_tensor,
    "to_sparse": conversions.to_sparse,
    "merge_dims": merging.merge_dims,
    "bounding_shape": conversions.bounding_shape,
    "from_tensor": staticmethod(conversions.from_tensor),
    "from_sparse": staticmethod(conversions.from_sparse),
    "__getitem__": indexing.getitem,
    "_type_spec": property(spec.RaggedTensorSpec.from_value),
    "_shape_invariant_to_type_spec": spec.spec_of_loop_variable,
    **operators.METHODS,
}
for _name, _method in _METHODS.items():
    setattr(RaggedTensor, _name, _method)
