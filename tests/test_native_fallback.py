"""Where the native engine cannot do its work, NumPy does; what it keeps on disk is never trusted."""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import wengert as tf
from wengert.engines.native.program import arena, modules
from wengert.engines.native.runtime import cache, llvm, openblas, thread_pool
from wengert.host import threads

pytestmark = pytest.mark.slow

X = np.random.default_rng(0).normal(size=(40, 30))


@pytest.fixture(autouse=True)
def nothing_said_before(monkeypatch: Any) -> None:
    """Each test hears every warning; none finds what was compiled before."""
    monkeypatch.setattr("wengert.host.warn_once._WARNED", set())
    monkeypatch.setenv("WENGERT_CACHE_DIR", "")


def softly(x: Any) -> list[Any]:
    y = tf.tanh(x) @ tf.transpose(x)
    return [tf.reduce_sum(tf.exp(-y * y), 1), y]


def wanted(x: Any) -> list[Any]:
    y = np.tanh(x) @ x.T
    return [np.exp(-y * y).sum(1), y]


def assert_right(f: Any) -> None:
    for got, want in zip(f(tf.constant(X)), wanted(X), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-11)


def said(run: Callable[[], Any]) -> list[str]:
    """The warnings of a run."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        run()
    assert all(w.category is RuntimeWarning for w in found)
    return [str(w.message) for w in found]


def assert_one_warning(*words: str) -> None:
    """A function gives what it should; its first call warns, the second does not."""
    f = tf.function(softly, jit_compile=True)
    (message,) = said(lambda: assert_right(f))
    for word in words:
        assert word in message
    assert said(lambda: assert_right(f)) == []


# ---- what is missing ----------------------------------------------------------------------------

WITHOUT = """
import sys, warnings
sys.modules[{name!r}] = None
import numpy as np, wengert as tf
with warnings.catch_warnings(record=True) as found:
    warnings.simplefilter("always")
    x = tf.constant(np.arange(12.0).reshape(3, 4))
    f = tf.function(lambda x: tf.tanh(x) @ tf.transpose(x))
    g = tf.function(lambda x: tf.exp(-x), jit_compile=True)
    for _ in range(2):
        assert np.allclose(f(x), np.tanh(x) @ x.numpy().T) and np.allclose(g(x), np.exp(-x.numpy()))
print(*[(w.category.__name__, str(w.message)) for w in found], sep="\\n")
"""


def test_without_llvmlite() -> None:
    """One warning in a process, which names what is missing; everything is computed."""
    lines = in_python(WITHOUT.format(name="llvmlite"), WENGERT_CACHE_DIR="").splitlines()
    assert len(lines) == 1, lines
    assert "RuntimeWarning" in lines[0]
    assert "The native engine needs llvmlite" in lines[0]


def test_without_llvmlites_python() -> None:
    """Its library is enough."""
    assert not in_python(WITHOUT.format(name="llvmlite.binding"), WENGERT_CACHE_DIR="").strip()


BROKEN = """
import os, sys, warnings
sys.path.insert(0, {folder!r})
import wengert as tf
f = tf.function(lambda x: tf.exp(-x) * 2.0, jit_compile=True)
with warnings.catch_warnings(record=True) as found:
    warnings.simplefilter("always")
    assert f(tf.constant([0.0])).numpy() == [2.0]
print(*[(str(w.message), w.filename, w.lineno) for w in found], sep="\\n")
"""


def test_a_broken_llvmlite(tmp_path: Path) -> None:
    """Its library cannot be loaded: no mistake in Wengert, and said at the user's line."""
    package = tmp_path / "llvmlite"
    package.mkdir()
    (package / "__init__.py").write_text("__version__ = '0.45.0'\n", encoding="utf-8")
    (package / "binding.py").write_text("raise OSError('no libllvmlite.so')\n", encoding="utf-8")
    code = BROKEN.format(folder=str(tmp_path))
    (line,) = in_python(code, WENGERT_CACHE_DIR="").splitlines()
    assert "needs llvmlite (llvmlite.binding.ffi is broken: no libllvmlite.so)" in line
    assert "mistake" not in line
    assert line.endswith("'<string>', 8)")


