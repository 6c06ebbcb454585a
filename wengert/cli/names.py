"""wengert names: which names of TensorFlow's there are."""

from __future__ import annotations

import argparse
import functools
import json
from pathlib import Path
from typing import Any

import wengert
from wengert.api.advice import instead_of
from wengert.cli import did_you_mean
from wengert.cli.output import as_json, pairs, report_failure, table

HERE = Path(__file__).parent
Parameters = list[list[Any]]


def add_to(commands: Any, purpose: str) -> None:
    """Declare the arguments of the command."""
    parser = commands.add_parser(
        "names",
        help=purpose,
        description="Say how many names of each of TensorFlow's modules there are; of one module, which are missing "
        "and why; of one name, whether it is there, and what to use if not.",
        epilog="example: wengert names tf.nn; wengert names tf.data.Dataset",
    )
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="a module or a name, such as tf.nn"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command; returns its exit status."""
    if not options.names:
        rows = [_counted(module) for module in public_names()]
        as_json(rows) if options.json else table(rows)
        return 0
    found: dict[str, str] = {}
    for name in options.names:
        full = name if name == "tf" or name.startswith("tf.") else f"tf.{name}"
        found |= _of_module(full) if full in public_names() else {full: verdict(full)}
    if options.json:
        as_json(found)
    elif found:
        pairs(found)
    unknown = [name for name, said in found.items() if not said]
    if unknown:
        known = [f"{m}.{n}" for m in public_names() for n in public_names()[m]]
        near = did_you_mean(unknown[0], known)
        return report_failure(
            f"TensorFlow has no name '{unknown[0]}', and Wengert neither{near or '.'}"
        )
    return 0


@functools.cache
def public_names() -> dict[str, dict[str, Parameters | None]]:
    """TensorFlow 2.21's public names by module, with the parameters of functions."""
    found: dict[str, dict[str, Parameters | None]] = json.loads(
        (HERE / "tf_names.json").read_text("utf-8")
    )
    return found


@functools.cache
def _reasons() -> dict[str, str]:
    found: dict[str, str] = json.loads((HERE / "missing.json").read_text("utf-8"))
    return found


def missing_of(module: str) -> list[str]:
    """The names of a module that are not there."""
    space = at(module)
    return [name for name in public_names()[module] if not hasattr(space, name)]


def at(path: str) -> Any:
    """What stands at a path that begins with `tf`; None if nothing does."""
    found: Any = wengert
    for part in path.split(".")[1:]:
        found = getattr(found, part, None)
    return found


def reason(full: str) -> str:
    """Why a name is missing: by its own name, or by that of its family."""
    reasons = _reasons()
    if full in reasons:
        return reasons[full]
    families = [key for key in reasons if key.endswith("*") and full.startswith(key[:-1])]
    return reasons[max(families, key=len)] if families else "not written yet"


def verdict(full: str) -> str:
    """Whether a name is there; why not, and what to use; empty if nobody has it."""
    if at(full) is not None:
        return "there"
    instead = instead_of(full.partition(".")[2])
    module, _, name = full.rpartition(".")
    if name in public_names().get(module, {}):
        why = reason(full)
        return f"missing ({why}). {instead}" if instead else f"missing ({why})"
    return f"missing. {instead}" if instead else ""


def _of_module(module: str) -> dict[str, str]:
    """What is missing of a module, with the reasons."""
    names = missing_of(module)
    count = len(public_names()[module])
    head = {module: f"{count - len(names)} of {count} names"}
    return head | {f"{module}.{name}": verdict(f"{module}.{name}") for name in names}


def _counted(module: str) -> dict[str, str]:
    count = len(public_names()[module])
    return {"module": module, "there": str(count - len(missing_of(module))), "of": str(count)}
