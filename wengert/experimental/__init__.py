"""tf.experimental: types made of tensors, what functions do for them, exchange of arrays."""

from wengert.api.extension_types.batchable import BatchableExtensionType as BatchableExtensionType
from wengert.api.extension_types.batchable import (
    ExtensionTypeBatchEncoder as ExtensionTypeBatchEncoder,
)
from wengert.api.extension_types.extension_type import ExtensionType as ExtensionType
from wengert.experimental import dlpack as dlpack
from wengert.experimental import extension_type as extension_type
