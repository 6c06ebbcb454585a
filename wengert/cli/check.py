"""wengert check: whether gradients are right, of a file or of an operation."""

from __future__ import annotations

import argparse
import inspect
import runpy
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from wengert import compat, raw_ops
from wengert.api.gradients.custom_gradient import CustomGradient
from wengert.cli.output import as_json, report_failure, report_no_operation
from wengert.cli.usual_calls import usual_call
from wengert.core.dispatch import apply
from wengert.core.table import TABLE, complete
from wengert.derivatives.outside.wrap import External
from wengert.insight.check.drawing import defaults_of, drawn_arguments
from wengert.insight.check.entry import check, check_rule
from wengert.insight.check.report import CheckReport
from wengert.overrides.registered_gradients import GRADIENTS
from wengert.values.convert import convert

EXAMPLES = """what is checked in a file:
  functions whose names begin with check_, functions decorated with tf.custom_gradient, what tf.wrap made, operations
  of tf.register_op with their registered gradients, static methods among them; with FILE.py:NAME that function, whatever it is called.

with which arguments:
  those that the file declares,   EXAMPLES = {"cube": (np.array([1.0, 2.0]),), "check_loss": (w, x)}
  else the defaults of the function, else float64 numbers that are drawn, in a few shapes.

examples:
  wengert check my_rules.py
  wengert check my_rules.py:cube
  wengert check --op Tanh

The exit status is 1 if a gradient is wrong.
"""
_WRONG = 1
_OF_FILE = 'Declare some in the file: EXAMPLES = {{"{0}": (np.array([1.0, 2.0]),)}}'
_OF_OP = "It has attributes, or takes other shapes: write a function check_{0} that calls it, and check that file."


class Asked(NamedTuple):
    """Something to be checked."""

    name: str
    function: Any  # or the name of a type of operations


def add_to(commands: Any, purpose: str) -> None:
    """Declare the arguments of the command."""
    parser = commands.add_parser(
        "check",
        help=purpose,
        description="Compare gradients with differences, and say what is wrong with them.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="wengert check [--json] (FILE.py[:FUNCTION] | --op NAME)",
    )
    parser.add_argument("file", nargs="?", metavar="FILE.py[:FUNCTION]", help="what is checked")
    parser.add_argument("--op", metavar="NAME", help="an operation, by the name of its type")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command; returns its exit status."""
    if bool(options.file) == bool(options.op):
        return report_failure("give a file, or an operation by --op NAME.")
    if options.op:
        complete()
        if options.op not in TABLE:
            return report_no_operation(options.op)
        return _told([Asked(options.op, options.op)], {}, options.json, _OF_OP)
    name, _, function = options.file.partition(".py:")
    path = Path(f"{name}.py" if function else name)
    if not path.exists():
        return report_failure(f"there is no file '{path}'.")
    space, types = _loaded(path)
    asked = list(_asked(space, types, function))
    if not asked:
        return report_failure(_nothing(path, function))
    return _told(asked, space.get("EXAMPLES", {}), options.json, _OF_FILE)


def _loaded(path: Path) -> tuple[dict[str, Any], list[str]]:
    """The names of a file, and the types whose gradients it registered."""
    compat.install()  # it may import tensorflow
    before = {*GRADIENTS, *TABLE}
    sys.path.insert(0, str(path.resolve().parent))
    space = runpy.run_path(str(path), run_name="checked")
    return space, [name for name in (*TABLE, *GRADIENTS) if name not in before]


def _asked(space: Mapping[str, Any], types: list[str], function: str) -> Iterator[Asked]:
    if function:
        found = _found(space, function)
        if callable(found):
            yield Asked(function, found)
        elif function in types:
            yield Asked(function, function)
        return
    for name, value in _with_those_of_classes(space):
        named = name.rpartition(".")[2].startswith("check_") and callable(value)
        if named or isinstance(value, (CustomGradient, External)):
            yield Asked(name, value)
    for name in dict.fromkeys(types):
        if name in TABLE and name in GRADIENTS and GRADIENTS[name].function is not None:
            yield Asked(name, name)


def _found(space: Mapping[str, Any], name: str) -> Any:
    """What a file calls so: a function, or one of a class, as in Losses.square."""
    head, *rest = name.split(".")
    found = space.get(head)
    for part in rest:
        found = getattr(found, part, None)
    return found


def _with_those_of_classes(space: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The names of a file, and those of the functions that its classes keep without an instance."""
    for name, value in space.items():
        yield name, value
        if isinstance(value, type) and value.__module__ == "checked":
            for inner, kept in vars(value).items():
                if isinstance(kept, (staticmethod, CustomGradient, External)):
                    yield f"{name}.{inner}", getattr(value, inner)


def _nothing(path: Path, function: str) -> str:
    if function:
        return f"there is no function '{function}' in {path}."
    return (
        f"there is nothing to check in {path}: no function check_*, no custom gradient, no registered operation. "
        f"Name one: wengert check {path}:FUNCTION"
    )


def _told(asked: list[Asked], examples: Mapping[str, Any], json: bool, way_out: str) -> int:
    """Check and print; the exit status."""
    reports: list[CheckReport] = []
    for one in asked:
        function = one.function
        xs = _arguments(one, examples)
        if xs is None and isinstance(function, str):
            function, xs = usual_call(function) or _drawn_call(function)
        if xs is None:
            return report_failure(
                f"no arguments are known for {one.name}, and none that were drawn do. {way_out.format(one.name)}"
            )
        of_rule = isinstance(one.function, (str, CustomGradient, External))
        reports.append((check_rule if of_rule else check)(function, *xs))
    if json:
        as_json([r.to_dict() for r in reports])
    else:
        print("\n\n".join(map(str, reports)))
    return 0 if all(r.right for r in reports) else _WRONG


def _arguments(one: Asked, examples: Mapping[str, Any]) -> tuple[Any, ...] | None:
    if one.name in examples:
        given = examples[one.name]
        return tuple(given) if isinstance(given, (tuple, list)) else (given,)
    if not isinstance(one.function, str):
        return defaults_of(one.function) or drawn_arguments(one.function)
    row = TABLE[one.function]
    count = len(row.vjp) if isinstance(row.vjp, tuple) else None

    def operation(*xs: Any) -> Any:
        if count is not None and len(xs) != count:
            raise TypeError(f"{row.name} takes {count} inputs")
        return apply(row, [convert(x) for x in xs], {})

    return drawn_arguments(operation)


def _drawn_call(name: str) -> tuple[Any, tuple[Any, ...] | None]:
    function = raw_operation(name)
    return function, drawn_arguments(function) if function else None


def raw_operation(name: str) -> Callable[..., Any] | None:
    """An operation that needs attributes, with those that TensorFlow gives it by default."""
    raw = getattr(raw_ops, name, None)
    if raw is None:
        return None
    needed = [p.name for p in inspect.signature(raw).parameters.values() if p.default is p.empty]

    def operation(*xs: Any) -> Any:
        return raw(**dict(zip(needed, xs, strict=True)))

    operation.__name__ = name
    return operation
