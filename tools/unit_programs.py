"""Writes tests/data/unit_programs.json: what TensorFlow gives for the programs of tests/unit_programs/.

    python tools/unit_programs.py [family ...]

needs TensorFlow. Without families, all are recorded.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import tensorflow as tf

TESTS = Path(__file__).parent.parent / "tests"
sys.path.insert(0, str(TESTS))

from unit_programs.common import outcome  # noqa: E402
from unit_programs.families import FAMILIES  # noqa: E402

FILE = TESTS / "data" / "unit_programs.json"


def main(chosen: list[str]) -> None:
    old = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}
    found = {family: old.get(family, {}) for family in FAMILIES}
    for family in chosen or FAMILIES:
        tf.random.set_seed(1)
        programs = FAMILIES[family](tf)
        found[family] = {name: outcome(program) for name, program in programs.items()}
    FILE.write_text(written(found), "utf-8")


def written(found: dict[str, dict[str, object]]) -> str:
    """A line a program."""
    families = []
    for family, results in found.items():
        lines = [f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in results.items()]
        families.append(f"{json.dumps(family)}: {{\n" + ",\n".join(lines) + "\n}")
    return "{\n" + ",\n".join(families) + "\n}\n"


if __name__ == "__main__":
    main(sys.argv[1:])
