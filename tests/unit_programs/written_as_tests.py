"""Programs written as TensorFlow writes its tests: test cases, sessions, internal modules, messages searched for."""

# mypy: disable-error-code="no-any-return, misc, no-untyped-call, func-returns-value"
from __future__ import annotations

import unittest
from typing import Any

from unit_programs.cases import (
    arrays,
    flow,
    functions,
    gradients,
    graphs,
    kinds,
    loops,
    numbers,
    resources,
    state,
)
from unit_programs.common import Programs


def programs(tf: Any) -> Programs:
    found: Programs = {}
    for module in (
        arrays,
        numbers,
        flow,
        state,
        gradients,
        functions,
        kinds,
        graphs,
        loops,
        resources,
    ):
        case = module.case(tf)
        tests = [n for n in dir(case) if n.startswith("test_") and n != "test_session"]
        found |= {in_words(name): run(case, name) for name in tests}
    return found


def in_words(name: str) -> str:
    return name.removeprefix("test_").replace("_", " ")


def run(case: Any, name: str) -> Any:
    """What is said of a test: nothing if it passes, or the last line of what went wrong."""

    def program() -> Any:
        result = unittest.TestResult()
        case(name).run(result)
        wrong = [*result.errors, *result.failures]
        return [result.testsRun, [text.strip().splitlines()[-1][:60] for _, text in wrong]]

    return program
