"""tf.saved_model: objects with their functions, in TensorFlow's folder."""

from wengert.saved_model import experimental as experimental
from wengert.saved_model.loading import load as load
from wengert.saved_model.options import ASSETS_DIRECTORY as ASSETS_DIRECTORY
from wengert.saved_model.options import ASSETS_KEY as ASSETS_KEY
from wengert.saved_model.options import CLASSIFY_INPUTS as CLASSIFY_INPUTS
from wengert.saved_model.options import CLASSIFY_METHOD_NAME as CLASSIFY_METHOD_NAME
from wengert.saved_model.options import CLASSIFY_OUTPUT_CLASSES as CLASSIFY_OUTPUT_CLASSES
from wengert.saved_model.options import CLASSIFY_OUTPUT_SCORES as CLASSIFY_OUTPUT_SCORES
from wengert.saved_model.options import DEBUG_DIRECTORY as DEBUG_DIRECTORY
from wengert.saved_model.options import DEBUG_INFO_FILENAME_PB as DEBUG_INFO_FILENAME_PB
from wengert.saved_model.options import (
    DEFAULT_SERVING_SIGNATURE_DEF_KEY as DEFAULT_SERVING_SIGNATURE_DEF_KEY,
)
from wengert.saved_model.options import GPU as GPU
from wengert.saved_model.options import PREDICT_INPUTS as PREDICT_INPUTS
from wengert.saved_model.options import PREDICT_METHOD_NAME as PREDICT_METHOD_NAME
from wengert.saved_model.options import PREDICT_OUTPUTS as PREDICT_OUTPUTS
from wengert.saved_model.options import REGRESS_INPUTS as REGRESS_INPUTS
from wengert.saved_model.options import REGRESS_METHOD_NAME as REGRESS_METHOD_NAME
from wengert.saved_model.options import REGRESS_OUTPUTS as REGRESS_OUTPUTS
from wengert.saved_model.options import SAVED_MODEL_FILENAME_PB as SAVED_MODEL_FILENAME_PB
from wengert.saved_model.options import SAVED_MODEL_FILENAME_PBTXT as SAVED_MODEL_FILENAME_PBTXT
from wengert.saved_model.options import SAVED_MODEL_SCHEMA_VERSION as SAVED_MODEL_SCHEMA_VERSION
from wengert.saved_model.options import SERVING as SERVING
from wengert.saved_model.options import TPU as TPU
from wengert.saved_model.options import TRAINING as TRAINING
from wengert.saved_model.options import VARIABLES_DIRECTORY as VARIABLES_DIRECTORY
from wengert.saved_model.options import VARIABLES_FILENAME as VARIABLES_FILENAME
from wengert.saved_model.options import Asset as Asset
from wengert.saved_model.options import LoadOptions as LoadOptions
from wengert.saved_model.options import SaveOptions as SaveOptions
from wengert.saved_model.options import contains_saved_model as contains_saved_model
from wengert.saved_model.saving import save as save
