"""tensorflow.python.trackable.autotrackable: an object that may hold variables."""


class AutoTrackable:
    """An object with attributes."""
