"""tf.__internal__.tf2: which version's behaviour is on."""

from wengert.compat.internals.tf2 import enabled as enabled
