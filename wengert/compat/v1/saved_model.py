"""tf.compat.v1.saved_model: what did not change."""

from wengert.saved_model import ASSETS_DIRECTORY as ASSETS_DIRECTORY
from wengert.saved_model import (
    DEFAULT_SERVING_SIGNATURE_DEF_KEY as DEFAULT_SERVING_SIGNATURE_DEF_KEY,
)
from wengert.saved_model import GPU as GPU
from wengert.saved_model import PREDICT_METHOD_NAME as PREDICT_METHOD_NAME
from wengert.saved_model import SAVED_MODEL_FILENAME_PB as SAVED_MODEL_FILENAME_PB
from wengert.saved_model import SAVED_MODEL_FILENAME_PBTXT as SAVED_MODEL_FILENAME_PBTXT
from wengert.saved_model import SAVED_MODEL_SCHEMA_VERSION as SAVED_MODEL_SCHEMA_VERSION
from wengert.saved_model import SERVING as SERVING
from wengert.saved_model import TRAINING as TRAINING
from wengert.saved_model import VARIABLES_DIRECTORY as VARIABLES_DIRECTORY
from wengert.saved_model import VARIABLES_FILENAME as VARIABLES_FILENAME
from wengert.saved_model import Asset as Asset
from wengert.saved_model import SaveOptions as SaveOptions
from wengert.saved_model import contains_saved_model as contains_saved_model
from wengert.saved_model import experimental as experimental
from wengert.saved_model import load as load_v2
from wengert.saved_model import save as save

__all__ = ["contains_saved_model", "load_v2", "save"]
