"""Where operations of a graph are to run: the names of devices, nested and merged. There is one device."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

_FIELDS: Final = ("job", "replica", "task", "device_type", "device_index")
_PART: Final = re.compile(
    r"(?:/(job):(\w+)|/(replica|task):(\d+|\*)|(?:/|^)(?:device:)?"
    r"(?:(\w+):(\d+|\*)|([cC][pP][uU]|[gG][pP][uU]|[tT][pP][uU])(?=/|$)))"
)


class DeviceSpec:
    """The name of a device in its parts, each of which may be missing.

    >>> spec = tf.DeviceSpec(job="worker", device_type="GPU", device_index=1)
    >>> spec.to_string()
    '/job:worker/device:GPU:1'
    >>> spec.make_merged_spec(tf.DeviceSpec.from_string("/task:2")).to_string()
    '/job:worker/task:2/device:GPU:1'
    """

    def __init__(
        self,
        job: str | None = None,
        replica: int | None = None,
        task: int | None = None,
        device_type: str | None = None,
        device_index: int | None = None,
    ) -> None:
        kind = device_type.upper() if device_type in ("cpu", "gpu") else device_type
        self._parts: dict[str, Any] = dict(
            zip(_FIELDS, (job, replica, task, kind, device_index), strict=True)
        )

    @classmethod
    def from_string(cls, spec: str) -> DeviceSpec:
        """The parts of a name such as `/job:worker/task:1/device:GPU:0` or `/cpu:0`."""
        found: dict[str, Any] = {}
        at = 0
        while at < len(spec):
            match = _PART.match(spec, at)
            if match is None:
                raise ValueError(
                    f"Unknown attribute '{spec[at:].lstrip('/')}' is encountered while parsing the "
                    f"device spec: '{spec}'."
                )
            _take(match, found, spec)
            at = match.end()
        return cls(**found)

    parse_from_string = from_string

    @property
    def job(self) -> str | None:
        """The job."""
        return self._parts["job"]  # type: ignore[no-any-return]

    @property
    def replica(self) -> int | None:
        """The number of the replica."""
        return self._parts["replica"]  # type: ignore[no-any-return]

    @property
    def task(self) -> int | None:
        """The number of the task."""
        return self._parts["task"]  # type: ignore[no-any-return]

    @property
    def device_type(self) -> str | None:
        """The kind of device."""
        return self._parts["device_type"]  # type: ignore[no-any-return]

    @property
    def device_index(self) -> int | None:
        """The number of the device."""
        return self._parts["device_index"]  # type: ignore[no-any-return]

    def to_string(self) -> str:
        """The name."""
        words = [f"/{n}:{self._parts[n]}" for n in _FIELDS[:3] if self._parts[n] is not None]
        if self.device_type is not None:
            index = "*" if self.device_index is None else self.device_index
            words.append(f"/device:{self.device_type}:{index}")
        return "".join(words)

    def make_merged_spec(self, dev: DeviceSpec) -> DeviceSpec:
        """The parts of both; where both have one, that of the other."""
        return DeviceSpec(**{n: self._other(dev, n) for n in _FIELDS})

    def _other(self, dev: DeviceSpec, name: str) -> Any:
        there = dev._parts[name]
        return self._parts[name] if there is None else there

    def replace(self, **kwargs: Any) -> DeviceSpec:
        """The same with other parts."""
        return DeviceSpec(**{**self._parts, **kwargs})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceSpec) and self._parts == other._parts

    def __hash__(self) -> int:
        return hash(self.to_string())

    def __repr__(self) -> str:
        return f"<DeviceSpec({', '.join(f'{n}={self._parts[n]}' for n in _FIELDS)})>"

    def __str__(self) -> str:
        return self.to_string()


def _take(match: re.Match[str], found: dict[str, Any], spec: str) -> None:
    job, job_name, place, number, kind, index, alone = match.groups()
    kind = kind or (alone and alone.upper())
    if kind is not None and "device_type" in found:
        raise ValueError(
            f"Multiple device types are not allowed while parsing the device spec: {spec}."
        )
    if job is not None:
        found["job"] = job_name
    elif place is not None:
        found[place] = None if number == "*" else int(number)
    else:
        found["device_type"] = kind
        found["device_index"] = None if index in (None, "*") else int(index)


Device = str | Callable[[Any], Any] | None


def chosen(devices: Sequence[Device], op: Any) -> str:
    """The device of a new operation: what is nearest to it counts most; None forgets those around."""
    since = max((i + 1 for i, device in enumerate(devices) if device is None), default=0)
    op.device = ""
    for device in reversed(devices[since:]):
        if callable(device):
            op.device = _text(device(op))
        elif device:
            op.device = merged(device, op.device)
    return str(op.device)


def merged(outer: str, inner: str) -> str:
    """Two names of devices as one; where both have a part, the inner one's counts."""
    specs = DeviceSpec.from_string(outer), DeviceSpec.from_string(inner)
    return specs[0].make_merged_spec(specs[1]).to_string()


def as_device(device: Any) -> Device:
    """What tf.device was given, as what is noted."""
    if device is None or callable(device):
        return device  # type: ignore[no-any-return]
    text = _text(device)
    try:
        return DeviceSpec.from_string(text).to_string()
    except (
        ValueError
    ):  # another program's name for one: there is one device, so it is kept as it is
        return lambda op: text


def _text(device: Any) -> str:
    return (
        ""
        if device is None
        else device.to_string()
        if isinstance(device, DeviceSpec)
        else str(device)
    )
