"""tf.__internal__.distribute: how libraries ask for a strategy; there is one device."""

from wengert.distribute.strategy import maybe_merge_call as _maybe_merge_call
from wengert.distribute.strategy import (
    strategy_supports_no_merge_call as strategy_supports_no_merge_call,
)


class interim:  # TensorFlow's module
    """Names that TensorFlow keeps for the time being."""

    maybe_merge_call = staticmethod(_maybe_merge_call)
