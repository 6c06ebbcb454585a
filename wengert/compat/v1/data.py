"""tf.compat.v1.data: tf.data, with the iterators of version 1."""

from typing import Any as _Any

from wengert import data as _now
from wengert.data.dataset import Dataset as Dataset
from wengert.data.iterator import Iterator as Iterator
from wengert.data.iterator import initializable as make_initializable_iterator
from wengert.data.iterator import legacy as _legacy
from wengert.data.iterator import one_shot as make_one_shot_iterator


def get_output_types(dataset_or_iterator: _Any) -> _Any:
    """The dtypes of the components of the elements.

    >>> tf.compat.v1.data.get_output_types(tf.data.Dataset.range(2))
    tf.int64
    """
    return _legacy(dataset_or_iterator.element_spec, "dtype")


def get_output_shapes(dataset_or_iterator: _Any) -> _Any:
    """The shapes of the components of the elements."""
    return _legacy(dataset_or_iterator.element_spec, "shape")


def get_output_classes(dataset_or_iterator: _Any) -> _Any:
    """The classes of the components of the elements."""
    return _legacy(dataset_or_iterator.element_spec, "value_type")


def __getattr__(name: str) -> _Any:
    """A name that did not change between the versions."""
    return getattr(_now, name)


__all__ = [
    "Dataset", "Iterator", "get_output_classes", "get_output_shapes", "get_output_types",
    "make_initializable_iterator", "make_one_shot_iterator",
]  # fmt: skip