def test_numpy_alone_needs_no_llvmlite() -> None:
    """Nobody is warned who asked for nothing else."""
    code = WITHOUT.replace("tf.function(lambda", "tf.function(jit_compile=False)(lambda")
    code = code.replace(", jit_compile=True)", ")").format(name="llvmlite")
    assert in_python(code).strip() == ""


@pytest.fixture
def fresh_blas() -> Iterator[None]:
    """OpenBLAS is looked for anew, before and after."""
    for found in (openblas.library, openblas.address):
        found.cache_clear()
    yield
    for found in (openblas.library, openblas.address):
        found.cache_clear()


@pytest.mark.parametrize("content", [None, b"this is no library"])
def test_without_openblas(
    monkeypatch: Any, fresh_blas: None, tmp_path: Path, content: bytes | None
) -> None:
    """Products of matrices are NumPy's, without a warning; what is around them is compiled."""
    file = tmp_path / "libopenblas.so"
    if content is not None:
        file.write_bytes(content)
    monkeypatch.setattr(openblas, "_file", lambda: None if content is None else str(file))
    f = tf.function(softly, jit_compile=True)
    assert said(lambda: assert_right(f)) == []
    assert openblas.address("f8") is None
    assert openblas.core() == "none"


# ---- what fails ---------------------------------------------------------------------------------


def test_a_graph_that_cannot_be_compiled(monkeypatch: Any) -> None:
    """One warning for each graph, which says what went wrong and where the graph is."""
    monkeypatch.setattr(modules.Ahead, "results", _raising(RuntimeError("planted")))
    assert_one_warning("RuntimeError: planted", "Tanh", os.path.basename(__file__), "report it")
    other = tf.function(lambda x: tf.sin(x) * 2.0, jit_compile=True)
    assert len(said(lambda: other(tf.constant(X)))) == 1


# The last argument of memcpy must be a constant. LLVM's reader takes this; its code generator would
# end the process.
REFUSED = """
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @f(ptr %a, ptr %b, i1 %x) {
  call void @llvm.memcpy.p0.p0.i64(ptr %a, ptr %b, i64 8, i1 %x)
  ret void
}
"""


def test_what_llvm_refuses_is_an_error() -> None:
    """And no end of the process."""
    with pytest.raises(RuntimeError, match="immarg"):
        llvm.compile_text(REFUSED)


# An error that is part of a cycle goes with the garbage collector, in whichever order that takes its
# module and the context of it; then something is compiled.
REFUSED_IN_CYCLES = f"""
import gc
from wengert.engines.native.runtime import llvm
class Kept:
    pass
def refused():
    kept = Kept()
    kept.itself = kept
    try:
        llvm.compile_text({REFUSED!r})
    except RuntimeError as error:
        kept.error = error
for _ in range(300):
    refused()
    gc.collect()
    llvm.compile_text("define void @f() {{ ret void }}")
print("done")
"""


def test_what_llvm_refused_is_given_up_in_order() -> None:
    """Memory of LLVM is not given back twice, whoever keeps the error."""
    assert output(started(REFUSED_IN_CYCLES)) == "done\n"


# Signals while LLVM compiles on all processors: the next one compiles as if nothing had been.
INTERRUPTED = """
import random, signal, sys, time
from wengert.engines.native.runtime import llvm
llvm.get_threads = lambda: 2
def kernel(k, lines=500):
    steps = "".join(f"%v{i + 1} = fadd double %v{i}, {float(k)}\\n" for i in range(lines))
    return f"define double @k{k}(double %v0) {{\\n{steps}ret double %v{lines}\\n}}\\n"
text = "".join(map(kernel, range(6)))
wanted = llvm.compile_text(text)  # which loads LLVM, too
begin = time.perf_counter()
llvm.compile_text(text)
took = time.perf_counter() - begin
def interrupt(*_):
    raise KeyboardInterrupt
signal.signal(signal.SIGALRM, interrupt)
draw, hits = random.Random(7), 0
for _ in range(60):
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.0001 + took * draw.random())
        llvm.compile_text(text)
        signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        hits += 1
assert llvm.compile_text(text) == wanted
print("done" if hits > 10 else hits)
"""


