"""tensorflow.python.saved_model.tag_constants: what graphs in a saved model are for."""

from wengert.saved_model import GPU as GPU
from wengert.saved_model import SERVING as SERVING
from wengert.saved_model import TPU as TPU
from wengert.saved_model import TRAINING as TRAINING
