"""The file of a saved model, and which of its graphs is meant."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from wengert.compat.graph_defs.protos import message
from wengert.errors import DataLossError
from wengert.formats.protos import decode_error, of_text
from wengert.saved_model import options as names


def read_model(folder: Path) -> Any:
    """The message of a folder, SavedModel."""
    kind = message("SavedModel")
    binary, text = (
        folder / name for name in (names.SAVED_MODEL_FILENAME_PB, names.SAVED_MODEL_FILENAME_PBTXT)
    )
    path = binary if binary.is_file() else text
    if not path.is_file():
        raise OSError(
            f"SavedModel file does not exist at: {folder}{os.sep}{{saved_model.pbtxt|saved_model.pb}}"
        )
    try:
        return (
            kind.FromString(path.read_bytes())
            if path is binary
            else of_text(path.read_text("utf-8"), kind)
        )
    except (decode_error(), ValueError) as error:
        raise DataLossError(f"{path} is cut short or damaged: {error}") from error


def chosen(model: Any, tags: Any, folder: Path) -> Any:
    """The graph of a model that has these tags, or the first."""
    if not model.meta_graphs:
        raise DataLossError(f"{folder}: the model has no graph, its file is cut short or damaged.")
    wanted = {tags} if isinstance(tags, str) else None if tags is None else set(tags)
    for meta in model.meta_graphs:
        if wanted is None or wanted == set(meta.meta_info_def.tags):
            return meta
    raise RuntimeError(
        f"MetaGraphDef associated with tags {sorted(wanted or [])} could not be found in SavedModel at {folder}."
    )
