"""Configuration of TensorFlow 1's sessions. There is nothing to configure here.

The objects accept any attribute, so that programs that set them run unchanged.
"""

from __future__ import annotations

from typing import Any

from wengert import config as _now


class Attributes:
    """An object that accepts any attribute; one that was not set is another such object.

    >>> config = tf.compat.v1.ConfigProto(allow_soft_placement=True)
    >>> config.gpu_options.allow_growth = True
    >>> config.allow_soft_placement, config.gpu_options.allow_growth
    (True, True)
    """

    def __init__(self, **attributes: Any) -> None:
        vars(self).update(attributes)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = Attributes()
        setattr(self, name, value)
        return value

    def __bool__(self) -> bool:
        return bool(vars(self))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Attributes) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({shown})"


class ConfigProto(Attributes):
    """The options of a session."""


class GPUOptions(Attributes):
    """The options of a session for graphics cards."""


class GraphOptions(Attributes):
    """The options of a session for optimizing graphs."""


class OptimizerOptions(Attributes):
    """The options of a session for compiling graphs."""


class RunOptions(Attributes):
    """The options of one run."""

    NO_TRACE = 0
    SOFTWARE_TRACE = 1
    HARDWARE_TRACE = 2
    FULL_TRACE = 3


class RunMetadata(Attributes):
    """The metadata of a run: empty."""


def __getattr__(name: str) -> Any:
    """A name of tf.config, which did not change between the versions."""
    return getattr(_now, name)
