"""Files that are damaged, disks that are full, writers that are killed: an error that says so, and nothing lost."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.host import files

resource = pytest.importorskip("resource")  # limits of a process, which Windows lacks
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
ROOT = Path(__file__).resolve().parent.parent


def damaged(content: bytes, step: int) -> Iterator[bytes]:
    """The content with a byte changed, and cut short, at every so many places."""
    for at in range(0, len(content), step):
        for bits in (1, 0x80, 0xFF):
            yield content[:at] + bytes([content[at] ^ bits]) + content[at + 1 :]
        yield content[:at]


def wrong(file: Path, read: Callable[[], Any], right: Any, step: int = 1) -> list[Any]:
    """What was read from damaged files that is neither right nor an error of data."""
    content, found = file.read_bytes(), []
    for data in damaged(content, step):
        file.write_bytes(data)
        with contextlib.suppress(tf.errors.DataLossError):
            got = read()
            if got != right:
                found.append((data, got))
    file.write_bytes(content)
    return found


# ---- damaged ------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", [".index", ".data-00000-of-00001"])
def test_a_checkpoint_damaged_anywhere(tmp_path: Path, end: str) -> None:
    """The right values or an error, never others."""
    parts = {"a": tf.Variable([1.0, 2.0]), "s": tf.Variable(["x", "longer"])}
    checkpoint = tf.train.Checkpoint(**parts)
    path = checkpoint.write(tmp_path / "c")

    def read() -> Any:
        parts["a"].assign([0.0, 0.0])
        checkpoint.read(path)
        return parts["a"].numpy().tolist(), parts["s"].numpy().tolist()

    assert wrong(Path(f"{path}{end}"), read, ([1.0, 2.0], [b"x", b"longer"]), 3) == []


def test_a_state_file_damaged_anywhere(tmp_path: Path) -> None:
    """The latest checkpoint is found all the same, by the files that there are."""
    checkpoint = tf.train.Checkpoint(x=tf.Variable(1))
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=3)
    for _ in range(3):
        manager.save()
    right = manager.latest_checkpoint
    assert (
        wrong(tmp_path / "checkpoint", lambda: tf.train.latest_checkpoint(tmp_path), right, 7) == []
    )
    (tmp_path / "checkpoint").write_bytes(b"\xff\0")
    again = tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=3)
    assert again.checkpoints == manager.checkpoints


@pytest.mark.parametrize("codec", ["", "GZIP", "ZLIB"])
def test_records_damaged_anywhere(tmp_path: Path, codec: str) -> None:
    """The error names the file and the record; a file that ends with a whole record is a shorter file."""
    records = [b"record %d" % n * n for n in range(5)]
    file = tmp_path / "r"
    with tf.io.TFRecordWriter(file, codec) as writer:
        for data in records:
            writer.write(data)
    for read in (
        lambda: [x.numpy() for x in tf.data.TFRecordDataset(file, codec)],
        lambda: list(tf.compat.v1.io.tf_record_iterator(str(file), tf.io.TFRecordOptions(codec))),
    ):
        for data, got in wrong(file, read, records, 5):
            assert len(data) < file.stat().st_size
            assert got == records[: len(got)]
    whole = file.read_bytes()
    file.write_bytes(whole[:-3])
    with pytest.raises(tf.errors.DataLossError, match=r"r, record \d"):
        list(tf.data.TFRecordDataset(file, codec))


def test_events_damaged_anywhere(tmp_path: Path) -> None:
    """Of a file of events."""
    with tf.summary.create_file_writer(tmp_path).as_default():
        for n in range(3):
            tf.summary.scalar("x", 1.0, step=n)
        tf.summary.flush()
    (file,) = tmp_path.iterdir()

    def read() -> list[int]:
        return [event.step for event in tf.compat.v1.train.summary_iterator(file)]

    assert all(got == [0, 0, 1, 2][: len(got)] for _, got in wrong(file, read, [0, 0, 1, 2], 3))


def test_a_dataset_in_a_folder_damaged_anywhere(tmp_path: Path) -> None:
    """The elements, and the file that describes them."""
    tf.data.Dataset.range(3).map(lambda x: (x, tf.as_string(x))).save(str(tmp_path / "d"))
    right = [(n, str(n).encode()) for n in range(3)]

    def read() -> Any:
        with contextlib.suppress(tf.errors.NotFoundError):
            return [(int(a), b.numpy()) for a, b in tf.data.Dataset.load(str(tmp_path / "d"))]
        return right

    for file in (tmp_path / "d").rglob("*"):
        if file.is_file():
            assert wrong(file, read, right, 5) == []


def test_a_checkpoint_of_a_newer_version(tmp_path: Path) -> None:
    """Fields that nobody knows are passed over; a version that says nobody older may read it is an error."""
    from wengert.formats.tables import entries_of, table
    from wengert.formats.wire import Message

    x = tf.Variable([1.0, 2.0])
    path = tf.train.Checkpoint(x=x).write(tmp_path / "c")
    index = Path(f"{path}.index")
    entries = list(entries_of(index.read_bytes()))
    more = Message().integer(99, 7).text(100, "new").done()
    index.write_bytes(table([(key, value + more) for key, value in entries]))
    x.assign([0.0, 0.0])
    tf.train.Checkpoint(x=x).read(path).assert_consumed()
    assert x.numpy().tolist() == [1.0, 2.0]
    for oldest, refused in ((1, False), (2, True)):
        version = Message().integer(1, 9).integer(2, oldest)
        head = Message().integer(1, 1).message(3, version).done()
        index.write_bytes(table([(b"", head), *entries[1:]]))
        if refused:
            with pytest.raises(tf.errors.UnimplementedError, match="newer version"):
                tf.train.Checkpoint(x=x).read(path)
        else:
            tf.train.Checkpoint(x=x).read(path)


def test_a_model_of_a_newer_version(tmp_path: Path) -> None:
    """Fields that nobody knows are passed over."""
    module: Any = tf.Module()
    module.f = tf.function(lambda x: x * 2.0, input_signature=[tf.TensorSpec([], tf.float32)])
    tf.saved_model.save(module, tmp_path)
    file = tmp_path / "saved_model.pb"
    file.write_bytes(file.read_bytes() + b"\xfa\x7f\x03new")
    assert tf.saved_model.load(tmp_path).f(tf.constant(3.0)).numpy() == 6.0


# ---- killed -------------------------------------------------------------------------------------

CHANGES = ("replace", "link", "unlink", "fsync")


def _in_a_child(work: Callable[[], None]) -> int:
    """The exit status of a copy of this process that does some work."""
    child = os.fork()
    if not child:
        try:
            work()
            os._exit(0)
        except BaseException:  # the status says it
            os._exit(7)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _killed_at(count: int) -> None:
    """End the process at the nth change of the folder, before it is made."""
    left = [count]

    def counted(function: Any) -> Any:
        def changing(*args: Any, **kwargs: Any) -> Any:
            left[0] -= 1
            if not left[0]:
                os._exit(9)
            return function(*args, **kwargs)

        return changing

    for name in CHANGES:
        setattr(os, name, counted(getattr(os, name)))


@pytest.mark.parametrize("overwrites", [1, 2])
def test_killed_at_any_change_of_the_folder(tmp_path: Path, overwrites: int) -> None:
    """The old values or the new ones, of all variables alike; and the next write cleans up."""
    x, y = tf.Variable(0), tf.Variable([0.0] * 9)
    checkpoint = tf.train.Checkpoint(x=x, y=y)
    prefix = str(tmp_path / "c")
    for count in range(1, 40):
        x.assign(0)
        y.assign([0.0] * 9)
        checkpoint.write(prefix)

        def write(count: int = count) -> None:
            _killed_at(count)
            for n in range(1, overwrites + 1):
                x.assign(n)
                y.assign([float(n)] * 9)
                checkpoint.write(prefix)

        status = _in_a_child(write)
        checkpoint.read(prefix)
        assert y.numpy().tolist() == [float(x)] * 9
        checkpoint.write(prefix)
        left = sorted(p.name for p in tmp_path.iterdir() if ".tempstate" not in p.name)
        assert left == ["c.data-00000-of-00001", "c.index"]
        if not status:
            assert int(x) == overwrites
            assert count > 6
            return
    raise AssertionError("It never came to an end.")


def test_killed_100_times_in_the_middle(tmp_path: Path) -> None:
    """A process that saves on and on, at whatever moment: the latest checkpoint can be read."""
    values = tf.Variable(np.zeros(20000))
    checkpoint = tf.train.Checkpoint(v=values)

    def save() -> None:
        manager = tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=2)
        manager.restore_or_initialize()
        while True:
            values.assign_add(np.ones(20000))
            manager.save()
            checkpoint.write(str(tmp_path / "fixed"))

    start = time.perf_counter()
    for _ in range(5):
        checkpoint.write(str(tmp_path / "fixed"))
    lap = (time.perf_counter() - start) / 5 + 0.005  # of this machine, as busy as it is
    rng = np.random.default_rng(3)
    last = 0.0
    for _ in range(100):
        child = os.fork()
        if not child:
            try:
                save()
            finally:
                os._exit(7)
        time.sleep(float(rng.uniform(0.1, 5.0)) * lap)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        latest = tf.train.latest_checkpoint(tmp_path)
        if latest is not None:
            for path in (latest, str(tmp_path / "fixed")):
                if path == latest or tf.compat.v1.train.checkpoint_exists(path):
                    checkpoint.read(path)
                    assert np.unique(values.numpy()).size == 1
            checkpoint.read(latest)
            assert values.numpy()[0] >= last
            last = float(values.numpy()[0])
    assert last > 3


def test_rests_of_killed_writers_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By who next writes the file; not those of a writer that lives."""
    path = str(tmp_path / "f")

    def stop(*_: Any) -> None:
        os._exit(9)

    def write() -> None:
        os.replace = stop  # type: ignore[assignment]
        files.replaced(path, b"first")

    assert _in_a_child(write) == 9
    assert len(list(tmp_path.iterdir())) == 1
    living = files.Unfinished(path)
    monkeypatch.setattr(files, "_OLD", -1.0)
    files.replaced(path, b"second")
    assert len(list(tmp_path.iterdir())) == 2
    living.finish()
    assert [p.name for p in tmp_path.iterdir()] == ["f"]


