"""tf.compat.v1.random, and the random functions in tf.compat.v1 itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from wengert import random_experimental as experimental
from wengert.api.variables.generator import (
    Generator,
    create_rng_state,
    get_global_generator,
    set_global_generator,
)
from wengert.ops.random import stateful as now
from wengert.ops.random.arguments import Algorithm
from wengert.ops.random.candidates import (
    all_candidate_sampler,
    fixed_unigram_candidate_sampler,
    learned_unigram_candidate_sampler,
    log_uniform_candidate_sampler,
    uniform_candidate_sampler,
)
from wengert.ops.random.seeds import Seeds, seeds_of
from wengert.ops.random.seeds import set_seed as set_random_seed
from wengert.ops.random.stateful import (
    categorical,
    gamma,
    normal,
    shuffle,
    truncated_normal,
    uniform,
)
from wengert.ops.random.stateless import (
    fold_in,
    split,
    stateless_binomial,
    stateless_categorical,
    stateless_gamma,
    stateless_normal,
    stateless_poisson,
    stateless_truncated_normal,
    stateless_uniform,
)
from wengert.values import dtypes
from wengert.values.tensor import Tensor

__all__ = [
    "V1_NAMES",
    "Algorithm",
    "Generator",
    "all_candidate_sampler",
    "categorical",
    "create_rng_state",
    "experimental",
    "fixed_unigram_candidate_sampler",
    "fold_in",
    "gamma",
    "get_global_generator",
    "get_seed",
    "learned_unigram_candidate_sampler",
    "log_uniform_candidate_sampler",
    "multinomial",
    "normal",
    "poisson",
    "set_global_generator",
    "set_random_seed",
    "shuffle",
    "split",
    "stateless_binomial",
    "stateless_categorical",
    "stateless_gamma",
    "stateless_multinomial",
    "stateless_normal",
    "stateless_poisson",
    "stateless_truncated_normal",
    "stateless_uniform",
    "truncated_normal",
    "uniform",
    "uniform_candidate_sampler",
]


def get_seed(op_seed: Any) -> Seeds:
    """The two seeds that an operation would have; None and None for random ones.

    >>> from wengert.compat.v1.random import get_seed
    >>> tf.random.set_seed(5)
    >>> get_seed(3)
    (5, 3)
    """
    return seeds_of(op_seed)


def poisson(
    lam: Any,
    shape: Any,
    dtype: Any = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Poisson samples; the rate is the first argument here.

    >>> from wengert.compat.v1.random import poisson
    >>> poisson([1.0, 2.0], [3]).shape
    TensorShape([3, 2])
    """
    return now.poisson(shape, lam, dtype, seed)


def multinomial(
    logits: Any,
    num_samples: Any,
    seed: Any = None,
    name: str | None = None,
    output_dtype: Any = None,
) -> Tensor:
    """Samples from categorical distributions, given by unnormalized log-probabilities.

    >>> from wengert.compat.v1.random import multinomial
    >>> multinomial([[0.0, -100.0]], 3).numpy().tolist()
    [[0, 0, 0]]
    """
    return now.categorical(logits, num_samples, output_dtype, seed)


def stateless_multinomial(
    logits: Any,
    num_samples: Any,
    seed: Any,
    output_dtype: Any = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """Samples from categorical distributions, as a function of a seed of two integers.

    >>> from wengert.compat.v1.random import stateless_multinomial
    >>> stateless_multinomial([[0.0, -100.0]], 3, seed=[1, 2]).numpy().tolist()
    [[0, 0, 0]]
    """
    return stateless_categorical(logits, num_samples, seed, output_dtype)


# The functions in tf.compat.v1 itself.
V1_NAMES: Final[dict[str, Callable[..., Any]]] = {
    "get_seed": get_seed,
    "multinomial": multinomial,
    "random_gamma": gamma,
    "random_normal": normal,
    "random_poisson": poisson,
    "random_shuffle": shuffle,
    "random_uniform": uniform,
    "set_random_seed": set_random_seed,
    "truncated_normal": truncated_normal,
}
