"""tf.queue: queues between threads, as operations."""

from wengert.compat.v1.queues.queue import FIFOQueue as FIFOQueue
from wengert.compat.v1.queues.queue import PaddingFIFOQueue as PaddingFIFOQueue
from wengert.compat.v1.queues.queue import PriorityQueue as PriorityQueue
from wengert.compat.v1.queues.queue import QueueBase as QueueBase
from wengert.compat.v1.queues.queue import RandomShuffleQueue as RandomShuffleQueue