def test_interrupts_while_llvm_compiles() -> None:
    """They come at once, and disturb neither LLVM nor what is compiled next."""
    assert output(started(INTERRUPTED)) == "done\n"


# A fork while a thread compiles: both go on, the child without that thread.
FORKED = """
import os
from wengert.engines.native.runtime import llvm
llvm.get_threads = lambda: 2
def kernel(k, lines=2000):
    steps = "".join(f"%v{i + 1} = fadd double %v{i}, {float(k)}\\n" for i in range(lines))
    return f"define double @k{k}(double %v0) {{\\n{steps}ret double %v{lines}\\n}}\\n"
with llvm.Compilation() as compilation:
    for k in range(6):
        compilation.add(kernel(k), 2)
        compilation.begin()
    child = os.fork()
    made = compilation.results()
    if child == 0:
        os._exit(0 if len(made) == 6 and all(made) else 1)
print(os.waitpid(child, 0)[1], len(made), all(made))
"""


def test_a_fork_while_llvm_compiles() -> None:
    assert output(started(FORKED)) == "0 6 True\n"


# A plan that runs after Python has cleared the modules of which it needs something.
CALLED_AT_THE_END = """
import os, sys
import wengert as tf
f = tf.function(lambda x: tf.reduce_sum(tf.exp(x)), jit_compile=True)
x = tf.ones([70000])
f(x)
class Last:
    def __init__(self):
        self.run = f.get_concrete_function(x)._subgraph.current.running.run
        self.given, self.write = [x.numpy()], os.write
        self.modules = [sys.modules["wengert.engines.native.runtime." + name].__dict__
                        for name in ("thread_pool", "trampoline")]
    def __del__(self):
        for _ in range(100):
            (y,) = self.run(self.given)
        if not any("functions" in names and names["functions"] for names in self.modules):
            self.write(1, b"called")
sys.last = Last()
"""


def test_plans_run_while_python_ends() -> None:
    """What they need of us is not cleared before them."""
    assert output(started(CALLED_AT_THE_END)) == "called"


def test_a_graph_that_llvm_refuses(monkeypatch: Any) -> None:
    """A text that this version of LLVM does not take: one warning, and NumPy's numbers."""
    usual = modules.module_of
    monkeypatch.setattr(modules, "module_of", lambda *functions: usual(*functions) + REFUSED)
    assert_one_warning("immarg", "computed by NumPy instead")


def test_gradients_of_what_cannot_be_compiled(monkeypatch: Any) -> None:
    """They are computed by NumPy too."""
    monkeypatch.setattr(modules.Ahead, "results", _raising(RuntimeError("planted")))
    f = tf.function(lambda x: tf.reduce_sum(tf.sin(x)), jit_compile=True)
    x = tf.constant(X)
    with warnings.catch_warnings(), tf.GradientTape() as tape:
        warnings.simplefilter("ignore")
        tape.watch(x)
        y = f(x)
        np.testing.assert_allclose(tape.gradient(y, x), np.cos(X))


def test_without_memory(monkeypatch: Any) -> None:
    """NumPy, which needs less at a time, may find it."""
    monkeypatch.setattr(arena, "new_arena", _raising(MemoryError()))
    assert_one_warning("no memory for a compiled graph")


@pytest.mark.parametrize("compiled", [None, False, True])
def test_results_that_no_memory_holds(compiled: bool | None) -> None:
    """TensorFlow's error, which says of what; Python's, too."""

    def f(x: Any) -> Any:
        return tf.tile(x, [1 << 38]) + 1.0

    run = f if compiled is None else tf.function(f, jit_compile=compiled)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(tf.errors.ResourceExhaustedError, match=r"OOM.*TiB.*Op:Tile") as found:
            run(tf.ones([1000]))
    assert isinstance(found.value, MemoryError)


