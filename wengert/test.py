"""tf.test: are the gradients right? And what tests are written with."""

from wengert.api.gradients.gradient_checker import compute_gradient as compute_gradient
from wengert.testing.benchmarks import Benchmark as Benchmark
from wengert.testing.benchmarks import benchmark_config as benchmark_config
from wengert.testing.cases import TestCase as TestCase
from wengert.testing.cases import main as main
from wengert.testing.decorators import disable_with_predicate as disable_with_predicate
from wengert.testing.decorators import with_eager_op_as_function as with_eager_op_as_function
from wengert.testing.machine import gpu_device_name as gpu_device_name
from wengert.testing.machine import is_built_with_cuda as is_built_with_cuda
from wengert.testing.machine import is_built_with_gpu_support as is_built_with_gpu_support
from wengert.testing.machine import is_built_with_rocm as is_built_with_rocm
from wengert.testing.machine import is_built_with_xla as is_built_with_xla
from wengert.testing.machine import is_cpu_target_available as is_cpu_target_available
from wengert.testing.machine import is_gpu_available as is_gpu_available
