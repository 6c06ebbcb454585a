"""tensorflow.python.tf2: which version's behaviour is enabled."""

from wengert.testing.decorators import starts_eagerly as enabled

__all__ = ["enabled"]
