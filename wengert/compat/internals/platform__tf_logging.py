"""tensorflow.python.platform.tf_logging: the logger, as functions."""

from wengert.api.logger import get_logger

_logger = get_logger()
debug = _logger.debug
error = _logger.error
fatal = _logger.critical
info = _logger.info
warn = warning = _logger.warning
log = _logger.log
DEBUG, INFO, WARN, ERROR, FATAL = 10, 20, 30, 40, 50


def vlog(level: int, msg: str, *args: object) -> None:
    """What only somebody who looks for it wants to read."""
    _logger.debug(msg, *args)


def set_verbosity(level: int) -> None:
    """What is less important than this is not shown."""
    _logger.setLevel(level)


def get_verbosity() -> int:
    """What is shown at least."""
    return _logger.getEffectiveLevel()
