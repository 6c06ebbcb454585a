"""wengert run: a program that imports tensorflow, on Wengert."""

from __future__ import annotations

import argparse
import importlib.util
import os
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from wengert import compat
from wengert.api.function.function import run_functions_eagerly
from wengert.api.gradients.answers import answers
from wengert.cli.output import report_failure
from wengert.errors import MissingNameError

EXAMPLES = """examples:
  wengert run train.py --epochs 3
  wengert run -m pytest some_test.py
  wengert run --explain train.py       why gradients are None, zero or NaN
  wengert run --v1 old_program.py      TensorFlow 1: its names at the top level, and graphs

Which names of TensorFlow's there are: python tools/names.py in the repository, or the documentation.
In a conftest.py the same is done by `import wengert; wengert.compat.install()`.
"""
_RUNNERS = (str(Path(__file__).parent.parent) + os.sep, "<frozen runpy>", runpy.__file__)


def add_to(commands: Any, purpose: str) -> None:
    """Declare the arguments of the command."""
    parser = commands.add_parser(
        "run",
        help=purpose,
        description="Run a Python program with Wengert in place of TensorFlow.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="wengert run [--v1] [--explain] (SCRIPT | -m MODULE) [ARGUMENTS ...]",
    )
    parser.add_argument(
        "--v1", action="store_true", help="TensorFlow 1: its names at the top level, graph mode"
    )
    parser.add_argument(
        "--explain",
        action="store_true",
        help="say at the end why gradients were None, zero, infinite or NaN; tf.function runs eagerly",
    )
    parser.add_argument(
        "-m", dest="module", action="store_true", help="run a module, like python -m"
    )
    parser.add_argument("program", metavar="SCRIPT", help="the script, or the module after -m")
    parser.add_argument(
        "arguments", nargs=argparse.REMAINDER, metavar="ARGUMENTS", help="passed to it"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command; returns its exit status."""
    wrong = _missing(options)
    if wrong:
        return report_failure(wrong)
    compat.install(v1=options.v1)
    if options.v1:
        compat.v1.disable_eager_execution()
    sys.argv = [options.program, *options.arguments]
    if options.explain:
        answers.explain_all()
        run_functions_eagerly(True)
    try:
        _start(options)
    except Exception as error:  # noqa: BLE001  # shown as Python would
        trace = _of_the_program(error.__traceback__, isinstance(error, MissingNameError))
        sys.excepthook(type(error), error.with_traceback(trace), trace)
        return 1
    finally:
        if options.explain:
            _tell(answers.met.reports)
    return 0


def _tell(reports: Sequence[object]) -> None:
    """Print what the program met, on standard error."""
    sys.stdout.flush()
    count = f"{len(reports)} gradient{'' if len(reports) == 1 else 's'}"
    print(f"\nwengert: {count} explained.", file=sys.stderr)
    for report in reports:
        print(f"\n{report}", file=sys.stderr)


def _missing(options: argparse.Namespace) -> str:
    """Why the program cannot be run; '' if it can."""
    if not options.module:
        there = Path(options.program).exists()
        return "" if there else f"there is no file '{options.program}'."
    sys.path.insert(0, "")
    try:
        found = importlib.util.find_spec(options.program) is not None
    except ImportError:  # of the package that contains it
        found = False
    return "" if found else f"there is no module '{options.program}'."


def _start(options: argparse.Namespace) -> None:
    if options.module:
        runpy.run_module(options.program, run_name="__main__", alter_sys=True)
    else:
        sys.path.insert(0, str(Path(options.program).resolve().parent))
        runpy.run_path(options.program, run_name="__main__")


def _of_the_program(trace: TracebackType | None, ends_there: bool) -> TracebackType | None:
    """The traceback from the program's first line on; complete if none of its lines ran.

    If the program used a missing name, it also ends at the program's line.
    """
    found = trace
    while found is not None and _is_ours(found):
        found = found.tb_next
    last = found
    while ends_there and last is not None and last.tb_next is not None:
        if _is_ours(last.tb_next):
            last.tb_next = None
        else:
            last = last.tb_next
    return found or trace


def _is_ours(trace: TracebackType) -> bool:
    return trace.tb_frame.f_code.co_filename.startswith(_RUNNERS)
