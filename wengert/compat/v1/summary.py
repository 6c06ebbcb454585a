"""tf.compat.v1.summary: summaries that a session runs."""

from typing import Any

from wengert.host.locks import load_module
from wengert.saving.summaries.version_1 import FileWriter as FileWriter
from wengert.saving.summaries.version_1 import histogram as histogram
from wengert.saving.summaries.version_1 import image as image
from wengert.saving.summaries.version_1 import merge as merge
from wengert.saving.summaries.version_1 import merge_all as merge_all
from wengert.saving.summaries.version_1 import scalar as scalar
from wengert.saving.summaries.version_1 import tensor_summary as tensor_summary
from wengert.saving.summaries.version_1 import text as text

_MESSAGES = ("Event", "Summary", "SummaryDescription")


def __getattr__(name: str) -> Any:
    if name in _MESSAGES:
        return load_module("wengert.compat.graph_defs.protos").message(name)
    raise AttributeError(f"module 'wengert.compat.v1.summary' has no attribute {name!r}")
