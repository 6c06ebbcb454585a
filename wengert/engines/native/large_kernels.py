"""Machine code for large arrays outside of graphs: which kernel computes what.

Kernels are compiled on first use, and cached on disk. NumPy computes what no kernel supports, and
everything where there is no compiler.
"""

from __future__ import annotations

import sys
from typing import Any, Final

from wengert.engines.native.runtime.named_kernels import KERNELS, find_kernels_by
from wengert.formats.crc32c import compute_parts_by
from wengert.host.locks import load_module
from wengert.ops.support import large_kernels as large
from wengert.ops.support.large_kernels import LargeKernel

# For each of them its module in `kernels`, and the function there.
_FUNCTIONS: Final[dict[LargeKernel[Any], tuple[str, str]]] = {
    large.elementwise_kernel: ("elementwise", "apply_row"),
    large.part_kernel: ("elementwise", "add_to_part"),
    large.update_kernel: ("update", "update"),
    large.cast_kernel: ("elementwise", "cast"),
    large.reduction_kernel: ("reductions", "reduce_row"),
    large.softmax_kernel: ("reductions", "softmax"),
    large.cumulative_kernel: ("cumulative", "accumulate"),
    large.conv_kernel: ("conv", "convolve"),
    large.depthwise_conv_kernel: ("depthwise_conv", "convolve"),
    large.conv_filter_gradient_kernel: ("conv_filter_gradient", "filter_gradient"),
    large.depthwise_filter_gradient_kernel: ("depthwise_filter_gradient", "filter_gradient"),
    large.pooling_kernel: ("pooling", "pool"),
    large.mean_pool_gradient_kernel: ("pooling", "mean_pool_gradient"),
    large.max_pool_gradient_kernel: ("max_pool_gradient", "max_pool_gradient"),
    large.batch_norm_kernel: ("batch_norm", "apply_formula"),
    large.batch_norm_sum_kernel: ("batch_norm", "sum_formula"),
    large.local_response_norm_kernel: ("local_response_norm", "normalize"),
    large.local_response_norm_gradient_kernel: ("local_response_norm", "normalize_back"),
    large.matmul_kernel: ("matmul", "product"),
    large.product_kernel: ("matmul", "product"),
    large.cholesky_kernel: ("factors", "cholesky"),
    large.triangular_solve_kernel: ("factors", "triangular_solve"),
    large.lu_kernel: ("in_turn.elimination", "eliminate"),
    large.tridiagonal_solve_kernel: ("tridiagonal", "tridiagonal_solve"),
    large.count_kernel: ("in_turn.counting", "count"),
    large.unique_kernel: ("in_turn.unique", "unique"),
    large.suppression_kernel: ("in_turn.suppression", "suppress"),
    large.poisson_kernel: ("in_turn.poisson", "draw"),
    large.edit_distance_kernel: ("in_turn.edit_distance", "distances"),
    large.binomial_kernel: ("in_turn.binomial", "draw"),
    large.shuffle_kernel: ("in_turn.shuffle", "permutation"),
    large.inverse_kernel: ("in_turn.shuffle", "inverse"),
    large.philox_kernel: ("random_numbers.philox", "blocks"),
    large.samples_kernel: ("random_numbers.samples", "samples"),
    large.segments_kernel: ("segments", "change_rows"),
}


class _Kernel:
    """A kernel that is loaded on first use."""

    def __init__(self, file: str, function: str) -> None:
        self._names = file, function
        self._found: list[Any] = []

    def __call__(self, *arguments: Any) -> Any:
        # No cached property: until Python 3.12 that has a lock, which stays locked in a forked child.
        if not self._found:
            self._found = [self._looked_for()]
        (found,) = self._found
        return None if found is None else found(*arguments)

    def _looked_for(self) -> Any:
        """The function; None where there is none."""
        if sys.platform not in ("linux", "darwin"):
            return None
        file, function = self._names
        try:
            writer = load_module("wengert.engines.native.codegen.kernel_writer")
            writer.prepare()
            found = load_module(f"wengert.engines.native.kernels.{file}")
        except Exception:  # noqa: BLE001  # no compiler here: NumPy always works
            return None
        return writer.careful(getattr(found, function))


def _address_of(name: str) -> int:
    """Where the kernel of a name begins: of "@large.conv.f4.12.2", say, that of a file for these numbers."""
    file, kind, *numbers = name.removeprefix(KERNELS).split(".")
    load_module("wengert.engines.native.codegen.kernel_writer").prepare()
    kernels = load_module(f"wengert.engines.native.kernels.{file}")
    return int(kernels.tile_kernel(kind, *map(int, numbers)).address)


for _kernel, _names in _FUNCTIONS.items():
    _kernel.register(_Kernel(*_names))
compute_parts_by(_Kernel("checksum", "registers"))
find_kernels_by(_address_of)
