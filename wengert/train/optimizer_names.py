"""Optimizers by name, and as plain values."""

from __future__ import annotations

from typing import Any, Final

from wengert.train.adaptive import Adadelta, Adagrad, Ftrl, RMSprop
from wengert.train.descent import SGD, Lion
from wengert.train.moments import Adam, Adamax, AdamW, Nadam
from wengert.train.norms import Adafactor, Lamb, ScheduleFreeAdamW
from wengert.train.optimizer import Optimizer

_KINDS: Final[dict[str, type[Optimizer]]] = {
    kind.__name__.lower(): kind
    for kind in (Adadelta, Adafactor, Adagrad, Adam, AdamW, Adamax, Ftrl, Lamb, Lion, Nadam, RMSprop, SGD,
                 ScheduleFreeAdamW)
}  # fmt: skip


def serialize(optimizer: Optimizer) -> dict[str, Any]:
    """An optimizer, without what it remembers, as a dictionary of plain values.

    >>> tf.optimizers.serialize(tf.optimizers.SGD(0.5))["class_name"]
    'SGD'
    """
    name = type(optimizer).__name__
    ours = name.lower() in _KINDS
    return {
        "module": "keras.optimizers" if ours else type(optimizer).__module__,
        "class_name": name,
        "config": optimizer.get_config(),
        "registered_name": None if ours else name,
    }


def deserialize(config: dict[str, Any], custom_objects: dict[str, Any] | None = None) -> Optimizer:
    """The optimizer from a dictionary that `serialize` returned.

    >>> config = tf.optimizers.serialize(tf.optimizers.SGD(0.5))
    >>> tf.optimizers.deserialize(config).learning_rate.numpy()
    np.float32(0.5)
    """
    name = config["class_name"]
    kind = (custom_objects or {}).get(name) or _KINDS.get(name.lower())
    if kind is None:
        raise ValueError(
            f"Could not interpret optimizer identifier: {name}. Known are {_known()}; pass the class of your own "
            "in `custom_objects`."
        )
    made: Optimizer = kind.from_config(config.get("config", {}))
    return made


def get(identifier: Any) -> Optimizer:
    """The optimizer of a name, with its usual arguments, or of a dictionary; one that is one already.

    >>> tf.optimizers.get("adam").beta_1
    0.9
    """
    if isinstance(identifier, Optimizer):
        return identifier
    if isinstance(identifier, dict):
        return deserialize(identifier)
    if isinstance(identifier, str):
        return deserialize({"class_name": identifier})
    raise ValueError(
        f"Could not interpret optimizer identifier: {identifier!r}. It is an optimizer, a dictionary that "
        f"`serialize` returned, or one of the names {_known()}."
    )


def _known() -> str:
    return ", ".join(kind.__name__ for kind in _KINDS.values())
