"""tf.train: averages of variables, a coordinator of threads; the optimizers are tf.optimizers."""

from typing import Any as _Any

from wengert.formats.protos import message as _message
from wengert.train.coordinator import Coordinator as Coordinator
from wengert.train.moving_average import ExponentialMovingAverage as ExponentialMovingAverage

_MESSAGES = ("BytesList", "Example", "Feature", "FeatureList", "FeatureLists", "Features", "FloatList",
             "Int64List", "SequenceExample")  # fmt: skip


def __getattr__(name: str) -> _Any:
    """A message of protocol buffers, which is described when it is first asked for."""
    if name in _MESSAGES:
        return _message(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_MESSAGES})
