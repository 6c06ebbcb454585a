"""The base of tests of datasets: what a dataset gives, eagerly and in a graph."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from wengert.api.session.modes import executing_eagerly
from wengert.core.context import current_graph
from wengert.data.dataset import Dataset
from wengert.data.elements import leaves
from wengert.data.experimental import at
from wengert.data.iterator import initializable, legacy, one_shot
from wengert.data.tables import DatasetInitializer
from wengert.errors import CancelledError, OutOfRangeError
from wengert.lookup.initializers import (
    KeyValueTensorInitializer,
    TextFileIndex,
    TextFileInitializer,
)
from wengert.ops.arrays.creation import zeros
from wengert.ops.control.tensor_array import TensorArray
from wengert.ops.sparse.tensor import SparseTensor, SparseTensorValue
from wengert.testing.cases import TestCase
from wengert.values.dtypes import DType, int64, string

Next = Callable[[], Any]


class DatasetTestBase(TestCase):
    """Tests of datasets."""

    def assert_op_cancelled(self, op: Any) -> None:
        """Assert that an operation is cancelled."""
        with self.assertRaises(CancelledError):
            self.evaluate(op)

    # ---- elements ----------------------------------------------------------------------------

    def getNext(
        self,
        dataset: Any,
        requires_initialization: bool = False,
        shared_name: str | None = None,
    ) -> Next:
        """A function whose results, evaluated one after the other, are the elements."""
        graph = current_graph()
        if executing_eagerly() or (graph is not None and graph.is_function):
            iterator = iter(dataset)
            return lambda: _stacked(iterator.get_next())
        if requires_initialization:
            iterator = initializable(dataset, shared_name)
            self.evaluate(iterator.initializer)
        else:
            iterator = one_shot(dataset)
        element = _stacked(iterator.get_next())
        return lambda: element

    def getDatasetOutput(self, dataset: Any, requires_initialization: bool = False) -> list[Any]:
        """All elements."""
        return self.getIteratorOutput(self.getNext(dataset, requires_initialization))

    def getIteratorOutput(self, get_next: Next) -> list[Any]:
        """All that is still to come."""
        return list(self._values(get_next))

    def _values(self, get_next: Next) -> Iterator[Any]:
        while True:
            try:
                value = self.evaluate(get_next())
            except OutOfRangeError:
                return
            yield value

    # ---- assertions --------------------------------------------------------------------------

    def assertValuesEqual(self, expected: Any, actual: Any) -> None:
        """Assert that two values are equal: arrays, sparse tensors, or dictionaries of them."""
        if isinstance(expected, dict):
            self.assertItemsEqual(list(expected), list(actual))
            for key, value in expected.items():
                self.assertValuesEqual(value, actual[key])
        elif isinstance(expected, (SparseTensor, SparseTensorValue)):
            for part in ("indices", "values", "dense_shape"):
                self.assertAllEqual(getattr(expected, part), getattr(actual, part))
        else:
            self.assertAllEqual(expected, actual)

    def assertDatasetProduces(
        self,
        dataset: Any,
        expected_output: Sequence[Any] | None = None,
        expected_shapes: Any = None,
        expected_error: tuple[Any, Any] | None = None,
        requires_initialization: bool = False,
        num_test_iterations: int = 1,
        assert_items_equal: bool = False,
        expected_error_iter: int = 1,
    ) -> None:
        """Assert which elements a dataset gives, or with which error it ends."""
        if (expected_error is None) is (expected_output is None):
            self.fail("Exactly one of expected_output or expected error should be provided.")
        if expected_shapes:
            self.assertEqual(expected_shapes, legacy(dataset.element_spec, "shape"))
        self.assertGreater(num_test_iterations, 0)
        if expected_error is not None:
            with self.assertRaisesWithPredicateMatch(*expected_error):
                get_next = self.getNext(dataset, requires_initialization)
                for _ in range(expected_error_iter):
                    self.evaluate(get_next())
            return
        for _ in range(num_test_iterations):
            get_next = self.getNext(dataset, requires_initialization)
            self._assert_gives(get_next, expected_output or [], assert_items_equal)

    def _assert_gives(self, get_next: Next, expected: Sequence[Any], any_order: bool) -> None:
        found: list[Any] = []
        for _ in expected:
            try:
                found.append(self.evaluate(get_next()))
            except OutOfRangeError:
                self.fail(
                    f"Dataset ended early, producing {len(found)} elements out of {len(expected)}. "
                    f"Dataset output: {found}"
                )
        if any_order:
            self.assertItemsEqual(found, expected)
        else:
            for value, own in zip(found, expected, strict=True):
                self._assert_leaves(own, value)
        for _ in range(2):  # it stays at its end
            with self.assertRaises(OutOfRangeError):
                self.evaluate(get_next())

    def _assert_leaves(self, expected: Any, found: Any) -> None:
        pairs = zip(leaves(expected), leaves(found), strict=True)
        for own, value in pairs:
            self.assertValuesEqual(own, value)

    def assertDatasetsEqual(self, dataset1: Any, dataset2: Any) -> None:
        """Assert that two datasets give the same elements."""
        self.assertTrue(dataset1._type_spec.is_compatible_with(dataset2._type_spec))
        strings = [t == string for t in leaves(legacy(dataset1.element_spec, "dtype"))]
        found, others = map(self.getDatasetOutput, (dataset1, dataset2))
        self.assertLen(found, len(others))
        for one, other in zip(found, others, strict=True):
            for a, b, exact in zip(leaves(one), leaves(other), strings, strict=True):
                inexact = not exact and not isinstance(a, SparseTensorValue)
                (self.assertAllClose if inexact else self.assertValuesEqual)(a, b)

    def assertDatasetsRaiseSameError(
        self, dataset1: Any, dataset2: Any, exception_class: Any, replacements: Any = None
    ) -> None:
        """Assert that the first elements of two datasets fail with the same message."""
        first, second = self.getNext(dataset1), self.getNext(dataset2)
        with self.assertRaises(exception_class) as caught:
            self.evaluate(first())
        message = str(getattr(caught.exception, "message", caught.exception))
        for old, new, count in replacements or []:
            message = message.replace(old, new, count)
        with self.assertRaisesRegex(exception_class, re.escape(message)):
            self.evaluate(second())

    def verifyRandomAccess(self, dataset: Any, expected: Sequence[Any]) -> None:
        """Assert what stands at each index, and that nothing stands behind the last."""
        self.verifyRandomAccessInfiniteCardinality(dataset, expected)
        with self.assertRaises(OutOfRangeError):
            self.evaluate(at(dataset, index=len(expected)))

    def verifyRandomAccessInfiniteCardinality(self, dataset: Any, expected: Sequence[Any]) -> None:
        """Assert what stands at the first indices, read in any order and in theirs."""
        in_order = list(range(len(expected)))
        for i in [*random.sample(in_order * 2, 2 * len(in_order)), *in_order]:
            self.assertAllEqual(expected[i], self.evaluate(at(dataset, i)))

    def checkDeterminism(
        self, dataset_fn: Callable[[int], Any], expect_determinism: bool, expected_elements: Any
    ) -> None:
        """Assert that elements come in order, or only that they are the expected ones."""
        found = self.getDatasetOutput(dataset_fn(100 if expect_determinism else 10))
        same = self.assertAllEqual if expect_determinism else self.assertCountEqual
        same(expected_elements, found)

    # ---- what tests are made of --------------------------------------------------------------

    def structuredDataset(
        self, dataset_structure: Any, shape: Any = None, dtype: DType = int64
    ) -> Any:
        """Datasets of one element of zeros, zipped as a structure is nested; None is a leaf."""
        if dataset_structure is None:
            return Dataset.from_tensors(self.structuredElement(None, shape, dtype))
        parts = [self.structuredDataset(part, shape, dtype) for part in dataset_structure]
        return Dataset.zip(tuple(parts))

    def structuredElement(
        self, element_structure: Any, shape: Any = None, dtype: DType = int64
    ) -> Any:
        """Zeros, nested as a structure is; None is a leaf."""
        if element_structure is None:
            return zeros([] if shape is None else shape, dtype)
        return tuple(self.structuredElement(part, shape, dtype) for part in element_structure)

    def textFileInitializer(self, vals: Sequence[Any]) -> Any:
        """What fills a table with the lines of a file that holds these values."""
        file = Path(self.get_temp_dir()) / "text_file_initializer"
        file.write_text("".join(f"{v}\n" for v in vals), "utf-8")
        index = TextFileIndex
        return lambda: TextFileInitializer(
            str(file), int64, index.LINE_NUMBER, int64, index.WHOLE_LINE
        )

    def keyValueTensorInitializer(self, vals: Sequence[Any]) -> Any:
        """What fills a table with these values by their indices."""
        return KeyValueTensorInitializer(list(range(len(vals))), vals, key_dtype=int64)

    def datasetInitializer(self, vals: Sequence[Any]) -> Any:
        """What fills a table with these values by their indices, from a dataset."""
        pairs = (Dataset.range(len(vals)), Dataset.from_tensor_slices(vals))
        return DatasetInitializer(Dataset.zip(pairs))

    def lookupTableInitializer(self, init_source: str, vals: Sequence[Any]) -> Any:
        """What fills a table from a "textfile", from a "keyvaluetensor", or from a "dataset"."""
        made = {
            "textfile": self.textFileInitializer,
            "keyvaluetensor": self.keyValueTensorInitializer,
            "dataset": self.datasetInitializer,
        }
        if init_source not in made:
            raise ValueError(f"Unrecognized init_source: {init_source}")
        return made[init_source](vals)


def _stacked(element: Any) -> Any:
    return element.stack() if isinstance(element, TensorArray) else element
