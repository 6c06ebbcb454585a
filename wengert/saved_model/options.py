"""How models are saved and loaded, files that go with them, and the names of TensorFlow's folder."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from wengert.saving.trackables.auto import AutoTrackable
from wengert.values.convert import convert

SAVED_MODEL_FILENAME_PB: Final = "saved_model.pb"
SAVED_MODEL_FILENAME_PBTXT: Final = "saved_model.pbtxt"
VARIABLES_DIRECTORY: Final = "variables"
VARIABLES_FILENAME: Final = "variables"
ASSETS_DIRECTORY: Final = "assets"
DEFAULT_SERVING_SIGNATURE_DEF_KEY: Final = "serving_default"
PREDICT_METHOD_NAME: Final = "tensorflow/serving/predict"
PREDICT_INPUTS: Final = "inputs"
PREDICT_OUTPUTS: Final = "outputs"
CLASSIFY_METHOD_NAME: Final = "tensorflow/serving/classify"
CLASSIFY_INPUTS: Final = "inputs"
CLASSIFY_OUTPUT_CLASSES: Final = "classes"
CLASSIFY_OUTPUT_SCORES: Final = "scores"
REGRESS_METHOD_NAME: Final = "tensorflow/serving/regress"
REGRESS_INPUTS: Final = "inputs"
REGRESS_OUTPUTS: Final = "outputs"
ASSETS_KEY: Final = "saved_model_assets"
DEBUG_DIRECTORY: Final = "debug"
DEBUG_INFO_FILENAME_PB: Final = "saved_model_debug_info.pb"
SAVED_MODEL_SCHEMA_VERSION: Final = 1
SERVING: Final = "serve"
TRAINING: Final = "train"
GPU: Final = "gpu"
TPU: Final = "tpu"


class SaveOptions:
    """How a model is saved: accepted as TensorFlow has it.

    >>> tf.saved_model.SaveOptions(experimental_custom_gradients=False).experimental_custom_gradients
    False
    """

    def __init__(
        self,
        namespace_whitelist: Sequence[str] | None = None,
        save_debug_info: bool = False,
        function_aliases: Mapping[str, Any] | None = None,
        experimental_debug_stripper: bool = False,
        experimental_io_device: str | None = None,
        experimental_variable_policy: Any = None,
        experimental_custom_gradients: bool = True,
        experimental_image_format: bool = False,
        experimental_skip_saver: bool = False,
        experimental_sharding_callback: Any = None,
        extra_tags: Sequence[str] | None = None,
    ) -> None:
        self.namespace_whitelist = list(namespace_whitelist or [])
        self.save_debug_info = save_debug_info
        self.function_aliases = dict(function_aliases or {})
        self.experimental_debug_stripper = experimental_debug_stripper
        self.experimental_io_device = experimental_io_device
        self.experimental_variable_policy = experimental_variable_policy
        self.experimental_custom_gradients = experimental_custom_gradients
        self.experimental_image_format = experimental_image_format
        self.experimental_skip_saver = experimental_skip_saver
        self.experimental_sharding_callback = experimental_sharding_callback
        self.extra_tags = list(extra_tags or [])


class LoadOptions:
    """How a model is loaded.

    >>> tf.saved_model.LoadOptions(allow_partial_checkpoint=True).allow_partial_checkpoint
    True
    """

    def __init__(
        self,
        allow_partial_checkpoint: bool = False,
        experimental_io_device: str | None = None,
        experimental_skip_checkpoint: bool = False,
        experimental_variable_policy: Any = None,
        experimental_load_function_aliases: bool = False,
    ) -> None:
        self.allow_partial_checkpoint = allow_partial_checkpoint
        self.experimental_io_device = experimental_io_device
        self.experimental_skip_checkpoint = experimental_skip_checkpoint
        self.experimental_variable_policy = experimental_variable_policy
        self.experimental_load_function_aliases = experimental_load_function_aliases


class Asset(AutoTrackable):
    """A file that is saved with a model, and whose path is its own after loading.

    >>> import tempfile
    >>> path = f"{tempfile.mkdtemp()}/words.txt"
    >>> with open(path, "w") as file:
    ...     _ = file.write("a b")
    >>> tf.saved_model.Asset(path).asset_path.numpy().decode() == path
    True
    """

    def __init__(self, path: Any) -> None:
        self._path = path.numpy().decode() if hasattr(path, "numpy") else os.fspath(path)
        self._tensor = convert(self._path)

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        return self._tensor

    @property
    def asset_path(self) -> Any:
        """The path, as a tensor."""
        return self._tensor


def contains_saved_model(export_dir: Any) -> bool:
    """Whether a folder has a saved model.

    >>> tf.saved_model.contains_saved_model("no such folder")
    False
    """
    folder = Path(os.fspath(export_dir))
    return any(
        (folder / name).is_file() for name in (SAVED_MODEL_FILENAME_PB, SAVED_MODEL_FILENAME_PBTXT)
    )
