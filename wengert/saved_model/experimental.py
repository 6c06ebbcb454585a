"""tf.saved_model.experimental."""

from enum import Enum

from wengert.saving.trackables.base import Trackable


class TrackableResource(Trackable):
    """The base of resources that are no variables, such as lookup tables: there are none.

    >>> isinstance(tf.Variable(1.0), tf.saved_model.experimental.TrackableResource)
    False
    """


class VariablePolicy(Enum):
    """Whether the devices of variables are saved: there is one, so that all are alike.

    >>> tf.saved_model.experimental.VariablePolicy.NONE.name
    'NONE'
    """

    NONE = None
    SAVE_VARIABLE_DEVICES = "save_variable_devices"
    EXPAND_DISTRIBUTED_VARIABLES = "expand_distributed_variables"
