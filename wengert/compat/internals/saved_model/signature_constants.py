"""tensorflow.python.saved_model.signature_constants: the names of signatures, their inputs and outputs."""

from wengert.saved_model import CLASSIFY_INPUTS as CLASSIFY_INPUTS
from wengert.saved_model import CLASSIFY_METHOD_NAME as CLASSIFY_METHOD_NAME
from wengert.saved_model import CLASSIFY_OUTPUT_CLASSES as CLASSIFY_OUTPUT_CLASSES
from wengert.saved_model import CLASSIFY_OUTPUT_SCORES as CLASSIFY_OUTPUT_SCORES
from wengert.saved_model import (
    DEFAULT_SERVING_SIGNATURE_DEF_KEY as DEFAULT_SERVING_SIGNATURE_DEF_KEY,
)
from wengert.saved_model import PREDICT_INPUTS as PREDICT_INPUTS
from wengert.saved_model import PREDICT_METHOD_NAME as PREDICT_METHOD_NAME
from wengert.saved_model import PREDICT_OUTPUTS as PREDICT_OUTPUTS
from wengert.saved_model import REGRESS_INPUTS as REGRESS_INPUTS
from wengert.saved_model import REGRESS_METHOD_NAME as REGRESS_METHOD_NAME
from wengert.saved_model import REGRESS_OUTPUTS as REGRESS_OUTPUTS
