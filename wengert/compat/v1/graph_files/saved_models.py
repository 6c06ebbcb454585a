"""Saved models of version 1: a graph, its variables, and its signatures, in TensorFlow's folder."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from wengert.api.session.modes import get_default_graph
from wengert.compat.graph_defs.protos import message
from wengert.compat.graph_defs.tensors import shape_proto
from wengert.compat.v1.graph_files.exporting import clear_devices_of
from wengert.compat.v1.graph_files.importing import add_meta_graph, within
from wengert.compat.v1.graph_files.saver import Saver
from wengert.formats.protos import text_of
from wengert.graph.operation import Operation
from wengert.host.files import replaced
from wengert.saved_model import options as names
from wengert.saved_model.reading import chosen, read_model
from wengert.values.dtypes import string

_MAIN: Final = "saved_model_main_op"
_INIT: Final = "__saved_model_init_op"
_TRAIN: Final = "__saved_model_train_op"


# ---- signatures ---------------------------------------------------------------------------------


def build_tensor_info(tensor: Any) -> Any:
    """What a signature says of a tensor: its name, dtype and shape."""
    made = message("TensorInfo")(name=tensor.name, dtype=tensor.dtype.as_datatype_enum)
    made.tensor_shape.CopyFrom(shape_proto(tensor.shape))
    return made


def build_signature_def(
    inputs: Mapping[str, Any] | None = None,
    outputs: Mapping[str, Any] | None = None,
    method_name: str | None = None,
    defaults: Any = None,
) -> Any:
    """A signature: what goes in and what comes out, by names."""
    made = message("SignatureDef")()
    for part, given in ((made.inputs, inputs), (made.outputs, outputs)):
        for key, info in (given or {}).items():
            part[key].CopyFrom(info)
    if method_name is not None:
        made.method_name = method_name
    return made


def predict_signature_def(inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> Any:
    """A signature of any tensors.

    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.placeholder(tf.float32, [None], name="x")
    ...     found = tf.compat.v1.saved_model.predict_signature_def({"x": x}, {"y": x * 2.0})
    >>> found.inputs["x"].name, found.method_name
    ('x:0', 'tensorflow/serving/predict')
    """
    for given, kind in ((inputs, "inputs"), (outputs, "outputs")):
        if not given:
            raise ValueError(f"Prediction `{kind}` cannot be None or empty.")
    return build_signature_def(_infos(inputs), _infos(outputs), names.PREDICT_METHOD_NAME)


def _infos(tensors: Mapping[str, Any]) -> dict[str, Any]:
    return {key: build_tensor_info(x) for key, x in tensors.items()}


def classification_signature_def(examples: Any, classes: Any, scores: Any) -> Any:
    """A signature of a classifier of examples, which are text."""
    if examples is None:
        raise ValueError("Classification `examples` cannot be None.")
    if examples.dtype is not string:
        raise ValueError("Classification input tensors must be of type string.")
    if classes is None and scores is None:
        raise ValueError("Classification `classes` and `scores` cannot both be None.")
    given = {"classes": classes, "scores": scores}
    found = {key: build_tensor_info(x) for key, x in given.items() if x is not None}
    return build_signature_def(
        {"inputs": build_tensor_info(examples)}, found, names.CLASSIFY_METHOD_NAME
    )


def regression_signature_def(examples: Any, predictions: Any) -> Any:
    """A signature of a regression on examples, which are text."""
    if examples is None or predictions is None:
        raise ValueError("Regression `examples` and `predictions` cannot be None.")
    if examples.dtype is not string:
        raise ValueError("Regression input tensors must be of type string.")
    infos = build_tensor_info(examples), build_tensor_info(predictions)
    return build_signature_def(
        {"inputs": infos[0]}, {"outputs": infos[1]}, names.REGRESS_METHOD_NAME
    )


def is_valid_signature(signature_def: Any) -> bool:
    """Whether a signature is one that a server can answer by."""
    method = signature_def.method_name
    if not signature_def.inputs or not signature_def.outputs:
        return False
    if method == names.PREDICT_METHOD_NAME:
        return True
    outputs = set(signature_def.outputs)
    if method == names.CLASSIFY_METHOD_NAME:
        return set(signature_def.inputs) == {"inputs"} and outputs <= {"classes", "scores"}
    return (
        method == names.REGRESS_METHOD_NAME
        and set(signature_def.inputs) == {"inputs"}
        and outputs == {"outputs"}
    )


def get_tensor_from_tensor_info(
    tensor_info: Any, graph: Any = None, import_scope: str | None = None
) -> Any:
    """The tensor of a graph that a signature speaks of."""
    name = f"{import_scope}/{tensor_info.name}" if import_scope else tensor_info.name
    return (graph or get_default_graph()).get_tensor_by_name(name)


# ---- saving -------------------------------------------------------------------------------------


class Builder:
    """Writes a model: graphs by their tags, and the variables that they share.

    >>> import tempfile
    >>> v1, folder = tf.compat.v1, f"{tempfile.mkdtemp()}/model"
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     w = v1.get_variable("w", initializer=3.0)
    ...     x = v1.placeholder(tf.float32, [], name="x")
    ...     session.run(w.initializer)
    ...     v1.saved_model.simple_save(session, folder, {"x": x}, {"y": tf.multiply(w, x, name="y")})
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     meta = v1.saved_model.load(session, ["serve"], folder)
    ...     print(session.run(meta.signature_def["serving_default"].outputs["y"].name, {"x:0": 2.0}))
    6.0
    """

    def __init__(self, export_dir: Any) -> None:
        self._folder = Path(os.fspath(export_dir))
        if self._folder.is_dir() and any(self._folder.iterdir()):
            raise AssertionError(
                f"Export directory {self._folder} already exists, and isn't empty. Please choose a "
                "different export directory, or delete all the contents of the specified directory."
            )
        self._folder.mkdir(parents=True, exist_ok=True)
        self._model = message("SavedModel")(saved_model_schema_version=1)
        self._has_variables = False

    def add_meta_graph_and_variables(
        self,
        sess: Any,
        tags: Sequence[str],
        signature_def_map: Mapping[str, Any] | None = None,
        assets_list: Sequence[Any] | None = None,
        clear_devices: bool = False,
        init_op: Any = None,
        train_op: Any = None,
        strip_default_attrs: bool = False,
        saver: Saver | None = None,
        **_: Any,
    ) -> None:
        """Add the graph of a session, and write the values of its variables there."""
        if self._has_variables:
            raise AssertionError(
                "Graph state including variables and assets has already been saved. Use add_meta_graph() "
                "for further graphs."
            )
        graph = sess.graph
        with graph.as_default():
            saver = saver or Saver(allow_empty=True)
            prefix = self._folder / names.VARIABLES_DIRECTORY / names.VARIABLES_FILENAME
            saver.save(sess, str(prefix), write_meta_graph=False, write_state=False)
            self._add(saver, tags, signature_def_map, assets_list, clear_devices, init_op, train_op)
        self._has_variables = True

    def add_meta_graph(
        self,
        tags: Sequence[str],
        signature_def_map: Mapping[str, Any] | None = None,
        assets_list: Sequence[Any] | None = None,
        clear_devices: bool = False,
        init_op: Any = None,
        train_op: Any = None,
        saver: Saver | None = None,
        strip_default_attrs: bool = False,
        **_: Any,
    ) -> None:
        """Add the current graph, which uses the variables that are there."""
        if not self._has_variables:
            raise AssertionError(
                "Graph state including variables and assets has not been saved yet. Please invoke "
                "`add_meta_graph_and_variables()` first."
            )
        saver = saver or Saver(allow_empty=True)
        self._add(saver, tags, signature_def_map, assets_list, clear_devices, init_op, train_op)

    def _add(
        self, saver: Saver, tags: Any, signatures: Any, assets: Any, clear_devices: bool,
        init_op: Any, train_op: Any,
    ) -> None:  # fmt: skip
        meta = self._model.meta_graphs.add()
        meta.CopyFrom(saver.export_meta_graph())
        if clear_devices:
            clear_devices_of(meta.graph_def)
        meta.meta_info_def.tags.extend(tags)
        for key, signature in (signatures or {}).items():
            meta.signature_def[key].CopyFrom(signature)
        for key, op in ((_INIT, init_op), (_TRAIN, train_op)):
            if op is not None:
                _check_operation(key, op)
                meta.signature_def[key].outputs[key].name = op.name
                meta.signature_def[key].outputs[key].tensor_shape.unknown_rank = True
        if assets:
            raise NotImplementedError(
                "assets_list: files are not copied into a model of version 1; tf.saved_model.save takes "
                "tf.saved_model.Asset."
            )

    def save(self, as_text: bool = False, **_: Any) -> bytes:
        """Write what was added; returns the path of the file."""
        name = names.SAVED_MODEL_FILENAME_PBTXT if as_text else names.SAVED_MODEL_FILENAME_PB
        path = str(self._folder / name)
        content = text_of(self._model).encode() if as_text else self._model.SerializeToString()
        replaced(path, content)
        return path.encode()


def _check_operation(key: str, op: Any) -> None:
    if not isinstance(op, Operation) and not hasattr(op, "op"):
        raise TypeError(f"{key} needs to be a Tensor or Op: {op!r}")


def simple_save(
    session: Any,
    export_dir: Any,
    inputs: Mapping[str, Any],
    outputs: Mapping[str, Any],
    legacy_init_op: Any = None,
) -> None:
    """Write the graph of a session with one signature, the default, tagged `serve`."""
    builder = Builder(export_dir)
    signatures = {names.DEFAULT_SERVING_SIGNATURE_DEF_KEY: predict_signature_def(inputs, outputs)}
    builder.add_meta_graph_and_variables(
        session, [names.SERVING], signatures, clear_devices=True, init_op=legacy_init_op
    )
    builder.save()


# ---- loading ------------------------------------------------------------------------------------


def load(
    sess: Any,
    tags: Sequence[str],
    export_dir: Any,
    import_scope: str | None = None,
    **saver_kwargs: Any,
) -> Any:
    """Add a model to the graph of a session, and give its variables their values; returns the MetaGraphDef."""
    folder = Path(os.fspath(export_dir))
    meta = chosen(read_model(folder), tags, folder)
    with sess.graph.as_default():
        given = type(meta).FromString(meta.SerializeToString())
        add_meta_graph(given, import_scope=import_scope, **saver_kwargs)
        prefix = folder / names.VARIABLES_DIRECTORY / names.VARIABLES_FILENAME
        if meta.HasField("saver_def"):
            if Path(f"{prefix}.index").is_file():
                Saver(saver_def=within(meta.saver_def, import_scope)).restore(sess, str(prefix))
        elif sess.graph.get_collection("variables"):
            Saver().restore(sess, str(prefix))
        _initialize(sess, meta, import_scope)
    return meta


def _initialize(session: Any, meta: Any, scope: str | None) -> None:
    """Run what a model runs when it is loaded."""
    if _INIT in meta.signature_def:
        name = meta.signature_def[_INIT].outputs[_INIT].name
    elif _MAIN in meta.collection_def:
        name = meta.collection_def[_MAIN].node_list.value[0]
    else:
        return
    session.run(session.graph.as_graph_element(f"{scope}/{name}" if scope else name))


def maybe_saved_model_directory(export_dir: Any) -> bool:
    """Whether a folder has the file of a model."""
    folder = Path(os.fspath(export_dir))
    files = names.SAVED_MODEL_FILENAME_PB, names.SAVED_MODEL_FILENAME_PBTXT
    return any((folder / name).is_file() for name in files)
