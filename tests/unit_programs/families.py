"""The families of programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from unit_programs import (
    arrays,
    arrays_of_tensors,
    bodies,
    boxes,
    candidates,
    control_flow,
    conventions,
    framework,
    functions,
    gradients,
    handles,
    imports,
    layers,
    mathematics,
    networks,
    operators,
    pictures,
    raw,
    refused,
    sessions,
    sources,
    sparse,
    spectra,
    stated,
    training_loops,
    variables,
    wrapped,
    written_as_tests,
)
from unit_programs.common import Programs

FAMILIES: dict[str, Callable[[Any], Programs]] = {
    "arrays": arrays.programs,
    "arrays of tensors": arrays_of_tensors.programs,
    "bodies": bodies.programs,
    "boxes": boxes.programs,
    "candidates": candidates.programs,
    "control flow": control_flow.programs,
    "conventions": conventions.programs,
    "framework": framework.programs,
    "functions": functions.programs,
    "gradients": gradients.programs,
    "handles": handles.programs,
    "imports": imports.programs,
    "layers": layers.programs,
    "mathematics": mathematics.programs,
    "networks": networks.programs,
    "operators": operators.programs,
    "pictures": pictures.programs,
    "raw operations": raw.programs,
    "refused": refused.programs,
    "sessions": sessions.programs,
    "sources": sources.programs,
    "sparse": sparse.programs,
    "spectra": spectra.programs,
    "stated shapes": stated.programs,
    "training loops": training_loops.programs,
    "variables": variables.programs,
    "wrapped": wrapped.programs,
    "written as tests": written_as_tests.programs,
}
