"""Running what a test builds: immediately in eager mode, otherwise in a session of the test."""

from __future__ import annotations

import unittest
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from wengert.api.session.modes import (
    executing_eagerly,
    get_default_graph,
    in_nested_graph,
    reset_default_graph,
)
from wengert.api.session.session import IndexedSlicesValue, Session, get_default_session
from wengert.graph.graph import Graph
from wengert.ops.sparse.tensor import SparseTensor, SparseTensorValue
from wengert.ragged import RaggedTensor
from wengert.random import set_seed
from wengert.values import nest
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.tensor import Tensor

# Every test starts with this seed.
SEED = 87654321


class WithSession(unittest.TestCase):
    """Gives a test sessions, and the values of tensors."""

    _session: Session | None = None  # also where a test's own setUp leaves ours out

    def setUp(self) -> None:
        """Start each test with the same seeds and an empty default graph."""
        super().setUp()
        self._session = None
        np.random.seed(SEED % 2**32)
        if executing_eagerly():
            set_seed(SEED)
        else:
            # Decorators of tests call setUp again inside a new graph, which is as good as a reset one.
            if get_default_session() is None and not in_nested_graph():
                reset_default_graph()
            get_default_graph().seed = SEED

    def tearDown(self) -> None:
        """Undo the changes of a test."""
        self._close()
        super().tearDown()

    def _close(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            session.close()

    def evaluate(self, tensors: Any) -> Any:
        """The values of tensors, or of a structure of them, as NumPy arrays."""
        if executing_eagerly():
            return nest.map_structure(self._value, tensors)
        session = get_default_session()
        if session is None:
            with self.test_session() as session:
                return _ran(session, tensors)
        return _ran(session, tensors)

    def _value(self, x: Any) -> Any:
        if _is_plain(x):
            return x
        if isinstance(x, SparseTensor):
            return SparseTensorValue(*map(self._value, (x.indices, x.values, x.dense_shape)))
        if isinstance(x, IndexedSlices):
            return IndexedSlicesValue(*map(self._value, (x.values, x.indices, x.dense_shape)))
        if isinstance(x, RaggedTensor):
            return x
        if callable(x):
            return self.evaluate(x())
        if hasattr(x, "numpy"):
            return x.numpy()
        raise ValueError(f"Unsupported type {type(x).__name__}: {x!r} has no value.")

    @contextmanager
    def session(
        self,
        graph: Graph | None = None,
        config: Any = None,
        use_gpu: bool = True,
        force_gpu: bool = False,
    ) -> Iterator[Any]:
        """A new session, the default one within the block; in eager mode an EagerSession."""
        if executing_eagerly():
            yield EagerSession(self)
            return
        with Session(graph=graph, config=config) as session:
            yield session

    @contextmanager
    def cached_session(
        self,
        graph: Graph | None = None,
        config: Any = None,
        use_gpu: bool = True,
        force_gpu: bool = False,
    ) -> Iterator[Any]:
        """The test's single session: variables keep their values from one block to the next."""
        if executing_eagerly():
            yield EagerSession(self)
            return
        if self._session is None:
            self._session = Session(graph=graph, config=config)
        elif graph is not None and self._session.graph is not graph:
            raise ValueError("The graph used to get the cached session is different.")
        with self._session.graph.as_default(), self._session.as_default():
            yield self._session

    def test_session(
        self,
        graph: Graph | None = None,
        config: Any = None,
        use_gpu: bool = True,
        force_gpu: bool = False,
    ) -> Any:
        """The test's single session, or a new one if a graph is given."""
        if self.id().endswith(".test_session"):
            self.skipTest("It is no test, though its name begins like one.")
        opened = self.cached_session if graph is None else self.session
        return opened(graph, config, use_gpu, force_gpu)


class EagerSession:
    """The session of tests in eager mode, where nothing is left to run."""

    def __init__(self, test: WithSession) -> None:
        self._test = test

    @property
    def graph(self) -> Graph:
        """The graph of the session."""
        return get_default_graph()

    def run(self, fetches: Any, *args: Any, **kwargs: Any) -> Any:
        """The values of tensors that have been computed already."""
        feeds = kwargs.get("feed_dict", args[0] if args else None)
        if feeds:
            raise NotImplementedError("feed_dict is not supported when eager execution is enabled.")
        return nest.map_structure(lambda x: x() if callable(x) else self._test.evaluate(x), fetches)


def _ran(session: Any, tensors: Any) -> Any:
    """The values that a session computes; anything but a tensor is its own value."""
    flat = nest.flatten(tensors)
    asked = [x for x in flat if not _is_known(x)]
    computed = iter(session.run(asked) if asked else [])
    values = [_known(x) if _is_known(x) else next(computed) for x in flat]
    return nest.pack_sequence_as(tensors, values)


def _is_plain(x: Any) -> bool:
    kinds = (bool, int, float, complex, str, bytes, np.ndarray, np.generic)
    return x is None or isinstance(x, kinds)


def _is_known(x: Any) -> bool:
    """Whether a value needs no session: it is a plain value, or an eager tensor."""
    return _is_plain(x) or type(x) is Tensor


def _known(x: Any) -> Any:
    return x.numpy() if type(x) is Tensor else x
