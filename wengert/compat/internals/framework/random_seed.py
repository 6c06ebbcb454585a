"""tensorflow.python.framework.random_seed: its names that are not public."""

from wengert.testing.sessions import SEED as DEFAULT_GRAPH_SEED

__all__ = ["DEFAULT_GRAPH_SEED"]
