"""tf.train: checkpoints, averages of variables, a coordinator of threads; the optimizers are tf.optimizers."""

from typing import Any as _Any

from wengert.api.advice import absent as _absent
from wengert.formats.protos import message as _message
from wengert.saving.checkpoint import Checkpoint as Checkpoint
from wengert.saving.checkpoint_manager import CheckpointManager as CheckpointManager
from wengert.saving.checkpoint_options import CheckpointOptions as CheckpointOptions
from wengert.saving.checkpoint_reader import list_variables as list_variables
from wengert.saving.checkpoint_reader import load_checkpoint as load_checkpoint
from wengert.saving.checkpoint_reader import load_variable as load_variable
from wengert.saving.checkpoint_state import checkpoints_iterator as checkpoints_iterator
from wengert.saving.checkpoint_state import get_checkpoint_state as get_checkpoint_state
from wengert.saving.checkpoint_state import latest_checkpoint as latest_checkpoint
from wengert.saving.views import CheckpointView as CheckpointView
from wengert.saving.views import TrackableView as TrackableView
from wengert.train import experimental as experimental
from wengert.train.coordinator import Coordinator as Coordinator
from wengert.train.moving_average import ExponentialMovingAverage as ExponentialMovingAverage

_MESSAGES = ("BytesList", "Example", "Feature", "FeatureList", "FeatureLists", "Features", "FloatList",
             "Int64List", "SequenceExample")  # fmt: skip


def __getattr__(name: str) -> _Any:
    """A message of protocol buffers, which is described when it is first asked for."""
    if name in _MESSAGES:
        return _message(name)
    return _absent("train")(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_MESSAGES})
