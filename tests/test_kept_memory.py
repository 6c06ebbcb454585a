"""Freed blocks are kept for the next arrays: never in use twice, never without bound, never for ever."""

from __future__ import annotations

import asyncio
import contextvars
import ctypes
import gc
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.engines.native.runtime import array_memory, memory_ir
from wengert.engines.native.runtime.array_memory import LEAST, ArrayMemory
from wengert.engines.native.runtime.llvm import LoadedObject
from wengert.engines.native.runtime.memory_ir import ALIGNED, VECTOR
from wengert.host import kept_memory
from wengert.host.malloc import keep_blocks

pytestmark = pytest.mark.skipif(array_memory.load() is None, reason="Linux keeps blocks")

Address = ctypes.c_void_p
Take = Callable[[int], int | None]


class Cache(ArrayMemory):
    """A cache of the test's own, whose functions can be called."""

    def __init__(self, limit: int = 64 * LEAST, aligned: bool | None = None) -> None:
        super().__init__(aligned)
        self.set_limit(limit)

    def __getitem__(self, field: str) -> int:
        return self._get(field)

    def __setitem__(self, field: str, value: int) -> None:
        self._set(field, value)

    def _function(self, name: str, result: Any, *kinds: Any) -> Any:
        kind = ctypes.CFUNCTYPE(result, Address, *kinds)
        function = kind(self._functions.address(name))
        return lambda *given: function(self._cache.ctypes.data, *given)

    def take(self, size: int) -> int | None:
        found: int | None = self._function("take", Address, ctypes.c_size_t)(size)
        return found

    def give(self, memory: int | None, size: int) -> None:
        self._function("give", None, Address, ctypes.c_size_t)(memory, size)

    def blocks(self) -> list[int]:
        """The addresses of the blocks that are kept, the oldest first."""
        first = len(memory_ir.FIELDS)
        return self._cache[first : first + 3 * self["count"] : 3].tolist()


@pytest.fixture
def cache(request: pytest.FixtureRequest) -> Iterator[Cache]:
    """A cache, and arrays that are made with it."""
    keep_blocks()
    made = Cache(aligned=getattr(request, "param", None))
    before = made._set_handler(made._capsule)
    try:
        yield made
    finally:
        made._set_handler(before)
        made["limit"] = 0  # what is freed later
        made.release()


def address(array: Any) -> int:
    found: int = array.ctypes.data
    return found


def handler_of(array: Any) -> str:
    found: str = np._core.multiarray.get_handler_name(array)
    return found


def run(code: str, **environment: str) -> str:
    """What a new process prints; it must end well and say nothing else."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True, text=True, timeout=120, env={**os.environ, **environment},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


# ---- blocks -------------------------------------------------------------------------------------


def test_the_next_array_gets_the_block(cache: Cache) -> None:
    """Of its size, or of up to a quarter more; larger ones are left for larger arrays."""
    one = np.empty(4 * LEAST, np.uint8)
    place = address(one)
    del one
    assert cache.blocks() == [place]
    assert address(np.empty(4 * LEAST, np.uint8)) == place
    assert address(np.empty(4 * LEAST // 8, np.float64)) == place
    assert address(np.empty(int(3.3 * LEAST), np.uint8)) == place
    less, more = np.empty(3 * LEAST, np.uint8), np.empty(5 * LEAST, np.uint8)
    assert place not in (address(less), address(more))
    assert cache.blocks() == [place]


def test_small_blocks_are_numpys(cache: Cache) -> None:
    for _ in range(2):
        np.empty(LEAST - 1, np.uint8), np.empty(10), np.empty(0)
    assert cache.about() == {"kept": 0, "blocks": 0, "reused": 0}


@pytest.mark.parametrize("make", [np.empty, np.zeros, np.ones])
def test_blocks_begin_where_a_vector_may(cache: Cache, make: Callable[..., Any]) -> None:
    sizes = [ALIGNED, ALIGNED + 1, 3 * ALIGNED - 5, LEAST - 1, LEAST, 3 * LEAST + 7]
    arrays = [make(size, np.uint8) for size in 3 * sizes]
    assert {address(a) % VECTOR for a in arrays} == {0}
    assert make is np.empty or {int(a[-1]) for a in arrays} == {int(make(1)[0])}


@pytest.mark.parametrize("cache", [True, False], indirect=True)
def test_blocks_grow_and_shrink(cache: Cache) -> None:
    """Past each bound from which they are others."""
    draw = np.random.default_rng(3)
    sizes = [100, 1000, 1100, ALIGNED - 1, ALIGNED, ALIGNED + 1, LEAST - 1, LEAST, 2 * LEAST]
    for _ in range(200):
        size, other = draw.choice(sizes, 2)
        array = draw.integers(0, 256, size, np.uint8)
        before = array.copy()
        array.resize(other, refcheck=False)
        both = min(size, other)
        assert (array[:both] == before[:both]).all()
        assert not array[both:].any()


@pytest.mark.parametrize("cache", [False], indirect=True)
def test_blocks_begin_where_another_allocator_says(cache: Cache) -> None:
    arrays = [np.empty(ALIGNED + 16 * k, np.uint8) for k in range(40)]
    assert {address(a) % VECTOR for a in arrays} - {0}


def test_growing_arrays_leave_no_gaps() -> None:
    """Their memory is that of the largest ones."""
    assert float(run(GROWING)) < 300


GROWING = """
import numpy as np, wengert as tf
def used():
    return int(open("/proc/self/statm").read().split()[1]) * 4096 / 1e6
