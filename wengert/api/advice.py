"""What to use in place of a name of TensorFlow's, or of another library's, that is not here."""

from __future__ import annotations

from typing import Final

# By the beginning of the path behind `tf.`; the longest that fits is said.
_INSTEAD: Final = {
    "keras": "Of Keras there are tf.keras.optimizers and tf.keras.initializers; tf.Module holds variables, "
    "and tf.nn has the operations of layers",
    "data.experimental.SqlDataset": "Rows of a database come from a Python generator: tf.data.Dataset.from_generator",
    "data.experimental.service": "There is one process, which reads its own data",
    "io.decode_json_example": "json.loads reads JSON, and tf.train.Example holds features",
    "io.decode_proto": "Messages are read by the package protobuf, before they become numbers",
    "io.encode_proto": "Messages are written by the package protobuf",
    "io.decode_jxl": "Pictures in JPEG XL are read by another library; np.asarray makes them arrays",
    "io.decode_webp": "Pillow reads WebP; np.asarray makes it an array",
    "image.decode_jxl": "Pictures in JPEG XL are read by another library; np.asarray makes them arrays",
    "image.decode_webp": "Pillow reads WebP; np.asarray makes it an array",
    "io.write_graph": "tf.io.write_file(path, graph.as_graph_def().SerializeToString()) writes a graph",
    "compat.v1.train.import_meta_graph": "tf.compat.v1.train.Saver restores variables; tf.import_graph_def reads the graph",
    "compat.v1.train.export_meta_graph": "graph.as_graph_def() writes the graph; tf.compat.v1.train.Saver the variables",
    "distribute": "There is one process, on the processors it has: tf.distribute.MirroredStrategy() and OneDeviceStrategy() run on it",
    "lite": "Nothing is converted for other machines",
    "tpu": "There are no TPUs; tf.device is accepted and does nothing",
    "python.ops.control_flow_ops": "Branches and loops are operations with functions here: tf.cond, "
    "tf.switch_case and tf.while_loop build them",
    "python.ops.gen_control_flow_ops": "Branches and loops are operations with functions here: tf.cond, "
    "tf.switch_case and tf.while_loop build them",
    "python.ops.image_ops": "Pictures are read and written by another library, such as Pillow; np.asarray makes them arrays",
    "python.ops.io_ops": "Files are read by NumPy (np.load, np.fromfile) or another library",
    "python.ops.parsing_ops": "Records are taken apart by Python, before they become numbers; decode_raw reads bytes",
    "python.framework.load_library": "tf.register_op declares an operation, with its kernel in Python",
    "python.grappler": "Graphs are optimized when they are compiled; nothing needs to be asked for",
    "sum": "tf.reduce_sum", "mean": "tf.reduce_mean", "max": "tf.reduce_max", "min": "tf.reduce_min",
    "prod": "tf.reduce_prod", "all": "tf.reduce_all", "any": "tf.reduce_any", "std": "tf.math.reduce_std",
    "var": "tf.math.reduce_variance", "log": "tf.math.log", "log1p": "tf.math.log1p", "expm1": "tf.math.expm1",
    "array": "tf.constant", "tensor": "tf.constant", "asarray": "tf.convert_to_tensor", "dot": "tf.tensordot",
    "concatenate": "tf.concat", "cat": "tf.concat", "arange": "tf.range", "clip": "tf.clip_by_value",
    "clamp": "tf.clip_by_value", "power": "tf.pow", "swapaxes": "tf.experimental.numpy.swapaxes",
    "flip": "tf.reverse", "softmax": "tf.nn.softmax", "relu": "tf.nn.relu", "logsumexp": "tf.reduce_logsumexp",
    **dict.fromkeys(
        (f"{space}{name}" for space in ("", "compat.v1.", "python.ops.data_flow_ops.")
         for name in ("ConditionalAccumulator", "SparseConditionalAccumulator", "Barrier", "RecordInput")),
        "A variable with assign_add sums gradients; tf.queue.FIFOQueue hands values from thread to thread",
    ),
    "placeholder": "tf.compat.v1.placeholder", "Session": "tf.compat.v1.Session",
    "get_variable": "tf.compat.v1.get_variable", "global_variables_initializer": "tf.compat.v1.global_variables_initializer",
}  # fmt: skip


def instead_of(path: str) -> str:
    """A sentence that says what to use; empty if nothing is known.

    >>> instead_of("io.decode_webp")
    'Pillow reads WebP; np.asarray makes it an array.'
    """
    parts = path.split(".")
    for count in range(len(parts), 0, -1):
        found = _INSTEAD.get(".".join(parts[:count]))
        if found is not None:
            return f"{found}." if " " in found else f"Use {found}."
    return ""
