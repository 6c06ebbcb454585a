"""tf.summary.experimental: the step, scopes, messages that are there already."""

from wengert.saving.summaries.current import get_step as get_step
from wengert.saving.summaries.current import set_step as set_step
from wengert.saving.summaries.current import summary_scope as summary_scope
from wengert.saving.summaries.kinds import write_raw_pb as write_raw_pb
