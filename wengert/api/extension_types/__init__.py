"""Types made of tensors that users declare as they declare dataclasses.

fields          The fields of such types: their annotations, and what values they take
extension_type  ExtensionType: a class made from its annotations, and its type spec
anonymous       Values with fields of any names, without a declaration
batchable       Types of which several values can be one batch
dispatch        tf.experimental.dispatch_for_...: what public functions do for types of users'
"""
