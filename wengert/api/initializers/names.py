"""Initializers by name or configuration: serialize, deserialize, get."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.api.initializers.initializers import (
    Constant,
    GlorotNormal,
    GlorotUniform,
    HeNormal,
    HeUniform,
    Identity,
    Initializer,
    LecunNormal,
    LecunUniform,
    Ones,
    Orthogonal,
    RandomNormal,
    RandomUniform,
    TruncatedNormal,
    VarianceScaling,
    Zeros,
)
from wengert.ops.math.elementwise import cast
from wengert.state.variable import Variable
from wengert.values.dtypes import as_dtype, float32
from wengert.values.tensor import Tensor

if TYPE_CHECKING:
    from wengert.values.typing import Array

_BY_NAME: Final[dict[str, type[Initializer]]] = {
    "constant": Constant,
    "glorot_normal": GlorotNormal,
    "glorot_uniform": GlorotUniform,
    "he_normal": HeNormal,
    "he_uniform": HeUniform,
    "identity": Identity,
    "lecun_normal": LecunNormal,
    "lecun_uniform": LecunUniform,
    "normal": RandomNormal,
    "one": Ones,
    "ones": Ones,
    "orthogonal": Orthogonal,
    "random_normal": RandomNormal,
    "random_uniform": RandomUniform,
    "truncated_normal": TruncatedNormal,
    "uniform": RandomUniform,
    "variance_scaling": VarianceScaling,
    "zero": Zeros,
    "zeros": Zeros,
}
_BY_CLASS: Final = {
    **{kind.__name__: kind for kind in _BY_NAME.values()},
    "IdentityInitializer": Identity,
    "OrthogonalInitializer": Orthogonal,
}


def serialize(initializer: Initializer) -> dict[str, Any]:
    """Serialize an initializer to a dictionary from which `deserialize` restores it.

    >>> tf.initializers.serialize(tf.initializers.Identity(2.0))["config"]
    {'gain': 2.0}
    """
    return {
        "module": "keras.initializers",
        "class_name": type(initializer).__name__,
        "config": initializer.get_config(),
        "registered_name": None,
    }


def deserialize(config: dict[str, Any], custom_objects: Mapping[str, Any] | None = None) -> Any:
    """The initializer that a dictionary describes.

    >>> tf.initializers.deserialize({"class_name": "ones", "config": {}})([1]).numpy().tolist()
    [1.0]
    """
    name = config["class_name"]
    kind: Any = (custom_objects or {}).get(name) or _BY_NAME.get(name) or _BY_CLASS.get(name)
    if kind is None:
        raise ValueError(
            f"Could not interpret initializer identifier: {name}. "
            f"The names are {', '.join(sorted(_BY_NAME))}."
        )
    return kind.from_config(config.get("config", {}))


def get(identifier: Any) -> Any:
    """Look up an initializer by name, class, configuration dictionary or constant value.

    >>> tf.initializers.get("ones")([2]).numpy().tolist()
    [1.0, 1.0]
    """
    if identifier is None:
        return None
    if isinstance(identifier, dict):
        return deserialize(identifier)
    if isinstance(identifier, str):
        return deserialize({"class_name": identifier})
    if isinstance(identifier, (Tensor, Variable, np.ndarray, np.generic)):
        return _giving(identifier)
    if not callable(identifier):
        raise ValueError(f"Could not interpret initializer identifier: {identifier}")
    return identifier() if isinstance(identifier, type) else identifier


def _giving(value: Array | Tensor | Variable | np.generic) -> Callable[..., Tensor]:
    def initialize(shape: Sequence[int], dtype: Any = None) -> Tensor:
        if tuple(shape) != tuple(value.shape):
            raise ValueError(
                f"Expected `shape` to be {value.shape} for direct tensor as initializer. "
                f"Received shape={shape}"
            )
        return cast(value, float32 if dtype is None else as_dtype(dtype))

    return initialize
