"""Writes tests/data/texts.json: what TensorFlow gives for the programs of tests/text_programs.py.

    python tools/texts.py

needs TensorFlow.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import tensorflow as tf

TESTS = Path(__file__).parent.parent / "tests"
sys.path.insert(0, str(TESTS))

from dataset_programs import text_of  # noqa: E402
from text_programs import GROUPS  # noqa: E402

found = {
    group: {name: text_of(tf, program) for name, program in programs(tf).items()}
    for group, programs in GROUPS.items()
}
(TESTS / "data" / "texts.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")
