"""tensorflow.python.data.util.structure: specs of elements, and the tensors they are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wengert.data.elements import Layout, normal, parts_of, spec_of_value, specs_of
from wengert.values.dtypes import DType
from wengert.values.shapes import TensorShape
from wengert.values.tensor import Tensor


def normalize_element(element: Any, element_signature: Any = None) -> Any:
    """An element whose parts are tensors, or values made of tensors."""
    return normal(element)


def type_spec_from_value(element: Any, use_fallback: bool = True) -> Any:
    """The specs of an element."""
    return spec_of_value(normal(element))


def are_compatible(spec1: Any, spec2: Any) -> bool:
    """Whether elements of the one are elements of the other."""
    return Layout(spec1).takes(spec2)


def get_flat_tensor_specs(element_spec: Any) -> list[Any]:
    """The specs of the tensors that elements are made of."""
    return Layout(element_spec).parts


def get_flat_tensor_types(element_spec: Any) -> list[DType]:
    """The dtypes of the tensors that elements are made of."""
    return [part.dtype for part in get_flat_tensor_specs(element_spec)]


def get_flat_tensor_shapes(element_spec: Any) -> list[TensorShape]:
    """The shapes of the tensors that elements are made of."""
    return [part.shape for part in get_flat_tensor_specs(element_spec)]


def to_tensor_list(element_spec: Any, element: Any) -> list[Tensor]:
    """The tensors that an element is made of."""
    return parts_of(normal(element))


def from_tensor_list(element_spec: Any, tensor_list: Sequence[Tensor]) -> Any:
    """The element that is made of these tensors."""
    return Layout(element_spec).nested(tensor_list)


from_compatible_tensor_list = from_tensor_list


def convert_legacy_structure(output_types: Any, output_shapes: Any, output_classes: Any) -> Any:
    """The specs for nested dtypes and shapes."""
    return specs_of(output_types, output_shapes)
