"""Names of version 1 for what has been moved or renamed since."""

from __future__ import annotations

import importlib
from typing import Any

# By today's namespace, the names that were at the top level.
_SPACES = {
    "math": """accumulate_n betainc bincount cumprod digamma erf erfc floordiv floormod igamma igammac
        invert_permutation is_non_decreasing is_strictly_increasing lbeta lgamma log_sigmoid logical_xor mod
        polygamma segment_max segment_mean segment_min segment_prod segment_sum squared_difference
        unsorted_segment_max unsorted_segment_mean unsorted_segment_min unsorted_segment_prod
        unsorted_segment_sqrt_n unsorted_segment_sum zeta""",
    "signal": "fft fft2d fft3d ifft ifft2d ifft3d",
    "image": "random_crop",
    "io": """FixedLenFeature FixedLenSequenceFeature SparseFeature VarLenFeature decode_base64 decode_compressed
        deserialize_many_sparse encode_base64 matching_files parse_single_sequence_example parse_tensor read_file
        serialize_tensor write_file""",
    "compat.v1.io": """decode_csv decode_raw parse_example parse_single_example serialize_many_sparse
        serialize_sparse""",
    "strings": "regex_replace",
    "compat.v1.strings": """reduce_join string_split string_to_hash_bucket string_to_number substr""",
    "queue": "FIFOQueue PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue",
    "errors": "OpError",
    "dtypes": "QUANTIZED_DTYPES",
    "quantization": """fake_quant_with_min_max_args fake_quant_with_min_max_args_gradient
        fake_quant_with_min_max_vars fake_quant_with_min_max_vars_gradient
        fake_quant_with_min_max_vars_per_channel fake_quant_with_min_max_vars_per_channel_gradient""",
}
# sparse_reshape is sparse.reshape now.
_SPARSE = """fill_empty_rows mask maximum minimum reorder reset_shape reshape retain slice softmax to_indicator
    transpose"""
_RENAMED = {
    "div_no_nan": "math.divide_no_nan",
    "floor_div": "math.floordiv",
    "lin_space": "linspace",
    "reverse_v2": "reverse",
    "string_join": "strings.join",
    "string_strip": "strings.strip",
    "string_to_hash_bucket_fast": "strings.to_hash_bucket_fast",
    "string_to_hash_bucket_strong": "strings.to_hash_bucket_strong",
    "sparse_tensor_dense_matmul": "sparse.sparse_dense_matmul",
    "sparse_tensor_to_dense": "sparse.to_dense",
    "tensor_scatter_add": "tensor_scatter_nd_add",
    "tensor_scatter_sub": "tensor_scatter_nd_sub",
    "tensor_scatter_update": "tensor_scatter_nd_update",
    "where_v2": "where",
}
ALIASES = (
    {name: f"{space}.{name}" for space, names in _SPACES.items() for name in names.split()}
    | {f"sparse_{name}": f"sparse.{name}" for name in _SPARSE.split()}
    | _RENAMED
)


def find(name: str) -> Any:
    """The object that a name of version 1 means today; raises AttributeError for other names."""
    space, _, last = ALIASES.get(name, name).rpartition(".")
    module = importlib.import_module(f"wengert.{space}" if space else "wengert")
    return getattr(module, last)
