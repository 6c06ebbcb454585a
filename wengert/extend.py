"""For authors of operations, rules and recorders.

The conventions of rules and kernels are at the top of `wengert/core/row.py`. An operation
declared here is like one of ours: it works in reverse and forward mode, in batches and to every
order, as far as its row says how.

>>> from wengert import extend
>>> CUBE = extend.op(
...     "Cube",
...     lambda xp, x: x * x * x,
...     vjp=(lambda g, y, x: g * (3.0 * x * x),),
...     elementwise=True,
...     saves="x",
... )
>>> x = tf.constant(2.0)
>>> with tf.GradientTape() as tape:
...     tape.watch(x)
...     y = extend.apply(CUBE, (x,))
>>> y.numpy(), tape.gradient(y, x).numpy()
(np.float32(8.0), np.float32(12.0))
"""

from wengert.core.context import also_listening as also_listening
from wengert.core.context import announce as announce
from wengert.core.context import listening as listening
from wengert.core.dispatch import apply as apply
from wengert.core.recorder import Recorder as Recorder
from wengert.core.row import EachInput as EachInput
from wengert.core.row import Row as Row
from wengert.core.table import TABLE as TABLE
from wengert.core.table import op as op
from wengert.engines.xla.versions import xla_version as xla_version
from wengert.execution.engine_registry import Engine as Engine
from wengert.execution.engine_registry import Runnable as Runnable
from wengert.execution.engine_registry import register_engine as register_engine
from wengert.execution.plan import Plan as Plan
from wengert.ops.support.declare import binary as binary
from wengert.ops.support.declare import unary as unary
from wengert.ops.support.large_kernels import register_large_kernel as register_large_kernel
from wengert.values.composite import Composite as Composite
from wengert.values.convert import convert as convert
from wengert.values.convert import register_converter as register_converter
from wengert.values.tensor import dims as dims
from wengert.values.tensor import wrap as wrap