def test_without_memory_to_compile(monkeypatch: Any) -> None:
    """It is nobody's mistake, and said once for all graphs."""
    monkeypatch.setattr(modules.Ahead, "results", _raising(MemoryError()))
    assert_one_warning("no memory to compile")
    assert said(lambda: assert_right(tf.function(softly, jit_compile=True))) == []


def test_threads_that_cannot_be_started(monkeypatch: Any) -> None:
    """A system that allows no more threads: plans use those that there are, with one warning."""
    monkeypatch.setattr(thread_pool.Pool, "_start", lambda pool: False)
    monkeypatch.setattr(threads._Asked, "threads", 5)
    monkeypatch.setattr(threads, "available", lambda: 5)
    pool = thread_pool.Pool()
    (message,) = said(pool.resize) + said(lambda: pool.address) + said(pool.resize)
    assert "Of 5 threads 1 could be had" in message
    assert ctypes.c_int64.from_address(pool.address + pool.THREADS).value == 0


def test_without_memory_variables_change_once() -> None:
    """What was done natively before the memory was gone is not done once more by NumPy."""
    v = tf.Variable(np.zeros(30))
    calls: list[int] = []

    def failing_once(a: Any) -> Any:
        calls.append(len(calls))
        if calls == [0, 1]:
            raise MemoryError
        return a

    @tf.function(jit_compile=True)
    def step(x: Any) -> Any:
        v.assign_add(tf.ones_like(v))
        y = tf.numpy_function(failing_once, [x + 1.0], tf.float64)
        return tf.reduce_sum(tf.ensure_shape(y, x.shape) + v)

    step(tf.constant(X))
    with contextlib.suppress(MemoryError, tf.errors.OpError), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        step(tf.constant(X))
    assert v.numpy().tolist() == [2.0] * 30


def _raising(error: BaseException) -> Callable[..., Any]:
    def function(*_: Any) -> Any:
        raise error

    return function


# ---- the cache, from process to process -----------------------------------------------------------

# Prints how often something was compiled, and a digest of the results.
COUNTING = """
import hashlib, sys, numpy as np
from wengert.engines.native.runtime import llvm
usual, count = llvm.Compilation.results, []
llvm.Compilation.results = lambda made: count.append(1) or usual(made)
import wengert as tf
x = tf.constant(np.arange(70_000.0).reshape(700, 100) / 1e5)
f = tf.function(lambda x: tf.reduce_sum(tf.exp(x) @ tf.transpose(x), 0), jit_compile=True)
g = tf.function(lambda x: tf.sin(x) + 1.0, jit_compile=True)
print(len(count), hashlib.sha256(f(x).numpy().tobytes() + g(x).numpy().tobytes()).hexdigest(),
      len(count))
"""


