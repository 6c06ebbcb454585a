"""The base of TensorFlow's tests of datasets, and tests that run once for each combination."""

# mypy: disable-error-code="misc"
from __future__ import annotations

import importlib
import unittest
from collections.abc import Iterator
from typing import Any

import pytest
from absl.testing import parameterized

import wengert as tf
from wengert.testing.combinations import NamedObject, combine, generate, times
from wengert.testing.dataset_cases import DatasetTestBase

MODES = combine(mode=["eager", "graph"], tf_api_version=2)


class Cases(DatasetTestBase, parameterized.TestCase):
    """What is tested of them by running them."""

    @generate(times(MODES, combine(count=[0, 3])))
    def test_repeat(self, count: int) -> None:
        self.assertDatasetProduces(tf.data.Dataset.range(2).repeat(count), [0, 1] * count)

    @generate(times(MODES, combine(wrong=[[0], [0, 1, 2], [1, 0]])))
    def test_wrong(self, wrong: list[int]) -> None:
        with pytest.raises(AssertionError):
            self.assertDatasetProduces(tf.data.Dataset.range(2), wrong)

    @generate(MODES)
    def test_nested(self, mode: str) -> None:
        assert mode == ("eager" if tf.executing_eagerly() else "graph")
        dataset = tf.data.Dataset.range(2).map(lambda x: {"a": (x, [x, x])})
        self.assertDatasetProduces(dataset, [{"a": (i, [i, i])} for i in range(2)])
        self.assertDatasetProduces(dataset, [{"a": (i, [i, i])} for i in range(2)], requires_initialization=True)  # fmt: skip
        self.assertDatasetsEqual(dataset, dataset.map(lambda x: x))

    @generate(MODES)
    def test_errors(self) -> None:
        one = tf.data.Dataset.from_tensors([float("nan")])
        failing = one.map(lambda x: tf.debugging.check_numerics(x, "here"))
        wanted = tf.errors.InvalidArgumentError, "here"
        self.assertDatasetProduces(failing, expected_error=wanted)
        self.assertDatasetsRaiseSameError(failing, failing.repeat(2), wanted[0])

    @generate(MODES)
    def test_random_access(self) -> None:
        self.verifyRandomAccess(tf.data.Dataset.range(6).batch(2), [[0, 1], [2, 3], [4, 5]])

    @generate(MODES)
    def test_structures(self) -> None:
        dataset = self.structuredDataset((None, (None,)), shape=[2])
        self.assertDatasetProduces(dataset, [([0, 0], ([0, 0],))])

    @generate(combine(tf_api_version=1))
    def test_of_version_1(self) -> None:
        self.fail("It is skipped.")


@generate(combine(size=[1, 2]))
class OfClass(unittest.TestCase):
    """Every test of it."""

    def test_size(self, size: int) -> None:
        assert size in (1, 2)


def test_combinations_have_names() -> None:
    pairs = times(combine(b=[1, 2], a=["x"]), combine(c=NamedObject("made", [3])))
    assert [dict(p).keys() for p in pairs] == [{"a", "b", "c"}] * 2
    assert list(pairs[1].items())[:2] == [("a", "x"), ("b", 2)]
    assert list(pairs[0]["c"]) == [3]
    with pytest.raises(ValueError, match="overlap"):
        times(combine(a=1), combine(a=2))
    assert {"test_size_test_size_1", "test_size_test_size_2"} < vars(OfClass).keys()
    assert "test_repeat_test_mode_graph_tfapiversion_2_count_3" in dir(Cases)


@pytest.fixture
def redirected() -> Iterator[None]:
    tf.compat.install()
    yield
    tf.compat.uninstall()


def test_programs_import_them(redirected: None) -> None:
    """As TensorFlow's tests of datasets do."""

    def of(path: str) -> Any:
        return importlib.import_module(f"tensorflow.python.{path}")

    base, nest = of("data.kernel_tests.test_base"), of("data.util.nest")
    assert len(base.default_test_combinations()) == 4
    assert {c["mode"] for c in base.graph_only_combinations()} == {"graph"}
    ops = of("data.ops.dataset_ops")
    assert ops.Dataset is tf.data.Dataset
    assert ops.get_legacy_output_types(ops.Dataset.range(2)) is tf.int64
    assert ops.get_structure(ops.Dataset.range(2)) == tf.TensorSpec([], tf.int64)
    assert (
        of("data.experimental.ops.grouping").group_by_window is tf.data.experimental.group_by_window
    )
    assert nest.flatten((1, [2, 3], {"b": 4, "a": 5})) == [1, [2, 3], 5, 4]
    assert nest.map_structure(lambda a, b: a + b, (1, {"a": 2}), (3, {"a": 4})) == (4, {"a": 6})
    assert nest.pack_sequence_as((0, (0, 0)), [1, 2, 3]) == (1, (2, 3))
    assert nest.flatten_up_to((0, 0), (1, (2, 3))) == [1, (2, 3)]
    with pytest.raises(ValueError, match="flat_sequence had 2 elements"):
        nest.pack_sequence_as((0, (0, 0)), [1, 2])
    structure = of("data.util.structure")
    spec = structure.type_spec_from_value((1, {"a": "b"}))
    assert structure.get_flat_tensor_types(spec) == [tf.int32, tf.string]
    assert structure.are_compatible(spec, spec)
    assert not structure.are_compatible(spec, spec[0])
    parts = structure.to_tensor_list(spec, (1, {"a": "b"}))
    assert structure.from_tensor_list(spec, parts)[1]["a"].numpy() == b"b"


def test_the_experimental_choice_goes_on_where_a_dataset_has_ended() -> None:
    """By default, other than the method of the same name."""
    parts = [tf.data.Dataset.range(2), tf.data.Dataset.range(10, 13)]
    choice = tf.data.Dataset.range(2).repeat(3)
    for module in (tf.data.experimental, tf.compat.v1.data.experimental):
        found = module.choose_from_datasets(parts, choice)
        assert [int(x) for x in found] == [0, 10, 1, 11, 12]
    assert [int(x) for x in tf.data.Dataset.choose_from_datasets(parts, choice)] == [0, 10, 1, 11]
