"""tensorflow.python.layers.core: dense, dropout and flatten."""

from wengert.compat.v1.layers.core import Dense as Dense
from wengert.compat.v1.layers.core import Dense as FullyConnected
from wengert.compat.v1.layers.core import Dropout as Dropout
from wengert.compat.v1.layers.core import Flatten as Flatten
from wengert.compat.v1.layers.functions import dense as dense
from wengert.compat.v1.layers.functions import dense as fully_connected
from wengert.compat.v1.layers.functions import dropout as dropout
from wengert.compat.v1.layers.functions import flatten as flatten