def started(code: str, **environment: str) -> Any:
    return subprocess.Popen(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def output(process: Any) -> str:
    out, error = process.communicate(timeout=120)
    assert process.returncode == 0, error
    assert error == ""
    return str(out)


def in_python(code: str, **environment: str) -> str:
    """What a program prints that another process runs."""
    return output(started(code, **environment))


def counted(place: Path | str, **environment: str) -> tuple[int, str]:
    """How often another process compiles something, and what it computes."""
    before, digest, after = in_python(COUNTING, WENGERT_CACHE_DIR=str(place), **environment).split()
    assert before == "0"
    return int(after), digest


def is_whole(file: Path) -> bool:
    """Whether a file says truly what is in it."""
    check, _, content = file.read_bytes().partition(b"\n")
    return check == digest(file.name, content) and bool(content)


def digest(name: str, content: bytes) -> bytes:
    said = name.encode() + b"\n" + content
    return hashlib.blake2b(said, digest_size=20).hexdigest().encode()


def assert_whole(place: Path, count: int, plans: int = 0) -> None:
    """A folder has so many files of machine code and of plans, and nothing else."""
    files = list(place.iterdir())
    assert sorted(f.suffix for f in files) == [".o"] * count + [".plan"] * plans
    assert all(map(is_whole, files))


def _flipped(data: bytes) -> bytes:
    at = 3 * len(data) // 4
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def test_a_process_compiles_what_none_has_compiled(tmp_path: Path) -> None:
    """The second compiles nothing; damaged files are compiled anew and replaced."""
    place = tmp_path / "not" / "there"
    count, results = counted(place)
    assert count == 3  # two graphs and the runtime
    assert_whole(place, 3, plans=2)
    assert counted(place) == (0, results)
    code = sorted(place.glob("*.o"))
    for files in (code, sorted(place.glob("*.plan")), code):
        for file, damage in zip(files, (_flipped, lambda d: d[:-200], lambda _: b""), strict=False):
            file.write_bytes(damage(file.read_bytes()))
            assert not is_whole(file)
        assert counted(place) == (len(files) % 2 * 3, results)  # plans are made without LLVM
        assert_whole(place, 3, plans=2)
    assert counted(place) == (0, results)


def test_a_folder_that_cannot_be_written_to(tmp_path: Path) -> None:
    """A file in its place, or above it: everything is compiled, and no one complains."""
    file = tmp_path / "file"
    file.write_text("mine")
    assert counted(file)[0] == 3
    assert counted(file / "below")[0] == 3
    assert file.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere"
)
def test_a_folder_for_reading_only(tmp_path: Path) -> None:
    """The same for a folder that somebody else has closed."""
    tmp_path.chmod(0o500)
    assert counted(tmp_path)[0] == 3
    tmp_path.chmod(0o700)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_kept_if_nothing_shall_be(tmp_path: Path) -> None:
    """An empty WENGERT_CACHE_DIR; and where files are if nothing is said."""
    homes = {"HOME": str(tmp_path / "home"), "XDG_CACHE_HOME": str(tmp_path / "xdg")}
    assert counted("", **homes)[0] == 3
    assert list(tmp_path.iterdir()) == []
    code = "import os; os.environ.pop('WENGERT_CACHE_DIR')\n" + COUNTING
    in_python(code, **homes)
    if sys.platform == "linux":
        assert_whole(tmp_path / "xdg" / "wengert", 3, plans=2)


def test_many_processes_at_once(tmp_path: Path) -> None:
    """All begin with nothing and write the same files: they agree, and leave whole ones only."""
    waiting = [started(COUNTING, WENGERT_CACHE_DIR=str(tmp_path)) for _ in range(4)]
    found = {output(process).split()[1] for process in waiting}
    assert len(found) == 1
    assert_whole(tmp_path, 3, plans=2)
    assert counted(tmp_path) == (0, *found)


def test_every_text_has_a_file_of_its_own(tmp_path: Path, monkeypatch: Any) -> None:
    """Other code, another kind of it or another processor: another name."""
    names = {cache.digest_of(*key) for key in (("a", "b"), ("a", "c"), ("ab", ""), ("", "ab"))}
    assert len(names) == 4
    monkeypatch.setattr(cache, "fingerprint", lambda: "another processor")
    assert cache.digest_of("a", "b") not in names


# ---- the cache, within a process ------------------------------------------------------------------


