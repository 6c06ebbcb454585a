"""The types of declared functions whose parameters are not called x and y.

Only type checkers read this file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from wengert.values.tensor import Tensor
    from wengert.values.typing import TensorLike


class UnaryOfFeatures(Protocol):
    def __call__(self, features: TensorLike, name: str | None = None) -> Tensor: ...


class BinaryOfYX(Protocol):
    def __call__(self, y: TensorLike, x: TensorLike, name: str | None = None) -> Tensor: ...


class BinaryOfX1X2(Protocol):
    def __call__(self, x1: TensorLike, x2: TensorLike, name: str | None = None) -> Tensor: ...


class BinaryOfAX(Protocol):
    def __call__(self, a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor: ...


class BinaryOfXQ(Protocol):
    def __call__(self, x: TensorLike, q: TensorLike, name: str | None = None) -> Tensor: ...
