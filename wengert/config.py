"""tf.config: what computes graphs, and with how many threads."""

from wengert.engines.choosing import get_engine as get_engine
from wengert.engines.choosing import get_threads as get_threads
from wengert.engines.choosing import set_engine as set_engine
from wengert.engines.choosing import set_threads as set_threads
