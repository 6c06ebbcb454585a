"""Checkpoints, saved models and summaries: TensorFlow's files are read, and ours come back.

tools/record_saving.py wrote tests/data/saving with TensorFlow, and reads with it what is written here.
"""

from __future__ import annotations

import errno
import importlib.util
import io
import json
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.formats import bundles
from wengert.formats.events import EventFile, event
from wengert.formats.ordered_code import signed_number
from wengert.formats.records import records_in
from wengert.formats.tables import entries_of, table
from wengert.formats.wire import Fields

ROOT = Path(__file__).resolve().parent
DATA = ROOT / "data" / "saving"
v1 = tf.compat.v1


def _recorder() -> Any:
    spec = importlib.util.spec_from_file_location(
        "record_saving", ROOT.parent / "tools" / "record_saving.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


RECORDER = _recorder()


# ---- both ways ----------------------------------------------------------------------------------


def test_what_tensorflow_wrote_is_read() -> None:
    """Objects of every dtype, names with parts, and a model with gradients of second order."""
    RECORDER.read(tf, DATA)


def test_what_is_written_comes_back(tmp_path: Path) -> None:
    """The same of our own files."""
    RECORDER.write(tf, tmp_path)
    RECORDER.read(tf, tmp_path)


@pytest.mark.parametrize("whose", ["theirs", "ours"])
def test_a_network_goes_on_training(tmp_path: Path, whose: str) -> None:
    """A graph of version 1 from its file: branches, convolutions and their gradients, momentum, with its losses."""
    if whose == "ours":
        RECORDER.write_network(v1, tmp_path, batch=8)
    losses = RECORDER.read_network(v1, DATA if whose == "theirs" else tmp_path)
    expected = json.loads((DATA / "network.json").read_text("utf-8"))
    assert losses == pytest.approx(expected, rel=2e-5)


def test_tables_of_many_blocks() -> None:
    """Keys in order come back, whatever they have in common."""
    entries = [(f"{n:07d}".encode() * 3, bytes([n % 256]) * (n % 90)) for n in range(20000)]
    assert list(entries_of(table(entries))) == entries


def test_signed_numbers_are_ordered() -> None:
    """The bytes of a smaller number are smaller."""
    numbers = sorted({s * (1 << n) + d for n in range(62) for s in (1, -1) for d in (-1, 0, 1)})
    codes = [signed_number(n) for n in numbers]
    assert codes == sorted(codes)


# ---- objects ------------------------------------------------------------------------------------


def test_what_comes_later_gets_its_value(tmp_path: Path) -> None:
    """Attributes, elements of lists and slots that are made after `restore`."""
    first: Any = tf.Module()
    second: Any = tf.Module()
    x, optimizer = tf.Variable([1.0, 2.0]), tf.optimizers.Adam(0.1)
    first.inner = [x, {"y": tf.Variable(3)}]
    optimizer.apply_gradients([(tf.constant([1.0, 1.0]), x)])
    value = x.numpy().tolist()
    path = tf.train.Checkpoint(m=first, o=optimizer).save(tmp_path / "c")
    other = tf.optimizers.Adam(0.7)
    status = tf.train.Checkpoint(m=second, o=other).restore(path)
    with pytest.raises(AssertionError, match=r"\(root\)\.m\.inner\.0"):
        status.assert_consumed()
    second.inner = []
    second.inner.append(tf.Variable([0.0, 0.0]))
    second.inner.append({"y": tf.Variable(0)})
    assert second.inner[0].numpy().tolist() == value
    assert second.inner[1]["y"].numpy() == 3
    step = [(tf.constant([1.0, -1.0]), x)], [(tf.constant([1.0, -1.0]), second.inner[0])]
    optimizer.apply_gradients(step[0])
    other.apply_gradients(step[1])
    assert second.inner[0].numpy().tolist() == x.numpy().tolist()
    status.assert_consumed()


def test_an_element_that_does_not_fit_stays(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A list made after `restore`, as optimizers have, may first be another's: it is said, and goes on."""
    first: Any = tf.Module()
    first.all = [tf.Variable([1.0, 2.0]), tf.Variable(3.0)]
    path = tf.train.Checkpoint(m=first).save(tmp_path / "c")
    second: Any = tf.train.Checkpoint()
    tf.train.Checkpoint(m=second).restore(path)
    second.all = []
    second.all.append(tf.Variable([0.0, 0.0, 5.0]))
    second.all.append(tf.Variable(0.0))
    assert second.all[0].numpy().tolist() == [0.0, 0.0, 5.0]
    assert second.all[1].numpy() == 3.0
    assert "Element '0' was not restored" in caplog.text
    assert repr(second.all).startswith("ListWrapper([<tf.Variable")


def test_iterators_go_on_where_they_were(tmp_path: Path) -> None:
    """A shuffled dataset without a seed, in another iterator."""
    made = lambda: iter(tf.data.Dataset.range(20).shuffle(20))  # noqa: E731
    one, two = made(), made()
    for _ in range(7):
        next(one)
    path = tf.train.Checkpoint(it=one).write(tmp_path / "c")
    rest = [x.numpy() for x in one]
    tf.train.Checkpoint(it=two).read(path)
    assert [x.numpy() for x in two] == rest


def test_an_optimizer_of_version_1_has_its_slots(tmp_path: Path) -> None:
    """Slots that are made before, and slots that are made after."""
    x, optimizer = tf.Variable([1.0, 2.0]), v1.train.AdamOptimizer(0.1)
    optimizer.minimize(lambda: tf.reduce_sum(x * x), var_list=[x])
    path = tf.train.Checkpoint(x=x, o=optimizer).write(tmp_path / "c")
    y, other = tf.Variable([0.0, 0.0]), v1.train.AdamOptimizer(0.1)
    tf.train.Checkpoint(x=y, o=other).read(path)
    for v, o in ((x, optimizer), (y, other)):
        o.minimize(lambda v=v: tf.reduce_sum(v * v), var_list=[v])
    assert y.numpy().tolist() == x.numpy().tolist()


# ---- bad files ----------------------------------------------------------------------------------


def test_nothing_is_restored_from_a_damaged_file(tmp_path: Path) -> None:
    """One bit of one tensor: the error names it, and no variable has changed."""
    a, b = tf.Variable([1.0]), tf.Variable([2.0])
    path = tf.train.Checkpoint(a=a, b=b).write(tmp_path / "c")
    data = Path(f"{path}.data-00000-of-00001")
    content = bytearray(data.read_bytes())
    content[bundles.BundleReader(path).entry("b/.ATTRIBUTES/VARIABLE_VALUE").offset] ^= 1
    data.write_bytes(content)
    a.assign([5.0])
    with pytest.raises(tf.errors.DataLossError, match=r"b/\.ATTRIBUTES/VARIABLE_VALUE"):
        tf.train.Checkpoint(a=a, b=b).read(path)
    assert a.numpy() == 5.0


@pytest.mark.parametrize("end", [".index", ".data-00000-of-00001"])
def test_the_last_good_one_is_taken(tmp_path: Path, end: str) -> None:
    """Of three checkpoints the latest is cut short at every length."""
    x = tf.Variable(0)
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(x=x), tmp_path, max_to_keep=2)
    for n in range(3):
        x.assign(n)
        manager.save()
    assert [Path(p).name for p in manager.checkpoints] == ["ckpt-2", "ckpt-3"]
    file = Path(f"{manager.latest_checkpoint}{end}")
    content = file.read_bytes()
    for size in range(0, len(content) - 1, 37):
        file.write_bytes(content[:size])
        assert str(tf.train.latest_checkpoint(tmp_path)).endswith("ckpt-2")
    again = tf.train.CheckpointManager(tf.train.Checkpoint(x=x), tmp_path, max_to_keep=2)
    assert again.restore_or_initialize() == manager.checkpoints[0]
    assert x.numpy() == 1


def test_another_shape_or_dtype_names_the_variable(tmp_path: Path) -> None:
    """And both of them."""
    path = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).write(tmp_path / "c")
    wide = tf.Variable([1.0, 2.0, 3.0], name="wide")
    with pytest.raises(ValueError, match=r"\(2,\).*\(3,\) and name wide:0"):
        tf.train.Checkpoint(v=wide).read(path)
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected dtype int32"):
        tf.train.Checkpoint(v=tf.Variable([1, 2])).read(path)


