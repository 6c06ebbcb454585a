"""tf.compat.v1.train: checkpoints, optimizers, learning rates, averages."""

from typing import Any as _Any

from wengert import train as _now
from wengert.api.advice import absent as _absent
from wengert.compat.v1.functions.steps import assert_global_step as assert_global_step
from wengert.compat.v1.functions.steps import create_global_step as create_global_step
from wengert.compat.v1.functions.steps import get_global_step as get_global_step
from wengert.compat.v1.functions.steps import get_or_create_global_step as get_or_create_global_step
from wengert.compat.v1.functions.steps import global_step as global_step
from wengert.compat.v1.graph_files.exporting import export_meta_graph as export_meta_graph
from wengert.compat.v1.graph_files.importing import import_meta_graph as import_meta_graph
from wengert.compat.v1.graph_files.initial_values import (
    init_from_checkpoint as init_from_checkpoint,
)
from wengert.compat.v1.graph_files.saver import Saver as Saver
from wengert.compat.v1.inputs.batching import batch as batch
from wengert.compat.v1.inputs.batching import batch_join as batch_join
from wengert.compat.v1.inputs.batching import maybe_batch as maybe_batch
from wengert.compat.v1.inputs.batching import maybe_batch_join as maybe_batch_join
from wengert.compat.v1.inputs.batching import maybe_shuffle_batch as maybe_shuffle_batch
from wengert.compat.v1.inputs.batching import maybe_shuffle_batch_join as maybe_shuffle_batch_join
from wengert.compat.v1.inputs.batching import shuffle_batch as shuffle_batch
from wengert.compat.v1.inputs.batching import shuffle_batch_join as shuffle_batch_join
from wengert.compat.v1.inputs.producers import input_producer as input_producer
from wengert.compat.v1.inputs.producers import limit_epochs as limit_epochs
from wengert.compat.v1.inputs.producers import range_input_producer as range_input_producer
from wengert.compat.v1.inputs.producers import slice_input_producer as slice_input_producer
from wengert.compat.v1.inputs.producers import string_input_producer as string_input_producer
from wengert.compat.v1.mixed_precision import train_experimental as _train_experimental
from wengert.compat.v1.monitored.hooks import FeedFnHook as FeedFnHook
from wengert.compat.v1.monitored.hooks import FinalOpsHook as FinalOpsHook
from wengert.compat.v1.monitored.hooks import (
    NanLossDuringTrainingError as NanLossDuringTrainingError,
)
from wengert.compat.v1.monitored.hooks import SecondOrStepTimer as SecondOrStepTimer
from wengert.compat.v1.monitored.hooks import SessionRunArgs as SessionRunArgs
from wengert.compat.v1.monitored.hooks import SessionRunContext as SessionRunContext
from wengert.compat.v1.monitored.hooks import SessionRunHook as SessionRunHook
from wengert.compat.v1.monitored.hooks import SessionRunValues as SessionRunValues
from wengert.compat.v1.monitored.periodic import CheckpointSaverHook as CheckpointSaverHook
from wengert.compat.v1.monitored.periodic import CheckpointSaverListener as CheckpointSaverListener
from wengert.compat.v1.monitored.periodic import GlobalStepWaiterHook as GlobalStepWaiterHook
from wengert.compat.v1.monitored.periodic import LoggingTensorHook as LoggingTensorHook
from wengert.compat.v1.monitored.periodic import NanTensorHook as NanTensorHook
from wengert.compat.v1.monitored.periodic import ProfilerHook as ProfilerHook
from wengert.compat.v1.monitored.periodic import StepCounterHook as StepCounterHook
from wengert.compat.v1.monitored.periodic import StopAtStepHook as StopAtStepHook
from wengert.compat.v1.monitored.periodic import SummarySaverHook as SummarySaverHook
from wengert.compat.v1.monitored.scaffold import ChiefSessionCreator as ChiefSessionCreator
from wengert.compat.v1.monitored.scaffold import Scaffold as Scaffold
from wengert.compat.v1.monitored.scaffold import SessionCreator as SessionCreator
from wengert.compat.v1.monitored.scaffold import WorkerSessionCreator as WorkerSessionCreator
from wengert.compat.v1.monitored.sessions import MonitoredSession as MonitoredSession
from wengert.compat.v1.monitored.sessions import (
    MonitoredTrainingSession as MonitoredTrainingSession,
)
from wengert.compat.v1.monitored.sessions import (
    SingularMonitoredSession as SingularMonitoredSession,
)
from wengert.compat.v1.queues.runner import QueueRunner as QueueRunner
from wengert.compat.v1.queues.runner import add_queue_runner as add_queue_runner
from wengert.compat.v1.queues.runner import start_queue_runners as start_queue_runners
from wengert.formats.protos import message as _message
from wengert.io.events import summary_iterator as summary_iterator
from wengert.io.files import match_filenames_once as match_filenames_once
from wengert.io.graphs import write_graph as write_graph
from wengert.saving.checkpoint import Checkpoint as Checkpoint
from wengert.saving.checkpoint_manager import CheckpointManager as CheckpointManager
from wengert.saving.checkpoint_options import CheckpointOptions as CheckpointOptions
from wengert.saving.checkpoint_reader import list_variables as list_variables
from wengert.saving.checkpoint_reader import load_checkpoint as load_checkpoint
from wengert.saving.checkpoint_reader import load_variable as load_variable
from wengert.saving.checkpoint_reader import new_checkpoint_reader as _new_checkpoint_reader
from wengert.saving.checkpoint_state import checkpoint_exists as checkpoint_exists
from wengert.saving.checkpoint_state import checkpoints_iterator as checkpoints_iterator
from wengert.saving.checkpoint_state import (
    generate_checkpoint_state_proto as generate_checkpoint_state_proto,
)
from wengert.saving.checkpoint_state import get_checkpoint_mtimes as get_checkpoint_mtimes
from wengert.saving.checkpoint_state import get_checkpoint_state as get_checkpoint_state
from wengert.saving.checkpoint_state import latest_checkpoint as latest_checkpoint
from wengert.saving.checkpoint_state import remove_checkpoint as remove_checkpoint
from wengert.saving.checkpoint_state import update_checkpoint_state as update_checkpoint_state
from wengert.train.coordinator import Coordinator as Coordinator
from wengert.train.decay_functions import cosine_decay as cosine_decay
from wengert.train.decay_functions import cosine_decay_restarts as cosine_decay_restarts
from wengert.train.decay_functions import exponential_decay as exponential_decay
from wengert.train.decay_functions import inverse_time_decay as inverse_time_decay
from wengert.train.decay_functions import linear_cosine_decay as linear_cosine_decay
from wengert.train.decay_functions import natural_exp_decay as natural_exp_decay
from wengert.train.decay_functions import piecewise_constant as piecewise_constant
from wengert.train.decay_functions import piecewise_constant_decay as piecewise_constant_decay
from wengert.train.decay_functions import polynomial_decay as polynomial_decay
from wengert.train.legacy import Optimizer as Optimizer
from wengert.train.legacy_optimizers import AdadeltaOptimizer as AdadeltaOptimizer
from wengert.train.legacy_optimizers import AdagradDAOptimizer as AdagradDAOptimizer
from wengert.train.legacy_optimizers import AdagradOptimizer as AdagradOptimizer
from wengert.train.legacy_optimizers import AdamOptimizer as AdamOptimizer
from wengert.train.legacy_optimizers import FtrlOptimizer as FtrlOptimizer
from wengert.train.legacy_optimizers import GradientDescentOptimizer as GradientDescentOptimizer
from wengert.train.legacy_optimizers import MomentumOptimizer as MomentumOptimizer
from wengert.train.legacy_optimizers import (
    ProximalAdagradOptimizer as ProximalAdagradOptimizer,
)
from wengert.train.legacy_optimizers import (
    ProximalGradientDescentOptimizer as ProximalGradientDescentOptimizer,
)
from wengert.train.legacy_optimizers import RMSPropOptimizer as RMSPropOptimizer
from wengert.train.moving_average import ExponentialMovingAverage as ExponentialMovingAverage

experimental = _train_experimental
NewCheckpointReader = _new_checkpoint_reader


def __getattr__(name: str) -> _Any:
    """A message, which is described when it is first asked for."""
    if name == "SaverDef":
        return _message(name)
    if name in _now._MESSAGES:
        return getattr(_now, name)
    return _absent("compat.v1.train")(name)
