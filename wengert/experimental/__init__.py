"""tf.experimental: types made of tensors, what functions do for them, exchange of arrays."""

from wengert.api.extension_types.batchable import BatchableExtensionType as BatchableExtensionType
from wengert.api.extension_types.batchable import (
    ExtensionTypeBatchEncoder as ExtensionTypeBatchEncoder,
)
from wengert.api.extension_types.dispatch import (
    dispatch_for_api as dispatch_for_api,
)
from wengert.api.extension_types.dispatch import (
    dispatch_for_binary_elementwise_apis as dispatch_for_binary_elementwise_apis,
)
from wengert.api.extension_types.dispatch import (
    dispatch_for_binary_elementwise_assert_apis as dispatch_for_binary_elementwise_assert_apis,
)
from wengert.api.extension_types.dispatch import (
    dispatch_for_unary_elementwise_apis as dispatch_for_unary_elementwise_apis,
)
from wengert.api.extension_types.dispatch import (
    unregister_dispatch_for as unregister_dispatch_for,
)
from wengert.api.extension_types.extension_type import ExtensionType as ExtensionType
from wengert.experimental import dlpack as dlpack
from wengert.experimental import extension_type as extension_type
from wengert.ops.ragged.dynamic_shape import DynamicRaggedShape as DynamicRaggedShape
from wengert.ops.ragged.row_partition import RowPartition as RowPartition
