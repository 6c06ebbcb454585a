"""tf.keras: optimizers and initializers. The layers are Keras's, which is a package of its own."""

import typing as _typing

from wengert import initializers as initializers
from wengert import optimizers as optimizers
from wengert.errors import MissingNameError as _MissingNameError


def __getattr__(name: str) -> "_typing.Any":
    if name.startswith("__"):
        raise AttributeError(f"module 'wengert.keras' has no attribute {name!r}")
    raise _MissingNameError(
        f"Wengert has no tf.keras.{name}: of Keras it has tf.keras.optimizers and "
        "tf.keras.initializers. tf.Module holds variables, tf.nn has the operations of layers."
    )