tf.constant(np.ones(200_000, np.float32)) + 1.0
before = used()
for i in range(3000):
    a = np.ones(3000 + i * 37)
    b = tf.constant(a) + a
print(used() - before)
"""


def test_zeros_are_zeros_where_numbers_were(cache: Cache) -> None:
    for size in (ALIGNED, 10 * ALIGNED, 2 * LEAST):
        for _ in range(3):
            np.full(size, 7, np.uint8)
            assert not np.zeros(size, np.uint8).any()


def test_the_best_block_is_taken(cache: Cache) -> None:
    arrays = [np.empty(size * LEAST // 10, np.uint8) for size in (24, 20, 22)]
    places = [address(a) for a in arrays]
    del arrays
    assert address(np.empty(2 * LEAST, np.uint8)) == places[1]


def test_a_block_that_is_in_use_is_nobody_elses(cache: Cache) -> None:
    """Whatever keeps it in use: a view, a memoryview, another library's object."""
    keepers: list[Callable[[Any], Any]] = [
        lambda a: a[10:20],
        lambda a: a.reshape(2, -1).T,
        memoryview,
        lambda a: np.frombuffer(a, np.uint8),
        lambda a: tf.constant(a)._array[5:],
        iter,
    ]
    for keep in keepers:
        one = np.full(2 * LEAST, 7, np.uint8)
        kept = keep(one)
        del one
        others = [np.full(2 * LEAST, 1, np.uint8) for _ in range(3)]
        assert (np.asarray(next(kept) if keep is iter else kept) == 7).all(), keep
        del others, kept


def test_a_block_given_back_twice_is_kept_once(cache: Cache) -> None:
    """So two arrays never get it, which the second giving would otherwise lead to."""
    memory = cache.take(LEAST)
    cache.give(memory, LEAST)
    cache.give(memory, LEAST)
    assert cache.blocks() == [memory]
    first, second = cache.take(LEAST), cache.take(LEAST)
    assert first == memory != second
    cache.give(first, LEAST)
    cache.give(second, LEAST)


def test_the_test_above_can_fail(monkeypatch: Any) -> None:
    """With the comparison taken out, the block would be there twice."""
    text = memory_ir.text(True)
    planted = text.replace("icmp eq ptr %known, %memory", "icmp eq ptr %known, null")
    assert planted != text
    monkeypatch.setattr(memory_ir, "text", lambda _: planted)
    careless = Cache()
    memory = careless.take(LEAST)
    careless.give(memory, LEAST)
    careless.give(memory, LEAST)
    assert careless.take(LEAST) == careless.take(LEAST) == memory
    careless["limit"] = 0
    careless.give(memory, LEAST)


def test_zeros_are_zeros(cache: Cache) -> None:
    one = np.full(2 * LEAST, 255, np.uint8)
    place = address(one)
    del one
    made = np.zeros(2 * LEAST, np.uint8)
    assert address(made) == place
    assert not made.any()
    assert not np.zeros((LEAST, 2), np.int32).any()


