"""tf.config.optimizer: switches of TensorFlow's compilers, remembered here and without effect."""

from typing import Any, Final

_OPTIONS: Final[dict[str, Any]] = {
    "disable_model_pruning": False,
    "disable_meta_optimizer": False,
}


class _Jit:
    """What was set for functions that say nothing of their compilation."""

    enabled: Any = ""


def set_jit(enabled: Any) -> None:
    """Remember whether graphs are to be compiled: `jit_compile` of a function says it here.

    >>> tf.config.optimizer.set_jit("autoclustering")
    >>> tf.config.optimizer.get_jit()
    'autoclustering'
    >>> tf.config.optimizer.set_jit(False)
    """
    _Jit.enabled = {True: "autoclustering", False: ""}.get(enabled, enabled)


def get_jit() -> str:
    """What was set; nothing if it is off."""
    found: str = _Jit.enabled
    return found


def set_experimental_options(options: dict[str, Any]) -> None:
    """Remember switches of passes over graphs.

    >>> tf.config.optimizer.set_experimental_options({"constant_folding": True})
    >>> tf.config.optimizer.get_experimental_options()["constant_folding"]
    True
    """
    _OPTIONS.update(options)


def get_experimental_options() -> dict[str, Any]:
    """The switches that were set."""
    return dict(_OPTIONS)