# ---- two at a time ------------------------------------------------------------------------------


def test_two_processes_write_the_same_checkpoint(tmp_path: Path) -> None:
    """What is there is all of one of them."""
    x, y = tf.Variable(0), tf.Variable([0.0] * 50)
    checkpoint = tf.train.Checkpoint(x=x, y=y)

    def writing(first: int) -> None:
        manager = tf.train.CheckpointManager(checkpoint, tmp_path / "m", max_to_keep=2)
        for n in range(first, first + 30):
            x.assign(n)
            y.assign([float(n)] * 50)
            checkpoint.write(str(tmp_path / "c"))
            manager.save()

    children = []
    for first in (100, 200):
        child = os.fork()
        if not child:
            try:
                writing(first)
                os._exit(0)
            finally:
                os._exit(7)
        children.append(child)
    assert [os.waitstatus_to_exitcode(os.waitpid(c, 0)[1]) for c in children] == [0, 0]
    for path in (str(tmp_path / "c"), tf.train.latest_checkpoint(tmp_path / "m")):
        checkpoint.read(path)
        assert y.numpy().tolist() == [float(x)] * 50
    assert sorted(p.name for p in tmp_path.iterdir()) == ["c.data-00000-of-00001", "c.index", "m"]


# ---- full ---------------------------------------------------------------------------------------


