"""tf.distribute: strategies over one device; the loops that libraries write for several run on it.

strategy  Strategies, replicas and the reductions across them, where there is one replica
"""

from wengert.distribute.strategy import MirroredStrategy as MirroredStrategy
from wengert.distribute.strategy import OneDeviceStrategy as OneDeviceStrategy
from wengert.distribute.strategy import ReduceOp as ReduceOp
from wengert.distribute.strategy import ReplicaContext as ReplicaContext
from wengert.distribute.strategy import Strategy as Strategy
from wengert.distribute.strategy import StrategyExtended as StrategyExtended
from wengert.distribute.strategy import get_replica_context as get_replica_context
from wengert.distribute.strategy import get_strategy as get_strategy
from wengert.distribute.strategy import has_strategy as has_strategy
from wengert.distribute.strategy import in_cross_replica_context as in_cross_replica_context
