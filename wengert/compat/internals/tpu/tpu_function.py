"""tensorflow.python.tpu.tpu_function: where a program asks whether it runs on TPUs."""

from __future__ import annotations


class TpuContext:
    """The shards on TPUs, of which there are none."""

    number_of_shards = None


_CONTEXT = TpuContext()


def get_tpu_context() -> TpuContext:
    """The context of this thread."""
    return _CONTEXT
