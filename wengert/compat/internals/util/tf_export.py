"""tensorflow.python.util.tf_export: names for what is public; ours are in our own files."""

from wengert.testing.decorators import leave_unchanged


def tf_export(*_: object, **__: object) -> object:
    """Leaves a function as it is."""
    return leave_unchanged


keras_export = estimator_export = tf_export
