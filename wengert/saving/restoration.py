"""Giving objects what a checkpoint has for them; to those that come later, when they come."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

from wengert.api.session.logger import get_logger
from wengert.core.context import activate
from wengert.errors import InvalidArgumentError
from wengert.formats.bundles import BundleReader
from wengert.saving.object_graph import Node, unescaped
from wengert.saving.trackables.parts import part_of, saved_of
from wengert.state.variable import Variable
from wengert.values.shapes import TensorShape
from wengert.values.tensor import wrap

Bound = tuple[Any, int]


class Restoration:
    """One checkpoint on its way into a program."""

    def __init__(self, bundle: BundleReader, nodes: list[Node], with_slots: bool = True) -> None:
        self.bundle = bundle
        self.nodes = nodes
        self.objects: dict[int, Any] = {}  # by the numbers of nodes
        self.later: list[tuple[Any, Any]] = []  # variables of graphs, and the arrays for them
        self.partial = False  # whether nobody asks what was left
        self._with_slots = with_slots
        self._root: Any = None
        self._attached: dict[str, Any] = {}

    def restore(self, root: Any) -> None:
        """Match objects from the root on, and give them their values: all of them or, on an error, none."""
        self._bind([(root, 0)])

    def take(self, pairs: list[Bound]) -> None:
        """Give these objects the values of these nodes."""
        self._bind(pairs)

    def attach(self, root: Any, parts: dict[str, Any]) -> None:
        """Parts that the root has in the checkpoint, and not by itself."""
        self._root, self._attached = root, parts

    def attached(self, parent: Any, name: str, part: Any) -> None:
        """Such a part came later."""
        number = self._number(parent)
        if number == 0 and name in self.nodes[0].children:
            self._bind([(part, self.nodes[0].children[name])])

    # ---- objects that come later -------------------------------------------------------------

    def arrived(self, parent: Any, name: str, part: Any) -> None:
        """A part of an object is there that was not when the checkpoint was restored."""
        number = self._number(parent)
        if number is None or name not in self.nodes[number].children:
            return
        found = part_of(parent, name)
        if found is not None:
            self._bind([(found, self.nodes[number].children[name])])

    def slot_arrived(self, optimizer: Any, variable: Any, name: str, slot: Any) -> None:
        """An optimizer made a variable beside another one."""
        number = self._number(optimizer)
        for saved in self.nodes[number].slots if number is not None and self._with_slots else ():
            if saved.name == name and self.objects.get(saved.original) is variable:
                self._bind([(slot, saved.slot)])

    def _number(self, value: Any) -> int | None:
        return next((n for n, known in self.objects.items() if known is value), None)

    # ---- matching ----------------------------------------------------------------------------

    def _bind(self, pairs: list[Bound]) -> None:
        waiting = deque(pairs)
        new: list[Bound] = []
        slots: list[Bound] = []
        try:
            while waiting:
                value, n = waiting.popleft()
                if self._take(value, n):
                    new.append((value, n))
                    waiting += self._parts(value, n)
                if not waiting:
                    slots = list(self._slots())
                    waiting += slots
            values = [(value, *self._read(value, n)) for value, n in new]
        except BaseException:
            for _, n in new:
                self.objects.pop(n, None)
            raise
        for value, tensors, arrays in values:
            self._give(value, tensors, arrays)

    def _take(self, value: Any, n: int) -> bool:
        before = self.objects.get(n)
        if before is None:
            self.objects[n] = value
            return True
        if before is not value:
            get_logger().warning(
                "Inconsistent references when loading the checkpoint into this object graph. For example, "
                "in the saved checkpoint object, two names are one object, and here they are two: %r and %r.",
                before,
                value,
            )
        return False

    def _parts(self, value: Any, n: int) -> Iterator[Bound]:
        missing = bool(self.nodes[n].slots)
        for name, child in self.nodes[n].children.items():
            part = self._attached.get(name) if value is self._root else None
            part = part if part is not None else part_of(value, name)
            if part is None:
                missing = True
            else:
                yield part, child
        # What has elements may get more of them, which the checkpoint need not have; the others wait.
        if missing and hasattr(value, "__dict__"):
            pending = value.__dict__.setdefault("_self_pending", [])
            if self not in pending:
                pending.append(self)

    def _slots(self) -> Iterator[Bound]:
        """The slots that optimizers have by now, of variables that are matched."""
        if not self._with_slots:
            return
        for n, node in enumerate(self.nodes):
            optimizer = self.objects.get(n)
            slot_of: Any = getattr(optimizer, "get_slot", None)
            for saved in node.slots if slot_of is not None else ():
                variable = self.objects.get(saved.original)
                if variable is None or saved.slot in self.objects:
                    continue
                slot = slot_of(variable, saved.name)
                if slot is not None:
                    yield slot, saved.slot

    # ---- values ------------------------------------------------------------------------------

    def _read(self, value: Any, n: int) -> tuple[dict[str, Any], dict[str, Any]]:
        """What the object wants to save, and what the checkpoint has of it."""
        keys = {unescaped(saved.name): saved.key for saved in self.nodes[n].saved}
        if not keys:
            return {}, {}
        with activate((), None):
            wanted = {"VARIABLE_VALUE": value} if isinstance(value, Variable) else saved_of(value)
        for under in getattr(type(value), "_saved_under", ()):  # several tensors under one name
            keys |= {name: f"{keys[under]}-{name}" for name in wanted if under in keys}
        found = {}
        for name, tensor in wanted.items():
            if name in keys:
                found[name] = self.bundle.tensor(keys[name])
                check(tensor, found[name], value, keys[name])
        return wanted, found

    def _give(self, value: Any, wanted: dict[str, Any], arrays: dict[str, Any]) -> None:
        if not arrays:
            return
        if isinstance(value, Variable) and value.graph is not None:
            self.later.append((value, arrays["VARIABLE_VALUE"]))
            return
        with activate((), None):
            value._restore_from_tensors({name: wrap(array) for name, array in arrays.items()})

    # ---- what was left -----------------------------------------------------------------------

    def left(self) -> list[tuple[int, str]]:
        """The objects of the checkpoint that nobody took, with the name of the first who has them."""
        return [
            (n, self.path(n))
            for n, node in enumerate(self.nodes)
            if node.saved and n not in self.objects
        ]

    def path(self, number: int) -> str:
        """The way to an object from the root."""
        paths = {0: "(root)"}
        waiting = deque([0])
        while waiting:
            n = waiting.popleft()
            for name, child in self.nodes[n].children.items():
                if child not in paths:
                    paths[child] = f"{paths[n]}.{name}"
                    waiting.append(child)
        if number in paths:
            return paths[number]
        for n, node in enumerate(self.nodes):
            for slot in node.slots:
                if slot.slot == number:
                    return f"{paths.get(n, '?')}'s state '{slot.name}' for {paths.get(slot.original, '?')}"
        return "?"


def check(tensor: Any, array: Any, value: Any, key: str) -> None:
    """Raise unless an array of a checkpoint may become the value of a tensor or variable."""
    shape = getattr(tensor, "shape", None)
    if isinstance(tensor, Variable) or isinstance(value, Variable):
        name = getattr(value, "name", key)
        if not TensorShape(shape).is_compatible_with(array.shape):
            raise ValueError(
                f"Received incompatible tensor with shape {array.shape} when attempting to restore "
                f"variable with shape {shape} and name {name} (the checkpoint has it as {key!r})."
            )
        expected, found = tensor.dtype, wrap(array).dtype
        if found is not expected:
            raise InvalidArgumentError(
                f"tensor_name = {key}; expected dtype {expected.spoken} does not equal original dtype "
                f"{found.spoken}: variable {name} cannot take it."
            )
