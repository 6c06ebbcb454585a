"""tensorflow.python.ops.resource_variables_toggle: there is one kind of variables."""

_DEFAULT_USE_RESOURCE = True
