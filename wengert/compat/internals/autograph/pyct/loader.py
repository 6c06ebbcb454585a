"""tensorflow.python.autograph.pyct.loader: functions from syntax trees, as TensorFlow's converters make them."""

from __future__ import annotations

from typing import Any


def load_ast(nodes: Any, *args: Any, **kwargs: Any) -> Any:
    """Refuses: Wengert's autograph converts functions by itself, and takes no trees of TensorFlow's."""
    raise NotImplementedError(
        "Wengert converts functions by itself: tf.autograph.to_graph(f). It takes no syntax trees of "
        "TensorFlow's tools."
    )
