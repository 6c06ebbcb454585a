"""Tables, strings, files, examples and pictures, as TensorFlow has them."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

import json
import shutil
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from dataset_programs import text_of
from text_programs import FOLDER, GROUPS

import wengert as tf

RECORDED = json.loads((Path(__file__).parent / "data" / "texts.json").read_text("utf-8"))
# Why a text differs.
BEYOND: dict[tuple[str, str], str] = {
    ("tables", "static list"): "a list of keys becomes a tensor",
    ("tables", "static empty"): "a table may be empty",
    ("tables", "dense"): "keys of any rank",
    ("tables", "mutable ragged"): "ragged keys give ragged values",
    ("files", "records cut in length"): "a file that ends within a length is told to be cut",
    ("files", "compressed bad"): "data that end too early are told to",
    ("examples", "bad text"): "the error is that of an operation",
}
HERE = {group: programs(tf) for group, programs in GROUPS.items()}


@pytest.fixture(autouse=True, scope="module")
def _tidy() -> Iterator[None]:
    yield
    shutil.rmtree(FOLDER, ignore_errors=True)


@pytest.mark.parametrize(
    ("group", "name"), [(g, n) for g, programs in HERE.items() for n in programs]
)
def test_it_is_as_in_tensorflow(group: str, name: str) -> None:
    """Every program gives the text that TensorFlow gives, or fails with the same kind of error."""
    if (group, name) in BEYOND:
        pytest.skip(BEYOND[group, name])
    if group == "pictures":
        pytest.importorskip("PIL")
    assert text_of(tf, HERE[group][name]) == RECORDED[group][name]


def saved(tmp_path: Path) -> Path:
    """The file of a saved dataset of three elements."""
    tf.data.Dataset.range(3).save(str(tmp_path / "kept"))
    (file,) = (tmp_path / "kept").glob("*/*.shard")
    return file


@pytest.mark.parametrize("size", [10, 40, 60])
def test_a_saved_dataset_that_is_cut_names_file_and_record(tmp_path: Path, size: int) -> None:
    """Within a record, and between two."""
    file = saved(tmp_path)
    whole = file.read_bytes()
    file.write_bytes(whole[: size if size < 60 else len(whole) // 3])
    with pytest.raises(tf.errors.DataLossError, match=rf"{file.name}.*record \d"):
        list(tf.data.Dataset.load(str(tmp_path / "kept")))


def test_a_saved_dataset_that_is_damaged_names_file_and_record(tmp_path: Path) -> None:
    """A changed byte is found by its checksum; the good records before it come."""
    file = saved(tmp_path)
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(bytes(data))
    elements = iter(tf.data.Dataset.load(str(tmp_path / "kept")))
    assert int(next(elements)) == 0
    with pytest.raises(tf.errors.DataLossError, match=rf"{file.name}, record 1"):
        list(elements)


def test_what_was_saved_stays_until_the_next_is_whole(tmp_path: Path) -> None:
    """A dataset that raises while it is saved leaves nothing behind."""
    path = str(tmp_path / "kept")
    saved(tmp_path)
    bad = tf.data.Dataset.range(3).map(lambda x: tf.debugging.check_numerics(1 / (x - 1), "bad"))
    with pytest.raises(tf.errors.InvalidArgumentError):
        bad.save(path)
    assert [int(x) for x in tf.data.Dataset.load(path)] == [0, 1, 2]
    assert len([entry for entry in Path(path).iterdir() if entry.is_dir()]) == 1


def test_a_table_is_filled_once_and_changed_by_many_threads() -> None:
    """Nothing is lost."""
    table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, -1)

    def insert(begin: int) -> None:
        for i in range(begin, begin + 50):
            table.insert(tf.constant([i], tf.int64), tf.constant([i], tf.int64))

    threads = [threading.Thread(target=insert, args=[50 * n]) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert int(table.size()) == 200


def test_without_pillow_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """PNG is written without it, and BMP is read."""
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    text = tf.io.encode_png(tf.zeros([1, 1, 3], tf.uint8))
    with pytest.raises(ImportError, match=r"pip install 'wengert\[images\]'"):
        tf.io.decode_png(text)
