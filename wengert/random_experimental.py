"""tf.random.experimental: other names of what is in tf.random, and stateless_shuffle."""

from wengert.api.variables.generator import Generator as Generator
from wengert.api.variables.generator import create_rng_state as create_rng_state
from wengert.api.variables.generator import get_global_generator as get_global_generator
from wengert.api.variables.generator import set_global_generator as set_global_generator
from wengert.ops.random.arguments import Algorithm as Algorithm
from wengert.ops.random.stateless import fold_in as stateless_fold_in  # noqa: F401
from wengert.ops.random.stateless import split as stateless_split  # noqa: F401
from wengert.ops.random.stateless import stateless_shuffle as stateless_shuffle
