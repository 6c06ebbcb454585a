"""Which elements come, how often, and in which order."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from wengert.data.elements import common_spec, leaves, mapped, packed
from wengert.data.methods import sources
from wengert.data.methods.made import number, transformed
from wengert.data.seeds import dataset_seeds
from wengert.data.stages import background, files, order
from wengert.values.convert import convert
from wengert.values.dtypes import int64


def take(self: Any, count: Any, name: str | None = None) -> Any:
    """The first elements; all for -1.

    >>> list(tf.data.Dataset.range(5).take(2).as_numpy_iterator())
    [np.int64(0), np.int64(1)]
    """
    return transformed([self], order.take, self.element_spec, "Take", [number(count)])


def skip(self: Any, count: Any, name: str | None = None) -> Any:
    """What comes after the first elements; nothing for -1.

    >>> list(tf.data.Dataset.range(5).skip(3).as_numpy_iterator())
    [np.int64(3), np.int64(4)]
    """
    return transformed([self], order.skip, self.element_spec, "Skip", [number(count)])


def shard(self: Any, num_shards: Any, index: Any, name: str | None = None) -> Any:
    """Every `num_shards`-th element, beginning at an index.

    >>> list(tf.data.Dataset.range(5).shard(2, 1).as_numpy_iterator())
    [np.int64(1), np.int64(3)]
    """
    inputs = [number(num_shards, "num_shards"), number(index, "index")]
    return transformed([self], order.shard, self.element_spec, "Shard", inputs)


def repeat(self: Any, count: Any = None, name: str | None = None) -> Any:
    """The elements several times; without an end for None and -1.

    >>> list(tf.data.Dataset.range(2).repeat(2).as_numpy_iterator())
    [np.int64(0), np.int64(1), np.int64(0), np.int64(1)]
    """
    inputs = [number(-1 if count is None else count)]
    return transformed([self], order.repeat, self.element_spec, "Repeat", inputs)


def concatenate(self: Any, dataset: Any, name: str | None = None) -> Any:
    """The elements of this dataset, then those of another.

    >>> one = tf.data.Dataset.range(2)
    >>> list(one.concatenate(one).as_numpy_iterator())
    [np.int64(0), np.int64(1), np.int64(0), np.int64(1)]
    """
    spec = common_spec(self.element_spec, dataset.element_spec, "Incompatible dataset elements")
    return transformed([self, dataset], order.concatenate, spec, "Concatenate")


def enumerate_(self: Any, start: Any = 0, name: str | None = None) -> Any:
    """Pairs of a number and an element.

    >>> list(tf.data.Dataset.from_tensor_slices([7]).enumerate(5).as_numpy_iterator())
    [(np.int64(5), np.int32(7))]
    """
    return zip_((sources.range_(start, np.iinfo(np.int64).max), self))


def zip_(*args: Any, datasets: Any = None, name: str | None = None) -> Any:
    """Elements of several datasets together, nested as these are given.

    >>> a, b = tf.data.Dataset.range(3), tf.data.Dataset.range(4, 6)
    >>> list(tf.data.Dataset.zip(a, {"b": b}).as_numpy_iterator())
    [(np.int64(0), {'b': np.int64(4)}), (np.int64(1), {'b': np.int64(5)})]
    """
    if not args and datasets is None:
        raise TypeError("Must pass at least one dataset to `zip`.")
    given = datasets if datasets is not None else args[0] if len(args) == 1 else tuple(args)
    flat = leaves(given)
    for dataset in flat:
        if not hasattr(dataset, "_variant_tensor"):
            hint = (
                " Nested datasets are given in a tuple, not in a list."
                if (isinstance(dataset, list))
                else ""
            )
            raise TypeError(
                f"Invalid input to `zip`. Inputs are expected to be (nested) structures of "
                f"`tf.data.Dataset` objects. Encountered object of type {type(dataset)}.{hint}"
            )
    spec = packed(mapped(lambda _: None, given), [d.element_spec for d in flat])
    return transformed(flat, order.zipped, spec, "Zip")


# ---- by chance ----------------------------------------------------------------------------------


def shuffle(
    self: Any,
    buffer_size: Any,
    seed: Any = None,
    reshuffle_each_iteration: bool | None = None,
    name: str | None = None,
) -> Any:
    """The elements in an order by chance, each drawn from the next `buffer_size`.

    The order is TensorFlow's for the same seed. Each pass has another one, unless
    `reshuffle_each_iteration` is False.

    >>> list(tf.data.Dataset.range(5).shuffle(5, seed=1).as_numpy_iterator())
    [np.int64(0), np.int64(4), np.int64(3), np.int64(1), np.int64(2)]
    """
    first, second = dataset_seeds(seed)
    inputs = [number(buffer_size, "buffer_size"), number(first), number(second)]
    again = reshuffle_each_iteration is None or bool(reshuffle_each_iteration)
    return transformed([self], order.shuffle, self.element_spec, "Shuffle", inputs, again=again)


def choose_from_datasets(
    datasets: Sequence[Any], choice_dataset: Any, stop_on_empty_dataset: bool = True
) -> Any:
    """Elements of several datasets, each from the one that another dataset names by its index.

    >>> tens, ones = tf.data.Dataset.range(10, 13), tf.data.Dataset.range(3)
    >>> choice = tf.data.Dataset.from_tensor_slices(tf.constant([0, 1, 1], tf.int64))
    >>> list(tf.data.Dataset.choose_from_datasets([tens, ones], choice).as_numpy_iterator())
    [np.int64(10), np.int64(0), np.int64(1)]
    """
    if not datasets:
        raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
    choices = choice_dataset.element_spec
    if getattr(choices, "dtype", None) is not int64 or choices.shape.rank not in (0, None):
        raise TypeError(
            "Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar `tf.int64` tensors "
            f"but are {choices}."
        )
    return chosen(datasets, choice_dataset, stop_on_empty_dataset)


def chosen(datasets: Sequence[Any], choices: Any, stops: bool) -> Any:
    """Elements of several datasets, from those that the elements of `choices` name."""
    spec = datasets[0].element_spec
    for other in datasets[1:]:
        spec = common_spec(spec, other.element_spec, "Invalid `datasets`")
    return transformed(
        [choices, *datasets], order.choose, spec, "DirectedInterleave", stop_on_empty=bool(stops)
    )


# ---- kept ---------------------------------------------------------------------------------------


def cache(self: Any, filename: Any = "", name: str | None = None) -> Any:
    """The elements, which are kept after the first pass: in memory, or in a file.

    >>> dataset = tf.data.Dataset.range(2).map(lambda x: x + 1).cache()
    >>> list(dataset.as_numpy_iterator()) == list(dataset.as_numpy_iterator())
    True
    """
    spec = self.element_spec
    if isinstance(filename, (str, bytes, os.PathLike)) and not os.fspath(filename):
        return transformed([self], order.cache, spec, "Cache")
    path = convert(os.fspath(filename) if isinstance(filename, os.PathLike) else filename)
    return transformed([self], files.cache, spec, "Cache", [path], layout=self._layout)


def prefetch(self: Any, buffer_size: Any = None, name: str | None = None) -> Any:
    """Make the next elements while one is used, where that saves time.

    Elements are made in a thread of their own if making them takes long and is mostly waiting: for
    files, for Python functions that sleep. Where it computes, a thread would gain nothing.

    >>> list(tf.data.Dataset.range(2).prefetch(tf.data.AUTOTUNE).as_numpy_iterator())
    [np.int64(0), np.int64(1)]
    """
    inputs = [number(background.AUTOTUNE if buffer_size is None else buffer_size, "buffer_size")]
    return transformed([self], background.prefetch, self.element_spec, "Prefetch", inputs)


def unique(self: Any, name: str | None = None) -> Any:
    """Each element once, where it comes first.

    >>> list(tf.data.Dataset.from_tensor_slices([1, 2, 1]).unique().as_numpy_iterator())
    [np.int32(1), np.int32(2)]
    """
    return transformed([self], order.unique, self.element_spec, "Unique")


def ignore_errors(self: Any, log_warning: bool = False, name: str | None = None) -> Any:
    """Leave out the elements that raise an error when they are made.

    >>> dataset = tf.data.Dataset.from_tensor_slices([1.0, 0.0, 2.0])
    >>> dataset = dataset.map(lambda x: tf.debugging.check_numerics(1.0 / x, "error"))
    >>> list(dataset.ignore_errors().as_numpy_iterator())
    [np.float32(1.0), np.float32(0.5)]
    """
    spec = self.element_spec
    return transformed([self], order.ignore_errors, spec, "IgnoreErrors", log=bool(log_warning))


def assert_cardinality(self: Any, expected_cardinality: Any) -> Any:
    """The elements, with an error if there are not so many."""
    inputs = [number(expected_cardinality)]
    return transformed(
        [self], order.assert_cardinality, self.element_spec, "AssertCardinality", inputs
    )
