"""Writes wengert/cli/tested.json: in how many cases the tests' table tries each operation.

python tools/tested.py
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parent.parent
FILE = ROOT / "wengert" / "cli" / "tested.json"
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import optable  # noqa: E402
from samples import cases  # noqa: E402


def counted() -> dict[str, int]:
    """Operations with the number of their cases."""
    names = (case.line.type for case in cases(optable.LINES))
    return dict(sorted(Counter(name for name in names if not name.startswith("[")).items()))


if __name__ == "__main__":
    FILE.write_text(json.dumps(counted(), indent=0) + "\n", "utf-8")
