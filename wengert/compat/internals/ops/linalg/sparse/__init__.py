"""tensorflow.python.ops.linalg.sparse: matrices by rows, which are sparse tensors here."""
