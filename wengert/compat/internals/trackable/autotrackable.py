"""tensorflow.python.trackable.autotrackable."""

from wengert.saving.trackables.auto import AutoTrackable as AutoTrackable
