"""tensorflow.python.framework.composite_tensor: values made of tensors."""

from __future__ import annotations

from typing import Any

from wengert.values import nest
from wengert.values.composite import Composite as CompositeTensor


def is_composite_tensor(value: object) -> bool:
    """Whether a value is made of tensors."""
    return isinstance(value, CompositeTensor)


def replace_composites_with_components(structure: Any) -> Any:
    """A structure with the components, nested, in place of what is made of tensors."""
    if nest.is_composite(structure):
        components = structure._type_spec._to_components(structure)
        return replace_composites_with_components(components)
    if not nest.is_nested(structure):
        return structure
    return nest.map_parts(replace_composites_with_components, structure)


def convert_variables_to_tensors(composite: Any) -> Any:
    """A value whose components that are variables are read."""
    spec = composite._type_spec
    read = [getattr(part, "read_value", lambda part=part: part)() for part in composite._parts()]
    return spec._from_compatible_tensor_list(read)