def test_what_numpy_does_with_memory_of_its_own(cache: Cache) -> None:
    """An array owns its block, may be resized, and says so."""
    one = np.arange(LEAST, dtype=np.uint8)
    assert one.flags.owndata
    assert one.base is None
    for size in (8 * LEAST, 2 * LEAST, 10, 3 * LEAST):
        one.resize(size, refcheck=False)
        assert one[:10].tolist() == list(range(10))
    assert np.append(one, one).nbytes == 6 * LEAST
    del one
    assert handler_of(np.fromiter(range(100), int)) == "wengert"


# ---- bounds -------------------------------------------------------------------------------------


def test_what_is_kept_is_bounded(cache: Cache) -> None:
    """The oldest goes first; what is larger than the bound is not kept at all."""
    cache.set_limit(5 * LEAST)
    arrays = [np.empty(2 * LEAST, np.uint8) for _ in range(3)]
    places = [address(a) for a in arrays]
    while arrays:
        del arrays[0]
    assert cache.blocks() == places[1:]
    assert 4 * LEAST <= cache["kept"] <= 5 * LEAST
    del [np.empty(6 * LEAST, np.uint8)][0]
    assert cache.blocks() == places[1:]
    cache.set_limit(0)
    assert cache.about()["kept"] == cache.about()["blocks"] == 0


def test_many_blocks() -> None:
    """There is room for so many, and they are counted by what they take."""
    cache = Cache(1 << 50)
    places = [cache.take(LEAST) for _ in range(memory_ir.MOST + 10)]
    for place in places:
        cache.give(place, LEAST)
    assert cache.blocks() == places[10:]
    assert cache["kept"] >= memory_ir.MOST * LEAST
    assert cache.release() >= memory_ir.MOST * LEAST
    assert cache["kept"] == cache["count"] == 0


def test_the_size_of_a_block_is_what_it_is() -> None:
    """Not what the last array needed: else more would be kept with every array that needs less."""
    cache = Cache()
    memory, size = cache.take(10 * LEAST), 10 * LEAST
    for _ in range(5):
        cache.give(memory, size)
        assert cache["kept"] >= 10 * LEAST
        size = int(size * 0.96)
        assert cache.take(size) == memory
    cache.give(memory, size)
    cache.release()


def test_what_is_not_used_goes_back() -> None:
    """After one to two of its hours, which are 10 seconds otherwise; and the thread ends."""
    cache = Cache()
    cache["seconds"] = 1
    cache.give(cache.take(LEAST), LEAST)
    assert (cache["count"], cache["watched"]) == (1, 1)
    until = time.monotonic() + 20
    while cache["watched"] and time.monotonic() < until:
        time.sleep(0.1)
    assert (cache["count"], cache["kept"], cache["watched"]) == (0, 0, 0)
    cache.give(cache.take(LEAST), LEAST)  # and there is another one when it is needed
    assert cache["watched"] == 1
    cache.release()


def test_what_is_in_use_stays() -> None:
    """A block that is taken every now and then is never given back to the system."""
    cache = Cache()
    cache["seconds"] = 2
    memory = cache.take(LEAST)
    for _ in range(50):
        cache.give(memory, LEAST)
        time.sleep(0.1)
        assert cache.take(LEAST) == memory
    cache.give(memory, LEAST)
    cache.release()


def test_memory_that_is_not_there(cache: Cache) -> None:
    """What is kept is given back before an allocation fails; then it is a MemoryError as ever."""
    kind = ctypes.CFUNCTYPE(Address, Address, ctypes.c_size_t)
    tries: list[int] = []

    def malloc(context: int | None, size: int) -> int | None:
        tries.append(cache["count"])
        return None if cache["count"] else kind(usual)(None, size)

    usual, planted = cache["malloc"], kind(malloc)
    np.empty(LEAST, np.uint8)
    assert cache["count"] == 1
    cache["malloc"] = ctypes.cast(planted, Address).value or 0
    made = np.empty(2 * LEAST, np.uint8)
    assert (tries, cache["count"], made.nbytes) == ([1, 0], 0, 2 * LEAST)
    cache["malloc"] = usual
    for make in (np.empty, np.zeros):
        with pytest.raises(MemoryError):
            make(1 << 60, np.uint8)
    with pytest.raises(MemoryError):
        made.resize(1 << 60, refcheck=False)
    assert made.nbytes == 2 * LEAST


# ---- threads, forks, the end ----------------------------------------------------------------------


