"""Tables, strings, files, examples and pictures, as TensorFlow has them."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

import json
import shutil
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
