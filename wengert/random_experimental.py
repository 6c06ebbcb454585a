"""tf.random.experimental: other names of what is in tf.random, and stateless_shuffle."""

from wengert.api.variables.generator import Generator as Generator
from wengert.api.variables.generator import create_rng_state as create_rng_state
from wengert.api.variables.generator import get_global_generator as get_global_generator
from wengert.api.variables.generator import set_global_generator as set_global_generator
from wengert.ops.random.arguments import Algorithm as Algorithm
from wengert.ops.random.stateless import fold_in as _fold_in
from wengert.ops.random.stateless import split as _split
from wengert.ops.random.stateless import stateless_shuffle as stateless_shuffle

stateless_fold_in = _fold_in
stateless_split = _split
