"""Which elements come, how often, and in which order."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from wengert.data.elements import Element
from wengert.data.pipeline import INFINITE, UNKNOWN, Pipeline, flattened, resumed, stage
from wengert.data.seeds import SeedSource, words
from wengert.data.stages.sources import repeated
from wengert.errors import FailedPreconditionError, InvalidArgumentError


@stage("TakeDataset")
def take(source: Pipeline, count: Any) -> Pipeline:
    most = int(count)
    if most < 0:
        return Pipeline(source.__iter__, source.count, [source])
    known = most if source.count == INFINITE else min(source.count, most)
    return Pipeline(
        lambda: itertools.islice(source, most),
        0 if most == 0 else UNKNOWN if source.count == UNKNOWN else known,
        [source],
    )


@stage("SkipDataset")
def skip(source: Pipeline, count: Any) -> Pipeline:
    first = int(count)
    if first < 0:
        return Pipeline(lambda: iter(()), 0, [source])
    known = source.count if source.count < 0 else max(source.count - first, 0)
    return Pipeline(lambda: itertools.islice(source, first, None), known, [source])


@stage("ShardDataset")
def shard(source: Pipeline, shards: Any, index: Any) -> Pipeline:
    n, i = int(shards), int(index)
    if n < 1:
        raise InvalidArgumentError(
            f"Number of shards must be greater than zero (currently num_shards = {n})."
        )
    if not 0 <= i < n:
        raise InvalidArgumentError(f"Index must be between 0 and {n - 1} (currently index = {i}).")
    known = source.count if source.count < 0 else len(range(i, source.count, n))
    return Pipeline(lambda: itertools.islice(source, i, None, n), known, [source])


@stage("RepeatDataset")
def repeat(source: Pipeline, count: Any) -> Pipeline:
    times = int(count)
    if times == 0 or source.count == 0:
        known = 0
    elif times < 0 or source.count == INFINITE:
        known = INFINITE
    else:
        known = UNKNOWN if source.count == UNKNOWN else source.count * times
    # TensorFlow makes one stage of a shuffle and what repeats it, and none of a single pass.
    one_beyond = times > 1 and source.seeds is None
    return Pipeline(lambda: repeated(source.__iter__, max(times, -1), one_beyond), known, [source])


@stage("ConcatenateDataset")
def concatenate(first: Pipeline, second: Pipeline) -> Pipeline:
    counts = first.count, second.count
    known = INFINITE if INFINITE in counts else UNKNOWN if UNKNOWN in counts else sum(counts)
    # The first begins with the whole, as in TensorFlow: it takes the seeds of a shuffle then.
    return Pipeline(lambda: itertools.chain(iter(first), second), known, [first, second])


@stage("ZipDataset")
def zipped(*sources: Pipeline) -> Pipeline:
    def start() -> Iterator[Element]:
        passes = [iter(source) for source in sources]
        return resumed(lambda: _side_by_side(passes))

    finite = [s.count for s in sources if s.count != INFINITE]
    known = INFINITE if not finite else UNKNOWN if UNKNOWN in finite else min(finite)
    return Pipeline(start, known, sources)


def _side_by_side(passes: Sequence[Iterator[Element]]) -> Element:
    """The next elements as one; where one of them fails, the others are left out with it."""
    rest = iter(passes)
    try:
        return tuple(itertools.chain.from_iterable([next(p) for p in rest]))
    except StopIteration:
        raise
    except Exception:
        for other in rest:
            with contextlib.suppress(Exception):
                next(other)
        raise


# ---- by chance ----------------------------------------------------------------------------------


@stage("ShuffleDatasetV3")
def shuffle(source: Pipeline, size: Any, seed: Any, seed2: Any, *, again: bool) -> Pipeline:
    seeds = SeedSource(int(seed), int(seed2), again)
    room = int(size)
    if room == UNKNOWN:  # AUTOTUNE gives -1, and -2 stands for all elements
        room = max(source.count, 1)
    if room < 1:
        raise InvalidArgumentError(
            f"buffer_size must be greater than zero or UNKNOWN_CARDINALITY, got {room}."
        )
    return Pipeline(lambda: _shuffled(source, room, *seeds.next()), source.count, [source], seeds)


def _shuffled(source: Pipeline, room: int, seed: int, seed2: int) -> Iterator[Element]:
    """Elements drawn from as many as there is room for.

    They stand in a ring: a draw swaps the element with the first, which leaves.
    """
    draw = words(seed, seed2)
    elements = flattened(iter([source]))  # begun, as in TensorFlow, when the first is asked for
    ring: list[Element] = []
    first, count, more = 0, 0, True

    def step() -> Element:
        nonlocal first, count, more
        while more and count < room:
            new = next(elements, None)
            if new is None:
                more = False
                break
            if len(ring) < room:
                ring.append(new)
            else:
                ring[(first + count) % room] = new
            count += 1
        if not count:
            raise StopIteration
        at = (first + next(draw) % count) % len(ring)
        found, ring[at] = ring[at], ring[first]
        first, count = (first + 1) % len(ring), count - 1
        return found

    return resumed(step)


@stage("DirectedInterleaveDataset")
def choose(choices: Pipeline, *sources: Pipeline, stop_on_empty: bool) -> Pipeline:
    def start() -> Iterator[Element]:
        passes: list[Any] = [iter(source) for source in sources]
        chosen = iter(choices)

        def step() -> Element:
            while stop_on_empty or any(passes):
                at = _index(next(chosen), len(passes))
                found: Element
                for found in passes[at] or ():
                    return found
                if passes[at] is not None and stop_on_empty:
                    break
                passes[at] = None
            raise StopIteration

        return resumed(step)

    known = INFINITE if any(s.count == INFINITE for s in sources) else UNKNOWN
    return Pipeline(start, known, [choices, *sources])


def _index(choice: Element, count: int) -> int:
    at = int(choice[0])
    if not 0 <= at < count:
        raise InvalidArgumentError(
            f"Selector index out of range: {at} >= {count} [Op:IteratorGetNext]"
        )
    return at


# ---- kept and told apart ------------------------------------------------------------------------


@stage("CacheDatasetV2")
def cache(source: Pipeline) -> Pipeline:
    kept: list[list[Element]] = []

    def start() -> Iterator[Element]:
        if kept:
            return iter(kept[0])
        return keeping()

    def keeping() -> Iterator[Element]:
        seen: list[Element] = []
        elements = iter(source)

        def step() -> Element:
            for element in elements:
                seen.append(element)
                return element
            if not kept:
                kept.append(seen)
            raise StopIteration

        return resumed(step)

    return Pipeline(start, source.count, [source])


@stage("UniqueDataset")
def unique(source: Pipeline) -> Pipeline:
    def start() -> Iterator[Element]:
        seen: set[Any] = set()

        def is_new(element: Element) -> bool:
            before = len(seen)
            seen.add(
                tuple([s if isinstance(s, bytes) else (s.shape, repr(s.tolist())) for s in element])
            )
            return len(seen) > before

        return filter(is_new, source)

    return Pipeline(start, UNKNOWN, [source])


@stage("AssertCardinalityDataset")
def assert_cardinality(source: Pipeline, count: Any) -> Pipeline:
    wanted = int(count)

    def counted(elements: Iterator[Element]) -> Iterator[Element]:
        found = 0
        for element in elements:
            found += 1
            if 0 <= wanted < found:
                raise _of_another_count(f"at least {found}", wanted)
            yield element
        if found != wanted and wanted != UNKNOWN:
            raise _of_another_count(str(found), wanted)

    def start() -> Iterator[Element]:
        return counted(iter(source))

    return Pipeline(start, wanted, [source])


def _of_another_count(found: str, wanted: int) -> Exception:
    expected = "an infinite number of" if wanted == INFINITE else str(wanted)
    return FailedPreconditionError(
        f"Input dataset was expected to contain {expected} elements but contained {found} "
        f"element{'' if found == '1' else 's'}. [Op:IteratorGetNext]"
    )


@stage("IgnoreErrorsDataset")
def ignore_errors(source: Pipeline, *, log: bool) -> Pipeline:
    def start() -> Iterator[Element]:
        elements = iter(source)

        def step() -> Element:
            while True:
                try:
                    return next(elements)
                except StopIteration:
                    raise
                except Exception as error:  # noqa: BLE001  # whatever a user's function raises
                    if log:
                        print(f"Error raised with error message {error}")

        return resumed(step)

    return Pipeline(start, UNKNOWN, [source])


@stage("OptionsDataset")
def passed_on(source: Pipeline) -> Pipeline:
    return Pipeline(source.__iter__, source.count, [source])
