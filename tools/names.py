"""Which of TensorFlow's public names exist here, with the same parameters and defaults.

    python tools/names.py [module ...] [--all]

prints a line for each module, and the names that are missing, with the reason. tf_names.json holds
the names of TensorFlow 2.21 with their signatures.
"""

from __future__ import annotations

import argparse
import inspect
import json
from pathlib import Path
from typing import Any, NamedTuple

import wengert as tf

HERE = Path(__file__).parent
Parameters = list[list[Any]]
NAMES: dict[str, dict[str, Parameters | None]] = json.loads((HERE / "tf_names.json").read_text())
REASONS: dict[str, str] = json.loads((HERE / "missing.json").read_text())


class Coverage(NamedTuple):
    """What of a module exists."""

    module: str
    total: int
    missing: list[str]
    different: list[str]


def coverage(module: str) -> Coverage:
    names = NAMES[module]
    space = _module(module)
    missing = [n for n in names if not hasattr(space, n)]
    different = [
        f"{n}: {difference}"
        for n, parameters in names.items()
        if n not in missing and parameters is not None
        for difference in [_difference(getattr(space, n), parameters)]
        if difference
    ]
    return Coverage(module, len(names), missing, different)


def _module(name: str) -> Any:
    found: Any = tf
    for part in name.split(".")[1:]:
        found = getattr(found, part, None)
    return found


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


def reason(module: str, name: str) -> str:
    """Why a name is missing: by its own name, or by that of its family."""
    full = f"{module}.{name}"
    if full in REASONS:
        return REASONS[full]
    families = [key for key in REASONS if key.endswith("*") and full.startswith(key[:-1])]
    return REASONS[max(families, key=len)] if families else "not written yet"


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
                print(f"    missing {name}: {reason(module, name)}")


if __name__ == "__main__":
    main()
