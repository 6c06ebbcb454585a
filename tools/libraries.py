"""Writes tests/data/libraries.json: what the programs of tests/library_programs give with TensorFlow.

    python tools/libraries.py

needs TensorFlow and the libraries.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parent.parent / "tests"
FOLDER = TESTS / "library_programs"

found = {}
for path in sorted(FOLDER.glob("*.py")):
    if path.stem != "run":
        command = [sys.executable, str(FOLDER / "run.py"), path.stem]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        found[path.stem] = json.loads(done.stdout.splitlines()[-1])
(TESTS / "data" / "libraries.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")
