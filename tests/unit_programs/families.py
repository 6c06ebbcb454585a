"""The families of programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from unit_programs import (
    arrays,
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
    mathematics,
    networks,
    raw,
    refused,
    sessions,
    sources,
    sparse,
    stated,
    training_loops,
    variables,
    wrapped,
)
from unit_programs.common import Programs

FAMILIES: dict[str, Callable[[Any], Programs]] = {
    "arrays": arrays.programs,
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
    "mathematics": mathematics.programs,
    "networks": networks.programs,
    "raw operations": raw.programs,
    "refused": refused.programs,
    "sessions": sessions.programs,
    "sources": sources.programs,
    "sparse": sparse.programs,
    "stated shapes": stated.programs,
    "training loops": training_loops.programs,
    "variables": variables.programs,
    "wrapped": wrapped.programs,
}