def _full(size: int) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def test_files_that_may_not_grow(tmp_path: Path) -> None:
    """An error of resources; the old checkpoint, the state and the model are there, and nothing half written."""
    x = tf.Variable(np.zeros(5000, np.float32))
    checkpoint = tf.train.Checkpoint(x=x)
    manager = tf.train.CheckpointManager(checkpoint, tmp_path / "m", max_to_keep=2)
    before = manager.save()
    checkpoint.write(str(tmp_path / "c"))
    tf.data.Dataset.range(3).save(str(tmp_path / "d"))
    names = sorted(str(p) for p in tmp_path.rglob("*") if p.is_file())

    def write() -> None:
        _full(1000)
        large = tf.data.Dataset.range(3).map(lambda n: tf.zeros([5000]))
        for work in (
            lambda: checkpoint.write(str(tmp_path / "c")),
            manager.save,
            lambda: large.save(str(tmp_path / "d")),
            lambda: list(large.cache(str(tmp_path / "kept"))),
        ):
            try:
                work()
            except tf.errors.ResourceExhaustedError:
                continue
            os._exit(8)

    assert _in_a_child(write) == 0
    assert sorted(str(p) for p in tmp_path.rglob("*") if p.is_file()) == names
    assert tf.train.latest_checkpoint(tmp_path / "m") == before
    checkpoint.read(str(tmp_path / "c"))
    assert len(tf.data.Dataset.load(str(tmp_path / "d"))) == 3


# ---- interrupted --------------------------------------------------------------------------------

LOOP = """
import sys, threading, time
import wengert as tf

def slowly(x):
    time.sleep(0.004)
    return x

dataset = tf.data.Dataset.range(10**6).map(
    lambda x: tf.numpy_function(slowly, [x], tf.int64), num_parallel_calls=PARALLEL
)AHEAD
step = tf.Variable(0, dtype=tf.int64)
manager = tf.train.CheckpointManager(tf.train.Checkpoint(step=step), sys.argv[1], 2)

def train():
    for x in dataset:
        step.assign_add(1)
        if step % 10 == 0:
            manager.save()
        if step == 15:
            print("begun", flush=True)

try:
    train()
except KeyboardInterrupt:
    print("interrupted", flush=True)
end = time.monotonic() + 5
while threading.active_count() > 1 and time.monotonic() < end:
    time.sleep(0.01)
print([t.name for t in threading.enumerate()], flush=True)
"""


@pytest.mark.parametrize(
    ("parallel", "ahead", "number"),
    [("None", "", signal.SIGINT), ("4", ".prefetch(2)", signal.SIGINT),
     ("4", ".prefetch(2)", signal.SIGTERM)],
)  # fmt: skip
def test_a_loop_is_interrupted(tmp_path: Path, parallel: str, ahead: str, number: int) -> None:
    """KeyboardInterrupt comes to the user, no thread is left, and the last checkpoint is good."""
    source = LOOP.replace("PARALLEL", parallel).replace("AHEAD", ahead)
    child = subprocess.Popen(
        [sys.executable, "-c", source, str(tmp_path)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "begun\n"
    child.send_signal(number)
    rest, _ = child.communicate(timeout=20)
    if number == signal.SIGINT:
        assert rest == "interrupted\n['MainThread']\n"
        assert child.returncode == 0
    else:
        assert child.returncode == -signal.SIGTERM
    step = tf.Variable(0, dtype=tf.int64)
    latest = tf.train.latest_checkpoint(tmp_path)
    tf.train.Checkpoint(step=step).restore(latest)
    assert int(step) >= 10
