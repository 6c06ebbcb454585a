"""Programs with random numbers, and what TensorFlow 2.21 made of them on a CPU.

A program takes the library and its names of version 1. Run as a script under TensorFlow, this file
records the results anew: python tests/random_cases.py.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

RECORDS = Path(__file__).parent / "data" / "random.json"
Program = Callable[[Any, Any], Any]

SEED = [1, 2]
FLOATS = ("float16", "bfloat16", "float32", "float64")
INTEGERS = ("int32", "int64", "uint32", "uint64")
ALPHAS = [0.1, 0.5, 1.0, 1.5, 100.0]
RATES = [0.5, 9.0, 10.0, 300.0]
LOGITS = [[0.5, 1.0, 2.0], [0.0, -1e30, 0.0]]


def stateless(make: Callable[..., Any], dtypes: Any) -> dict[str, Program]:
    return {dtype: lambda tf, v1, dtype=dtype: [make(tf, dtype)] for dtype in dtypes}  # type: ignore[misc]


def thrice(make: Callable[..., Any]) -> Program:
    """A call three times after a seed was set, then after the same seed once more."""

    def program(tf: Any, v1: Any) -> list[Any]:
        tf.random.set_seed(11)
        made = [make(tf, v1) for _ in range(3)]
        tf.random.set_seed(11)
        return [*made, make(tf, v1)]

    return program


# ---- functions of a seed ----------------------------------------------------------------------


def gamma_gradient(tf: Any, v1: Any) -> list[Any]:
    alpha = tf.constant([0.01, 0.5, 1.0, 2.0, 30.0, 1000.0], tf.float64)
    beta = tf.constant(2.0, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch([alpha, beta])
        made = tf.random.stateless_gamma([7, 6], SEED, alpha, beta, tf.float64)
    return list(tape.gradient(made, [alpha, beta]))


STATELESS: dict[str, Any] = {
    "uniform": stateless(lambda tf, d: tf.random.stateless_uniform([9], SEED, dtype=d), FLOATS),
    "uniform scaled": stateless(
        lambda tf, d: tf.random.stateless_uniform([9], SEED, -2, 3, dtype=d),
        [*FLOATS, "int32", "int64"],
    ),
    "all bits": stateless(
        lambda tf, d: tf.random.stateless_uniform([9], SEED, None, None, dtype=d), INTEGERS
    ),
    "normal": stateless(lambda tf, d: tf.random.stateless_normal([9], SEED, dtype=d), FLOATS),
    "truncated": stateless(
        lambda tf, d: tf.random.stateless_truncated_normal([203], SEED, dtype=d), FLOATS
    ),
    "gamma": stateless(
        lambda tf, d: tf.random.stateless_gamma([20, 5], SEED, tf.constant(ALPHAS, d), dtype=d),
        ("float32", "float64"),
    ),
    "gamma gradient": gamma_gradient,
    "poisson": stateless(
        lambda tf, d: tf.random.stateless_poisson([20, 4], SEED, RATES, d), ("int32", "float64")
    ),
    "binomial": stateless(
        lambda tf, d: tf.random.stateless_binomial(
            [20, 6], SEED, [5.0, 99.0, 99.0, 9.0, 20.0, 50.0], [0.3, 0.3, 0.7, 0.95, 0.0, 1.0], d
        ),
        ("int32", "float64"),
    ),
    "categorical": stateless(
        lambda tf, d: tf.random.stateless_categorical(LOGITS, 7, SEED, d), ("int32", "int64")
    ),
    "shuffle": lambda tf, v1: [
        tf.random.experimental.stateless_shuffle(tf.range(23), SEED),
        tf.random.experimental.stateless_shuffle([[1, 2], [3, 4], [5, 6]], SEED),
    ],
    "seeds": lambda tf, v1: [
        tf.random.split(SEED, 3),
        tf.random.split(tf.constant([-1, 2**62], tf.int64)),
        tf.random.fold_in(SEED, 5),
        tf.random.fold_in(SEED, tf.constant(5, tf.int64)),
        tf.random.stateless_uniform([2], [-3, -(2**31)], alg="philox"),
        tf.random.stateless_uniform([2], SEED, alg=tf.random.Algorithm.AUTO_SELECT),
    ],
    "many": lambda tf, v1: [
        tf.random.stateless_uniform([70_001], SEED)[-5:],
        tf.random.stateless_uniform([70_001], SEED, None, None, tf.int64)[-5:],
    ],
}

# ---- functions of seeds that were set ---------------------------------------------------------


def pairs_of_seeds(tf: Any, v1: Any) -> list[Any]:
    made = []
    for seed, own in ((None, 4), (0, 0), (0, -4), (5, 2**31 - 1), (2**40, 2**33), (-3, 7)):
        tf.random.set_seed(seed)
        made += [v1.get_seed(own), tf.random.uniform([2], seed=own)]
    return made


def streams(tf: Any, v1: Any) -> list[Any]:
    """Operations continue by themselves, whatever runs between."""
    tf.random.set_seed(3)
    return [
        tf.random.uniform([5], seed=1),
        tf.random.uniform([2], seed=1, dtype=tf.float64),
        tf.random.normal([3], seed=1),
        tf.random.uniform([2, 2], seed=1),
        tf.random.uniform([5], seed=2),
        tf.random.truncated_normal([3], seed=1),
        tf.random.normal([3], seed=1),
        tf.random.uniform([2], seed=1, dtype=tf.float64),
    ]


def idle_dropout(tf: Any, v1: Any) -> list[Any]:
    tf.random.set_seed(3)
    tf.nn.dropout([1.0], 0)
    return [tf.random.uniform([3])]


STATEFUL: dict[str, Any] = {
    "pairs of seeds": pairs_of_seeds,
    "streams": streams,
    "uniform": thrice(lambda tf, v1: tf.random.uniform([5], 2.0, 3.0)),
    "uniform to": thrice(lambda tf, v1: tf.random.uniform([5], maxval=3.0, seed=1)),
    "integers": thrice(lambda tf, v1: tf.random.uniform([5], -2, 900, tf.int64, seed=1)),
    "normal": thrice(lambda tf, v1: tf.random.normal([5], 2.0, 3.0)),
    "truncated": thrice(lambda tf, v1: tf.random.truncated_normal([5], seed=1)),
    "gamma": thrice(lambda tf, v1: tf.random.gamma([5], [0.5, 1.0, 3.0], [[1.0], [2.0]], seed=1)),
    "poisson": thrice(lambda tf, v1: tf.random.poisson([5], RATES, seed=1)),
    "categorical": thrice(lambda tf, v1: tf.random.categorical(LOGITS, 5, seed=1)),
    "shuffle": thrice(lambda tf, v1: tf.random.shuffle(tf.range(11), seed=1)),
    "shuffled rows": thrice(lambda tf, v1: tf.random.shuffle(tf.reshape(tf.range(6), [3, 2]))),
    "dropout": thrice(lambda tf, v1: tf.nn.dropout(tf.ones([4, 5]), 0.3)),
    "dropout of rows": thrice(
        lambda tf, v1: tf.nn.dropout(tf.ones([4, 5]), tf.constant(0.3), [None, 1], seed=1)
    ),
    "idle dropout": idle_dropout,
    "stateless dropout": lambda tf, v1: [
        tf.nn.experimental.stateless_dropout(tf.ones([4, 5]), 0.3, SEED)
    ],
    "v1": thrice(
        lambda tf, v1: tf.concat(
            [
                v1.random_uniform([2]),
                v1.random_normal([2], seed=1),
                v1.truncated_normal([2]),
                v1.random_gamma([2], 3.0),
                v1.random_poisson(3.0, [2]),
                v1.random_shuffle([1.0, 2.0, 3.0]),
                tf.cast(v1.multinomial(LOGITS, 3)[0], tf.float32),
            ],
            0,
        )
    ),
}

# ---- generators -------------------------------------------------------------------------------


def numbers_of_a_generator(tf: Any, v1: Any) -> list[Any]:
    g = tf.random.Generator.from_seed(1234)
    return [
        g.normal([3]),
        g.uniform([2, 2]),
        g.truncated_normal([3], 1.0, 2.0, tf.float64),
        g.uniform([3], 0, 10, tf.int64),
        g.uniform([3], None, None, tf.int32),
        g.uniform_full_int([2]),
        g.make_seeds(2),
        g.binomial([3], 10.0, 0.3),
        g.binomial([2, 2], [100.0, 5.0], [[0.3], [0.7]]),
        g.binomial([3, 2], 5.0, [0.3, 0.4]),
        g.state,
        g.key,
    ]


def states_of_a_generator(tf: Any, v1: Any) -> list[Any]:
    g = tf.random.Generator.from_seed(5)
    made = [g.skip(5), g.state.read_value()]
    halves = g.split(2)
    made += [halves[0].state, halves[1].normal([2]), g.state.read_value()]
    made += [tf.random.Generator(copy_from=g).normal([2]), g.normal([2])]
    g.reset_from_key_counter(7, [1, 2])
    made += [g.state.read_value()]
    g.reset([1, 2, 3])
    made += [g.state.read_value()]
    g.reset_from_seed([3, 4])
    made += [g.state.read_value()]
    g = tf.random.Generator.from_key_counter(2**64 - 1, [3, 2**63], alg="philox")
    made += [g.state.read_value(), g.normal([])]
    g = tf.random.Generator.from_state([2**63 - 1, 5, 6], 1)
    g.skip(2**50)
    return [*made, g.state, *(tf.random.create_rng_state(s, 1) for s in MADE_INTO_STATES)]


MADE_INTO_STATES: list[Any] = [2**70 + 5, -1, [1, 2], [1, 2, 3, 4]]

GENERATORS: dict[str, Any] = {
    "numbers": numbers_of_a_generator,
    "states": states_of_a_generator,
}

# ---- initializers -----------------------------------------------------------------------------

KERAS = (
    "GlorotNormal",
    "GlorotUniform",
    "HeNormal",
    "HeUniform",
    "LecunNormal",
    "LecunUniform",
    "Orthogonal",
    "RandomNormal",
    "RandomUniform",
    "TruncatedNormal",
    "VarianceScaling",
)
OLD = (
    "glorot_normal",
    "glorot_uniform",
    "he_normal",
    "he_uniform",
    "lecun_normal",
    "lecun_uniform",
    "orthogonal",
    "random_normal",
    "random_uniform",
    "truncated_normal",
    "uniform_unit_scaling",
    "variance_scaling",
)


def keras(name: str) -> Program:
    def program(tf: Any, v1: Any) -> list[Any]:
        make = getattr(tf.initializers, name)
        twice = make(seed=7)
        return [
            twice([3, 4]),
            twice([2, 2, 3, 2]),
            make(seed=-7)([4, 2], dtype="float64"),
            make(seed=2**40)([2, 5]),
        ]

    return program


def old(name: str) -> Program:
    return thrice(lambda tf, v1: getattr(v1.initializers, name)(seed=5)([3, 4]))


INITIALIZERS: dict[str, Any] = {
    **{name: keras(name) for name in KERAS},
    **{f"v1 {name}": old(name) for name in OLD},
    "variance": lambda tf, v1: [
        tf.initializers.VarianceScaling(3.0, mode, kind, seed=3)([2, 3, 4])
        for mode in ("fan_in", "fan_out", "fan_avg")
        for kind in ("uniform", "normal", "untruncated_normal")
    ],
    "axes": lambda tf, v1: [
        tf.initializers.HeUniform(seed=3, input_axes=[0], output_axes=[1, 2])([2, 3, 2])
    ],
    "simple": thrice(
        lambda tf, v1: tf.concat(
            [
                tf.random_normal_initializer()([3]),
                tf.random_normal_initializer(seed=4)([3]),
                tf.random_uniform_initializer()([3]),
                tf.random_uniform_initializer(seed=4)([3]),
            ],
            0,
        )
    ),
}


def flat(kind: dict[str, Any]) -> dict[str, Program]:
    """Programs by name, those of several dtypes one by one."""
    made: dict[str, Program] = {}
    for name, program in kind.items():
        several = program.items() if isinstance(program, dict) else [("", program)]
        made |= {f"{name} {dtype}".strip(): one for dtype, one in several}
    return made


PROGRAMS: dict[str, dict[str, Program]] = {
    "stateless": flat(STATELESS),
    "stateful": flat(STATEFUL),
    "generators": flat(GENERATORS),
    "initializers": flat(INITIALIZERS),
}


def record(tensor: Any) -> list[Any]:
    """[dtype, shape, elements]; what JSON cannot hold exactly it holds as text."""
    array = np.asarray(tensor)
    wide = array.astype(np.float64) if array.dtype.kind in "fV" else array
    return [array.dtype.name, list(array.shape), wide.reshape(-1).tolist()]


def main() -> None:
    import tensorflow as tf

    made = {
        kind: {name: [record(t) for t in run(tf, tf.compat.v1)] for name, run in programs.items()}
        for kind, programs in PROGRAMS.items()
    }
    lines = [
        f"{json.dumps(kind)}: {{\n"
        + ",\n".join(f"{json.dumps(n)}: {json.dumps(r)}" for n, r in results.items())
        + "\n}"
        for kind, results in made.items()
    ]
    RECORDS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
