"""What to use in place of a name of TensorFlow's, or of another library's, that is not here."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any, Final

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
    "distribute": "There are tf.distribute.Mesh, MirroredStrategy for the devices of a process, and MultiWorkerMirroredStrategy for several",
    "lite": "Nothing is converted for other machines",
    **dict.fromkeys(
        ("distributions", "compat.v1.distributions"),
        "tensorflow_probability.distributions has them, which runs as it is installed",
    ),
    **dict.fromkeys(
        ("estimator", "compat.v1.estimator"), "A loop of Python over batches does what an estimator did"
    ),
    **dict.fromkeys(
        ("feature_column", "compat.v1.feature_column"),
        "tf.one_hot, tf.lookup, tf.sparse.cross and tf.nn.embedding_lookup make columns of features",
    ),
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
         for name in ("RecordInput",)),
        "A variable with assign_add sums gradients; tf.queue.FIFOQueue hands values from thread to thread",
    ),
    **{
        f"{space}{name}": advice
        for advice, names in {
            "There is one device; tf.device takes its name as a string, and does nothing": ["check_pinned"],
            "tf.register_op declares an operation, with its kernel in Python": [
                "load_library", "load_op_library", "load_file_system_library",
            ],
            "tf.signal has it, for the processor": ["fftnd", "ifftnd", "irfftnd", "rfftnd"],
            "tf.function takes such values without a description": ["NoneTensorSpec"],
            "A plain tf.function computes batches": ["nondifferentiable_batch_function"],
            "tf.RaggedTensor has methods for it": ["ragged_fill_empty_rows", "ragged_fill_empty_rows_grad"],
            "tf.random.shuffle, or tf.data.Dataset.shuffle, draws an order": [
                "random_index_shuffle", "random.experimental.index_shuffle",
            ],
        }.items()
        for name in names
        for space in ("", "compat.v1.")
    },
    **dict.fromkeys(
        ("image.adjust_jpeg_quality", "image.random_jpeg_quality", "image.stateless_random_jpeg_quality"),
        "tf.io.encode_jpeg(image, quality=...) and tf.io.decode_jpeg go through the format",
    ),
    "image.generate_bounding_box_proposals": "tf.image.non_max_suppression chooses among boxes",
    **dict.fromkeys(
        (f"compat.v1.train.{name}" for name in ("Supervisor", "SessionManager", "basic_train_loop", "LooperThread")),
        "tf.compat.v1.train.MonitoredTrainingSession",
    ),
    **dict.fromkeys(
        (f"{space}{name}" for space in ("train.", "compat.v1.train.")
         for name in ("ClusterDef", "ClusterSpec", "JobDef", "Server", "ServerDef", "replica_device_setter",
                      "SyncReplicasOptimizer")),
        "There is one process, on the processors it has",
    ),
    **dict.fromkeys(
        ("compat.v1.train.warm_start",),
        "tf.compat.v1.train.init_from_checkpoint takes values from a checkpoint, by names or scopes",
    ),
    **dict.fromkeys(
        (f"compat.v1.train.{name}" for name in
         ("sdca_optimizer",)),
        "tf.compat.v1.train.FtrlOptimizer has the same regularizers",
    ),
    **dict.fromkeys(
        (f"compat.v1.{name}" for name in ("quantize", "quantize_v2", "dequantize", "quantized_concat")),
        "tf.raw_ops has QuantizeV2 and Dequantize; tf.quantization.fake_quant_with_min_max_vars rounds floats",
    ),
    **{
        f"python.{name}": advice
        for advice, names in {
            "Variables are resources, and there are no references to them: tf.Variable": [
                "framework.test_ops.ref_output", "ops.gen_control_flow_ops.ref_enter",
                "ops.control_flow_ops.ref_merge", "ops.gen_state_ops.destroy_temporary_variable",
                "ops.gen_state_ops.temporary_variable", "ops.gen_state_ops.variable", "ops.ref_variable",
            ],
            "There is one process; tf.distribute has MultiWorkerMirroredStrategy for several": [
                "eager.remote", "framework.test_util.create_local_cluster", "ops.collective_ops",
            ],
            "There are no TPUs; tf.device is accepted and does nothing": [
                "distribute.cluster_resolver.tpu_cluster_resolver",
            ],
            "The handle of a variable is the variable itself, which has a shape and a dtype": [
                "ops.handle_data_util", "ops.resource_variable_ops._set_handle_shapes_and_types",
            ],
            "A variable goes with the last reference to it": [
                "ops.resource_variable_ops.destroy_resource_op",
            ],
            "tf.Variable makes one in the graph that is built": [
                "ops.resource_variable_ops.copy_to_graph_uninitialized",
            ],
            "A value that depends on variables is guarded by variable.initialized_value()": [
                "ops.variables._try_guard_against_uninitialized_dependencies",
            ],
            "There is no cuDNN, and every run computes the same": [
                "kernel_tests.nn_ops.cudnn_deterministic_base",
            ],
            "Operations run when they are called, one after another": ["eager.executor.new_executor"],
            "tf.autodiff.ForwardAccumulator follows all operations within its block": [
                "eager.forwardprop_util.push_forwardprop_state",
            ],
            "tf.register_op and tf.custom_gradient take forward rules": [
                "pywrap_tfe.TFE_Py_RegisterJVPFunction",
            ],
            "record.should_record_backprop, in tensorflow.python.eager, says whether a tape follows a tensor": [
                "pywrap_tfe.TFE_Py_TapeSetPossibleGradientTypes",
            ],
            "The functions of a loop are those that tf.while_loop was given": ["ops.while_v2._get_graph"],
            "A graph keeps its Python functions itself, as long as it lives": ["ops.script_ops._py_funcs"],
            "np.einsum_path finds the order of the products": [
                "ops.special_math_ops._get_opt_einsum_contract_path",
            ],
            "A plain tf.function computes batches": ["ops.batch_ops.batch_function"],
            "tf.image.non_max_suppression chooses among boxes": [
                "ops.image_ops.generate_bounding_box_proposals",
            ],
            "ops.get_gradient_function, in tensorflow.python.framework, gives the gradient function of an operation": [
                "ops.nn_grad",
            ],
        }.items()
        for name in names
    },
    "core.config": "Settings are in tf.config, and as arguments of tf.function",
    "placeholder": "tf.compat.v1.placeholder", "Session": "tf.compat.v1.Session",
    "get_variable": "tf.compat.v1.get_variable", "global_variables_initializer": "tf.compat.v1.global_variables_initializer",
}  # fmt: skip


# Of raw operations by a word of their names; the first that fits is said.
_INSTEAD_OF_RAW: Final = {
    "TPU|Xla|SparseCore|Collective|Nccl": "One process computes on its own processor; tf.distribute has meshes and strategies",
    "Dataset|Iterator|Optional|MemoryCache": "tf.data has it",
    "Queue": "tf.queue has it",
    "Barrier|Stage|Stack|Map(Clear|Peek|Size)": "A list of Python, or tf.queue in graphs, keeps values for later",
    "Table": "tf.lookup has it",
    "Reader": "tf.data reads files",
    "Summary": "tf.summary has it",
    "Quantized|Quantize|Requant": "tf.quantization.fake_quant_with_min_max_args and its kin round floats",
    "RNN|LSTM|GRU": "A loop over steps, or a layer of Keras",
    "BoostedTrees|Sdca": "Another library learns trees and linear models",
    "TensorArray": "tf.TensorArray has it",
    "TensorMap": "A dictionary of Python",
    "Enter|Exit|NextIteration|LoopCond|^While|^If|^Case|^For": "Branches and loops are operations with functions here: tf.cond, "
    "tf.switch_case and tf.while_loop build them",
    "Ragged": "tf.RaggedTensor and tf.ragged have it",
    "Jpeg|Png|Gif|Image|Wav|WebP": "tf.io and tf.image have it",
    "Rng|Stateful|Stateless|Random": "tf.random has it",
}  # fmt: skip


def _instead_of_raw(name: str) -> str:
    found = (said for word, said in _INSTEAD_OF_RAW.items() if re.search(word, name))
    return next(found, "The public function of the same meaning has it, where there is one")


def instead_of(path: str) -> str:
    """A sentence that says what to use; empty if nothing is known.

    >>> instead_of("io.decode_webp")
    'Pillow reads WebP; np.asarray makes it an array.'
    >>> instead_of("raw_ops.QueueEnqueueV2")
    'tf.queue has it.'
    """
    parts = path.split(".")
    if parts[0] == "raw_ops" and len(parts) == 2:
        return f"{_instead_of_raw(parts[1])}."
    for count in range(len(parts), 0, -1):
        found = _INSTEAD.get(".".join(parts[:count]))
        if found is not None:
            return f"{found}." if " " in found else f"Use {found}."
    return ""


def absent(module: str) -> Callable[[str], Any]:
    """What a module answers for a name that it lacks: an error that says what to use.

    >>> absent("image")("decode_webp")
    Traceback (most recent call last):
    AttributeError: module 'wengert.image' has no attribute 'decode_webp'. Pillow reads WebP; ...
    """

    def missing(name: str) -> Any:
        said = "" if name.startswith("_") else instead_of(f"{module}.{name}")
        raise AttributeError(
            f"module 'wengert.{module}' has no attribute {name!r}{said and f'. {said}'}",
            name=name,
            obj=sys.modules[f"wengert.{module}"],
        )

    return missing
