"""tf.random: random numbers, with a seed and without."""

from wengert import random_experimental as _experimental
from wengert.api.variables.generator import Generator as Generator
from wengert.api.variables.generator import create_rng_state as create_rng_state
from wengert.api.variables.generator import get_global_generator as get_global_generator
from wengert.api.variables.generator import set_global_generator as set_global_generator
from wengert.ops.random.arguments import Algorithm as Algorithm
from wengert.ops.random.candidates import all_candidate_sampler as all_candidate_sampler
from wengert.ops.random.candidates import (
    fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler,
)
from wengert.ops.random.candidates import (
    learned_unigram_candidate_sampler as learned_unigram_candidate_sampler,
)
from wengert.ops.random.candidates import (
    log_uniform_candidate_sampler as log_uniform_candidate_sampler,
)
from wengert.ops.random.candidates import uniform_candidate_sampler as uniform_candidate_sampler
from wengert.ops.random.seeds import set_seed as set_seed
from wengert.ops.random.stateful import categorical as categorical
from wengert.ops.random.stateful import gamma as gamma
from wengert.ops.random.stateful import normal as normal
from wengert.ops.random.stateful import poisson as poisson
from wengert.ops.random.stateful import shuffle as shuffle
from wengert.ops.random.stateful import truncated_normal as truncated_normal
from wengert.ops.random.stateful import uniform as uniform
from wengert.ops.random.stateless import fold_in as fold_in
from wengert.ops.random.stateless import split as split
from wengert.ops.random.stateless import stateless_binomial as stateless_binomial
from wengert.ops.random.stateless import stateless_categorical as stateless_categorical
from wengert.ops.random.stateless import stateless_gamma as stateless_gamma
from wengert.ops.random.stateless import stateless_normal as stateless_normal
from wengert.ops.random.stateless import (
    stateless_parameterized_truncated_normal as stateless_parameterized_truncated_normal,
)
from wengert.ops.random.stateless import stateless_poisson as stateless_poisson
from wengert.ops.random.stateless import stateless_truncated_normal as stateless_truncated_normal
from wengert.ops.random.stateless import stateless_uniform as stateless_uniform

experimental = _experimental
