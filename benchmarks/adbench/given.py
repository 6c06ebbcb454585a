"""The objectives and their inputs, as examples/adbench has them."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "adbench"
sys.path.insert(0, str(FOLDER))
inputs: Any = importlib.import_module("inputs")

# What is measured: a name, how the objective is drawn, and which program computes it.
SIZES: dict[str, tuple[str, dict[str, int]]] = {
    "mixture by rows, d 10, K 25": ("rows", {"dimensions": 10, "components": 25}),
    "mixture by rows, d 10, K 200": ("rows", {"dimensions": 10, "components": 200}),
    "mixture by rows, d 64, K 25": ("rows", {"dimensions": 64, "components": 25}),
    "mixture in batches, d 10, K 25": ("batches", {"dimensions": 10, "components": 25}),
    "mixture in batches, d 10, K 200": ("batches", {"dimensions": 10, "components": 200}),
    "mixture in batches, d 64, K 25": ("batches", {"dimensions": 64, "components": 25}),
    "bundle adjustment": ("bundle", {}),
    "hand tracking": ("hand", {}),
    "language model": ("model", {}),
}
DRAWN = {
    "rows": inputs.gaussian_mixture,
    "batches": inputs.gaussian_mixture,
    "bundle": inputs.bundle_adjustment,
    "hand": inputs.hand_tracking,
    "model": inputs.language_model,
}


def drawn(name: str) -> tuple[str, list[Any]]:
    """The program of a row, and its inputs."""
    program, sizes = SIZES[name]
    return program, list(DRAWN[program](**sizes))


def taped(module: str, program: str) -> Any:
    """Value and derivative as written for TensorFlow, on TensorFlow or on Wengert."""
    if module == "wengert":
        importlib.import_module("wengert.compat").install()
    mixture = importlib.import_module("gaussian_mixture")
    if program in ("rows", "batches"):
        objective = mixture.by_rows if program == "rows" else mixture.batched
        return lambda *xs: mixture.derivative(objective, *xs)
    names = {"bundle": "bundle_adjustment", "hand": "hand_tracking", "model": "language_model"}
    return importlib.import_module(names[program]).derivative