@pytest.fixture
def place(tmp_path: Path, monkeypatch: Any) -> Iterator[Path]:
    """A folder for the cache, whose limit is 3500 bytes."""
    monkeypatch.setenv("WENGERT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("WENGERT_CACHE_LIMIT", "3500")
    cache._limit.cache_clear()
    yield tmp_path / "cache"
    monkeypatch.undo()
    cache._limit.cache_clear()


def kept(text: str, content: bytes = b"") -> bool:
    """Whether the cache has what belongs to a text; it is put there otherwise."""
    made = []

    def make() -> bytes:
        made.append(text)
        return content or text.encode() * (930 // len(text))

    assert cache.load_or_store("test", text, make) == (
        content or text.encode() * (930 // len(text))
    )
    return not made


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(min_size=1, max_size=200), st.integers(0, 2**30), st.booleans())
def test_any_damage_is_noticed(place: Path, content: bytes, where: int, cut: bool) -> None:
    """Whatever byte of a file is missing or changed, the code is made anew and replaced."""
    kept("x", content)
    (file,) = place.iterdir()
    data = file.read_bytes()
    at = where % len(data)
    file.write_bytes(data[:at] if cut else data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :])
    assert not kept("x", content)
    assert is_whole(file)
    assert kept("x", content)
    file.unlink()


def _age(place: Path, texts: Sequence[str]) -> None:
    """Make the files of some texts old, the first the oldest."""
    for k, text in enumerate(texts):
        then = time.time() - 1000 + k
        os.utime(place / f"{cache.digest_of('test', text)}.o", (then, then))


def test_what_was_used_longest_ago_is_removed(place: Path) -> None:
    """Files are kept by when they were last read, up to the limit."""
    assert [kept(t) for t in ("a", "b", "c")] == [False] * 3
    _age(place, ["a", "b", "c"])
    assert kept("a")  # and is new again
    assert not kept("d")
    assert [kept(t) for t in ("a", "c", "d")] == [True] * 3
    assert_whole(place, 3)
    assert not kept("b")


def test_what_is_larger_than_the_limit(place: Path) -> None:
    """It works, and what remains fits."""
    assert not kept("a")
    kept("large", b"x" * 5000)
    assert sum(f.stat().st_size for f in place.iterdir()) <= 3500


def test_files_are_not_looked_at_for_each_that_is_written(place: Path, monkeypatch: Any) -> None:
    """Only now and then, by how much is written: what remains fits the limit all the same."""
    monkeypatch.setenv("WENGERT_CACHE_LIMIT", "300000")
    cache._limit.cache_clear()
    looks: list[str] = []
    shrink = cache._shrink
    monkeypatch.setattr(cache, "_shrink", lambda folder: (looks.append(folder), shrink(folder)))  # type: ignore[func-returns-value]
    for k in range(800):
        kept(f"{k} of many", bytes(960))
    assert 100 < len(looks) < 250  # a fifth
    assert 200_000 < sum(file.stat().st_size for file in place.iterdir()) < 330_000


def test_other_files_are_not_ours_to_remove(place: Path) -> None:
    """In a folder that holds more than the cache, however old and large that is."""
    place.mkdir()
    others = [place / "thesis.tex", place / "main.o", place / "folder"]
    others[2].mkdir()
    for other in others[:2]:
        other.write_bytes(b"x" * 9000)
    for other in others:
        os.utime(other, (1000, 1000))
    for text in "abcde":
        kept(text)
    assert all(other.exists() for other in others)
    assert kept("e")


@pytest.mark.parametrize("failing", ["replace", "fdopen"])
def test_a_file_that_cannot_be_written(place: Path, monkeypatch: Any, failing: str) -> None:
    """No room on the disk: the code is used all the same, and nothing half done stays."""
    monkeypatch.setattr(os, failing, _raising(OSError(28, "No space left on device")))
    assert not kept("a")
    assert list(place.iterdir()) == []


def test_many_threads_at_once(place: Path) -> None:
    """Threads that want the same files and others."""
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(kept, "abc" * 40))
    assert_whole(place, 3)


def test_about_the_cache(place: Path, monkeypatch: Any) -> None:
    """Where it is and how much is in it; also when there is none."""
    assert cache.about() == {"folder": str(place), "files": 0, "bytes": 0, "limit": 3500}
    kept("a")
    (file,) = place.iterdir()
    assert cache.about() == {
        "folder": str(place),
        "files": 1,
        "bytes": file.stat().st_size,
        "limit": 3500,
    }
    monkeypatch.setenv("WENGERT_CACHE_DIR", "")
    assert cache.about() == {"folder": "none", "files": 0, "bytes": 0, "limit": 3500}


def test_a_planted_fault_in_a_file_is_found(tmp_path: Path) -> None:
    """The check of these tests sees what is not whole, and what does not belong there."""
    file = tmp_path / "a.o"
    file.write_bytes(digest("a.o", b"code") + b"\ncode")
    assert_whole(tmp_path, 1)
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(AssertionError):
        assert_whole(tmp_path, 1)
    file.rename(tmp_path / "a.part")
    with pytest.raises(AssertionError):
        assert_whole(tmp_path, 1)
