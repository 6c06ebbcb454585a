"""Pipelines: what datasets are when they run, and the passes that iterators make through them.

A pipeline begins again as often as it is asked; a pass gives its elements one after the other.
Both are values of tensors of dtype variant, so that graphs, functions and sessions carry them.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from wengert.core.row import Row, place
from wengert.data.elements import Element
from wengert.data.seeds import SeedSource
from wengert.errors import FailedPreconditionError, OutOfRangeError
from wengert.state.cell import Resource
from wengert.values.dtypes import RESOURCE, VARIANT

INFINITE: Final = -1
UNKNOWN: Final = -2

VARIANT_FORM: Final = ((), VARIANT)
RESOURCE_FORM: Final = ((), RESOURCE)


class Pipeline:
    """The elements of a dataset, from the beginning as often as they are asked for."""

    __slots__ = ("__weakref__", "_start", "count", "functions", "parents", "seeds")

    dtype = VARIANT
    shape = ()

    def __init__(
        self,
        start: Callable[[], Iterator[Element]],
        count: int = UNKNOWN,
        parents: Sequence[Pipeline] = (),
        seeds: SeedSource | None = None,
        functions: Sequence[Any] = (),
    ) -> None:
        self._start = start
        self.functions = functions  # users'

        self.count = count  # how many elements there are, as far as it is known
        self.parents = tuple(parents)
        self.seeds = seeds

    def __iter__(self) -> Iterator[Element]:
        return self._start()

    def __getitem__(self, key: Any) -> Pipeline:
        return self  # a scalar, as arrays without axes are

    def seed_sources(self) -> list[SeedSource]:
        """Where it and those before it take the seeds of their passes from."""
        own = [] if self.seeds is None else [self.seeds]
        return own + [source for parent in self.parents for source in parent.seed_sources()]

    def restart_streams(self) -> None:
        """Begin the random numbers of users' functions again, as each pass of TensorFlow does."""
        for function in self.functions:
            function.restart_streams()
        for parent in self.parents:
            parent.restart_streams()

    def __repr__(self) -> str:
        return "<DatasetVariant>"


def resumed(step: Callable[[], Element]) -> Iterator[Element]:
    """What a function gives until it raises StopIteration; unlike a generator it goes on after other errors."""
    return iter(step, None)


def flattened(inputs: Iterator[Iterable[Element]]) -> Iterator[Element]:
    """The elements of several iterables, one after the other; it goes on after an error of one of them."""
    current: Iterator[Element] = iter(())

    def step() -> Element:
        nonlocal current
        while True:
            for element in current:
                return element
            current = iter(next(inputs))

    return resumed(step)


def stage(name: str) -> Callable[[Callable[..., Any]], Row]:
    """The row of an operation that makes a pipeline out of pipelines and arrays."""

    def declare(make: Callable[..., Any]) -> Row:
        return Row(
            name,
            lambda _, *inputs, **attrs: make(*inputs, **attrs),
            forms=lambda xs, attrs: [VARIANT_FORM],
            stateful=True,
            declared=place(make),
        )

    return declare


class Pass(Resource):
    """One pass through a pipeline. Threads may share it."""

    what = "iterator of a dataset"

    def __init__(self, pipeline: Pipeline | None = None, name: str = "iterator") -> None:
        self.name = name
        self._lock = threading.RLock()
        self._pipeline: Pipeline | None = None
        self._kept: list[Element] = []  # looked at, and not yet given
        self.given = 0
        if pipeline is not None:
            self.begin(pipeline)

    def begin(self, pipeline: Pipeline, at: int = 0) -> None:
        """Begin a pass through a pipeline, and leave out its first elements."""
        with self._lock:
            self._pipeline = pipeline
            pipeline.restart_streams()
            self._seeds = [source.kept() for source in pipeline.seed_sources()]
            self._elements = iter(pipeline)
            self._kept.clear()
            self.given = 0
            for _ in range(at):
                self.next()

    @property
    def pipeline(self) -> Pipeline:
        """The pipeline that it goes through."""
        if self._pipeline is None:
            raise FailedPreconditionError(
                f"GetNext() failed because the iterator has not been initialized: {self.name}. Ensure "
                "that you have run the initializer operation for this iterator before getting the "
                "next element."
            )
        return self._pipeline

    def next(self) -> Element:
        """The next element; an OutOfRangeError after the last."""
        with self._lock:
            if self._kept:
                self.given += 1
                return self._kept.pop()
            if self._pipeline is None:
                _ = self.pipeline
            for element in self._elements:
                self.given += 1
                return element
            raise OutOfRangeError("End of sequence [Op:IteratorGetNext]")

    def has_next(self) -> bool:
        """Whether there is another element."""
        with self._lock:
            if not self._kept:
                try:
                    self._kept.append(self.next())
                except OutOfRangeError:
                    return False
                self.given -= 1
            return True

    # ---- where it is -------------------------------------------------------------------------

    def kept(self) -> tuple[int, list[Any]]:
        """Where it is, to be put back: how many elements it gave, and the seeds with which it began."""
        with self._lock:
            return self.given, list(self._seeds)

    def put_back(self, kept: tuple[int, list[Any]]) -> None:
        """Go on from there: the elements before are made anew, and dropped."""
        with self._lock:
            given, seeds = kept
            for source, seed in zip(self.pipeline.seed_sources(), seeds, strict=True):
                source.put_back(seed)
            self.begin(self.pipeline, given)

    def __repr__(self) -> str:
        return f"<Iterator {self.name}>"


# Passes by the strings that stand for them in graphs.
BY_HANDLE: Final[weakref.WeakValueDictionary[str, Pass]] = weakref.WeakValueDictionary()