def test_a_full_disk_leaves_the_one_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error, no rest of files, and the old values are there."""
    x = tf.Variable(1.0)
    checkpoint = tf.train.Checkpoint(x=x)
    path = checkpoint.write(tmp_path / "c")
    x.assign(2.0)

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(tf.errors.ResourceExhaustedError):
        checkpoint.write(tmp_path / "c")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["c.data-00000-of-00001", "c.index"]
    checkpoint.read(path)
    assert x.numpy() == 1.0


def test_a_model_that_is_cut_short(tmp_path: Path) -> None:
    """A damaged graph is an error of data; a missing operation is named."""
    shutil.copytree(DATA / "model", tmp_path / "m")
    file = tmp_path / "m" / "saved_model.pb"
    content = file.read_bytes()
    file.write_bytes(content[:-100])
    with pytest.raises(tf.errors.DataLossError, match=r"saved_model\.pb"):
        tf.saved_model.load(tmp_path / "m")
    file.write_bytes(content.replace(b"Tanh", b"Tanq"))
    loaded = tf.saved_model.load(tmp_path / "m")
    assert loaded.w.numpy().tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="Tanq"):
        loaded(tf.constant([[1.0, 2.0]]))


def test_a_variable_that_nobody_has_cannot_be_saved(tmp_path: Path) -> None:
    """The error names it."""
    hidden = tf.Variable(1.0, name="hidden")
    module: Any = tf.Module()
    module.f = tf.function(lambda: hidden + 1.0, input_signature=[])
    with pytest.raises(AssertionError, match="hidden"):
        tf.saved_model.save(module, tmp_path)


def test_a_signature_with_many_results_in_no_order(tmp_path: Path) -> None:
    """Each comes under its name, and so does each argument."""
    module: Any = tf.Module()
    specs = [tf.TensorSpec([], tf.float32, name) for name in ("z", "a", "m")]
    module.f = tf.function(
        lambda z, a, m: [z + n * a - m for n in range(13)], input_signature=specs
    )
    tf.saved_model.save(module, tmp_path)
    run = tf.saved_model.load(tmp_path).signatures["serving_default"]
    found = run(z=tf.constant(100.0), a=tf.constant(2.0), m=tf.constant(1.0))
    assert {k: float(v) for k, v in found.items()} == {
        f"output_{n}": 99.0 + 2 * n for n in range(13)
    }


def test_a_model_without_signatures_says_so(tmp_path: Path) -> None:
    """There is a map of them, which is empty."""
    tf.saved_model.save(tf.Module(), tmp_path)
    assert not tf.saved_model.load(tmp_path).signatures


# ---- names --------------------------------------------------------------------------------------


def test_a_saver_reads_what_a_checkpoint_of_objects_wrote(tmp_path: Path) -> None:
    """By the names that the variables had."""
    path = tf.train.Checkpoint(m=tf.Variable([1.0, 2.0], name="w")).write(tmp_path / "c")
    with tf.Graph().as_default(), v1.Session() as session:
        w = v1.get_variable("w", [2])
        v1.train.Saver().restore(session, path)
        assert session.run(w).tolist() == [1.0, 2.0]


def test_a_checkpoint_of_names_is_restored_by_names() -> None:
    """Into objects."""
    x = tf.Variable([0.0, 0.0], name="a/x")
    tf.train.Checkpoint(x=x).read(DATA / "names")
    assert x.numpy().tolist() == [1.0, 2.0]


# ---- summaries ----------------------------------------------------------------------------------


def _values(folder: Path) -> list[tuple[int, str]]:
    found = []
    for file in sorted(folder.iterdir()):
        for data in records_in(io.BytesIO(file.read_bytes())):
            fields = Fields(data)
            found += [(fields.integer(2), v.text(1)) for v in fields.message(5).messages(1)]
    return found


def test_summaries_in_functions(tmp_path: Path) -> None:
    """A function writes when it runs; a condition says whether."""
    writer = tf.summary.create_file_writer(tmp_path)

    @tf.function
    def step(x: Any, n: Any) -> None:
        with writer.as_default(), tf.summary.record_if(n % 2 == 0):
            tf.summary.scalar("x", x, step=n)

    for n in range(5):
        step(tf.constant(1.0), tf.constant(n, tf.int64))
    writer.close()
    assert _values(tmp_path) == [(0, "x"), (2, "x"), (4, "x")]


def test_events_outlive_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What could not be written waits."""
    file = EventFile(str(tmp_path))
    file.add(event(5, b"", 1))
    before = file.path.read_bytes()
    with monkeypatch.context() as patched:
        patched.setattr("builtins.open", lambda *_: (_ for _ in ()).throw(OSError(28, "full")))
        with pytest.raises(tf.errors.ResourceExhaustedError):
            file.flush()
    assert file.path.read_bytes() == before
    file.flush()
    assert len(list(records_in(io.BytesIO(file.path.read_bytes())))) == 2


