"""tensorflow.python.trackable.base."""

from wengert.saving.trackables.base import Trackable as Trackable
from wengert.saving.trackables.base import TrackableReference as TrackableReference
from wengert.saving.trackables.base import (
    no_automatic_dependency_tracking as no_automatic_dependency_tracking,
)
