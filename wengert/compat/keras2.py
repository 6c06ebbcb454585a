"""The module tf_keras, Keras 2, whether or not that package is installed: it does not run here.

It is made of much of TensorFlow's inside. TensorFlow Probability imports it always, and needs it for
its layers alone: they say so when they are made. Optimizers and initializers are Wengert's.
"""

from __future__ import annotations

from abc import ABCMeta
from types import ModuleType
from typing import Any, Final

from wengert import initializers, optimizers

NAME: Final = "tf_keras"
_NAMES: Final = [
    "Input", "Layer", "Model", "Sequential", "__internal__", "activations", "applications",
    "backend", "callbacks", "constraints", "datasets", "initializers", "layers", "losses",
    "metrics", "models", "optimizers", "preprocessing", "regularizers", "utils",
]  # fmt: skip
# The modules that have names here. What Keras calls the legacy optimizers compute the same.
_HERE: Final[dict[str, Any]] = {
    f"{NAME}.initializers": initializers,
    f"{NAME}.optimizers": optimizers,
    f"{NAME}.optimizers.legacy": optimizers,
}


_registered: Final[dict[str, Any]] = {}  # what programs enter under names


class _Absent(ABCMeta):
    """The class of what is not there: a class to derive from, and a namespace; made, it raises.

    Classes derive from what is abstract and from a layer at once.
    """

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = absent(f"{cls.__qualname__}.{name}")
        setattr(cls, name, found)
        return found

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        missing = next(c.__qualname__ for c in cls.__mro__ if c.__dict__.get("_is_absent"))
        said = "is" if missing == cls.__qualname__ else f"needs {missing},"
        raise ImportError(
            f"{cls.__name__} {said} of Keras 2, which does not run on Wengert. "
            "tf.keras is Keras 3: pip install wengert[keras]"
        )


def absent(path: str) -> Any:
    """What stands for a name of the package."""
    if path.rpartition(".")[2].startswith("register_"):
        return lambda *args, **kwargs: lambda registered: registered
    if path == f"{NAME}.utils.get_custom_objects":
        return lambda: _registered
    return _Absent(path, (), {"_is_absent": True, "__module__": NAME})


class _AnyOptimizer(type):
    def __instancecheck__(cls, value: object) -> bool:
        every = cls.__dict__.get("_is_base") and isinstance(value, optimizers.Optimizer)
        return every or super().__instancecheck__(value)


class Optimizer(optimizers.Optimizer, metaclass=_AnyOptimizer):
    """The base of optimizers in Keras 2, whose first argument is the name: it has no learning rate."""

    _is_base = True  # of those that are here, too

    def __init__(self, name: str, **options: Any) -> None:
        super().__init__(0.0, name=name, **options)


class Keras2(ModuleType):
    """The module, or one of its modules whose names are here."""

    def __init__(self, path: str) -> None:
        super().__init__(path, f"{path}, of which a few names are here.")
        self.__path__: list[str] = []
        self.__all__ = [n for n in _NAMES if n != "__internal__"] if path == NAME else []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__internal__":
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        path = f"{self.__name__}.{name}"
        if path in _HERE:
            found: Any = Keras2(path)
        else:
            found = _other(path) or getattr(_HERE.get(self.__name__), name, None) or absent(path)
        setattr(self, name, found)
        return found


def _other(path: str) -> Any:
    """What has another form in Keras 2 than here."""
    parent, _, name = path.rpartition(".")
    return Optimizer if name == "Optimizer" and _HERE.get(parent) is optimizers else None
