"""tensorflow.python.ops.resource_variables_toggle: there is only one kind of variables."""

_DEFAULT_USE_RESOURCE = True
