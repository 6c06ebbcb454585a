"""tensorflow.core.protobuf.rewriter_config_pb2: settings of graph rewriting, without effect."""

from __future__ import annotations

from typing import Any


class RewriterConfig:
    """Settings that are accepted and ignored."""

    OFF, ON, DEFAULT, AGGRESSIVE = 2, 1, 0, 3

    def __init__(self, **settings: Any) -> None:
        self.__dict__.update(settings)
