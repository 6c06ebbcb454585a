"""tensorflow.python.autograph.pyct.transformer: the base of converters of TensorFlow's."""

from __future__ import annotations

from typing import Any


class Base:
    """Refuses when it is made: Wengert's autograph converts functions by itself."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(
            "Wengert converts functions by itself: tf.autograph.to_graph(f). TensorFlow's converters "
            "of syntax trees are not here."
        )
