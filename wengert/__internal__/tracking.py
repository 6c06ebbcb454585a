"""tf.__internal__.tracking: objects that know the objects they are made of."""

from wengert.compat.internals.trackable.autotrackable import AutoTrackable as AutoTrackable
from wengert.compat.internals.trackable.base import Trackable as Trackable
from wengert.compat.internals.trackable.base import TrackableReference as TrackableReference
from wengert.compat.internals.trackable.base import (
    no_automatic_dependency_tracking as no_automatic_dependency_tracking,
)
from wengert.compat.internals.trackable.data_structures import (
    TrackableDataStructure as TrackableDataStructure,
)
from wengert.compat.internals.trackable.data_structures import (
    sticky_attribute_assignment as sticky_attribute_assignment,
)
from wengert.compat.internals.trackable.data_structures import wrap as wrap
