"""Inputs with targets, and what a set says of itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Data:
    """What is trained with, what is tested with, and where both are from."""

    train: Examples
    test: Examples
    origin: str  # a sentence
    classes: tuple[str, ...] = ()
    is_made_up: bool = False
