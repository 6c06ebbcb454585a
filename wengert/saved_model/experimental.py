"""tf.saved_model.experimental."""

from enum import Enum


class VariablePolicy(Enum):
    """Whether the devices of variables are saved: there is one, so that all are alike.

    >>> tf.saved_model.experimental.VariablePolicy.NONE.name
    'NONE'
    """

    NONE = None
    SAVE_VARIABLE_DEVICES = "save_variable_devices"
    EXPAND_DISTRIBUTED_VARIABLES = "expand_distributed_variables"
