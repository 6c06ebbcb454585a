"""What is needed to begin training: initializers, a saver, summaries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from wengert.api.session.modes import get_default_graph
from wengert.api.session.session import Session
from wengert.api.variables.graph_variable import GraphKeys
from wengert.compat.v1.functions.switches import tables_initializer
from wengert.compat.v1.functions.variables import (
    global_variables,
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
)
from wengert.compat.v1.graph_files.saver import Saver
from wengert.ops.control.effects import group
from wengert.saving.checkpoint_state import get_checkpoint_state
from wengert.saving.summaries.version_1 import merge_all

_DEFAULTS: Final = {
    "init_op": (GraphKeys.INIT_OP, global_variables_initializer),
    "ready_op": (GraphKeys.READY_OP, report_uninitialized_variables),
    "ready_for_local_init_op": (
        GraphKeys.READY_FOR_LOCAL_INIT_OP,
        lambda: report_uninitialized_variables(global_variables()),
    ),
    "local_init_op": (
        GraphKeys.LOCAL_INIT_OP,
        lambda: group(local_variables_initializer(), tables_initializer()),
    ),
    "summary_op": (GraphKeys.SUMMARY_OP, merge_all),
    "saver": (GraphKeys.SAVERS, lambda: Saver(allow_empty=True)),
}


class Scaffold:
    """The parts of a graph that begin training; what is not given is found in the graph, or made.

    >>> scaffold = tf.compat.v1.train.Scaffold()
    >>> with tf.Graph().as_default():
    ...     step = tf.compat.v1.train.create_global_step()
    ...     scaffold.finalize().saver is not None
    True
    """

    def __init__(
        self,
        init_op: Any = None,
        init_feed_dict: Any = None,
        init_fn: Callable[[Scaffold, Any], Any] | None = None,
        ready_op: Any = None,
        ready_for_local_init_op: Any = None,
        local_init_op: Any = None,
        summary_op: Any = None,
        saver: Any = None,
        copy_from_scaffold: Scaffold | None = None,
        local_init_feed_dict: Any = None,
    ) -> None:
        given = {
            "init_op": init_op,
            "ready_op": ready_op,
            "ready_for_local_init_op": ready_for_local_init_op,
            "local_init_op": local_init_op,
            "summary_op": summary_op,
            "saver": saver,
        }
        copied = copy_from_scaffold._parts if copy_from_scaffold is not None else {}
        self._parts: dict[str, Any] = {
            name: copied.get(name) if x is None else x for name, x in given.items()
        }
        self._init_fn = init_fn
        self.init_feed_dict, self.local_init_feed_dict = init_feed_dict, local_init_feed_dict

    @property
    def init_fn(self) -> Callable[[Any], Any] | None:
        """A function of the session that ends the initialization."""
        function = self._init_fn
        return None if function is None else lambda session: function(self, session)

    @property
    def init_op(self) -> Any:
        """The operation that initializes the variables."""
        return self._parts["init_op"]

    @property
    def ready_op(self) -> Any:
        """The names of variables without values."""
        return self._parts["ready_op"]

    @property
    def ready_for_local_init_op(self) -> Any:
        """The names of global variables without values."""
        return self._parts["ready_for_local_init_op"]

    @property
    def local_init_op(self) -> Any:
        """The operation that initializes local variables and tables."""
        return self._parts["local_init_op"]

    @property
    def summary_op(self) -> Any:
        """All summaries as one, or None."""
        return self._parts["summary_op"]

    @property
    def saver(self) -> Any:
        """What saves and restores."""
        return self._parts["saver"]

    def finalize(self) -> Scaffold:
        """Find or make what was not given; nothing can be added to the graph after that."""
        for name, (collection, make) in _DEFAULTS.items():
            if self._parts[name] is None:
                self._parts[name] = self.get_or_default(name, collection, make)
        self.saver.build()
        get_default_graph().finalize()
        return self

    @staticmethod
    def get_or_default(
        arg_name: str, collection_key: str, default_constructor: Callable[[], Any]
    ) -> Any:
        """The only element of a collection of the graph, or what is made, and then is one."""
        graph = get_default_graph()
        found = graph.get_collection(collection_key)
        if len(found) > 1:
            raise RuntimeError(
                f"More than one item in the collection {collection_key}. Please indicate which one to "
                "use by passing it to the tf.Scaffold constructor as:  "
                f"tf.Scaffold({arg_name}=item to use)"
            )
        if found:
            return found[0]
        made = default_constructor()
        if made is not None:
            graph.add_to_collection(collection_key, made)
        return made

    @staticmethod
    def default_local_init_op() -> Any:
        """The operation that initializes local variables and tables."""
        return _DEFAULTS["local_init_op"][1]()


class SessionCreator:
    """Makes sessions; others define `create_session`."""

    def create_session(self) -> Any:
        """A session whose variables have values."""
        raise NotImplementedError(f"create_session is not implemented for {self}.")


class ChiefSessionCreator(SessionCreator):
    """Makes sessions whose variables are restored from a checkpoint, or initialized where there is none."""

    def __init__(
        self,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: Any = None,
        checkpoint_dir: Any = None,
        checkpoint_filename_with_path: Any = None,
    ) -> None:
        self._scaffold = scaffold or Scaffold()
        self._master, self._config = master, config
        self._folder, self._file = checkpoint_dir, checkpoint_filename_with_path

    def create_session(self) -> Any:
        """A session whose variables have values."""
        scaffold = self._scaffold.finalize()
        session = Session(self._master, config=self._config)
        path = self._checkpoint()
        if path is not None:
            scaffold.saver.restore(session, path)
        else:
            self._initialize(session)
        self._demand(session, scaffold.ready_for_local_init_op, "local_init")
        session.run(scaffold.local_init_op, feed_dict=scaffold.local_init_feed_dict)
        self._demand(session, scaffold.ready_op, "session")
        return session

    def _checkpoint(self) -> str | None:
        if self._file:
            return str(self._file)
        state = get_checkpoint_state(self._folder) if self._folder else None
        return state.model_checkpoint_path if state else None

    def _initialize(self, session: Any) -> None:
        scaffold = self._scaffold
        session.run(scaffold.init_op, feed_dict=scaffold.init_feed_dict)
        if scaffold.init_fn is not None:
            scaffold.init_fn(session)

    def _demand(self, session: Any, ready_op: Any, what: str) -> None:
        missing = [] if ready_op is None else session.run(ready_op)
        if len(missing):
            names = ", ".join(name.decode() for name in missing)
            op, function = self._scaffold.init_op, self._scaffold.init_fn
            raise RuntimeError(
                f"Init operations did not make model ready for {what}.  Init op: "
                f"{getattr(op, 'name', op)}, init fn: {function}, error: Variables not initialized: "
                f"{names}"
            )


class WorkerSessionCreator(ChiefSessionCreator):
    """There is one process: its sessions begin as the chief's do."""

    def __init__(
        self,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: Any = None,
        max_wait_secs: float = 30 * 60,
    ) -> None:
        super().__init__(scaffold, master, config)
