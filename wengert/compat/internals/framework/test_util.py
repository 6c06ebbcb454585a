"""tensorflow.python.framework.test_util: decorators of tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert.api.gradients.gradient_tape import GradientTape
from wengert.api.gradients.graph_gradients import gradients
from wengert.ops.arrays.shaping import reshape, transpose
from wengert.ops.linalg.matmul import matmul
from wengert.testing import decorators as _decorators
from wengert.testing.cases import TestCase as TensorFlowTestCase
from wengert.testing.decorators import *
from wengert.testing.decorators import leave_unchanged, no_context
from wengert.testing.machine import gpu_device_name, is_gpu_available
from wengert.testing.sessions import EagerSession as FakeEagerSession
from wengert.testing.twofold import *

for _name in [
    "disable_all_xla",
    "disable_asan",
    "disable_control_flow_v2",
    "disable_cudnn_autotune",
    "disable_eager_op_as_function",
    "disable_mlir_bridge",
    "disable_msan",
    "disable_tfrt",
    "disable_tsan",
    "disable_ubsan",
    "disable_xla",
    "enable_c_shapes",
    "enable_control_flow_v2",
    "enable_eager_op_as_function",
    "enable_graph_building_optimization",
    "enable_mlir_bridge",
    "enable_nested_function_shape_inference",
    "enable_output_all_intermediates",
    "enable_quantized_dtypes_training",
    "enable_tf_xla_constant_folding",
    "no_xla_auto_jit",
    "run_all_without_tensor_float_32",
    "run_without_tensor_float_32",
    "set_producer_version",
    "set_xla_env_flag",
    "with_c_shapes",
    "with_control_flow_v2",
    "with_eager_op_as_function",
    "xla_allow_fallback",
]:
    globals()[_name] = leave_unchanged
# The horizons in its arguments have no meaning here.
with_forward_compatibility_horizons = leave_unchanged


def matmul_without_tf32(a: Any, b: Any, *args: Any, **kwargs: Any) -> Any:
    """The product of two matrices, always in the full precision of its dtype."""
    return matmul(a, b, *args, **kwargs)


for _name in ["deterministic_ops", "device", "force_cpu", "force_gpu", "use_gpu"]:
    globals()[_name] = no_context


def _never(*_: Any, **__: Any) -> bool:
    return False


IsMklEnabled = IsBuiltWithROCm = IsBuiltWithCuda = IsBuiltWithNvcc = _never
GpuSupportsHalfMatMulAndConv = is_xla_enabled = is_tfrt_enabled = is_mlir_bridge_enabled = _never
CudaSupportsHalfMatMulAndConv = _never
is_asan_enabled = is_msan_enabled = is_tsan_enabled = is_ubsan_enabled = _never
IsGoogleCudaEnabled = IsBuiltWithXLA = _never


def IsCPUTargetAvailable(target: str) -> bool:
    """False: nothing is compiled for a target by its name."""
    return False


def InstallStackTraceHandler() -> None:
    """Nothing: Python shows where an error came from."""


def sync_devices() -> None:
    """Nothing to wait for: no operation runs asynchronously."""


class AbstractGradientTape:
    """A gradient by a tape or by the graph, depending on a test's parameter."""

    def __init__(self, use_tape: bool, persistent: bool = False) -> None:
        self._tape = GradientTape(persistent=persistent) if use_tape else None

    def __enter__(self) -> AbstractGradientTape:
        if self._tape is not None:
            self._tape.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        if self._tape is not None:
            self._tape.__exit__(*error)

    def watch(self, x: Any) -> None:
        """Watch a value."""
        if self._tape is not None:
            self._tape.watch(x)

    def gradient(self, y: Any, xs: Any, output_gradients: Any = None) -> Any:
        """The gradient, by the tape or by the graph."""
        if self._tape is not None:
            return self._tape.gradient(y, xs, output_gradients)
        found = gradients(y, xs, output_gradients)
        return found if isinstance(xs, (list, tuple)) else found[0]


def _permuted(x: Any, order: dict[int, list[int]]) -> Any:
    """A tensor with its axes permuted, or a list with a number for each axis."""
    if isinstance(x, (list, tuple)):
        return [x[i] for i in order[len(x)]]
    return transpose(x, order[len(x.shape)])


def NHWCToNCHW(input_tensor: Any) -> Any:
    """Move the channels from the last axis to the second."""
    return _permuted(input_tensor, {4: [0, 3, 1, 2], 5: [0, 4, 1, 2, 3]})


def NCHWToNHWC(input_tensor: Any) -> Any:
    """Move the channels from the second axis to the last."""
    return _permuted(input_tensor, {4: [0, 2, 3, 1], 5: [0, 2, 3, 4, 1]})


def _sizes(x: Any) -> list[Any]:
    return list(x if isinstance(x, (list, tuple)) else x.shape)


def NHWCToNCHW_VECT_C(input_shape_or_tensor: Any) -> Any:
    """Move the channels to the second axis, in vectors of four, which are the last axis."""
    x, (*rest, channels) = input_shape_or_tensor, _sizes(input_shape_or_tensor)
    if channels % 4:
        raise ValueError(
            "Last dimension of input must be evenly divisible by 4 to convert to NCHW_VECT_C."
        )
    sizes, last = [*rest, channels // 4, 4], len(rest)
    order = [0, last, *range(1, last), last + 1]
    if isinstance(x, (list, tuple)):
        return [sizes[axis] for axis in order]
    return transpose(reshape(x, sizes), order)


def NCHW_VECT_CToNHWC(input_shape_or_tensor: Any) -> Any:
    """Move the channels from the second axis, and from their vectors of four, to the last axis."""
    x, (batch, channels, *spatial, four) = input_shape_or_tensor, _sizes(input_shape_or_tensor)
    if four != 4:
        raise ValueError("Last dimension of NCHW_VECT_C must be 4.")
    whole = [batch, *spatial, channels * 4]
    if isinstance(x, (list, tuple)):
        return whole
    places = range(2, len(spatial) + 2)
    return reshape(transpose(x, [0, *places, 1, len(spatial) + 2]), whole)


def random_seed(seed: int = 87654321) -> None:
    """Seed NumPy, as every test does."""
    np.random.seed(seed)


eager_lazy_remote_copy_on_and_off = _decorators.leave_unchanged
