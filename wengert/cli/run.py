"""wengert run: a program that imports tensorflow, on Wengert."""

from __future__ import annotations

import argparse
import runpy
import sys
from pathlib import Path
from typing import Any

from wengert import compat

EXAMPLES = """examples:
  wengert run train.py --epochs 3
  wengert run -m pytest some_test.py
  wengert run --v1 old_program.py      names of TensorFlow 1, graphs from the start
"""


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "run",
        help="run a program that imports tensorflow",
        description="Run a Python program whose `import tensorflow` means Wengert.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="wengert run [--v1] (SCRIPT | -m MODULE) [ARGUMENTS ...]",
    )
    parser.add_argument(
        "--v1", action="store_true", help="TensorFlow 1: its names at the top level, graph mode"
    )
    parser.add_argument(
        "-m", dest="module", action="store_true", help="run a module, like python -m"
    )
    parser.add_argument("program", metavar="SCRIPT", help="the script, or the module after -m")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="ARGUMENTS", help="its own")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    if not options.module and not Path(options.program).exists():
        print(f"wengert: there is no file '{options.program}'.", file=sys.stderr)
        return 2
    compat.install(v1=options.v1)
    if options.v1:
        compat.v1.disable_eager_execution()
    sys.argv = [options.program, *options.arguments]
    if options.module:
        sys.path.insert(0, "")
        runpy.run_module(options.program, run_name="__main__", alter_sys=True)
    else:
        sys.path.insert(0, str(Path(options.program).resolve().parent))
        runpy.run_path(options.program, run_name="__main__")
    return 0
