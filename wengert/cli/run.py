"""wengert run: a program that imports tensorflow, on Wengert."""

from __future__ import annotations

import argparse
import importlib.util
import linecache
import os
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from wengert import compat
from wengert.api.function.function import run_functions_eagerly
from wengert.api.gradients.answers import answers
from wengert.cli import INTERRUPTED, did_you_mean
from wengert.cli.output import report_failure
from wengert.cli.traceback import show

EXAMPLES = """examples:
  wengert run train.py --epochs 3
  wengert run -m pytest some_test.py
  wengert run -c 'import tensorflow as tf; print(tf.ones(2))'
  generate | wengert run -
  wengert run --explain train.py       why gradients are None, zero or NaN
  wengert run --v1 old_program.py      TensorFlow 1: its names at the top level, and graphs

Processes that the program starts import tensorflow from here, too. Tracebacks show the lines of the program;
with WENGERT_TRACEBACK=full in the environment, those of the library as well. `wengert names tf.data` says whether
there is a name. In a conftest.py the same is done by `import wengert; wengert.compat.install()`.
"""
CHILDREN = Path(compat.__file__).parent / "children"


def add_to(commands: Any, purpose: str) -> None:
    """Declare the arguments of the command."""
    parser = commands.add_parser(
        "run",
        help=purpose,
        description="Run a Python program with Wengert in place of TensorFlow.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="wengert run [--v1] [--explain] (SCRIPT | - | -m MODULE | -c CODE) [ARGUMENTS ...]",
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
    parser.add_argument(
        "-c",
        dest="code",
        nargs=argparse.REMAINDER,
        metavar="CODE",
        help="run this text, like python -c",
    )
    parser.add_argument(
        "program",
        nargs="?",
        metavar="SCRIPT",
        help="the script, - for standard input, or the module after -m",
    )
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
        compat.v1.disable_v2_behavior()
    _let_children_follow(options.v1)
    sys.argv = ["-c", *options.code[1:]] if options.code else [options.program, *options.arguments]
    if options.explain:
        answers.explain_all()
        run_functions_eagerly(True)
    try:
        _start(options)
    except KeyboardInterrupt as error:
        show(error)
        return INTERRUPTED
    except SystemExit as error:
        _end_among_others(error.code)
        raise
    except Exception as error:  # noqa: BLE001  # shown as Python would
        show(error)
        return 1
    finally:
        if options.explain:
            _tell(answers.met.reports)
    return 0


def _end_among_others(code: Any) -> None:
    """End at once by a status that says that something failed, if other processes were met."""
    processes = sys.modules.get("wengert.distribute.processes")
    if code and processes is not None and processes.have_met():
        if not isinstance(code, int):
            print(code, file=sys.stderr)
        processes.end(code if isinstance(code, int) else 1)


def _tell(reports: Sequence[object]) -> None:
    """Print what the program met, on standard error."""
    sys.stdout.flush()
    count = f"{len(reports)} gradient{'' if len(reports) == 1 else 's'}"
    print(f"\nwengert: {count} explained.", file=sys.stderr)
    for report in reports:
        print(f"\n{report}", file=sys.stderr)


def _missing(options: argparse.Namespace) -> str:
    """Why the program cannot be run; '' if it can."""
    if options.code is not None:
        return "" if options.code else "-c wants the text of a program."
    if not options.program:
        return "say what to run: a script, - for standard input, -m MODULE or -c CODE."
    if not options.module:
        return missing_file(options.program)
    sys.path.insert(0, "")
    try:
        found = importlib.util.find_spec(options.program) is not None
    except ImportError:  # of the package that contains it
        found = False
    return "" if found else f"there is no module '{options.program}'."


def missing_file(name: str) -> str:
    """Why a file cannot be run; '' if it can."""
    path = Path(name)
    if path.is_dir() and not (path / "__main__.py").exists():
        return f"'{name}' is a folder, and has no __main__.py."
    if name == "-" or path.exists():
        return ""
    near = did_you_mean(path.name, [p.name for p in path.parent.glob("*.py")])
    return f"there is no file '{name}'{near or '.'}"


def _let_children_follow(v1: bool) -> None:
    """Let processes that the program starts find Wengert where they import tensorflow."""
    paths = [str(CHILDREN), *filter(None, [os.environ.get("PYTHONPATH")])]
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)
    sys.path.insert(0, str(CHILDREN))  # multiprocessing hands the path on
    os.environ["WENGERT_RUN"] = "v1" if v1 else "v2"


def _start(options: argparse.Namespace) -> None:
    if options.code:
        sys.path.insert(0, "")
        _run_text(options.code[0], "<string>")
    elif options.module:
        runpy.run_module(options.program, run_name="__main__", alter_sys=True)
    elif options.program == "-":
        sys.path.insert(0, "")
        _run_text(sys.stdin.read(), "<stdin>")
    elif Path(options.program).is_file() or Path(options.program).is_dir():
        sys.path.insert(0, str(Path(options.program).resolve().parent))
        runpy.run_path(options.program, run_name="__main__")
    else:  # a pipe, which can be read once
        sys.path.insert(0, "")
        _run_text(Path(options.program).read_text("utf-8"), options.program)


def _run_text(text: str, name: str) -> None:
    """Run a program that is no file, whose lines are known all the same."""
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    main = ModuleType("__main__")
    sys.modules["__main__"] = main
    exec(compile(text, name, "exec"), main.__dict__)
