"""tf.__internal__.smart_cond: a branch that is decided at once where its condition is known."""

from wengert.compat.internals.framework.smart_cond import smart_cond as smart_cond
