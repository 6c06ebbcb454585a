"""Configuration of TensorFlow 1's sessions. There is nothing to configure here.

The objects accept any attribute, so that programs that set them run unchanged.
"""

from __future__ import annotations

from typing import Any, Final

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


class Enum:
    """The numbers of an option, by name.

    >>> tf.compat.v1.OptimizerOptions.GlobalJitLevel.Name(1)
    'ON_1'
    """

    def __init__(self, **numbers: int) -> None:
        self._numbers = numbers

    def __getattr__(self, name: str) -> int:
        if name.startswith("_") or name not in self._numbers:
            raise AttributeError(f"There is no {name!r} among {', '.join(self.keys())}.")
        return self._numbers[name]

    def Name(self, number: int) -> str:  # noqa: N802
        """The name of a number."""
        for name, found in self._numbers.items():
            if found == number:
                return name
        raise ValueError(f"There is no {number!r} among {self._numbers}.")

    def Value(self, name: str) -> int:  # noqa: N802
        """The number of a name."""
        if name not in self._numbers:
            raise ValueError(f"There is no {name!r} among {', '.join(self._numbers)}.")
        return self._numbers[name]

    def keys(self) -> list[str]:
        """The names."""
        return list(self._numbers)

    def values(self) -> list[int]:
        """The numbers."""
        return list(self._numbers.values())

    def items(self) -> list[tuple[str, int]]:
        """Names with their numbers."""
        return list(self._numbers.items())


class ConfigProto(Attributes):
    """The options of a session."""


class GPUOptions(Attributes):
    """The options of a session for graphics cards."""


class GraphOptions(Attributes):
    """The options of a session for optimizing graphs."""


class OptimizerOptions(Attributes):
    """The options of a session for compiling graphs.

    >>> config = tf.compat.v1.ConfigProto()
    >>> config.graph_options.optimizer_options.global_jit_level = tf.compat.v1.OptimizerOptions.ON_1
    """

    Level: Final = Enum(L1=0, L0=-1)
    L1, L0 = 0, -1
    GlobalJitLevel: Final = Enum(DEFAULT=0, OFF=-1, ON_1=1, ON_2=2)
    DEFAULT, OFF, ON_1, ON_2 = 0, -1, 1, 2
    # What they are unless they are set.
    opt_level, global_jit_level, max_folded_constant_in_bytes = 0, 0, 0
    do_common_subexpression_elimination = do_constant_folding = do_function_inlining = False
    cpu_global_jit = False


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
