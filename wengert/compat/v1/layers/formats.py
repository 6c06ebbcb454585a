"""Sizes of windows and formats of images, as layers take them and operations do."""

from __future__ import annotations

from typing import Any

_SPATIAL = {1: "W", 2: "HW", 3: "DHW"}


def each(value: Any, rank: int, name: str) -> tuple[int, ...]:
    """A number for each spatial axis."""
    if isinstance(value, int):
        return (value,) * rank
    try:
        numbers = tuple(int(v) for v in value)
    except (TypeError, ValueError):
        numbers = ()
    if len(numbers) != rank:
        raise ValueError(
            f"The `{name}` argument must be a tuple of {rank} integers. Received: {value}"
        )
    return numbers


def padding_of(value: Any, *, causal: bool = False) -> str:
    """The kind of padding in small letters."""
    known = ("valid", "same", "causal") if causal else ("valid", "same")
    chosen = value.lower() if isinstance(value, str) else value
    if chosen not in known:
        raise ValueError(
            'The `padding` argument must be one of "valid", "same" (or "causal", only for '
            f"`Conv1D`). Received: {value}"
        )
    return str(chosen)


def format_of(value: Any) -> str:
    """Where the channels are: channels_last or channels_first."""
    chosen = "channels_last" if value is None else value.lower()
    if chosen not in ("channels_last", "channels_first"):
        raise ValueError(
            'The `data_format` argument must be one of "channels_first", "channels_last". '
            f"Received: {value}"
        )
    return str(chosen)


def letters(data_format: str, rank: int) -> str:
    """The format in the words of operations, such as NHWC."""
    axes = _SPATIAL[rank]
    return f"N{axes}C" if data_format == "channels_last" else f"NC{axes}"


def on_all_axes(values: tuple[int, ...], data_format: str) -> list[int]:
    """The numbers of the spatial axes among those of all axes."""
    return [1, *values, 1] if data_format == "channels_last" else [1, 1, *values]


def channel_axis(data_format: str) -> int:
    """The axis of the channels."""
    return -1 if data_format == "channels_last" else 1
