"""What a run was asked for; kept with it, so that it can go on."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

from wengert.errors import DataLossError


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
        return Settings(overrides=overrides, **kept)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise DataLossError(
            f"{path} does not hold the settings of a run: {error}. It is damaged, or another version's; "
            "begin a new run."
        ) from error


def differences(begun: Settings, asked: dict[str, Any]) -> list[str]:
    """What was asked for that is another than the run was begun with, in words."""
    found = []
    for name, value in asked.items():
        before = getattr(begun, name)
        if value != before:
            found.append(f"{name} {value!r} (it has {before!r})")
    return found
