"""tensorflow.python.framework.extension_type: types made of tensors, from annotations."""

from wengert.api.extension_types.anonymous import AnonymousExtensionType as AnonymousExtensionType
from wengert.api.extension_types.anonymous import (
    AnonymousExtensionTypeSpec as AnonymousExtensionTypeSpec,
)
from wengert.api.extension_types.anonymous import reinterpret as reinterpret
from wengert.api.extension_types.batchable import BatchableExtensionType as BatchableExtensionType
from wengert.api.extension_types.batchable import (
    ExtensionTypeBatchEncoder as ExtensionTypeBatchEncoder,
)
from wengert.api.extension_types.extension_type import ExtensionType as ExtensionType
from wengert.api.extension_types.extension_type import ExtensionTypeSpec as ExtensionTypeSpec
from wengert.api.extension_types.extension_type import as_dict as as_dict
