"""Inputs with targets, and what a set says of itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

Array = Any  # of NumPy, of a dtype that the files or the user chose
# Changes the inputs of a batch, by chance: augmentation.
Change = Callable[[Array, np.random.Generator], Array]


@dataclass(frozen=True)
class Examples:
    """Inputs and targets, as many of the one as of the other."""

    inputs: Array
    targets: Array

    def __len__(self) -> int:
        return len(self.inputs)

    def of_floats(self, dtype: Any) -> Examples:
        """The same with floating-point numbers of a dtype."""
        return Examples(_of_floats(self.inputs, dtype), _of_floats(self.targets, dtype))


def _of_floats(array: Array, dtype: Any) -> Array:
    return array.astype(dtype, copy=False) if array.dtype.kind == "f" else array


@dataclass(frozen=True)
class Data:
    """What is trained with, what is tested with, and where both are from."""

    train: Examples
    test: Examples
    origin: str  # a sentence
    classes: tuple[str, ...] = ()
    is_made_up: bool = False

    def of_floats(self, dtype: Any) -> Data:
        """The same with floating-point numbers of a dtype: that of the model's variables."""
        train, test = self.train.of_floats(dtype), self.test.of_floats(dtype)
        return replace(self, train=train, test=test)
