"""Writes tests/data/datasets.json: what TensorFlow gives for the programs of tests/dataset_programs.py,
tests/composed_programs.py and tests/saved_programs.py.

    python tools/datasets.py

needs TensorFlow.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import tensorflow as tf

TESTS = Path(__file__).parent.parent / "tests"
sys.path.insert(0, str(TESTS))

import composed_programs  # noqa: E402
import dataset_programs  # noqa: E402
import saved_programs  # noqa: E402
from dataset_programs import text_of  # noqa: E402

groups = dataset_programs.GROUPS | composed_programs.GROUPS | saved_programs.GROUPS
found = {
    group: {name: text_of(tf, program) for name, program in programs(tf).items()}
    for group, programs in groups.items()
}
(TESTS / "data" / "datasets.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")
