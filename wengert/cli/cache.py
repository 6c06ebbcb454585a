"""wengert cache: the cache of compiled functions."""

from __future__ import annotations

import argparse
from typing import Any

from wengert.cli.output import as_json, pairs
from wengert.engines.native.runtime import cache


def add_to(commands: Any, purpose: str) -> None:
    """Declare the arguments of the command."""
    parser = commands.add_parser(
        "cache",
        help=purpose,
        description="Print where plans and machine code are cached between processes, how many files and "
        "bytes there are, and the limit. What is cleared is compiled again when it is needed.",
        epilog="example: wengert cache clear",
    )
    parser.add_argument("action", nargs="?", choices=["clear"], help="remove the files")
    parser.add_argument("--clear", action="store_true", help="the same")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command; returns its exit status."""
    found: dict[str, Any] = dict(cache.about())
    if options.clear or options.action:
        found["removed"] = cache.clear()
    if options.json:
        as_json(found)
    else:
        pairs(found)
    return 0
