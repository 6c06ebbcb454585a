"""The command `wengert`. Each subcommand is a file in this folder, listed here."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence

from wengert import __version__

# Descriptions by name. A command's file is loaded when it runs, or when its help is requested.
COMMANDS = {
    "run": "run a program that imports tensorflow",
    "ops": "print the table of operations",
    "check": "say whether gradients are right",
    "bench": "compare with the libraries you have installed",
    "cache": "show and clear what is kept of compiled functions",
    "doctor": "say what is there and what is missing",
}
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    parser = argparse.ArgumentParser(
        prog="wengert",
        description="TensorFlow's gradient API on NumPy.",
        epilog="`wengert COMMAND --help` says more, with an example.",
    )
    parser.add_argument("--version", action="version", version=f"wengert {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    wanted = next((word for word in given if not word.startswith("-")), "")
    for name, purpose in COMMANDS.items():
        if name == wanted:
            importlib.import_module(f"wengert.cli.{name}").add_to(commands, purpose)
        else:
            commands.add_parser(name, help=purpose)
    options = parser.parse_args(given)
    if options.command is None:
        parser.print_help()
        return 0
    try:
        code: int = options.run(options)
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("wengert: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # `wengert ops | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code
