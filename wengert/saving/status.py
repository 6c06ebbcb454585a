"""What became of a checkpoint that was restored: what `Checkpoint.restore` returns."""

from __future__ import annotations

import weakref
from typing import Any, Final

from wengert.api.session.logger import get_logger
from wengert.saving.object_graph import View
from wengert.saving.restoration import Restoration
from wengert.saving.trackables.parts import saved_of
from wengert.state.variable import Variable

_SHOWN: Final = 10


class LoadStatus:
    """Asks whether all was restored."""

    def __init__(self, restoration: Restoration, view: Any) -> None:
        self._restoration = restoration
        self._view = view
        weakref.finalize(self, _tell, restoration)

    def assert_consumed(self) -> LoadStatus:
        """Raise AssertionError unless all of the checkpoint was used, and all objects got values."""
        left = self._restoration.left()
        if left:
            shown = "".join(f"\n    {path}" for _, path in left[:_SHOWN])
            raise AssertionError(
                "Unresolved object in checkpoint: the program has no object for "
                f"{len(left)} of the checkpoint's:{shown}"
            )
        return self.assert_existing_objects_matched()

    def assert_existing_objects_matched(self) -> LoadStatus:
        """Raise AssertionError unless all objects of the program got values."""
        known = {id(value) for value in self._restoration.objects.values()}
        unmatched = [v for v in self._saving() if id(v) not in known]
        if unmatched:
            raise AssertionError(
                f"Found {len(unmatched)} Python objects that were not bound to checkpointed values, likely "
                f"due to changes in the Python program. Showing {min(_SHOWN, len(unmatched))} of "
                f"{len(unmatched)} unmatched objects: {unmatched[:_SHOWN]}"
            )
        return self

    def assert_nontrivial_match(self) -> LoadStatus:
        """Raise AssertionError if nothing but the root was matched."""
        others = [n for n in self._restoration.objects if n]
        if not others:
            raise AssertionError(
                "Nothing except the root object matched a checkpointed value. Typically this means that "
                "the checkpoint does not match the Python program. The following objects have no matching "
                f"checkpointed value: {self._saving()[:_SHOWN]}"
            )
        return self

    def expect_partial(self) -> LoadStatus:
        """Do not warn of what is never used."""
        self._restoration.partial = True
        return self

    def _saving(self) -> list[Any]:
        view: View = self._view()
        return [v for v in view.objects if isinstance(v, Variable) or saved_of(v)]

    # ---- in sessions -------------------------------------------------------------------------

    def run_restore_ops(self, session: Any = None) -> None:
        """Give the variables of a graph their values in a session; the others have theirs."""
        for variable, array in self._restoration.later:
            variable.load(array, session)

    def initialize_or_restore(self, session: Any = None) -> None:
        """Give the variables of a graph their values in a session, or their initial values."""
        restored = {id(variable) for variable, _ in self._restoration.later}
        for variable in self._view().objects:
            if isinstance(variable, Variable) and variable.graph is not None:
                chosen = variable.graph.session_for(session, "initialize_or_restore()")
                if id(variable) not in restored:
                    chosen.run(variable.initializer)
        self.run_restore_ops(session)


def _tell(restoration: Restoration) -> None:
    """Warn of what nobody took, when nobody can ask any more."""
    left = [] if restoration.partial else restoration.left()
    if left:
        get_logger().info(
            "Detecting that an object or model or tf.train.Checkpoint is being deleted with unrestored "
            "values: %s. Use `expect_partial()` to silence this.",
            ", ".join(path for _, path in left[:_SHOWN]),
        )


class NothingRestored:
    """What `Checkpoint.restore(None)` returns: there was no checkpoint."""

    def __init__(self, view: Any) -> None:
        self._view = view

    def _refused(self) -> Any:
        raise AssertionError("No checkpoint specified (save_path=None); nothing is being restored.")

    assert_consumed = assert_existing_objects_matched = assert_nontrivial_match = _refused
    run_restore_ops = _refused

    def expect_partial(self) -> NothingRestored:
        """Do not warn of what is never used."""
        return self

    def initialize_or_restore(self, session: Any = None) -> None:
        """Give the variables of a graph their initial values."""
        for variable in self._view().objects:
            if isinstance(variable, Variable) and variable.graph is not None:
                variable.graph.session_for(session, "eval()").run(variable.initializer)
