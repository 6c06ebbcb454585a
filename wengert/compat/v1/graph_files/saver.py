"""tf.compat.v1.train.Saver: the variables of a graph, with the graph beside them."""

from __future__ import annotations

from typing import Any

from wengert.api.session.logger import get_logger
from wengert.api.session.modes import get_default_graph
from wengert.compat.graph_defs.protos import message
from wengert.compat.v1.graph_files.exporting import export_meta_graph
from wengert.compat.v1.graph_files.saver_nodes import with_saver
from wengert.errors import NotFoundError
from wengert.formats.protos import is_there
from wengert.saving import saver


class Saver(saver.Saver):
    """Saves variables by their names, with the graph, and keeps the last `max_to_keep` checkpoints.

    Without a list it saves all global variables of the graph. A dictionary says the names.

    >>> import tempfile
    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     x = v1.get_variable("x", initializer=[1.0, 2.0])
    ...     saver = v1.train.Saver()
    ...     session.run(x.initializer)
    ...     path = saver.save(session, f"{tempfile.mkdtemp()}/model", global_step=7)
    ...     session.run(x.assign([0.0, 0.0]))
    ...     saver.restore(session, path)
    ...     print(path.rpartition("/")[2], session.run(x))
    array([0., 0.], dtype=float32)
    model-7 [1. 2.]
    """

    def build(self) -> None:
        """Find the variables; a saver of a graph from a file has its nodes for it."""
        if self.saver_def is None:
            super().build()

    @staticmethod
    def from_proto(saver_def: Any, import_scope: str | None = None) -> Saver:
        """A saver by the nodes of a graph that was imported."""
        return Saver(saver_def=saver_def, name=import_scope)

    def as_saver_def(self) -> Any:
        """The nodes that save and restore, as they stand in a file of the graph: SaverDef."""
        return self.to_proto()

    def to_proto(self, export_scope: str | None = None) -> Any:
        """The same as `as_saver_def`."""
        if self.saver_def is not None:
            return self.saver_def
        return self._with_nodes(message("GraphDef")())

    def _with_nodes(self, graph_def: Any) -> Any:
        return with_saver(graph_def, self._variables, self._max_to_keep or 0, self._every)

    # ---- the graph -------------------------------------------------------------------------------

    def save(
        self,
        sess: Any,
        save_path: Any,
        global_step: Any = None,
        latest_filename: str | None = None,
        meta_graph_suffix: str = "meta",
        write_meta_graph: bool = True,
        write_state: bool = True,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> str:
        """Save the variables of a session, and its graph; returns the prefix of the files."""
        prefix = super().save(
            sess, save_path, global_step, latest_filename, write_state=write_state
        )
        if write_meta_graph and getattr(sess, "graph", None) is not None:
            self._save_graph(sess.graph, f"{prefix}.{meta_graph_suffix}")
        return prefix

    def _save_graph(self, graph: Any, path: str) -> None:
        """The graph, for import_meta_graph; the variables can be restored without it."""
        if not is_there():
            get_logger().info("%s is not written: it needs the package protobuf.", path)
            return
        try:
            with graph.as_default():
                self.export_meta_graph(path)
        except (NotImplementedError, TypeError, ValueError) as error:
            get_logger().warning("%s is not written: the graph has no such form (%s).", path, error)

    def export_meta_graph(
        self,
        filename: Any = None,
        collection_list: Any = None,
        as_text: bool = False,
        export_scope: str | None = None,
        clear_devices: bool = False,
        clear_extraneous_savers: bool = False,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> Any:
        """The graph with the nodes that save and restore, as MetaGraphDef."""
        graph_def = get_default_graph().as_graph_def(add_shapes=True)
        proto = self.saver_def or (self._with_nodes(graph_def) if self._variables else None)
        return export_meta_graph(
            filename,
            graph_def=graph_def,
            saver_def=proto,
            collection_list=collection_list,
            as_text=as_text,
            export_scope=export_scope,
            clear_devices=clear_devices,
        )

    # ---- by nodes --------------------------------------------------------------------------------

    def _write(self, session: Any, prefix: str) -> None:
        if self.saver_def is None:
            super()._write(session, prefix)
        else:
            session.run(
                self.saver_def.save_tensor_name, {self.saver_def.filename_tensor_name: prefix}
            )

    def _read(self, session: Any, path: str) -> None:
        if self.saver_def is None:
            super()._read(session, path)
            return
        try:
            session.run(self.saver_def.restore_op_name, {self.saver_def.filename_tensor_name: path})
        except NotFoundError as error:
            raise NotFoundError(f"{saver.MISSING}{error}") from error
