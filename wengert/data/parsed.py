"""Datasets of examples, as their features."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert.data.dataset import Dataset
from wengert.data.readers import TFRecordDataset
from wengert.data.tabular import batched, files_of
from wengert.io.examples import parse_example, plans_of
from wengert.values.dtypes import string
from wengert.values.type_spec import TensorSpec


def parse_example_dataset(
    features: Any, num_parallel_calls: Any = 1, deterministic: bool | None = None
) -> Callable[[Any], Any]:
    """A transformation of batches of examples into their features.

    >>> example = tf.train.Example()
    >>> example.features.feature["x"].float_list.value.append(1.5)
    >>> data = tf.data.Dataset.from_tensors([example.SerializeToString()])
    >>> parse = tf.data.experimental.parse_example_dataset({"x": tf.io.FixedLenFeature([], tf.float32)})
    >>> [found["x"].numpy().tolist() for found in data.apply(parse)]
    [[1.5]]
    """
    plans_of(features)  # checks them

    def parsed(dataset: Any) -> Any:
        if not dataset.element_spec.is_compatible_with(TensorSpec([None], string)):
            raise TypeError(
                "Input dataset should be a dataset of vectors of strings. Instead it is "
                f"`{dataset.element_spec}`."
            )
        return dataset.map(lambda texts: parse_example(texts, features), num_parallel_calls)

    return parsed


def make_batched_features_dataset(
    file_pattern: Any,
    batch_size: int,
    features: Any,
    reader: Any = None,
    label_key: str | None = None,
    reader_args: Any = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: int | None = None,
    prefetch_buffer_size: Any = None,
    reader_num_threads: int | None = None,
    parser_num_threads: int | None = None,
    sloppy_ordering: bool = False,
    drop_final_batch: bool = False,
) -> Dataset:
    """Batches of the features of files of examples; with a label, pairs of features and label."""
    if label_key is not None and label_key not in features:
        raise ValueError(
            f"The `label_key` provided ({label_key}) must be one of the `features` keys."
        )
    opened: Any = TFRecordDataset if reader is None else reader
    parse = parse_example_dataset(features, parser_num_threads or 2)

    def finish(data: Any) -> Any:
        found = data.apply(parse)
        if label_key is None:
            return found
        return found.map(lambda x: ({k: v for k, v in x.items() if k != label_key}, x[label_key]))

    def of_file(path: Any) -> Any:
        return opened(path, *(reader_args or []))

    return batched(  # type: ignore[no-any-return]
        files_of(file_pattern, shuffle), of_file, shuffle, shuffle_buffer_size, shuffle_seed, num_epochs,
        batch_size, reader_num_threads or 1, drop_final_batch or num_epochs is None, finish,
        1 if prefetch_buffer_size is None else prefetch_buffer_size,
    )  # fmt: skip
