"""tf.compat.v1.saved_model: graphs with their variables and signatures."""

from types import SimpleNamespace as _SimpleNamespace
from typing import Any as _Any

from wengert.compat.v1.graph_files.saved_models import Builder as Builder
from wengert.compat.v1.graph_files.saved_models import build_signature_def as build_signature_def
from wengert.compat.v1.graph_files.saved_models import build_tensor_info as build_tensor_info
from wengert.compat.v1.graph_files.saved_models import (
    classification_signature_def as classification_signature_def,
)
from wengert.compat.v1.graph_files.saved_models import (
    get_tensor_from_tensor_info as get_tensor_from_tensor_info,
)
from wengert.compat.v1.graph_files.saved_models import is_valid_signature as is_valid_signature
from wengert.compat.v1.graph_files.saved_models import load as load
from wengert.compat.v1.graph_files.saved_models import (
    maybe_saved_model_directory as maybe_saved_model_directory,
)
from wengert.compat.v1.graph_files.saved_models import (
    predict_signature_def as predict_signature_def,
)
from wengert.compat.v1.graph_files.saved_models import (
    regression_signature_def as regression_signature_def,
)
from wengert.compat.v1.graph_files.saved_models import simple_save as simple_save
from wengert.saved_model import ASSETS_DIRECTORY as ASSETS_DIRECTORY
from wengert.saved_model import ASSETS_KEY as ASSETS_KEY
from wengert.saved_model import CLASSIFY_INPUTS as CLASSIFY_INPUTS
from wengert.saved_model import CLASSIFY_METHOD_NAME as CLASSIFY_METHOD_NAME
from wengert.saved_model import CLASSIFY_OUTPUT_CLASSES as CLASSIFY_OUTPUT_CLASSES
from wengert.saved_model import CLASSIFY_OUTPUT_SCORES as CLASSIFY_OUTPUT_SCORES
from wengert.saved_model import DEBUG_DIRECTORY as DEBUG_DIRECTORY
from wengert.saved_model import DEBUG_INFO_FILENAME_PB as DEBUG_INFO_FILENAME_PB
from wengert.saved_model import (
    DEFAULT_SERVING_SIGNATURE_DEF_KEY as DEFAULT_SERVING_SIGNATURE_DEF_KEY,
)
from wengert.saved_model import GPU as GPU
from wengert.saved_model import PREDICT_INPUTS as PREDICT_INPUTS
from wengert.saved_model import PREDICT_METHOD_NAME as PREDICT_METHOD_NAME
from wengert.saved_model import PREDICT_OUTPUTS as PREDICT_OUTPUTS
from wengert.saved_model import REGRESS_INPUTS as REGRESS_INPUTS
from wengert.saved_model import REGRESS_METHOD_NAME as REGRESS_METHOD_NAME
from wengert.saved_model import REGRESS_OUTPUTS as REGRESS_OUTPUTS
from wengert.saved_model import SAVED_MODEL_FILENAME_PB as SAVED_MODEL_FILENAME_PB
from wengert.saved_model import SAVED_MODEL_FILENAME_PBTXT as SAVED_MODEL_FILENAME_PBTXT
from wengert.saved_model import SAVED_MODEL_SCHEMA_VERSION as SAVED_MODEL_SCHEMA_VERSION
from wengert.saved_model import SERVING as SERVING
from wengert.saved_model import TPU as TPU
from wengert.saved_model import TRAINING as TRAINING
from wengert.saved_model import VARIABLES_DIRECTORY as VARIABLES_DIRECTORY
from wengert.saved_model import VARIABLES_FILENAME as VARIABLES_FILENAME
from wengert.saved_model import Asset as Asset
from wengert.saved_model import SaveOptions as SaveOptions
from wengert.saved_model import contains_saved_model as contains_saved_model
from wengert.saved_model import experimental as experimental
from wengert.saved_model import save as save

LEGACY_INIT_OP_KEY = "legacy_init_op"
MAIN_OP_KEY = "saved_model_main_op"


def _space(**members: _Any) -> _Any:
    """A module that TensorFlow has beside this one, of what is here."""
    return _SimpleNamespace(**members)


builder = _space(SavedModelBuilder=Builder)
loader = _space(load=load, maybe_saved_model_directory=maybe_saved_model_directory)
signature_def_utils = _space(
    build_signature_def=build_signature_def,
    classification_signature_def=classification_signature_def,
    is_valid_signature=is_valid_signature,
    predict_signature_def=predict_signature_def,
    regression_signature_def=regression_signature_def,
)
utils = _space(
    build_tensor_info=build_tensor_info, get_tensor_from_tensor_info=get_tensor_from_tensor_info
)
tag_constants = _space(GPU=GPU, SERVING=SERVING, TPU=TPU, TRAINING=TRAINING)
signature_constants = _space(
    CLASSIFY_INPUTS=CLASSIFY_INPUTS,
    CLASSIFY_METHOD_NAME=CLASSIFY_METHOD_NAME,
    CLASSIFY_OUTPUT_CLASSES=CLASSIFY_OUTPUT_CLASSES,
    CLASSIFY_OUTPUT_SCORES=CLASSIFY_OUTPUT_SCORES,
    DEFAULT_SERVING_SIGNATURE_DEF_KEY=DEFAULT_SERVING_SIGNATURE_DEF_KEY,
    PREDICT_INPUTS=PREDICT_INPUTS,
    PREDICT_METHOD_NAME=PREDICT_METHOD_NAME,
    PREDICT_OUTPUTS=PREDICT_OUTPUTS,
    REGRESS_INPUTS=REGRESS_INPUTS,
    REGRESS_METHOD_NAME=REGRESS_METHOD_NAME,
    REGRESS_OUTPUTS=REGRESS_OUTPUTS,
)
constants = _space(
    ASSETS_DIRECTORY=ASSETS_DIRECTORY,
    ASSETS_KEY=ASSETS_KEY,
    DEBUG_DIRECTORY=DEBUG_DIRECTORY,
    DEBUG_INFO_FILENAME_PB=DEBUG_INFO_FILENAME_PB,
    EXTRA_ASSETS_DIRECTORY="assets.extra",
    LEGACY_INIT_OP_KEY=LEGACY_INIT_OP_KEY,
    MAIN_OP_KEY=MAIN_OP_KEY,
    SAVED_MODEL_FILENAME_PB=SAVED_MODEL_FILENAME_PB,
    SAVED_MODEL_FILENAME_PBTXT=SAVED_MODEL_FILENAME_PBTXT,
    SAVED_MODEL_SCHEMA_VERSION=SAVED_MODEL_SCHEMA_VERSION,
    VARIABLES_DIRECTORY=VARIABLES_DIRECTORY,
    VARIABLES_FILENAME=VARIABLES_FILENAME,
)
__all__ = [name for name in dir() if not name.startswith("_")]
