"""The logger. A module of its own: loading Python's logging takes as long as ten of ours."""

from __future__ import annotations

import logging


def get_logger() -> logging.Logger:
    """The logger, under the name that TensorFlow uses.

    >>> tf.get_logger().name
    'tensorflow'
    """
    return logging.getLogger("tensorflow")
