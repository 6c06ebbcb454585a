"""tensorflow.python.trackable.data_structures."""

from wengert.saving.trackables.collections import ListWrapper as ListWrapper
from wengert.saving.trackables.collections import NoDependency as NoDependency
from wengert.saving.trackables.collections import TrackableDataStructure as TrackableDataStructure
from wengert.saving.trackables.collections import _DictWrapper as _DictWrapper
from wengert.saving.trackables.collections import (
    sticky_attribute_assignment as sticky_attribute_assignment,
)
from wengert.saving.trackables.collections import wrap as wrap
from wengert.saving.trackables.collections import wrap_or_unwrap as wrap_or_unwrap
