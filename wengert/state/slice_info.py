"""Which part of a larger variable a variable is, as savers note it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wengert.formats.protos import message


class SaveSliceInfo:
    """The name and shape of the whole, and where the part lies in it.

    >>> info = tf.Variable.SaveSliceInfo("w", [6, 4], var_offset=[3, 0], var_shape=[3, 4])
    >>> info.spec
    '6 4 3,3:0,4'
    >>> tf.Variable.SaveSliceInfo.from_spec(info.spec).var_offset
    [3, 0]
    """

    def __init__(
        self,
        full_name: str | None = None,
        full_shape: Sequence[int] | None = None,
        var_offset: Sequence[int] | None = None,
        var_shape: Sequence[int] | None = None,
        save_slice_info_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        noted = save_slice_info_def
        if noted is None:
            self.full_name, self.full_shape = full_name, full_shape
            self.var_offset, self.var_shape = var_offset, var_shape
            return
        self.full_name = f"{import_scope}/{noted.full_name}" if import_scope else noted.full_name
        self.full_shape = list(noted.full_shape)
        self.var_offset = list(noted.var_offset)
        self.var_shape = list(noted.var_shape)

    @classmethod
    def from_spec(cls, spec: str) -> SaveSliceInfo:
        """What a text such as `6 4 3,3:0,4` says: the shape of the whole, then offset and size of each axis."""
        *sizes, cuts = spec.split(" ")
        if not sizes:
            raise ValueError(
                "Spec string must contain space-separated full_shape info followed by slice info: "
                f"{spec!r} does not."
            )
        full_shape = [_integer(s, "full_shape must be a sequence of int", spec) for s in sizes]
        offsets, shape = zip(*[_extent(cut, spec) for cut in cuts.split(":")], strict=True)
        return cls(full_shape=full_shape, var_offset=list(offsets), var_shape=list(shape))

    @property
    def spec(self) -> str:
        """The text that stands in checkpoints of parts."""
        whole = " ".join(map(str, self.full_shape or ()))
        pairs = zip(self.var_offset or (), self.var_shape or (), strict=True)
        return f"{whole} " + ":".join(f"{offset},{size}" for offset, size in pairs)

    def to_proto(self, export_scope: str | None = None) -> Any:
        """A SaveSliceInfoDef; None if the whole lies outside of the scope that is exported."""
        name = self.full_name or ""
        if export_scope and not name.startswith(export_scope):
            return None
        made = message("SaveSliceInfoDef")(
            full_name=name.removeprefix(f"{export_scope}/") if export_scope else name
        )
        made.full_shape.extend(self.full_shape or ())
        made.var_offset.extend(self.var_offset or ())
        made.var_shape.extend(self.var_shape or ())
        return made


def _extent(text: str, spec: str) -> tuple[int, int]:
    """Where the part begins along an axis, and how long it is there."""
    offset, comma, size = text.partition(",")
    if not comma:
        raise ValueError(
            f"Spec string must contain comma-separated pairs of offsets and shapes: {spec!r} does not."
        )
    start = _integer(offset, "var_offset must be an integer", spec)
    return start, _integer(size, "var_shape must be an integer", spec)


def _integer(text: str, complaint: str, spec: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"{complaint}, not {text!r} in {spec!r}.") from None
