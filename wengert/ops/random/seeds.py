"""Seeds, and the generators of stateful operations.

A generator has two seeds: the global one, and one of the operation. If only one of them is given,
TensorFlow's rules supply the other; if neither is, both are random.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from wengert.core.context import graph_around
from wengert.core.row import Row
from wengert.host.locks import load_module, new_lock
from wengert.ops.random.philox import Philox, seeded_state
from wengert.state.cell import resource
from wengert.values.dtypes import RESOURCE, DType

if TYPE_CHECKING:
    from wengert.graph.function_graph import FunctionGraph
    from wengert.graph.graph import Graph
    from wengert.graph.operation import Operation
    from wengert.values.symbolic import SymbolicTensor
    from wengert.values.tensor import Tensor
    from wengert.values.typing import Array, IntLike, Namespace, TensorLike

_LARGEST: Final = 2**31 - 1
_DEFAULT: Final = 87654321  # the global seed if only an operation's own was given

Seeds = tuple[int, int] | tuple[None, None]


class BothSeeds(NamedTuple):
    """Given in place of an operation's own seed: both, as attributes of operations in files are."""

    seed: int
    seed2: int

    @property
    def pair(self) -> Seeds:
        """The seeds; two zeros mean random ones."""
        return (int(self.seed), int(self.seed2)) if any(self) else (None, None)


class Stream:
    """The generator of one operation, which continues from run to run.

    It is passed to the kernel as the operation's first input.
    """

    __slots__ = ("__weakref__", "_first", "_key", "_lock", "_state")

    shape = ()  # error messages show it among the inputs
    dtype = DType("resource", 20, "r")

    def __init__(self, state: Philox) -> None:
        self._key = None  # it is never watched
        self._first = self._state = state
        self._lock = new_lock()  # a run holds it while machine code draws

    @property
    def _array(self) -> Stream:
        return self

    def reserve(self, blocks: int) -> Philox:
        """A generator for so many blocks; this one continues after them."""
        with self._lock:
            state = self._state
            self._state = state.skipped(blocks)
        return state

    def kept(self) -> Philox:
        """Where it is, to be put back."""
        return self._state

    def put_back(self, kept: Philox) -> None:
        """Go on from where it was."""
        with self._lock:
            self._state = kept

    @property
    def words(self) -> Array:
        """Where it is, as machine code goes on from it."""
        return self._state.words

    @words.setter
    def words(self, words: Array) -> None:
        self._state = Philox.of_words(words)

    def restart(self) -> None:
        """Begin again."""
        with self._lock:
            self._state = self._first


class Eager:
    """The state of eager mode: the global seed, and the streams of operations."""

    def __init__(self) -> None:
        self.seed: int | None = None
        self.draws: Any = None
        self.streams: dict[Hashable, Stream] = {}  # of operations with a seed
        self.in_functions: weakref.WeakSet[Stream] = weakref.WeakSet()

    def set(self, seed: TensorLike | None) -> None:
        """Set the global seed, and start all streams anew."""
        self.seed = None if seed is None else _integer(seed)
        # Python's generator, because TensorFlow takes the seeds of operations from it.
        self.draws = load_module("random").Random(self.seed)
        self.streams = {}
        for stream in tuple(self.in_functions):
            stream.restart()

    def draw(self) -> int:
        """A seed for an operation that was given none."""
        seed: int = self.draws.randint(0, _LARGEST)
        return seed


_eager: Final = Eager()


def _integer(seed: TensorLike | IntLike | None) -> int:
    try:
        return int(np.asarray(seed))
    except (TypeError, ValueError):
        raise TypeError(f"A seed must be an integer, got {seed!r}.") from None


def set_seed(seed: TensorLike | None) -> None:
    """Set the global seed, from which random operations in eager mode derive theirs.

    Results after it are reproducible. None removes the seed.

    >>> tf.random.set_seed(7)
    >>> first = tf.random.uniform([2])
    >>> tf.random.set_seed(7)
    >>> bool(tf.reduce_all(tf.random.uniform([2]) == first))
    True
    """
    graph = graph_around()
    if graph is not None:
        graph.seed = None if seed is None else _integer(seed)
    else:
        _eager.set(seed)


