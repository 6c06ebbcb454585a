"""tf.__internal__.decorator: decorators that can be unwrapped."""

from wengert.compat.internals.util.tf_decorator import make_decorator as make_decorator
from wengert.compat.internals.util.tf_decorator import unwrap as unwrap
