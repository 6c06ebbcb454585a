"""Which of TensorFlow's public names exist here, with the same parameters and defaults.

    python tools/names.py [module ...] [--all]

prints a line for each module, with the functions whose parameters differ, and the names that are missing, with
the reason. `wengert names` says the latter to users.
"""

from __future__ import annotations

import argparse
import inspect
from typing import Any, NamedTuple

import wengert as tf
from wengert.cli.names import Parameters, at, missing_of, public_names, reason

NAMES = public_names()


class Coverage(NamedTuple):
    """What of a module exists."""

    module: str
    total: int
    missing: list[str]
    different: list[str]


def coverage(module: str) -> Coverage:
    names, space = NAMES[module], at(module)
    missing = missing_of(module)
    different = [
        f"{n}: {difference}"
        for n, parameters in names.items()
        if n not in missing and parameters is not None
        for difference in [_difference(getattr(space, n), parameters)]
        if difference
    ]
    return Coverage(module, len(names), missing, different)


def _difference(function: Any, wanted: Parameters) -> str | None:
    """What is not as in TensorFlow; parameters of ours may follow."""
    try:
        have = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return "no signature"
    names = [_shown(p) for p in have]
    if names[: len(wanted)] != [name for name, _ in wanted]:
        return f"parameters {names}"
    for parameter, (name, default) in zip(have, wanted, strict=False):
        given = _default(parameter)
        required = given is None and default == "None"  # ours cannot do without it
        if default is not None and given != _plain(default) and not required:
            return f"default of {name} is {given}, not {default}"
    return None


def _shown(parameter: inspect.Parameter) -> str:
    stars = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}
    return stars.get(parameter.kind.name, "") + parameter.name


def _default(parameter: inspect.Parameter) -> str | None:
    value = parameter.default
    if value is inspect.Parameter.empty:
        return None
    if isinstance(value, tf.DType):
        return value.name
    if callable(value) and hasattr(value, "__name__"):
        return str(value.__name__)
    return _plain(str(value) if hasattr(type(value), "__members__") else repr(value))


def _plain(text: str) -> str:
    return text.translate(str.maketrans("[]", "()"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*", default=list(NAMES))
    parser.add_argument("--all", action="store_true", help="list what is missing, with the reason")
    options = parser.parse_args()
    for module in options.modules:
        found = coverage(module)
        print(f"{module:24} {found.total - len(found.missing):4} of {found.total:4} names, "
              f"{len(found.different)} with other parameters")  # fmt: skip
        for line in found.different:
            print(f"    {line}")
        if options.all or options.modules != list(NAMES):
            for name in found.missing:
                print(f"    missing {name}: {reason(f'{module}.{name}')}")


if __name__ == "__main__":
    main()
