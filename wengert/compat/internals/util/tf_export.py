"""tensorflow.python.util.tf_export: declares public names; ours are declared elsewhere."""

from wengert.testing.decorators import leave_unchanged


def tf_export(*_: object, **__: object) -> object:
    """Leave a function unchanged."""
    return leave_unchanged


keras_export = estimator_export = tf_export
