"""tf.config.threading: how many threads compute."""

from wengert.host import threads as _threads


class _Inter:
    """How many operations were asked to run at once; one does."""

    count = 0


def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """The number of threads of one operation; 0 for as many as there are processors.

    >>> tf.config.threading.set_intra_op_parallelism_threads(1)
    >>> tf.config.threading.get_intra_op_parallelism_threads(), tf.config.get_threads()
    (1, 1)
    >>> tf.config.threading.set_intra_op_parallelism_threads(0)
    """
    _threads.set_threads(num_threads or None)


def get_intra_op_parallelism_threads() -> int:
    """The number of threads that was set; 0 if none was."""
    return _threads.asked_threads() or 0


def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """Remembered: operations run one after another.

    >>> tf.config.threading.set_inter_op_parallelism_threads(2)
    >>> tf.config.threading.get_inter_op_parallelism_threads()
    2
    >>> tf.config.threading.set_inter_op_parallelism_threads(0)
    """
    _Inter.count = num_threads


def get_inter_op_parallelism_threads() -> int:
    """The number that was set; 0 if none was."""
    return _Inter.count
