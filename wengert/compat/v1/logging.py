"""tf.compat.v1.logging: the logger, as functions."""

from __future__ import annotations

from wengert.api.session.logger import get_logger

DEBUG, INFO, WARN, ERROR, FATAL = 10, 20, 30, 40, 50
_logger = get_logger()
debug = _logger.debug
error = _logger.error
fatal = _logger.critical
info = _logger.info
warn = warning = _logger.warning
log = _logger.log
_counted: dict[str, int] = {}


def vlog(level: int, msg: str, *args: object) -> None:
    """Log a message at a verbose debugging level.

    >>> tf.compat.v1.logging.vlog(3, "a detail")
    """
    _logger.debug(msg, *args)


def log_if(level: int, msg: str, condition: bool, *args: object) -> None:
    """Log a message if a condition holds.

    >>> tf.compat.v1.logging.log_if(tf.compat.v1.logging.ERROR, "never shown", False)
    """
    if condition:
        _logger.log(level, msg, *args)


def log_first_n(level: int, msg: str, n: int, *args: object) -> None:
    """Log a message at most n times.

    >>> tf.compat.v1.logging.log_first_n(tf.compat.v1.logging.ERROR, "never shown", 0)
    """
    _counted[msg] = _counted.get(msg, 0) + 1
    log_if(level, msg, _counted[msg] <= n, *args)


def log_every_n(level: int, msg: str, n: int, *args: object) -> None:
    """Log a message every n-th time.

    >>> tf.compat.v1.logging.log_every_n(tf.compat.v1.logging.DEBUG, "a step", 10)
    """
    count = _counted[msg] = _counted.get(msg, -1) + 1
    log_if(level, msg, count % n == 0, *args)


def set_verbosity(v: int) -> None:
    """Set the lowest level of messages that are shown.

    >>> tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.ERROR)
    >>> tf.compat.v1.logging.get_verbosity() == tf.compat.v1.logging.ERROR
    True
    >>> tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.WARN)
    """
    _logger.setLevel(v)


def get_verbosity() -> int:
    """The lowest level of messages that are shown.

    >>> tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.WARN)
    >>> tf.compat.v1.logging.get_verbosity()
    30
    """
    return _logger.getEffectiveLevel()


def TaskLevelStatusMessage(msg: str) -> None:  # noqa: N802  # TensorFlow's name
    """Log a message about the task.

    >>> tf.compat.v1.logging.TaskLevelStatusMessage("step 1")
    """
    _logger.info(msg)


def flush() -> None:
    """Nothing waits to be written."""
