"""tf.metrics: Keras's, where the package is installed."""

import typing as _typing

from wengert import keras as _keras


def __getattr__(name: str) -> "_typing.Any":
    return _keras.part("metrics", name)


def __dir__() -> list[str]:
    return _keras.parts("metrics")
