"""tf.quantization: rounding to a few levels, with gradients that pass through."""

from wengert.ops.quantization.fake_quant import (
    fake_quant_with_min_max_args as fake_quant_with_min_max_args,
)
from wengert.ops.quantization.fake_quant import (
    fake_quant_with_min_max_args_gradient as fake_quant_with_min_max_args_gradient,
)
from wengert.ops.quantization.fake_quant import (
    fake_quant_with_min_max_vars as fake_quant_with_min_max_vars,
)
from wengert.ops.quantization.fake_quant import (
    fake_quant_with_min_max_vars_gradient as fake_quant_with_min_max_vars_gradient,
)
from wengert.ops.quantization.fake_quant import (
    fake_quant_with_min_max_vars_per_channel as fake_quant_with_min_max_vars_per_channel,
)
from wengert.ops.quantization.fake_quant import (
    fake_quant_with_min_max_vars_per_channel_gradient as fake_quant_with_min_max_vars_per_channel_gradient,
)
from wengert.ops.quantization.quantize import quantize_and_dequantize as quantize_and_dequantize
from wengert.ops.quantization.quantize import (
    quantize_and_dequantize_v2 as quantize_and_dequantize_v2,
)
