"""Runs the programs of one file beside this and prints what they give, as JSON.

    python tests/library_programs/run.py probability

With TensorFlow, or under `wengert run`.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))


def shown(value: Any) -> Any:
    """A value in numbers, text and lists."""
    if isinstance(value, dict):
        return {str(k): shown(v) for k, v in sorted(value.items())}
    if isinstance(value, (list, tuple)):
        return [shown(v) for v in value]
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    return np.asarray(value).tolist()


def outcome(program: Any) -> Any:
    """What a program gives, or the error in words."""
    try:
        return shown(program())
    except Exception as error:  # whatever a library raises
        return f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    programs = importlib.import_module(sys.argv[1]).PROGRAMS
    print(json.dumps({name: outcome(program) for name, program in programs.items()}))
