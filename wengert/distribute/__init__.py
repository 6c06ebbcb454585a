"""tf.distribute: many devices and many processes.

mesh      Devices in a grid with named axes; tensors and variables that are divided over them
values    The values of several replicas
batches   Batches divided among replicas
strategy  What strategies have in common, and those with one replica
taking_turns  Replicas of one process, which take turns and meet
mirrored  A replica on each of several devices of a process
gathering  Processes wait until all of them are there
processes  This process among several, and values that all of them add up
workers   A replica in each of several processes
"""

from wengert.distribute.batches import DistributedDataset as DistributedDataset
from wengert.distribute.batches import DistributedIterator as DistributedIterator
from wengert.distribute.mesh import Mesh as Mesh
from wengert.distribute.mesh import replicate as replicate
from wengert.distribute.mesh import shard as shard
from wengert.distribute.mesh import sharding as sharding
from wengert.distribute.mirrored import MirroredStrategy as MirroredStrategy
from wengert.distribute.strategy import OneDeviceStrategy as OneDeviceStrategy
from wengert.distribute.strategy import ParameterServerStrategy as ParameterServerStrategy
from wengert.distribute.strategy import ReduceOp as ReduceOp
from wengert.distribute.strategy import ReplicaContext as ReplicaContext
from wengert.distribute.strategy import Strategy as Strategy
from wengert.distribute.strategy import StrategyExtended as StrategyExtended
from wengert.distribute.strategy import TPUStrategy as TPUStrategy
from wengert.distribute.strategy import get_replica_context as get_replica_context
from wengert.distribute.strategy import get_strategy as get_strategy
from wengert.distribute.strategy import has_strategy as has_strategy
from wengert.distribute.strategy import in_cross_replica_context as in_cross_replica_context
from wengert.distribute.values import DistributedValues as DistributedValues
from wengert.distribute.values import InputContext as InputContext
from wengert.distribute.workers import (
    MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy,
)
