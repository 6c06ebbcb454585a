"""tf.random.Generator: a random number generator with explicit state.

Made in the scope of a strategy, it is one that all replicas draw from at once: their numbers differ, since each has its key from
the state's key and its own number, and the state moves on once. Any other one belongs to whoever draws: replicas take it in turns.
"""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

from wengert.core.context import current_graph
from wengert.core.dispatch import apply
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.joining import concat, stack, unstack
from wengert.ops.arrays.shaping import reshape
from wengert.ops.math.elementwise import cast, zeros_like
from wengert.ops.random import rows as rows
from wengert.ops.random.arguments import Algorithm, algorithm_number, check_algorithm, sizes
from wengert.ops.random.philox import LONG
from wengert.ops.random.stateless import binomial_from, check_uniform, scaled_from, uniform_from
from wengert.state.replicas import current, without_others
from wengert.state.variable import Variable
from wengert.values import dtypes
from wengert.values.dtypes import as_dtype
from wengert.values.tensor import Tensor, wrap

if TYPE_CHECKING:
    from wengert.values.typing import DTypeLike, IntLike, ShapeLike, TensorLike

Method = TypeVar("Method", bound=Callable[..., Any])
_SIZE: Final = 3  # a counter of two, and a key
_COUNTER: Final = slice(0, 2)
_KEY: Final = slice(2, 3)


def create_rng_state(seed: TensorLike | IntLike, alg: int | str | Algorithm) -> Tensor:
    """The state of a generator from a seed: an integer, or up to three 64-bit integers.

    >>> tf.random.create_rng_state(1, "philox").numpy().tolist()
    [1, 0, 0]
    """
    check_algorithm(alg)
    if isinstance(seed, int):
        seed = [seed >> shift & LONG for shift in (0, 64, 128)]
    given = reshape(_as_state(seed), (-1,))[:_SIZE]
    missing = _SIZE - math.prod(given._array.shape)
    return concat([np.zeros(missing, np.int64), given], 0)


def _as_state(value: Any) -> Tensor:
    """Integers as a tensor of int64; those above its range keep their bits."""
    if isinstance(value, int):
        return wrap(np.array(value & LONG, np.uint64).view(np.int64))
    if isinstance(value, (list, tuple)):
        return stack([_as_state(part) for part in value])
    return cast(value, dtypes.int64)


@deferrable
def _advanced(state: Tensor, delta: IntLike) -> Tensor:
    """The state after so many numbers."""
    result: Tensor = apply(rows.ADVANCED, (state,), {"delta": int(delta)})
    return result


def _kept_after_an_error(method: Method) -> Method:
    """If drawing fails, restore the state."""

    @functools.wraps(method)
    def drawn(self: Generator, *args: Any, **kwargs: Any) -> Tensor:
        result: Tensor
        if current_graph() is not None:
            result = method(self, *args, **kwargs)
            return result
        before = self._state.read_value()
        try:
            result = method(self, *args, **kwargs)
            return result
        except Exception:
            without_others(lambda: self._state.assign(before))
            raise

    return drawn  # type: ignore[return-value]


