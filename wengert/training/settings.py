"""What a run was asked for; kept with it, so that it can go on."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any, Final

from wengert.errors import DataLossError

_KINDS: Final[dict[Any, Any]] = {
    "str": str,
    "int": int,
    "float": (float, int),
    "str | None": (str, type(None)),
}


@dataclasses.dataclass(frozen=True)
class Settings:
    """What a run is made of: with the same settings it gives the same numbers."""

    task: str  # a name, or the path of a user's file
    steps: int
    batch: int
    optimizer: str
    rate: float
    seed: int = 0
    layer: str | None = None
    data: str | None = None
    engine: str | None = None
    overrides: tuple[tuple[str, str], ...] = ()  # scopes, and the gradients they get
    save_every: int = 100  # steps between checkpoints, which change no number

    def text(self) -> str:
        """As JSON."""
        return json.dumps(dataclasses.asdict(self), indent=2) + "\n"


def settings_of(path: Path) -> Settings:
    """The settings that a file keeps."""
    try:
        kept = json.loads(path.read_text("utf-8"))
        overrides = tuple((str(scope), str(rule)) for scope, rule in kept.pop("overrides"))
        found = Settings(overrides=overrides, **kept)
        _check(found)
        return found
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise DataLossError(
            f"{path} does not hold the settings of a run: {error}. It is damaged, or another version's; "
            "begin a new run."
        ) from error


def _check(settings: Settings) -> None:
    """Raise ValueError unless all values are of their kinds."""
    for field in dataclasses.fields(settings):
        value, kinds = getattr(settings, field.name), _KINDS.get(field.type, tuple)
        if not isinstance(value, kinds) or isinstance(value, bool):
            raise ValueError(f"{field.name} is {value!r}")
    least = {"steps": 1, "batch": 1, "save_every": 1, "seed": 0}
    for name, smallest in least.items():
        if getattr(settings, name) < smallest:
            raise ValueError(f"{name} is {getattr(settings, name)}")


def differences(begun: Settings, asked: dict[str, Any]) -> list[str]:
    """What was asked for that is another than the run was begun with, in words."""
    found = []
    for name, value in asked.items():
        before = getattr(begun, name)
        if value != before:
            found.append(f"{name} {value!r} (it has {before!r})")
    return found
