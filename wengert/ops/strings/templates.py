"""Texts with tensors in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.inference.public_functions import nameable
from wengert.ops.control.effects import shown_array
from wengert.ops.strings.texts import OBJECT
from wengert.values import nest
from wengert.values.convert import convert
from wengert.values.tensor import Tensor

if TYPE_CHECKING:
    from wengert.values.typing import Array, Namespace


def _kernel(_: Namespace, *arrays: Array, template: str, placeholder: str, summarize: int) -> Array:
    pieces = template.split(placeholder)
    shown = [shown_array(np.asarray(array), summarize) for array in arrays]
    text = "".join(a + b for a, b in zip(pieces, [*shown, ""], strict=True))
    return np.array(text.encode(), object)


FORMAT: Row = op("StringFormat", _kernel, shape=lambda *_, **__: (), dtype=lambda *_, **__: OBJECT)


@nameable
def format(
    template: str,
    inputs: Any,
    placeholder: str = "{}",
    summarize: int = 3,
    name: str | None = None,
) -> Tensor:
    """A text with tensors in place of the placeholders.

    >>> tf.strings.format("x: {}, y: {}", (tf.constant(1.5), tf.range(9))).numpy().decode()
    'x: 1.5, y: [0 1 2 ... 6 7 8]'
    """
    if isinstance(inputs, np.ndarray) or not nest.is_nested(inputs):
        inputs = [inputs]
    given = list(inputs)
    count = template.count(placeholder)
    if count != len(given):
        raise ValueError(
            f"The template expects {count} tensors, but the inputs only has {len(given)}. "
            f"Please ensure the number of placeholders in the template matches inputs length."
        )
    attrs = {"template": template, "placeholder": placeholder, "summarize": int(summarize)}
    return apply(FORMAT, [convert(x) for x in given], attrs)  # type: ignore[no-any-return]
