"""tensorflow.python.framework.composite_tensor_gradient: what of a composite value is differentiated."""

from __future__ import annotations

import abc
from typing import Any, Protocol, runtime_checkable

from wengert.values import nest


class CompositeTensorGradient(abc.ABC):
    """Says which components of a type are differentiated; the attribute `__composite_gradient__`."""

    @abc.abstractmethod
    def get_gradient_components(self, value: Any) -> Any:
        """The components of a value that are differentiated."""

    @abc.abstractmethod
    def replace_gradient_components(self, value: Any, component_grads: Any) -> Any:
        """The gradient for a value, from those of its components."""


@runtime_checkable
class CompositeTensorGradientProtocol(Protocol):
    """A type that says which of its components are differentiated."""

    __composite_gradient__: CompositeTensorGradient


class WithValuesCompositeTensorGradient(CompositeTensorGradient):
    """The component `values` is differentiated."""

    def get_gradient_components(self, value: Any) -> Any:
        """The values."""
        return value.values

    def replace_gradient_components(self, value: Any, component_grads: Any) -> Any:
        """The same with other values."""
        return value.with_values(component_grads)


def get_flat_tensors_for_gradients(xs: Any) -> list[Any]:
    """The tensors that are differentiated, flat."""
    return nest.differentiated(xs)


def replace_flat_tensors_for_gradients(xs: Any, flat_grads: Any) -> Any:
    """Flat gradients, nested as the values are."""
    return nest.with_gradients(xs, flat_grads)
