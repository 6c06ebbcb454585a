"""tf.nn.experimental: dropout with other sources of chance."""

from wengert.ops.nn.dropout import general_dropout as general_dropout
from wengert.ops.nn.dropout import stateless_dropout as stateless_dropout
