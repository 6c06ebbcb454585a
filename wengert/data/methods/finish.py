"""What comes of all elements, and what is known of a dataset."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any, Final

import numpy as np

from wengert.core.dispatch import apply as door
from wengert.core.row import Row
from wengert.data.elements import Layout, normal, parts_of
from wengert.data.methods.functions import with_state
from wengert.data.methods.made import number, transformed
from wengert.data.optional import GET_VALUE_FORMS
from wengert.data.options import Options
from wengert.data.pipeline import Pipeline
from wengert.data.stages import functions as stages
from wengert.data.stages.order import passed_on
from wengert.errors import InvalidArgumentError, OutOfRangeError
from wengert.values.dtypes import int64

# ---- rows ---------------------------------------------------------------------------------------


def _reduced(
    _: Any, source: Pipeline, *arrays: Any, state: Layout, function: Any, layout: Layout
) -> list[Any]:
    return layout.arrays(stages.reduced(source, arrays, state, function))


REDUCE: Final = Row(
    "ReduceDataset",
    _reduced,
    forms=GET_VALUE_FORMS,
    many=True,
    stateful=True,
    effects=True,
    users=True,
)


def _single(_: Any, source: Pipeline, *, layout: Layout) -> list[Any]:
    elements = iter(source)
    found = next(elements, None)
    if found is None:
        raise InvalidArgumentError("Dataset was empty. [Op:DatasetToSingleElement]")
    if next(elements, None) is not None:
        raise InvalidArgumentError("Dataset had more than one element. [Op:DatasetToSingleElement]")
    return layout.arrays(found)


SINGLE: Final = Row(
    "DatasetToSingleElement", _single, forms=GET_VALUE_FORMS, many=True, stateful=True, users=True
)


def _at(_: Any, source: Pipeline, index: Any, *, layout: Layout) -> list[Any]:
    at = int(index)
    found = next(islice(source, at, None), None) if at >= 0 else None
    if found is None:
        size = source.count if source.count >= 0 else "its size"
        raise OutOfRangeError(f"Index out of range [0, {size}):{at} [Op:GetElementAtIndex]")
    return layout.arrays(found)


AT: Final = Row(
    "GetElementAtIndex", _at, forms=GET_VALUE_FORMS, many=True, stateful=True, users=True
)
COUNT: Final = Row(
    "DatasetCardinality",
    lambda _, source: np.array(source.count, np.int64),
    forms=lambda xs, attrs: [((), int64.numpy_dtype)],
    stateful=True,
)

# ---- methods ------------------------------------------------------------------------------------


def reduce(
    self: Any, initial_state: Any, reduce_func: Callable[..., Any], name: str | None = None
) -> Any:
    """The last state, which a function makes of the state before and each element.

    >>> tf.data.Dataset.range(5).reduce(np.int64(0), lambda total, x: total + x).numpy()
    np.int64(10)
    """
    value = normal(initial_state)
    layout, function = with_state(
        value, reduce_func, self.element_spec, lambda spec: spec, "reduce_func"
    )
    attrs = {"state": layout, "function": function, "layout": layout}
    found = door(REDUCE, [self._variant_tensor, *parts_of(value), *function.inputs], attrs, name)
    return layout.nested(found)


def get_single_element(self: Any, name: str | None = None) -> Any:
    """The element of a dataset that has one.

    >>> tf.data.Dataset.from_tensors(3).get_single_element().numpy()
    np.int32(3)
    """
    found = door(SINGLE, [self._variant_tensor], {"layout": self._layout}, name)
    return self._layout.nested(found)


def at(self: Any, index: Any) -> Any:
    """The element at an index: `tf.data.experimental.at`."""
    inputs = [self._variant_tensor, number(index, "index")]
    return self._layout.nested(door(AT, inputs, {"layout": self._layout}))


def cardinality(self: Any, name: str | None = None) -> Any:
    """How many elements there are; tf.data.INFINITE_CARDINALITY or UNKNOWN_CARDINALITY.

    >>> tf.data.Dataset.range(42).batch(10).cardinality().numpy()
    np.int64(5)
    """
    return door(COUNT, [self._variant_tensor], {}, name)


def apply(self: Any, transformation_func: Callable[[Any], Any], name: str | None = None) -> Any:
    """What a function makes of the dataset.

    >>> [int(x) for x in tf.data.Dataset.range(4).apply(lambda d: d.skip(2))]
    [2, 3]
    """
    dataset = transformation_func(self)
    if not hasattr(dataset, "_variant_tensor"):
        raise TypeError(
            f"`transformation_func` must return a `tf.data.Dataset` object. Got {type(dataset)}."
        )
    return dataset


def options(self: Any) -> Options:
    """The options that were set for this dataset and those before it."""
    found: Options = self._options
    return found


def with_options(self: Any, options: Options, name: str | None = None) -> Any:
    """The dataset with other options.

    >>> options = tf.data.Options()
    >>> options.deterministic = False
    >>> tf.data.Dataset.range(1).with_options(options).options().deterministic
    False
    """
    made = transformed([self], passed_on, self.element_spec, "Options")
    made._options = self._options.merge(options)
    return made