def seeds(op_seed: TensorLike | IntLike | None) -> Seeds:
    """The two seeds of an operation, from its own seed or None."""
    return _pair(_eager.seed, op_seed, _eager.draw)


def graph_seeds(graph: FunctionGraph | Graph, op_seed: TensorLike | IntLike | None) -> Seeds:
    """The two seeds of an operation of a graph.

    Of the operations that were given no seed, the first in a graph has 0, the next 1, as in TensorFlow.
    """
    seed = graph.seed if graph.seed is not None or not graph.is_function else _eager.seed
    return _pair(seed, op_seed, lambda: next(graph.op_seeds))


def _pair(seed: int | None, op_seed: TensorLike | IntLike | None, draw: Callable[[], int]) -> Seeds:
    if isinstance(op_seed, BothSeeds):
        return op_seed.pair
    if seed is None and op_seed is None:
        return None, None
    own = draw() if op_seed is None else _integer(op_seed)
    pair = (_DEFAULT if seed is None else seed) % _LARGEST, own % _LARGEST
    return pair if pair != (0, 0) else (0, _LARGEST)  # two zeros would mean random seeds


def stream_for(seed: int | None, seed2: int | None) -> Stream:
    """A new stream for two seeds."""
    if not seed and not seed2:
        chance = int.from_bytes(os.urandom(24), "little")
        return Stream(Philox(chance >> 64, chance % (1 << 64)))
    return Stream(seeded_state(seed or 0, seed2 or 0))


def seeds_of(op_seed: TensorLike | IntLike | None) -> Seeds:
    """The two seeds of an operation that is made now, in a graph or outside of one."""
    graph = graph_around()
    return seeds(op_seed) if graph is None else graph_seeds(graph, op_seed)


def graph_stream(graph: FunctionGraph | Graph, op_seed: TensorLike | IntLike | None) -> Tensor:
    """The stream of an operation of a graph: a tensor that each session replaces by its own stream."""
    pair = graph_seeds(graph, op_seed)
    return _stands_for(pair, graph)


def _stands_for(pair: Seeds, graph: FunctionGraph | Graph) -> Tensor:
    """The stream belongs to the function or the graph, as variables do: its loops and branches draw from it."""
    owner: Any = graph
    while owner.is_control_flow_graph and owner.outer_graph is not None:
        owner = owner.outer_graph
    stream: SymbolicTensor = owner.add(STREAM, (), {"seed": pair[0], "seed2": pair[1]}).outputs[0]
    return stream if owner is graph else graph.capture(stream)


def stream_by_seeds(pair: Seeds, operation: Hashable) -> Stream | Tensor:
    """The stream of an operation whose two seeds are given; the same operation goes on with it."""
    graph = graph_around()
    if graph is not None:
        return _stands_for(pair, graph)
    if pair == (None, None):
        return stream_for(None, None)
    return _eager.streams.setdefault((operation, pair), stream_for(*pair))


def _none_here(_: Namespace, *, seed: int, seed2: int) -> Array:
    raise TypeError("A stream stands in a graph; a session brings what it stands for.")


STREAM: Final = Row("RandomStream", _none_here, forms=lambda xs, attrs: [((), RESOURCE)])


def _stream_of(op: Operation) -> Stream:
    stream = stream_for(op.attrs["seed"], op.attrs["seed2"])
    if op.graph.is_function:
        _eager.in_functions.add(stream)
    return stream


resource("RandomStream", _stream_of)


def eager_stream(op_seed: TensorLike | IntLike | None, operation: Hashable) -> Stream:
    """The stream of an operation that runs now.

    An operation with a seed of its own continues where the same operation with the same seed
    stopped, until the global seed is set. One without starts a new stream, with a new seed.
    """
    pair = seeds(op_seed)
    if op_seed is None or pair == (None, None):
        return stream_for(*pair)
    return _eager.streams.setdefault((operation, pair), stream_for(*pair))