class Generator:
    """A random number generator, with its state in a variable.

    Its numbers are TensorFlow's for the same state.

    >>> g = tf.random.Generator.from_seed(1)
    >>> print(g.normal([3]).numpy().round(4))
    [ 0.4384 -0.5344 -0.0771]
    >>> g.state.numpy().tolist()
    [769, 0, 0]
    """

    def __init__(
        self,
        copy_from: Generator | None = None,
        state: TensorLike | None = None,
        alg: Any = None,
    ):
        if copy_from is not None:
            if alg is not None or state is not None:
                raise ValueError(
                    "Give a generator to copy, or a state with an algorithm, not both."
                )
            state, alg = copy_from.state.read_value(), copy_from.algorithm
        if state is None or alg is None:
            raise ValueError("A tf.random.Generator needs both `state` and `alg`.")
        self._algorithm = check_algorithm(alg)
        self._strategy = current.strategy
        self._state = state if isinstance(state, Variable) else _variable(_checked(state))

    # ---- how it is made ----------------------------------------------------------------------

    @classmethod
    def from_state(cls, state: TensorLike, alg: int | str | Algorithm) -> Generator:
        """A generator with this state: three integers, or a variable to use."""
        return cls(alg=alg, state=state)

    @classmethod
    def from_seed(cls, seed: IntLike, alg: Any = None) -> Generator:
        """A generator whose state is derived from a seed."""
        number = _or_philox(alg)
        return cls(state=create_rng_state(seed, number), alg=number)

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        """A generator with a random state."""
        state = np.frombuffer(os.urandom(8 * _SIZE), np.int64)
        return cls(state=state, alg=_or_philox(alg))

    @classmethod
    def from_key_counter(
        cls, key: TensorLike, counter: TensorLike, alg: int | str | Algorithm
    ) -> Generator:
        """A generator with this key and a counter of two integers."""
        return cls(state=_joined(key, counter), alg=alg)

    # ---- its state ---------------------------------------------------------------------------

    def _trackable_children(self, save_type: str = "checkpoint", **_: Any) -> dict[str, Any]:
        return {"_state_var": self._state}

    def reset(self, state: TensorLike) -> None:
        """Replace the state."""
        self._replace(_checked(state))

    def reset_from_seed(self, seed: TensorLike) -> None:
        """Replace the state by one derived from a seed."""
        self._replace(create_rng_state(seed, self._algorithm))

    def reset_from_key_counter(self, key: IntLike, counter: TensorLike) -> None:
        """Replace the state by a key and a counter."""
        self._replace(_joined(key, counter))

    @property
    def state(self) -> Variable:
        """The variable that holds counter and key."""
        return self._state

    @property
    def algorithm(self) -> int:
        """The number of the algorithm; 1 is Philox."""
        return self._algorithm

    @property
    def key(self) -> Tensor:
        """The key of the counter-based algorithm, the last element of the state."""
        key: Tensor = self._state.read_value()[-1]
        return key

    def skip(self, delta: IntLike) -> Tensor:
        """Advance the state as if `delta` numbers had been drawn; return the previous state."""

        def skipped() -> Tensor:
            before = self._state.read_value()
            self._state.assign(_advanced(before, delta))
            return before

        before: Tensor = self._once(skipped)
        return before

    def _replace(self, state: Tensor) -> None:
        self._once(lambda: self._state.assign(state))

    def _once(self, change: Callable[[], Any]) -> Any:
        """What a change of the state gives; replicas that have the state in common make it together."""
        context = current.context
        if context is not None and context.strategy is self._strategy:
            return context.merge_call(lambda _: change())
        return without_others(change)

    def _take(self, count: int) -> list[Tensor]:
        """Key and counter for so many numbers."""
        state = self.skip(count)
        return [self._own(state[_KEY]), state[_COUNTER]]

    def _taken(self, shape: ShapeLike) -> list[Tensor]:
        """Key and counter for the numbers of a shape."""
        return self._take(math.prod(sizes(shape, rows.ADVANCED)))

    def _own(self, key: Tensor) -> Tensor:
        """The key of the replica that draws, where replicas have the state in common."""
        replica = current.replica
        if replica is None or self._strategy is None or replica.strategy is not self._strategy:
            return key
        counter = np.array([replica.replica_id_in_sync_group, 0], np.uint64)
        return uniform_from([key, wrap(counter)], [1], None, None, dtypes.uint64)

    # ---- its numbers -------------------------------------------------------------------------

    @_kept_after_an_error
    def normal(
        self,
        shape: ShapeLike,
        mean: TensorLike = 0.0,
        stddev: TensorLike = 1.0,
        dtype: DTypeLike = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:
        """Samples from a normal distribution."""
        row = rows.NORMAL.stateless
        return scaled_from(row, self._taken(shape), shape, mean, stddev, dtype)

    @_kept_after_an_error
    def truncated_normal(
        self,
        shape: ShapeLike,
        mean: TensorLike = 0.0,
        stddev: TensorLike = 1.0,
        dtype: DTypeLike = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:
        """Samples from a truncated normal distribution, cut off at two standard deviations."""
        row = rows.TRUNCATED.stateless
        return scaled_from(row, self._taken(shape), shape, mean, stddev, dtype)

    @_kept_after_an_error
    def uniform(
        self,
        shape: ShapeLike,
        minval: TensorLike = 0,
        maxval: TensorLike | None = None,
        dtype: DTypeLike = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:
        """Uniform samples from [minval, maxval); integers over the full range if both are None."""
        maxval = check_uniform(minval, maxval, dtype)
        return uniform_from(self._taken(shape), shape, minval, maxval, dtype)

    @_kept_after_an_error
    def uniform_full_int(
        self, shape: ShapeLike, dtype: DTypeLike = dtypes.uint64, name: str | None = None
    ) -> Tensor:
        """Uniform integers over the full range of the dtype."""
        return uniform_from(self._taken(shape), shape, None, None, as_dtype(dtype))

    @_kept_after_an_error
    def binomial(
        self,
        shape: ShapeLike,
        counts: TensorLike,
        probs: TensorLike,
        dtype: DTypeLike = dtypes.int32,
        name: str | None = None,
    ) -> Tensor:
        """Binomial samples: how many of `counts` trials succeed, each with probability `probs`."""
        pairs = math.prod(np.broadcast_shapes(np.shape(counts), np.shape(probs)))
        each = math.prod(sizes(shape, rows.BINOMIAL)) // max(pairs, 1)
        # The amount that TensorFlow reserves for this many samples.
        taken = self._take(pairs * 200 * (each + 3) // 4)
        return binomial_from(taken, shape, counts, probs, dtype)

    def make_seeds(self, count: int = 1) -> Tensor:
        """Seeds for stateless operations, one in each column."""
        keys = self.uniform_full_int([count], dtypes.int64)
        return stack([keys, zeros_like(keys)])

    def split(self, count: int = 1) -> list[Generator]:
        """New generators, independent of each other and of this one."""
        keys = unstack(self.uniform_full_int([count], dtypes.int64))
        return [Generator(state=stack([0, 0, key]), alg=self._algorithm) for key in keys]


def _or_philox(alg: int | str | Algorithm | None) -> int:
    return algorithm_number(Algorithm.PHILOX if alg is None else alg)


def _variable(state: Tensor) -> Variable:
    return Variable(state, trainable=False, name="StateVar")


def _checked(state: TensorLike) -> Tensor:
    tensor = _as_state(state)
    tensor.shape.assert_is_compatible_with([_SIZE])
    return tensor


def _joined(key: Any, counter: TensorLike) -> Tensor:
    """The state with a key and a counter."""
    first, last = _as_state(counter), _as_state(key)
    first.shape.assert_is_compatible_with([_SIZE - 1])
    last.shape.assert_is_compatible_with([])
    return concat([first, reshape(last, (1,))], 0)


# ---- the global generator ---------------------------------------------------------------------

_global: Final[list[Generator]] = []  # one at most


def get_global_generator() -> Generator:
    """The global generator; created with a random state when first asked for.

    >>> tf.random.get_global_generator().uniform([2]).shape
    TensorShape([2])
    """
    if not _global:
        _global.append(Generator.from_non_deterministic_state())
    return _global[0]


def set_global_generator(generator: Generator | None) -> None:
    """Replace the global generator; None lets the next who asks for it make one.

    >>> tf.random.set_global_generator(tf.random.Generator.from_seed(1))
    >>> tf.random.get_global_generator().algorithm
    1
    """
    _global[:] = [] if generator is None else [generator]