def test_threads() -> None:
    """Arrays of several threads, some of which others free, are never of the same block."""
    cache = Cache(20 * LEAST)
    handed: list[Any] = []
    wrong: list[int] = []

    def work(number: int) -> None:
        draw = random.Random(number)
        contextvars.copy_context().run(cache._set_handler, cache._capsule)
        cache._set_handler(cache._capsule)
        mine: list[Any] = []
        for _ in range(300):
            array = np.empty(draw.choice((1, 1, 2, 3, 30)) * LEAST, np.uint8)
            array[:: LEAST // 8] = number
            mine.append(array)
            if len(mine) > 3:
                gone = mine.pop(draw.randrange(4))
                if (gone[:: LEAST // 8] != number).any():
                    wrong.append(number)
                handed.append(gone)
                del gone
            if len(handed) > 5:
                del handed[0]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert cache["kept"] <= 20 * LEAST
    assert len(set(cache.blocks())) == cache["count"]
    handed.clear()
    cache["limit"] = 0
    cache.release()


def test_nobody_waits_for_the_lock(cache: Cache) -> None:
    """Whoever held it may be gone."""
    one = np.empty(LEAST, np.uint8)
    cache["lock"] = 1
    del one
    two = np.full(LEAST, 3, np.uint8)
    assert (cache["count"], int(two.sum())) == (0, 3 * LEAST)
    assert cache.release() == 0
    cache["lock"] = 0


FORKED = """
import os, numpy as np, wengert as tf
from wengert.engines.native.runtime import array_memory
x = tf.constant(np.ones(5_000_000, np.float32))
f = tf.function(lambda x: tf.exp(x) * 2.0 + x)
want = float(f(x)[7])
memory = array_memory.load()
assert memory.about()["blocks"] > 0
memory._set("lock", HELD)
child = os.fork()
if child == 0:
    assert memory.about()["blocks"] == 0 and memory._get("lock") == 0
    for _ in range(3):
        assert float(f(x)[7]) == want
    assert memory.about()["blocks"] > 0 and memory._get("watched") == 1
    os._exit(7)
memory._set("lock", 0)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
assert float(f(x)[7]) == want
print("right")
"""


@pytest.mark.parametrize("held", ["0", "1"])
def test_forks(held: str) -> None:
    """A child has its arrays, keeps nothing of its parent's, and begins anew."""
    code = "import warnings; warnings.simplefilter('ignore')" + FORKED.replace("HELD", held)
    assert run(code) == "right"


ENDING = """
import sys, threading, numpy as np, wengert as tf
x = tf.constant(np.ones(5_000_000, np.float32))
f = tf.function(lambda x: tf.exp(x) * 2.0 + x)
class Last:
    def __init__(self): self.held = f(x).numpy()
    def __del__(self): self.held = self.held * 2
sys.last = Last()
kept = [f(x)._array[3:], Last()]
kept.append(kept)
np.core_array = f(x)
def forever():
    while True:
        f(x)
threading.Thread(target=forever, daemon=True).start()
print("end")
"""


def test_the_end_of_the_process() -> None:
    """Arrays that are freed when Python is almost gone, and by threads that are stopped."""
    for _ in range(3):
        assert run(ENDING) == "end"


# ---- who uses it ----------------------------------------------------------------------------------


def test_every_context_and_thread() -> None:
    """Where a large array was made, and in contexts and threads that begin later."""
    x = tf.constant(np.ones(2_000_000, np.float32))

    def made() -> set[str]:
        return {handler_of(y._array) for y in (x + x, tf.exp(x), f(x))}

    async def later() -> set[str]:
        return made()

    f = tf.function(lambda x: tf.exp(x) * 2.0)
    assert made() == {"wengert"}
    assert contextvars.Context().run(made) == {"wengert"}
    assert asyncio.run(later()) == {"wengert"}
    found: list[set[str]] = []
    thread = threading.Thread(target=lambda: found.append(made()))
    thread.start()
    thread.join()
    assert found == [{"wengert"}]


def test_another_handler_is_left_alone() -> None:
    """Who gave NumPy functions of his own wants them."""

    def made() -> str:
        other = Cache()
        handler = array_memory._Handler.from_address(array_memory._pointer(other._capsule))
        handler.name = b"somebody's"
        other._set_handler(other._capsule)
        return handler_of(tf.exp(tf.constant(np.ones(2_000_000, np.float32))).numpy())

    assert contextvars.Context().run(made) == "somebody's"


FAULTS = """
import resource, numpy as np, wengert as tf
def step(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.math.log(1.0 + tf.exp(x))
    return y, tape.gradient(y, x)
x = tf.constant(np.ones(10_000_000, np.float32))
for f in (tf.function(step), step):
    for _ in range(3):
        f(x)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(5):
        f(x)
    print((resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) // 5)
"""


def test_results_and_temporaries_are_not_fetched_anew() -> None:
    """A call that frees what the one before made touches no page that the system would zero."""
    small_pages = {"NUMPY_MADVISE_HUGEPAGE": "0"}
    assert max(map(int, run(FAULTS, **small_pages).split())) < 20
    assert min(map(int, run(FAULTS, WENGERT_KEEP_MEMORY="0", **small_pages).split())) > 100


def test_large_variables_are_updated_in_place() -> None:
    v = tf.Variable(np.zeros(3_000_000, np.float32))
    step = tf.function(lambda: v.assign_add(tf.ones([3_000_000])))
    step()
    place = address(v._array)
    assert handler_of(v._array) == "wengert"
    step()
    assert address(v._array) == place
    held = v.numpy()
    step()
    assert (held == 2).all()
    assert (v.numpy() == 3).all()


# ---- settings -------------------------------------------------------------------------------------

ASKED = """
import numpy as np, wengert as tf
x = tf.exp(tf.constant(np.ones(2_000_000, np.float32)))
print(tf.config.get_kept_memory(), np._core.multiarray.get_handler_name(x.numpy()))
"""


@pytest.mark.parametrize(
    ("asked", "found"),
    [("0", "0 default_allocator"), ("100 MiB", "104857600 wengert"), ("5000000", "5000000 wengert")],
)  # fmt: skip
def test_the_environment(asked: str, found: str) -> None:
    assert run(ASKED, WENGERT_KEEP_MEMORY=asked) == found


def test_what_the_program_says_comes_before_the_environment() -> None:
    """Also if there were large arrays before that were not kept."""
    later = ASKED.replace("x = ", "x = tf.exp(tf.ones([2_000_000])); tf.config.set_kept_memory(9_000_000); x = ")  # fmt: skip
    assert run(later, WENGERT_KEEP_MEMORY="0") == "9000000 wengert"


def test_the_default() -> None:
    """An eighth of the memory; so it is for what is no amount."""
    eighth = kept_memory._memory() // 8
    assert eighth > 1 << 20
    for asked in ("1", "yes", "-3"):
        assert run(ASKED, WENGERT_KEEP_MEMORY=asked) == f"{eighth} wengert"


def test_a_container_has_less_than_its_machine(monkeypatch: Any, tmp_path: Any) -> None:
    whole = kept_memory._memory()
    usual = open
    limit = tmp_path / "memory.max"

    def opened(file: str, *args: Any) -> Any:
        return usual(limit if file == "/sys/fs/cgroup/memory.max" else file, *args)

    monkeypatch.setattr("builtins.open", opened)
    for text, found in (("1000000\n", 1_000_000), ("max\n", whole)):
        limit.write_text(text)
        assert kept_memory._memory() == found


def test_settings_of_this_process() -> None:
    """The bound holds at once; what is kept can be given back."""
    memory = array_memory.load()
    assert memory is not None
    gc.collect()  # what another test left would be kept later
    x = tf.constant(np.ones(3_000_000, np.float32))
    try:
        tf.exp(x)
        assert memory.about()["kept"] > 0
        assert tf.config.release_memory() > 0
        assert memory.about()["kept"] == 0
        tf.config.set_kept_memory(0)
        tf.exp(x)
        assert memory.about()["kept"] == 0
        tf.config.set_kept_memory("30 MB")
        tf.exp(x)
        assert tf.config.get_kept_memory() == 30_000_000
        assert 0 < memory.about()["kept"] <= 30_000_000
        with pytest.raises(ValueError, match="memory that is kept"):
            tf.config.set_kept_memory(-1)
    finally:
        tf.config.set_kept_memory(None)


def test_where_it_cannot_work(monkeypatch: Any) -> None:
    """NumPy's own functions stay."""
    monkeypatch.setattr(LoadedObject, "address", lambda self, name: 1 / 0)
    assert array_memory._loaded.__wrapped__() is None
    monkeypatch.undo()
    monkeypatch.setattr(sys, "platform", "darwin")
    assert array_memory._loaded.__wrapped__() is None
