"""tf.debugging.stabilize: formulas that overflow or cancel, computed by their stable forms."""

from __future__ import annotations

import importlib

from wengert.core.context import put_on_top
from wengert.host.context_manager import Change, context_manager, enter


@context_manager
def stabilize() -> Change:
    """Compute formulas that overflow or lose digits by other ones, which are equal and do not.

    log(1 + exp(x)) is computed as `tf.math.softplus(x)`, log of a sum of exponentials as
    `tf.reduce_logsumexp`, x log(x) as `tf.math.xlogy(x, x)`, sqrt(x² + y²) as the hypotenuse, and so on:
    docs/none-or-nan.md has the list. The derivatives are those of the stable form. It holds for
    operations called inside, and for functions called inside, which are traced for it.
    `tf.function(f, stabilize=True)` and `tf.GradientTape(stabilize=True)` do the same for a function
    and for the block of a tape.

    >>> x = tf.constant([-200.0, 0.0, 200.0])
    >>> tf.math.log(1.0 + tf.exp(x)).numpy()
    array([0.       , 0.6931472,       inf], dtype=float32)
    >>> with tf.debugging.stabilize():
    ...     tf.math.log(1.0 + tf.exp(x)).numpy()
    array([  0.       ,   0.6931472, 200.       ], dtype=float32)
    """
    interpreter = importlib.import_module("wengert.ops.stable.interpreter")
    return enter(put_on_top(interpreter.stabilizing))
