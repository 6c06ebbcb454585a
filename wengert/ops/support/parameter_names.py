"""The types of declared functions whose parameters are not called x and y.

Only type checkers read this file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from wengert.values.tensor import Tensor
    from wengert.values.typing import TensorLike


class UnaryOfFeatures(Protocol):
    """The type of functions of `features`."""

    def __call__(self, features: TensorLike, name: str | None = None) -> Tensor:
        """Apply the function."""


class BinaryOfYX(Protocol):
    """The type of functions of `y` and `x`."""

    def __call__(self, y: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
        """Apply the function."""


class BinaryOfX1X2(Protocol):
    """The type of functions of `x1` and `x2`."""

    def __call__(self, x1: TensorLike, x2: TensorLike, name: str | None = None) -> Tensor:
        """Apply the function."""


class BinaryOfAX(Protocol):
    """The type of functions of `a` and `x`."""

    def __call__(self, a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
        """Apply the function."""


class BinaryOfXQ(Protocol):
    """The type of functions of `x` and `q`."""

    def __call__(self, x: TensorLike, q: TensorLike, name: str | None = None) -> Tensor:
        """Apply the function."""