def test_the_state_file_is_text(tmp_path: Path) -> None:
    """Paths with quotes and letters of other alphabets come back."""
    name = 'ü"b\\c'
    v1.train.update_checkpoint_state(str(tmp_path), str(tmp_path / name))
    state = tf.train.get_checkpoint_state(tmp_path)
    assert state is not None
    assert json.dumps(state.model_checkpoint_path) == json.dumps(str(tmp_path / name))
    assert (tmp_path / "checkpoint").read_bytes().isascii()


def test_snappy_and_bad_blocks() -> None:
    """A table whose foot is right and whose block is not."""
    data = bytearray(table([(b"a", np.arange(9).tobytes())]))
    data[3] ^= 1
    with pytest.raises(tf.errors.DataLossError, match="checksum"):
        list(entries_of(bytes(data)))


def test_a_checkpoint_of_a_graph_counts_by_itself(tmp_path: Path) -> None:
    """Its counter is made when it first saves, after the program's initializers ran."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        v = tf.compat.v1.get_variable("v", initializer=2.0)
        session.run(tf.compat.v1.initializers.global_variables())
        first = tf.train.Checkpoint(v=v)
        paths = [Path(first.save(str(tmp_path / "c"))).name for _ in range(2)]
        assert paths == ["c-1", "c-2"]
        assert session.run(first.save_counter) == 2
        again = tf.train.Checkpoint(v=v)
        again.restore(str(tmp_path / "c-2")).run_restore_ops()
        assert Path(again.save(str(tmp_path / "c"))).name == "c-3"
