"""tf.experimental.numpy.random: random numbers in NumPy's shapes and dtypes."""

from wengert.api.numpy.random import poisson as poisson
from wengert.api.numpy.random import rand as rand
from wengert.api.numpy.random import randint as randint
from wengert.api.numpy.random import randn as randn
from wengert.api.numpy.random import random as random
from wengert.api.numpy.random import seed as seed
from wengert.api.numpy.random import standard_normal as standard_normal
from wengert.api.numpy.random import uniform as uniform
