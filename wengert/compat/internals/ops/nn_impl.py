"""tensorflow.python.ops.nn_impl: its names that are not public."""

from wengert.ops.nn.sampled_losses import sampled_logits as _compute_sampled_logits

__all__ = ["_compute_sampled_logits"]
