"""The command `wengert`. Each subcommand is a file in this folder, listed here."""

from __future__ import annotations

import argparse
import difflib
import importlib
import os
import sys
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from wengert import __version__

# Descriptions by name. A command's file is loaded when it runs, or when its help is requested.
COMMANDS = {
    "run": "run a program that imports tensorflow",
    "train": "train a network",
    "launch": "run a program in several processes",
    "ops": "print the table of operations",
    "names": "say which names of TensorFlow there are, and what to use for the others",
    "check": "say whether gradients are right",
    "bench": "compare with the libraries you have installed",
    "cache": "show and clear what is kept of compiled functions",
    "doctor": "say what is there and what is missing",
    "completion": "print the completion of a shell",
}
INTERRUPTED = 130


class Parser(argparse.ArgumentParser):
    """A parser whose errors say what is near. Options are not abbreviated."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs | {"allow_abbrev": False})

    def error(self, message: str) -> NoReturn:
        """Print the usage and the error, and exit."""
        wrong, known = _unknown(message, self)
        super().error(f"{message}{did_you_mean(wrong, known) if wrong else ''}")


def did_you_mean(wrong: str, known: Iterable[str]) -> str:
    """A question that names what is like a wrong word; empty if nothing is."""
    near = difflib.get_close_matches(wrong, list(known), n=1, cutoff=0.6)
    return f". Did you mean {near[0]}?" if near else ""


def _unknown(message: str, parser: argparse.ArgumentParser) -> tuple[str, list[str]]:
    """The word of an error that is not known, and those that are."""
    if "invalid choice: '" in message:
        return message.split("'")[1], list(COMMANDS)
    if message.startswith("there is no option "):
        return message.rpartition(" ")[2], list(parser._option_string_actions)
    return "", []


def parser_for(*wanted: str) -> tuple[Parser, dict[str, Parser]]:
    """The parser, with the arguments of these commands, and those of the commands."""
    parser = Parser(
        prog="wengert",
        description="TensorFlow's gradient API on NumPy.",
        epilog="`wengert COMMAND --help`, or `wengert help COMMAND`, says more, with an example.",
    )
    parser.add_argument("-V", "--version", action="version", version=f"wengert {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)
    for name, purpose in COMMANDS.items():
        if name in wanted:
            importlib.import_module(f"wengert.cli.{name}").add_to(commands, purpose)
        else:
            commands.add_parser(name, help=purpose)
    return parser, commands.choices


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code."""
    given = _as_options(list(sys.argv[1:] if arguments is None else arguments))
    wanted = next((word for word in given if not word.startswith("-")), "")
    parser, commands = parser_for(wanted)
    options, extra = parser.parse_known_args(given)
    options.given = given
    if extra:
        commands.get(options.command, parser).error(_too_much(extra[0]))
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


def _as_options(given: list[str]) -> list[str]:
    """The words `help` and `version` for the options, as other commands have them."""
    if given[:1] == ["help"]:
        return [*given[1:2], "--help"]
    return ["--version"] if given[:1] == ["version"] else given


def _too_much(word: str) -> str:
    return f"there is no option {word}" if word.startswith("-") else f"too many arguments: {word}"
