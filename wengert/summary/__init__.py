"""tf.summary: numbers, pictures and texts for TensorBoard."""

from wengert.saving.summaries.current import record_if as record_if
from wengert.saving.summaries.current import should_record_summaries as should_record_summaries
from wengert.saving.summaries.graphs import graph as graph
from wengert.saving.summaries.graphs import trace_export as trace_export
from wengert.saving.summaries.graphs import trace_off as trace_off
from wengert.saving.summaries.graphs import trace_on as trace_on
from wengert.saving.summaries.kinds import audio as audio
from wengert.saving.summaries.kinds import histogram as histogram
from wengert.saving.summaries.kinds import image as image
from wengert.saving.summaries.kinds import scalar as scalar
from wengert.saving.summaries.kinds import text as text
from wengert.saving.summaries.kinds import write as write
from wengert.saving.summaries.writer import SummaryWriter as SummaryWriter
from wengert.saving.summaries.writer import create_file_writer as create_file_writer
from wengert.saving.summaries.writer import create_noop_writer as create_noop_writer
from wengert.saving.summaries.writer import flush as flush
from wengert.summary import experimental as experimental
