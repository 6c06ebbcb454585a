"""What can be said of a tape that kept no journal."""

from __future__ import annotations

from typing import Any

from wengert.insight.explain.explanation import Explanation
from wengert.insight.program_text import Program


def without_journal(
    tape: Any, target: Any, source: Any, y: str, x: str, program: Program
) -> Explanation:
    """The reason, as far as the tape itself knows it."""
    return Explanation("unknown", f"d {y} / d {x}: the tape kept no journal.")
