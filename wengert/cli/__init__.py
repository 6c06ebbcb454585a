"""The command `wengert`. A command is a file beside this one, listed here."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from wengert import __version__
from wengert.cli import doctor, ops, run

COMMANDS = (run, ops, doctor)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="wengert", description="TensorFlow's gradient API on NumPy."
    )
    parser.add_argument("--version", action="version", version=f"wengert {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add_to(commands)
    options = parser.parse_args(arguments)
    code: int = options.run(options)
    return code
