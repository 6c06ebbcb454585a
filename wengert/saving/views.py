"""Looking at the objects of a program, and at those of a checkpoint: tf.train.TrackableView, CheckpointView."""

from __future__ import annotations

from collections import deque
from typing import Any

from wengert.errors import NotFoundError
from wengert.formats.bundles import BundleReader
from wengert.saving.object_graph import KEY, View, of_message
from wengert.saving.trackables.parts import parts_of


class TrackableView:
    """The objects that can be reached from one.

    >>> root = tf.train.Checkpoint(x=tf.Variable(1.0))
    >>> view = tf.train.TrackableView(root)
    >>> list(view.children(root)), len(view.descendants())
    (['x'], 2)
    """

    def __init__(self, root: Any) -> None:
        self._root = root

    @classmethod
    def children(cls, obj: Any, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        """The parts of an object by their names."""
        return parts_of(obj, save_type, **kwargs)

    @property
    def root(self) -> Any:
        """The object from which it looks."""
        return self._root

    def descendants(self) -> list[Any]:
        """The root, and all objects that are reached from it, the nearest first."""
        return View(self._root).objects


class CheckpointView:
    """The objects in a checkpoint, by their numbers; the root is 0.

    >>> import tempfile
    >>> root = tf.train.Checkpoint(x=tf.Variable(1.0))
    >>> view = tf.train.CheckpointView(root.write(f"{tempfile.mkdtemp()}/ckpt"))
    >>> view.children(0), view.match(root)[0] is root
    ({'x': 1}, True)
    """

    def __init__(self, save_path: Any) -> None:
        bundle = BundleReader(str(save_path))
        if KEY not in bundle:
            raise NotFoundError(
                f"The specified checkpoint {save_path!r} does not appear to be object-based (saved with "
                "TF2) since it is missing the key '_CHECKPOINTABLE_OBJECT_GRAPH'. Likely it was created "
                "with the TF1 name-based saver and does not contain an object dependency graph."
            )
        self._nodes = of_message(bundle.tensor(KEY).item())

    def children(self, node_id: int) -> dict[str, int]:
        """The parts of an object by their names."""
        return dict(self._nodes[node_id].children)

    def descendants(self) -> list[int]:
        """The numbers of all objects, the nearest to the root first."""
        found = {0: None}
        waiting = deque([0])
        while waiting:
            for child in self._nodes[waiting.popleft()].children.values():
                if child not in found:
                    found[child] = None
                    waiting.append(child)
        return list(found)

    def match(self, obj: Any) -> dict[int, Any]:
        """The objects of a program that a restoring from this object on would find, by number."""
        found: dict[int, Any] = {0: obj}
        waiting = deque([0])
        while waiting:
            n = waiting.popleft()
            named = parts_of(found[n])
            for name, child in self._nodes[n].children.items():
                if name in named and child not in found:
                    found[child] = named[name]
                    waiting.append(child)
        return found

    def diff(self, obj: Any) -> tuple[dict[int, Any], list[int], list[Any]]:
        """What is in both, in the checkpoint alone, and in the program alone."""
        matched = self.match(obj)
        known = {id(value) for value in matched.values()}
        only_there = [n for n in self.descendants() if n not in matched]
        only_here = [value for value in TrackableView(obj).descendants() if id(value) not in known]
        return matched, only_there, only_here
