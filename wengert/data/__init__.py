"""tf.data: datasets, whose elements are made one after the other.

dataset    What a dataset is: Dataset; its methods are in `methods`
iterator   Iterators, eager, of functions and of sessions
optional   Optional: a value that may not be there
elements   Nested elements, and how they lie in slots
functions  Users' functions of elements
pipeline   What runs: pipelines, and passes through them
stages     What pipelines do, a row for each operation
options    Options
seeds      The seeds of datasets
"""

from wengert.data import experimental as experimental
from wengert.data.dataset import Dataset as Dataset
from wengert.data.dataset import DatasetSpec as DatasetSpec
from wengert.data.iterator import IteratorBase as Iterator
from wengert.data.iterator import IteratorSpec as IteratorSpec
from wengert.data.iterator import NumpyIterator as NumpyIterator
from wengert.data.options import Options as Options
from wengert.data.options import ThreadingOptions as ThreadingOptions
from wengert.data.pipeline import INFINITE as INFINITE_CARDINALITY
from wengert.data.pipeline import UNKNOWN as UNKNOWN_CARDINALITY
from wengert.data.readers import FixedLengthRecordDataset as FixedLengthRecordDataset
from wengert.data.readers import TextLineDataset as TextLineDataset
from wengert.data.readers import TFRecordDataset as TFRecordDataset
from wengert.data.stages.background import AUTOTUNE as AUTOTUNE

__all__ = [
    "AUTOTUNE", "INFINITE_CARDINALITY", "UNKNOWN_CARDINALITY", "Dataset", "DatasetSpec",
    "FixedLengthRecordDataset", "Iterator", "IteratorSpec", "NumpyIterator", "Options",
    "TFRecordDataset", "TextLineDataset", "ThreadingOptions", "experimental",
]  # fmt: skip
